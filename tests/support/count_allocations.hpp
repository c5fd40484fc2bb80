#pragma once

// Counts every form of operator new, and can let them fail. Replaces the program's own: tests that include this are a
// program of their own.

#include <atomic>
#include <cstddef>

namespace whisker::test {

extern std::atomic<std::size_t> allocations;
/// When there have been so many there is no more memory.
extern std::atomic<std::size_t> max_allocations;

}  // namespace whisker::test

using whisker::test::allocations;
using whisker::test::max_allocations;
