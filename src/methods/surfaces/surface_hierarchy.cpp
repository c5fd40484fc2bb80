#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <whisker/error.hpp>
#include <whisker/methods/surface_hierarchy.hpp>

#include "deform/check_mesh.hpp"
#include "deform/surface_normal.hpp"
#include "geometry/check_index.hpp"
#include "methods/surfaces/surface_storage.hpp"

namespace whisker::methods {

namespace {

void check(const MeshData& data, const SurfaceHierarchyOptions& options) {
  deform::check_mesh(data, "surface hierarchy");
  if (!options.faces.empty() && options.faces.size() != data.triangles.size()) {
    throw Error("surface hierarchy: `faces` has " + std::to_string(options.faces.size()) + " entries, but there are " +
                std::to_string(data.triangles.size()) + " triangles");
  }
  if (!(options.contour_angle >= 0 && options.contour_angle <= 45))
    throw Error("surface hierarchy: `contour_angle` must be from 0 to 45 degrees");
  if (options.volume > SurfaceVolume::kdop62 || options.curvature > SurfaceCurvature::cone ||
      options.contour > ContourTest::off)
    throw Error("surface hierarchy: `volume`, `curvature` or `contour` has an invalid value");
}

void check(const SurfaceContactOptions& options) {
  if (!(options.distance >= 0 && options.distance <= max_coordinate))
    throw Error("contacts of surfaces: `distance` must be a length, 0 or larger, up to 1e90");
}

void check_kinds(const SurfaceStorage& a, const SurfaceStorage& b) {
  if (a.options.volume != b.options.volume)
    throw Error("contacts of surfaces: their volumes are of different kinds; build both with the same `volume`");
}

void set_shape_factors(SurfaceStorage& s) {
  const surfaces::SurfaceTree& tree = s.topology.tree;
  std::vector<double> areas(tree.nodes.size());
  s.shape_factors.assign(tree.nodes.size(), 0);
  for (std::uint32_t n = 0; n < tree.nodes.size(); ++n) {
    const surfaces::SurfaceNode& node = tree.nodes[n];
    if (tree.is_leaf(n)) {
      const Index3& t = s.triangles[n];
      areas[n] = deform::area_of(s.vertices[t[0]], s.vertices[t[1]], s.vertices[t[2]]);
    }
    for (std::uint32_t k = 0; k < node.size; ++k)
      areas[n] += areas[node.children[k]];
    double length = 0;
    for (const std::uint32_t h : s.topology.contours[n])
      length +=
          (s.vertices[surfaces::from_vertex(s.triangles, h)] - s.vertices[surfaces::to_vertex(s.triangles, h)]).norm();
    if (length > 0) s.shape_factors[n] = std::sqrt(areas[n]) / length;
  }
}

void refit(SurfaceStorage& s) {
  const surfaces::SurfaceTree& tree = s.topology.tree;
  surfaces::fit_volumes(s.options.volume, s.vertices, s.triangles, tree, s.heights, s.bounds);
  const double angle = s.options.contour_angle;
  if (s.options.curvature == SurfaceCurvature::cone)
    surfaces::fit_cones(s.vertices, s.triangles, tree, s.margins, angle, s.cones);
  else if (s.options.curvature != SurfaceCurvature::none)
    surfaces::fit_masks(s.directions, s.vertices, s.triangles, tree, s.margins, angle, s.masks);
}

/// Replaces the result with what `add` adds to it, sorted.
template <class Add>
void set_contacts(SurfaceContacts& result, const Add& add) {
  result.pairs.clear();
  result.visits.clear();
  result.may_miss = false;
  result.cost = {};
  result.counts = {};
  add();
  std::sort(result.pairs.begin(), result.pairs.end());
}

}  // namespace

SurfaceHierarchy::SurfaceHierarchy(MeshData data, const SurfaceHierarchyOptions& options)
    : storage_(std::make_unique<SurfaceStorage>()) {
  check(data, options);
  SurfaceStorage& s = *storage_;
  s.vertices = std::move(data.vertices);
  s.triangles = std::move(data.triangles);
  s.options = options;
  s.topology = surfaces::build_surface_topology(s.vertices, s.triangles, options.faces);
  set_shape_factors(s);
  s.directions = surfaces::mask_directions(options.volume, options.curvature);
  if (options.contour == ContourTest::approximate && options.curvature != SurfaceCurvature::none)
    s.margins = surfaces::contour_margins(s.vertices, s.triangles, s.topology.twins);
  refit(s);
}

void SurfaceHierarchy::set_vertices(std::span<const Vector3> vertices) {
  SurfaceStorage& s = *storage_;
  deform::check_positions(vertices, s.vertices.size(), "surface hierarchy");
  // Copy one by one: the span may refer to the stored vertices themselves.
  for (std::size_t i = 0; i < vertices.size(); ++i)
    s.vertices[i] = vertices[i];
  refit(s);
}

std::span<const Vector3> SurfaceHierarchy::vertices() const {
  return storage_->vertices;
}
std::span<const Index3> SurfaceHierarchy::triangles() const {
  return storage_->triangles;
}
const SurfaceHierarchyOptions& SurfaceHierarchy::options() const {
  return storage_->options;
}

void SurfaceHierarchy::self_contacts(const SurfaceContactOptions& options, SurfaceContacts& result) const {
  check(options);
  set_contacts(result, [&] { surfaces::add_self_contacts(*storage_, options, result); });
}

SurfaceContacts SurfaceHierarchy::self_contacts(const SurfaceContactOptions& options) const {
  SurfaceContacts result;
  self_contacts(options, result);
  return result;
}

void triangle_contacts(const SurfaceHierarchy& a, const SurfaceHierarchy& b, const SurfaceContactOptions& options,
                       SurfaceContacts& result) {
  check(options);
  check_kinds(storage_of(a), storage_of(b));
  set_contacts(result, [&] { surfaces::add_contacts(storage_of(a), storage_of(b), options, result); });
}

SurfaceContacts triangle_contacts(const SurfaceHierarchy& a, const SurfaceHierarchy& b,
                                  const SurfaceContactOptions& options) {
  SurfaceContacts result;
  triangle_contacts(a, b, options, result);
  return result;
}

std::size_t SurfaceHierarchy::region_count() const {
  return storage_->topology.tree.nodes.size();
}

SurfaceRegion SurfaceHierarchy::region(std::uint32_t number) const {
  geometry::check_index("surface hierarchy: region", number, region_count());
  return storage_->topology.tree.nodes[number];
}

std::vector<std::uint32_t> SurfaceHierarchy::regions_at(std::uint32_t level) const {
  const std::vector<surfaces::SurfaceNode>& nodes = storage_->topology.tree.nodes;
  // From the root down: a region of this level represents everything in it.
  std::vector<std::uint32_t> region(nodes.size());
  for (std::uint32_t n = static_cast<std::uint32_t>(nodes.size()); n-- > 0;) {
    const bool is_root = nodes[n].parent == surfaces::no_number;
    region[n] = !is_root && nodes[nodes[n].parent].level <= level ? region[nodes[n].parent] : n;
  }
  region.resize(storage_->triangles.size());
  return region;
}

SurfaceSceneContacts triangle_contacts(std::span<const SurfaceHierarchy* const> meshes,
                                       const SurfaceContactOptions& options) {
  check(options);
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    if (meshes[i] == nullptr) throw Error("contacts of surfaces: mesh " + std::to_string(i) + " is null");
    check_kinds(storage_of(*meshes[0]), storage_of(*meshes[i]));
  }
  SurfaceSceneContacts scene;
  SurfaceContacts found;
  const auto take = [&](std::size_t a, std::size_t b) {
    for (const TrianglePair& pair : found.pairs)
      scene.pairs.push_back({static_cast<std::uint32_t>(a), pair.a, static_cast<std::uint32_t>(b), pair.b});
    found.pairs.clear();
  };
  // Sweep along x: each mesh is tested against those that begin before it ends. The boxes are exact, and `reach` covers
  // the rounding error of the sums.
  struct Extent {
    double lower, upper;
    std::size_t mesh;
  };
  std::vector<Extent> extents;
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    surfaces::add_self_contacts(storage_of(*meshes[i]), options, found);
    take(i, i);
    const SurfaceStorage& s = storage_of(*meshes[i]);
    const double* const root = &s.bounds[2 * s.axes() * s.topology.tree.root()];
    const double reach = options.distance * (1 + 0x1p-40) + 0x1p-40 * (std::abs(root[0]) + std::abs(root[s.axes()]));
    extents.push_back({root[0], -root[s.axes()] + reach, i});
  }
  std::sort(extents.begin(), extents.end(),
            [](const Extent& p, const Extent& q) { return std::pair(p.lower, p.mesh) < std::pair(q.lower, q.mesh); });
  for (std::size_t i = 0; i < extents.size(); ++i) {
    for (std::size_t j = i + 1; j < extents.size() && extents[j].lower <= extents[i].upper; ++j) {
      const auto [a, b] = std::minmax(extents[i].mesh, extents[j].mesh);
      surfaces::add_contacts(storage_of(*meshes[a]), storage_of(*meshes[b]), options, found);
      take(a, b);
    }
  }
  std::sort(scene.pairs.begin(), scene.pairs.end());
  scene.may_miss = found.may_miss;
  scene.cost = found.cost;
  scene.counts = found.counts;
  return scene;
}

}  // namespace whisker::methods
