// Mesh generators for spheres, cylinders, cones and capsules.

#include <array>
#include <cmath>
#include <unordered_map>
#include <vector>

#include <Eigen/Geometry>

#include <whisker/make/make.hpp>

#include "make/angle.hpp"
#include "make/check.hpp"
#include "make/sweep.hpp"

namespace whisker::make {
namespace {

// The next level, with 21 million triangles, would need gigabytes for the table of split edges.
constexpr int max_icosphere_subdivisions = 9;

constexpr OptionTable uv_sphere_options{
    "uv-sphere",
    length("radius", &UvSphere::radius, "of the sphere"),
    option("stacks", &UvSphere::stacks, 2, max_segments, "bands from pole to pole"),
    option("slices", &UvSphere::slices, 0, max_segments, "around the axis, 3 or more; 0: twice the stacks"),
};

constexpr OptionTable icosphere_options{
    "icosphere",
    length("radius", &Icosphere::radius, "of the sphere"),
    option("subdivisions", &Icosphere::subdivisions, 0, max_icosphere_subdivisions,
           "how many times every triangle is split"),
};

constexpr OptionTable cylinder_options{
    "cylinder",
    length("radius", &Cylinder::radius, "of the cylinder"),
    length("length", &Cylinder::length, "along z"),
    option("slices", &Cylinder::slices, 3, max_segments, "around the axis"),
    option("stacks", &Cylinder::stacks, 1, max_segments, "bands along the axis"),
};

constexpr OptionTable cone_options{
    "cone",
    length("radius", &Cone::radius, "of the base"),
    length("length", &Cone::length, "from base to apex"),
    option("slices", &Cone::slices, 3, max_segments, "around the axis"),
    option("stacks", &Cone::stacks, 1, max_segments, "bands along the axis"),
};

constexpr OptionTable capsule_options{
    "capsule",
    length("radius", &Capsule::radius, "of the capsule"),
    length("length", &Capsule::length, "of the straight part"),
    option("slices", &Capsule::slices, 3, max_segments, "around the axis"),
    option("stacks", &Capsule::stacks, 1, max_segments, "bands of each half sphere"),
};

/// The first `count` points of a profile.
template <class Point>
std::vector<ProfilePoint> profile_of(int count, const Point& point) {
  std::vector<ProfilePoint> profile;
  profile.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    profile.push_back(point(i));
  return profile;
}

/// A point on the sphere's meridian, from the south pole (part 0) to the north pole (part `parts`).
ProfilePoint meridian(double radius, int part, int parts) {
  const Direction d = turn(part, 2 * static_cast<std::int64_t>(parts));
  return {radius * d.sin, -radius * d.cos};
}

Vector3 on_sphere(const Vector3& direction, double radius) {
  const double x = direction.x(), y = direction.y(), z = direction.z();
  const double scale = std::sqrt(x * x + y * y + z * z);
  return {x / scale * radius, y / scale * radius, z / scale * radius};
}

/// An icosahedron of arbitrary size: three golden rectangles in the coordinate planes.
MeshData icosahedron() {
  const double g = (1 + std::sqrt(5.0)) / 2;
  MeshData mesh;
  mesh.vertices = {{-1, g, 0},  {1, g, 0},  {-1, -g, 0}, {1, -g, 0}, {0, -1, g},  {0, 1, g},
                   {0, -1, -g}, {0, 1, -g}, {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1}};
  // Any three vertices at mutual distance 2 form a triangle. Each is oriented outward.
  for (std::uint32_t a = 0; a < 12; ++a)
    for (std::uint32_t b = a + 1; b < 12; ++b)
      for (std::uint32_t c = b + 1; c < 12; ++c) {
        const Vector3 &p = mesh.vertices[a], &q = mesh.vertices[b], &r = mesh.vertices[c];
        if ((p - q).norm() > 2.5 || (q - r).norm() > 2.5 || (r - p).norm() > 2.5) continue;
        const bool outward = (q - p).cross(r - p).dot(p) > 0;
        mesh.triangles.push_back(outward ? Index3{a, b, c} : Index3{a, c, b});
      }
  return mesh;
}

/// Splits every triangle into four and moves the midpoints of the edges out to the unit sphere.
void subdivide(MeshData& mesh) {
  std::unordered_map<std::uint64_t, std::uint32_t> middles;
  middles.reserve(mesh.triangles.size() * 3 / 2);
  const auto middle = [&](std::uint32_t a, std::uint32_t b) {
    const std::uint64_t key = a < b ? std::uint64_t{a} << 32 | b : std::uint64_t{b} << 32 | a;
    const auto [place, added] = middles.try_emplace(key, static_cast<std::uint32_t>(mesh.vertices.size()));
    if (added) {
      const Vector3 sum = mesh.vertices[a] + mesh.vertices[b];
      mesh.vertices.push_back(on_sphere(sum, 1));
    }
    return place->second;
  };
  std::vector<Index3> parts;
  parts.reserve(4 * mesh.triangles.size());
  for (const auto& [a, b, c] : mesh.triangles) {
    const std::uint32_t ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
    parts.insert(parts.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
  }
  mesh.triangles = std::move(parts);
}

}  // namespace

MeshData uv_sphere(const UvSphere& options) {
  const auto& [radius, stacks, asked_slices] = options;
  uv_sphere_options.check(options);
  const int slices = asked_slices == 0 ? 2 * stacks : asked_slices;
  check_at_least("uv-sphere", "slices", slices, 3, "or 0 for twice the stacks");
  check_count("uv-sphere", 2.0 * slices * (stacks - 1), "stacks or slices");
  const auto profile =
      profile_of(options.stacks - 1, [&](int i) { return meridian(options.radius, i + 1, options.stacks); });
  return revolve(-radius, profile, radius, slices);
}

MeshData icosphere(const Icosphere& options) {
  const auto& [radius, subdivisions] = options;
  icosphere_options.check(options);
  MeshData mesh = icosahedron();
  for (Vector3& vertex : mesh.vertices)
    vertex = on_sphere(vertex, 1);
  for (int i = 0; i < subdivisions; ++i)
    subdivide(mesh);
  for (Vector3& vertex : mesh.vertices)
    vertex *= radius;
  return mesh;
}

MeshData cylinder(const Cylinder& options) {
  const auto& [radius, length, slices, stacks] = options;
  cylinder_options.check(options);
  check_ratio("cylinder", {radius, length});
  check_count("cylinder", 2.0 * slices * (stacks + 1.0), "slices or stacks");
  const auto profile = profile_of(stacks + 1, [&](int i) -> ProfilePoint {
    return {options.radius, grid_position(options.length, i, options.stacks)};
  });
  return revolve(-length / 2, profile, length / 2, slices);
}

MeshData cone(const Cone& options) {
  const auto& [radius, length, slices, stacks] = options;
  cone_options.check(options);
  check_ratio("cone", {radius, length});
  check_count("cone", 2.0 * slices * stacks, "slices or stacks");
  const auto profile = profile_of(stacks, [&](int i) -> ProfilePoint {
    const double part = static_cast<double>(options.stacks - i) / static_cast<double>(options.stacks);
    return {part * options.radius, grid_position(options.length, i, options.stacks)};
  });
  return revolve(-length / 2, profile, length / 2, slices);
}

MeshData capsule(const Capsule& options) {
  const auto& [radius, length, slices, stacks] = options;
  capsule_options.check(options);
  check_ratio("capsule", {radius, length});
  check_count("capsule", 4.0 * slices * stacks, "slices or stacks");
  // Both half spheres have the equator.
  const auto profile = profile_of(2 * stacks, [&](int i) -> ProfilePoint {
    const bool lower = i < options.stacks;
    const ProfilePoint point = meridian(options.radius, lower ? i + 1 : i, 2 * options.stacks);
    return {point.radius, lower ? point.z - options.length / 2 : point.z + options.length / 2};
  });
  return revolve(-length / 2 - radius, profile, length / 2 + radius, slices);
}

constexpr Model uv_sphere_model = model_of<uv_sphere_options, uv_sphere>("a sphere of stacks and slices", true);

constexpr Model icosphere_model = model_of<icosphere_options, icosphere>("a sphere of almost equal triangles", true);

constexpr Model cylinder_model = model_of<cylinder_options, cylinder>("a cylinder along z", true);

constexpr Model cone_model = model_of<cone_options, cone>("a cone along z, base below", true);

constexpr Model capsule_model = model_of<capsule_options, capsule>("a capsule along z", true);

}  // namespace whisker::make
