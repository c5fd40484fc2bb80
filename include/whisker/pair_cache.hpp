#pragma once

/// \file
/// PairCache: lets the next query about the same pair of shapes start warm, from where the last one ended.
///
///     PairCache cache;  // one per pair
///     for (const Pose& pose : path)
///       nearest = std::min(nearest, distance({part, pose}, room, {.cache = &cache}).lower);
///
/// The cache stores the triangles, vertices, direction or surface with which the last query ended. The next query tries
/// these first, and if the shapes have moved only a little since, it often ends there as well.

#include <array>
#include <cstdint>
#include <memory>

namespace whisker {

namespace convex {
struct WarmSurface;
}

/// The warm-start data of one pair of shapes, owned by the caller. Pass the same cache to every query about that pair
/// to make queries along a coherent motion cheaper (TouchOptions, DistanceOptions, DepthOptions).
///
/// A cache never changes the answer of a query, only its cost. This holds even if the cache is new, was last used for
/// another pair, or was last used at a very different pose. Two threads must not use the same cache at once. A new
/// cache allocates nothing. The first `depth` of a pair that overlaps may allocate a few kilobytes, which copies do not
/// take over.
class PairCache {
 public:
  PairCache();
  ~PairCache();
  PairCache(const PairCache& other);
  PairCache& operator=(const PairCache& other);
  PairCache(PairCache&&) noexcept;
  PairCache& operator=(PairCache&&) noexcept;

  /// Prepares the cache for queries that pass the two shapes in the opposite order. Discards the stored directions.
  void exchange();

 private:
  friend struct Internals;

  // Plain numbers, so that a world can hold one cache per pair without allocating. Their meaning is internal: each
  // query validates them before it uses them.
  struct Memory {
    static constexpr std::uint32_t none = 0xFFFFFFFF;

    // The numbers of two triangles that touched, and of two that were closest, when last tested; `none` if unknown.
    std::uint32_t touching_a = none;
    std::uint32_t touching_b = none;
    std::uint32_t closest_a = none;
    std::uint32_t closest_b = none;
    // For meshes: a direction in the first shape's frame along which the two were separated when last measured (zero if
    // unknown), and the triangles that reach farthest along it. For two convex shapes: the vector v of the last search,
    // of any length, in the frame of whichever of the two is processed first.
    std::array<double, 3> apart_along{};
    std::uint32_t apart_a = 0;
    std::uint32_t apart_b = 0;
    // How many times in a row such a direction failed to separate the shapes the next time. Interlocking shapes have no
    // separating direction, so after failures it is no longer tried.
    std::uint32_t apart_misses = 0;
    // For two convex shapes with vertices: the pairs of vertices, up to four, that span the closest points.
    std::uint32_t corner_count = 0;
    std::array<std::uint32_t, 4> corners_a{};
    std::array<std::uint32_t, 4> corners_b{};
    // Whether the last signed distance of shapes that are not both convex found that they overlap.
    bool did_overlap = false;
  };

  Memory memory_;
  // For two shapes that overlapped: the surface on which their depth was found. A few kilobytes, allocated on first
  // use.
  std::unique_ptr<convex::WarmSurface> surface_;
};

}  // namespace whisker
