// Rays that hit shapes in motion, compared with a hundred digits and with the definition.

#include <cmath>
#include <optional>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/ray.hpp>

#include "support/cases.hpp"
#include "support/random_vectors.hpp"
#include "support/ray_oracle.hpp"

namespace whisker {
namespace {

using test::cases;
using test::normal_pose;
using test::Number;
using test::random_vector;
using test::seeded;
using test::Solid;
using test::uniform;

std::optional<RayHit> hit_of(const Ray& ray, const Solid& solid, const Pose& pose, const Vector3& velocity,
                             RayRange range) {
  switch (solid.kind) {
    case Solid::sphere:
      return ray_moving(ray, Sphere{solid.radius}, pose, velocity, range);
    case Solid::box:
      return ray_moving(ray, Box{solid.size}, pose, velocity, range);
    case Solid::capsule:
      return ray_moving(ray, Capsule{solid.radius, solid.length}, pose, velocity, range);
    case Solid::cylinder:
      return ray_moving(ray, Cylinder{solid.radius, solid.length}, pose, velocity, range);
    case Solid::cone:
      return ray_moving(ray, Cone{solid.radius, solid.length}, pose, velocity, range);
    case Solid::ellipsoid:
      return ray_moving(ray, Ellipsoid{solid.size}, pose, velocity, range);
  }
  return std::nullopt;
}

TEST(RayMoving, TimeBoundsContainTheTruthForEverySolid) {
  auto random = seeded(1301);
  for (const Solid::Kind kind :
       {Solid::sphere, Solid::box, Solid::capsule, Solid::cylinder, Solid::cone, Solid::ellipsoid}) {
    std::size_t hits = 0;
    for (std::size_t i = 0; i < cases(1200); ++i) {
      Solid solid;
      solid.kind = kind;
      if (kind == Solid::box || kind == Solid::ellipsoid) {
        solid.size = (random_vector(random, 1).array().abs() + 0.1).matrix();
      } else {
        solid.radius = uniform(random, 0.1, 1);
        if (kind != Solid::sphere) solid.length = uniform(random, 0.1, 2);
      }
      const Pose pose = i % 3 == 0 ? Pose(random_vector(random, 2)) : normal_pose(random, 2);
      // Velocities of a different size than the ray's direction: the difference is rounded, but the answer must not be
      // affected.
      const Vector3 velocity = random_vector(random, std::pow(10, uniform(random, -9, 3)));
      const double time = uniform(random, 0.2, 2);
      const Vector3 aim = place(pose, random_vector(random, 0.7)) + time * velocity;
      const Vector3 origin = random_vector(random, i % 4 == 0 ? 1e5 : 4);
      const Ray ray{origin, (aim - origin) / time};
      const auto truth = test::true_crossing(ray, velocity, solid, pose);
      const auto hit = hit_of(ray, solid, pose, velocity, {});
      if (!hit) {
        ASSERT_FALSE(truth && truth->exit >= 0);
        continue;
      }
      if (!hit->certain && (!truth || truth->exit < 0)) continue;
      ++hits;
      ASSERT_TRUE(truth);
      const Number first = std::max(Number(0), truth->enter);
      ASSERT_LE(Number(hit->t_lower), first);
      ASSERT_GE(Number(hit->t_upper), first);
      // The point is the position of the tip, in world coordinates.
      EXPECT_LE((hit->point - (ray.origin + hit->t * ray.direction)).norm(), 1e-15);
      EXPECT_NEAR(hit->normal.norm(), 1, 1e-14);
    }
    EXPECT_GT(hits, cases(1200) / 4);
  }
}

TEST(RayMoving, RestingShapeIsTheOrdinaryRay) {
  auto random = seeded(1302);
  for (std::size_t i = 0; i < cases(1000); ++i) {
    const Pose pose = normal_pose(random, 1);
    const Ray ray{random_vector(random, 3), random_vector(random, 1)};
    const Vector3 still = Vector3::Zero();
    const auto same = [](const std::optional<RayHit>& a, const std::optional<RayHit>& b) {
      return a.has_value() == b.has_value() && (!a || (a->t == b->t && a->normal == b->normal));
    };
    EXPECT_TRUE(same(ray_moving(ray, Sphere{1}, pose, still), ray_sphere(ray, Sphere{1}, pose)));
    EXPECT_TRUE(same(ray_moving(ray, Box{Vector3(1, 2, 1)}, pose, still), ray_box(ray, Box{Vector3(1, 2, 1)}, pose)));
    EXPECT_TRUE(same(ray_moving(ray, Plane{Vector3(1, 2, 1), 0.5}, pose, still),
                     ray_plane(ray, Plane{Vector3(1, 2, 1), 0.5}, pose)));
    EXPECT_TRUE(same(ray_moving(ray, HalfSpace{Vector3(1, 2, 1), 0.5}, pose, still),
                     ray_half_space(ray, HalfSpace{Vector3(1, 2, 1), 0.5}, pose)));
    const Triangle t{random_vector(random, 1), random_vector(random, 1), random_vector(random, 1)};
    EXPECT_TRUE(same(ray_moving(ray, t, still), ray_triangle(ray, t)));
    Aabb box;
    box.include(random_vector(random, 1));
    box.include(random_vector(random, 1));
    EXPECT_TRUE(same(ray_moving(ray, box, still), ray_aabb(ray, box)));
  }
}

TEST(RayMoving, ShapeThatFleesIsCaughtLaterAndOneThatComesSooner) {
  const Ray shot{{-5, 0, 0}, {2, 0, 0}};
  EXPECT_EQ(ray_moving(shot, Sphere{1}, Pose(), {0, 0, 0})->t, 2);
  EXPECT_EQ(ray_moving(shot, Sphere{1}, Pose(), {1, 0, 0})->t, 4);
  EXPECT_EQ(ray_moving(shot, Sphere{1}, Pose(), {-2, 0, 0})->t, 1);
  EXPECT_FALSE(ray_moving(shot, Sphere{1}, Pose(), {3, 0, 0}));
  EXPECT_FALSE(ray_moving(shot, Sphere{1}, Pose(), {0, 2, 0}));
  EXPECT_EQ(ray_moving(shot, Sphere{1}, Pose(), {1, 0, 0})->point, Vector3(3, 0, 0));
}

TEST(RayMoving, SameVelocityIsAPointQuery) {
  const Vector3 velocity(0.1, 0.2, 0.3);
  EXPECT_FALSE(ray_moving({{2, 0, 0}, velocity}, Sphere{1}, Pose(), velocity));
  const auto riding = ray_moving({{0.5, 0, 0}, velocity}, Sphere{1}, Pose(), velocity, {1, 2});
  ASSERT_TRUE(riding);
  EXPECT_TRUE(riding->inside);
  EXPECT_EQ(riding->t, 1);
  EXPECT_EQ(riding->point, Vector3(0.5 + 0.1, 0.2, 0.3));
  EXPECT_TRUE(ray_moving({{0.25, 0.25, 0}, velocity}, Triangle{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, velocity));
  EXPECT_FALSE(ray_moving({{0.25, 0.25, 1e-80}, velocity}, Triangle{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, velocity));
}

TEST(RayMoving, TriangleIsDecidedWithTheUnroundedRelativeDirection) {
  // The relative direction, direction - velocity, makes the ray pass just beside an edge of each triangle, at a y that
  // is tiny in the first pair and that rounding of the difference would lose in the second.
  const Triangle t{{-1, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const Triangle other{{-1, 0, 0}, {0, -1, 0}, {1, 0, 0}};
  const Ray shot{{0, 0, 1}, {0, 1, -1}};
  // The relative y is 1 - (1 - 2^-53) = 2^-53.
  const Vector3 velocity(0, std::nextafter(1.0, 0.0), 0);
  EXPECT_TRUE(ray_moving(shot, t, velocity));
  EXPECT_FALSE(ray_moving(shot, other, velocity));
  const Ray tiny{{0, 0, 1}, {0, 1e-30, -1}};
  const Vector3 large(0, -1, 0);  // The exact relative y is 1 + 1e-30, which rounds to 1.
  const Triangle at_one{{-1, 1, 0}, {1, 1, 0}, {0, 2, 0}};
  const Triangle before_one{{-1, 1, 0}, {0, 0, 0}, {1, 1, 0}};
  EXPECT_TRUE(ray_moving(tiny, at_one, large));
  EXPECT_FALSE(ray_moving(tiny, before_one, large));
}

TEST(RayMoving, TheTipIsInTheShapeThenAndNotBefore) {
  auto random = seeded(1303);
  for (std::size_t i = 0; i < cases(1500); ++i) {
    const Capsule capsule{uniform(random, 0.2, 0.6), uniform(random, 0.2, 1)};
    const Pose pose = normal_pose(random, 1);
    const Vector3 velocity = random_vector(random, 1);
    const Ray ray{random_vector(random, 4), random_vector(random, 4)};
    const auto inside_at = [&](double t) {
      const Pose moved(pose.rotation(), pose.translation() + t * velocity);
      return ray_capsule({ray.origin + t * ray.direction, Vector3::Zero()}, capsule, moved).has_value();
    };
    const auto hit = ray_moving(ray, capsule, pose, velocity, segment_range());
    if (hit && hit->inside) continue;
    const double end = hit ? hit->t : 1;
    for (int k = 0; k <= 20; ++k) {
      const double t = end * (k / 20.0 - 1e-9);
      if (t < 0) continue;
      EXPECT_FALSE(inside_at(t)) << t << " of " << end;
    }
    if (hit && hit->t > 0) {
      const double after = hit->t + 1e-9;
      const auto crossing_time = hit->t_upper - hit->t_lower;
      // Unless the ray only grazes the shape, the tip is inside right after.
      if (std::abs(hit->normal.dot(ray.direction - velocity)) > 0.1 && crossing_time < 1e-9) {
        EXPECT_TRUE(inside_at(after));
      }
    }
  }
}

}  // namespace
}  // namespace whisker
