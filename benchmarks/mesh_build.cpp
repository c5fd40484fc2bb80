// build and build-ray: the time to build a mesh's search tree, and its memory.

#include <whisker/mesh_tree.hpp>

#include "embree_scene.hpp"
#include "mesh.hpp"

namespace whisker::bench {
void bench_build(Suite& suite, const Model& model) {
  const std::string name = "build/" + model.name;
  if (!suite.wants(name)) return;
  const std::size_t triangle_count = model.data.triangles.size();
  const auto triangles = [&] { return triangle_count; };
  std::vector<System> systems = {{"whisker", [&] { Mesh(model.data, {.threads = 1}); }, triangles},
                                 {"FCL", [&] { FclMesh::build_boxes(model.data); }, triangles},
                                 {"FCL/OBBRSS", [&] { FclMesh::build_swept(model.data); }, triangles}};
  if (auto pass = ode_build(model.data)) systems.push_back({"ODE", pass, triangles});
  if (auto pass = bullet_build(model.data)) systems.push_back({"Bullet", pass, triangles});
  suite.measure({.name = name, .hit_rate = false, .seconds = case_seconds(suite), .all_threads = true}, systems);
  // Nodes, leaf data and order. The given vertices and triangles are not counted.
  const double per = 1 / static_cast<double>(triangle_count);
  char text[160];
  std::snprintf(text, sizeof text, "bytes a triangle: whisker %.0f, FCL %.0f, FCL/OBBRSS %.0f",
                Mesh(model.data).tree_report().bytes_per_triangle,
                per * static_cast<double>(model.fcl.box_tree_bytes()),
                per * static_cast<double>(model.fcl.swept_tree_bytes()));
  suite.note(text);
}

void bench_build_ray(Suite& suite, const Model& model) {
  const std::string name = "build-ray/" + model.name;
  if (!suite.wants(name)) return;
  const EmbreeMesh scene(model.data);
  const std::size_t triangles = model.data.triangles.size();
  suite.measure({.name = name, .hit_rate = false, .seconds = case_seconds(suite), .all_threads = true},
                {{"whisker", [&] { Mesh(model.data, {.threads = 1}); }, [&] { return triangles; }},
                 {"Embree", [&] { scene.build(); }, [&] { return triangles; }}});
}

}  // namespace whisker::bench
