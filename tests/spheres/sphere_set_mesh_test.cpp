// Sets of spheres against meshes: the truth with a hundred digits for small ones, ball by ball for all, on every
// instruction set.

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/make/make.hpp>
#include <whisker/simd.hpp>
#include <whisker/spheres/sphere_set_queries.hpp>

#include "spheres/sphere_set_cases.hpp"
#include "support/mesh_cases.hpp"

namespace whisker::test {
namespace {

/// The surface of every model, and the solid if it is closed.
std::vector<Mesh> surfaces_and_solids() {
  std::vector<Mesh> all;
  for (const Mesh& mesh : small_meshes()) {
    all.push_back(mesh);
    if (mesh.can_be_solid()) all.push_back(mesh.solid());
  }
  return all;
}

std::string name_of(std::size_t mesh, std::size_t n) {
  return "mesh " + std::to_string(mesh) + ", case " + std::to_string(n);
}

/// The distance with a hundred digits, from the triangles whose boxes are not farther away than some corner.
Real exact_surface_distance(const PlacedTriangles& all, const Vector3& point) {
  double corner = std::numeric_limits<double>::infinity();
  for (const Triangle& t : all.triangles)
    corner = std::min(corner, (t.a - point).norm());
  Real least = Real("1e300");
  for (std::size_t i = 0; i < all.triangles.size(); ++i) {
    const Aabb& box = all.boxes[i];
    const double gap = (box.lower - point).cwiseMax(point - box.upper).cwiseMax(0.0).norm();
    if (gap > corner * (1 + 1e-9)) continue;
    least = std::min(least, exact_distance({point, point, point}, all.triangles[i]));
  }
  return least;
}

TEST(SphereSetMesh, TheTruthIsWithinTheBounds) {
  Random random = seeded(8000);
  std::size_t touching = 0, apart = 0, inside = 0;
  const std::vector<Mesh> meshes = surfaces_and_solids();
  for (std::size_t m = 0; m < meshes.size(); ++m) {
    for (std::size_t n = 0; n < cases(4); ++n) {
      const Mesh& mesh = meshes[m];
      const std::string which = name_of(m, n);
      const SphereSet set = random_spheres(random, 4, 0.3, 0.1);
      const Pose pose_a = random_pose(random, 1),
                 pose_b(scenes::any_rotation(random), pose_a.translation() + random_vector(random, 0.5));
      const PlacedTriangles all(mesh, pose_a);
      std::vector<Interval> clear(set.size());
      clearances({mesh, pose_a}, {set, pose_b}, clear);
      Real least = Real("1e300");
      for (std::size_t i = 0; i < set.size(); ++i) {
        const Vector3 center = place(pose_b, set.center(i));
        Real gap = exact_surface_distance(all, center);
        if (mesh.is_solid() && winding_number(random, all, center) != 0) {
          gap = -gap;
          ++inside;
        }
        gap -= Real(set.radius(i));
        EXPECT_LE(Real(clear[i].lower), gap + Real("1e-80")) << which << ", ball " << i;
        EXPECT_GE(Real(clear[i].upper), gap - Real("1e-80")) << which << ", ball " << i;
        EXPECT_LE(clear[i].upper - clear[i].lower, 1e-13) << which << ", ball " << i;
        least = std::min(least, gap);
      }
      const Real between = std::max(least, Real(0));
      ++(least > 0 ? apart : touching);
      EXPECT_EQ(touches({mesh, pose_a}, Placed(set, pose_b)), least <= 0) << which;
      const Distance found = distance({mesh, pose_a}, Placed(set, pose_b));
      EXPECT_LE(Real(found.lower), between + Real("1e-80")) << which;
      EXPECT_GE(Real(found.upper), between - Real("1e-80")) << which;
    }
  }
  EXPECT_GT(touching, 10u);
  EXPECT_GT(apart, 10u);
  EXPECT_GT(inside, 5u);
}

TEST(SphereSetMesh, AnswersAsTheBallsDoOneByOne) {
  Random random = seeded(8100);
  const std::vector<Mesh> meshes = surfaces_and_solids();
  for (std::size_t m = 0; m < meshes.size(); ++m) {
    for (std::size_t n = 0; n < cases(12); ++n) {
      const std::size_t count = n % 3 == 0 ? 64 + random() % 70 : 1 + random() % 20;
      const SphereSet set =
          n % 4 == 3 ? random_chain(random, count, 0.04) : random_spheres(random, count, 0.4, n % 2 == 0 ? 0.01 : 0.1);
      const double spread = n % 6 == 5 ? 20 : n % 6 == 4 ? 2 : 0.8;
      const Pose pose_a = random_pose(random, 1);
      const Pose pose_b(scenes::any_rotation(random), pose_a.translation() + random_vector(random, spread));
      expect_as_one_by_one({meshes[m], pose_a}, set, pose_b, name_of(m, n));
    }
  }
}

TEST(SphereSetMesh, ALittleSetInsideOfASolidIsFound) {
  Random random = seeded(8200);
  const Mesh ball = Mesh(make::icosphere({.subdivisions = 3})).solid();
  for (std::size_t n = 0; n < cases(50); ++n) {
    const Vector3 at = scenes::unit_vector(random) * uniform(random, 0, 2);
    const SphereSet set = n % 2 == 0 ? random_chain(random, 70, 0.005) : random_spheres(random, 70, 0.05, 0.002);
    expect_as_one_by_one(ball, set, Pose(at), "case " + std::to_string(n));
  }
  const SphereSet one(std::vector<Vector3>{{0, 0, 0}}, std::vector<double>{0.1});
  EXPECT_TRUE(touches(ball, Placed(one)));
  EXPECT_FALSE(touches(Mesh(make::icosphere({.subdivisions = 3})), Placed(one)));
}

TEST(SphereSetMesh, BallsThatTouchFacesEdgesAndVerticesInOnePoint) {
  // Exact in doubles: a cube of side 2 around the origin, and balls at integer positions.
  const Mesh cube(make::box({.size_x = 2, .size_y = 2, .size_z = 2, .subdivisions = 4}));
  const auto touch = [&](const Vector3& center, double radius) {
    const SphereSet set(std::vector<Vector3>{{100, 100, 100}, center}, std::vector<double>{1, radius});
    return first_touching(cube, set) == std::optional<std::uint32_t>(1);
  };
  const double less = std::nextafter(1.0, 0);
  EXPECT_TRUE(touch({2, 0.25, 0.125}, 1));
  EXPECT_FALSE(touch({2, 0.25, 0.125}, less));
  EXPECT_TRUE(touch({4, 5, 0.3}, 5));  // an edge: 3, 4, 5
  EXPECT_FALSE(touch({4, 5, 0.3}, std::nextafter(5.0, 0)));
  EXPECT_TRUE(touch({2, 3, 3}, 3));  // a corner: 1, 2, 2, 3
  EXPECT_FALSE(touch({2, 3, 3}, std::nextafter(3.0, 0)));
  EXPECT_TRUE(touch({1, 1, 1}, 0));
  EXPECT_TRUE(touch({1, 0.25, 0.125}, 0));
  EXPECT_FALSE(touch({std::nextafter(1.0, 2), 0.25, 0.125}, 0));
}

TEST(SphereSetMesh, HugeAndTinyNumbersAndFarPoses) {
  Random random = seeded(8300);
  for (const double scale : {1e-60, 1.0, 1e60}) {
    const Mesh surface(scaled(make::torus({.around = 12, .across = 8}), scale));
    for (const Mesh& mesh : {surface, surface.solid()}) {
      for (const double size : {1e-12, 1e-3, 1.0, 1e25}) {
        for (const double away : {0.0, 1e6, 1e13, 1e29}) {
          const SphereSet set = random_spheres(random, 20, size * scale, 0.2 * size * scale);
          const Vector3 far = Vector3(away, -away, away / 3) * scale;
          const Pose pose_a(scenes::any_rotation(random), far);
          const Pose pose_b(scenes::any_rotation(random), far + scale * random_vector(random, 1.5));
          std::string which =
              "scale " + std::to_string(scale) + ", size " + std::to_string(size) + ", away " + std::to_string(away);
          expect_as_one_by_one({mesh, pose_a}, set, pose_b, which);
          expect_as_one_by_one({mesh, {}}, set, pose_b, which + ", mesh at home");
        }
      }
    }
  }
}

TEST(SphereSetMesh, DegenerateSoups) {
  Random random = seeded(8350);
  const Vector3 a(0, 0, 0), b(1, 0, 0), c(0, 1, 0), d(0.3, 0, 0);
  const std::vector<std::vector<Triangle>> soups = {{{a, b, c}},
                                                    {{a, a, a}},
                                                    {{a, b, d}},
                                                    {{a, b, c}, {a, b, c}, {b, c, b}, {c, c, c}},
                                                    std::vector<Triangle>(100, Triangle{a, b, c}),
                                                    std::vector<Triangle>(100, Triangle{b, b, b})};
  for (std::size_t m = 0; m < soups.size(); ++m) {
    const Mesh mesh(soup(soups[m]));
    for (std::size_t n = 0; n < cases(40); ++n) {
      // Some have centers exactly at the corners.
      const bool exact = n % 2 == 0;
      const SphereSet set = exact ? SphereSet(std::vector<Vector3>{{5, 5, 5}, {2, 0, 0}, {0.5, 0.5, 0}, {1, 0, 0}},
                                              std::vector<double>{0, 1, 0, 0.5 * static_cast<double>(n % 3)})
                                  : random_spheres(random, 10, 1, 0.3);
      const Pose pose = exact ? Pose(scenes::integer_vector(random, 1)) : random_pose(random, 1.5);
      expect_as_one_by_one(mesh, set, pose, name_of(m, n));
    }
  }
}

TEST(SphereSetMesh, OneBallAroundTheWholeMeshDoesNotHideTheOthers) {
  const Mesh mesh(make::icosphere({.radius = 0.1, .subdivisions = 2}));
  const SphereSet set(std::vector<Vector3>{{0, 0, 0}, {0, 0, 0}, {5, 0, 0}}, std::vector<double>{1e9, 0.01, 1});
  EXPECT_EQ(first_touching(mesh, set), std::optional<std::uint32_t>(0));
  std::vector<Interval> clear(3);
  clearances(mesh, set, clear);
  EXPECT_NEAR(clear[0].lower, 0.1 - 1e9, 0.02);
  EXPECT_NEAR(clear[1].lower, 0.09, 0.01);
  EXPECT_NEAR(clear[2].lower, 3.9, 0.01);
}

TEST(SphereSetMesh, EveryInstructionSetGivesTheSame) {
  struct Answers {
    std::vector<Distance> distances;
    std::vector<Interval> clear;
    std::vector<std::optional<std::uint32_t>> first;
    std::vector<std::uint64_t> costs;
  };
  const auto ask = [] {
    Answers all;
    Random random = seeded(8400);
    for (const Mesh& mesh : medium_meshes()) {
      for (std::size_t n = 0; n < cases(4); ++n) {
        const SphereSet set = random_spheres(random, 100, 0.4, 0.02);
        const Pose pose(scenes::any_rotation(random), random_vector(random, 0.8));
        Cost cost;
        all.first.push_back(first_touching(mesh, {set, pose}, &cost));
        all.costs.push_back(cost.volume_tests);
        all.costs.push_back(cost.primitive_tests);
        all.distances.push_back(distance(mesh, Placed(set, pose)));
        std::vector<Interval> clear(set.size());
        clearances(mesh, {set, pose}, {.upper_bound = 0.05}, clear);
        all.clear.insert(all.clear.end(), clear.begin(), clear.end());
      }
    }
    return all;
  };
  const Answers best = ask();
  EXPECT_GE(simd_targets().size(), 1u);
  for (const std::string& target : simd_targets()) {
    ASSERT_TRUE(use_simd_target(target));
    const Answers other = ask();
    EXPECT_EQ(other.first, best.first) << target;
    EXPECT_EQ(other.clear, best.clear) << target;
    EXPECT_EQ(other.costs, best.costs) << target;
    ASSERT_EQ(other.distances.size(), best.distances.size());
    for (std::size_t i = 0; i < best.distances.size(); ++i) {
      EXPECT_EQ(other.distances[i].feature_b.id, best.distances[i].feature_b.id) << target;
      EXPECT_EQ(other.distances[i].lower, best.distances[i].lower) << target;
      EXPECT_EQ(other.distances[i].upper, best.distances[i].upper) << target;
      EXPECT_EQ(other.distances[i].point_a, best.distances[i].point_a) << target;
    }
  }
  use_simd_target("");
}

}  // namespace
}  // namespace whisker::test
