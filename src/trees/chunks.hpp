#pragma once

// Loops over a long range in chunks, on all cores. What a chunk covers never depends on the number of threads.

#include <algorithm>
#include <cstddef>
#include <tbb/parallel_for.h>
#include <vector>

namespace whisker::trees {

inline constexpr std::size_t chunk_length = 16384;

inline std::size_t chunk_count(std::size_t count) {
  return (count + chunk_length - 1) / chunk_length;
}

/// Calls body(chunk, first, last) for each chunk.
template <typename Body>
void for_numbered_chunks(std::size_t count, bool parallel, Body&& body) {
  const std::size_t chunks = chunk_count(count);
  const auto one = [&](std::size_t chunk) {
    body(chunk, chunk * chunk_length, std::min(count, (chunk + 1) * chunk_length));
  };
  if (parallel && chunks > 1) {
    tbb::parallel_for(std::size_t{0}, chunks, one);
  } else {
    for (std::size_t chunk = 0; chunk < chunks; ++chunk)
      one(chunk);
  }
}

/// Calls body(first, last) for each chunk.
template <typename Body>
void for_chunks(std::size_t count, bool parallel, Body&& body) {
  for_numbered_chunks(count, parallel, [&](std::size_t, std::size_t first, std::size_t last) { body(first, last); });
}

/// Combines the values of body(first, last) for all chunks, in their order, by `include`.
template <typename Value, typename Body>
Value reduce_chunks(std::size_t count, bool parallel, Body&& body) {
  if (count <= chunk_length) return body(std::size_t{0}, count);
  Value whole;
  if (!parallel) {
    for_chunks(count, false, [&](std::size_t first, std::size_t last) { whole.include(body(first, last)); });
    return whole;
  }
  std::vector<Value> parts(chunk_count(count));
  for_numbered_chunks(
      count, true, [&](std::size_t chunk, std::size_t first, std::size_t last) { parts[chunk] = body(first, last); });
  for (const Value& part : parts)
    whole.include(part);
  return whole;
}

}  // namespace whisker::trees
