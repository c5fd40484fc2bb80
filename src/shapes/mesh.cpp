#include <whisker/mesh.hpp>

#include <cmath>
#include <string>
#include <utility>

#include <whisker/error.hpp>
#include <whisker/mesh_report.hpp>
#include <whisker/shape.hpp>

#include "shapes/mesh_storage.hpp"

namespace whisker {
namespace {

void check_data(const MeshData& data) {
  for (std::size_t i = 0; i < data.vertices.size(); ++i) {
    const Vector3& v = data.vertices[i];
    if (!v.allFinite()) {
      throw Error("mesh: vertex " + std::to_string(i) + " is NaN or infinite");
    }
    if (v.cwiseAbs().maxCoeff() > largest_coordinate) {
      throw Error("mesh: vertex " + std::to_string(i) + " has a coordinate beyond 1e90; use another unit of length");
    }
  }
  if (data.triangles.empty()) throw Error("mesh: there is no triangle");
  for (std::size_t i = 0; i < data.triangles.size(); ++i) {
    for (const std::uint32_t index : data.triangles[i]) {
      if (index >= data.vertices.size()) {
        throw Error("mesh: triangle " + std::to_string(i) + " names vertex " + std::to_string(index) + ", but there are " +
                    std::to_string(data.vertices.size()) + " vertices (numbered from 0)");
      }
    }
  }
}

trees::BoxTree build_tree(const MeshData& data) {
  std::vector<AxisBox> boxes(data.triangles.size());
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    for (const std::uint32_t index : data.triangles[i]) boxes[i].include(data.vertices[index]);
  }
  return trees::build_box_tree(boxes);
}

// Sums over the surface, taken about a point of the mesh so that a mesh far from the origin loses nothing.
struct Moments {
  double area = 0;
  double volume = 0;
  Vector3 area_moment = Vector3::Zero();
  Vector3 volume_moment = Vector3::Zero();
  Vector3 origin = Vector3::Zero();
};

Moments moments(const Mesh& mesh) {
  Moments sums;
  sums.origin = mesh.bounds().lower / 2 + mesh.bounds().upper / 2;
  for (std::size_t i = 0; i < mesh.triangle_count(); ++i) {
    const Triangle triangle = mesh.triangle(i);
    const Vector3 a = triangle.a - sums.origin;
    const Vector3 b = triangle.b - sums.origin;
    const Vector3 c = triangle.c - sums.origin;
    const double area = (b - a).cross(c - a).norm() / 2;
    const double volume = a.dot(b.cross(c)) / 6;
    sums.area += area;
    sums.volume += volume;
    sums.area_moment += area * (a + b + c) / 3;
    sums.volume_moment += volume * (a + b + c) / 4;
  }
  return sums;
}

}  // namespace

Mesh::Mesh(MeshData data) {
  check_data(data);
  auto storage = std::make_shared<Storage>();
  storage->tree = build_tree(data);
  storage->data = std::move(data);
  storage_ = std::move(storage);
}

std::span<const Vector3> Mesh::vertices() const { return storage_->data.vertices; }
std::span<const Index3> Mesh::triangles() const { return storage_->data.triangles; }

Triangle Mesh::triangle(std::size_t index) const {
  const Index3& corners = storage_->data.triangles[index];
  const std::vector<Vector3>& v = storage_->data.vertices;
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
  if (moments(*this).volume < 0) {
    throw Error("mesh: it is inside out (its volume is negative); reverse every triangle");
  }
  Mesh solid = *this;
  solid.is_solid_ = true;
  return solid;
}

AxisBox Mesh::bounds() const { return storage_->tree.nodes[0].box; }
double Mesh::area() const { return moments(*this).area; }
double Mesh::volume() const { return is_solid() ? moments(*this).volume : 0; }

Vector3 Mesh::centroid() const {
  const Moments sums = moments(*this);
  if (is_solid() && sums.volume > 0) return sums.origin + sums.volume_moment / sums.volume;
  if (sums.area > 0) return sums.origin + sums.area_moment / sums.area;
  Vector3 mean = Vector3::Zero();
  for (const Index3& corners : triangles()) {
    for (const std::uint32_t index : corners) mean += (vertices()[index] - sums.origin);
  }
  return sums.origin + mean / (3.0 * static_cast<double>(triangle_count()));
}

}  // namespace whisker
