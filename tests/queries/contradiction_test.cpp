// User-defined support functions that are not those of a convex shape: if a query detects this, it throws an Error.
// Bounds are never inverted.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/contact_manifold.hpp>
#include <whisker/error.hpp>
#include <whisker/first_contact.hpp>
#include <whisker/make/make.hpp>
#include <whisker/queries.hpp>

#include "support/cases.hpp"
#include "support/random_vectors.hpp"

namespace whisker {
namespace {

using test::cases;
using test::seeded;
using test::turned_pose;
using test::uniform;

/// The point of a bumpy star in the given direction, which is not the farthest point along it.
CustomConvex star(double bumps) {
  return CustomConvex([=](const Vector3& direction) {
    const Vector3 d = direction.stableNormalized();
    const double turn = std::atan2(d[1], d[0]);
    return Vector3(d * (1 + bumps * std::sin(5 * turn) * std::cos(3 * std::asin(std::clamp(d[2], -1.0, 1.0)))));
  });
}

/// The *nearest* corner of a box: the wrong end along each direction, except along the axes, which are checked at
/// construction.
CustomConvex backward() {
  return CustomConvex([](const Vector3& d) {
    Vector3 corner;
    const bool is_axis = (d.array() != 0).count() == 1;
    for (int i = 0; i < 3; ++i)
      corner[i] = std::copysign(0.5, is_axis ? d[i] : -d[i]);
    return corner;
  });
}

/// In truth a ball, with undeclared rounding.
CustomConvex sloppy_ball() {
  return CustomConvex([](const Vector3& d) {
    const Vector3 unit = d.stableNormalized();
    return Vector3(unit * (1 + 1e-13 * std::sin(1e9 * unit[0] + 3e8 * unit[1])));
  });
}

struct QuestionTally {
  std::size_t asked = 0;
  std::size_t noticed = 0;
};

/// Runs a query and counts the Errors, which must have the right message. Every returned result has consistent bounds.
template <class Ask>
void look(QuestionTally& tally, const Ask& ask) {
  ++tally.asked;
  try {
    ask();
  } catch (const Error& error) {
    ++tally.noticed;
    EXPECT_NE(std::string(error.what()).find("contradicts itself"), std::string::npos) << error.what();
  }
}

std::vector<Shape> others(const Shape& one_more) {
  return {one_more,
          Sphere{0.7},
          Box{Vector3(1, 1.5, 0.8)},
          Capsule{0.3, 1},
          Cylinder{0.6, 1},
          Ellipsoid{Vector3(0.5, 0.8, 0.4)},
          ConvexHull(make::icosphere({.subdivisions = 1}).vertices),
          Triangle{{0, 0, 0}, {1, 0.2, 0}, {0, 1, 0.4}},
          Mesh(make::box()).solid()};
}

struct Tallies {
  QuestionTally touches, distance, depth, first_contact, during, patch;
};

Tallies ask_all(const Shape& custom, std::uint64_t stream, std::size_t count) {
  auto random = seeded(stream);
  Tallies tallies;
  const std::vector<Shape> shapes = others(star(0.2));
  for (std::size_t i = 0; i < count; ++i) {
    const Shape& other = shapes[i % shapes.size()];
    const bool is_first = random() % 2 == 0;
    const Shape &a = is_first ? custom : other, &b = is_first ? other : custom;
    const Pose pose_a = turned_pose(random, 1), pose_b = turned_pose(random, 2);
    look(tallies.touches, [&] { touches({a, pose_a}, {b, pose_b}); });
    look(tallies.distance, [&] {
      const Distance found = distance({a, pose_a}, {b, pose_b});
      EXPECT_LE(found.lower, found.upper);
    });
    look(tallies.depth, [&] {
      const Depth found = depth({a, pose_a}, {b, pose_b});
      EXPECT_LE(found.lower, found.upper);
    });
    const Vector3 by(uniform(random, -9, 9), uniform(random, -9, 9), uniform(random, -9, 9));
    look(tallies.first_contact, [&] {
      const MotionImpact found = first_contact({a, Still{pose_a}}, {b, Straight{pose_b, by}});
      EXPECT_LE(found.time_lower, found.time_upper);
    });
    look(tallies.during, [&] { touches_during({a, Still{pose_a}}, {b, Straight{pose_b, by}}); });
    if (other.kind() == ShapeKind::mesh) continue;
    look(tallies.patch, [&] {
      const ContactManifold found = contact_manifold({a, pose_a}, {b, pose_b}, {.margin = 0.1});
      EXPECT_LE(found.lower, found.upper);
    });
  }
  return tallies;
}

TEST(Contradiction, IsNoticedByEveryQuestion) {
  const std::size_t count = cases(2000);
  Tallies all;
  for (const Shape& custom : {Shape(star(0.3)), Shape(star(0.05)), Shape(backward())}) {
    const Tallies found = ask_all(custom, 91, count);
    // Queries that measure to the end detect it most often; queries that only need to know that the shapes are apart
    // rarely do.
    EXPECT_GT(found.distance.noticed, count / 20);
    EXPECT_GT(found.first_contact.noticed, count / 20);
    for (auto& [sum, tally] : {std::pair(&all.touches, found.touches), std::pair(&all.depth, found.depth),
                               std::pair(&all.during, found.during), std::pair(&all.patch, found.patch)})
      sum->noticed += tally.noticed;
  }
  EXPECT_GT(all.touches.noticed, 0u);
  EXPECT_GT(all.depth.noticed, count / 20);
  EXPECT_GT(all.during.noticed, count / 20);
  EXPECT_GT(all.patch.noticed, count / 20);
}

TEST(Contradiction, IsNotSeenWhereThereIsNone) {
  const std::size_t count = cases(800);
  for (const Shape& custom : {Shape(star(0)), Shape(sloppy_ball())}) {
    auto random = seeded(92);
    const std::vector<Shape> shapes = others(sloppy_ball());
    for (std::size_t i = 0; i < count; ++i) {
      const Shape& other = shapes[i % shapes.size()];
      Pose pose_a = turned_pose(random, 1), pose_b = turned_pose(random, 2);
      // Often just about in contact, where the bounds are closest together.
      if (i % 2 == 0) {
        const Distance apart = distance({custom, pose_a}, {other, pose_b});
        pose_b.set_translation(pose_b.translation() - apart.normal * apart.value());
      }
      EXPECT_NO_THROW(touches({custom, pose_a}, {other, pose_b})) << name(other.kind());
      EXPECT_NO_THROW(EXPECT_LE(distance({custom, pose_a}, {other, pose_b}).lower,
                                distance({custom, pose_a}, {other, pose_b}).upper));
      EXPECT_NO_THROW(depth({custom, pose_a}, {other, pose_b}));
      const Vector3 by(uniform(random, -9, 9), uniform(random, -9, 9), uniform(random, -9, 9));
      EXPECT_NO_THROW(first_contact({custom, Still{pose_a}}, {other, Straight{pose_b, by}}));
      EXPECT_NO_THROW(touches_during({custom, Still{pose_a}}, {other, Straight{pose_b, by}}));
    }
  }
}

}  // namespace
}  // namespace whisker
