#pragma once

// Finds a few spheres for a region with a given method.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <whisker/spheres/sphere_tree.hpp>

#include "spheres/sphere_shares.hpp"

namespace whisker::spheres {

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
