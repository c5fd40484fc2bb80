// A user-defined builder of spheres.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/make/make.hpp>
#include <whisker/mesh.hpp>
#include <whisker/spheres/sphere_set.hpp>
#include <whisker/spheres/sphere_tree.hpp>

#include "support/error_of.hpp"

namespace whisker {
namespace {

using test::error_of;

BoundingSphere ball_around(const Mesh& mesh) {
  return fit_sphere(mesh.vertices());
}

/// One sphere around everything, and another one below it, `depth` times.
class OneBall final : public SphereBuilder {
 public:
  SphereTree build_tree(const Mesh& solid, const SphereTreeOptions& options) const override {
    EXPECT_TRUE(solid.is_solid());
    SphereTree tree;
    tree.level_begin = {0};
    for (int level = 0; level <= options.depth; ++level) {
      const auto number = static_cast<std::uint32_t>(level);
      const bool is_leaf = level == options.depth;
      tree.nodes.push_back({.sphere = ball_around(solid),
                            .protrusion = 2 * ball_around(solid).radius,
                            .parent = level == 0 ? 0 : number - 1,
                            .first_child = is_leaf ? 0 : number + 1,
                            .child_count = is_leaf ? 0u : 1u});
      tree.level_begin.push_back(number + 1);
    }
    return tree;
  }
};

/// Builds sets too.
class OneBallSets final : public SphereBuilder {
 public:
  SphereTree build_tree(const Mesh&, const SphereTreeOptions&) const override { throw Error("no trees today"); }
  SphereSet build_set(const Mesh& solid, int most, const SphereSetOptions&) const override {
    EXPECT_TRUE(solid.is_solid());
    EXPECT_EQ(most, 5);
    const BoundingSphere ball = ball_around(solid);
    return {std::vector<Vector3>{ball.center}, std::vector<double>{ball.radius}};
  }
};

TEST(SphereBuilder, OfTheUsersOwnBuildsTheTree) {
  const Mesh mesh(make::block());
  const auto builder = std::make_shared<OneBall>();
  // The method is ignored, even an invalid one.
  const SphereTree tree =
      build_sphere_tree(mesh, {.method = static_cast<SphereTreeMethod>(77), .builder = builder, .depth = 2});
  ASSERT_EQ(tree.depth(), 2);
  EXPECT_EQ(check_coverage(tree.spheres(2), mesh).answer, Answer::yes);
  EXPECT_NE(error_of([&] { build_sphere_set(mesh, 5, {.builder = builder}); }).find("trees, not sets"),
            std::string::npos);
}

TEST(SphereBuilder, OfTheUsersOwnBuildsTheSet) {
  const Mesh mesh(make::block());
  const auto builder = std::make_shared<OneBallSets>();
  EXPECT_EQ(build_sphere_set(mesh, 5, {.method = SphereTreeMethod::octree, .builder = builder}).size(), 1u);
  EXPECT_EQ(error_of([&] { build_sphere_tree(mesh, {.builder = builder}); }), "no trees today");
}

TEST(SphereBuilder, IsAskedOnlyWithGoodOptionsAndSolids) {
  const auto builder = std::make_shared<OneBall>();
  EXPECT_NE(
      error_of([&] { build_sphere_tree(Mesh(make::box()), {.builder = builder, .depth = 0}); }).find("depth is 0"),
      std::string::npos);
  MeshData open = make::box();
  open.triangles.pop_back();
  EXPECT_NE(error_of([&] { build_sphere_tree(Mesh(open), {.builder = builder}); }).find("3 boundary edges"),
            std::string::npos);
  EXPECT_NE(error_of([&] { build_sphere_set(Mesh(open), 5, {.builder = builder}); }).find("3 boundary edges"),
            std::string::npos);
}

}  // namespace
}  // namespace whisker
