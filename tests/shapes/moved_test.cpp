// A mesh whose vertices have moved answers like one that is built from them.

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/make/make.hpp>
#include <whisker/mesh_tree.hpp>
#include <whisker/queries.hpp>

#include "support/cases.hpp"

namespace whisker {
namespace {

using Deformation = std::function<Vector3(const Vector3&)>;

std::vector<Vector3> deformed(const Mesh& mesh, const Deformation& deform) {
  std::vector<Vector3> vertices;
  for (const Vector3& v : mesh.vertices())
    vertices.push_back(deform(v));
  return vertices;
}

Mesh built(const Mesh& mesh, const std::vector<Vector3>& vertices) {
  return Mesh(MeshData{vertices, {mesh.triangles().begin(), mesh.triangles().end()}});
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs_of(const Contacts& contacts) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const Contact& c : contacts.pairs)
    pairs.emplace_back(c.a.id, c.b.id);
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

void expect_same_answers(const Mesh& moved, const Mesh& fresh, std::uint64_t stream) {
  const Shape a = moved, b = fresh;
  const Mesh torus(make::torus({.major = 0.5, .minor = 0.2, .around = 24, .across = 12}));
  const Shape probe = torus;
  const Shape ball = Sphere{0.3};
  auto random = test::seeded(stream);
  const Aabb box = fresh.bounds();
  EXPECT_EQ(moved.bounds().lower, box.lower);
  EXPECT_EQ(moved.bounds().upper, box.upper);
  std::size_t touching = 0;
  const std::size_t count = test::cases(60);
  for (std::size_t i = 0; i < count; ++i) {
    Vector3 at;
    for (int k = 0; k < 3; ++k)
      at[k] = test::uniform(random, box.lower[k] - 0.6, box.upper[k] + 0.6);
    const Vector3 axis = Vector3(test::uniform(random, -1, 1), test::uniform(random, -1, 1), 1).normalized();
    Pose pose(Eigen::AngleAxisd(test::uniform(random, -3, 3), axis).toRotationMatrix(), at);
    // Every third probe has a corner at a vertex of the mesh, wherever the deformation moved that vertex, so that its
    // surface intersects the mesh there, however small the mesh is.
    if (i % 3 == 0) {
      const Vector3 &corner = fresh.vertices()[i * 7 % fresh.vertices().size()], &own = torus.vertices()[i % 12];
      pose = Pose(Vector3(corner - own));
    }
    const bool touch = touches(b, {probe, pose});
    touching += touch ? 1u : 0u;
    EXPECT_EQ(touches(a, {probe, pose}), touch) << i;
    EXPECT_EQ(touches(a, {ball, pose}), touches(b, {ball, pose})) << i;
    EXPECT_EQ(pairs_of(contacts(a, {probe, pose})), pairs_of(contacts(b, {probe, pose}))) << i;
    const Distance found = distance(a, {probe, pose}), truth = distance(b, {probe, pose});
    EXPECT_NEAR(found.value(), truth.value(), 1e-12 * truth.value() + 1e-14) << i;
    const auto hit = cast_ray({at, axis}, a), expected = cast_ray({at, axis}, b);
    ASSERT_EQ(hit.has_value(), expected.has_value()) << i;
    EXPECT_EQ(hit ? hit->t : 0, hit ? expected->t : 0) << i;
  }
  EXPECT_GT(touching, 0u);
  EXPECT_LT(touching, count);
}

TEST(Moved, GivesTheAnswersOfAMeshBuiltAnew) {
  const Mesh mesh(make::icosphere({.radius = 1, .subdivisions = 3}));
  const std::vector<Vector3> vertices =
      deformed(mesh, [](const Vector3& v) { return Vector3(v.x() + 0.2 * std::sin(3 * v.y()), v.y(), 1.3 * v.z()); });
  expect_same_answers(mesh.moved(vertices), built(mesh, vertices), 71);
}

TEST(Moved, IsRightAfterALargeDeformationToo) {
  // Scrambled: neighbors in the tree are all over the place.
  const Mesh mesh(make::cloth_sheet({.columns = 16, .rows = 16}));
  auto random = test::seeded(72);
  std::vector<Vector3> vertices = deformed(mesh, [&](const Vector3&) {
    return Vector3(test::uniform(random, -2, 2), test::uniform(random, -2, 2), test::uniform(random, -2, 2));
  });
  expect_same_answers(mesh.moved(vertices), built(mesh, vertices), 73);
  // Of another size, and far away.
  vertices = deformed(mesh, [](const Vector3& v) { return Vector3(1e-3 * v + Vector3(5000, 0, 0)); });
  expect_same_answers(mesh.moved(vertices), built(mesh, vertices), 74);
}

TEST(Moved, LeavesTheMeshThatItCameFromAlone) {
  const Mesh mesh(make::box());
  const std::vector<Vector3> vertices = deformed(mesh, [](const Vector3& v) { return Vector3(v + Vector3(5, 0, 0)); });
  const Mesh moved = mesh.moved(vertices);
  EXPECT_EQ(mesh.bounds().upper.x(), 0.5);
  EXPECT_EQ(moved.bounds().upper.x(), 5.5);
  EXPECT_TRUE(touches(Shape(mesh), {Sphere{0.1}, Pose(Vector3(0.5, 0, 0))}));
  EXPECT_FALSE(touches(Shape(moved), {Sphere{0.1}, Pose(Vector3(0.5, 0, 0))}));
}

TEST(Moved, WhereNothingMovedTheTreeIsTheSame) {
  const Mesh mesh(make::gear({.teeth = 16}));
  const Mesh moved = mesh.moved(mesh.vertices());
  EXPECT_EQ(moved.tree_report().surface_cost, mesh.tree_report().surface_cost);
  const Shape probe = Sphere{1};
  for (const double x : {0.0, 4.0, 8.0, 12.0}) {
    Cost before, after;
    touches(Shape(mesh), {probe, Pose(Vector3(x, 0, 0))}, &before);
    touches(Shape(moved), {probe, Pose(Vector3(x, 0, 0))}, &after);
    EXPECT_EQ(before.volume_tests, after.volume_tests);
  }
}

TEST(Moved, ASolidStaysOneOnlyWhileItBoundsOne) {
  const Mesh box = Mesh(make::box()).solid();
  const Mesh larger = box.moved(deformed(box, [](const Vector3& v) { return Vector3(2 * v); }));
  EXPECT_TRUE(larger.is_solid());
  EXPECT_DOUBLE_EQ(larger.volume(), 8);
  EXPECT_TRUE(touches(Shape(larger), Sphere{0.1}));
  const Mesh mirrored = box.moved(deformed(box, [](const Vector3& v) { return Vector3(-v.x(), v.y(), v.z()); }));
  EXPECT_FALSE(mirrored.is_solid());
  EXPECT_FALSE(mirrored.can_be_solid());
  // Vertices at the same position count as one: pulling them apart opens a gap.
  MeshData torn = make::box();
  for (Index3& triangle : torn.triangles) {
    for (std::uint32_t& corner : triangle) {
      torn.vertices.push_back(torn.vertices[corner]);
      corner = static_cast<std::uint32_t>(torn.vertices.size() - 1);
    }
  }
  const Mesh soup = Mesh(torn).solid();
  std::vector<Vector3> vertices(soup.vertices().begin(), soup.vertices().end());
  vertices.back().x() += 0.1;
  EXPECT_FALSE(soup.moved(vertices).is_solid());
  const Mesh surface(make::box());
  EXPECT_FALSE(surface.moved(surface.vertices()).is_solid());  // no solid was requested
}

TEST(Moved, BadVerticesAreErrors) {
  const Mesh mesh(make::box());
  std::vector<Vector3> vertices(mesh.vertices().begin(), mesh.vertices().end());
  vertices[3].y() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(mesh.moved(vertices), Error);
  vertices[3].y() = 1e91;
  EXPECT_THROW(mesh.moved(vertices), Error);
  vertices.pop_back();
  try {
    mesh.moved(vertices);
    FAIL() << "a vertex is missing";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("7 vertices, but it has 8"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace whisker
