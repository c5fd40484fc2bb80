#pragma once

// Finds a few spheres for a region with a given method. Each method returns at most `count` spheres that contain all
// the region's pieces, each piece entirely in one sphere, up to rounding.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <whisker/spheres/sphere_tree.hpp>

#include "spheres/sphere_shares.hpp"

namespace whisker::spheres {

/// Merges many spheres to a few (Hubbard 1995, with Bradshaw's improvements, 2002, 5.3).
///
/// Each piece is given to the medial sphere that it fits best, and spheres without a piece are dropped. Then,
/// repeatedly, two neighbors are replaced by one sphere for the pieces of both. The pair whose merged sphere protrudes
/// least is merged next, but the worst sphere goes first if merging improves it. Spheres without a neighbor get those
/// that they overlap as neighbors, or any. When few spheres are left, all are neighbors. Spheres whose pieces lie in
/// other spheres are redundant and dropped. Merging ends once `count` spheres remain without them.
///
/// The thesis measures the protrusion of a sphere at points on it. This function uses the proven bound, which costs one
/// query.
std::vector<BoundingSphere> merge_spheres(const Region& region, std::span<const MedialSphere> medial,
                                          std::size_t count);

/// Grows medial spheres to an equal protrusion and chooses a few of them (Bradshaw 2002, algorithm 6). Returns none if
/// there are no medial spheres.
///
/// For a protrusion e, the sphere around a medial center at signed distance h has radius e - h. (The thesis prints e -
/// |h|, which holds only outside the solid.) Spheres are chosen greedily until they contain all pieces.
/// `SphereSelection` determines the next one. A binary search finds the smallest e for which `count` spheres suffice.
///
/// The number of spheres needed does not always decrease as e grows: a sphere around the center of a cube is the first
/// choice, but becomes redundant once other spheres contain the corners. So if a choice fails or has fewer than `count`
/// spheres, it is repeated without its first sphere.
std::vector<BoundingSphere> expand_spheres(const Region& region, std::span<const MedialSphere> medial,
                                           std::size_t count,
                                           SphereSelection selection = SphereSelection::max_elimination);

/// How the spheres of a region are found: by a method of SphereTreeMethod, or by a function.
struct RegionMethod {
  /// Returns at most `count` spheres that contain all the pieces, each piece entirely in one sphere, up to rounding.
  using Find = std::vector<BoundingSphere>(const Region& region, std::span<const MedialSphere> medial,
                                           std::size_t count);

  /// merge, expand or combined; ignored if `find` is set.
  SphereTreeMethod method = SphereTreeMethod::combined;
  Find* find = nullptr;
  /// Whether medial spheres are computed and passed to the method.
  bool needs_axis = true;

  bool is_combined() const { return find == nullptr && method == SphereTreeMethod::combined; }
};

struct ReduceOptions {
  RegionMethod method = {};
  SphereSelection selection = SphereSelection::max_elimination;
  std::size_t count = 8;
  /// Set unless the children are leaves: the children should get equal demands, so that each can be split equally well.
  bool even = false;
  /// If not 0, the pieces belong to planned leaves, which stay together, and no child has more than this many leaves.
  std::size_t max_leaves = 0;
  /// For the combined method: balls that are settled and compared with the results of the other methods.
  std::span<const Ball> seeds = {};
  bool shift_planes = false;
  std::optional<SphereOptimization> optimize = {};
  std::optional<SphereBalance> balance = {};
};

/// Returns at most `count` balls with their shares of the region, settled. Returns exactly `count` if the region has
/// enough pieces. `medial` may be empty.
std::vector<Share> reduce(const Region& region, std::span<const MedialSphere> medial, const ReduceOptions& options);

/// Returns balls around `count` parts of the region: the longest part is repeatedly halved at the median of its pieces.
/// Used where a method finds no spheres itself.
std::vector<Ball> halved(const Region& region, std::span<const std::uint32_t> pieces, std::size_t count);

}  // namespace whisker::spheres
