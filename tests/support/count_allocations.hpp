#pragma once

// Counts the calls of every form of operator new and can make them fail. It replaces the program's own operators, so
// the tests that include it form a separate program.

#include <atomic>
#include <cstddef>

namespace whisker::test {

extern std::atomic<std::size_t> allocations;
/// After this many allocations, every further one of this thread fails with std::bad_alloc. (In a thread of TBB's own
/// that is just starting, nobody would catch it.)
extern thread_local std::size_t max_allocations;

}  // namespace whisker::test

using whisker::test::allocations;
using whisker::test::max_allocations;
