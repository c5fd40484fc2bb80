#pragma once

// Reads and writes numbers of a given byte order in memory.

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

namespace whisker::io {

/// Reads a number that starts at `at`, which need not be aligned.
template <typename Number>
Number load(const char* at, std::endian order) {
  char bytes[sizeof(Number)];
  std::memcpy(bytes, at, sizeof bytes);
  if (order != std::endian::native) std::reverse(bytes, bytes + sizeof bytes);
  Number value;
  std::memcpy(&value, bytes, sizeof bytes);
  return value;
}

/// Appends a number in little-endian order.
template <typename Number>
void append_little(std::string& out, Number value) {
  char bytes[sizeof(Number)];
  std::memcpy(bytes, &value, sizeof bytes);
  if (std::endian::native != std::endian::little) std::reverse(bytes, bytes + sizeof bytes);
  out.append(bytes, sizeof bytes);
}

}  // namespace whisker::io
