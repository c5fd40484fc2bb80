#include "trees/morton.hpp"

#include <algorithm>
#include <array>

#include "trees/chunks.hpp"

namespace whisker::trees {
namespace {

constexpr int axis_bits = 21;
constexpr std::size_t digits = 256;
constexpr int code_bits = 3 * axis_bits;

/// Moves bit i to bit 3i.
std::uint64_t spread_bits(std::uint64_t bits) {
  bits = (bits | bits << 32) & 0x001F00000000FFFFull;
  bits = (bits | bits << 16) & 0x001F0000FF0000FFull;
  bits = (bits | bits << 8) & 0x100F00F00F00F00Full;
  bits = (bits | bits << 4) & 0x10C30C30C30C30C3ull;
  bits = (bits | bits << 2) & 0x1249249249249249ull;
  return bits;
}

/// One pass of a radix sort, by the eight bits from `shift` on. Stable. Returns false if these bits are equal in all
/// items.
bool sort_by_digit(std::span<const MortonItem> from, std::span<MortonItem> to, int shift, bool parallel) {
  using Counts = std::array<std::uint32_t, digits>;
  const auto digit = [shift](const MortonItem& item) { return (item.code >> shift) & (digits - 1); };
  std::vector<Counts> counts(chunk_count(from.size()));
  for_numbered_chunks(from.size(), parallel, [&](std::size_t chunk, std::size_t first, std::size_t last) {
    Counts& mine = counts[chunk];
    for (std::size_t i = first; i < last; ++i)
      ++mine[digit(from[i])];
  });
  std::size_t used_digits = 0;
  std::uint32_t sum = 0;
  for (std::size_t value = 0; value < digits; ++value) {
    const std::uint32_t before = sum;
    for (Counts& mine : counts) {
      sum += mine[value];
      mine[value] = sum - mine[value];
    }
    used_digits += sum > before ? 1 : 0;
  }
  if (used_digits == 1) return false;
  for_numbered_chunks(from.size(), parallel, [&](std::size_t chunk, std::size_t first, std::size_t last) {
    Counts& mine = counts[chunk];
    for (std::size_t i = first; i < last; ++i)
      to[mine[digit(from[i])]++] = from[i];
  });
  return true;
}

}  // namespace

std::uint64_t morton_code(const Aabb& box, const Frame& frame) {
  constexpr double cells = 1 << axis_bits;
  std::uint64_t code = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double from_lower = 0.5 * box.lower[axis] - 0.5 * frame.origin[axis];
    const double from_upper = 0.5 * box.upper[axis] - 0.5 * frame.origin[axis];
    const double cell = (from_lower * frame.scale + from_upper * frame.scale) * (0.5 * cells);
    code |= spread_bits(static_cast<std::uint64_t>(std::clamp(cell, 0.0, cells - 1))) << (2 - axis);
  }
  return code;
}

std::vector<MortonItem> morton_order(std::span<const Aabb> boxes, const Frame& frame, bool parallel) {
  std::vector<MortonItem> items(boxes.size());
  for_all_in_chunks(boxes.size(), parallel, [&](std::size_t i) {
    items[i] = {morton_code(boxes[i], frame), static_cast<std::uint32_t>(i)};
  });
  std::vector<MortonItem> other(boxes.size());
  for (int shift = 0; shift < code_bits; shift += 8) {
    if (sort_by_digit(items, other, shift, parallel)) items.swap(other);
  }
  return items;
}

}  // namespace whisker::trees
