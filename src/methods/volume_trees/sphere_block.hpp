#pragma once

// Eight bounding spheres.

#include <whisker/geometry/bounding_sphere.hpp>

#include "geometry/constants.hpp"
#include "volumes/block.hpp"

namespace whisker::methods::volume_trees {

using namespace volumes;

struct SphereBlock {
  using Volume = BoundingSphere;

  BlockFrame frame;
  float reach = 0;
  Lanes3 center{};
  Lanes radius{};

  void set(std::size_t slot, const BoundingSphere& volume) {
    const Vector3 local = frame.point(volume.center);
    const double moved = set_lane(center, slot, local) + frame.point_error(local);
    radius[slot] = float_up((frame.length(volume.radius) + moved) * (1 + 4 * unit_roundoff));
    reach = std::max(reach, float_up(largest_entry(local) * (1 + 0x1p-20)) + radius[slot]);
  }
};

void block_gaps(const SphereBlock& a, const SphereBlock& b, const BlockPair& pair, BlockGaps& gaps);

}  // namespace whisker::methods::volume_trees
