// Radix sort of pair keys, shared by the broad phases (world/box_pairs.hpp).

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "trees/chunks.hpp"
#include "world/box_pairs.hpp"

namespace whisker::world {

void sort_by_bits(std::vector<std::uint64_t>& keys, int first, int bits, std::vector<std::uint64_t>& spare) {
  constexpr int max_digit_bits = 11;
  const int passes = (bits + max_digit_bits - 1) / max_digit_bits;
  if (passes == 0) return;
  const int digit_bits = (bits + passes - 1) / passes;
  const std::size_t digits = std::size_t{1} << digit_bits, size = keys.size();
  // Each chunk has its own counts, so that threads can share the work.
  const std::size_t chunks = trees::chunk_count(size);
  std::array<std::uint32_t, std::size_t{1} << max_digit_bits> one_chunk;
  std::vector<std::uint32_t> many_chunks(chunks <= 1 ? 0 : chunks * digits);
  std::uint32_t* const at = chunks <= 1 ? one_chunk.data() : many_chunks.data();
  spare.resize(size);
  std::uint64_t *from = keys.data(), *to = spare.data();
  for (int pass = 0; pass < passes; ++pass) {
    const int shift = first + pass * digit_bits;
    trees::for_numbered_chunks(size, true, [=](std::size_t c, std::size_t begin, std::size_t end) {
      std::uint32_t* const here = at + c * digits;
      std::fill(here, here + digits, 0);
      for (std::size_t i = begin; i < end; ++i)
        ++here[from[i] >> shift & (digits - 1)];
    });
    std::uint32_t sum = 0;
    for (std::size_t digit = 0; digit < digits; ++digit) {
      for (std::size_t c = 0; c < chunks; ++c) {
        const std::uint32_t here = at[c * digits + digit];
        at[c * digits + digit] = sum;
        sum += here;
      }
    }
    trees::for_numbered_chunks(size, true, [=](std::size_t c, std::size_t begin, std::size_t end) {
      std::uint32_t* const here = at + c * digits;
      for (std::size_t i = begin; i < end; ++i)
        to[here[from[i] >> shift & (digits - 1)]++] = from[i];
    });
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
