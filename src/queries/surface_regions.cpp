// Finds the triangles of a mesh that touch a box or a ball.

#include <algorithm>

#include <whisker/geometry/triangle_tests.hpp>
#include <whisker/mesh_queries.hpp>

#include "geometry/constants.hpp"
#include "mesh/near_walk.hpp"
#include "mesh/surface_distance.hpp"
#include "queries/check_query.hpp"

namespace whisker {
namespace {

const Mesh& mesh_of(const char* question, const Placed& placed) {
  const Mesh* mesh = placed.shape.as<Mesh>();
  if (mesh == nullptr) queries::refuse_kind(question, placed.shape, "meshes");
  return *mesh;
}

}  // namespace

void triangles_in_box(const Placed& placed, const Aabb& box, std::vector<std::uint32_t>& ids) {
  if (box.lower.hasNaN() || box.upper.hasNaN()) throw Error("triangles_in_box: the box has a NaN");
  const mesh::PlacedMesh mesh{mesh_of("triangles_in_box", placed), placed.pose};
  ids.clear();
  if (box.empty()) return;
  const mesh::LocalFrame frame(mesh);
  Cost cost;
  mesh::walk_near(mesh::near_query(frame, box), 0, no_budget, cost, [&](const mesh::NearTriangle& near) {
    if (touches_triangle_box(mesh::triangle_at(mesh, near.number), box)) ids.push_back(near.number);
    return 0.0;
  });
  std::sort(ids.begin(), ids.end());
}

void triangles_in_sphere(const Placed& placed, const Vector3& center, double radius, std::vector<std::uint32_t>& ids) {
  queries::refuse_fault("triangles_in_sphere", queries::fault_of(center));
  if (!(radius >= 0 && radius <= max_coordinate)) {
    throw Error("triangles_in_sphere: the radius must be a length from 0 to 1e90");
  }
  const mesh::PlacedMesh mesh{mesh_of("triangles_in_sphere", placed), placed.pose};
  ids.clear();
  Cost cost;
  mesh::each_touching_triangle(mesh, convex::simple_point(center, radius), cost,
                               [&](std::uint32_t number, const convex::SimpleShape&) {
                                 ids.push_back(number);
                                 return true;
                               });
  std::sort(ids.begin(), ids.end());
}

}  // namespace whisker
