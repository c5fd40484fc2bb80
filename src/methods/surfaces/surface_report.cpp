// Reports the quality and memory of a surface hierarchy, level by level.

#include <algorithm>
#include <utility>

#include "methods/surfaces/surface_storage.hpp"

namespace whisker::methods {

namespace {

/// The regions of one level, and which of their volumes overlap.
class LevelReport {
 public:
  LevelReport(const SurfaceStorage& mesh, std::uint32_t level)
      : mesh_(mesh), level_(level), nodes_(mesh.topology.tree.nodes), borders_(nodes_.size()) {}

  SurfaceLevel result() {
    double sum = 0;
    std::size_t shaped = 0;
    for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
      if (nodes_[n].level > level_ || (nodes_[n].parent != surfaces::no_number && !is_above(nodes_[n].parent)))
        continue;
      ++level_report_.regions;
      set_border(n, borders_[n]);
      if (mesh_.shape_factors[n] > 0) {
        sum += mesh_.shape_factors[n];
        ++shaped;
      }
    }
    if (shaped > 0) level_report_.shape_factor = sum / static_cast<double>(shaped);
    surfaces::with_axis_count(mesh_.options.volume, [&](auto axes) { count_overlaps<axes.value>(); });
    return level_report_;
  }

 private:
  bool is_above(std::uint32_t node) const { return nodes_[node].level > level_; }

  /// Sets the vertices, sorted, at which the region can be adjacent to another.
  void set_border(std::uint32_t node, std::vector<std::uint32_t>& border) const {
    std::vector<std::uint32_t> parts = {node};
    while (!parts.empty()) {
      const std::uint32_t n = parts.back();
      parts.pop_back();
      if (!nodes_[n].is_surface)
        parts.insert(parts.end(), nodes_[n].children.begin(), nodes_[n].children.begin() + nodes_[n].size);
      for (const std::uint32_t h : mesh_.topology.contours[n])
        border.push_back(surfaces::from_vertex(mesh_.triangles, h));
    }
    std::sort(border.begin(), border.end());
  }

  bool share_vertex(std::uint32_t a, std::uint32_t b) const {
    return std::ranges::any_of(borders_[a],
                               [&](std::uint32_t v) { return std::ranges::binary_search(borders_[b], v); });
  }

  template <std::size_t axes>
  void count_overlaps() {
    const std::array<double, surfaces::max_axes> reach = {};
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    const std::uint32_t root = mesh_.topology.tree.root();
    if (is_above(root)) pairs.emplace_back(root, root);
    while (!pairs.empty()) {
      const auto [a, b] = pairs.back();
      pairs.pop_back();
      const auto descend = [&](std::uint32_t node, std::uint32_t other) {
        for (std::uint32_t k = 0; k < nodes_[node].size; ++k)
          pairs.emplace_back(nodes_[node].children[k], other);
      };
      if (a == b) {
        const surfaces::SurfaceNode& node = nodes_[a];
        for (std::uint32_t k = 0; k < node.size; ++k) {
          if (is_above(node.children[k])) pairs.emplace_back(node.children[k], node.children[k]);
          for (std::uint32_t i = 0; i < k; ++i)
            pairs.emplace_back(node.children[i], node.children[k]);
        }
      } else if (surfaces::are_apart<axes>(&mesh_.bounds[2 * axes * a], &mesh_.bounds[2 * axes * b], reach.data())) {
        continue;
      } else if (is_above(a) && (!is_above(b) || nodes_[a].triangles >= nodes_[b].triangles)) {
        descend(a, b);
      } else if (is_above(b)) {
        descend(b, a);
      } else {
        ++level_report_.overlapping;
        if (!share_vertex(a, b)) ++level_report_.overlapping_apart;
      }
    }
  }

  const SurfaceStorage& mesh_;
  std::uint32_t level_;
  const std::vector<surfaces::SurfaceNode>& nodes_;
  std::vector<std::vector<std::uint32_t>> borders_;  // of the level's regions
  SurfaceLevel level_report_;
};

template <class T>
std::size_t bytes_of(const std::vector<T>& list) {
  return list.size() * sizeof(T);
}
std::size_t bytes_of(const surfaces::NumberLists& lists) {
  return bytes_of(lists.first) + bytes_of(lists.items);
}

}  // namespace

SurfaceReport SurfaceHierarchy::report() const {
  const SurfaceStorage& s = *storage_;
  const std::vector<surfaces::SurfaceNode>& nodes = s.topology.tree.nodes;
  SurfaceReport report;
  report.triangles = s.triangles.size();
  report.regions = nodes.size();
  std::vector<std::size_t> depths(nodes.size(), 1);
  std::size_t children = 0;
  for (std::size_t n = nodes.size(); n-- > 0;) {
    if (nodes[n].parent != surfaces::no_number) depths[n] = depths[nodes[n].parent] + 1;
    report.depth = std::max(report.depth, depths[n]);
    children += nodes[n].size;
    const bool is_top = nodes[n].parent == surfaces::no_number || !nodes[nodes[n].parent].is_surface;
    if (nodes[n].is_surface && is_top) ++report.components;
    report.max_stored_vertices = std::max(report.max_stored_vertices, s.topology.junctions[n].size());
  }
  if (nodes.size() > s.triangles.size())
    report.mean_children = static_cast<double>(children) / static_cast<double>(nodes.size() - s.triangles.size());
  report.mean_stored_vertices =
      static_cast<double>(s.topology.junctions.items.size()) / static_cast<double>(nodes.size());
  report.contour_edges = s.topology.contours.items.size();
  report.bytes = bytes_of(s.vertices) + bytes_of(s.triangles) + bytes_of(nodes) + bytes_of(s.topology.tree.order) +
                 bytes_of(s.topology.tree.place) + bytes_of(s.topology.twins) + bytes_of(s.topology.contours) +
                 bytes_of(s.topology.junctions) + bytes_of(s.topology.places) + bytes_of(s.shape_factors) +
                 bytes_of(s.margins) + bytes_of(s.bounds) + bytes_of(s.masks) + bytes_of(s.cones) + bytes_of(s.heights);
  for (std::uint32_t level = 0; level <= nodes.back().level; ++level)
    report.levels.push_back(LevelReport(s, level).result());
  return report;
}

}  // namespace whisker::methods
