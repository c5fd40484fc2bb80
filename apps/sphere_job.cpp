#include "sphere_job.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <utility>

#include <whisker/convex_hull.hpp>
#include <whisker/editing/repair.hpp>
#include <whisker/error.hpp>
#include <whisker/geometry/bounding_sphere.hpp>
#include <whisker/methods/sphere_builders.hpp>
#include <whisker/spheres/sphere_set.hpp>
#include <whisker/spheres/sphere_tree_files.hpp>

namespace whisker::apps {
namespace {

constexpr SphereMethod sphere_methods[] = {
    {"octree", SphereTreeMethod::octree, nullptr, false},
    {"solid-octree", SphereTreeMethod::solid_octree, nullptr, false},
    {"grid", {}, methods::grid_builder, false},
    {"hybrid", {}, methods::hybrid_builder, false},
    {"hubbard", {}, methods::hubbard_builder, false},
    {"merge", SphereTreeMethod::merge},
    {"burst", {}, methods::burst_builder},
    {"expand", SphereTreeMethod::expand},
    {"spawn", {}, methods::spawn_builder},
    {"combined", SphereTreeMethod::combined},
};

std::string names_of_methods(bool only_of_sets) {
  std::string names;
  for (const SphereMethod& method : sphere_methods)
    if (!only_of_sets || method.builds_sets) names += (names.empty() ? "" : ", ") + std::string(method.name);
  return names;
}

/// The convex hull of points as a mesh. Nothing if it is flat.
std::optional<Mesh> hull_mesh(std::span<const Vector3> points) {
  const ConvexHull hull(points);
  if (hull.dimension() < 3) return {};
  MeshData data;
  data.vertices.assign(hull.vertices().begin(), hull.vertices().end());
  for (std::size_t f = 0; f < hull.face_count(); ++f) {
    const std::span<const std::uint32_t> face = hull.face(f);
    for (std::size_t k = 2; k < face.size(); ++k)
      data.triangles.push_back({face[0], face[k - 1], face[k]});
  }
  Mesh mesh(std::move(data));
  if (!mesh.can_be_solid()) return {};
  return mesh;
}

constexpr int slices = 32;  // of round shapes

/// The corners of a prism around a cylinder along z.
std::vector<Vector3> around_cylinder(double radius, double length) {
  std::vector<Vector3> points;
  const double out = radius / std::cos(std::numbers::pi / slices) * (1 + 1e-12);
  for (int i = 0; i < slices; ++i) {
    const double angle = 2 * std::numbers::pi * i / slices;
    for (const double z : {-length / 2, length / 2})
      points.emplace_back(out * std::cos(angle), out * std::sin(angle), z);
  }
  return points;
}

std::vector<Vector3> corners_of(const Box& box) {
  std::vector<Vector3> points;
  for (const double z : {-0.5, 0.5})
    for (const double y : {-0.5, 0.5})
      for (const double x : {-0.5, 0.5})
        points.emplace_back(box.size.cwiseProduct(Vector3(x, y, z)));
  return points;
}

ShapeSpheres spheres_of_solid(const Mesh& mesh, const SphereJob& job, ShapeSpheres result) {
  const SphereTree tree = build_spheres(mesh, job);
  for (const std::uint32_t i : tree.cut(tree.depth())) {
    result.spheres.push_back(tree.nodes[i].sphere);
    result.protrusion = std::max(result.protrusion, tree.nodes[i].protrusion);
  }
  return result;
}

ShapeSpheres spheres_of_hull(std::span<const Vector3> points, const SphereJob& job, ShapeSpheres result) {
  if (const std::optional<Mesh> mesh = hull_mesh(points)) return spheres_of_solid(*mesh, job, std::move(result));
  result.spheres = {fit_sphere(points)};
  result.protrusion = result.spheres[0].radius;
  result.note = "it is flat: one sphere around it";
  return result;
}

/// Spheres along the capsule's axis from end to end, each large enough to cover the gap to the next, and as few as the
/// error allows.
ShapeSpheres spheres_of_capsule(const Capsule& capsule, const SphereJob& job) {
  const auto protrusion = [&](int count) {
    const double half_gap = capsule.length / 2 / std::max(1, count - 1);
    return count == 1 ? capsule.length / 2 : std::hypot(capsule.radius, half_gap) - capsule.radius;
  };
  const int most = job.count.value_or(job.branching);
  int count = 1;
  while (count < most && protrusion(count) > job.error)
    ++count;
  ShapeSpheres result;
  result.protrusion = protrusion(count);
  const double radius = (capsule.radius + result.protrusion) * (1 + 1e-14);
  for (int i = 0; i < count; ++i) {
    const double part = count == 1 ? 0 : static_cast<double>(i) / (count - 1) - 0.5;
    result.spheres.push_back({Vector3(0, 0, part * capsule.length), radius});
  }
  return result;
}

ShapeSpheres spheres_of_mesh(const Mesh& mesh, const SphereJob& job) {
  if (mesh.can_be_solid()) return spheres_of_solid(mesh, job, {});
  const MeshRepair repair = repair_mesh(
      {{mesh.vertices().begin(), mesh.vertices().end()}, {mesh.triangles().begin(), mesh.triangles().end()}});
  ShapeSpheres result;
  if (repair.after.closed && repair.after.volume > 0) {
    for (const std::string& line : repair.done)
      result.note += (result.note.empty() ? "its mesh is not closed, and was repaired: " : "; ") + line;
    return spheres_of_solid(Mesh(repair.mesh), job, std::move(result));
  }
  result.note = "its mesh cannot be closed: its convex hull was covered";
  std::vector<Vector3> points;
  for (const Index3& t : mesh.triangles())
    for (const std::uint32_t vertex : t)
      points.push_back(mesh.vertices()[vertex]);
  return spheres_of_hull(points, job, std::move(result));
}

}  // namespace

std::string sphere_method_names() {
  return names_of_methods(false);
}

const SphereMethod& parse_sphere_method(const std::string& name) {
  for (const SphereMethod& method : sphere_methods)
    if (method.name == name) return method;
  throw Error("--method '" + name + "': takes one of " + sphere_method_names());
}

SphereTree build_spheres(const Mesh& mesh, const SphereJob& job) {
  // What trees and sets have in common.
  const auto set_options = [&](auto& options) {
    options.method = job.method.method;
    if (job.method.builder != nullptr) options.builder = job.method.builder();
    options.protrusion = job.error;
    options.seed = job.seed;
    options.progress = job.progress;
    options.samples = job.samples.value_or(options.samples);
    options.pieces = job.pieces.value_or(options.pieces);
  };
  if (!job.count) {
    SphereTreeOptions options{.depth = job.depth, .branching = job.branching};
    set_options(options);
    return build_sphere_tree(mesh, options);
  }
  if (!job.method.builds_sets) {
    throw Error("--method '" + std::string(job.method.name) + "' builds trees, not sets; with -n it takes one of " +
                names_of_methods(true));
  }
  SphereSetOptions options;
  set_options(options);
  const SphereSet set = build_sphere_set(mesh, *job.count, options);
  const auto count = static_cast<std::uint32_t>(set.size());
  SphereTree tree;
  tree.nodes.push_back({.sphere = set.ball(), .first_child = 1, .child_count = count});
  for (std::uint32_t i = 0; i < count; ++i)
    tree.nodes.push_back({.sphere = {set.center(i), set.radius(i)}});
  tree.level_begin = {0, 1, count + 1};
  find_protrusions(mesh, tree);
  return tree;
}

ShapeSpheres build_shape_spheres(const Shape& shape, const SphereJob& job) {
  if (shape.as<Sphere>() != nullptr) return {};
  if (const Box* box = shape.as<Box>()) return spheres_of_hull(corners_of(*box), job, {});
  if (const Cylinder* cylinder = shape.as<Cylinder>())
    return spheres_of_hull(around_cylinder(cylinder->radius, cylinder->length), job, {});
  if (const Capsule* capsule = shape.as<Capsule>()) return spheres_of_capsule(*capsule, job);
  if (const Mesh* mesh = shape.as<Mesh>()) return spheres_of_mesh(*mesh, job);
  throw Error("spheres cannot be made for a shape of this kind, only for a box, sphere, cylinder, capsule or mesh");
}

}  // namespace whisker::apps
