// What a user sees of whisker's classes, and that {} is a pose wherever one is asked for. Without Eigen/Geometry, which
// no public header includes.

#include <array>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/methods/methods.hpp>
#include <whisker/whisker.hpp>

#ifdef EIGEN_GEOMETRY_MODULE_H
#error "a public header includes Eigen/Geometry"
#endif

namespace whisker {
namespace {

// A user cannot reach what an object shares or owns.
template <class Object>
concept ShowsItsInside = requires(Object object) {
  object.storage();
}
|| requires(Object object) {
  object.storage_;
}
|| requires {
  typename Object::Storage;
};

static_assert(!ShowsItsInside<Mesh> && !ShowsItsInside<ConvexHull> && !ShowsItsInside<HeightField>);
static_assert(!ShowsItsInside<Compound> && !ShowsItsInside<CustomConvex> && !ShowsItsInside<DeformingMesh>);
static_assert(!ShowsItsInside<TetrahedralMesh> && !ShowsItsInside<NearMemory> && !ShowsItsInside<SphereSet>);
static_assert(!ShowsItsInside<SphereBody> && !ShowsItsInside<World> && !ShowsItsInside<SphereWorld>);
static_assert(!ShowsItsInside<ContactSchedule> && !ShowsItsInside<methods::VolumeTree> &&
              !ShowsItsInside<methods::SurfaceHierarchy>);
static_assert(!ShowsItsInside<methods::MarchingHull> && !ShowsItsInside<methods::HullLevels>);

template <class Cache>
concept ShowsItsMemory = requires(Cache cache) {
  cache.memory_;
}
|| requires(Cache cache) {
  cache.touching_a;
}
|| requires {
  typename Cache::Memory;
};
static_assert(!ShowsItsMemory<PairCache>);

template <class Hull>
concept ShowsItsTable = requires(const Hull& hull) {
  hull.support_table();
};
static_assert(!ShowsItsTable<ConvexHull>);

TEST(Braces, AreThePoseOfTheOrigin) {
  const Shape box = Box{.size = {2, 2, 2}};
  const Sphere ball{.radius = 1};
  EXPECT_TRUE(touches({box, {}}, {ball, {}}));
  EXPECT_EQ(distance({box, {}}, {ball, {}}).upper, 0);
  EXPECT_GT(depth({box, {}}, {ball, {}}).lower, 0);
  EXPECT_TRUE(cast_ray({{0, 0, 5}, {0, 0, -1}}, {box, {}}).has_value());
  EXPECT_TRUE(box.bounds({}).contains(Vector3(1, 1, 1)));

  const Compound both({{box, {}}, {ball, {}}});
  EXPECT_TRUE(touches({both, {}}, ball));
  const std::array<Pose, 2> poses = {{{}, {}}};
  std::array<bool, 2> answers = {};
  touches({box, {}}, Shape(ball), poses, answers);
  EXPECT_TRUE(answers[0] && answers[1]);

  World world;
  const BodyId body = world.add(box, {});
  EXPECT_TRUE(world.add(ball, {}, {.layers = 2}) != body);
  EXPECT_EQ(world.pose(body).translation(), Vector3::Zero());

  const std::vector<double> heights(4, 0.5);
  const auto hit = ray_height_field({{0.25, 0.5, 5}, {0, 0, -1}}, HeightField(heights, 2, 2, 1, 1), {});
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->point, Vector3(0.25, 0.5, 0.5));

  const Vector3 point(1, 2, 3);
  EXPECT_EQ(place({}, point), point);
  EXPECT_EQ(place_direction({}, point), point);
  EXPECT_EQ(compose({}, {}).translation(), Vector3::Zero());
  EXPECT_EQ(inverse({}).rotation(), Matrix3::Identity());
  EXPECT_EQ(start_of(screw({}, {})).translation(), Vector3::Zero());
  EXPECT_EQ(pose_at(Still{{}}, 0.5).translation(), Vector3::Zero());
  EXPECT_EQ(first_contact({box, Still{{}}}, {ball, Still{{}}}).time_lower, 0);

  const std::vector<Vector3> centers = {{0, 0, 0}};
  const std::vector<double> radii = {1};
  const SphereSet spheres(centers, radii);
  EXPECT_TRUE(touches({box, {}}, {spheres, {}}));
  const BoundingSphere volume{{0, 0, 0}, 1};
  EXPECT_TRUE(overlaps(volume, {}, volume, {}));
}

}  // namespace
}  // namespace whisker
