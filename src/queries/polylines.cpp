// polylines: joins the segments of contacts into curves.

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <whisker/error.hpp>
#include <whisker/queries.hpp>

#include "geometry/disjoint_sets.hpp"
#include "geometry/grouped.hpp"
#include "geometry/lists.hpp"

namespace whisker {
namespace {

/// The ends of segments are off by about one ulp each if an edge reaches no farther than the segments. Sixteen ulps
/// leave room for edges that reach several times as far.
constexpr double default_units_in_last_place = 16;

/// The grid cell of a point, in cells from the origin; the point itself if the tolerance is zero.
using Cell = std::array<double, 3>;

constexpr std::uint32_t no_edge = std::numeric_limits<std::uint32_t>::max();

struct Edge {
  std::uint32_t from, to;

  friend auto operator<=>(const Edge&, const Edge&) = default;
};

/// For each end, the lowest number among the ends that are merged with it. Ends within `tolerance` of each other in
/// every coordinate are in one cell or in adjacent cells, and all ends in such cells are merged. So no ends within the
/// tolerance are missed, and ends farther apart than 9/4 of it are merged only through others between them. Each cell
/// takes 13 lookups, however many ends it holds.
std::vector<std::uint32_t> join_ends(const std::vector<Vector3>& ends, double tolerance) {
  const double size = 1.125 * tolerance;  // wider by more than the rounding of the division
  std::vector<Cell> cell(ends.size());
  for (std::size_t i = 0; i < ends.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      const double x = ends[i][static_cast<int>(k)];
      cell[i][k] = tolerance > 0 ? std::floor(x / size) : x + 0.0;  // -0 is 0
    }
  }
  std::vector<std::uint32_t> order = geometry::numbers_below(ends.size());
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t i, std::uint32_t j) { return cell[i] < cell[j] || (cell[i] == cell[j] && i < j); });

  // The lowest number represents all merged ends, so it does not depend on the order of merging.
  geometry::DisjointSets sets(ends.size());
  std::vector<std::uint32_t> first;  // the first end of each cell, in the order of cells
  for (const std::uint32_t i : order) {
    if (first.empty() || cell[first.back()] != cell[i]) {
      first.push_back(i);
    } else {
      sets.join(first.back(), i);
    }
  }
  if (tolerance > 0) {
    for (const std::uint32_t i : first) {
      for (int side = 14; side < 27; ++side) {  // the half of the 26 neighbors that come later
        const Cell other = {cell[i][0] + (side / 9 - 1), cell[i][1] + (side / 3 % 3 - 1), cell[i][2] + (side % 3 - 1)};
        const auto found = std::ranges::lower_bound(first, other, {}, [&](std::uint32_t j) { return cell[j]; });
        if (found != first.end() && cell[*found] == other) sets.join(i, *found);
      }
    }
  }
  std::vector<std::uint32_t> lowest(ends.size());
  for (std::uint32_t i = 0; i < ends.size(); ++i)
    lowest[i] = sets.root(i);
  return lowest;
}

/// The graph of ends and the segments between them, which is followed along its curves.
class Walk {
 public:
  Walk(const std::vector<Vector3>& ends, std::vector<Edge> edges) : ends_(ends), edges_(std::move(edges)) {
    const auto for_each = [&](const auto& visit) {
      for (std::uint32_t e = 0; e < edges_.size(); ++e) {
        visit(edges_[e].from, e);
        visit(edges_[e].to, e);
      }
    };
    at_ = geometry::group<std::uint32_t>(ends.size(), for_each);
    used_.assign(edges_.size(), false);
  }

  std::vector<Polyline> run() {
    std::vector<Polyline> lines;
    // First the curves that begin, end or meet others somewhere, then the remaining loops.
    for (std::uint32_t node = 0; node < ends_.size(); ++node) {
      if (at_[node].size() == 2) continue;
      for (const std::uint32_t e : at_[node])
        if (!used_[e]) lines.push_back(follow(node, e));
    }
    for (std::uint32_t e = 0; e < edges_.size(); ++e)
      if (!used_[e]) lines.push_back(follow(edges_[e].from, e));
    return lines;
  }

 private:
  Polyline follow(std::uint32_t start, std::uint32_t edge) {
    Polyline line;
    line.points.push_back(ends_[start]);
    std::uint32_t node = start;
    while (edge != no_edge) {
      used_[edge] = true;
      node = edges_[edge].from == node ? edges_[edge].to : edges_[edge].from;
      if (node == start) {
        line.closed = true;
        break;
      }
      line.points.push_back(ends_[node]);
      edge = no_edge;
      if (at_[node].size() == 2) {
        for (const std::uint32_t e : at_[node])
          if (!used_[e]) edge = e;
      }
    }
    return line;
  }

  const std::vector<Vector3>& ends_;
  std::vector<Edge> edges_;
  geometry::Grouped<std::uint32_t> at_;  // the edges at each end
  std::vector<bool> used_;
};

}  // namespace

std::vector<Polyline> polylines(const Contacts& contacts, double tolerance) {
  if (std::isnan(tolerance) || tolerance > max_coordinate) {
    throw Error("polylines: the tolerance must be a length, or negative for the default");
  }
  if (contacts.pairs.size() >= no_edge / 2) throw Error("polylines: more than 2^31 contacts; give contacts() a limit");
  std::vector<Vector3> ends;
  ends.reserve(2 * contacts.pairs.size());
  double largest = 0;
  for (const Contact& contact : contacts.pairs) {
    for (const Vector3& end : {contact.segment.a, contact.segment.b}) {
      ends.push_back(end);
      largest = std::max(largest, end.cwiseAbs().maxCoeff());
    }
  }
  if (tolerance < 0) tolerance = default_units_in_last_place * 0x1p-52 * largest;
  // Cells are numbered up to 2^49, rounded by less than 2^-4. Finer cells would hardly hold two doubles.
  if (tolerance > 0) tolerance = std::max(tolerance, 0x1p-49 * largest);

  const std::vector<std::uint32_t> node = join_ends(ends, tolerance);
  std::vector<Edge> edges;
  edges.reserve(contacts.pairs.size());
  for (std::uint32_t i = 0; i < node.size(); i += 2) {
    if (node[i] != node[i + 1]) edges.push_back({std::min(node[i], node[i + 1]), std::max(node[i], node[i + 1])});
  }
  if (edges.empty()) {
    std::vector<Polyline> points;
    for (std::uint32_t i = 0; i < node.size(); ++i)
      if (node[i] == i) points.push_back({{ends[i]}, false});
    return points;
  }
  // A curve along an edge that two triangles share occurs twice.
  geometry::sort_unique(edges);
  return Walk(ends, std::move(edges)).run();
}

}  // namespace whisker
