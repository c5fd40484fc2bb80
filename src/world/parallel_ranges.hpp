#pragma once

// Loops over numbers on several threads.

#include <cstddef>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "geometry/threads.hpp"

namespace whisker::world {

/// Calls work(begin, end) for ranges that together are all numbers below `count`: in tasks, for about `grain` numbers
/// each, or else for all at once.
template <class Work>
void for_ranges(std::size_t count, std::size_t grain, bool is_parallel, const Work& work) {
  if (!is_parallel) return work(std::size_t{0}, count);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, grain),
                    [&](const tbb::blocked_range<std::size_t>& range) { work(range.begin(), range.end()); });
}

/// The same, calling work(i) for each number.
template <class Work>
void for_numbers(std::size_t count, std::size_t grain, bool is_parallel, const Work& work) {
  for_ranges(count, grain, is_parallel, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      work(i);
  });
}

/// The same for queries, on up to `threads` threads if there are enough numbers.
template <class Work>
void for_queries(const char* who, int threads, std::size_t count, const Work& work) {
  constexpr std::size_t few = 32, grain = 8;
  if (count < few) return for_numbers(count, grain, false, work);
  with_threads(who, threads, [&] { for_numbers(count, grain, true, work); });
}

}  // namespace whisker::world
