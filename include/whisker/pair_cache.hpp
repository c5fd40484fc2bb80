#pragma once

/// \file
/// PairCache: a warm start. What a query learned about a pair of shapes, kept by the caller for the next query about
/// the same pair.
///
///     PairCache cache;                                          // one per pair
///     for (const Pose& pose : path)
///       nearest = distance({part, pose}, room, {.cache = &cache}).lower;
///
/// It remembers the triangles, corners, direction or surface with which the last query ended, and the next one begins
/// there: where the shapes have moved little since, it often ends there too.

#include <array>
#include <cstdint>
#include <memory>

namespace whisker {

namespace convex {
struct WarmSurface;
}

/// The memory of one pair of shapes: give the same one to every query about that pair, and coherent motion gets
/// cheaper.
///
/// A cache that is new, that belongs to another pair or that was used at another pose changes the cost of a query,
/// never its answer. Not to be used by two threads at once. A new one allocates nothing; the first `depth` of a pair
/// that overlaps may allocate some kilobytes, which a copy does not take over.
class PairCache {
 public:
  PairCache();
  ~PairCache();
  PairCache(const PairCache& other);
  PairCache& operator=(const PairCache& other);
  PairCache(PairCache&&) noexcept;
  PairCache& operator=(PairCache&&) noexcept;

  /// For queries that will name the two shapes in the other order. What is remembered of directions is forgotten.
  void exchange();

 private:
  friend struct Internals;

  // Plain numbers, so that a world holds one per pair without allocating. What they mean is whisker's own business:
  // each query checks them before it uses them.
  struct Memory {
    static constexpr std::uint32_t none = 0xFFFFFFFF;

    // Two triangles that touched or were closest when last looked at, by their numbers; `none` where nothing is known.
    std::uint32_t touching_a = none;
    std::uint32_t touching_b = none;
    std::uint32_t closest_a = none;
    std::uint32_t closest_b = none;
    // A direction, in the first shape's frame, along which the two were apart when last measured; zero where none is
    // known. With it, the triangles that reach farthest along it. Of two convex shapes: v of the last search, in the
    // frame of the one of the two that is worked first, of any length.
    std::array<double, 3> apart_along{};
    std::uint32_t apart_a = 0;
    std::uint32_t apart_b = 0;
    // How often in a row such a direction did not part them the next time: of shapes that interlock none does, and then
    // it is no longer tried.
    std::uint32_t apart_misses = 0;
    // Of two convex shapes with vertices: the pairs of vertices that carried the closest points, up to four.
    std::uint32_t corner_count = 0;
    std::array<std::uint32_t, 4> corners_a{};
    std::array<std::uint32_t, 4> corners_b{};
  };

  Memory memory_;
  // Of two that overlapped: the surface that their depth was found on. Made when first needed, some kilobytes.
  std::unique_ptr<convex::WarmSurface> surface_;
};

}  // namespace whisker
