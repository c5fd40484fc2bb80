#pragma once

/// \file
/// PairCache: what a caller remembers of a pair of shapes from one query to the next.

#include <array>
#include <cstdint>

namespace whisker {

/// Memory of one pair of shapes: give the same one to every query about that pair, and coherent motion gets cheaper.
///
/// A cache that is new, that belongs to another pair or that was used at another pose changes the cost of a query,
/// never its answer. Not to be used by two threads at once.
class PairCache {
 public:
  /// Two triangles that touched or were closest when last looked at, by their numbers; `none` where nothing is known.
  static constexpr std::uint32_t none = 0xFFFFFFFF;
  std::uint32_t touching_a = none;
  std::uint32_t touching_b = none;
  std::uint32_t closest_a = none;
  std::uint32_t closest_b = none;
  /// A direction, in the first shape's frame, along which the two were apart when last measured; zero where none is
  /// known. With it, the triangles that reach farthest along it.
  std::array<double, 3> apart_along{};
  std::uint32_t apart_a = 0;
  std::uint32_t apart_b = 0;
  /// How often in a row such a direction did not part them the next time: of shapes that interlock none does, and then
  /// it is no longer tried.
  std::uint32_t apart_misses = 0;
};

}  // namespace whisker
