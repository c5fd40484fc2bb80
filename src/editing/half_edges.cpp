#include "editing/half_edges.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <span>

#include "geometry/edge_sides.hpp"

namespace whisker::editing {

HalfEdges::HalfEdges(const std::vector<Index3>& triangles, std::size_t vertex_count)
    : triangles_(triangles), other_(3 * triangles.size(), none) {
  geometry::every_edge(triangles, vertex_count, [&](std::uint32_t, std::span<const geometry::EdgeSide> sides) {
    if (sides.size() <= 2) {
      other_[sides.front().number()] = sides.back().number();
      other_[sides.back().number()] = sides.front().number();
    }
    return true;
  });
}

namespace {

/// For each border side, the border side that follows it, as an index among the border sides.
std::vector<std::size_t> followers(const HalfEdges& edges, const std::vector<std::uint64_t>& border) {
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  const auto number = [&](std::uint64_t side) {
    return static_cast<std::size_t>(std::lower_bound(border.begin(), border.end(), side) - border.begin());
  };
  std::vector<std::size_t> follower(border.size(), none);
  std::vector<bool> follows(border.size(), false);
  for (std::size_t i = 0; i < border.size(); ++i) {
    // Walks around the end vertex of the side, from triangle to triangle, to the border on their other side. The walk
    // ends: a regular side is crossed in one direction only, and the border side is not regular.
    std::uint64_t side = HalfEdges::next(border[i]);
    while (edges.is_regular(side))
      side = HalfEdges::next(edges.other(side));
    if (!edges.is_border(side)) continue;
    follower[i] = number(side);
    follows[follower[i]] = true;
  }
  // Where an edge of more than two triangles blocks the walk, any side that leaves the vertex will do.
  std::map<std::uint32_t, std::vector<std::size_t>> leaving;
  for (std::size_t i = border.size(); i-- > 0;)
    if (!follows[i]) leaving[edges.from(border[i])].push_back(i);
  for (std::size_t i = 0; i < border.size(); ++i) {
    if (follower[i] != none) continue;
    const auto found = leaving.find(edges.to(border[i]));
    if (found == leaving.end() || found->second.empty()) continue;
    follower[i] = found->second.back();
    found->second.pop_back();
  }
  return follower;
}

}  // namespace

BorderLoops border_loops(const HalfEdges& edges, std::size_t vertex_count) {
  std::vector<std::uint64_t> border;
  for (std::uint64_t side = 0; side < edges.size(); ++side)
    if (edges.is_border(side)) border.push_back(side);
  const std::vector<std::size_t> follower = followers(edges, border);

  BorderLoops result;
  constexpr std::uint32_t not_there = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> place(border.empty() ? 0 : vertex_count, not_there);  // index of each vertex in `way`
  std::vector<bool> seen(border.size(), false);
  std::vector<std::size_t> walk;
  std::vector<std::uint32_t> way;
  for (std::size_t first = 0; first < border.size(); ++first) {
    if (seen[first]) continue;
    // A side follows at most one side, so a walk either returns to its first side or ends. The side it ends on may have
    // been visited already by a walk that started farther along the same chain.
    walk.clear();
    std::size_t at = first;
    do {
      seen[at] = true;
      walk.push_back(at);
      at = follower[at];
    } while (at < border.size() && !seen[at]);
    if (at != first) {
      result.sides_left_out += walk.size();
      continue;
    }
    way.clear();
    for (const std::size_t side : walk) {
      const std::uint32_t vertex = edges.from(border[side]);
      if (place[vertex] != not_there) {
        const auto begin = way.begin() + place[vertex];
        result.loops.emplace_back(std::make_reverse_iterator(way.end()), std::make_reverse_iterator(begin));
        for (auto v = begin; v != way.end(); ++v)
          place[*v] = not_there;
        way.erase(begin, way.end());
      }
      place[vertex] = static_cast<std::uint32_t>(way.size());
      way.push_back(vertex);
    }
    for (const std::uint32_t vertex : way)
      place[vertex] = not_there;
    result.loops.emplace_back(way.rbegin(), way.rend());
  }
  return result;
}

}  // namespace whisker::editing
