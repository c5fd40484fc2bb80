#pragma once

// The spheres of a region by a method.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <whisker/spheres/sphere_tree.hpp>

#include "spheres/medial_axis.hpp"
#include "spheres/sphere_shares.hpp"

namespace whisker::spheres {

/// How the spheres of a region are found: by a method of SphereTreeMethod, or by a function.
struct RegionMethod {
  /// At most `count` spheres that hold all the pieces, each wholly in one of them, up to rounding.
  using Find = std::vector<BoundingSphere>(const Solid& solid, std::span<const MedialSphere> medial,
                                           std::span<const Piece> pieces, double halving_error, std::size_t count);

  /// Merge, expand or combined, unless there is a function.
  SphereTreeMethod method = SphereTreeMethod::combined;
  Find* find = nullptr;
  /// Medial spheres are looked for, and given to it.
  bool needs_axis = true;

  bool is_combined() const { return find == nullptr && method == SphereTreeMethod::combined; }
};

struct ReduceOptions {
  RegionMethod method = {};
  SphereSelection selection = SphereSelection::max_elimination;
  std::size_t count = 8;
  double halving_error = 0;
  /// The children are not the last: what they are to be shared out to should be as many for each.
  bool even = false;
  /// Not 0: the pieces belong to planned leaves, which stay together, and no child has more than so many of them.
  std::size_t max_leaves = 0;
  /// Of combined: balls that the others are compared with, once settled.
  std::span<const Ball> seeds = {};
  bool shift_planes = false;
  std::optional<SphereOptimization> optimize = {};
  std::optional<SphereBalance> balance = {};
};

/// At most `count` balls with their shares of the region, settled. As many as `count` where the region has enough
/// pieces. `medial` may be empty.
std::vector<Share> reduce(const Region& region, std::span<const MedialSphere> medial, const ReduceOptions& options);

/// Balls around `count` parts of the region: the longest part is halved at the middle of its pieces, again and again.
/// For where a method has no spheres of its own to offer.
std::vector<Ball> halved(const Region& region, std::span<const std::uint32_t> pieces, std::size_t count);

}  // namespace whisker::spheres
