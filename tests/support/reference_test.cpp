// Tests the reference that the queries are tested against: on cases with a known answer, by certificates that prove an
// answer independently of the method that found it, and against second methods that share nothing with the first.

#include "support/reference.hpp"

#include <cmath>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "support/random_shapes.hpp"

namespace whisker::test {
namespace {

Pose at(double x, double y, double z) {
  return Pose(Vector3(x, y, z));
}

Truth truth(const SimpleShape& a, const Pose& pose_a, const SimpleShape& b, const Pose& pose_b) {
  return truth_about(a, pose_a, b, pose_b);
}

void expect_distance(const Truth& truth, const Real& distance) {
  EXPECT_LE(abs(truth.distance - distance), Real("1e-90")) << truth.distance;
  EXPECT_EQ(truth.depth, 0);
  EXPECT_FALSE(truth.inseparable);
  EXPECT_EQ(truth.touching, distance == 0);
}

void expect_depth(const Truth& truth, const Real& depth) {
  EXPECT_LE(abs(truth.depth - depth), Real("1e-90")) << truth.depth;
  EXPECT_EQ(truth.distance, 0);
  EXPECT_FALSE(truth.inseparable);
  EXPECT_TRUE(truth.touching);
}

TEST(Reference, BallsAreTheirCentersDistanceLessTheRadiiApart) {
  expect_distance(truth(Sphere{1}, {}, Sphere{0.5}, at(3, 4, 0)), 3.5);
  expect_distance(truth(Sphere{1}, {}, Sphere{4}, at(3, 4, 0)), 0);
  expect_depth(truth(Sphere{3}, {}, Sphere{4}, at(3, 4, 0)), 2);
  expect_depth(truth(Sphere{3}, {}, Sphere{4}, {}), 7);
}

TEST(Reference, FeaturesOfABoxGiveTheirOwnDistances) {
  const Box box{Vector3(2, 4, 6)};
  expect_distance(truth(box, {}, Sphere{0.25}, at(4, 0, 0)), 2.75);                                     // face
  expect_distance(truth(box, {}, Sphere{0}, at(2, 3, 0)), sqrt(Real(2)));                               // edge
  expect_distance(truth(box, {}, Sphere{0}, at(2, 3, 4)), sqrt(Real(3)));                               // corner
  expect_distance(truth(box, {}, Segment{Vector3(3, 1, 0), Vector3(1, 3, 0)}, {}), sqrt(Real(2)) / 2);  // edge and edge
  expect_depth(truth(box, {}, Sphere{0}, at(0.5, 0, 0)), 0.5);
  expect_depth(truth(box, {}, Sphere{1}, at(0, 1.75, 0)), 1.25);
}

TEST(Reference, BoxesOverlapByTheirSmallestWayOut) {
  const Box box{Vector3(2, 2, 2)};
  expect_depth(truth(box, {}, box, at(1.5, 1.25, 1)), 0.5);
  expect_depth(truth(box, {}, box, {}), 2);
  expect_distance(truth(box, {}, box, at(2, 0, 0)), 0);
  expect_distance(truth(box, {}, box, at(2, 2, 2)), 0);
  expect_distance(truth(box, {}, box, at(3, 3, 3)), sqrt(Real(3)));
}

TEST(Reference, AFlatBoxIsARectangle) {
  const Box flat{Vector3(2, 2, 0)};
  expect_depth(truth(flat, {}, Box{Vector3(2, 2, 2)}, at(0, 0, 0.75)), 0.25);
  expect_distance(truth(flat, {}, flat, at(1, 1, 0)), 0);  // coplanar: they share points, but the overlap has no volume
  expect_distance(truth(flat, {}, flat, at(1, 1, 0.5)), 0.5);
}

TEST(Reference, CrossingSegmentsHaveNoDepthButACrossingSegmentAndTriangleDo) {
  const Segment along_x{Vector3(-1, 0, 0), Vector3(1, 0, 0)}, along_y{Vector3(0, -1, 0), Vector3(0, 1, 0)};
  expect_distance(truth(along_x, {}, along_y, {}), 0);
  const Triangle triangle{Vector3(0, -3, -3), Vector3(0, 3, -3), Vector3(0, 0, 3)};
  expect_depth(truth(along_x, at(0.75, 0, 0), triangle, {}), 0.25);
  expect_distance(truth(along_x, at(1, 0, 0), triangle, {}), 0);
  const Triangle crossing{Vector3(-3, -3, 0), Vector3(-3, 3, 0), Vector3(0.5, 0, 0)};
  expect_depth(truth(triangle, {}, crossing, {}), 0.5);
}

TEST(Reference, CapsulesAreSegmentsWithARadius) {
  const Capsule capsule{0.5, 2};
  expect_distance(truth(capsule, {}, capsule, at(2, 0, 1)), 1);
  expect_distance(truth(capsule, {}, capsule, at(0, 0, 4)), 1);
  expect_depth(truth(capsule, {}, capsule, at(0.75, 0, 0)), 0.25);
  expect_depth(truth(capsule, {}, capsule, at(0, 0, 2.5)), 0.5);
  expect_depth(truth(capsule, {}, Box{Vector3(2, 2, 2)}, at(0, 0, 2.25)), 0.25);
}

TEST(Reference, PlanesHaveTheirOwnRules) {
  const HalfSpace floor{Vector3(0, 0, 2), 0}, ceiling{Vector3(0, 0, -3), -3};  // z <= 0, z >= 1
  const Plane plane{Vector3(0, 0, 4), 2};                                      // z == 1/2
  expect_distance(truth(floor, {}, ceiling, {}), 1);
  expect_distance(truth(floor, at(7, 8, 1), ceiling, {}), 0);
  expect_depth(truth(floor, at(7, 8, 3), ceiling, {}), 2);
  expect_distance(truth(floor, {}, plane, {}), 0.5);
  expect_distance(truth(plane, {}, ceiling, {}), 0.5);
  expect_depth(truth(plane, at(0, 0, 1), ceiling, {}), 0.5);
  expect_depth(truth(floor, {}, plane, at(0, 0, -1)), 0.5);
  expect_distance(truth(plane, {}, plane, at(3, 4, 5)), 5);
  expect_distance(truth(plane, {}, plane, at(3, 4, 0)), 0);
  const Plane tilted{Vector3(0, 1e-300, 1), 0};
  for (const SimpleShape& other : {SimpleShape(floor), SimpleShape(ceiling), SimpleShape(plane)}) {
    EXPECT_TRUE(truth(tilted, {}, other, at(0, 0, 9)).inseparable);
  }
  EXPECT_TRUE(truth(floor, {}, floor, at(0, 0, 9)).inseparable);
  expect_depth(truth(floor, {}, Box{Vector3(2, 2, 2)}, {}), 1);
  expect_distance(truth(floor, {}, Box{Vector3(2, 2, 2)}, at(0, 0, 1)), 0);
  expect_depth(truth(plane, {}, Sphere{1}, at(0, 0, 1)), 0.5);
  expect_depth(truth(Sphere{1}, at(0, 0, 0), plane, {}), 0.5);
  expect_distance(truth(Sphere{1}, at(0, 0, -2), plane, {}), 1.5);
}

TEST(Reference, ContactIsDecidedToTheLastBit) {
  const double next = std::nextafter(5.0, 6.0);
  EXPECT_TRUE(truth(Sphere{2}, {}, Sphere{3}, at(3, 4, 0)).touching);
  EXPECT_FALSE(truth(Sphere{2}, {}, Sphere{3}, at(next, 0, 0)).touching);
  EXPECT_FALSE(truth(Sphere{2}, {}, Sphere{3}, at(3, 4, 1e-300)).touching);
  EXPECT_TRUE(truth(HalfSpace{Vector3(3, 4, 0), 0}, {}, Sphere{5}, at(3, 4, 0)).touching);
  EXPECT_FALSE(truth(HalfSpace{Vector3(3, 4, 1e-300), 0}, at(1, 1, 0), Sphere{0}, at(1, 1, 1e-300)).touching);
}

// ---- certificates

Vec<Real> random_direction(std::mt19937_64& random) {
  return exactly<Real>(scenes::unit_vector(random));
}

/// p is in the polytope only if no direction separates them.
void expect_not_outside(std::mt19937_64& random, const Polytope<Real>& polytope, const Vec<Real>& p) {
  for (int i = 0; i < 20; ++i) {
    const Vec<Real> n = random_direction(random);
    const auto [low, high] = range_along(polytope, n);
    const Real slack = Real("1e-90") * (reference::largest_coordinate_of(polytope) + 1);
    EXPECT_GE(dot(p, n), low - slack);
    EXPECT_LE(dot(p, n), high + slack);
  }
}

constexpr std::array<std::size_t, 5> bounded_kinds = {0, 1, 2, 5, 6};

template <class Check>
void for_bounded_scenes(std::uint64_t stream, std::size_t per_pair, const Check& check) {
  std::mt19937_64 random = seeded(stream);
  for (const std::size_t kind_a : bounded_kinds) {
    for (const std::size_t kind_b : bounded_kinds) {
      for (std::size_t i = 0; i < per_pair; ++i) {
        const auto family = static_cast<Family>(i % family_count);
        if (family == Family::scaled) continue;
        const Scene scene = make_scene(random, kind_a, kind_b, family);
        check(random, scene, place_set<Real>(scene.a, scene.pose_a), place_set<Real>(scene.b, scene.pose_b));
        if (testing::Test::HasFailure()) FAIL() << describe(scene);
      }
    }
  }
}

TEST(Reference, ASlabBetweenTheClosestPointsProvesTheDistance) {
  std::size_t proven = 0;
  const auto check = [&proven](std::mt19937_64& random, const Scene&, const auto& a, const auto& b) {
    const ClosestPoints<Real> closest = closest_points(a.core, b.core);
    expect_not_outside(random, a.core, closest.point_a);
    expect_not_outside(random, b.core, closest.point_b);
    const Real distance = sqrt(closest.squared_distance);
    if (distance < Real("1e-30")) return;
    const Vec<Real> normal = (1 / distance) * (closest.point_b - closest.point_a);
    const Real width = range_along(b.core, normal).first - range_along(a.core, normal).second;
    EXPECT_LE(abs(width - distance), Real("1e-60") * (distance + 1));
    ++proven;
  };
  for_bounded_scenes(301, cases(66), check);
  EXPECT_GT(proven, cases(66) * 25 / 3);
}

TEST(Reference, NoDirectionLeadsOutSoonerThanTheDepth) {
  const auto check = [](std::mt19937_64& random, const Scene& scene, const auto& a, const auto& b) {
    const Truth truth = truth_about(scene.a, scene.pose_a, scene.b, scene.pose_b);
    if (truth.depth == 0) return;
    for (int i = 0; i < 40; ++i) {
      const Vec<Real> n = random_direction(random);
      const Real way = (range_along(a.core, n).second - range_along(b.core, n).first) / length(n) + a.radius + b.radius;
      EXPECT_GE(way, truth.depth);
    }
  };
  for_bounded_scenes(302, cases(40), check);
}

TEST(Reference, MovingByTheEscapeLeavesTheTwoJustTouching) {
  std::size_t tried = 0;
  const auto check = [&tried](std::mt19937_64&, const Scene&, const auto& a, const auto& b) {
    if (closest_points(a.core, b.core).squared_distance != 0) return;
    const Escape<Real> way = escape(a.core, b.core);
    if (way.depth == 0) return;
    auto moved = b;
    const Real slack = Real("1e-60") * (reference::largest_coordinate_of(a.core) + 1);
    moved.translate((way.depth - slack) * way.direction);
    EXPECT_LE(sqrt(closest_points(a.core, moved.core).squared_distance), slack);
    moved.translate((2 * slack) * way.direction);
    EXPECT_GE(sqrt(closest_points(a.core, moved.core).squared_distance), slack / 2);
    ++tried;
  };
  for_bounded_scenes(303, cases(40), check);
  EXPECT_GT(tried, cases(40));
}

// ---- second methods

/// The distance from the origin to the boundary of the hull of all vertex differences, by trying every plane through
/// three of them that has all others on one side. In plain doubles, for shapes of size one.
std::optional<double> depth_by_hull_of_differences(const Polytope<double>& a, const Polytope<double>& b) {
  std::vector<Vec<double>> points;
  for (const auto& va : a.vertices) {
    for (const auto& vb : b.vertices)
      points.push_back(va - vb);
  }
  std::optional<double> best;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      for (std::size_t k = j + 1; k < points.size(); ++k) {
        Vec<double> n = cross(points[j] - points[i], points[k] - points[i]);
        const double area = length(n);
        if (area < 1e-6) continue;
        n = (1 / area) * n;
        const double here = dot(n, points[i]);
        bool above = false, below = false;
        for (const auto& p : points) {
          const double side = dot(n, p) - here;
          above = above || side > 1e-9;
          below = below || side < -1e-9;
          if (above && below) break;
        }
        if (above && below) continue;
        if (!best || std::abs(here) < *best) best = std::abs(here);
      }
    }
  }
  return best;
}

TEST(Reference, DepthAgreesWithTheHullOfAllVertexDifferences) {
  std::mt19937_64 random = seeded(304);
  constexpr std::array<std::array<std::size_t, 2>, 7> pairs = {
      {{2, 2}, {2, 6}, {2, 5}, {6, 6}, {6, 5}, {2, 1}, {2, 0}}};
  std::size_t compared = 0;
  for (const auto& [kind_a, kind_b] : pairs) {
    for (std::size_t i = 0; i < cases(kind_a == kind_b && kind_a == 2 ? 40 : 120); ++i) {
      constexpr std::array<Family, 3> families = {Family::random, Family::deep, Family::aligned};
      const Scene scene = make_scene(random, kind_a, kind_b, families[i % 3]);
      const auto a = place_set<double>(scene.a, scene.pose_a), b = place_set<double>(scene.b, scene.pose_b);
      if (closest_points(a.core, b.core).squared_distance != 0) continue;
      const std::optional<double> expected = depth_by_hull_of_differences(a.core, b.core);
      if (!expected) continue;
      const Polytope<Real> core_a = place_set<Real>(scene.a, scene.pose_a).core;
      const Polytope<Real> core_b = place_set<Real>(scene.b, scene.pose_b).core;
      EXPECT_NEAR(escape(core_a, core_b).depth.convert_to<double>(), *expected, 1e-8) << describe(scene);
      ++compared;
    }
  }
  EXPECT_GT(compared, cases(150));
}

/// Whether the origin is a convex combination of the points, in rationals. By Carathéodory's theorem it then is a
/// convex combination of at most four affinely independent points, so all small subsets are tried.
bool hull_holds_origin(const std::vector<Vec<Rational>>& points) {
  const auto sign = [](const Rational& x) { return x < 0 ? -1 : (x > 0 ? 1 : 0); };
  const auto on_segment = [&](const Vec<Rational>& p, const Vec<Rational>& q) {
    return cross(p, q).is_zero() && sign(dot(p, q)) <= 0;
  };
  const auto volume = [](const Vec<Rational>& p, const Vec<Rational>& q, const Vec<Rational>& r) {
    return dot(p, cross(q, r));
  };
  const std::size_t n = points.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i; j < n; ++j) {
      if (on_segment(points[i], points[j])) return true;
      for (std::size_t k = j + 1; k < n; ++k) {
        const Vec<Rational> normal = cross(points[j] - points[i], points[k] - points[i]);
        if (normal.is_zero()) continue;
        if (dot(normal, points[i]) == 0) {  // in the triangle's plane: tests the inner side of all three edges
          const int ij = sign(dot(normal, cross(points[i], points[j])));
          const int jk = sign(dot(normal, cross(points[j], points[k])));
          const int ki = sign(dot(normal, cross(points[k], points[i])));
          if (ij >= 0 && jk >= 0 && ki >= 0) return true;
          continue;
        }
        for (std::size_t l = k + 1; l < n; ++l) {
          const int whole = sign(dot(normal, points[l] - points[i]));
          if (whole == 0) continue;
          const int d0 = sign(volume(points[i], points[j], points[k]));  // the sides of the origin for the four faces
          const int d1 = sign(volume(points[i], points[l], points[j]));
          const int d2 = sign(volume(points[j], points[l], points[k]));
          const int d3 = sign(volume(points[i], points[k], points[l]));
          if (d0 * whole <= 0 && d1 * whole <= 0 && d2 * whole <= 0 && d3 * whole <= 0) return true;
        }
      }
    }
  }
  return false;
}

TEST(Reference, ContactAgreesWithTheHullOfDifferencesInRationals) {
  std::mt19937_64 random = seeded(305);
  std::size_t touching = 0, apart = 0;
  for (const std::size_t kind_a : {std::size_t{5}, std::size_t{6}}) {
    for (const std::size_t kind_b : {std::size_t{5}, std::size_t{6}}) {
      for (std::size_t i = 0; i < cases(160); ++i) {
        constexpr std::array<Family, 5> families = {Family::aligned, Family::degenerate, Family::near, Family::parallel,
                                                    Family::deep};
        const Scene scene = make_scene(random, kind_a, kind_b, families[i % 5]);
        const auto a = place_set<Rational>(scene.a, scene.pose_a), b = place_set<Rational>(scene.b, scene.pose_b);
        std::vector<Vec<Rational>> differences;
        for (const auto& va : a.core.vertices) {
          for (const auto& vb : b.core.vertices)
            differences.push_back(va - vb);
        }
        const bool expected = hull_holds_origin(differences);
        EXPECT_EQ(share_a_point(a, b), expected) << describe(scene);
        EXPECT_EQ(truth_about(scene.a, scene.pose_a, scene.b, scene.pose_b).touching, expected) << describe(scene);
        ++(expected ? touching : apart);
      }
    }
  }
  EXPECT_GT(touching, cases(100));
  EXPECT_GT(apart, cases(100));
}

TEST(Reference, OrderDoesNotMatter) {
  std::mt19937_64 random = seeded(306);
  for (std::size_t kind_a = 0; kind_a < simple_shape_count; ++kind_a) {
    for (std::size_t kind_b = 0; kind_b < simple_shape_count; ++kind_b) {
      for (std::size_t i = 0; i < cases(11); ++i) {
        const Scene scene = make_scene(random, kind_a, kind_b, static_cast<Family>(i % family_count));
        const Truth there = truth_about(scene.a, scene.pose_a, scene.b, scene.pose_b);
        const Truth back = truth_about(scene.b, scene.pose_b, scene.a, scene.pose_a);
        EXPECT_EQ(there.touching, back.touching) << describe(scene);
        EXPECT_EQ(there.inseparable, back.inseparable) << describe(scene);
        EXPECT_LE(abs(there.distance - back.distance), there.uncertainty) << describe(scene);
        EXPECT_LE(abs(there.depth - back.depth), there.uncertainty) << describe(scene);
      }
    }
  }
}

// ---- the generator

TEST(RandomShapes, EveryFamilyOfEveryPairHasBothTouchingAndApartSomewhereAndValidPoses) {
  std::mt19937_64 random = seeded(307);
  std::size_t last_bits = 0;
  for (std::size_t kind_a = 0; kind_a < simple_shape_count; ++kind_a) {
    for (std::size_t kind_b = kind_a; kind_b < simple_shape_count; ++kind_b) {
      std::size_t touching = 0, apart = 0;
      for (std::size_t i = 0; i < cases(66); ++i) {
        const Scene scene = make_scene(random, kind_a, kind_b, static_cast<Family>(i % family_count));
        EXPECT_EQ(scene.a.index(), kind_a);
        EXPECT_EQ(scene.b.index(), kind_b);
        const Gap<Real> between = gap(place_set<Real>(scene.a, scene.pose_a), place_set<Real>(scene.b, scene.pose_b));
        ++(between.inseparable || between.value <= 0 ? touching : apart);
        if (!between.inseparable && scene.family == Family::near && abs(between.value) < 1e-14) ++last_bits;
      }
      EXPECT_GE(touching, cases(66) / 20) << simple_shape_name(kind_a) << " " << simple_shape_name(kind_b);
      EXPECT_GE(apart, cases(66) / 20) << simple_shape_name(kind_a) << " " << simple_shape_name(kind_b);
    }
  }
  EXPECT_GE(last_bits, cases(28) / 2);
}

}  // namespace
}  // namespace whisker::test
