#pragma once

// Half-edge connectivity: which triangles meet at an edge, by vertex number.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <whisker/mesh_data.hpp>

namespace whisker::editing {

/// The sides of triangles. Side k of triangle t has the number 3 t + k and runs from corner k to the next corner.
class HalfEdges {
 public:
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  /// No triangle may use a vertex twice. The triangles must outlive this object. O(n log n).
  HalfEdges(const std::vector<Index3>& triangles, std::size_t vertex_count);

  std::uint64_t size() const { return other_.size(); }
  std::uint32_t from(std::uint64_t side) const { return triangles_[side / 3][side % 3]; }
  std::uint32_t to(std::uint64_t side) const { return triangles_[side / 3][(side + 1) % 3]; }
  static std::uint64_t next(std::uint64_t side) { return side % 3 == 2 ? side - 2 : side + 1; }

  /// The only other side at the same edge; a border side itself; `none` if there is more than one other side.
  std::uint64_t other(std::uint64_t side) const { return other_[side]; }
  /// Whether the edge belongs to one triangle only.
  bool is_border(std::uint64_t side) const { return other_[side] == side; }
  /// Whether the edge has exactly one other side and that side runs in the opposite direction.
  bool is_regular(std::uint64_t side) const {
    return other_[side] != none && !is_border(side) && from(other_[side]) == to(side);
  }

  /// The same number for both directions of an edge.
  static std::uint64_t key(std::uint32_t a, std::uint32_t b) {
    return a < b ? std::uint64_t{a} << 32 | b : std::uint64_t{b} << 32 | a;
  }

 private:
  const std::vector<Index3>& triangles_;
  std::vector<std::uint64_t> other_;  // a border side has itself
};

/// The closed loops that border sides form. Each loop is a list of at least three vertices without repetition, in the
/// direction in which triangles that fill the loop run along it, which is opposite to the border sides. Where loops
/// meet at a vertex, the triangles between them keep the loops apart. A loop that returns to a vertex becomes two
/// loops. Border sides that are in no loop are left out and counted.
struct BorderLoops {
  std::vector<std::vector<std::uint32_t>> loops;
  std::size_t sides_left_out = 0;
};
BorderLoops border_loops(const HalfEdges& edges, std::size_t vertex_count);

}  // namespace whisker::editing
