#pragma once

// Eight oriented boxes, each with its own axes.

#include <whisker/geometry/obb.hpp>

#include "geometry/constants.hpp"
#include "volumes/block.hpp"
#include "volumes/box_frame.hpp"

namespace whisker::methods::volume_trees {

using namespace volumes;

struct ObbBlock {
  using Volume = Obb;

  BlockFrame frame;
  float reach = 0;
  Lanes3 center{};
  std::array<Lanes3, 3> axes{};
  Lanes3 half{};

  /// Stores a box of finite size.
  void set(std::size_t slot, const Obb& volume) {
    const Vector3 local = frame.point(volume.center);
    const double moved = set_lane(center, slot, local) + frame.point_error(local);
    Matrix3 rounded;
    for (std::size_t k = 0; k < 3; ++k) {
      set_lane(axes[k], slot, volume.axes.col(static_cast<int>(k)));
      rounded.col(static_cast<int>(k)) = lane(axes[k], slot);
    }
    // The same box in the rounded axes: each half size grows by the contribution of the other axes.
    const BoxFrame box(rounded);
    for (std::size_t k = 0; k < 3; ++k) {
      const int i = static_cast<int>(k);
      double sum = moved * box.stretch();
      for (int j = 0; j < 3; ++j)
        sum += frame.length(volume.half[j]) * box.coordinate_up(volume.axes.col(j), i);
      half[k][slot] = float_up(sum * (1 + 16 * unit_roundoff) + 0x1p-140);
      reach = std::max(reach, std::abs(center[k][slot]));
    }
    reach = std::max(reach,
                     static_cast<float>(largest_entry(local)) * 1.001f + half[0][slot] + half[1][slot] + half[2][slot]);
  }
};

void block_gaps(const ObbBlock& a, const ObbBlock& b, const BlockPair& pair, BlockGaps& gaps);

}  // namespace whisker::methods::volume_trees
