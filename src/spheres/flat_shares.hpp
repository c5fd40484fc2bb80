#pragma once

// Builds many spheres for a whole surface, all on one level.

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
  /// The target protrusion; 0 for none. The result has as few spheres as were found to meet it.
  double protrusion = 0;
  /// Called now and then with the current number of spheres.
  std::function<void(std::size_t spheres)> report = {};
};

/// Returns at most `most` balls with their shares of the region, settled. `axis` may be null for methods that need
/// none. Runs on all cores.
std::vector<Share> flat_shares(const Region& region, const AdaptiveAxis* axis, const FlatOptions& options);

}  // namespace whisker::spheres
