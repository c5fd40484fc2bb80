#pragma once

// A checksum that tells damage, not malice.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "io/binary.hpp"

namespace whisker::io {

/// 64 bits of all bytes and their number: in the manner of Fowler, Noll and Vo (FNV-1a, 1991), but eight bytes at a
/// time, and with the high half folded into the low one after each multiplication, which never carries down. Each step
/// is one-to-one in the word and in what came before: a change within one word always shows.
inline std::uint64_t checksum(std::string_view bytes) {
  constexpr std::uint64_t factor = 0x9E3779B97F4A7C15;  // odd; the golden ratio
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
