// Traverses surface hierarchies to find the contacts of a surface with itself, or of two surfaces.

#include <algorithm>
#include <bit>
#include <utility>

#include <whisker/geometry/closest_points.hpp>
#include <whisker/geometry/triangle_tests.hpp>

#include "deform/surface_contour.hpp"
#include "deform/surface_normal.hpp"
#include "geometry/constants.hpp"
#include "methods/surfaces/surface_storage.hpp"

namespace whisker::methods::surfaces {

using deform::ContourEdge;
using deform::ContourMemory;
using deform::normal_of;

namespace {

/// Memory that searches reuse, one per thread.
struct SearchMemory {
  struct Pair {
    std::uint32_t a, b;
    bool is_whole;  // the two nodes make up their parent, which was not culled
    bool is_apart;  // the two nodes, and therefore their descendants, share no vertex
  };
  std::vector<Pair> pairs;
  std::vector<ContourEdge> contour;
  ContourMemory contour_memory;
};

SearchMemory& search_memory() {
  thread_local SearchMemory memory;
  return memory;
}

bool share_vertex(const Index3& p, const Index3& q) {
  for (const std::uint32_t v : p)
    if (v == q[0] || v == q[1] || v == q[2]) return true;
  return false;
}

Triangle triangle_of(const SurfaceStorage& mesh, std::uint32_t number) {
  const Index3& t = mesh.triangles[number];
  return {mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]]};
}

/// Twice the sum of the normals of the surface inside this contour, up to rounding.
Vector3 area_within(std::span<const Vector3> positions, std::span<const ContourEdge> contour) {
  const Vector3& origin = positions[contour.front().from];
  Vector3 sum = Vector3::Zero();
  for (const ContourEdge& edge : contour)
    sum += normal_of(origin, positions[edge.from], positions[edge.to]).value;
  return sum;
}

/// Collects the contour of a node, or of two nodes without a common triangle. Returns false if the two share no edge,
/// or if the contour is empty.
bool gather_contour(const SurfaceStorage& mesh, std::uint32_t a, std::uint32_t b, std::vector<ContourEdge>& contour) {
  const SurfaceTopology& topology = mesh.topology;
  const std::span<const Index3> triangles = mesh.triangles;
  contour.clear();
  const auto add = [&](std::uint32_t half_edge) {
    contour.push_back({from_vertex(triangles, half_edge), to_vertex(triangles, half_edge)});
  };
  if (a == b) {
    for (const std::uint32_t half_edge : topology.contours[a])
      add(half_edge);
    return !contour.empty();
  }
  bool have_common = false;
  const auto add_less = [&](std::uint32_t node, std::uint32_t other) {
    for (const std::uint32_t half_edge : topology.contours[node]) {
      const std::uint32_t twin = topology.twins[half_edge];
      if (twin != no_number && topology.tree.has(other, twin / 3))
        have_common = true;
      else
        add(half_edge);
    }
  };
  // The smaller contour shows sooner whether there is a common edge.
  if (topology.contours[a].size() > topology.contours[b].size()) std::swap(a, b);
  add_less(a, b);
  if (!have_common) return false;
  add_less(b, a);
  return !contour.empty();
}

template <std::size_t axes>
class SurfaceSearch {
 public:
  SurfaceSearch(const SurfaceStorage& a, const SurfaceStorage& b, const SurfaceContactOptions& options,
                SurfaceContacts& result)
      : a_(a), b_(b), options_(options), result_(result) {}

  void search_itself() {
    is_self_ = true;
    const SurfaceTree& tree = a_.topology.tree;
    memory_.pairs.clear();
    push(tree.root(), tree.root());
    while (!memory_.pairs.empty()) {
      const auto [a, b, is_whole, was_apart] = memory_.pairs.back();
      memory_.pairs.pop_back();
      if (a == b) {
        look_at(a);
        continue;
      }
      const bool are_leaves = tree.is_leaf(a) && tree.is_leaf(b);
      if (are_leaves && share_vertex(a_.triangles[a], a_.triangles[b])) continue;
      // Testing volumes is cheaper than finding contours, and the volumes of adjacent regions always overlap.
      if (!volumes_meet(a, b)) continue;
      bool is_apart = was_apart;
      if (!are_leaves && !is_whole && !is_apart && is_left_out(a, b, is_apart)) continue;
      go_on(a, b, is_apart);
    }
  }

  void search_both() {
    memory_.pairs.clear();
    push(a_.topology.tree.root(), b_.topology.tree.root());
    while (!memory_.pairs.empty()) {
      const std::uint32_t a = memory_.pairs.back().a, b = memory_.pairs.back().b;
      memory_.pairs.pop_back();
      if (volumes_meet(a, b)) go_on(a, b, true);
    }
  }

 private:
  void push(std::uint32_t a, std::uint32_t b, bool is_whole = false, bool is_apart = false) {
    memory_.pairs.push_back({a, b, is_whole, is_apart});
  }

  void look_at(std::uint32_t region) {
    const SurfaceTree& tree = a_.topology.tree;
    if (tree.is_leaf(region)) return;
    ++result_.counts.regions;
    bool is_apart = false;
    const bool is_left_out = this->is_left_out(region, region, is_apart);
    if (options_.records_visits) result_.visits.push_back({region, is_left_out});
    if (is_left_out) return;
    const SurfaceNode& node = tree.nodes[region];
    for (std::uint32_t k = 0; k < node.size; ++k)
      push(node.children[k], node.children[k]);
    for (std::uint32_t k = 1; k < node.size; ++k)
      for (std::uint32_t i = 0; i < k; ++i)
        push(node.children[i], node.children[k], node.size == 2);
  }

  bool volumes_meet(std::uint32_t a, std::uint32_t b) {
    ++result_.cost.volume_tests;
    return !are_apart<axes>(&a_.bounds[2 * axes * a], &b_.bounds[2 * axes * b], reach_.data());
  }

  /// Continues with two regions of a and b: tests their triangles, or descends into the larger one.
  void go_on(std::uint32_t a, std::uint32_t b, bool is_apart) {
    const SurfaceNode &node_a = a_.topology.tree.nodes[a], &node_b = b_.topology.tree.nodes[b];
    if (node_a.size == 0 && node_b.size == 0) {
      test(a, b);
    } else if (node_a.triangles >= node_b.triangles) {
      for (std::uint32_t k = 0; k < node_a.size; ++k)
        push(node_a.children[k], b, false, is_apart);
    } else {
      for (std::uint32_t k = 0; k < node_b.size; ++k)
        push(a, node_b.children[k], false, is_apart);
    }
  }

  void test(std::uint32_t a, std::uint32_t b) {
    ++result_.cost.primitive_tests;
    const Triangle first = triangle_of(a_, a), second = triangle_of(b_, b);
    if (!touches_triangle_triangle(first, second) && !is_near(first, second)) return;
    if (is_self_ && a > b) std::swap(a, b);
    result_.pairs.push_back({a, b});
  }

  /// True unless the triangles are proven farther apart than the distance limit. closest_points() is accurate to 1e-12
  /// of the distance and a few ulps of the largest coordinate.
  bool is_near(const Triangle& first, const Triangle& second) const {
    if (options_.distance == 0) return false;
    double largest = 0;
    for (const Vector3* v : {&first.a, &first.b, &first.c, &second.a, &second.b, &second.c})
      largest = std::max(largest, v->cwiseAbs().maxCoeff());
    return closest_points(first, second).distance <= options_.distance * (1 + 4e-12) + 0x1p-48 * largest;
  }

  /// Whether a region, or two adjacent ones, are known to have no self-contacts or contacts with each other. Also sets
  /// `is_apart` if the two share no vertex.
  bool is_left_out(std::uint32_t a, std::uint32_t b, bool& is_apart) {
    if (!uses_normals_) return false;
    const SurfaceTopology& topology = a_.topology;
    if (!topology.tree.nodes[a].is_surface || !topology.tree.nodes[b].is_surface) return false;
    const bool has_cones = a_.options.curvature == SurfaceCurvature::cone;
    const std::uint64_t mask = has_cones ? 0 : a_.masks[a] & a_.masks[b];
    if (has_cones ? !(a_.cones[a].cosine > 0 && a_.cones[b].cosine > 0) : mask == 0) return false;
    if (a != b && !are_next(topology, a, b) && !share_border_vertex(a, b)) {
      is_apart = true;
      return false;
    }
    NormalCone cone;
    if (has_cones) {
      cone = a == b ? a_.cones[a] : merged(a_.cones[a], a_.cones[b]);
      if (!(cone.cosine > 0)) return false;
    }
    ++result_.counts.nearly_flat;
    if (!gather_contour(a_, a, b, memory_.contour)) return false;
    result_.counts.contour_edges += memory_.contour.size();
    if (a_.options.contour == ContourTest::exact) {
      const Vector3 direction = has_cones ? cone.axis : best_direction(mask);
      if (!contour_is_simple(a_.vertices, memory_.contour, direction, memory_.contour_memory)) return false;
    } else {
      // At an edge with three triangles there is no surface. A contour that can be linked has no such edge.
      if (topology.has_odd_edges && !link_contour(a_.vertices.size(), memory_.contour, memory_.contour_memory))
        return false;
      result_.may_miss = true;
    }
    ++result_.counts.left_out;
    return true;
  }

  /// Scans the shorter contour. Called only if are_next() returns false, once on the way down to regions that are
  /// apart.
  bool share_border_vertex(std::uint32_t a, std::uint32_t b) const {
    const SurfaceTopology& topology = a_.topology;
    if (topology.contours[a].size() > topology.contours[b].size()) std::swap(a, b);
    return std::ranges::any_of(topology.contours[a], [&](std::uint32_t half_edge) {
      return has_vertex(topology, b, from_vertex(a_.triangles, half_edge));
    });
  }

  /// The direction of the mask from which most of the surface is visible.
  Vector3 best_direction(std::uint64_t mask) const {
    const Vector3 area = area_within(a_.vertices, memory_.contour);
    std::size_t best = 0;
    double best_height = -infinity;
    for (std::uint64_t rest = mask; rest != 0; rest &= rest - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(rest));
      const double height = area.dot(a_.directions[i]) / a_.directions[i].norm();
      if (height > best_height) {
        best = i;
        best_height = height;
      }
    }
    return a_.directions[best];
  }

  const SurfaceStorage& a_;
  const SurfaceStorage& b_;
  const SurfaceContactOptions& options_;
  SurfaceContacts& result_;
  SearchMemory& memory_ = search_memory();
  std::array<double, max_axes> reach_ = reaches(a_.options.volume, options_.distance);
  bool uses_normals_ = options_.distance == 0 && a_.options.curvature != SurfaceCurvature::none;
  bool is_self_ = false;
};

}  // namespace

void add_self_contacts(const SurfaceStorage& mesh, const SurfaceContactOptions& options, SurfaceContacts& result) {
  with_axis_count(mesh.options.volume,
                  [&](auto axes) { SurfaceSearch<axes.value>(mesh, mesh, options, result).search_itself(); });
}

void add_contacts(const SurfaceStorage& a, const SurfaceStorage& b, const SurfaceContactOptions& options,
                  SurfaceContacts& result) {
  with_axis_count(a.options.volume, [&](auto axes) { SurfaceSearch<axes.value>(a, b, options, result).search_both(); });
}

}  // namespace whisker::methods::surfaces
