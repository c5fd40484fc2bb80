#include <atomic>
#include <optional>
#include <utility>

#include <whisker/error.hpp>
#include <whisker/geometry/triangle_tests.hpp>
#include <whisker/tetrahedra/tetrahedral_mesh.hpp>

#include "deform/check_mesh.hpp"
#include "deform/tetrahedra_storage.hpp"
#include "geometry/check_index.hpp"
#include "geometry/predicates_inline.hpp"
#include "geometry/threads.hpp"
#include "trees/chunks.hpp"

namespace whisker {
void TetrahedralMesh::Storage::update() {
  const deform::TetrahedraTopology& t = *topology;
  bounds = {};
  for (const std::uint32_t v : t.used_vertices)
    bounds.include(vertices[v]);

  const std::size_t count = t.tetrahedra.size();
  sign.resize(count);
  size.resize(count);
  std::atomic<std::uint64_t> sum = 0, sized = 0;
  const auto look = [&](std::size_t first, std::size_t last) {
    std::uint64_t sum_here = 0, sized_here = 0;
    for (std::size_t i = first; i < last; ++i) {
      const Index4& corners = t.tetrahedra[i];
      const Vector3 &a = vertices[corners[0]], &b = vertices[corners[1]], &c = vertices[corners[2]];
      const Vector3& d = vertices[corners[3]];
      sign[i] = static_cast<std::int8_t>(geometry::orient3d_filtered(a, b, c, d));
      const Aabb box = box_of(corners);
      size[i] = deform::size_code((box.upper - box.lower).maxCoeff());
      sum_here += size[i];
      sized_here += size[i] > 0 ? 1u : 0u;
    }
    sum += sum_here;
    sized += sized_here;
  };
  with_tasks("tetrahedral mesh", threads, [&](bool parallel) { trees::for_chunks(count, parallel, look); });
  size_sum = sum;
  size_count = sized;

  part_turn.assign(t.part_count, 0);
  for (std::size_t i = 0; i < count; ++i)
    part_turn[t.part[i]] += sign[i] * t.turn[i];
  inverted.clear();
  for (std::size_t i = 0; i < count; ++i) {
    const int most = part_turn[t.part[i]] >= 0 ? 1 : -1;
    if (sign[i] * t.turn[i] != most) inverted.push_back(static_cast<std::uint32_t>(i));
  }
}

TetrahedralData tetrahedral_data(const StridedPoints& vertices, const StridedIndices<4>& tetrahedra) {
  return {to_points(vertices), to_indices(tetrahedra)};
}

TetrahedralMesh::TetrahedralMesh(TetrahedralData data, const TetrahedralMeshOptions& options)
    : storage_(std::make_unique<Storage>()) {
  check_threads("tetrahedral mesh", options.threads);
  storage_->threads = options.threads;
  deform::check_vertices(data.vertices, "tetrahedral mesh");
  storage_->topology = std::make_shared<const deform::TetrahedraTopology>(data.vertices, std::move(data.tetrahedra));
  storage_->vertices = std::move(data.vertices);
  storage_->update();
}

void TetrahedralMesh::set_vertices(std::span<const Vector3> vertices) {
  Storage& s = *storage_;
  deform::check_positions(vertices, s.vertices.size(), "tetrahedral mesh");
  // Copies element by element, because `vertices` may be the mesh's own array.
  for (std::size_t i = 0; i < vertices.size(); ++i)
    s.vertices[i] = vertices[i];
  s.update();
}

std::span<const Vector3> TetrahedralMesh::vertices() const {
  return storage_->vertices;
}
std::span<const Index4> TetrahedralMesh::tetrahedra() const {
  return storage_->topology->tetrahedra;
}
std::span<const Index3> TetrahedralMesh::faces() const {
  return storage_->topology->faces;
}
std::span<const Index3> TetrahedralMesh::border_triangles() const {
  return faces().first(storage_->topology->border_face_count);
}
std::span<const Index2> TetrahedralMesh::edges() const {
  return storage_->topology->edges;
}
std::span<const Index2> TetrahedralMesh::border_edges() const {
  return edges().first(storage_->topology->border_edge_count);
}
std::span<const std::uint32_t> TetrahedralMesh::border_vertices() const {
  return storage_->topology->border_vertices;
}
std::span<const std::uint32_t> TetrahedralMesh::neighbors(std::uint32_t vertex) const {
  geometry::check_index("tetrahedral mesh: vertex", vertex, storage_->vertices.size());
  return storage_->topology->neighbors[vertex];
}
std::span<const std::uint32_t> TetrahedralMesh::inverted() const {
  return storage_->inverted;
}

bool TetrahedralMesh::contains(std::size_t tetrahedron, const Vector3& point) const {
  using geometry::orient3d_filtered;
  const Storage& s = *storage_;
  geometry::check_index("tetrahedral mesh: tetrahedron", tetrahedron, s.topology->tetrahedra.size());
  if (!point.allFinite()) throw Error("tetrahedral mesh: contains: the point is NaN or infinite");
  const Index4& corners = s.topology->tetrahedra[tetrahedron];
  const Vector3 &a = s.vertices[corners[0]], &b = s.vertices[corners[1]], &c = s.vertices[corners[2]];
  const Vector3& d = s.vertices[corners[3]];
  if (const int turn = s.sign[tetrahedron]; turn != 0) {
    return turn * orient3d_filtered(a, b, c, point) >= 0 && turn * orient3d_filtered(a, d, b, point) >= 0 &&
           turn * orient3d_filtered(a, c, d, point) >= 0 && turn * orient3d_filtered(b, d, c, point) >= 0;
  }
  // Four coplanar points: their triangles cover their convex hull.
  return touches_point_triangle(point, {a, b, c}) || touches_point_triangle(point, {a, b, d}) ||
         touches_point_triangle(point, {a, c, d}) || touches_point_triangle(point, {b, c, d});
}

Mesh TetrahedralMesh::border() const {
  const Storage& s = *storage_;
  std::optional<Mesh> border;
  with_threads("tetrahedral mesh", s.threads, [&] { border = s.topology->border_mesh(s.vertices).moved(s.vertices); });
  return *std::move(border);
}

}  // namespace whisker
