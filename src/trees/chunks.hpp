#pragma once

// Loops on all cores, over a long range in chunks. What a chunk covers never depends on the number of threads.

#include <algorithm>
#include <cstddef>
#include <tbb/parallel_for.h>
#include <vector>

namespace whisker::trees {

inline constexpr std::size_t chunk_length = 16384;

inline std::size_t chunk_count(std::size_t count) {
  return (count + chunk_length - 1) / chunk_length;
}

/// Calls body(i) for all i below `count`: in tasks, or else one after the other.
template <typename Body>
void for_all(std::size_t count, bool parallel, const Body& body) {
  if (parallel && count > 1) {
    tbb::parallel_for(std::size_t{0}, count, body);
  } else {
    for (std::size_t i = 0; i < count; ++i)
      body(i);
  }
}

/// Calls body(chunk, first, last) for each chunk.
template <typename Body>
void for_numbered_chunks(std::size_t count, bool parallel, Body&& body) {
  for_all(chunk_count(count), parallel,
          [&](std::size_t chunk) { body(chunk, chunk * chunk_length, std::min(count, (chunk + 1) * chunk_length)); });
}

/// Calls body(first, last) for each chunk.
template <typename Body>
void for_chunks(std::size_t count, bool parallel, Body&& body) {
  for_numbered_chunks(count, parallel, [&](std::size_t, std::size_t first, std::size_t last) { body(first, last); });
}

/// Calls body(i) for all i below `count`, chunk by chunk: for bodies that are too short for a task of their own.
template <typename Body>
void for_all_in_chunks(std::size_t count, bool parallel, const Body& body) {
  for_chunks(count, parallel, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
      body(i);
  });
}

/// Calls add(value, i) for all i below `count`, with a new value for each chunk, and combines the values of all chunks,
/// in their order, by `include`.
template <typename Value, typename Add>
Value reduce_chunks(std::size_t count, bool parallel, const Add& add) {
  const auto sum = [&](std::size_t first, std::size_t last) {
    Value part;
    for (std::size_t i = first; i < last; ++i)
      add(part, i);
    return part;
  };
  if (count <= chunk_length) return sum(0, count);
  Value whole;
  if (!parallel) {
    for_chunks(count, false, [&](std::size_t first, std::size_t last) { whole.include(sum(first, last)); });
    return whole;
  }
  std::vector<Value> parts(chunk_count(count));
  for_numbered_chunks(count, true,
                      [&](std::size_t chunk, std::size_t first, std::size_t last) { parts[chunk] = sum(first, last); });
  for (const Value& part : parts)
    whole.include(part);
  return whole;
}

}  // namespace whisker::trees
