#include "trees/edge_twins.hpp"

#include <algorithm>

namespace whisker::trees {
namespace {

struct EdgeSide {
  std::uint32_t high;  // the edge's vertex with the larger number
  std::uint32_t half_edge;
};

/// Matches the sides that share their vertex with the smaller number.
class Matcher {
 public:
  Matcher(std::span<const Index3> triangles, EdgeTwins& result) : triangles_(triangles), result_(result) {}

  void match(std::span<EdgeSide> sides) {
    // Usually there are about six sides: scanning them is faster than sorting them.
    constexpr std::size_t few = 32;
    if (sides.size() <= few) return look_through(sides);
    std::sort(sides.begin(), sides.end(), [](const EdgeSide& p, const EdgeSide& q) {
      return p.high != q.high ? p.high < q.high : p.half_edge < q.half_edge;
    });
    for (std::size_t i = 0; i < sides.size();) {
      std::size_t end = i + 1;
      while (end < sides.size() && sides[end].high == sides[i].high)
        ++end;
      if (end - i > 1) join(sides[i], sides[end - 1], end - i);
      i = end;
    }
  }

 private:
  void look_through(std::span<EdgeSide> sides) {
    constexpr std::uint32_t done = 0xFFFFFFFF;
    for (std::size_t i = 0; i + 1 < sides.size(); ++i) {
      const std::uint32_t high = sides[i].high;
      if (high == done) continue;
      std::size_t count = 1, last = i;
      for (std::size_t j = i + 1; j < sides.size(); ++j) {
        if (sides[j].high != high) continue;
        sides[j].high = done;
        last = j;
        ++count;
      }
      if (count > 1) join(sides[i], sides[last], count);
    }
  }

  void join(const EdgeSide& a, const EdgeSide& b, std::size_t count) {
    const std::uint32_t p = a.half_edge, q = b.half_edge;
    if (count == 2 && p / 3 != q / 3 && triangles_[p / 3][p % 3] != triangles_[q / 3][q % 3]) {
      result_.twin[p] = q;
      result_.twin[q] = p;
    } else {
      result_.has_odd_edges = true;
    }
  }

  std::span<const Index3> triangles_;
  EdgeTwins& result_;
};

}  // namespace

EdgeTwins find_edge_twins(std::span<const Index3> triangles, std::size_t vertex_count) {
  EdgeTwins result;
  result.twin.assign(3 * triangles.size(), EdgeTwins::none);
  const auto for_each = [&](const auto& visit) {
    for (std::uint32_t t = 0; t < triangles.size(); ++t) {
      for (std::uint32_t k = 0; k < 3; ++k) {
        const std::uint32_t from = triangles[t][k], to = triangles[t][k < 2 ? k + 1 : 0];
        visit(std::min(from, to), EdgeSide{std::max(from, to), 3 * t + k});
      }
    }
  };
  // Sorts the sides by their vertex with the smaller number. While sides are placed, first[v + 1] is the next free
  // position for vertex v. Afterward first[v] is where the sides of vertex v begin.
  std::vector<std::uint32_t> first(vertex_count + 2);
  for_each([&](std::uint32_t low, const EdgeSide&) { ++first[low + 2]; });
  for (std::size_t v = 2; v < first.size(); ++v)
    first[v] += first[v - 1];
  std::vector<EdgeSide> sides(3 * triangles.size());
  for_each([&](std::uint32_t low, const EdgeSide& side) { sides[first[low + 1]++] = side; });
  Matcher matcher(triangles, result);
  for (std::size_t v = 0; v < vertex_count; ++v)
    matcher.match({sides.data() + first[v], sides.data() + first[v + 1]});
  return result;
}

}  // namespace whisker::trees
