// The models of the suite: scans that are closed and reduced, and generated shapes.

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <utility>

#include <whisker/editing/mesh_report.hpp>
#include <whisker/editing/repair.hpp>
#include <whisker/geometry/bounding_sphere.hpp>
#include <whisker/io.hpp>
#include <whisker/make/make.hpp>
#include <whisker/self_contacts.hpp>

#include "spheretree.hpp"

namespace whisker::bench {

namespace {

/// A file of $WHISKER_DATA/meshes, closed. Empty if it is missing.
std::optional<MeshData> closed_scan(const std::string& name, const std::string& file) {
  const char* folder = std::getenv("WHISKER_DATA");
  if (folder == nullptr || *folder == 0) {
    std::printf("%s is skipped: set the environment variable WHISKER_DATA to a folder that has meshes/%s\n",
                name.c_str(), file.c_str());
    return std::nullopt;
  }
  const std::filesystem::path path = std::filesystem::path(folder) / "meshes" / file;
  if (!std::filesystem::exists(path)) {
    std::printf("%s is skipped: there is no %s\n", name.c_str(), path.c_str());
    return std::nullopt;
  }
  return repair_mesh(read_mesh(path)).mesh;
}

/// The number of pairs of triangles that intersect where they should not.
std::size_t crossings(const MeshData& data) {
  const SelfContacts found = self_contacts(Mesh(data));
  return found.pairs.size() + found.adjacent.size();
}

/// About 1,500 triangles, or a few more if that intersects itself and more do not.
MeshData reduced_scan(const std::string& name, const MeshData& whole) {
  const std::size_t counts[] = {1500, 1520, 1540, 1560, 1600, 1700, 2000};
  for (const std::size_t count : counts) {
    MeshData data = reduced(whole, count);
    if (is_closed(data) && crossings(data) == 0) return data;
  }
  MeshData data = reduced(whole, counts[0]);
  std::printf("%s crosses itself in %zu places (before it was reduced: %zu), whatever the number of triangles\n",
              name.c_str(), crossings(data), crossings(whole));
  return data;
}

std::optional<Model> finished(const std::string& name, std::optional<MeshData> data) {
  if (!data) return std::nullopt;
  const double radius = fit_sphere(data->vertices).radius;
  Mesh mesh = Mesh(*data).solid();
  return Model{name, std::move(*data), std::move(mesh), radius};
}

std::optional<MeshData> make_data(const std::string& name) {
  const std::map<std::string, std::string> scans = {
      {"bunny", "stanford-bunny.obj"}, {"dragon", "dragon.obj"}, {"cow", "cow.obj"}};
  if (const auto scan = scans.find(name); scan != scans.end()) {
    const std::optional<MeshData> whole = closed_scan(name, scan->second);
    if (!whole) return std::nullopt;
    return reduced_scan(name, *whole);
  }
  if (name == "ellipsoid") {
    MeshData data = make::icosphere();
    for (Vector3& v : data.vertices)
      v = v.cwiseProduct(Vector3(1, 0.5, 0.5));
    return data;
  }
  const std::map<std::string, std::function<MeshData()>> shapes = {
      {"s-shape", [] { return make::s_shape(); }},
      {"torus", [] { return make::torus(); }},
      {"cone", [] { return make::cone({.stacks = 8}); }},
      {"cube", [] { return make::box({.subdivisions = 8}); }},
      {"cylinder", [] { return make::cylinder({.stacks = 8}); }},
      {"block", [] { return make::block(); }}};
  return shapes.at(name)();
}

}  // namespace

const Model* find_model(const std::string& name) {
  static std::map<std::string, std::optional<Model>> made;
  auto found = made.find(name);
  if (found == made.end()) found = made.emplace(name, finished(name, make_data(name))).first;
  return found->second ? &*found->second : nullptr;
}

const Model* whole_bunny() {
  static const std::optional<Model> bunny = finished("bunny", closed_scan("bunny", "stanford-bunny.obj"));
  return bunny ? &*bunny : nullptr;
}

}  // namespace whisker::bench
