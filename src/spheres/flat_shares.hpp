#pragma once

// Many spheres for a whole surface, all on one level.

#include <cstddef>
#include <functional>
#include <vector>

#include <whisker/spheres/sphere_tree.hpp>

#include "spheres/adaptive_axis.hpp"
#include "spheres/reduce.hpp"
#include "spheres/sphere_shares.hpp"

namespace whisker::spheres {

struct FlatOptions {
  RegionMethod method = {};
  SphereSelection selection = SphereSelection::max_elimination;
  std::size_t most = 64;
  /// A target; 0: none. As few as are found to stand off no more.
  double protrusion = 0;
  double halving_error = 0;
  /// Told now and then how many there are.
  std::function<void(std::size_t spheres)> report = {};
};

/// At most `most` balls with their shares of the region, settled. `axis` may be null, for methods that need
/// none. On all cores.
std::vector<Share> flat_shares(const Region& region, const AdaptiveAxis* axis, const FlatOptions& options);

}  // namespace whisker::spheres
