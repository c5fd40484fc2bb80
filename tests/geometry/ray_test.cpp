// Lines, rays and segments against solids, compared with a hundred digits.

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <gtest/gtest.h>

#include <whisker/ray.hpp>

#include "geometry/constants.hpp"
#include "support/cases.hpp"
#include "support/random_vectors.hpp"
#include "support/ray_oracle.hpp"

namespace whisker {
namespace {

using test::cases;
using test::Number;
using test::random_rotation;
using test::random_vector;
using test::seeded;
using test::Solid;
using test::TrueCrossing;
using test::uniform;

std::optional<LineCrossing> crossing_of(const Ray& ray, const Solid& solid, const Pose& pose) {
  switch (solid.kind) {
    case Solid::sphere:
      return line_sphere(ray, Sphere{solid.radius}, pose);
    case Solid::box:
      return line_box(ray, Box{solid.size}, pose);
    case Solid::capsule:
      return line_capsule(ray, Capsule{solid.radius, solid.length}, pose);
    case Solid::cylinder:
      return line_cylinder(ray, Cylinder{solid.radius, solid.length}, pose);
    case Solid::cone:
      return line_cone(ray, Cone{solid.radius, solid.length}, pose);
    case Solid::ellipsoid:
      return line_ellipsoid(ray, Ellipsoid{solid.size}, pose);
  }
  return std::nullopt;
}

std::string describe(const Ray& ray, const Solid& solid, const Pose& pose) {
  std::ostringstream text;
  text << std::hexfloat << "kind " << solid.kind << " radius " << solid.radius << " length " << solid.length << " size "
       << solid.size.transpose() << " o " << ray.origin.transpose() << " d " << ray.direction.transpose() << "\nR "
       << pose.rotation() << "\nc " << pose.translation().transpose();
  return text.str();
}

/// The worst errors over the cases that do not graze: the error as a length, relative to the allowance.
struct Worst {
  double estimate = 0;
  double width = 0;
  std::size_t hits = 0, misses = 0, uncertain = 0;
};

/// 1e-12 of the path length plus 8 units in the last place of the largest coordinate. (If both are zero, as for a point
/// at the origin of the ray, t itself is no finer than the smallest double.)
double allowance(const Ray& ray, const Solid& solid, const Pose& pose, double t) {
  const double largest = std::max({ray.origin.cwiseAbs().maxCoeff(), pose.translation().cwiseAbs().maxCoeff(),
                                   solid.radius, solid.length, solid.size.maxCoeff()});
  return 1e-12 * std::abs(t) * ray.direction.norm() + 8 * (std::nextafter(largest, infinity) - largest) +
         4 * std::numeric_limits<double>::denorm_min() * ray.direction.norm();
}

void expect_truth(const Ray& ray, const Solid& solid, const Pose& pose, Worst& worst) {
  const std::optional<TrueCrossing> truth = test::true_crossing(ray, Vector3::Zero(), solid, pose);
  const std::optional<LineCrossing> found = crossing_of(ray, solid, pose);
  if (!found) {
    ++worst.misses;
    ASSERT_FALSE(truth) << describe(ray, solid, pose);
    return;
  }
  if (!found->certain) {
    ++worst.uncertain;
    if (!truth) return;
  }
  ++worst.hits;
  ASSERT_TRUE(truth) << describe(ray, solid, pose);
  ASSERT_LE(Number(found->enter_lower), truth->enter) << describe(ray, solid, pose);
  ASSERT_GE(Number(found->enter_upper), truth->enter) << describe(ray, solid, pose);
  ASSERT_LE(Number(found->exit_lower), truth->exit) << describe(ray, solid, pose);
  ASSERT_GE(Number(found->exit_upper), truth->exit) << describe(ray, solid, pose);
  ASSERT_LE(found->enter_lower, found->enter);
  ASSERT_LE(found->enter, found->enter_upper);
  ASSERT_LE(found->exit_lower, found->exit);
  ASSERT_LE(found->exit, found->exit_upper);
  ASSERT_LE(found->enter, found->exit);
  const double length = ray.direction.norm();
  const auto check_end = [&](double t, double lower, double upper, const Number& true_t, const Vector3& normal) {
    ASSERT_NEAR(normal.norm(), 1, 1e-14) << describe(ray, solid, pose);
    if (std::abs(normal.dot(ray.direction)) < 0.01 * length) return;  // Grazing.
    if (!found->certain) return;
    const double allowed = allowance(ray, solid, pose, t);
    worst.estimate = std::max(worst.estimate, static_cast<double>(abs(Number(t) - true_t)) * length / allowed);
    worst.width = std::max(worst.width, (upper - lower) * length / allowed);
  };
  check_end(found->enter, found->enter_lower, found->enter_upper, truth->enter, found->enter_normal);
  check_end(found->exit, found->exit_lower, found->exit_upper, truth->exit, found->exit_normal);
  if (found->exit - found->enter > 1e-6 * std::abs(found->enter)) {
    ASSERT_LE(found->enter_normal.dot(ray.direction), 1e-6 * length) << describe(ray, solid, pose);
    ASSERT_GE(found->exit_normal.dot(ray.direction), -1e-6 * length) << describe(ray, solid, pose);
  }
}

Pose random_pose(std::mt19937_64& random, int kind, double size) {
  if (kind == 0) return {};
  if (kind == 1) return Pose(random_vector(random, size));
  Matrix3 rotation = random_rotation(random);
  if (kind == 3) rotation = Eigen::AngleAxisd(1.5707963267948966, Vector3::UnitX()).toRotationMatrix();
  // As far from orthogonal as a pose may be.
  if (kind == 4) rotation *= 1 + 3e-10;
  return {rotation, random_vector(random, size)};
}

Solid random_solid(std::mt19937_64& random, Solid::Kind kind, double scale) {
  Solid solid;
  solid.kind = kind;
  const auto dimension = [&] {
    const int choice = std::uniform_int_distribution<int>(0, 15)(random);
    if (choice == 0) return 0.0;
    if (choice == 1) return scale * std::pow(10, uniform(random, -8, 0));
    return scale * uniform(random, 0.1, 2);
  };
  if (kind == Solid::box || kind == Solid::ellipsoid) {
    solid.size = {dimension(), dimension(), dimension()};
  } else {
    solid.radius = dimension();
    if (kind != Solid::sphere) solid.length = dimension();
  }
  return solid;
}

/// Directions and origins of every difficult kind.
Ray random_ray(std::mt19937_64& random, const Solid& solid, const Pose& pose, double scale, std::size_t i) {
  Vector3 target = place(pose, random_vector(random, scale));
  Vector3 origin = place(pose, random_vector(random, 4 * scale));
  Vector3 direction = target - origin;
  switch (i % 8) {
    case 0:  // From a million sizes away.
      origin = place(pose, random_vector(random, 1e6 * scale));
      direction = target - origin;
      break;
    case 1: {  // Along an axis of the shape, through a special position.
      Vector3 axis = Vector3::Zero();
      axis[static_cast<int>(i / 8 % 3)] = i / 24 % 2 == 0 ? 1.0 : -2.0;
      direction = place_direction(pose, axis) * scale;
      const double r = std::max(solid.radius, solid.size.maxCoeff());
      const double places[4] = {0, r, solid.length / 2, r * 0.5};
      origin = place(pose, Vector3(places[i / 48 % 4], places[i / 192 % 4], places[i / 768 % 4]));
      break;
    }
    case 2:  // Starting on or near the surface, from the true crossing of another line.
      if (const auto other = crossing_of({origin, direction}, solid, pose)) {
        origin += other->enter * direction;
        direction = random_vector(random, scale);
      }
      break;
    case 3:  // Grazing: perpendicular to the normal at a surface point.
      if (const auto other = crossing_of({origin, direction}, solid, pose)) {
        const Vector3 touching = origin + other->enter * direction;
        const Vector3 tangent = other->enter_normal.cross(random_vector(random, 1));
        direction = tangent * scale;
        origin = touching - uniform(random, -3, 3) * direction;
        if (i / 8 % 2 == 0) origin += other->enter_normal * scale * std::pow(10, uniform(random, -17, -5));
      }
      break;
    case 4:  // A direction with a component of zero, or two.
      direction[static_cast<int>(i / 8 % 3)] = 0;
      if (i / 24 % 2 == 0) direction[static_cast<int>((i / 8 + 1) % 3)] = 0;
      if (direction == Vector3::Zero()) direction = Vector3::UnitY();
      break;
    case 5:  // A direction of unusual length.
      direction *= std::pow(10, uniform(random, -6, 6));
      break;
    default:
      break;
  }
  return {origin, direction};
}

void compare_kind(Solid::Kind kind, std::uint64_t stream, double scale, std::size_t count) {
  auto random = seeded(stream);
  Worst worst;
  for (std::size_t i = 0; i < count; ++i) {
    const Solid solid = random_solid(random, kind, scale);
    const Pose pose = random_pose(random, static_cast<int>(i / 8 % 5), 2 * scale);
    const Ray ray = random_ray(random, solid, pose, scale, i);
    expect_truth(ray, solid, pose, worst);
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_LE(worst.estimate, 1);
  EXPECT_LE(worst.width, 1);
  EXPECT_GT(worst.hits, count / 10);
  EXPECT_LT(worst.uncertain, count / 8);
  std::printf(
      "  kind %d scale %g: %zu hits, %zu misses, %zu uncertain; worst estimate %.3f, bounds %.3f of the allowance\n",
      static_cast<int>(kind), scale, worst.hits, worst.misses, worst.uncertain, worst.estimate, worst.width);
}

TEST(RaySphere, BoundsContainTheTruth) {
  compare_kind(Solid::sphere, 1101, 1, cases(3000));
}
TEST(RayBox, BoundsContainTheTruth) {
  compare_kind(Solid::box, 1102, 1, cases(3000));
}
TEST(RayCapsule, BoundsContainTheTruth) {
  compare_kind(Solid::capsule, 1103, 1, cases(3000));
}
TEST(RayCylinder, BoundsContainTheTruth) {
  compare_kind(Solid::cylinder, 1104, 1, cases(3000));
}
TEST(RayCone, BoundsContainTheTruth) {
  compare_kind(Solid::cone, 1105, 1, cases(3000));
}
TEST(RayEllipsoid, BoundsContainTheTruth) {
  compare_kind(Solid::ellipsoid, 1106, 1, cases(3000));
}

TEST(RaySolids, BoundsContainTheTruthAtTinyAndHugeScale) {
  for (const double scale : {1e-80, 1e80}) {
    for (const Solid::Kind kind :
         {Solid::sphere, Solid::box, Solid::capsule, Solid::cylinder, Solid::cone, Solid::ellipsoid}) {
      compare_kind(kind, 1107, scale, cases(600));
      if (HasFatalFailure()) return;
    }
  }
}

TEST(RaySphere, GivesSignedParametersOnTheFullLine) {
  const Ray ray{{3, 0, 0}, {1, 0, 0}};
  EXPECT_FALSE(ray_sphere(ray, Sphere{1}));
  const auto behind = ray_sphere(ray, Sphere{1}, {}, line_range());
  ASSERT_TRUE(behind);
  EXPECT_EQ(behind->t, -4);
  EXPECT_EQ(behind->normal, Vector3(-1, 0, 0));
  const auto crossing = line_sphere(ray, Sphere{1});
  ASSERT_TRUE(crossing);
  EXPECT_EQ(crossing->exit, -2);
}

TEST(RaySphere, RangeDecidesWhatCounts) {
  const Ray ray{{-3, 0, 0}, {1, 0, 0}};
  EXPECT_EQ(ray_sphere(ray, Sphere{1})->t, 2);
  EXPECT_FALSE(ray_sphere(ray, Sphere{1}, {}, segment_range()));
  EXPECT_FALSE(ray_sphere(ray, Sphere{1}, {}, {5, 6}));
  const auto inside = ray_sphere(ray, Sphere{1}, {}, {3, 6});
  ASSERT_TRUE(inside);
  EXPECT_TRUE(inside->inside);
  EXPECT_EQ(inside->t, 3);
  EXPECT_EQ(inside->t_lower, 3);
  EXPECT_EQ(inside->t_upper, 3);
  EXPECT_FALSE(ray_sphere(ray, Sphere{1}, {}, {1, 0}));
  const auto to_surface = ray_sphere(ray_between({-3, 0, 0}, {-1, 0, 0}), Sphere{1}, {}, segment_range());
  ASSERT_TRUE(to_surface);  // Ends on the surface: touching counts as a hit.
  EXPECT_NEAR(to_surface->t, 1, 1e-15);
}

TEST(RaySphere, FarOriginKeepsTheDigitsOfTheDiscriminant) {
  // The line passes the unit sphere at 1 - 1e-9 from the center. From 1e8 away, a naive discriminant (b² - a c, of size
  // 1e16) loses this difference.
  const Ray ray{{-1e8, 1 - 1e-9, 0}, {1, 0, 0}};
  const auto crossing = line_sphere(ray, Sphere{1});
  ASSERT_TRUE(crossing);
  EXPECT_TRUE(crossing->certain);
  const Number y = Number(ray.origin[1]);
  const Number half = sqrt(1 - y * y);
  EXPECT_LE(Number(crossing->enter_lower), Number(1e8) - half);
  EXPECT_GE(Number(crossing->enter_upper), Number(1e8) - half);
  EXPECT_LE(crossing->enter_upper - crossing->enter_lower, 1e-7);
  EXPECT_FALSE(line_sphere({{-1e8, 1 + 1e-14, 0}, {1, 0, 0}}, Sphere{1}));
  const auto tangent = line_sphere({{-1e8, 1, 0}, {1, 0, 0}}, Sphere{1});
  ASSERT_TRUE(tangent);  // Touching.
  EXPECT_LE(tangent->enter_lower, 1e8);
  EXPECT_GE(tangent->enter_upper, 1e8);
}

TEST(RaySolids, ZeroDirectionAsksAboutThePoint) {
  const Vector3 still = Vector3::Zero();
  const auto in = ray_sphere({{0.5, 0, 0}, still}, Sphere{1}, {}, {2, 3});
  ASSERT_TRUE(in);
  EXPECT_TRUE(in->inside);
  EXPECT_EQ(in->t, 2);
  EXPECT_EQ(ray_sphere({{0.5, 0, 0}, still}, Sphere{1}, {}, line_range())->t, 0);
  EXPECT_TRUE(ray_sphere({{1, 0, 0}, still}, Sphere{1}));
  EXPECT_FALSE(ray_sphere({{std::nextafter(1.0, 2.0), 0, 0}, still}, Sphere{1}));
  EXPECT_TRUE(ray_box({{1, 1, 1}, still}, Box{Vector3(2, 2, 2)}));
  EXPECT_FALSE(ray_box({{1, 1, 1.0000001}, still}, Box{Vector3(2, 2, 2)}));
  EXPECT_TRUE(ray_cone({{0, 0, 0.4}, still}, Cone{1, 1}));
  EXPECT_FALSE(ray_cone({{0, 0, 0.6}, still}, Cone{1, 1}));
  EXPECT_FALSE(ray_cone({{0.5, 0, 0.1}, still}, Cone{1, 1}));
  EXPECT_TRUE(ray_capsule({{0, 0, 1.5}, still}, Capsule{1, 1}));
  EXPECT_TRUE(ray_cylinder({{0.5, 0.5, 0.5}, still}, Cylinder{1, 1}));
  EXPECT_TRUE(ray_half_space({{0, 0, 0}, still}, HalfSpace{Vector3::UnitZ(), 0}));
  EXPECT_FALSE(ray_half_space({{0, 0, 1e-80}, still}, HalfSpace{Vector3::UnitZ(), 0}));
  EXPECT_TRUE(ray_plane({{0, 0, 0}, still}, Plane{Vector3::UnitZ(), 0}));
  EXPECT_FALSE(ray_plane({{0, 0, 1e-80}, still}, Plane{Vector3::UnitZ(), 0}));
}

TEST(RaySolids, WithoutSizeTheyArePointsSegmentsAndDiscs) {
  EXPECT_TRUE(ray_sphere({{-1, 0, 0}, {1, 0, 0}}, Sphere{0}));
  EXPECT_FALSE(ray_sphere({{-1, 1e-80, 0}, {1, 0, 0}}, Sphere{0}));
  EXPECT_EQ(ray_cylinder({{0.5, 0, 3}, {0, 0, -1}}, Cylinder{1, 0})->t, 3);
  EXPECT_FALSE(ray_cylinder({{1.5, 0, 3}, {0, 0, -1}}, Cylinder{1, 0}));
  EXPECT_EQ(ray_cone({{0.5, 0, 3}, {0, 0, -1}}, Cone{1, 0})->normal, Vector3(0, 0, 1));
  EXPECT_TRUE(ray_cone({{-1, 0, 0.25}, {1, 0, 0}}, Cone{0, 1}));
  EXPECT_FALSE(ray_cone({{-1, 0, 0.75}, {1, 0, 0}}, Cone{0, 1}));
  EXPECT_TRUE(ray_capsule({{-1, 0, 0.25}, {1, 0, 0}}, Capsule{0, 1}));
  EXPECT_EQ(ray_ellipsoid({{0.5, 0.5, 2}, {0, 0, -1}}, Ellipsoid{Vector3(1, 1, 0)})->t, 2);
  EXPECT_FALSE(ray_ellipsoid({{0.8, 0.8, 2}, {0, 0, -1}}, Ellipsoid{Vector3(1, 1, 0)}));
  EXPECT_EQ(ray_box({{0.5, 0.5, 2}, {0, 0, -1}}, Box{Vector3(2, 2, 0)})->normal, Vector3(0, 0, 1));
}

TEST(RayCone, KnowsItsParts) {
  const Cone cone{1, 2};  // Apex at z = 1, base at z = -1.
  const auto base = ray_cone({{0.5, 0, -5}, {0, 0, 1}}, cone);
  ASSERT_TRUE(base);
  EXPECT_EQ(base->t, 4);
  EXPECT_EQ(base->normal, Vector3(0, 0, -1));
  const auto side = ray_cone({{0.5, 0, 5}, {0, 0, -1}}, cone);
  ASSERT_TRUE(side);
  EXPECT_NEAR(side->t, 5, 1e-15);
  EXPECT_NEAR(side->normal[0], 2 / std::sqrt(5.0), 1e-15);
  EXPECT_NEAR(side->normal[2], 1 / std::sqrt(5.0), 1e-15);
  // The nappe above the apex is not part of the cone.
  EXPECT_FALSE(ray_cone({{-5, 0, 1.5}, {1, 0, 0}}, cone));
  EXPECT_FALSE(ray_cone({{-5, 0, 4}, {2, 0, -1}}, cone));
  // Along the side itself: exactly on it.
  const auto along = ray_cone({{1.5, 0, -2}, {-0.5, 0, 1}}, cone);
  ASSERT_TRUE(along);
  EXPECT_LE(along->t_lower, 1);
  EXPECT_GE(along->t_upper, 1);
}

TEST(RayCone, NormalsAtTheApexFaceTheLine) {
  // The line meets the cone only at the apex, up to rounding.
  Matrix3 rotation;
  rotation << 0x1.ebbdf627f93bap-1, 0x1.9f21f740fa74ap-3, -0x1.8728a35060553p-3,  //
      0x1.1cf7207c81daep-2, -0x1.73a323c7cea18p-1, 0x1.4211a923a8e41p-1,          //
      -0x1.6c9e6d858cebdp-7, -0x1.508a18fef2e25p-1, -0x1.81d07bff43896p-1;
  const Pose pose(rotation, {-0x1.13a436c19ff4cp-2, 0x1.9abe6d0ef593cp+0, 0x1.07702e7c3814p-2});
  const Ray ray{{-0x1.ad80d70f050dap-2, 0x1.0cb6f3524e6d6p+1, -0x1.5799ad4793a72p-2},
                {-0x1.9f21f740fa74ap-2, 0x1.73a323c7cea18p+0, 0x1.508a18fef2e25p+0}};
  const auto crossing = line_cone(ray, {0x1.bca020734552fp+0, 0x1.92ca06fef1daep+0}, pose);
  ASSERT_TRUE(crossing);
  EXPECT_LT(crossing->exit - crossing->enter, 1e-15);
  EXPECT_LE(crossing->enter_normal.dot(ray.direction), 0);
  EXPECT_GE(crossing->exit_normal.dot(ray.direction), 0);
}

TEST(RayAabb, IsExactToTheLastDigitsWhereverTheOriginIs) {
  auto random = seeded(1110);
  for (std::size_t i = 0; i < cases(4000); ++i) {
    Aabb box;
    box.include(random_vector(random, 1));
    box.include(random_vector(random, 1));
    const Vector3 origin = random_vector(random, i % 2 == 0 ? 3 : 3e5);
    Vector3 direction = random_vector(random, 1) - origin;
    if (i % 5 == 0) direction[static_cast<int>(i % 3)] = 0;
    if (i % 7 == 0) direction = Vector3(0, 0, 1) + box.lower - origin;  // Along an edge, up to rounding.
    Number enter = -Number(1e300), exit = Number(1e300);
    bool outside = false;
    for (int k = 0; k < 3; ++k) {
      if (direction[k] == 0) {
        outside = outside || origin[k] < box.lower[k] || origin[k] > box.upper[k];
        continue;
      }
      const Number a = (Number(box.lower[k]) - Number(origin[k])) / Number(direction[k]);
      const Number b = (Number(box.upper[k]) - Number(origin[k])) / Number(direction[k]);
      enter = std::max(enter, std::min(a, b));
      exit = std::min(exit, std::max(a, b));
    }
    const bool truth = !outside && enter <= exit;
    const auto found = line_aabb({origin, direction}, box);
    ASSERT_TRUE(found || !truth);
    if (!found || !truth) {
      ASSERT_FALSE(found && found->certain);
      continue;
    }
    ASSERT_LE(Number(found->enter_lower), enter);
    ASSERT_GE(Number(found->enter_upper), enter);
    ASSERT_LE(Number(found->exit_lower), exit);
    ASSERT_GE(Number(found->exit_upper), exit);
    EXPECT_LE(found->enter_upper - found->enter_lower, 2e-15 * std::abs(found->enter));
  }
}

TEST(RayAabb, EmptyAndUnboundedBoxes) {
  EXPECT_FALSE(ray_aabb({{0, 0, 0}, {1, 0, 0}}, Aabb{}, line_range()));
  Aabb slab;
  slab.lower = {1, -infinity, -infinity};
  slab.upper = {2, infinity, infinity};
  EXPECT_EQ(ray_aabb({{0, 5, 7}, {0.5, 1, 0}}, slab)->t, 2);
  EXPECT_FALSE(ray_aabb({{0, 5, 7}, {0, 1, 0}}, slab));
  const auto along = ray_aabb({{1.5, 5, 7}, {0, 1, 0}}, slab, line_range());
  ASSERT_TRUE(along);
  EXPECT_TRUE(along->inside);
  EXPECT_EQ(along->t, 0);

  // A line that comes from infinity inside the box is hit where it leaves, as in a half-space.
  Aabb below;
  below.lower = {-infinity, -infinity, -infinity};
  below.upper = {infinity, infinity, 2};
  const auto leaving = ray_aabb({{0, 5, 7}, {0, 0, 1}}, below, line_range());
  ASSERT_TRUE(leaving);
  EXPECT_TRUE(leaving->inside);
  EXPECT_EQ(leaving->t, -5);
  EXPECT_EQ(leaving->normal, Vector3(0, 0, 1));
  const auto half_space = ray_half_space({{0, 5, 7}, {0, 0, 1}}, HalfSpace{Vector3(0, 0, 1), 2}, {}, line_range());
  ASSERT_TRUE(half_space);
  EXPECT_EQ(half_space->t, leaving->t);
  EXPECT_EQ(half_space->normal, leaving->normal);
}

TEST(RayBox, CornersAndEdgesAreHit) {
  const Box box{Vector3(2, 2, 2)};
  EXPECT_TRUE(ray_box({{3, 3, 3}, {-1, -1, -1}}, box));
  EXPECT_TRUE(ray_box({{0, 2, 0}, {1, -1, 0}}, box));  // Touches the edge x = y = 1.
  EXPECT_TRUE(ray_box({{1, 1, -5}, {0, 0, 1}}, box));  // Runs along it.
  EXPECT_FALSE(ray_box({{1, std::nextafter(1.0, 2.0), -5}, {0, 0, 1}}, box));
  EXPECT_FALSE(ray_box({{0, 2.0000000001, 0}, {1, -1, 0}}, box));
}

TEST(RayPlane, IsDecidedExactlyAtTheEndsOfTheRange) {
  const Plane plane{Vector3(1, 2, 3), 6};
  EXPECT_TRUE(ray_plane({{1, 1, 1}, {1, 0, 0}}, plane));  // Starts in the plane.
  EXPECT_EQ(ray_plane({{1, 1, 1}, {1, 0, 0}}, plane)->t, 0);
  EXPECT_FALSE(ray_plane({{std::nextafter(1.0, 2.0), 1, 1}, {1, 0, 0}}, plane));
  EXPECT_TRUE(ray_plane({{0, 1, 1}, {1, 0, 0}}, plane, {}, segment_range()));
  EXPECT_FALSE(ray_plane({{-5e-17, 1, 1}, {1, 0, 0}}, plane, {}, segment_range()));
  EXPECT_EQ(ray_plane({{2, 1, 1}, {1, 0, 0}}, plane, {}, line_range())->t, -1);
  EXPECT_LT(ray_plane({{2, 1, 1}, {1, 0, 0}}, plane, {}, line_range())->normal.dot(Vector3(1, 0, 0)), 0);
  // In the plane, and parallel to it at a distance that only exact arithmetic resolves.
  EXPECT_TRUE(ray_plane({{6, 0, 0}, {3, 0, -1}}, plane, {}, line_range()));
  EXPECT_FALSE(ray_plane({{6, 1e-80, 0}, {3, 0, -1}}, plane, {}, line_range()));
  EXPECT_FALSE(ray_plane({{1, 0, 0}, {0, 1, 0}}, Plane{Vector3(1, 0, 0), 2}));
}

TEST(RayPlane, BoundsContainTheTruth) {
  auto random = seeded(1111);
  double worst = 0;
  for (std::size_t i = 0; i < cases(4000); ++i) {
    const Plane plane{random_vector(random, 2), uniform(random, -1, 1)};
    const Pose pose = random_pose(random, static_cast<int>(i % 5), 2);
    Ray ray{random_vector(random, i % 3 == 0 ? 1e6 : 3), random_vector(random, 1)};
    if (i % 4 == 0) ray.direction -= ray.direction.dot(plane.normal) / plane.normal.squaredNorm() * plane.normal;
    const auto hit = ray_plane(ray, plane, pose, line_range());
    const test::NVector normal = test::number(place_direction(pose, plane.normal));
    const Number slope = test::dot(normal, test::number(ray.direction));
    const Number level = test::dot(normal, test::number(ray.origin)) -
                         test::dot(normal, test::number(pose.translation())) - Number(plane.offset);
    if (slope == 0) continue;
    const Number t = -level / slope;
    ASSERT_TRUE(hit);
    ASSERT_LE(Number(hit->t_lower), t);
    ASSERT_GE(Number(hit->t_upper), t);
    if (std::abs(hit->normal.dot(ray.direction)) < 0.01 * ray.direction.norm()) continue;
    const double largest = std::max(ray.origin.cwiseAbs().maxCoeff(), pose.translation().cwiseAbs().maxCoeff());
    const double allowed =
        1e-12 * std::abs(hit->t) * ray.direction.norm() + 8 * (std::nextafter(largest, infinity) - largest);
    worst = std::max(worst, (hit->t_upper - hit->t_lower) * ray.direction.norm() / allowed);
  }
  EXPECT_LE(worst, 1);
}

TEST(RayHalfSpace, UnboundedSolidsHaveNoFirstPointOnTheFullLine) {
  const HalfSpace ground{Vector3::UnitZ(), 0};
  const auto from_above = ray_half_space({{0, 0, 3}, {0, 0, -1}}, ground);
  ASSERT_TRUE(from_above);
  EXPECT_EQ(from_above->t, 3);
  EXPECT_EQ(from_above->normal, Vector3::UnitZ());
  EXPECT_FALSE(ray_half_space({{0, 0, 3}, {0, 0, 1}}, ground));
  const auto leaving = ray_half_space({{0, 0, 3}, {0, 0, 1}}, ground, {}, line_range());
  ASSERT_TRUE(leaving);
  EXPECT_TRUE(leaving->inside);
  EXPECT_EQ(leaving->t, -3);
  const auto below = ray_half_space({{0, 0, -3}, {1, 0, 0}}, ground, {}, line_range());
  ASSERT_TRUE(below);
  EXPECT_EQ(below->t, 0);
  EXPECT_FALSE(ray_half_space({{0, 0, 3}, {1, 0, 0}}, ground, {}, line_range()));
  const auto crossing = line_half_space({{0, 0, 3}, {0, 0, -1}}, ground);
  ASSERT_TRUE(crossing);
  EXPECT_EQ(crossing->exit, infinity);
}

TEST(RayPolyhedron, AgreesWithTheBox) {
  auto random = seeded(1112);
  for (std::size_t i = 0; i < cases(3000); ++i) {
    const Vector3 size = (random_vector(random, 1).array().abs() + 0.1).matrix();
    std::vector<HalfSpace> sides;
    for (int k = 0; k < 3; ++k) {
      sides.push_back({Vector3::Unit(k), size[k] / 2});
      sides.push_back({-Vector3::Unit(k), size[k] / 2});
    }
    const Pose pose = random_pose(random, static_cast<int>(i % 5), 1);
    const Vector3 origin = random_vector(random, 4);
    const Ray ray{origin, place(pose, random_vector(random, 0.6)) - origin};
    const auto polyhedron = line_polyhedron(ray, sides, pose);
    const auto box = line_box(ray, Box{size}, pose);
    ASSERT_EQ(polyhedron.has_value(), box.has_value());
    if (!box) continue;
    EXPECT_LE(polyhedron->enter_lower, box->enter_upper);
    EXPECT_GE(polyhedron->enter_upper, box->enter_lower);
    EXPECT_LE(polyhedron->exit_lower, box->exit_upper);
    EXPECT_GE(polyhedron->exit_upper, box->exit_lower);
    EXPECT_LE((polyhedron->enter_normal - box->enter_normal).norm(), 1e-12);
  }
  EXPECT_TRUE(ray_polyhedron({{0, 0, 0}, {1, 0, 0}}, {}));  // No sides: the whole space.
}

TEST(RayHit, DerivesFromTheCrossing) {
  auto random = seeded(1113);
  for (std::size_t i = 0; i < cases(3000); ++i) {
    const Capsule capsule{uniform(random, 0.1, 1), uniform(random, 0.1, 2)};
    const Pose pose = random_pose(random, 2, 1);
    const Ray ray{random_vector(random, 2), random_vector(random, 1)};
    const RayRange range{uniform(random, -3, 3), uniform(random, -3, 3)};
    const auto crossing = line_capsule(ray, capsule, pose);
    const auto hit = ray_capsule(ray, capsule, pose, range);
    const bool overlaps =
        crossing && range.lower <= range.upper && crossing->enter <= range.upper && crossing->exit >= range.lower;
    ASSERT_EQ(hit.has_value(), overlaps);
    if (!hit) continue;
    EXPECT_EQ(hit->t, std::max(crossing->enter, range.lower));
    EXPECT_EQ(hit->inside, crossing->enter <= range.lower);
  }
}

}  // namespace
}  // namespace whisker
