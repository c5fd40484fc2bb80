// Which closed meshes bound a convex body.

#include <gtest/gtest.h>

#include <whisker/make/make.hpp>

#include "shapes/mesh_storage.hpp"
#include "support/mesh_cases.hpp"

namespace whisker::test {
namespace {

bool is_convex(const MeshData& mesh) {
  return middle_of_convex(mesh).has_value();
}

TEST(Convexity, OfConvexModels) {
  for (const int parts : {1, 2, 5})
    EXPECT_TRUE(is_convex(make::box({.size_x = 3, .subdivisions = parts}))) << parts;
  for (const std::uint64_t seed : {1u, 2u, 3u})
    EXPECT_TRUE(is_convex(make::random_hull({.points = 200, .radius_z = 0.01, .seed = seed}))) << seed;
  EXPECT_TRUE(is_convex(make::icosphere({.subdivisions = 0})));
  EXPECT_TRUE(is_convex(moved(make::box(), {64, -32, 1024}))) << "exact after the move";
  for (const double scale : {0x1p-290, 0x1p290})
    EXPECT_TRUE(is_convex(scaled(make::box(), scale))) << scale;
}

TEST(Convexity, NotOfOthers) {
  EXPECT_FALSE(is_convex(make::torus()));
  EXPECT_FALSE(is_convex(make::block()));
  EXPECT_FALSE(is_convex(make::gear()));
  EXPECT_FALSE(is_convex(make::s_shape()));
  EXPECT_FALSE(is_convex(reversed(make::box()))) << "inside out";
  EXPECT_FALSE(is_convex(joined(make::box(), make::box()))) << "twice the same surface";
  EXPECT_FALSE(is_convex(joined(make::box(), moved(make::box(), {3, 0, 0})))) << "two bodies";
  EXPECT_FALSE(is_convex(joined(scaled(make::box(), 3), reversed(make::box())))) << "hollow";
}

TEST(Convexity, ADentOfTheLastBitCounts) {
  MeshData box = make::box({.subdivisions = 2});
  ASSERT_TRUE(is_convex(box));
  // The middle of a face, moved inward by one bit.
  for (Vector3& v : box.vertices)
    if (v == Vector3(0, 0, 0.5)) v[2] = std::nextafter(0.5, 0);
  EXPECT_FALSE(is_convex(box));
}

TEST(Convexity, TheMiddleIsInside) {
  const std::optional<Vector3> middle = middle_of_convex(moved(make::box(), {8, 0, 0}));
  ASSERT_TRUE(middle.has_value());
  EXPECT_LT((*middle - Vector3(8, 0, 0)).norm(), 0.2);
}

}  // namespace
}  // namespace whisker::test
