#pragma once

// The number of threads: the meaning of the option `threads` throughout the library. 0 means all threads that oneTBB
// provides, 1 only the calling thread, and n at most n threads.

#include <string>
#include <tbb/task_arena.h>

#include <whisker/error.hpp>

namespace whisker {

/// Throws an Error that begins with `who` if `threads` is negative.
inline void check_threads(const char* who, int threads) {
  if (threads >= 0) return;
  throw Error(std::string(who) + ": `threads` is " + std::to_string(threads) +
              "; it must be 0 (all), 1 (the calling thread alone) or more");
}

/// Calls work(), whose tasks then run on at most `threads` threads, including the calling thread, and returns what it
/// returns. A separate arena costs some microseconds, so it is created only if the current one has more threads.
/// Exceptions of work() are passed on.
template <class Work>
auto with_threads(const char* who, int threads, const Work& work) {
  check_threads(who, threads);
  if (threads == 0 || tbb::this_task_arena::max_concurrency() <= threads) return work();
  tbb::task_arena arena(threads);
  return arena.execute(work);
}

/// The same for work that can run without tasks: calls work(is_parallel). With one thread nothing is set up.
template <class Work>
void with_tasks(const char* who, int threads, const Work& work) {
  if (threads == 1) return work(false);
  with_threads(who, threads, [&] { work(true); });
}

}  // namespace whisker
