#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <Eigen/Geometry>

#include <whisker/editing/mesh_report.hpp>
#include <whisker/error.hpp>
#include <whisker/mesh.hpp>
#include <whisker/mesh_tree.hpp>
#include <whisker/shape.hpp>

#include "geometry/check_index.hpp"
#include "geometry/disjoint_sets.hpp"
#include "geometry/threads.hpp"
#include "shapes/mesh_storage.hpp"
#include "shapes/plain_mesh.hpp"
#include "trees/edge_twins.hpp"
#include "trees/oriented_report.hpp"

namespace whisker {
namespace {

void check_data(const MeshData& data) {
  for (std::size_t i = 0; i < data.vertices.size(); ++i) {
    const Vector3& v = data.vertices[i];
    if (!v.allFinite()) {
      throw Error("mesh: vertex " + std::to_string(i) + " is NaN or infinite");
    }
    if (v.cwiseAbs().maxCoeff() > max_coordinate) {
      throw Error("mesh: vertex " + std::to_string(i) + " has a coordinate beyond 1e90; use another unit of length");
    }
  }
  if (data.triangles.empty()) throw Error("mesh: it has no triangles");
  for (std::size_t i = 0; i < data.triangles.size(); ++i) {
    for (const std::uint32_t index : data.triangles[i]) {
      if (index >= data.vertices.size()) {
        throw Error("mesh: triangle " + std::to_string(i) + " refers to vertex " + std::to_string(index) +
                    ", but there are " + std::to_string(data.vertices.size()) + " vertices (numbered from 0)");
      }
    }
  }
}

// Sums over the surface, relative to the middle of the mesh so that a mesh far from the origin loses no accuracy, and
// in units of 2^exponent, about its size, so that nothing overflows or underflows.
struct Moments {
  double area = 0;
  double volume = 0;
  double volume_error = 0;  // upper bound on the rounding error of the volume
  int exponent = 0;
  Vector3 area_moment = Vector3::Zero();
  Vector3 volume_moment = Vector3::Zero();
  Vector3 origin = Vector3::Zero();
};

Moments moments(const Mesh& mesh) {
  Moments sums;
  sums.origin = mesh.bounds().lower / 2 + mesh.bounds().upper / 2;
  const double size = (mesh.bounds().upper - mesh.bounds().lower).maxCoeff();
  if (size > 0) sums.exponent = std::max(std::ilogb(size), -1000);  // its inverse must be finite
  const double unit = std::ldexp(1.0, -sums.exponent);
  double products = 0;  // the products of coordinates in the volumes, with absolute values
  for (std::size_t i = 0; i < mesh.triangle_count(); ++i) {
    const Triangle triangle = mesh.triangle(i);
    const Vector3 a = (triangle.a - sums.origin) * unit;
    const Vector3 b = (triangle.b - sums.origin) * unit;
    const Vector3 c = (triangle.c - sums.origin) * unit;
    const double area = (b - a).cross(c - a).norm() / 2;
    const double volume = a.dot(b.cross(c)) / 6;
    sums.area += area;
    sums.volume += volume;
    sums.area_moment += area * (a + b + c) / 3;
    sums.volume_moment += volume * (a + b + c) / 4;
    for (int k = 0; k < 3; ++k) {
      const int l = (k + 1) % 3;
      const int m = (k + 2) % 3;
      products += std::abs(a[k]) * (std::abs(b[l] * c[m]) + std::abs(b[m] * c[l]));
    }
  }
  // Each product takes part in at most nine roundings (three coordinates, two multiplications, a difference, two sums,
  // a division), and then in one for each added triangle. The factor 2 also covers the roundings of `products`, and the
  // last term covers underflow.
  const double count = static_cast<double>(mesh.triangle_count());
  sums.volume_error = (32 + 2 * count) * 0x1p-53 * products / 6 + count * 0x1p-1000;
  return sums;
}

bool is_inside_out(const Mesh& mesh) {
  const Moments sums = moments(mesh);
  return sums.volume < -sums.volume_error;
}

}  // namespace

const std::vector<std::uint32_t>& Mesh::Storage::part_vertices() const {
  // Corners at the same position count as one, so that a mesh whose triangles share no vertices is not split into
  // single triangles.
  return part_vertices_.get([&] {
    return shapes::connected_parts(data.triangles, geometry::DisjointSets(first_at_position(data.vertices)));
  });
}

const std::vector<std::uint32_t>& Mesh::Storage::edge_twins() const {
  return edge_twins_.get([&] {
    const std::vector<std::uint32_t> first = first_at_position(data.vertices);
    std::vector<Index3> merged = data.triangles;
    for (Index3& corners : merged)
      for (std::uint32_t& corner : corners)
        corner = first[corner];
    return trees::find_edge_twins(merged, data.vertices.size()).twin;
  });
}

const trees::SurfaceMoments& Mesh::Storage::surface_moments() const {
  return surface_moments_.get([&] { return trees::surface_moments(oriented, data.vertices, data.triangles); });
}

void Mesh::Storage::check_and_set(MeshData new_data) {
  check_data(new_data);
  data = std::move(new_data);
  bounds = {};
  for (const Index3& corners : data.triangles)
    for (const std::uint32_t index : corners)
      bounds.include(data.vertices[index]);
  // In units of the mesh's size, so that no square overflows or underflows. Rounded up by far more than the roundings.
  center = bounds.lower / 2 + bounds.upper / 2;
  const double size = (bounds.upper - bounds.lower).maxCoeff();
  const double unit = size > 0 ? std::ldexp(1.0, -std::max(std::ilogb(size), -1000)) : 1;
  double farthest = 0;
  for (const Index3& corners : data.triangles)
    for (const std::uint32_t index : corners)
      farthest = std::max(farthest, ((data.vertices[index] - center) * unit).squaredNorm());
  radius = std::sqrt(farthest) / unit * (1 + 0x1p-40) +
           0x1p-50 * bounds.lower.cwiseAbs().cwiseMax(bounds.upper.cwiseAbs()).maxCoeff();
  reach = (center.stableNorm() + radius) * (1 + 0x1p-40);
}

void Mesh::Storage::move_to(const std::vector<Vector3>& positions, const Aabb& new_bounds) {
  data.vertices = positions;
  bounds = new_bounds;
  center = bounds.lower / 2 + bounds.upper / 2;
  radius = (bounds.upper / 2 - bounds.lower / 2).stableNorm() * (1 + 0x1p-40) +
           0x1p-50 * bounds.lower.cwiseAbs().cwiseMax(bounds.upper.cwiseAbs()).maxCoeff();
  reach = (center.stableNorm() + radius) * (1 + 0x1p-40);
  part_vertices_.drop();
  edge_twins_.drop();
  convex_middle_.drop();
  surface_moments_.drop();
}

Mesh::Mesh(MeshData data) : Mesh(std::move(data), TreeOptions()) {}

Mesh::Mesh(MeshData data, const TreeOptions& tree) {
  check_threads("mesh", tree.threads);
  auto storage = std::make_shared<Storage>();
  storage->check_and_set(std::move(data));
  storage->threads = tree.threads;
  storage->oriented = trees::build_oriented_tree(storage->data.vertices, storage->data.triangles, tree);
  storage_ = std::move(storage);
}

Mesh::Mesh(std::shared_ptr<const Storage> storage, bool is_solid) : storage_(std::move(storage)), is_solid_(is_solid) {}

Mesh Mesh::moved(std::span<const Vector3> new_vertices) const {
  if (new_vertices.size() != vertices().size()) {
    throw Error("mesh: moved to " + std::to_string(new_vertices.size()) + " vertices, but it has " +
                std::to_string(vertices().size()) + "; give each vertex its new position");
  }
  auto storage = std::make_shared<Storage>();
  storage->check_and_set({{new_vertices.begin(), new_vertices.end()}, storage_->data.triangles});
  storage->oriented = storage_->oriented;
  storage->threads = storage_->threads;
  with_tasks("mesh", storage->threads, [&](bool parallel) {
    trees::refit(storage->oriented, storage->data.vertices, storage->data.triangles, parallel);
  });
  Mesh result(std::move(storage), false);
  result.is_solid_ = is_solid() && result.can_be_solid();
  return result;
}

bool Mesh::can_be_solid() const {
  return is_closed(storage_->data) && !is_inside_out(*this);
}

TreeReport Mesh::tree_report() const {
  return trees::report_tree(storage_->oriented);
}

std::span<const Vector3> Mesh::vertices() const {
  return storage_->data.vertices;
}
std::span<const Index3> Mesh::triangles() const {
  return storage_->data.triangles;
}

Triangle Mesh::triangle(std::size_t index) const {
  const MeshData& data = storage_->data;
  geometry::check_index("mesh: triangle", index, data.triangles.size());
  const Index3& corners = data.triangles[index];
  const std::vector<Vector3>& v = data.vertices;
  return {v[corners[0]], v[corners[1]], v[corners[2]]};
}

Mesh Mesh::solid() const {
  if (is_solid()) return *this;
  if (!is_closed(storage_->data)) {
    const MeshReport report = inspect_mesh(storage_->data);
    throw Error("mesh: it is not closed and cannot be a solid: " + std::to_string(report.boundary_edges) +
                " boundary edges, " + std::to_string(report.nonmanifold_edges) + " non-manifold edges, " +
                std::to_string(report.inconsistent_edges) +
                " edges whose two triangles face different ways; use it as a surface or repair it");
  }
  if (is_inside_out(*this)) {
    throw Error("mesh: it is inside out (its volume is negative); reverse every triangle");
  }
  Mesh solid = *this;
  solid.is_solid_ = true;
  return solid;
}

Aabb Mesh::bounds() const {
  return storage_->bounds;
}

double Mesh::area() const {
  const Moments sums = moments(*this);
  return std::ldexp(sums.area, 2 * sums.exponent);
}

double Mesh::volume() const {
  if (!is_solid()) return 0;
  const Moments sums = moments(*this);
  return std::ldexp(std::max(0.0, sums.volume), 3 * sums.exponent);
}

Vector3 Mesh::centroid() const {
  const Moments sums = moments(*this);
  const double size = std::ldexp(1.0, sums.exponent);
  if (is_solid() && sums.volume > sums.volume_error) return sums.origin + sums.volume_moment / sums.volume * size;
  if (sums.area > 0) return sums.origin + sums.area_moment / sums.area * size;
  Vector3 mean = Vector3::Zero();
  for (const Index3& corners : triangles()) {
    for (const std::uint32_t index : corners)
      mean += (vertices()[index] - sums.origin);
  }
  return sums.origin + mean / (3.0 * static_cast<double>(triangle_count()));
}

}  // namespace whisker
