#pragma once

/// \file
/// PairCache: what a caller remembers of a pair of shapes from one query to the next.

#include <array>
#include <cstdint>
#include <memory>

namespace whisker {

namespace convex {
struct WarmSurface;
}

/// Memory of one pair of shapes: give the same one to every query about that pair, and coherent motion gets cheaper.
///
/// A cache that is new, that belongs to another pair or that was used at another pose changes the cost of a query,
/// never its answer. Not to be used by two threads at once. A copy does not remember how deep the shapes were.
class PairCache {
 public:
  PairCache();
  ~PairCache();
  PairCache(const PairCache& other);
  PairCache& operator=(const PairCache& other);
  PairCache(PairCache&&) noexcept;
  PairCache& operator=(PairCache&&) noexcept;

  /// Two triangles that touched or were closest when last looked at, by their numbers; `none` where nothing is known.
  static constexpr std::uint32_t none = 0xFFFFFFFF;
  std::uint32_t touching_a = none;
  std::uint32_t touching_b = none;
  std::uint32_t closest_a = none;
  std::uint32_t closest_b = none;
  /// A direction, in the first shape's frame, along which the two were apart when last measured; zero where none is
  /// known. With it, the triangles that reach farthest along it. Of two convex shapes: v of the last search, in the
  /// frame of the one of the two that is worked first, of any length.
  std::array<double, 3> apart_along{};
  std::uint32_t apart_a = 0;
  std::uint32_t apart_b = 0;
  /// How often in a row such a direction did not part them the next time: of shapes that interlock none does, and then
  /// it is no longer tried.
  std::uint32_t apart_misses = 0;
  /// Of two convex shapes with vertices: the pairs of vertices that carried the closest points, up to four.
  std::uint32_t corner_count = 0;
  std::array<std::uint32_t, 4> corners_a{};
  std::array<std::uint32_t, 4> corners_b{};
  /// Of two that overlapped: the surface that their depth was found on. Made when first needed, some kilobytes.
  std::unique_ptr<convex::WarmSurface> surface;

  /// The same for the two shapes named in the other order, but for directions, which are forgotten.
  void exchange();
};

}  // namespace whisker
