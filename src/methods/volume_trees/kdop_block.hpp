#pragma once

// Eight k-DOPs in the directions of the mesh's frame.

#include <whisker/methods/kdop.hpp>

#include "methods/volume_trees/kdop_support.hpp"
#include "volumes/block.hpp"

namespace whisker::methods::volume_trees {

using namespace volumes;

template <std::size_t K>
struct KdopBlock {
  using Volume = Kdop<K>;

  BlockFrame frame;
  float reach = 0;
  std::array<Lanes, K / 2> lower{};
  std::array<Lanes, K / 2> upper{};

  /// Stores a non-empty k-DOP.
  void set(std::size_t slot, const Kdop<K>& volume) {
    for (std::size_t i = 0; i < K / 2; ++i) {
      double low = volume.lower[i];
      double high = volume.upper[i];
      for (std::size_t k = 0; k < 3; ++k) {
        const double shift = -Kdop<K>::directions[i][k] * frame.origin[static_cast<int>(k)];
        low = geometry::add_down(low, shift);
        high = geometry::add_up(high, shift);
      }
      lower[i][slot] = float_down(frame.length(low) - 0x1p-140);
      upper[i][slot] = float_up(frame.length(high) + 0x1p-140);
      reach = std::max(reach, std::max(std::abs(lower[i][slot]), std::abs(upper[i][slot])));
    }
  }
};

/// Instantiated for 14, 18 and 26.
template <std::size_t K>
void block_gaps(const KdopBlock<K>& a, const KdopBlock<K>& b, const BlockPair& pair, BlockGaps& gaps);

}  // namespace whisker::methods::volume_trees
