#include "playground/recording.hpp"

#include <cstddef>
#include <string>
#include <utility>

#include <whisker/error.hpp>
#include <whisker/make/make.hpp>

namespace playground {
namespace {

namespace wk = whisker;

wk::MeshData triangles(const wk::Sphere& s) {
  return wk::make::icosphere({.radius = s.radius});
}
wk::MeshData triangles(const wk::Box& b) {
  return wk::make::box({.size_x = b.size.x(), .size_y = b.size.y(), .size_z = b.size.z()});
}
wk::MeshData triangles(const wk::Capsule& c) {
  return wk::make::capsule({.radius = c.radius, .length = c.length, .slices = 24, .stacks = 6});
}
wk::MeshData triangles(const wk::Cylinder& c) {
  return wk::make::cylinder({.radius = c.radius, .length = c.length, .slices = 40});
}
wk::MeshData triangles(const wk::Cone& c) {
  return wk::make::cone({.radius = c.radius, .length = c.length, .slices = 40});
}
wk::MeshData triangles(const wk::Ellipsoid& e) {
  wk::MeshData mesh = wk::make::icosphere();
  for (wk::Vector3& vertex : mesh.vertices)
    vertex = vertex.cwiseProduct(e.radii).eval();
  return mesh;
}
wk::MeshData triangles(const wk::Triangle& t) {
  return {{t.a, t.b, t.c}, {{0, 1, 2}, {0, 2, 1}}};
}
wk::MeshData triangles(const wk::ConvexHull& hull) {
  wk::MeshData mesh;
  mesh.vertices.assign(hull.vertices().begin(), hull.vertices().end());
  for (std::size_t face = 0; face < hull.face_count(); ++face) {
    const auto corners = hull.face(face);
    for (std::size_t i = 2; i < corners.size(); ++i)
      mesh.triangles.push_back({corners[0], corners[i - 1], corners[i]});
  }
  return mesh;
}
wk::MeshData triangles(const wk::Mesh& mesh) {
  return {{mesh.vertices().begin(), mesh.vertices().end()}, {mesh.triangles().begin(), mesh.triangles().end()}};
}
wk::MeshData triangles(const wk::Compound& compound) {
  wk::MeshData all;
  for (const wk::CompoundPart& part : compound.parts()) {
    const wk::MeshData mesh = triangles_of(part.shape);
    const auto first = static_cast<std::uint32_t>(all.vertices.size());
    for (const wk::Vector3& vertex : mesh.vertices)
      all.vertices.push_back(wk::place(part.pose, vertex));
    for (const wk::Index3& triangle : mesh.triangles)
      all.triangles.push_back({first + triangle[0], first + triangle[1], first + triangle[2]});
  }
  return all;
}
template <class Other>
wk::MeshData triangles(const Other&) {
  throw wk::Error("this kind of shape cannot be drawn directly: pass a mesh to `watch`");
}

}  // namespace

whisker::MeshData triangles_of(const whisker::Shape& shape) {
  return shape.visit([](const auto& s) { return triangles(s); });
}

void Recording::watch(const whisker::World& world, whisker::BodyId body, const Look& look) {
  watch(world, body, triangles_of(world.shape(body)), look);
}

void Recording::watch(const whisker::World& world, whisker::BodyId body, whisker::MeshData mesh, const Look& look) {
  if (!frames.empty()) throw wk::Error("a body must be watched before the first frame is captured");
  const bool is_static = world.options(body).is_static;
  numbers[body] = static_cast<std::uint32_t>(bodies.size());
  bodies.push_back({body, static_cast<std::uint32_t>(meshes.size()), look, is_static});
  meshes.push_back(std::move(mesh));
  if (is_static) fixed_poses.push_back(world.pose(body));
}

std::uint32_t Recording::watch_fixed(whisker::MeshData mesh, const Look& look) {
  const auto number = static_cast<std::uint32_t>(bodies.size());
  bodies.push_back({{}, static_cast<std::uint32_t>(meshes.size()), look, true});
  meshes.push_back(std::move(mesh));
  fixed_poses.emplace_back();
  return number;
}

std::uint32_t Recording::watch_soft(whisker::MeshData mesh, const Look& look) {
  const auto number = static_cast<std::uint32_t>(bodies.size());
  bodies.push_back({{}, static_cast<std::uint32_t>(meshes.size()), look, false, true});
  meshes.push_back(std::move(mesh));
  return number;
}

void Recording::capture(const whisker::World& world) {
  RecordedFrame frame;
  for (const RecordedBody& body : bodies) {
    if (!body.is_static && !body.is_soft) frame.poses.push_back(world.pose(body.id));
  }
  for (const wk::WorldPair& pair : world.touching()) {
    const auto a = numbers.find(pair.a), b = numbers.find(pair.b);
    if (a != numbers.end() && b != numbers.end()) frame.touching.push_back({a->second, b->second});
  }
  frames.push_back(std::move(frame));
}

}  // namespace playground
