// The intersection of two triangles: its corners against integer arithmetic, and their accuracy.

#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/geometry/triangle_tests.hpp>

#include "geometry/triangle_cases.hpp"
#include "geometry/triangle_oracle.hpp"
#include "support/cases.hpp"

namespace whisker {
namespace {

using Kind = TriangleIntersection::Kind;
using test::PairFamily;
using test::Rational;
using test::RationalPoint;

const Triangle unit{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};

bool has_point(const TriangleIntersection& i, const Vector3& p) {
  return std::find(i.points.begin(), i.points.begin() + i.count, p) != i.points.begin() + i.count;
}

TEST(TriangleIntersection, ApartIsNone) {
  const TriangleIntersection i = intersect_triangle_triangle(unit, {{0, 0, 1}, {1, 0, 1}, {0, 1, 1}});
  EXPECT_EQ(i.kind, Kind::none);
  EXPECT_EQ(i.count, 0);
}

TEST(TriangleIntersection, CrossingIsASegmentWithItsTwoEnds) {
  const TriangleIntersection i = intersect_triangle_triangle(unit, {{0.25, 0.25, -1}, {0.25, 0.25, 1}, {-5, 0.25, 0}});
  ASSERT_EQ(i.kind, Kind::segment);
  EXPECT_TRUE(has_point(i, {0.25, 0.25, 0}));
  EXPECT_TRUE(has_point(i, {0, 0.25, 0}));
}

TEST(TriangleIntersection, ASharedCornerIsAPointBitForBit) {
  const Vector3 corner(0.1, 0.2, 0.3);
  const TriangleIntersection i =
      intersect_triangle_triangle({corner, {1, 0, 0}, {0, 1, 0}}, {{-1, 0, 1.7}, corner, {0, -1, 1.3}});
  ASSERT_EQ(i.kind, Kind::point);
  EXPECT_EQ(i.points[0], corner);
}

TEST(TriangleIntersection, ASharedEdgeIsASegmentBitForBit) {
  const Vector3 a(0.1, 0.2, 0.3), b(0.7, 0.6, 0.5);
  const TriangleIntersection i = intersect_triangle_triangle({a, b, {0, 1, 0}}, {b, {0, 0, 9}, a});
  ASSERT_EQ(i.kind, Kind::segment);
  EXPECT_TRUE(has_point(i, a));
  EXPECT_TRUE(has_point(i, b));
}

TEST(TriangleIntersection, AStarOfDavidIsAHexagonCounterClockwiseAboutTheFirstNormal) {
  const Triangle up{{0, 3, 0}, {3, -2, 0}, {-3, -2, 0}};  // clockwise seen from above: its normal is -z
  const Triangle down{{0, -3, 0}, {3, 2, 0}, {-3, 2, 0}};
  const TriangleIntersection i = intersect_triangle_triangle(up, down);
  ASSERT_EQ(i.kind, Kind::polygon);
  ASSERT_EQ(i.count, 6);
  for (std::size_t k = 0; k < 6; ++k) {
    const Vector3& p = i.points[k];
    const Vector3& q = i.points[(k + 1) % 6];
    const Vector3& r = i.points[(k + 2) % 6];
    EXPECT_LT((q - p).cross(r - q)[2], 0);
  }
}

TEST(TriangleIntersection, IdenticalTrianglesShareThemselves) {
  const TriangleIntersection i = intersect_triangle_triangle(unit, {unit.b, unit.a, unit.c});
  ASSERT_EQ(i.kind, Kind::polygon);
  EXPECT_EQ(i.count, 3);
}

TEST(TriangleIntersection, CoplanarNeighborsShareTheirEdgeOnly) {
  const TriangleIntersection i = intersect_triangle_triangle(unit, {{1, 0, 0}, {0, 1, 0}, {1, 1, 0}});
  ASSERT_EQ(i.kind, Kind::segment);
  EXPECT_TRUE(has_point(i, {1, 0, 0}));
  EXPECT_TRUE(has_point(i, {0, 1, 0}));
}

TEST(TriangleIntersection, NanAndInfinityGiveSomeAnswer) {
  auto random = test::seeded(205);
  const std::array<double, 5> bad = {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                                     -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::max(), 0};
  for (std::size_t n = 0; n < test::cases(20000); ++n) {
    test::TrianglePair pair = test::random_pair(random, PairFamily::coplanar_grid);
    for (Triangle* t : {&pair.first, &pair.second})
      for (Vector3* p : {&t->a, &t->b, &t->c})
        for (int k = 0; k < 3; ++k)
          if (test::whole(random, 0, 9) == 0) (*p)[k] = bad[static_cast<std::size_t>(test::whole(random, 0, 4))];
    const TriangleIntersection found = intersect_triangle_triangle(pair.first, pair.second);
    ASSERT_GE(found.count, 0);
    ASSERT_LE(found.count, 6);
    ASSERT_EQ(found.kind == Kind::none, found.count == 0);
  }
}

/// Whether the point is on the segment, exactly.
bool on_edge(const RationalPoint& x, const RationalPoint& p, const RationalPoint& q) {
  RationalPoint u, v;
  for (std::size_t k = 0; k < 3; ++k) {
    if (x[k] < std::min(p[k], q[k]) || x[k] > std::max(p[k], q[k])) return false;
    u[k] = x[k] - p[k];
    v[k] = q[k] - p[k];
  }
  return u[1] * v[2] == u[2] * v[1] && u[2] * v[0] == u[0] * v[2] && u[0] * v[1] == u[1] * v[0];
}

RationalPoint exactly(const Vector3& v) {
  return {Rational(v[0]), Rational(v[1]), Rational(v[2])};
}

/// What the header guarantees about one corner, and the measured error in units of 2^-53 · max(|p_k|, |q_k|).
struct CornerCheck {
  std::array<double, 3> scale = {0, 0, 0};  // the largest |coordinate| of the edges that the corner is on
  const Vector3* input = nullptr;           // the input corner that it equals, if any
  RationalPoint truth;

  CornerCheck(const RationalPoint& point, const Triangle& a, const Triangle& b) : truth(point) {
    for (const Triangle* t : {&a, &b}) {
      const std::array<const Vector3*, 3> c = {&t->a, &t->b, &t->c};
      for (std::size_t i = 0; i < 3; ++i) {
        const Vector3 &p = *c[i], &q = *c[(i + 1) % 3];
        if (exactly(p) == truth) input = &p;
        if (on_edge(truth, exactly(p), exactly(q)))
          for (int k = 0; k < 3; ++k)
            scale[static_cast<std::size_t>(k)] =
                std::max(scale[static_cast<std::size_t>(k)], std::max(std::abs(p[k]), std::abs(q[k])));
      }
    }
  }

  bool kept_by(const Vector3& point, double& worst) const {
    if (input != nullptr) return point == *input;
    for (std::size_t k = 0; k < 3; ++k) {
      const Rational error = abs(Rational(Rational(point[static_cast<int>(k)]) - truth[k]));
      if (error <= Rational(0x1p-1074)) continue;  // No double is closer, or only the next one.
      if (scale[k] == 0) return false;
      const Rational relative = error / Rational(scale[k]);
      const double units = relative.convert_to<double>() * 0x1p53;
      if (!(units <= 1.1)) return false;
      worst = std::max(worst, units);
    }
    return true;
  }
};

TEST(TriangleIntersection, AgreesWithIntegerArithmetic) {
  auto random = test::seeded(201);
  const std::size_t per_family = test::cases(1000);
  std::array<std::size_t, 7> corners{};
  double worst = 0;
  for (int family = 0; family < static_cast<int>(PairFamily::count); ++family) {
    for (std::size_t n = 0; n < per_family; ++n) {
      const test::TrianglePair pair = test::random_pair(random, static_cast<PairFamily>(family));
      const std::vector<RationalPoint> truth = test::oracle_intersection(pair.first, pair.second);
      const TriangleIntersection found = intersect_triangle_triangle(pair.first, pair.second);
      const std::string text = test::text_of(pair.first) + test::text_of(pair.second);
      const auto count = static_cast<std::size_t>(found.count);
      ASSERT_EQ(count, truth.size()) << "family " << family << " " << text;
      ASSERT_EQ(static_cast<std::size_t>(found.kind), std::min<std::size_t>(count, 3)) << text;
      ++corners[count];
      if (count == 0) continue;
      std::vector<CornerCheck> checks;
      for (const RationalPoint& point : truth)
        checks.emplace_back(point, pair.first, pair.second);
      // The oracle's corners have the same orientation as the first triangle's, so the two lists agree up to a
      // rotation. (Corners may be an ulp apart. Of the rotations that fit, the best one counts.)
      double best = std::numeric_limits<double>::infinity();
      for (std::size_t shift = 0; shift < count; ++shift) {
        double units = 0;
        bool agree = true;
        for (std::size_t i = 0; i < count && agree; ++i)
          agree = checks[(i + shift) % count].kept_by(found.points[i], units);
        if (agree) best = std::min(best, units);
      }
      ASSERT_LE(best, 1.1) << "family " << family << " " << text;
      worst = std::max(worst, best);
      ASSERT_EQ(intersect_triangle_triangle(pair.second, pair.first).count, found.count) << text;
    }
  }
  // Every number of corners occurs. (Six are for the next test. With too few cases, as under sanitizers, five may not
  // occur.)
  const std::size_t expected = per_family >= 500 ? 6 : 4;
  for (std::size_t count = 0; count < expected; ++count)
    EXPECT_GT(corners[count], per_family / 100) << count << " corners";
  std::printf("corners 0..6: %zu %zu %zu %zu %zu %zu %zu; worst error %.3f units of 2^-53 max(|p|, |q|)\n", corners[0],
              corners[1], corners[2], corners[3], corners[4], corners[5], corners[6], worst);
}

TEST(TriangleIntersection, CoplanarStarsAgreeWithIntegerArithmetic) {
  // Two triangles in one slanted plane, one pointing up and one down. The intersections of most pairs have six corners.
  auto random = test::seeded(204);
  const std::size_t total = test::cases(500);
  std::size_t hexagons = 0;
  for (std::size_t n = 0; n < total; ++n) {
    const Vector3 u = test::grid_vector(random, 5), v = test::grid_vector(random, 5);
    const auto at = [&](int x, int y) -> Vector3 {
      return (x + test::whole(random, -4, 4)) * u + (y + test::whole(random, -4, 4)) * v;
    };
    const Triangle up{at(0, 15), at(-15, -9), at(15, -9)}, down{at(0, -15), at(15, 9), at(-15, 9)};
    const std::vector<RationalPoint> truth = test::oracle_intersection(up, down);
    const TriangleIntersection found = intersect_triangle_triangle(up, down);
    const std::string text = test::text_of(up) + test::text_of(down);
    const auto count = static_cast<std::size_t>(found.count);
    ASSERT_EQ(count, truth.size()) << text;
    hexagons += count == 6 ? 1u : 0u;
    std::vector<CornerCheck> checks;
    for (const RationalPoint& point : truth)
      checks.emplace_back(point, up, down);
    bool any = false;
    for (std::size_t shift = 0; shift < count; ++shift) {
      bool agree = true;
      double units = 0;
      for (std::size_t i = 0; i < count && agree; ++i)
        agree = checks[(i + shift) % count].kept_by(found.points[i], units);
      any = any || agree;
    }
    ASSERT_TRUE(any) << text;
  }
  EXPECT_GT(hexagons, total / 2);
}

TEST(TriangleIntersection, AlmostParallelTrianglesKeepTheAccuracy) {
  // Two nearly coplanar triangles, rotated against each other by angles down to the rounding of the coordinates.
  auto random = test::seeded(202);
  const std::size_t count = test::cases(2000);
  double worst = 0;
  std::size_t segments = 0;
  for (std::size_t n = 0; n < count; ++n) {
    const Vector3 u = test::random_vector(random, 1), v = test::random_vector(random, 1),
                  o = test::random_vector(random, 1);
    const double tilt = std::ldexp(1, -test::whole(random, 10, 52));
    test::Corners a, b;
    for (Vector3& p : a)
      p = o + test::uniform(random, -1, 1) * u + test::uniform(random, -1, 1) * v;
    for (Vector3& p : b)
      p = o + test::uniform(random, -1, 1) * u + test::uniform(random, -1, 1) * v + test::random_vector(random, tilt);
    const Triangle first = test::triangle_of(a), second = test::triangle_of(b);
    const std::vector<RationalPoint> truth = test::oracle_intersection(first, second);
    const TriangleIntersection found = intersect_triangle_triangle(first, second);
    ASSERT_EQ(static_cast<std::size_t>(found.count), truth.size()) << test::text_of(first) << test::text_of(second);
    if (found.kind != Kind::segment) continue;
    ++segments;
    const CornerCheck begin(truth[0], first, second), end(truth[1], first, second);
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < 2; ++i) {
      double units = 0;
      if (begin.kept_by(found.points[i], units) && end.kept_by(found.points[1 - i], units))
        best = std::min(best, units);
    }
    ASSERT_LE(best, 1.1) << test::text_of(first) << test::text_of(second);
    worst = std::max(worst, best);
  }
  EXPECT_GT(segments, count / 10);
  std::printf("%zu segments; worst error %.3f units of 2^-53 max(|p|, |q|)\n", segments, worst);
}

TEST(TriangleIntersection, TheWholeRangeOfDoublesKeepsTheAccuracy) {
  auto random = test::seeded(203);
  const std::size_t count = test::cases(300);
  std::size_t segments = 0;
  for (std::size_t n = 0; n < count; ++n) {
    const double scale = std::ldexp(1, test::whole(random, 0, 1) == 0 ? -950 : 950);
    test::TrianglePair pair;
    for (Triangle* t : {&pair.first, &pair.second})
      for (Vector3* p : {&t->a, &t->b, &t->c})
        *p = test::random_vector(random, scale);
    const std::vector<RationalPoint> truth = test::oracle_intersection(pair.first, pair.second);
    const TriangleIntersection found = intersect_triangle_triangle(pair.first, pair.second);
    const std::string text = test::text_of(pair.first) + test::text_of(pair.second);
    ASSERT_EQ(static_cast<std::size_t>(found.count), truth.size()) << text;
    double worst = 0;
    for (const RationalPoint& point : truth) {
      const CornerCheck check(point, pair.first, pair.second);
      bool kept = false;
      for (std::size_t i = 0; i < truth.size(); ++i)
        kept = kept || check.kept_by(found.points[i], worst);
      ASSERT_TRUE(kept) << text;
    }
    segments += truth.size() == 2 ? 1u : 0u;
  }
  EXPECT_GT(segments, count / 20);
}

}  // namespace
}  // namespace whisker
