#include "world/static_tree.hpp"

#include <limits>

#include "geometry/lists.hpp"
#include "trees/morton.hpp"
#include "volumes/block.hpp"
#include "world/parallel_ranges.hpp"

namespace whisker::world {
namespace {

constexpr float infinity_f = std::numeric_limits<float>::infinity();

RestBlock empty_block() {
  RestBlock block;
  for (std::size_t k = 0; k < 3; ++k) {
    std::fill(std::begin(block.lower[k]), std::end(block.lower[k]), infinity_f);
    std::fill(std::begin(block.upper[k]), std::end(block.upper[k]), -infinity_f);
  }
  return block;
}

}  // namespace

PlaceSearch::PlaceSearch(const Aabb& box) {
  for (int axis = 0; axis < 3; ++axis) {
    // Clamped to finite floats, so that infinite bounds do not overlap empty slots, whose bounds are infinite, too.
    lower[axis] = std::max(volumes::float_down(box.lower[axis]), std::numeric_limits<float>::lowest());
    upper[axis] = std::min(volumes::float_up(box.upper[axis]), std::numeric_limits<float>::max());
  }
}

void StaticTree::build(std::span<const Aabb> boxes, std::span<const std::uint32_t> numbers) {
  constexpr std::size_t width = RestBlock::width;
  levels_.clear();
  number_.clear();
  boxes_.clear();
  place_.assign(boxes.size(), none);
  size_ = numbers.size();
  if (numbers.empty()) return;
  const std::vector<Aabb> mine = geometry::picked(boxes, numbers);
  frame_ = trees::frame_of(mine, true);
  const std::vector<trees::MortonItem> order = trees::morton_order(mine, frame_, true);
  number_.resize(order.size());
  boxes_.resize(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    number_[i] = numbers[order[i].number];
    boxes_[i] = mine[order[i].number];
    place_[number_[i]] = static_cast<std::uint32_t>(i);
  }
  const auto blocks = [](std::size_t items) { return (items + width - 1) / width; };
  levels_.emplace_back(blocks(order.size()), empty_block());
  constexpr std::size_t grain = 1024;
  for_numbers(levels_[0].size(), grain, true, [&](std::size_t b) {
    RestBlock& block = levels_[0][b];
    for (std::size_t i = b * width; i < std::min(order.size(), (b + 1) * width); ++i) {
      const Aabb& box = boxes_[i];
      for (int axis = 0; axis < 3; ++axis) {
        const auto k = static_cast<std::size_t>(axis);
        block.lower[k][i - b * width] = volumes::float_down(box.lower[axis]);
        block.upper[k][i - b * width] = volumes::float_up(box.upper[axis]);
      }
    }
  });
  while (levels_.back().size() > 1) {
    const std::size_t below = levels_.size() - 1;
    levels_.emplace_back(blocks(levels_[below].size()), empty_block());
    for_numbers(levels_.back().size(), grain, true, [&](std::size_t b) {
      RestBlock& block = levels_[below + 1][b];
      for (std::size_t i = b * width; i < std::min(levels_[below].size(), (b + 1) * width); ++i) {
        const RestBlock& child = levels_[below][i];
        for (std::size_t k = 0; k < 3; ++k) {
          block.lower[k][i - b * width] = *std::min_element(std::begin(child.lower[k]), std::end(child.lower[k]));
          block.upper[k][i - b * width] = *std::max_element(std::begin(child.upper[k]), std::end(child.upper[k]));
        }
      }
    });
  }
}

std::uint64_t StaticTree::along_curve(const Aabb& box) const {
  constexpr int code_bits = 63;
  return box.empty() || !box.lower.allFinite() || !box.upper.allFinite()
             ? 0
             : trees::morton_code(box, frame_) >> (code_bits - curve_bits);
}

void StaticTree::remove(std::uint32_t number) {
  if (number >= place_.size() || place_[number] == none) return;
  const std::size_t place = place_[number];
  RestBlock& block = levels_[0][place / RestBlock::width];
  // The blocks above stay unchanged: bounds that are too large do no harm.
  for (std::size_t k = 0; k < 3; ++k) {
    block.lower[k][place % RestBlock::width] = infinity_f;
    block.upper[k][place % RestBlock::width] = -infinity_f;
  }
  place_[number] = none;
  --size_;
}

void StaticTree::find(const Aabb& box, std::vector<std::uint32_t>& found) const {
  any_overlapping(box, [&](std::uint32_t number) {
    found.push_back(number);
    return false;
  });
}

}  // namespace whisker::world
