// CGAL's side of the suite `deform`: the self-intersections of a surface mesh.

#include <algorithm>

#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Polygon_mesh_processing/self_intersections.h>
#include <CGAL/Surface_mesh.h>

#include "deform.hpp"

namespace whisker::bench {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Surface = CGAL::Surface_mesh<Kernel::Point_3>;
using Face = Surface::Face_index;

struct CgalSelf::Parts {
  Surface surface;
  bool manifold = true;
  std::vector<std::pair<Face, Face>> found;
};

CgalSelf::CgalSelf(const MeshData& data) : parts_(std::make_unique<Parts>()) {
  std::vector<Surface::Vertex_index> vertices;
  for (const Vector3& v : data.vertices)
    vertices.push_back(parts_->surface.add_vertex({v[0], v[1], v[2]}));
  for (const Index3& t : data.triangles) {
    const Face face = parts_->surface.add_face(vertices[t[0]], vertices[t[1]], vertices[t[2]]);
    parts_->manifold = parts_->manifold && face != Surface::null_face();
  }
}
CgalSelf::~CgalSelf() = default;

bool CgalSelf::manifold() const {
  return parts_->manifold;
}

void CgalSelf::set_vertices(const std::vector<Vector3>& vertices) {
  for (std::size_t i = 0; i < vertices.size(); ++i)
    parts_->surface.point(Surface::Vertex_index(static_cast<Surface::size_type>(i))) = {vertices[i][0], vertices[i][1],
                                                                                        vertices[i][2]};
}

void CgalSelf::find(bool parallel) {
  namespace pmp = CGAL::Polygon_mesh_processing;
  parts_->found.clear();
  if (parallel) {
    pmp::self_intersections<CGAL::Parallel_if_available_tag>(parts_->surface, std::back_inserter(parts_->found));
  } else {
    pmp::self_intersections<CGAL::Sequential_tag>(parts_->surface, std::back_inserter(parts_->found));
  }
}

std::size_t CgalSelf::count() const {
  return parts_->found.size();
}

Pairs CgalSelf::pairs() const {
  Pairs pairs;
  for (const auto& [a, b] : parts_->found) {
    const auto p = static_cast<std::uint32_t>(a.idx()), q = static_cast<std::uint32_t>(b.idx());
    pairs.push_back({std::min(p, q), std::max(p, q)});
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace whisker::bench
