// Reduces meshes with CGAL, for the models of the suite that are made from scans.

#include <array>
#include <cstddef>
#include <vector>

#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Polygon_mesh_processing/orient_polygon_soup.h>
#include <CGAL/Polygon_mesh_processing/polygon_soup_to_polygon_mesh.h>
#include <CGAL/Polygon_mesh_processing/repair_polygon_soup.h>
#include <CGAL/Surface_mesh.h>
#include <CGAL/Surface_mesh_simplification/Policies/Edge_collapse/Bounded_normal_change_filter.h>
#include <CGAL/Surface_mesh_simplification/Policies/Edge_collapse/Count_stop_predicate.h>
#include <CGAL/Surface_mesh_simplification/Policies/Edge_collapse/GarlandHeckbert_plane_policies.h>
#include <CGAL/Surface_mesh_simplification/edge_collapse.h>

#include "spheretree.hpp"

namespace whisker::bench {

namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Surface = CGAL::Surface_mesh<Kernel::Point_3>;
namespace pmp = CGAL::Polygon_mesh_processing;
namespace sms = CGAL::Surface_mesh_simplification;

Surface to_surface(const MeshData& data) {
  std::vector<Kernel::Point_3> points;
  for (const Vector3& v : data.vertices)
    points.emplace_back(v[0], v[1], v[2]);
  std::vector<std::array<std::size_t, 3>> triangles;
  for (const Index3& t : data.triangles)
    triangles.push_back({t[0], t[1], t[2]});
  pmp::repair_polygon_soup(points, triangles);
  pmp::orient_polygon_soup(points, triangles);
  Surface surface;
  pmp::polygon_soup_to_polygon_mesh(points, triangles, surface);
  return surface;
}

MeshData to_data(Surface& surface) {
  surface.collect_garbage();
  MeshData data;
  for (const auto vertex : surface.vertices()) {
    const Kernel::Point_3& p = surface.point(vertex);
    data.vertices.emplace_back(p.x(), p.y(), p.z());
  }
  for (const auto face : surface.faces()) {
    Index3 triangle;
    std::size_t k = 0;
    for (const auto vertex : vertices_around_face(surface.halfedge(face), surface))
      triangle[k++] = static_cast<std::uint32_t>(vertex.idx());
    data.triangles.push_back(triangle);
  }
  return data;
}

}  // namespace

MeshData reduced(const MeshData& data, std::size_t triangles) {
  Surface surface = to_surface(data);
  // A closed surface has three edges for every two faces.
  const sms::Count_stop_predicate<Surface> stop(triangles * 3 / 2 + 1);
  const sms::GarlandHeckbert_plane_policies<Surface, Kernel> quadrics(surface);
  const sms::Bounded_normal_change_filter<> filter;
  sms::edge_collapse(
      surface, stop,
      CGAL::parameters::get_cost(quadrics.get_cost()).get_placement(quadrics.get_placement()).filter(filter));
  return to_data(surface);
}

}  // namespace whisker::bench
