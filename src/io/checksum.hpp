#pragma once

// A checksum that detects accidental damage, not tampering.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "io/binary.hpp"

namespace whisker::io {

/// A 64-bit checksum of all bytes and their number. It is similar to FNV-1a (Fowler, Noll and Vo, 1991), but processes
/// eight bytes at a time and folds the high half into the low half after each multiplication, because a multiplication
/// never carries downward. Each step is one-to-one in the word and in the previous state, so a change within a single
/// word is always detected.
inline std::uint64_t checksum(std::string_view bytes) {
  constexpr std::uint64_t factor = 0x9E3779B97F4A7C15;  // odd; from the golden ratio
  std::uint64_t sum = 0xCBF29CE484222325 ^ bytes.size();
  const auto add = [&](std::uint64_t word) {
    sum = (sum ^ word) * factor;
    sum ^= sum >> 32;
  };
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8)
    add(load<std::uint64_t>(bytes.data() + at, std::endian::little));
  if (at < bytes.size()) {
    char last[8] = {};
    bytes.copy(last, bytes.size() - at, at);
    add(load<std::uint64_t>(last, std::endian::little));
  }
  return sum;
}

}  // namespace whisker::io
