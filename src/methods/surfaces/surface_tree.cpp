// Builds the tree of regions of a surface by merging regions from the triangles up.

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include <whisker/geometry/aabb.hpp>

#include "deform/surface_normal.hpp"
#include "geometry/constants.hpp"
#include "geometry/edge_sides.hpp"
#include "geometry/lists.hpp"
#include "methods/surfaces/surface_topology.hpp"

namespace whisker::methods::surfaces {

using deform::area_of;

namespace {

/// A growing part of the surface.
struct Region {
  double area = 0;
  double contour = 0;  // its length
  std::uint32_t node = 0;
};

/// Two regions with a common border, a < b.
struct Link {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  double length = 0;  // of that border
};

/// Combines links between the same two, so that there is one for each pair, in ascending order. Stable, so that sums of
/// lengths are the same on every platform.
void sum_links(std::vector<Link>& links) {
  std::ranges::stable_sort(links, {}, [](const Link& link) { return std::pair(link.a, link.b); });
  std::size_t kept = 0;
  for (const Link& link : links) {
    if (kept > 0 && links[kept - 1].a == link.a && links[kept - 1].b == link.b)
      links[kept - 1].length += link.length;
    else
      links[kept++] = link;
  }
  links.resize(kept);
}

/// A possible merge. The best are the first in order.
struct Candidate {
  double negated_shape_factor = 0;
  std::uint32_t a = 0;
  std::uint32_t b = 0;

  friend auto operator<=>(const Candidate&, const Candidate&) = default;
};

/// The roundness of two regions together: √area / contour length; 0.282 for a disk.
double shape_factor(const Region& p, const Region& q, double shared) {
  const double area = p.area + q.area, contour = p.contour + q.contour - 2 * shared;
  if (!(area > 0)) return 0;
  return contour > 0 ? std::sqrt(area) / contour : infinity;
}

void merge_into(Region& p, const Region& q, double shared) {
  p.area += q.area;
  p.contour = std::max(0.0, p.contour + q.contour - 2 * shared);
}

class Builder {
 public:
  Builder(std::span<const Vector3> positions, std::span<const Index3> triangles, std::span<const std::uint32_t> faces)
      : positions_(positions), triangles_(triangles) {
    nodes_.resize(triangles.size());
    regions_.resize(triangles.size());
    for (std::uint32_t t = 0; t < triangles.size(); ++t) {
      const Vector3 &p = positions[triangles[t][0]], &q = positions[triangles[t][1]], &r = positions[triangles[t][2]];
      regions_[t].area = area_of(p, q, r);
      regions_[t].contour = length(p, q) + length(q, r) + length(r, p);
      regions_[t].node = t;
    }
    set_links();
    if (!faces.empty()) {
      // Merge over edges within a face first, then over all edges.
      std::vector<Link> all = links_;
      std::erase_if(links_, [&](const Link& link) { return faces[link.a] != faces[link.b]; });
      std::vector<std::uint32_t> now = geometry::numbers_below(regions_.size());
      for (bool goes_on = true; goes_on && !links_.empty();) {
        goes_on = merge_level();
        for (std::uint32_t& region : now)
          region = becomes_[region];
      }
      for (Link& link : all)
        link = {now[link.a], now[link.b], link.length};
      links_ = std::move(all);
      add_up_links();
    }
    while (!links_.empty() && merge_level()) {
    }
    join_the_rest();
  }

  SurfaceTree result() && {
    SurfaceTree tree;
    tree.nodes = std::move(nodes_);
    for (std::uint32_t n = tree.root() + 1; n-- > triangles_.size();) {
      std::uint32_t first = tree.nodes[n].first;
      for (std::uint32_t k = 0; k < tree.nodes[n].size; ++k) {
        SurfaceNode& child = tree.nodes[tree.nodes[n].children[k]];
        child.parent = n;
        child.first = first;
        first += child.triangles;
      }
    }
    tree.order.resize(triangles_.size());
    tree.place.resize(triangles_.size());
    for (std::uint32_t t = 0; t < triangles_.size(); ++t) {
      tree.place[t] = tree.nodes[t].first;
      tree.order[tree.place[t]] = t;
    }
    return tree;
  }

 private:
  static double length(const Vector3& p, const Vector3& q) { return (q - p).norm(); }

  void set_links() {
    geometry::every_edge(triangles_, positions_.size(), [&](std::uint32_t low, auto sides) {
      // Link each triangle of an edge only to the next. Linking all pairs would be too many if an edge has many
      // triangles.
      for (std::size_t i = 0; i + 1 < sides.size(); ++i) {
        const std::uint32_t p = sides[i].number() / 3, q = sides[i + 1].number() / 3;
        if (p != q) links_.push_back({p, q, length(positions_[low], positions_[sides[i].high()])});
      }
      return true;
    });
    add_up_links();
  }

  /// Combines links so that there is one for each pair of regions, and none from a region to itself.
  void add_up_links() {
    std::erase_if(links_, [](const Link& link) { return link.a == link.b; });
    for (Link& link : links_)
      if (link.a > link.b) std::swap(link.a, link.b);
    sum_links(links_);
  }

  std::uint32_t new_node(std::uint32_t level, bool is_surface) {
    SurfaceNode node;
    node.level = level;
    node.triangles = 0;
    node.is_surface = is_surface;
    nodes_.push_back(node);
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }

  void adopt(std::uint32_t parent, std::uint32_t child) {
    nodes_[parent].children[nodes_[parent].size++] = child;
    nodes_[parent].triangles += nodes_[child].triangles;
  }

  /// Makes one level. Returns false if too few regions could be merged to continue like that.
  bool merge_level() {
    ++level_;
    const std::size_t before = regions_.size();
    std::vector<Candidate> candidates;
    candidates.reserve(links_.size());
    std::vector<bool> is_linked(before);
    for (const Link& link : links_) {
      is_linked[link.a] = is_linked[link.b] = true;
      candidates.push_back({-shape_factor(regions_[link.a], regions_[link.b], link.length), link.a, link.b});
    }
    std::sort(candidates.begin(), candidates.end());

    // Merge pairs.
    becomes_.assign(before, no_number);
    std::vector<Region> groups;
    for (const Candidate& candidate : candidates) {
      if (becomes_[candidate.a] != no_number || becomes_[candidate.b] != no_number) continue;
      becomes_[candidate.a] = becomes_[candidate.b] = static_cast<std::uint32_t>(groups.size());
      groups.push_back({0, 0, new_node(level_, true)});
      adopt(groups.back().node, regions_[candidate.a].node);
      adopt(groups.back().node, regions_[candidate.b].node);
    }
    for (std::uint32_t r = 0; r < before; ++r)
      if (becomes_[r] != no_number) merge_into(groups[becomes_[r]], regions_[r], 0);
    for (const Link& link : links_)
      if (becomes_[link.a] != no_number && becomes_[link.a] == becomes_[link.b])
        merge_into(groups[becomes_[link.a]], {}, link.length);

    // Add each leftover region, whose neighbors are all taken, to a group of two.
    std::vector<Link> leftovers;  // a: the region, b: the group
    for (const Link& link : links_) {
      const bool is_a = becomes_[link.a] == no_number;
      if (is_a == (becomes_[link.b] == no_number)) continue;
      leftovers.push_back({is_a ? link.a : link.b, becomes_[is_a ? link.b : link.a], link.length});
    }
    sum_links(leftovers);
    candidates.clear();
    for (const Link& link : leftovers)
      candidates.push_back({-shape_factor(regions_[link.a], groups[link.b], link.length), link.a, link.b});
    std::sort(candidates.begin(), candidates.end());
    for (const Candidate& candidate : candidates) {
      const std::uint32_t node = groups[candidate.b].node;
      if (becomes_[candidate.a] != no_number || nodes_[node].size == 3) continue;
      becomes_[candidate.a] = candidate.b;
      adopt(node, regions_[candidate.a].node);
      const auto link = std::ranges::lower_bound(leftovers, std::pair(candidate.a, candidate.b), {},
                                                 [](const Link& l) { return std::pair(l.a, l.b); });
      merge_into(groups[candidate.b], regions_[candidate.a], link->length);
    }

    for (std::uint32_t r = 0; r < before; ++r) {
      if (becomes_[r] != no_number) continue;
      becomes_[r] = static_cast<std::uint32_t>(groups.size());
      groups.push_back(regions_[r]);
    }
    const std::size_t merged = before - groups.size();
    regions_ = std::move(groups);
    for (Link& link : links_) {
      link.a = becomes_[link.a];
      link.b = becomes_[link.b];
    }
    add_up_links();
    const auto linked = static_cast<std::size_t>(std::count(is_linked.begin(), is_linked.end(), true));
    return linked < few || merged * min_part >= linked;
  }

  /// Combines regions that no edge connects by proximity of their boxes: repeatedly splits at the median center along
  /// the longest axis.
  void join_the_rest() {
    if (regions_.size() == 1) return;
    std::vector<Aabb> boxes(nodes_.size());
    for (std::uint32_t t = 0; t < triangles_.size(); ++t)
      for (const std::uint32_t v : triangles_[t])
        boxes[t].include(positions_[v]);
    for (std::size_t n = triangles_.size(); n < nodes_.size(); ++n)
      for (std::uint32_t k = 0; k < nodes_[n].size; ++k)
        boxes[n].include(boxes[nodes_[n].children[k]]);
    std::vector<Part> parts;
    parts.reserve(regions_.size());
    for (const Region& region : regions_)
      parts.push_back({boxes[region.node].lower / 2 + boxes[region.node].upper / 2, region.node});
    join(parts);
  }

  struct Part {
    Vector3 center;
    std::uint32_t node;
  };

  std::uint32_t join(std::span<Part> parts) {
    if (parts.size() == 1) return parts[0].node;
    std::vector<std::uint32_t> children;
    if (parts.size() <= 3) {
      for (const Part& part : parts)
        children.push_back(part.node);
    } else {
      Aabb box;
      for (const Part& part : parts)
        box.include(part.center);
      int axis = 0;
      (box.upper - box.lower).maxCoeff(&axis);
      const auto middle = parts.begin() + static_cast<std::ptrdiff_t>(parts.size() / 2);
      std::nth_element(parts.begin(), middle, parts.end(), [axis](const Part& p, const Part& q) {
        return std::pair(p.center[axis], p.node) < std::pair(q.center[axis], q.node);
      });
      children = {join({parts.begin(), middle}), join({middle, parts.end()})};
    }
    std::uint32_t level = 0;
    for (const std::uint32_t child : children)
      level = std::max(level, nodes_[child].level);
    const std::uint32_t node = new_node(level + 1, false);
    for (const std::uint32_t child : children)
      adopt(node, child);
    return node;
  }

  // If many regions are attached to one, only two of them can join it per level, and the tree would become as deep as
  // their number. Merging ends when less than 1 / min_part of the regions that have a neighbor are merged, unless there
  // are few of these.
  static constexpr std::size_t min_part = 32;
  static constexpr std::size_t few = 64;

  std::span<const Vector3> positions_;
  std::span<const Index3> triangles_;
  std::vector<SurfaceNode> nodes_;
  std::vector<Region> regions_;
  std::vector<Link> links_;
  std::vector<std::uint32_t> becomes_;  // for each region of the previous level, its index in this one
  std::uint32_t level_ = 0;
};

}  // namespace

SurfaceTree build_surface_tree(std::span<const Vector3> positions, std::span<const Index3> triangles,
                               std::span<const std::uint32_t> faces) {
  return Builder(positions, triangles, faces).result();
}

}  // namespace whisker::methods::surfaces
