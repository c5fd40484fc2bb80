#pragma once

// Which triangles meet at an edge, by vertex number.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/mesh_data.hpp>

namespace whisker::mesh {

/// The sides of triangles. Side k of triangle t is number 3 t + k and runs from corner k to the next.
class HalfEdges {
 public:
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  /// No triangle may have a corner twice. The triangles must outlive this. O(n log n).
  explicit HalfEdges(const std::vector<Index3>& triangles);

  std::uint64_t size() const { return other_.size(); }
  std::uint32_t from(std::uint64_t side) const { return triangles_[side / 3][side % 3]; }
  std::uint32_t to(std::uint64_t side) const { return triangles_[side / 3][(side + 1) % 3]; }
  static std::uint64_t next(std::uint64_t side) { return side % 3 == 2 ? side - 2 : side + 1; }

  /// The only other side at the same edge; `none` if there is none, or more than one.
  std::uint64_t other(std::uint64_t side) const { return other_[side]; }
  /// Of one triangle alone.
  bool is_border(std::uint64_t side) const { return other_[side] == side; }
  /// Whether the side has one other, which runs the other way.
  bool is_regular(std::uint64_t side) const {
    return other_[side] != none && !is_border(side) && from(other_[side]) == to(side);
  }

  /// Calls visit(sides) with all sides at each edge, in the order of the edges' vertices.
  template <class Visit>
  void each_edge(const Visit& visit) const {
    for (std::size_t begin = 0, end = 0; begin < sorted_.size(); begin = end) {
      while (end < sorted_.size() && sorted_[end].key == sorted_[begin].key)
        ++end;
      visit(std::span(sorted_).subspan(begin, end - begin));
    }
  }

  struct Keyed {
    std::uint64_t key;  // the lower vertex, then the higher
    std::uint64_t side;
  };
  static std::uint64_t key(std::uint32_t a, std::uint32_t b) {
    return a < b ? std::uint64_t{a} << 32 | b : std::uint64_t{b} << 32 | a;
  }

 private:
  const std::vector<Index3>& triangles_;
  std::vector<Keyed> sorted_;
  std::vector<std::uint64_t> other_;  // of a border side: itself
};

/// The closed loops that sides of one triangle alone make, each as vertices without repetition, at least three, in the
/// direction in which triangles that fill the loop run along it: against the border sides. Where loops meet at a
/// vertex, they are told apart by the triangles that lie between; a loop that comes back to a vertex is two loops.
/// Border sides that are in no loop are left out, and counted.
struct BorderLoops {
  std::vector<std::vector<std::uint32_t>> loops;
  std::size_t sides_left_out = 0;
};
BorderLoops border_loops(const HalfEdges& edges, std::size_t vertex_count);

}  // namespace whisker::mesh
