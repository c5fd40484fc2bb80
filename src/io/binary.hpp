#pragma once

// Reads and writes numbers of a given byte order in memory.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <string>

#include <whisker/vector.hpp>

#include "io/source.hpp"

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

/// Reads a vertex of three floats that start at byte `at`. Throws an Error if one is not finite.
inline Vector3 finite_floats(const Source& source, std::size_t at, std::endian order) {
  Vector3 result;
  for (int axis = 0; axis < 3; ++axis, at += 4) {
    result[axis] = static_cast<double>(load<float>(source.text.data() + at, order));
    if (!std::isfinite(result[axis])) source.fail_at_byte(at, "vertex that is not a finite number: repair the data");
  }
  return result;
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
