// GJK's second search direction lies between the start direction and the first support. It saves supports and changes
// no answer.

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/convex_hull.hpp>
#include <whisker/queries.hpp>

#include "convex/gjk.hpp"
#include "support/cases.hpp"

namespace whisker::convex {
namespace {

using test::cases;
using test::seeded;
using test::uniform;

constexpr auto root = [](double value) { return std::sqrt(value); };

SecondLook look_after(const Vec3& v, const Vec3& w) {
  return second_direction(v, dot(v, v), w, dot(v, w), dot(w, w), root);
}

double cosine(const Vec3& a, const Vec3& b) {
  return dot(a, b) / (norm(a) * norm(b));
}

TEST(SecondLook, GoesAlongTheFirstSupportWhereTheStartBoundsNearlyAsMuch) {
  const Vec3 v = {2, 0, 0}, w = {1, 0.3, 0};
  const SecondLook look = look_after(v, w);
  EXPECT_FALSE(look.is_between);
  EXPECT_EQ(look.along.x, w.x);
  EXPECT_EQ(look.along.y, w.y);
  EXPECT_EQ(look.along.z, w.z);
}

TEST(SecondLook, GoesBetweenElsewhereWhateverTheLengths) {
  std::mt19937_64 random = seeded(1);
  for (std::uint64_t i = 0; i < cases(1000); ++i) {
    const auto vector = [&] {
      return Vec3{uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1)} *
             std::exp2(uniform(random, -80, 80));
    };
    const Vec3 v = vector(), w = vector();
    const SecondLook look = look_after(v, w);
    EXPECT_EQ(look.is_between, !(cosine(v, w) >= SecondLook::enough));
    if (!look.is_between) continue;
    // In the plane of v and w, and closer to each than they are to each other; three fifths of the way to v if the
    // angle is small.
    EXPECT_GE(cosine(look.along, v), cosine(v, w));
    EXPECT_GE(cosine(look.along, w), cosine(v, w));
    const Vec3 n = cross(v * (1 / norm(v)), w * (1 / norm(w)));
    EXPECT_LE(std::abs(dot(look.along, n)), 1e-14 * norm(look.along));
    EXPECT_GE(norm(look.along), 0.49 * norm(w));
    EXPECT_LE(norm(look.along), 2.51 * norm(w));
  }
}

TEST(SecondLook, BoundsWhatIsSmallBesideARadius) {
  // The frame of such a pair is as large as the radius, whereas the search is about lengths close to the smallest that
  // doubles can represent in it.
  std::mt19937_64 random = seeded(3);
  for (const double size : {1e-60, 1e-75, 1e-85, 1e-95, 1e-105, 1e-120}) {
    std::vector<Vector3> corners;
    for (int k = 0; k < 8; ++k)
      corners.push_back(size * Vector3((k & 1) != 0 ? 1 : -1, (k & 2) != 0 ? 1 : -1, (k & 4) != 0 ? 1 : -1));
    const Shape cube = ConvexHull(corners);
    for (const Shape& round : {Shape(Sphere{1}), Shape(Capsule{1, size})}) {
      for (std::uint64_t i = 0; i < cases(50); ++i) {
        const Vector3 axis(uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, 0.1, 1));
        const Pose pose{Eigen::AngleAxisd(uniform(random, 0, 6), axis.normalized()).toRotationMatrix(),
                        3 * size * Vector3(uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1))};
        ASSERT_TRUE(touches({round, {}}, {cube, pose})) << size << ", case " << i;
        ASSERT_EQ(distance({round, {}}, {cube, pose}).upper, 0) << size << ", case " << i;
        ASSERT_GT(depth({round, {}}, {cube, pose}).lower, 0.99) << size << ", case " << i;
      }
    }
  }
}

/// A cloud of points and another one translated by `t`: cores without a radius.
struct Clouds {
  std::vector<Vec3> a;
  std::vector<Vec3> b;
  Vec3 t;

  static std::uint32_t farthest(const std::vector<Vec3>& points, const Vec3& d) {
    std::uint32_t best = 0;
    for (std::uint32_t i = 1; i < points.size(); ++i)
      if (dot(points[i], d) > dot(points[best], d)) best = i;
    return best;
  }
  SupportPoint<Vec3> support(const Vec3& v) const {
    const std::uint32_t i = farthest(a, -v), k = farthest(b, v);
    return {a[i], b[k] + t, i, k};
  }
};

/// GJK as first described: every search direction is the nearest point found so far.
double plain_gjk(const Clouds& clouds, int& supports) {
  Simplex<Vec3> simplex, next;
  Vec3 v = Vec3{0, 0, 0} - clouds.t;
  std::vector<std::uint64_t> known;
  while (true) {
    const SupportPoint<Vec3> found = clouds.support(v);
    ++supports;
    const Vec3 w = found.a - found.b;
    const std::uint64_t name = std::uint64_t{found.vertex_a} << 32 | found.vertex_b;
    for (int i = 0; i < simplex.count; ++i)
      if (known[simplex.slot[static_cast<std::size_t>(i)]] == name) return norm(v);
    if (simplex.count > 0 && !(dot(v, v) - dot(v, w) > 0x1p-51 * dot(v, v))) return norm(v);
    const auto at = static_cast<std::size_t>(simplex.count);
    simplex.w[at] = w;
    simplex.slot[at] = static_cast<std::uint8_t>(known.size());
    ++simplex.count;
    known.push_back(name);
    bool inside = false;
    const Vec3 nearer = reduce(simplex, inside, next);
    if (inside) return 0;
    if (simplex.count > 1 && !(dot(nearer, nearer) < dot(v, v))) return norm(v);
    simplex = next;
    v = nearer;
  }
}

double gjk_loop(const Clouds& clouds, int& supports) {
  GjkLoop<Vec3> loop(Vec3{0, 0, 0} - clouds.t, 1e-14, {});
  while (loop.add(clouds.support(loop.v()))) {
  }
  supports += loop.supports();
  if (loop.end() == GjkEnd::inside || loop.end() == GjkEnd::zero) return 0;
  Vec3 a, b;
  loop.witnesses(a, b);
  return norm(a - b);
}

TEST(SecondLook, SavesSupportsAndChangesNoDistance) {
  struct Kind {
    std::size_t points;
    Vec3 radii;
    double saves;  // minimum savings, as a fraction of all supports
  };
  for (const Kind& kind : {Kind{8, {1, 0.8, 0.6}, 0.02}, Kind{32, {1, 0.8, 0.6}, 0.07}, Kind{256, {1, 0.8, 0.6}, 0.07},
                           Kind{32, {1, 1, 0.1}, 0.05}, Kind{32, {1, 0.1, 0.1}, 0.0}}) {
    std::mt19937_64 random = seeded(2);
    std::normal_distribution<double> normal;
    const auto direction = [&] {
      const Vec3 d = {normal(random), normal(random), normal(random)};
      return d * (1 / norm(d));
    };
    const auto cloud = [&] {
      // A rotated ellipsoid.
      const Vec3 x = direction();
      Vec3 y = direction();
      y = y - x * dot(x, y);
      y = y * (1 / norm(y));
      const Vec3 z = cross(x, y);
      std::vector<Vec3> points;
      for (std::size_t i = 0; i < kind.points; ++i) {
        const Vec3 d = direction();
        points.push_back(x * (d.x * kind.radii.x) + y * (d.y * kind.radii.y) + z * (d.z * kind.radii.z));
      }
      return points;
    };
    int plain = 0, saving = 0;
    for (std::uint64_t i = 0; i < cases(1500); ++i) {
      const Clouds clouds = {cloud(), cloud(), direction() * uniform(random, 1.2, 3.2)};
      const double expected = plain_gjk(clouds, plain), found = gjk_loop(clouds, saving);
      ASSERT_NEAR(found, expected, 1e-13) << kind.points << " points, case " << i;
    }
    EXPECT_LE(saving, (1 - kind.saves) * plain) << kind.points << " points, " << kind.radii.y << ", " << kind.radii.z;
  }
}

}  // namespace
}  // namespace whisker::convex
