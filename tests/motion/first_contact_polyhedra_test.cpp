// First contact of polyhedra against swept separating axes in 384 bits, where every axis is computed from exactly
// placed corners; and against the three methods from the literature on doubles.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/convex_hull.hpp>
#include <whisker/first_contact.hpp>
#include <whisker/geometry/separating_axis.hpp>

#include "support/baselines/contact_time.hpp"
#include "support/cases.hpp"
#include "support/convex_reference.hpp"
#include "support/random_shapes.hpp"

namespace whisker::test {
namespace {

using scenes::any_rotation;
using scenes::axis_rotation;
using scenes::chance;
using scenes::Generator;
using scenes::integer_vector;
using scenes::unit_vector;

/// The corners, face normals and edges of a solid hull, placed without rounding.
struct ExactHull {
  std::vector<Vec<Real>> corners, normals, edges;

  ExactHull(const ConvexHull& hull, const Pose& pose) {
    for (const Vector3& v : hull.vertices()) {
      Vec<Real> placed = exactly<Real>(pose.translation());
      for (int i = 0; i < 3; ++i)
        placed = placed + Real(v[i]) * exactly<Real>(pose.rotation().col(i));
      corners.push_back(placed);
    }
    for (std::size_t f = 0; f < hull.face_count(); ++f) {
      const auto face = hull.face(f);
      normals.push_back(cross(corners[face[1]] - corners[face[0]], corners[face[2]] - corners[face[0]]));
    }
    for (const HullEdge& edge : hull.edges())
      edges.push_back(corners[edge.end] - corners[edge.begin]);
  }
};

struct ExactTime {
  Real enter{-1e300}, leave{1e300};
};

/// The interval of times, over all times, in which the two share a point, where b moves by `by`; nothing if never.
std::optional<ExactTime> exact_time(const ExactHull& a, const ExactHull& b, const Vec<Real>& by) {
  ExactTime time;
  const auto still_possible = [&](const Vec<Real>& axis) {
    const auto shadow = [&axis](const std::vector<Vec<Real>>& corners) {
      Real low = dot(axis, corners[0]), high = low;
      for (const Vec<Real>& p : corners) {
        const Real along = dot(axis, p);
        low = std::min(low, along);
        high = std::max(high, along);
      }
      return std::pair(low, high);
    };
    const auto [low_a, high_a] = shadow(a.corners);
    const auto [low_b, high_b] = shadow(b.corners);
    const Real speed = dot(axis, by);
    if (speed == 0) return high_a >= low_b && high_b >= low_a;
    Real first = (low_a - high_b) / speed, last = (high_a - low_b) / speed;
    if (first > last) std::swap(first, last);
    time.enter = std::max(time.enter, first);
    time.leave = std::min(time.leave, last);
    return time.enter <= time.leave;
  };
  for (const ExactHull* hull : {&a, &b})
    for (const Vec<Real>& normal : hull->normals)
      if (!still_possible(normal)) return std::nullopt;
  for (const Vec<Real>& edge_a : a.edges) {
    for (const Vec<Real>& edge_b : b.edges) {
      const Vec<Real> axis = cross(edge_a, edge_b);
      if (axis.is_zero()) continue;
      if (!still_possible(axis)) return std::nullopt;
    }
  }
  return time;
}

ConvexHull some_hull(Generator& random, bool on_grid) {
  while (true) {
    std::vector<Vector3> points;
    const int count = whole(random, 4, 9);
    for (int i = 0; i < count; ++i)
      points.push_back(on_grid ? integer_vector(random, 2) : Vector3(uniform(random, 0.3, 1) * unit_vector(random)));
    ConvexHull hull(points);
    if (hull.dimension() == 3) return hull;
  }
}

TEST(FirstContactPolyhedra, TimesHoldAgainstSweptAxesIn384Bits) {
  auto random = seeded(601);
  std::size_t touching = 0, apart = 0, at_start = 0, open = 0;
  double widest = 0;
  for (std::size_t i = 0; i < cases(3000); ++i) {
    // Every other one on a grid: faces flush, edges parallel, corners on edges.
    const bool on_grid = i % 2 == 1;
    const ConvexHull a = some_hull(random, on_grid), b = some_hull(random, on_grid);
    const Pose pose_a(on_grid ? axis_rotation(random) : any_rotation(random),
                      on_grid ? integer_vector(random, 2) : random_vector(random, 1));
    const Vector3 from =
        on_grid ? Vector3(integer_vector(random, 8)) : Vector3(uniform(random, 2, 5) * unit_vector(random));
    const Pose pose_b(on_grid ? axis_rotation(random) : any_rotation(random), from);
    const Vector3 by = on_grid ? Vector3(2 * (integer_vector(random, 2) - from))
                               : Vector3(uniform(random, 0.5, 2) * (-from + random_vector(random, 1)));
    const Vector3 common = chance(random, 2) ? Vector3(integer_vector(random, 3)) : Vector3(Vector3::Zero());
    const Vector3 by_b = by + common;
    const MotionImpact hit = first_contact({Shape(a), Straight{pose_a, common}}, {Shape(b), Straight{pose_b, by_b}});
    const bool during = touches_during({Shape(a), Straight{pose_a, common}}, {Shape(b), Straight{pose_b, by_b}});
    const Vec<Real> way = exactly<Real>(by_b) - exactly<Real>(common);
    const std::optional<ExactTime> truth = exact_time(ExactHull(a, pose_a), ExactHull(b, pose_b), way);
    const bool meets = truth && truth->leave >= 0 && truth->enter <= 1;
    SCOPED_TRACE(i);
    if (meets) {
      EXPECT_NE(hit.status, ImpactStatus::apart);
      EXPECT_TRUE(during);
    }
    if (hit.status == ImpactStatus::apart) {
      ++apart;
      EXPECT_FALSE(meets);
      EXPECT_FALSE(during);
      continue;
    }
    if (hit.status == ImpactStatus::touching_at_start) {
      ++at_start;
      ASSERT_TRUE(truth);
      EXPECT_LE(truth->enter, Real(1e-80));
      continue;
    }
    if (!hit.certain) {
      ++open;
      if (!meets) continue;
    }
    ASSERT_TRUE(meets);
    EXPECT_LE(Real(hit.time_lower), truth->enter);
    EXPECT_GE(Real(hit.time_upper), truth->enter);
    if (!hit.certain) continue;
    ++touching;
    const double closing = std::abs(hit.normal.dot(by));
    widest = std::max(widest, (hit.time_upper - hit.time_lower) * closing);
  }
  EXPECT_GT(touching, cases(3000) / 8);
  EXPECT_GT(apart, cases(3000) / 8);
  // On the grid, corners, edges and faces meet exactly where boundaries end. Only such cases may be uncertain.
  EXPECT_LE(open, cases(3000) / 20);
  EXPECT_LE(widest, 1e-11);
  if (std::getenv("WHISKER_TEST_SHOW") != nullptr)
    std::printf("touch %zu apart %zu start %zu open %zu widest %.3g\n", touching, apart, at_start, open, widest);
}

TEST(FirstContactPolyhedra, AgreesWithAxesHalvingAndBrentOnDoubles) {
  auto random = seeded(602);
  std::size_t touching = 0;
  for (std::size_t i = 0; i < cases(4000); ++i) {
    const ConvexHull a = some_hull(random, false), b = some_hull(random, false);
    const Pose pose_a(any_rotation(random), random_vector(random, 1));
    const Vector3 from = uniform(random, 3, 5) * unit_vector(random);
    const Pose pose_b(any_rotation(random), from);
    const Vector3 by = 1.5 * (-from + random_vector(random, 0.6));  // motion of b
    const MotionImpact hit = first_contact({Shape(a), Still{pose_a}}, {Shape(b), Straight{pose_b, by}});
    const Vector3 by_a = -by;  // the baselines move a
    const auto axes = baselines::contact_time_by_axes(a.polyhedron(), pose_a, b.polyhedron(), pose_b, by_a);
    std::vector<Vector3> points_a, points_b;
    for (const Vector3& v : a.vertices())
      points_a.push_back(place(pose_a, v));
    for (const Vector3& v : b.vertices())
      points_b.push_back(place(pose_b, v));
    const baselines::ScannedPoints body_a{points_a}, body_b{points_b};
    const auto halving = baselines::contact_time_by_halving(body_a, body_b, by_a, true);
    const auto brent = baselines::contact_time_by_brent(body_a, body_b, by_a, 1e-9);
    SCOPED_TRACE(i);
    ASSERT_NE(hit.status, ImpactStatus::touching_at_start);
    ASSERT_EQ(axes.has_value(), hit.status == ImpactStatus::touch);
    ASSERT_EQ(halving.has_value(), hit.status == ImpactStatus::touch);
    if (hit.status == ImpactStatus::apart) continue;
    ++touching;
    EXPECT_NEAR(hit.time, axes->time, 1e-11);
    EXPECT_NEAR(hit.time, halving->time, 1e-9);
    ASSERT_TRUE(brent.has_value());
    const double closing = std::abs(hit.normal.dot(by));
    EXPECT_NEAR(hit.time, brent->time, 2e-9 + 3e-9 / closing);
  }
  EXPECT_GT(touching, cases(4000) / 4);
}

}  // namespace
}  // namespace whisker::test
