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

constexpr UvSphere uv_sphere_defaults;
constexpr std::array uv_sphere_parameters = {
    length("radius", uv_sphere_defaults.radius, "of the sphere"),
    integer("stacks", uv_sphere_defaults.stacks, 2, max_segments, "bands from pole to pole"),
    integer("slices", uv_sphere_defaults.slices, 0, max_segments, "around the axis, 3 or more; 0: twice the stacks"),
};

constexpr Icosphere icosphere_defaults;
constexpr std::array icosphere_parameters = {
    length("radius", icosphere_defaults.radius, "of the sphere"),
    integer("subdivisions", icosphere_defaults.subdivisions, 0, max_icosphere_subdivisions,
            "how many times every triangle is split"),
};

constexpr Cylinder cylinder_defaults;
constexpr std::array cylinder_parameters = {
    length("radius", cylinder_defaults.radius, "of the cylinder"),
    length("length", cylinder_defaults.length, "along z"),
    integer("slices", cylinder_defaults.slices, 3, max_segments, "around the axis"),
    integer("stacks", cylinder_defaults.stacks, 1, max_segments, "bands along the axis"),
};

constexpr Cone cone_defaults;
constexpr std::array cone_parameters = {
    length("radius", cone_defaults.radius, "of the base"),
    length("length", cone_defaults.length, "from base to apex"),
    integer("slices", cone_defaults.slices, 3, max_segments, "around the axis"),
    integer("stacks", cone_defaults.stacks, 1, max_segments, "bands along the axis"),
};

constexpr Capsule capsule_defaults;
constexpr std::array capsule_parameters = {
    length("radius", capsule_defaults.radius, "of the capsule"),
    length("length", capsule_defaults.length, "of the straight part"),
    integer("slices", capsule_defaults.slices, 3, max_segments, "around the axis"),
    integer("stacks", capsule_defaults.stacks, 1, max_segments, "bands of each half sphere"),
};

/// The point at step `i` of `n` on an edge from -half to +half: exactly ±half at the ends, and symmetric in between.
double step(double half, int i, int n) {
  return static_cast<double>(2 * i - n) / static_cast<double>(n) * half;
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
    parts.push_back({a, ab, ca});
    parts.push_back({ab, b, bc});
    parts.push_back({ca, bc, c});
    parts.push_back({ab, bc, ca});
  }
  mesh.triangles = std::move(parts);
}

}  // namespace

MeshData uv_sphere(const UvSphere& options) {
  const auto& [radius, stacks, asked_slices] = options;
  check_values("uv-sphere", uv_sphere_parameters,
               {radius, static_cast<double>(stacks), static_cast<double>(asked_slices)});
  const int slices = asked_slices == 0 ? 2 * stacks : asked_slices;
  check_at_least("uv-sphere", "slices", slices, 3, "or 0 for twice the stacks");
  check_count("uv-sphere", 2.0 * slices * (stacks - 1), "stacks or slices");
  std::vector<ProfilePoint> profile;
  profile.reserve(static_cast<std::size_t>(stacks) - 1);
  for (int i = 1; i < stacks; ++i)
    profile.push_back(meridian(radius, i, stacks));
  return revolve(-radius, profile, radius, slices);
}

MeshData icosphere(const Icosphere& options) {
  const auto& [radius, subdivisions] = options;
  check_values("icosphere", icosphere_parameters, {radius, static_cast<double>(subdivisions)});
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
  check_values("cylinder", cylinder_parameters,
               {radius, length, static_cast<double>(slices), static_cast<double>(stacks)});
  check_ratio("cylinder", {radius, length});
  check_count("cylinder", 2.0 * slices * (stacks + 1.0), "slices or stacks");
  std::vector<ProfilePoint> profile;
  profile.reserve(static_cast<std::size_t>(stacks) + 1);
  for (int i = 0; i <= stacks; ++i)
    profile.push_back({radius, step(length / 2, i, stacks)});
  return revolve(-length / 2, profile, length / 2, slices);
}

MeshData cone(const Cone& options) {
  const auto& [radius, length, slices, stacks] = options;
  check_values("cone", cone_parameters, {radius, length, static_cast<double>(slices), static_cast<double>(stacks)});
  check_ratio("cone", {radius, length});
  check_count("cone", 2.0 * slices * stacks, "slices or stacks");
  std::vector<ProfilePoint> profile;
  profile.reserve(static_cast<std::size_t>(stacks));
  for (int i = 0; i < stacks; ++i)
    profile.push_back(
        {static_cast<double>(stacks - i) / static_cast<double>(stacks) * radius, step(length / 2, i, stacks)});
  return revolve(-length / 2, profile, length / 2, slices);
}

MeshData capsule(const Capsule& options) {
  const auto& [radius, length, slices, stacks] = options;
  check_values("capsule", capsule_parameters,
               {radius, length, static_cast<double>(slices), static_cast<double>(stacks)});
  check_ratio("capsule", {radius, length});
  check_count("capsule", 4.0 * slices * stacks, "slices or stacks");
  std::vector<ProfilePoint> profile;
  profile.reserve(2 * static_cast<std::size_t>(stacks));
  for (int i = 1; i <= stacks; ++i) {
    const ProfilePoint point = meridian(radius, i, 2 * stacks);
    profile.push_back({point.radius, point.z - length / 2});
  }
  for (int i = stacks; i < 2 * stacks; ++i) {
    const ProfilePoint point = meridian(radius, i, 2 * stacks);
    profile.push_back({point.radius, point.z + length / 2});
  }
  return revolve(-length / 2 - radius, profile, length / 2 + radius, slices);
}

constexpr Model uv_sphere_model = {"uv-sphere", "a sphere of stacks and slices", true, uv_sphere_parameters,
                                   [](std::span<const double> v) {
                                     check_values("uv-sphere", uv_sphere_parameters, v);
                                     return uv_sphere({v[0], static_cast<int>(v[1]), static_cast<int>(v[2])});
                                   }};

constexpr Model icosphere_model = {"icosphere", "a sphere of almost equal triangles", true, icosphere_parameters,
                                   [](std::span<const double> v) {
                                     check_values("icosphere", icosphere_parameters, v);
                                     return icosphere({v[0], static_cast<int>(v[1])});
                                   }};

constexpr Model cylinder_model = {"cylinder", "a cylinder along z", true, cylinder_parameters,
                                  [](std::span<const double> v) {
                                    check_values("cylinder", cylinder_parameters, v);
                                    return cylinder({v[0], v[1], static_cast<int>(v[2]), static_cast<int>(v[3])});
                                  }};

constexpr Model cone_model = {"cone", "a cone along z, base below", true, cone_parameters,
                              [](std::span<const double> v) {
                                check_values("cone", cone_parameters, v);
                                return cone({v[0], v[1], static_cast<int>(v[2]), static_cast<int>(v[3])});
                              }};

constexpr Model capsule_model = {"capsule", "a capsule along z", true, capsule_parameters,
                                 [](std::span<const double> v) {
                                   check_values("capsule", capsule_parameters, v);
                                   return capsule({v[0], v[1], static_cast<int>(v[2]), static_cast<int>(v[3])});
                                 }};

}  // namespace whisker::make
