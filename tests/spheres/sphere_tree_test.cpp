// Sphere trees: every level covers the whole mesh, whatever the mesh, and their reported fit is true.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/make/make.hpp>
#include <whisker/mesh.hpp>
#include <whisker/mesh_queries.hpp>
#include <whisker/spheres/sphere_tree.hpp>

#include "spheres/sphere_methods.hpp"
#include "support/cases.hpp"
#include "support/error_of.hpp"
#include "support/reference_polytope.hpp"

namespace whisker {
namespace {

using test::cases;
using test::error_of;
using test::Rational;
using test::seeded;
using test::uniform;

using Method = test::SphereMethod;
const Method all_methods[] = {Method::octree, Method::solid_octree, Method::grid,  Method::hybrid,  Method::merge,
                              Method::burst,  Method::expand,       Method::spawn, Method::combined};

bool is_octree(const Method& method) {
  return method == Method::octree || method == Method::solid_octree;
}

struct Named {
  std::string name;
  MeshData data;
};

void append(MeshData& to, const MeshData& more, const Vector3& shift) {
  const auto first = static_cast<std::uint32_t>(to.vertices.size());
  for (const Vector3& v : more.vertices)
    to.vertices.push_back(v + shift);
  for (const Index3& t : more.triangles)
    to.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
}

MeshData scaled(MeshData data, double factor, const Vector3& shift = Vector3::Zero()) {
  for (Vector3& v : data.vertices)
    v = factor * v + shift;
  return data;
}

std::vector<Named> meshes() {
  MeshData apart = make::box();
  append(apart, make::icosphere({.subdivisions = 1}), {5, 0, 0});
  append(apart, make::box({.size_x = 0.01}), {0, 40, 0});
  MeshData nested = make::icosphere({.subdivisions = 2});
  append(nested, make::box({.size_x = 0.2, .size_y = 0.2, .size_z = 0.2}), Vector3::Zero());
  // Two triangles back to back: closed, without an interior.
  const MeshData flat{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0.5}}, {{0, 1, 2}, {0, 2, 1}}};
  MeshData needle = make::box({.size_x = 100, .size_y = 1e-3, .size_z = 1e-4});
  return {{"box", make::box({.size_x = 2})},
          {"s", make::s_shape({.along = 8, .across = 10})},
          {"block", make::block()},
          {"chair", make::chair()},
          {"apart", apart},
          {"nested", nested},
          {"flat", flat},
          {"needle", needle},
          {"tetrahedron", {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}}}},
          {"tiny", scaled(make::block(), 1e-88)},
          {"huge", scaled(make::block(), 1e88)},
          {"far", scaled(make::block(), 1e-9, {1e3, -2e3, 5e2})}};
}

#if defined(__SANITIZE_ADDRESS__)
constexpr int small_samples = 20, small_pieces = 60;  // building is slow with sanitizers
#else
constexpr int small_samples = 60, small_pieces = 200;
#endif

SphereTree small_tree(const MeshData& data, const Method& method) {
  return build_sphere_tree(Mesh(data), {.method = method.method,
                                        .builder = method.builder,
                                        .depth = 2,
                                        .branching = 6,
                                        .samples = small_samples,
                                        .pieces = small_pieces});
}

/// A tree of one of the meshes by one of the methods.
struct Built {
  std::string name;
  Mesh mesh;
  Method method;
  SphereTree tree;
};
const std::vector<Built>& all_trees() {
  static const std::vector<Built> trees = [] {
    std::vector<Built> result;
    for (const Named& mesh : meshes()) {
      for (const Method& method : all_methods) {
        result.push_back({mesh.name + ", " + method.name, Mesh(mesh.data), method, small_tree(mesh.data, method)});
      }
    }
    return result;
  }();
  return trees;
}

/// Whether a point of a triangle, with the exact weights i/64, j/64 and the rest, lies in one of the spheres, in
/// rationals. The sphere that seems to hold it best is tried first: rationals are slow with sanitizers.
bool exactly_covered(const std::vector<BoundingSphere>& spheres, const Triangle& t, int i, int j) {
  Rational point[3];
  for (int k = 0; k < 3; ++k)
    point[k] = (Rational(t.a[k]) * i + Rational(t.b[k]) * j + Rational(t.c[k]) * (64 - i - j)) / 64;
  const auto holds = [&](const BoundingSphere& s) {
    Rational squared = 0;
    for (int k = 0; k < 3; ++k)
      squared += (point[k] - Rational(s.center[k])) * (point[k] - Rational(s.center[k]));
    return squared <= Rational(s.radius) * Rational(s.radius);
  };
  const Vector3 rounded = t.a * (i / 64.0) + t.b * (j / 64.0) + t.c * ((64 - i - j) / 64.0);
  const auto sticks_out = [&](const BoundingSphere& s) { return (rounded - s.center).norm() - s.radius; };
  const auto deepest = std::min_element(spheres.begin(), spheres.end(),
                                        [&](const auto& a, const auto& b) { return sticks_out(a) < sticks_out(b); });
  return (deepest != spheres.end() && holds(*deepest)) || std::any_of(spheres.begin(), spheres.end(), holds);
}

TEST(SphereTree, EveryLevelCoversEveryTriangle) {
  for (const Built& built : all_trees()) {
    SCOPED_TRACE(built.name);
    for (int level = 0; level <= built.tree.depth(); ++level) {
      const Coverage coverage = check_coverage(built.tree.spheres(level), built.mesh);
      EXPECT_EQ(coverage.answer, Answer::yes) << "level " << level << ", triangle " << coverage.triangle;
      if (built.tree.min_error.empty()) continue;
      const Coverage second = check_coverage(built.tree.min_error_tree().spheres(level), built.mesh);
      EXPECT_EQ(second.answer, Answer::yes) << "level " << level << ", triangle " << second.triangle;
    }
  }
}

TEST(SphereTree, RandomPointsOfTrianglesAreInASphereInRationalArithmetic) {
  auto random = seeded(9201);
  for (const Built& built : all_trees()) {
    for (int level = 0; level <= built.tree.depth(); ++level) {
      const std::vector<BoundingSphere> spheres = built.tree.spheres(level);
      for (std::size_t n = 0; n < cases(20); ++n) {
        const auto t = static_cast<std::size_t>(uniform(random, 0, static_cast<double>(built.mesh.triangle_count())));
        const int i = static_cast<int>(uniform(random, 0, 65));
        const int j = static_cast<int>(uniform(random, 0, 65 - i));
        ASSERT_TRUE(exactly_covered(spheres, built.mesh.triangle(t), i, j))
            << built.name << ", level " << level << ", triangle " << t << ", weights " << i << " " << j;
      }
    }
  }
}

TEST(SphereTree, ChildrenTogetherCoverWhatTheirParentAloneCovers) {
  // A point of the surface that is in only one sphere of a level must be in a child of that sphere.
  auto random = seeded(9202);
  std::size_t asked = 0;
  for (const Method& method : all_methods) {
    const Mesh mesh(make::s_shape({.along = 8, .across = 10}));
    const SphereTree tree = small_tree(make::s_shape({.along = 8, .across = 10}), method);
    for (std::size_t n = 0; n < cases(2000); ++n) {
      const Triangle t =
          mesh.triangle(static_cast<std::size_t>(uniform(random, 0, static_cast<double>(mesh.triangle_count()))));
      const double u = uniform(random, 0, 1), v = uniform(random, 0, 1 - u);
      const Vector3 point = u * t.a + v * t.b + (1 - u - v) * t.c;
      const auto holds = [&](std::uint32_t i) {
        return (tree.nodes[i].sphere.center - point).norm() <= tree.nodes[i].sphere.radius * (1 + 1e-12);
      };
      for (int level = 0; level < tree.depth(); ++level) {
        const std::vector<std::uint32_t> cut = tree.cut(level);
        if (std::count_if(cut.begin(), cut.end(), holds) != 1) continue;
        const SphereTreeNode& node = tree.nodes[*std::find_if(cut.begin(), cut.end(), holds)];
        if (node.child_count == 0) continue;
        ++asked;
        bool held = false;
        for (std::uint32_t i = 0; i < node.child_count; ++i)
          held = held || holds(node.first_child + i);
        ASSERT_TRUE(held) << point.transpose();
      }
    }
  }
  EXPECT_GT(asked, cases(1000));
}

TEST(SphereTree, NumbersOfNodesAgree) {
  for (const Built& built : all_trees()) {
    SCOPED_TRACE(built.name);
    const SphereTree& tree = built.tree;
    ASSERT_GE(tree.level_begin.size(), 2u);
    EXPECT_EQ(tree.level_begin.front(), 0u);
    EXPECT_EQ(tree.level_begin.back(), tree.nodes.size());
    EXPECT_LE(tree.depth(), 2);
    std::vector<int> parents(tree.nodes.size(), 0);
    for (std::uint32_t n = 0; n < tree.nodes.size(); ++n) {
      const SphereTreeNode& node = tree.nodes[n];
      EXPECT_LE(node.child_count, 8u);
      EXPECT_TRUE(node.sphere.center.allFinite() && std::isfinite(node.sphere.radius));
      for (std::uint32_t i = 0; i < node.child_count; ++i) {
        ASSERT_LT(node.first_child + i, tree.nodes.size());
        EXPECT_EQ(tree.nodes[node.first_child + i].parent, n);
        ++parents[node.first_child + i];
      }
    }
    EXPECT_TRUE(std::all_of(parents.begin() + 1, parents.end(), [](int count) { return count == 1; }));
    EXPECT_EQ(parents[0], 0);
  }
}

TEST(SphereTree, SolidOctreesCoverTheInside) {
  auto random = seeded(9203);
  std::size_t inside = 0, left_out = 0;
  for (const MeshData& data : {make::icosphere({.subdivisions = 2}), make::block()}) {
    const Mesh solid = Mesh(data).solid();
    const SphereTreeOptions options{.method = SphereTreeMethod::solid_octree, .depth = 4, .good_enough = 0};
    const SphereTree tree = build_sphere_tree(solid, options);
    const SphereTree hollow =
        build_sphere_tree(solid, {.method = SphereTreeMethod::octree, .depth = 4, .good_enough = 0});
    const auto covered = [](const std::vector<BoundingSphere>& spheres, const Vector3& point) {
      return std::any_of(spheres.begin(), spheres.end(),
                         [&](const BoundingSphere& s) { return (s.center - point).norm() <= s.radius; });
    };
    for (std::size_t n = 0; n < cases(500); ++n) {
      const Vector3 point(uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1));
      if (!contains(solid, point)) continue;
      ++inside;
      for (int level = 0; level <= tree.depth(); ++level)
        ASSERT_TRUE(covered(tree.spheres(level), point)) << point.transpose() << ", level " << level;
      left_out += covered(hollow.spheres(4), point) ? 0u : 1u;
    }
  }
  EXPECT_GT(inside, cases(100));
  EXPECT_GT(left_out, 0u) << "the hollow octree should be hollow";
}

TEST(SphereTree, NoPointOfASphereIsFartherFromTheSolidThanItsProtrusion) {
  auto random = seeded(9204);
  for (const MeshData& data : {make::s_shape({.along = 8, .across = 10}), make::block()}) {
    const Mesh solid = Mesh(data).solid();
    for (const Method& method : all_methods) {
      const SphereTree tree = small_tree(data, method);
      for (const SphereTreeNode& node : tree.nodes) {
        for (std::size_t n = 0; n < cases(5); ++n) {
          const Vector3 direction(uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1));
          const Vector3 point = node.sphere.center + node.sphere.radius * direction.normalized();
          ASSERT_LE(signed_distance(solid, point).lower, node.protrusion + 1e-12);
        }
      }
    }
  }
}

TEST(SphereTree, ChildrenProtrusionNoMoreThanTheirParent) {
  for (const Built& built : all_trees()) {
    if (is_octree(built.method)) continue;
    // For a hybrid tree, this is guaranteed for the second spheres.
    const std::vector<SphereTreeNode> nodes = built.tree.min_error_tree().nodes;
    for (std::uint32_t n = 1; n < nodes.size(); ++n)
      ASSERT_LE(nodes[n].protrusion, nodes[nodes[n].parent].protrusion) << built.name << ", node " << n;
  }
}

TEST(SphereTree, LevelReportsOrderMethodsAndLevels) {
  const Mesh mesh(make::s_shape({.along = 16, .across = 16}));
  const auto worst = [&](const Method& method) {
    const SphereTree built = build_sphere_tree(mesh, {.method = method.method,
                                                      .builder = method.builder,
                                                      .depth = 2,
                                                      .branching = 6,
                                                      .samples = 200,
                                                      .pieces = 800});
    const SphereTree tree = built.min_error_tree();
    const LevelReport report = report_level(tree, 2, mesh);
    EXPECT_EQ(report.spheres, tree.cut(2).size());
    for (const Interval& x : {report.worst, report.mean, report.root_mean_square})
      EXPECT_LE(x.lower, x.upper);
    EXPECT_LE(report.mean.upper, report.root_mean_square.upper);
    EXPECT_LE(report.root_mean_square.upper, report.worst.upper);
    EXPECT_EQ(report.worst.upper, tree.protrusion(2));
    EXPECT_LT(report.worst.upper, report_level(tree, 0, mesh).worst.upper);
    return report.worst.upper;
  };
  const double grid = worst(Method::grid);
  EXPECT_LT(grid, worst(Method::octree));
  EXPECT_LT(worst(Method::hybrid), grid);
  for (const Method& method : {Method::merge, Method::burst, Method::expand, Method::spawn, Method::combined})
    EXPECT_LT(worst(method), grid) << method.name;
}

TEST(SphereTree, OnTheFirstLevelCombinedIsNoWorseThanMergeAndExpand) {
  for (const Named& mesh : meshes()) {
    const auto worst = [&](const Method& method) {
      return build_sphere_tree(
                 Mesh(mesh.data),
                 {.method = method.method, .builder = method.builder, .depth = 1, .samples = 60, .pieces = 200})
          .protrusion(1);
    };
    const double combined = worst(Method::combined);
    EXPECT_LE(combined, worst(Method::merge) * (1 + 1e-9)) << mesh.name;
    EXPECT_LE(combined, worst(Method::expand) * (1 + 1e-9)) << mesh.name;
  }
}

TEST(SphereTree, ATargetIsReachedOrTheTreeSaysWhatWas) {
  const Mesh mesh(make::block());
  SphereTreeOptions options{.depth = 1, .branching = 4, .samples = 40, .pieces = 100, .protrusion = 0.2};
  for (const Method& method : {Method::octree, Method::grid, Method::hybrid, Method::combined}) {
    options.method = method.method;
    options.builder = method.builder;
    const SphereTree tree = build_sphere_tree(mesh, options).min_error_tree();
    EXPECT_GT(tree.depth(), 1);
    EXPECT_LE(tree.protrusion(tree.depth()), options.protrusion);
    // Nodes that are good enough are not split.
    for (const SphereTreeNode& node : tree.nodes)
      EXPECT_EQ(node.child_count == 0, node.protrusion <= options.protrusion);
  }
  // Two triangles back to back: spheres protrude as far as they are large.
  const Mesh flat(MeshData{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0.5}}, {{0, 1, 2}, {0, 2, 1}}});
  const SphereTree tree =
      build_sphere_tree(flat, {.builder = methods::grid_builder(), .branching = 2, .pieces = 16, .protrusion = 1e-3});
  EXPECT_EQ(tree.depth(), 10);
  EXPECT_GT(tree.protrusion(10), 1e-3);
}

TEST(SphereTree, ProgressOnlyGrowsAndEndsWithAll) {
  for (const Method& method : all_methods) {
    std::vector<std::size_t> done;
    std::size_t all = 0;
    SphereTreeOptions options{
        .method = method.method, .builder = method.builder, .depth = 2, .branching = 3, .samples = 50, .pieces = 100};
    options.progress = [&](std::size_t parts_done, std::size_t parts) {
      EXPECT_TRUE(all == 0 || all == parts);
      all = parts;
      done.push_back(parts_done);
    };
    build_sphere_tree(Mesh(make::block()), options);
    ASSERT_FALSE(done.empty()) << method.name;
    EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
    EXPECT_EQ(std::adjacent_find(done.begin(), done.end()), done.end());
    EXPECT_EQ(done.back(), all);
    options.progress = [](std::size_t, std::size_t) { throw Error("enough"); };
    EXPECT_THROW(build_sphere_tree(Mesh(make::block()), options), Error);
  }
}

TEST(SphereTree, TheProtrusionOfASphereAroundACubeIsThatOfItsFaces) {
  const Mesh cube(make::box());
  const SphereTree tree = build_sphere_tree(cube, {.method = SphereTreeMethod::octree, .depth = 1});
  const LevelReport report = report_level(tree, 0, cube, {.samples_per_sphere = 6});
  EXPECT_NEAR(report.worst.upper, std::sqrt(0.75) - 0.5, 1e-12);
  EXPECT_NEAR(report.worst.lower, std::sqrt(0.75) - 0.5, 1e-12);
}

TEST(SphereTree, TheSameInputGivesTheSameTreeAndAnotherSeedAnother) {
  const MeshData data = make::s_shape({.along = 8, .across = 10});
  const auto numbers = [](const SphereTree& tree) {
    std::vector<double> all;
    for (const SphereTreeNode& node : tree.nodes) {
      all.insert(all.end(), {node.sphere.center[0], node.sphere.center[1], node.sphere.center[2], node.sphere.radius,
                             node.protrusion, static_cast<double>(node.first_child)});
    }
    return all;
  };
  for (const Method& method : all_methods)
    EXPECT_EQ(numbers(small_tree(data, method)), numbers(small_tree(data, method)));
  const SphereTreeOptions other{.method = SphereTreeMethod::merge,
                                .depth = 2,
                                .branching = 6,
                                .samples = small_samples,
                                .pieces = small_pieces,
                                .seed = 2};
  EXPECT_NE(numbers(small_tree(data, Method::merge)), numbers(build_sphere_tree(Mesh(data), other)));
}

TEST(SphereTree, ABallIsOneSphere) {
  const SphereTree tree = build_sphere_tree(Mesh(make::icosphere({.subdivisions = 3})));
  EXPECT_EQ(tree.nodes.size(), 1u);
  EXPECT_EQ(tree.cut(3), std::vector<std::uint32_t>{0});
}

TEST(SphereTree, BadInputIsAnErrorThatSaysWhatIsWrong) {
  const Mesh box(make::box());
  MeshData open = make::box();
  open.triangles.pop_back();
  EXPECT_NE(error_of([&] { build_sphere_tree(Mesh(open)); }).find("3 boundary edges"), std::string::npos);
  MeshData inside_out = make::box();
  for (Index3& t : inside_out.triangles)
    std::swap(t[0], t[1]);
  EXPECT_NE(error_of([&] { build_sphere_tree(Mesh(inside_out)); }).find("inside out"), std::string::npos);
  const MeshData point{{Vector3::Ones()}, {{0, 0, 0}}};
  EXPECT_NE(error_of([&] { build_sphere_tree(Mesh(point)); }).find("not closed"), std::string::npos);
  for (const double size : {1e-100, 1e89}) {
    const Mesh mesh(scaled(make::box(), size));
    EXPECT_NE(error_of([&] { build_sphere_tree(mesh); }).find("from 1e-88 to 1e88"), std::string::npos);
  }
  EXPECT_NE(error_of([&] { build_sphere_tree(box, {.depth = 0}); }).find("depth is 0"), std::string::npos);
  EXPECT_NE(error_of([&] { build_sphere_tree(box, {.branching = 1}); }).find("branching is 1"), std::string::npos);
  EXPECT_NE(error_of([&] { build_sphere_tree(box, {.samples = 1}); }).find("samples is 1"), std::string::npos);
  EXPECT_NE(error_of([&] { build_sphere_tree(box, {.pieces = -4}); }).find("pieces is -4"), std::string::npos);
  EXPECT_NE(error_of([&] { build_sphere_tree(box, {.good_enough = NAN}); }).find("good_enough"), std::string::npos);
  EXPECT_NE(error_of([&] { build_sphere_tree(box, {.protrusion = -1}); }).find("protrusion"), std::string::npos);
  EXPECT_NE(
      error_of([&] { build_sphere_tree(box, {.optimize = SphereOptimization{.rounds = 0}}); }).find("rounds is 0"),
      std::string::npos);
  EXPECT_NE(error_of([&] {
              build_sphere_tree(box, {.optimize = SphereOptimization{.worst_weight = -1}});
            }).find("worst_weight"),
            std::string::npos);
  EXPECT_NE(error_of([&] { build_sphere_tree(box, {.balance = SphereBalance{.slowness = 0}}); }).find("slowness"),
            std::string::npos);
  EXPECT_NE(error_of([&] { build_sphere_tree(box, {.balance = SphereBalance{.decay = NAN}}); }).find("decay"),
            std::string::npos);
  EXPECT_NE(
      error_of([&] { build_sphere_tree(box, {.method = static_cast<SphereTreeMethod>(77)}); }).find("SphereTreeMethod"),
      std::string::npos);
  const SphereTree tree = build_sphere_tree(box, {.method = SphereTreeMethod::octree});
  EXPECT_NE(error_of([&] { tree.cut(-1); }).find("level -1"), std::string::npos);
  EXPECT_EQ(tree.cut(99), tree.cut(3));
}

}  // namespace
}  // namespace whisker
