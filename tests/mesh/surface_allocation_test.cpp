// After warm-up, queries of points, rays, regions and simple shapes against a mesh allocate nothing.

#include <vector>

#include <gtest/gtest.h>

#include <whisker/make/make.hpp>
#include <whisker/mesh_queries.hpp>

#include "support/count_allocations.hpp"
#include "support/random_shapes.hpp"

namespace whisker {
namespace {

TEST(SurfaceAllocations, ThereAreNoneAfterWarmUp) {
  const Shape solid = Mesh(make::torus({.around = 40, .across = 20})).solid();
  const std::vector<Shape> others = {Shape(Sphere{0.1}),
                                     Shape(Capsule{0.1, 1}),
                                     Shape(Box{Vector3(0.3, 0.5, 0.1)}),
                                     Shape(HalfSpace{{0, 0, 1}, 0.2}),
                                     Shape(Plane{{0, 1, 1}, 0.3}),
                                     Shape(Segment{{0, 0, 0}, {1, 1, 0}}),
                                     Shape(Triangle{{0, 0, 0}, {1, 1, 0}, {0, 1, 1}})};
  std::vector<SurfaceHit> hits;
  std::vector<std::uint32_t> ids;
  double sum = 0;
  PairCache cache;
  const auto ask_all = [&] {
    auto random = test::seeded(601);
    for (int i = 0; i < 300; ++i) {
      const Pose pose(test::scenes::any_rotation(random), test::random_vector(random, 1));
      const Placed placed{solid, pose};
      const Vector3 p = test::random_vector(random, 2), q = test::random_vector(random, 2);
      Aabb box;
      box.include(p);
      box.include(q);
      sum += closest_point(placed, p).upper + signed_distance(placed, q).upper + (contains(placed, p) ? 1 : 0);
      sum += winding_number(placed, p).upper + winding_number(placed, q, {.tolerance = 0}).upper;
      cast_ray_all({p, q - p}, placed, line_range(), hits);
      sum += (ray_hits({p, q - p}, placed) ? 1 : 0) + (cast_ray({q, p - q}, placed, segment_range()) ? 1 : 0);
      triangles_in_box(placed, box, ids);
      triangles_in_sphere(placed, p, 0.5, ids);
      const Placed other{others[static_cast<std::size_t>(i) % others.size()], Pose(p)};
      sum += distance(placed, other, {.cache = &cache}).lower + (touches(placed, other, {.cache = &cache}) ? 1 : 0);
    }
  };
  ask_all();
  const std::size_t before = allocations.load();
  ask_all();
  EXPECT_EQ(allocations.load(), before);
  EXPECT_GT(before, 0u);
  EXPECT_GT(sum, 0);
}

TEST(SurfaceAllocations, OfCompoundsThereAreNoneAfterWarmUp) {
  const Shape ball = Mesh(make::icosphere()).solid();
  std::vector<CompoundPart> balls, mixed;
  auto place = test::seeded(602);
  for (int i = 0; i < 200; ++i) {
    balls.push_back({ball, test::random_pose(place, 8)});
    mixed.push_back({i % 3 == 0 ? Shape(Box{Vector3(1, 2, 1)}) : ball, test::random_pose(place, 8)});
  }
  mixed.push_back({HalfSpace{{0, 0, 1}, -7}, Pose()});
  const Shape meshes = Compound({{Compound(balls), Pose()}, {ball, Pose(Vector3(0, 9, 0))}});
  const Shape any = Compound({{Compound(mixed), Pose()}, {Sphere{1}, Pose(Vector3(0, 9, 0))}});
  std::vector<SurfaceHit> hits;
  double sum = 0;
  const auto ask_all = [&] {
    auto random = test::seeded(603);
    for (int i = 0; i < 300; ++i) {
      const Pose pose(test::scenes::any_rotation(random), test::random_vector(random, 1));
      const Vector3 p = test::random_vector(random, 9), q = test::random_vector(random, 9);
      sum += closest_point({meshes, pose}, p).upper + (contains({any, pose}, p) ? 1 : 0);
      cast_ray_all({p, q - p}, {meshes, pose}, line_range(), hits);
      sum += (ray_hits({p, q - p}, {any, pose}) ? 1 : 0) + (cast_ray({q, p - q}, {any, pose}) ? 1 : 0);
    }
  };
  ask_all();
  const std::size_t before = allocations.load();
  ask_all();
  EXPECT_EQ(allocations.load(), before);
  EXPECT_GT(sum, 0);
}

}  // namespace
}  // namespace whisker
