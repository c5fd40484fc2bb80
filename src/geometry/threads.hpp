#pragma once

// How many threads work: what the option `threads` means, everywhere. 0: all that oneTBB gives; 1: the calling thread
// alone; n: at most n.

#include <string>
#include <tbb/task_arena.h>

#include <whisker/error.hpp>

namespace whisker {

/// Throws an Error that begins with `who` if the number is negative.
inline void check_threads(const char* who, int threads) {
  if (threads >= 0) return;
  throw Error(std::string(who) + ": `threads` is " + std::to_string(threads) +
              "; it must be 0 (all), 1 (the calling thread alone) or more");
}

/// Calls work(), whose tasks then run on so many threads, the calling one among them. An arena of its own costs some
/// microseconds: it is made only where the one at hand has more threads. What work() throws is thrown.
template <class Work>
void with_threads(const char* who, int threads, const Work& work) {
  check_threads(who, threads);
  if (threads == 0 || tbb::this_task_arena::max_concurrency() <= threads) return work();
  tbb::task_arena arena(threads);
  arena.execute(work);
}

/// The same for work that makes tasks only where it is told to: work(is_parallel). On one thread nothing is set up.
template <class Work>
void with_tasks(const char* who, int threads, const Work& work) {
  if (threads == 1) return work(false);
  with_threads(who, threads, [&] { work(true); });
}

}  // namespace whisker
