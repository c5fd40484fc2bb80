#include "trees/build_binned.hpp"

#include <array>

#include "trees/chunks.hpp"

namespace whisker::trees {
namespace {

constexpr std::size_t bin_count = 16;

struct Bins {
  std::array<std::array<FloatBox, bin_count>, 3> box;
  std::array<std::array<std::uint32_t, bin_count>, 3> items{};

  void include(const Bins& other) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (std::size_t bin = 0; bin < bin_count; ++bin) {
        box[axis][bin].include(other.box[axis][bin]);
        items[axis][bin] += other.items[axis][bin];
      }
    }
  }
};

}  // namespace

BinnedSplit split_by_bins(std::span<const Item> items, const Bounds& bounds, std::size_t most, bool parallel) {
  const Float4 origin = bounds.centers.lower;
  const Float4 spread = bounds.centers.upper - origin;
  Float4 scale = all(0);
  for (int axis = 0; axis < 3; ++axis) {
    // A little below bin_count, so that the last center is in the last bin.
    if (spread[axis] > min_spread) scale[axis] = static_cast<float>(bin_count) * 0.9999f / spread[axis];
  }

  const Bins bins = reduce_chunks<Bins>(items.size(), parallel, [&](Bins& part, std::size_t i) {
    const Item& item = items[i];
    const Int4 bin = __builtin_convertvector((item.center() - origin) * scale, Int4);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto chosen = static_cast<std::size_t>(bin[axis]);
      part.box[axis][chosen].include(item);
      ++part.items[axis][chosen];
    }
  });

  BinnedSplit best;
  float best_cost = std::numeric_limits<float>::max();
  for (int axis = 0; axis < 3; ++axis) {
    if (scale[axis] == 0) continue;
    const auto& box = bins.box[static_cast<std::size_t>(axis)];
    const auto& count = bins.items[static_cast<std::size_t>(axis)];
    std::array<float, bin_count> right_cost{};
    FloatBox side;
    std::size_t right = 0;
    for (std::size_t bin = bin_count - 1; bin > 0; --bin) {
      side.include(box[bin]);
      right += count[bin];
      right_cost[bin] = right == 0 ? 0 : side.half_surface() * static_cast<float>(blocks(right));
    }
    side = FloatBox{};
    std::size_t left = 0;
    for (std::size_t bin = 0; bin + 1 < bin_count; ++bin) {
      side.include(box[bin]);
      left += count[bin];
      if (left == 0 || left == items.size() || left > most || items.size() - left > most) continue;
      const float cost = side.half_surface() * static_cast<float>(blocks(left)) + right_cost[bin + 1];
      if (cost < best_cost) {
        best_cost = cost;
        best = {axis, origin[axis], scale[axis], static_cast<int>(bin), left};
      }
    }
  }
  return best;
}

}  // namespace whisker::trees
