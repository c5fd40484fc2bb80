#include <algorithm>
#include <array>
#include <utility>

#include <whisker/deforming_mesh.hpp>
#include <whisker/error.hpp>
#include <whisker/mesh_tree.hpp>

#include "deform/check_mesh.hpp"
#include "deform/deforming_mesh_storage.hpp"
#include "geometry/edge_sides.hpp"
#include "geometry/lists.hpp"
#include "geometry/threads.hpp"
#include "trees/topology.hpp"

namespace whisker {

namespace {

using deform::MeshChange;
using Storage = DeformingMeshStorage;

template <std::size_t corners>
std::span<const std::uint32_t> flat(const std::vector<std::array<std::uint32_t, corners>>& items) {
  return {items.front().data(), corners * items.size()};
}

/// The vertices that belong to a triangle.
std::vector<std::uint32_t> used_vertices(const Storage& s) {
  std::vector<bool> is_used(s.start.size());
  for (const std::uint32_t v : flat(s.triangles))
    is_used[v] = true;
  std::vector<std::uint32_t> used;
  for (std::uint32_t v = 0; v < s.start.size(); ++v)
    if (is_used[v]) used.push_back(v);
  return used;
}

Aabb bounds_of(std::span<const Vector3> vertices, std::span<const std::uint32_t> numbers) {
  Vector3 lower = vertices[numbers.front()], upper = lower;
  if (numbers.size() == vertices.size()) {
    // All vertices are used: process four at a time as a flat array of coordinates, which vectorizes.
    constexpr std::size_t width = 12;
    double low[width], high[width];
    for (std::size_t k = 0; k < width; ++k)
      low[k] = high[k] = lower[static_cast<int>(k % 3)];
    const double* const flat = vertices.front().data();
    const std::size_t count = 3 * vertices.size(), whole = count - count % width;
    for (std::size_t i = 0; i < whole; i += width) {
      for (std::size_t k = 0; k < width; ++k) {
        const double x = flat[i + k];
        low[k] = x < low[k] ? x : low[k];
        high[k] = x > high[k] ? x : high[k];
      }
    }
    for (std::size_t i = whole; i < count; ++i) {
      low[i % 3] = std::min(low[i % 3], flat[i]);
      high[i % 3] = std::max(high[i % 3], flat[i]);
    }
    for (std::size_t k = 0; k < width; ++k) {
      lower[static_cast<int>(k % 3)] = std::min(lower[static_cast<int>(k % 3)], low[k]);
      upper[static_cast<int>(k % 3)] = std::max(upper[static_cast<int>(k % 3)], high[k]);
    }
    return {lower, upper};
  }
  Aabb box{lower, upper};
  for (const std::uint32_t v : numbers)
    box.include(vertices[v]);
  return box;
}

deform::SweptParts build_swept(const Storage& s) {
  const std::vector<std::uint32_t> used = used_vertices(s);
  const auto [lower, upper] = bounds_of(s.start, used);
  deform::SweptParts swept;
  swept.origin = lower + (upper - lower) / 2;
  swept.vertex_tree = deform::build_swept_tree(s.start, used, 1, s.options.threads);
  swept.order.reserve(used.size());
  std::vector<std::uint32_t> place(s.start.size());
  std::vector<Vector3> positions;
  for (deform::SweptItem& item : swept.vertex_tree.items) {
    item.number = item.vertices[0];  // the user's number
    item.vertices[0] = place[item.number] = static_cast<std::uint32_t>(swept.order.size());
    swept.order.push_back(item.number);
    positions.push_back(s.start[item.number]);
  }
  const auto by_place = [&](std::span<const std::uint32_t> vertices) { return geometry::picked(place, vertices); };
  swept.edge_tree = deform::build_swept_tree(positions, by_place(flat(s.edges())), 2, s.options.threads);
  swept.triangle_tree = deform::build_swept_tree(positions, by_place(flat(s.triangles)), 3, s.options.threads);
  return swept;
}

void refit_swept(const Storage& s, deform::SweptParts& swept) {
  swept.vertices.resize(swept.order.size());
  for (std::size_t i = 0; i < swept.order.size(); ++i) {
    std::copy_n(s.start[swept.order[i]].data(), 3, swept.vertices[i].start);
    std::copy_n(s.end[swept.order[i]].data(), 3, swept.vertices[i].end);
  }
  deform::set_vertex_boxes(swept.vertices, swept.origin, swept.vertex_boxes);
  deform::set_heights(swept.vertices, swept.origin, swept.heights);
  for (deform::SweptTree* const tree : {&swept.vertex_tree, &swept.edge_tree, &swept.triangle_tree})
    deform::refit(*tree, swept.vertex_boxes);
}

/// Fits the mesh's tree, which must exist, to the end of the step.
void fit_still(const Storage& s, deform::StillParts& still) {
  MeshStorage& now = *still.now;
  now.move_to(s.end, bounds_of(s.end, still.used));
  with_tasks("deforming mesh", s.options.threads, [&](bool parallel) {
    trees::fit_aligned(now.oriented, now.data.vertices, still.leaves, now.bounds, still.plan, parallel,
                       still.node_bounds);
  });
}

/// Prepares the data that depend only on the triangles and on the tree's topology.
void prepare_fit(const Storage& s, deform::StillParts& still) {
  still.leaves = trees::leaf_vertices(still.now->oriented, s.triangles);
  still.plan = trees::plan_fit(still.now->oriented);
  still.used = used_vertices(s);
}

deform::StillParts build_still(const Storage& s) {
  deform::StillParts still;
  still.now = std::make_shared<MeshStorage>();
  still.now->data = {s.end, s.triangles};
  const TreeOptions options = {.threads = s.options.threads};
  with_tasks("deforming mesh", options.threads, [&](bool parallel) {
    still.now->oriented =
        trees::lay_out(trees::build_topology(trees::triangle_boxes(s.end, s.triangles, parallel), options));
  });
  still.now->oriented.set_aligned();
  prepare_fit(s, still);
  fit_still(s, still);
  still.built_cost = trees::surface_cost(still.node_bounds);
  return still;
}

/// Whether no one else holds a reference, so that the mesh may be written to.
bool is_free(const std::shared_ptr<MeshStorage>& held) {
  if (held.use_count() > 1) return false;
  // All reads by previous holders must happen before our writes: releasing a copy synchronizes with their releases. (A
  // fence would also do, but the thread sanitizer does not understand fences.)
  std::shared_ptr<MeshStorage>(held).reset();
  return true;
}

void refit_still(const Storage& s, deform::StillParts& still) {
  if (!is_free(still.now)) {
    if (still.spare == nullptr || !is_free(still.spare)) still.spare = std::make_shared<MeshStorage>(*still.now);
    std::swap(still.now, still.spare);
  }
  fit_still(s, still);
  still.has_moved = true;
}

/// Applies an edit to the tree. Returns false if the tree must be rebuilt.
bool edit_still(const Storage& s, deform::StillParts& still, const MeshEdit& edit, std::size_t old_triangle_count) {
  if (!is_free(still.now)) still.now = std::make_shared<MeshStorage>(*still.now);
  still.spare.reset();
  if (!deform::edit_tree(edit, s.end, s.triangles, old_triangle_count, still.now->oriented)) return false;
  still.now->data = {s.end, s.triangles};
  prepare_fit(s, still);
  fit_still(s, still);
  return true;
}

}  // namespace

const std::vector<Index2>& DeformingMesh::Storage::edges() const {
  return derived.edges.get([&] { return geometry::edges_of(triangles, start.size()); });
}

const std::vector<Index3>& DeformingMesh::Storage::triangle_edges() const {
  return derived.triangle_edges.get([&] {
    std::vector<Index3> numbers(triangles.size());
    std::uint32_t edge = 0;  // in the order of edges()
    geometry::every_edge(triangles, start.size(), [&](std::uint32_t, auto sides) {
      for (const geometry::EdgeSide side : sides)
        numbers[side.number() / 3][side.number() % 3] = edge;
      ++edge;
      return true;
    });
    return numbers;
  });
}

const deform::SweptParts& DeformingMesh::Storage::swept() const {
  return derived.swept.get([&] {
    deform::SweptParts parts = build_swept(*this);
    refit_swept(*this, parts);
    return parts;
  });
}

const deform::StillParts& DeformingMesh::Storage::still() const {
  return derived.still.get([&] { return build_still(*this); });
}

const deform::Fans& DeformingMesh::Storage::fans() const {
  return derived.fans.get([&] { return deform::make_fans(triangles, end.size()); });
}

const deform::NodeContours& DeformingMesh::Storage::contours() const {
  return derived.contours.get([&] { return deform::find_contours(still().now->oriented, triangles, end.size()); });
}

const std::vector<deform::LeafBoxes>& DeformingMesh::Storage::leaf_boxes() const {
  return derived.leaf_boxes.get([&] {
    std::vector<deform::LeafBoxes> boxes;
    deform::set_leaf_boxes(still().now->oriented, boxes);
    return boxes;
  });
}

double DeformingMesh::Storage::tree_growth() const {
  const deform::StillParts* const still = derived.still.made();
  return still == nullptr ? 1 : trees::surface_cost(still->node_bounds) / still->built_cost;
}

void DeformingMesh::Storage::take(MeshChange change, const MeshEdit& edit, std::size_t old_triangle_count) {
  try {
    derived.drop_by(change);
    if (deform::SweptParts* const swept = derived.swept.to_update(change)) refit_swept(*this, *swept);
    if (deform::StillParts* const still = derived.still.to_update(change)) {
      bool is_good = change != MeshChange::rebuild;
      if (change == MeshChange::step) refit_still(*this, *still);
      if (change == MeshChange::edit) is_good = edit_still(*this, *still, edit, old_triangle_count);
      if (!is_good || tree_growth() > options.rebuild_at) {
        change = MeshChange::rebuild;
        const bool has_moved = still->has_moved;
        *still = build_still(*this);
        still->has_moved = has_moved;
        derived.drop_by(change);
      }
      if (auto* const boxes = derived.leaf_boxes.to_update(change))
        deform::set_leaf_boxes(still->now->oriented, *boxes);
    }
  } catch (...) {
    derived.drop_by(MeshChange::failure);
    throw;
  }
}

DeformingMesh::DeformingMesh(MeshData data, const DeformingMeshOptions& options)
    : storage_(std::make_unique<Storage>()) {
  if (!(options.rebuild_at > 1)) throw Error("deforming mesh: `rebuild_at` must be a factor above 1");
  check_threads("deforming mesh", options.threads);
  deform::check_mesh(data, "deforming mesh");
  Storage& s = *storage_;
  s.start = std::move(data.vertices);
  s.end = s.start;
  s.triangles = std::move(data.triangles);
  s.options = options;
}

void DeformingMesh::set_vertices(std::span<const Vector3> vertices) {
  Storage& s = *storage_;
  deform::check_positions(vertices, s.end.size(), "deforming mesh");
  std::swap(s.start, s.end);
  // Copies element by element, because `vertices` may be the mesh's own arrays.
  for (std::size_t i = 0; i < vertices.size(); ++i)
    s.end[i] = vertices[i];
  s.take(MeshChange::step);
}

void DeformingMesh::set_step(std::span<const Vector3> start, std::span<const Vector3> end) {
  Storage& s = *storage_;
  deform::check_positions(start, s.start.size(), "deforming mesh");
  deform::check_positions(end, s.end.size(), "deforming mesh");
  // Reads both positions before writing either, because the arguments may be the mesh's own arrays, swapped.
  for (std::size_t i = 0; i < start.size(); ++i) {
    const Vector3 from = start[i], to = end[i];
    s.start[i] = from;
    s.end[i] = to;
  }
  s.take(MeshChange::step);
}

Mesh DeformingMesh::snapshot() const {
  return mesh_from(storage_->still().now, false);
}
double DeformingMesh::tree_growth() const {
  return storage_->tree_growth();
}
void DeformingMesh::rebuild() {
  storage_->take(MeshChange::rebuild);
}

std::span<const Vector3> DeformingMesh::start() const {
  return storage_->start;
}
std::span<const Vector3> DeformingMesh::end() const {
  return storage_->end;
}
std::span<const Index3> DeformingMesh::triangles() const {
  return storage_->triangles;
}
std::span<const Index2> DeformingMesh::edges() const {
  return storage_->edges();
}

}  // namespace whisker
