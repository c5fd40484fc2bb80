#include <algorithm>
#include <array>
#include <bit>

#include "world/box_pairs.hpp"

namespace whisker::world {

void BroadPhase::find_overlapping(const Boxes& boxes, const AxisBox& box, std::vector<std::uint32_t>& found) const {
  found.clear();
  for (std::uint32_t i = 0; i < boxes.box.size(); ++i)
    if (overlap(boxes.box[i], box) && !boxes.box[i].empty() && !box.empty()) found.push_back(i);
}

void sort_by_bits(std::vector<std::uint64_t>& keys, int first, int bits, std::vector<std::uint64_t>& spare) {
  constexpr int digit_bits = 11;
  constexpr std::uint64_t digit_mask = (1u << digit_bits) - 1;
  const std::size_t size = keys.size();
  spare.resize(size);
  std::uint64_t *from = keys.data(), *to = spare.data();
  for (int done = 0; done < bits; done += digit_bits) {
    const int shift = first + done;
    std::array<std::uint32_t, digit_mask + 1> begin{};
    for (std::size_t i = 0; i < size; ++i)
      ++begin[from[i] >> shift & digit_mask];
    std::uint32_t sum = 0;
    for (std::uint32_t& b : begin) {
      const std::uint32_t here = b;
      b = sum;
      sum += here;
    }
    for (std::size_t i = 0; i < size; ++i)
      to[begin[from[i] >> shift & digit_mask]++] = from[i];
    std::swap(from, to);
  }
  if (from != keys.data()) keys.swap(spare);
}

void sort_pairs(std::vector<PairKey>& pairs, std::uint32_t count, std::vector<PairKey>& spare) {
  constexpr std::size_t few = 256;
  if (pairs.size() < few) {
    std::sort(pairs.begin(), pairs.end());
    return;
  }
  // By the second number, then by the first.
  const int bits = std::max(1, static_cast<int>(std::bit_width(count > 0 ? count - 1 : 0)));
  sort_by_bits(pairs, 0, bits, spare);
  sort_by_bits(pairs, 32, bits, spare);
}

}  // namespace whisker::world
