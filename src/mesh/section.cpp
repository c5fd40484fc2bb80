// The curves in which a plane cuts a surface.
//
// The nodes of the curves are the edges that cross the plane and the vertices on it, so each is known by the numbers of
// one or two vertices, and nothing is compared by distance. A triangle gives at most one step from node to node. With
// "above" meaning on the plane or above it, a triangle with corners on both sides has one edge that goes down and one
// that goes up, in the order of its corners. The step from where it goes down to where it goes up has the inside of
// the surface on its left, as seen from above. Every such edge has a triangle on its other side, for which it goes the
// other way. So the steps of a closed surface form closed curves, however many vertices lie on the plane: they are the
// limit of the curves just below the plane.
//
// What touches the plane only from above, and the borders of triangles in the plane, are added in the same way. A step
// that the surface takes in both directions bounds nothing on either side: it is a ridge that touches the plane.

#include "mesh/section.hpp"

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <whisker/geometry/predicates.hpp>

#include "geometry/grouped.hpp"
#include "geometry/lists.hpp"
#include "geometry/place.hpp"
#include "mesh/near_walk.hpp"
#include "mesh/plane_chord.hpp"
#include "mesh/side_walk.hpp"
#include "mesh/tree_frame.hpp"
#include "mesh/triangle_at.hpp"

namespace whisker::mesh {
namespace {

using geometry::ExactPlane;

/// A triangle with corners on both sides of the plane or on it.
struct CutTriangle {
  std::array<std::uint32_t, 3> vertex;  // the number in the surface, and later the index in SectionVertices
  CornerSides side;

  bool has_below() const { return side[0] < 0 || side[1] < 0 || side[2] < 0; }
  bool has_above() const { return side[0] > 0 || side[1] > 0 || side[2] > 0; }
};

/// Keeps the triangle unless all corners are on the same side.
void keep_cut(const ExactPlane& plane, const Triangle& placed, const std::array<std::uint32_t, 3>& vertex,
              std::vector<CutTriangle>& cuts) {
  const CutTriangle cut{vertex, corner_sides(plane, placed)};
  if (cut.side[0] != cut.side[1] || cut.side[0] != cut.side[2] || cut.side[0] == 0) cuts.push_back(cut);
}

/// An edge that crosses the plane, by its two vertices, or a vertex on the plane, twice.
struct CutNode {
  std::uint32_t low, high;

  friend auto operator<=>(const CutNode&, const CutNode&) = default;
};

struct CutStep {
  CutNode from, to;

  CutStep reversed() const { return {to, from}; }
  /// The direction that stands for both.
  CutStep sorted() const { return from < to ? *this : reversed(); }

  friend auto operator<=>(const CutStep&, const CutStep&) = default;
};

/// The steps by which the curves go, each only once.
struct CutSteps {
  std::vector<CutStep> directed;
  std::vector<CutStep> both_ways;  // steps that the surface takes equally often in both directions
};

/// Each step once: in the direction that is taken more often. The steps that occur in `known` are left out.
CutSteps net_steps(std::vector<CutStep> steps, const std::vector<CutStep>& known) {
  std::sort(steps.begin(), steps.end(), [](const CutStep& a, const CutStep& b) { return a.sorted() < b.sorted(); });
  CutSteps result;
  for (std::size_t i = 0; i < steps.size();) {
    const CutStep step = steps[i].sorted();
    int net = 0;
    for (; i < steps.size() && steps[i].sorted() == step; ++i)
      net += steps[i] == step ? 1 : -1;
    if (std::binary_search(known.begin(), known.end(), step)) continue;
    (net == 0 ? result.both_ways : result.directed).push_back(net < 0 ? step.reversed() : step);
  }
  return result;
}

/// Adds the steps, sorted, to those that are known.
void add_known(const CutSteps& steps, std::vector<CutStep>& known) {
  for (const std::vector<CutStep>* const list : {&steps.directed, &steps.both_ways})
    for (const CutStep& step : *list)
      known.push_back(step.sorted());
  geometry::sort_unique(known);
}

/// Follows steps along curves that pass no node twice.
class SectionWalk {
 public:
  /// Ways that are not directed may be taken in either direction.
  SectionWalk(const std::vector<CutStep>& steps, bool is_directed) : steps_(steps), is_directed_(is_directed) {
    for (const CutStep& step : steps_)
      nodes_.insert(nodes_.end(), {step.from, step.to});
    geometry::sort_unique(nodes_);
    for (const CutStep& step : steps_)
      ends_.push_back({index_of(step.from), index_of(step.to)});
    const auto for_each = [&](const auto& visit) {
      for (std::uint32_t s = 0; s < steps_.size(); ++s) {
        visit(ends_[s][0], s);
        if (!is_directed_) visit(ends_[s][1], s);
      }
    };
    ways_ = geometry::group<std::uint32_t>(nodes_.size(), for_each);
    next_.assign(nodes_.size(), 0);
    place_.assign(nodes_.size(), off_path);
    used_.assign(steps_.size(), false);
    excess_.assign(nodes_.size(), 0);
    for (const auto& [from, to] : ends_) {
      ++excess_[from];
      excess_[to] += is_directed_ ? -1 : 1;
    }
  }

  /// Calls `found(nodes, closed)` for each curve.
  template <class Found>
  void run(const Found& found) {
    // First the curves that have a beginning: more ways lead out of it than in, or an odd number if they have no
    // direction. Then loops.
    for (std::uint32_t node = 0; node < nodes_.size(); ++node)
      while (is_directed_ ? excess_[node] > 0 : excess_[node] % 2 != 0)
        follow(node, found);
    for (std::uint32_t node = 0; node < nodes_.size(); ++node)
      while (way_from(node) != no_way)
        follow(node, found);
  }

 private:
  static constexpr std::uint32_t no_way = 0xFFFFFFFF, off_path = 0xFFFFFFFF;

  std::uint32_t index_of(const CutNode& node) const {
    return static_cast<std::uint32_t>(std::lower_bound(nodes_.begin(), nodes_.end(), node) - nodes_.begin());
  }

  std::uint32_t way_from(std::uint32_t node) {
    const auto ways = ways_[node];
    while (next_[node] < ways.size() && used_[ways[next_[node]]])
      ++next_[node];
    return next_[node] < ways.size() ? ways[next_[node]] : no_way;
  }

  template <class Found>
  void follow(std::uint32_t start, const Found& found) {
    path_ = {start};
    place_[start] = 0;
    for (std::uint32_t way = way_from(start); way != no_way; way = way_from(path_.back())) {
      used_[way] = true;
      const auto [from, to] = ends_[way];
      --excess_[from];
      excess_[to] += is_directed_ ? 1 : -1;
      const std::uint32_t node = from == path_.back() ? to : from;
      if (place_[node] == off_path) {
        place_[node] = static_cast<std::uint32_t>(path_.size());
        path_.push_back(node);
      } else {
        report(place_[node], true, found);  // a loop, which is cut off: the path goes on from where it began
      }
    }
    if (path_.size() > 1) report(0, false, found);
    place_[path_.front()] = off_path;
  }

  /// Reports the path from this place on, and shortens it to that place.
  template <class Found>
  void report(std::uint32_t place, bool closed, const Found& found) {
    curve_.clear();
    for (std::size_t i = place; i < path_.size(); ++i)
      curve_.push_back(nodes_[path_[i]]);
    found(curve_, closed);
    for (std::size_t i = place + 1; i < path_.size(); ++i)
      place_[path_[i]] = off_path;
    path_.resize(place + 1);
  }

  const std::vector<CutStep>& steps_;
  bool is_directed_;
  std::vector<CutNode> nodes_;
  std::vector<std::array<std::uint32_t, 2>> ends_;
  geometry::Grouped<std::uint32_t> ways_;  // the steps that lead away from each node
  std::vector<std::uint32_t> next_;        // how many of them are known to be used
  std::vector<std::uint32_t> place_;       // of each node in the path
  std::vector<bool> used_;
  std::vector<int> excess_;  // of unused ways out over ways in, or of unused ways in all
  std::vector<std::uint32_t> path_;
  std::vector<CutNode> curve_;
};

/// The vertices of the triangles that are cut. Vertices at equal positions of the surface are one, as in Mesh::solid().
struct SectionVertices {
  std::vector<Vector3> placed;
  std::vector<int> side;

  /// Replaces the numbers in the triangles by indices here. `position(number)` is in the surface's own frame.
  template <class Position>
  SectionVertices(std::vector<CutTriangle>& cuts, const Pose& pose, const Position& position) {
    std::vector<std::uint32_t> numbers;
    numbers.reserve(3 * cuts.size());
    for (const CutTriangle& cut : cuts)
      numbers.insert(numbers.end(), cut.vertex.begin(), cut.vertex.end());
    geometry::sort_unique(numbers);
    const std::vector<Vector3> at = geometry::mapped(numbers, position);
    std::vector<std::uint32_t> order = geometry::numbers_below(at.size());
    const auto less = [&](std::uint32_t i, std::uint32_t j) {
      return std::lexicographical_compare(at[i].data(), at[i].data() + 3, at[j].data(), at[j].data() + 3);
    };
    std::stable_sort(order.begin(), order.end(), less);
    std::vector<std::uint32_t> first(at.size());  // the first vertex at the same position
    for (std::size_t i = 0; i < order.size(); ++i)
      first[order[i]] = i > 0 && at[order[i]] == at[order[i - 1]] ? first[order[i - 1]] : order[i];

    placed = geometry::mapped(at, [&](const Vector3& p) { return geometry::placed_point(pose, p); });
    side.assign(at.size(), 0);
    for (CutTriangle& cut : cuts) {
      for (std::size_t k = 0; k < 3; ++k) {
        const auto found = std::lower_bound(numbers.begin(), numbers.end(), cut.vertex[k]);
        cut.vertex[k] = first[static_cast<std::size_t>(found - numbers.begin())];
        side[cut.vertex[k]] = cut.side[k];
      }
    }
    std::erase_if(cuts, [](const CutTriangle& cut) {
      return cut.vertex[0] == cut.vertex[1] || cut.vertex[1] == cut.vertex[2] || cut.vertex[2] == cut.vertex[0];
    });
  }

  /// The node at which an edge leaves the plane, which its ends do not lie on the same side of.
  CutNode node_of(std::uint32_t i, std::uint32_t j) const {
    if (side[i] == 0) return {i, i};
    if (side[j] == 0) return {j, j};
    return {std::min(i, j), std::max(i, j)};
  }

  Vector3 point_of(const ExactPlane& plane, const CutNode& node) const {
    if (node.low == node.high) return placed[node.low];
    const bool upward = side[node.low] < 0;
    return crossing_point(plane, placed[upward ? node.low : node.high], placed[upward ? node.high : node.low]);
  }
};

/// The step from where the triangle goes down to where it goes up. `first_above` is the lowest side that counts as
/// above.
void add_step(const SectionVertices& all, const CutTriangle& cut, int first_above, std::vector<CutStep>& steps) {
  CutStep step{};
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t next = (k + 1) % 3;
    const bool here = cut.side[k] >= first_above, there = cut.side[next] >= first_above;
    if (here && !there) step.from = all.node_of(cut.vertex[k], cut.vertex[next]);
    if (!here && there) step.to = all.node_of(cut.vertex[k], cut.vertex[next]);
  }
  if (step.from != step.to) steps.push_back(step);
}

/// +1 if the normal of a triangle in the plane points to the same side as the plane's, -1 if to the other side, 0 if
/// the triangle has no area.
int facing(const ExactPlane& plane, const Vector3& a, const Vector3& b, const Vector3& c) {
  int axis = 0;
  plane.normal.cwiseAbs().maxCoeff(&axis);
  const int x = (axis + 1) % 3, y = (axis + 2) % 3;
  const int turn = orient2d(a[x], a[y], b[x], b[y], c[x], c[y]);
  return plane.normal[axis] > 0 ? turn : -turn;
}

/// A side of a triangle in the plane, with the triangle on its left.
struct FlatSideStep {
  CutStep step;
  int facing;  // of the triangle; for one without area, the step is in the order of its corners
};

/// The steps along the border of the triangles in the plane. The steps inside cancel.
std::vector<CutStep> border_steps(const ExactPlane& plane, const SectionVertices& all,
                                  const std::vector<CutTriangle>& flat) {
  std::vector<FlatSideStep> sides;
  for (const CutTriangle& cut : flat) {
    const auto [i, j, k] = cut.vertex;
    const int faces = facing(plane, all.placed[i], all.placed[j], all.placed[k]);
    for (const auto& [from, to] : {std::pair(i, j), std::pair(j, k), std::pair(k, i)}) {
      const CutStep step{{from, from}, {to, to}};
      sides.push_back({faces < 0 ? step.reversed() : step, faces});
    }
  }
  // Triangles with area first: those without area have the same sense as their neighbors.
  std::sort(sides.begin(), sides.end(), [](const FlatSideStep& a, const FlatSideStep& b) {
    const CutStep x = a.step.sorted(), y = b.step.sorted();
    return x != y ? x < y : std::pair(-std::abs(a.facing), a.facing) < std::pair(-std::abs(b.facing), b.facing);
  });
  std::vector<CutStep> steps;
  for (std::size_t i = 0; i < sides.size();) {
    const CutStep step = sides[i].step.sorted();
    const bool is_turned = sides[i].facing < 0;
    int net = 0;
    for (; i < sides.size() && sides[i].step.sorted() == step; ++i) {
      const bool along = (sides[i].step == step) != (is_turned && sides[i].facing == 0);
      net += along ? 1 : -1;
    }
    if (net != 0) steps.push_back(net < 0 ? step.reversed() : step);
  }
  return steps;
}

template <class Position>
void add_curves(const ExactPlane& plane, const Pose& pose, const Position& position, std::vector<CutTriangle> cuts,
                std::vector<Polyline>& curves) {
  const SectionVertices all(cuts, pose, position);
  std::vector<CutStep> from_below, from_above;
  std::vector<CutTriangle> flat;
  for (const CutTriangle& cut : cuts) {
    if (cut.has_below()) {
      add_step(all, cut, 0, from_below);
    } else if (cut.has_above()) {
      add_step(all, cut, 1, from_above);
    } else {
      flat.push_back(cut);
    }
  }
  // Most sections consist only of the first steps.
  std::vector<CutStep> known;
  CutSteps below = net_steps(std::move(from_below), known);
  const bool is_touched = !from_above.empty() || !flat.empty();
  CutSteps above;
  std::vector<CutStep> outlines;
  if (is_touched) {
    add_known(below, known);
    above = net_steps(std::move(from_above), known);
    add_known(above, known);
    outlines = above.directed;
    const CutSteps border = net_steps(border_steps(plane, all, flat), known);
    outlines.insert(outlines.end(), border.directed.begin(), border.directed.end());
  }
  std::vector<CutStep> ridges = std::move(below.both_ways);
  ridges.insert(ridges.end(), above.both_ways.begin(), above.both_ways.end());

  const auto add = [&](const std::vector<CutNode>& nodes, bool closed) {
    curves.push_back({geometry::mapped(nodes, [&](const CutNode& node) { return all.point_of(plane, node); }), closed});
  };
  SectionWalk(below.directed, true).run(add);
  SectionWalk(outlines, true).run(add);
  SectionWalk(ridges, false).run(add);

  // The vertices that touch the plane, but no curve and no triangle in the plane.
  std::vector<bool> is_passed(all.placed.size(), false);
  const auto pass = [&](const std::vector<CutStep>& steps) {
    for (const CutStep& step : steps)
      is_passed[step.from.low] = is_passed[step.to.low] = true;
  };
  pass(below.directed);
  pass(outlines);
  pass(ridges);
  for (const CutTriangle& cut : flat)
    for (const std::uint32_t vertex : cut.vertex)
      is_passed[vertex] = true;
  std::vector<std::uint32_t> alone;
  for (const CutTriangle& cut : cuts)
    for (const std::uint32_t vertex : cut.vertex)
      if (all.side[vertex] == 0 && !is_passed[vertex]) alone.push_back(vertex);
  geometry::sort_unique(alone);
  for (const std::uint32_t vertex : alone)
    curves.push_back({{all.placed[vertex]}, false});
}

}  // namespace

void section_mesh(const PlacedMesh& mesh, const convex::SimpleShape& shape, Cost& cost, std::vector<Polyline>& curves) {
  const ExactPlane plane = plane_of(shape);
  const MeshData& data = known_storage_of(mesh.mesh).data;
  std::vector<CutTriangle> cuts;
  const LocalFrame frame(mesh);
  walk_near(near_query(frame, shape), 0, no_budget, cost, [&](const NearTriangle& near) {
    const Index3& corners = data.triangles[near.number];
    keep_cut(plane, triangle_at(mesh, near.number), {corners[0], corners[1], corners[2]}, cuts);
    return 0.0;
  });
  add_curves(
      plane, mesh.pose, [&](std::uint32_t number) { return data.vertices[number]; }, std::move(cuts), curves);
}

void section_field(const PlacedField& placed, const convex::SimpleShape& shape, Cost& cost,
                   std::vector<Polyline>& curves) {
  const ExactPlane plane = plane_of(shape);
  const HeightField& field = placed.field;
  const std::size_t columns = field.columns();
  const CullFrame frame(placed.pose);
  std::vector<CutTriangle> cuts;
  any_near_items(FieldSide(placed, frame), FlatSide(shape, frame), cost,
                 [&](const convex::SimpleShape& triangle, const convex::SimpleShape&) {
                   const std::size_t cell = triangle.number / 2, i = cell % (columns - 1), j = cell / (columns - 1);
                   const auto vertex = [&](std::size_t right, std::size_t up) {
                     return static_cast<std::uint32_t>((j + up) * columns + i + right);
                   };
                   if (triangle.number % 2 == 0) {
                     keep_cut(plane, triangle.corners, {vertex(0, 0), vertex(1, 0), vertex(1, 1)}, cuts);
                   } else {
                     keep_cut(plane, triangle.corners, {vertex(0, 0), vertex(1, 1), vertex(0, 1)}, cuts);
                   }
                   return false;
                 });
  add_curves(
      plane, placed.pose, [&](std::uint32_t number) { return field.vertex(number % columns, number / columns); },
      std::move(cuts), curves);
}

void section_triangle(const Triangle& triangle, const convex::SimpleShape& shape, Cost& cost,
                      std::vector<Polyline>& curves) {
  const ExactPlane plane = plane_of(shape);
  ++cost.primitive_tests;
  std::vector<CutTriangle> cuts;
  keep_cut(plane, triangle, {0, 1, 2}, cuts);
  const std::array<const Vector3*, 3> corner = {&triangle.a, &triangle.b, &triangle.c};
  add_curves(
      plane, Pose(), [&](std::uint32_t number) { return *corner[number]; }, std::move(cuts), curves);
}

}  // namespace whisker::mesh
