#pragma once

// Eight boxes along the axes of the mesh.

#include "geometry/constants.hpp"
#include "volumes/block.hpp"

namespace whisker::methods::volume_trees {

using namespace volumes;

struct AabbBlock {
  using Volume = Aabb;

  BlockFrame frame;
  float reach = 0;
  Lanes3 center{};
  Lanes3 half{};

  /// Stores a non-empty box.
  void set(std::size_t slot, const Aabb& volume) {
    const Vector3 lower = frame.point(volume.lower);
    const Vector3 upper = frame.point(volume.upper);
    for (std::size_t k = 0; k < 3; ++k) {
      const int i = static_cast<int>(k);
      center[k][slot] = static_cast<float>(lower[i] / 2 + upper[i] / 2);
      const double middle = static_cast<double>(center[k][slot]);
      const double error = 4 * unit_roundoff * (std::abs(lower[i]) + std::abs(upper[i])) + 0x1p-140;
      half[k][slot] = float_up(std::max(upper[i] - middle, middle - lower[i]) + error);
      reach = std::max(reach, std::abs(center[k][slot]) + half[k][slot]);
    }
  }
};

void block_gaps(const AabbBlock& a, const AabbBlock& b, const BlockPair& pair, BlockGaps& gaps);

}  // namespace whisker::methods::volume_trees
