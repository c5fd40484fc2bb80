// Flat sets of spheres: no more than requested, covering, for a number or a target, and the same on any number of
// threads; likewise for trees.

#include <algorithm>
#include <string>
#include <tbb/global_control.h>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/make/make.hpp>
#include <whisker/mesh.hpp>
#include <whisker/spheres/sphere_set.hpp>
#include <whisker/spheres/sphere_tree.hpp>

#include "spheres/sphere_methods.hpp"
#include "support/error_of.hpp"

namespace whisker {
namespace {

using test::error_of;

using Method = test::SphereMethod;
const Method set_methods[] = {Method::merge, Method::burst, Method::expand, Method::spawn, Method::combined};

std::vector<BoundingSphere> spheres_of(const SphereSet& set) {
  std::vector<BoundingSphere> spheres;
  for (std::size_t i = 0; i < set.size(); ++i)
    spheres.push_back({set.center(i), set.radius(i)});
  return spheres;
}

std::vector<double> numbers_of(const SphereSet& set) {
  std::vector<double> numbers;
  for (const auto& row : {set.x(), set.y(), set.z(), set.radii()})
    numbers.insert(numbers.end(), row.begin(), row.end());
  return numbers;
}

std::vector<double> numbers_of(const SphereTree& tree) {
  std::vector<double> numbers;
  for (const SphereTreeNode& node : tree.nodes) {
    numbers.insert(numbers.end(), {node.sphere.center[0], node.sphere.center[1], node.sphere.center[2],
                                   node.sphere.radius, node.protrusion, static_cast<double>(node.first_child)});
  }
  return numbers;
}

TEST(BuildSphereSet, CoversWithNoMoreSpheresThanAskedFor) {
  const MeshData flat{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0.5}}, {{0, 1, 2}, {0, 2, 1}}};
  for (const MeshData& data : {make::s_shape({.along = 6, .across = 6}), make::box({.size_x = 3}), flat}) {
    const Mesh mesh(data);
    for (const Method& method : set_methods) {
      for (const int most : {1, 12}) {
        const SphereSet set = build_sphere_set(
            mesh, most, {.method = method.method, .builder = method.builder, .samples = 60, .pieces = 150});
        EXPECT_LE(set.size(), static_cast<std::size_t>(most));
        EXPECT_EQ(check_coverage(spheres_of(set), mesh).answer, Answer::yes);
      }
    }
  }
}

TEST(BuildSphereSet, MoreSpheresThanAreLookedForAtOnce) {
  const Mesh mesh(make::box({.size_x = 3}));
  const SphereSet some = build_sphere_set(mesh, 20, {.method = SphereTreeMethod::merge, .samples = 60, .pieces = 150});
  const SphereSet many = build_sphere_set(mesh, 90, {.method = SphereTreeMethod::merge, .samples = 60, .pieces = 150});
  EXPECT_GT(many.size(), 64u);
  EXPECT_LE(many.size(), 90u);
  EXPECT_LT(protrusion(many, mesh), protrusion(some, mesh));
  EXPECT_EQ(check_coverage(spheres_of(many), mesh).answer, Answer::yes);
}

TEST(BuildSphereSet, ATargetIsReachedWithFewSpheresOrAllAreUsed) {
  const Mesh mesh(make::box({.size_x = 3}));
  SphereSetOptions options{.method = SphereTreeMethod::merge, .samples = 60, .pieces = 150};
  const double of_twelve = protrusion(build_sphere_set(mesh, 12, options), mesh);
  options.protrusion = 1.02 * of_twelve;
  const SphereSet reached = build_sphere_set(mesh, 100, options);
  EXPECT_LE(protrusion(reached, mesh), options.protrusion);
  EXPECT_LE(reached.size(), 16u);
  const SphereSet not_reached = build_sphere_set(mesh, 5, options);
  EXPECT_EQ(not_reached.size(), 5u);
  EXPECT_GT(protrusion(not_reached, mesh), options.protrusion);
}

TEST(BuildSphereSet, ProgressGrowsAndEndsWithAll) {
  SphereSetOptions options{.method = SphereTreeMethod::merge, .samples = 60, .pieces = 150};
  std::vector<std::size_t> done;
  options.progress = [&](std::size_t parts_done, std::size_t parts) {
    EXPECT_LE(parts_done, parts);
    done.push_back(parts_done);
  };
  build_sphere_set(Mesh(make::box()), 70, options);
  ASSERT_FALSE(done.empty());
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
  EXPECT_EQ(done.back(), 70u);
}

TEST(BuildSphereSet, TreesAndSetsAreTheSameOnAnyNumberOfThreads) {
  const Mesh mesh(make::s_shape({.along = 8, .across = 8}));
  const auto tree_of = [&](const Method& method) {
    SphereTreeOptions options{
        .method = method.method, .builder = method.builder, .depth = 2, .branching = 4, .samples = 60, .pieces = 200};
    if (method == Method::burst) options.balance = SphereBalance{};
    if (method == Method::expand) options.shift_planes = true;
    return numbers_of(build_sphere_tree(mesh, options));
  };
  const auto set_of = [&] {
    return numbers_of(build_sphere_set(mesh, 70, {.method = SphereTreeMethod::merge, .samples = 60, .pieces = 200}));
  };
  for (const Method& method : {Method::hybrid, Method::burst, Method::expand, Method::combined}) {
    std::vector<double> one;
    {
      const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
      one = tree_of(method);
    }
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 4);
    EXPECT_EQ(tree_of(method), one) << method.name;
  }
  std::vector<double> one;
  {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
    one = set_of();
  }
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 4);
  EXPECT_EQ(set_of(), one);
}

TEST(BuildSphereSet, BadInputIsAnErrorThatSaysWhatIsWrong) {
  const Mesh box(make::box());
  MeshData open = make::box();
  open.triangles.pop_back();
  EXPECT_NE(error_of([&] { build_sphere_set(Mesh(open), 8); }).find("3 boundary edges"), std::string::npos);
  EXPECT_NE(error_of([&] { build_sphere_set(box, 0); }).find("max_count is 0"), std::string::npos);
  EXPECT_NE(error_of([&] { build_sphere_set(box, 10'001); }).find("max_count is 10001"), std::string::npos);
  EXPECT_NE(
      error_of([&] { build_sphere_set(box, 8, {.method = SphereTreeMethod::octree}); }).find("the method must be"),
      std::string::npos);
  for (const Method& method : {Method::grid, Method::hybrid, Method::hubbard}) {
    EXPECT_NE(error_of([&] { build_sphere_set(box, 8, {.builder = method.builder}); }).find("trees, not sets"),
              std::string::npos);
  }
  EXPECT_NE(error_of([&] { build_sphere_set(box, 8, {.protrusion = -1}); }).find("protrusion"), std::string::npos);
  EXPECT_NE(error_of([&] { build_sphere_set(box, 8, {.pieces = 1}); }).find("pieces is 1"), std::string::npos);
  MeshData tiny = make::box();
  for (Vector3& v : tiny.vertices)
    v *= 1e-100;
  EXPECT_NE(error_of([&] { build_sphere_set(Mesh(tiny), 8); }).find("from 1e-88"), std::string::npos);
}

}  // namespace
}  // namespace whisker
