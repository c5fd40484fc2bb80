#pragma once

// Eight swept spheres: over segments, triangles or rectangles.

#include <whisker/methods/swept_sphere.hpp>

#include "geometry/constants.hpp"
#include "methods/volume_trees/swept_core.hpp"
#include "volumes/block.hpp"

namespace whisker::methods::volume_trees {

using namespace volumes;

/// A core with its arms, as in core.hpp: a segment has one arm, a rectangle and a triangle have two.
template <class Swept>
struct SweptBlock {
  using Volume = Swept;
  static constexpr bool is_triangle = std::is_same_v<Swept, TriangleSweptSphere>;
  static constexpr std::size_t arm_count = std::is_same_v<Swept, SegmentSweptSphere> ? 1 : 2;

  BlockFrame frame;
  float reach = 0;
  Lanes3 center{};
  std::array<Lanes3, arm_count> arm{};
  Lanes radius{};

  void set(std::size_t slot, const Swept& volume) {
    const Core core = to_core(volume);
    const Vector3 local = frame.point(core.center);
    double moved = set_lane(center, slot, local) + frame.point_error(local) + frame.length(core.error);
    double size = largest_entry(local);
    for (std::size_t k = 0; k < arm_count; ++k) {
      const Vector3& value = core.arm[k];
      const Vector3 scaled_arm(frame.length(value[0]), frame.length(value[1]), frame.length(value[2]));
      moved += set_lane(arm[k], slot, scaled_arm);
      size += largest_entry(scaled_arm);
    }
    radius[slot] = float_up((frame.length(core.radius) + moved) * (1 + 16 * unit_roundoff));
    reach = std::max(reach, float_up(size * (1 + 0x1p-20)) + radius[slot]);
  }
};

using SegmentBlock = SweptBlock<SegmentSweptSphere>;
using TriangleBlock = SweptBlock<TriangleSweptSphere>;
using RectangleBlock = SweptBlock<RectangleSweptSphere>;

/// Instantiated for the three types above.
template <class Swept>
void block_gaps(const SweptBlock<Swept>& a, const SweptBlock<Swept>& b, const BlockPair& pair, BlockGaps& gaps);

}  // namespace whisker::methods::volume_trees
