#pragma once

// Checks the points, rays and options of a query before it begins.

#include <cmath>
#include <cstddef>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <whisker/error.hpp>
#include <whisker/first_contact.hpp>
#include <whisker/queries.hpp>

#include "geometry/threads.hpp"

namespace whisker::queries {

/// What is wrong with a ray: a number that is not finite or too large, or an end of the range that is NaN. Null if
/// nothing is wrong.
const char* fault_of(const Ray& ray, const RayRange& range);

/// What is wrong with a point: a coordinate that is not finite or too large. Null if nothing is wrong.
const char* fault_of(const Vector3& point);

/// What is wrong with options: a number that is NaN, or a length or time that is negative. Null if nothing is wrong.
inline const char* fault_of(const DistanceOptions& options) {
  if (!(options.tolerance >= 0)) return "the tolerance must be a length, 0 or larger";
  if (!(options.upper_bound >= 0)) return "the upper bound must be a length, 0 or larger";
  if (std::isnan(options.close_enough)) return "close_enough is NaN";
  return nullptr;
}
inline const char* fault_of(const ImpactOptions& options) {
  return options.tolerance >= 0 ? nullptr : "the tolerance must be a time, 0 or more";
}

/// Throws an Error "QUESTION: FAULT" if there is a fault.
void refuse_fault(const char* question, const char* fault);

/// Throws the Error "QUESTION: WHAT number: FAULT".
[[noreturn]] void refuse_one(const char* question, const char* of_what, std::size_t number, const char* fault);

/// The same for many: checks `fault(i)` for all i below `count` in turn.
template <class Fault>
void throw_first_fault(const char* question, const char* of_what, std::size_t count, const Fault& fault) {
  for (std::size_t i = 0; i < count; ++i) {
    if (const char* reason = fault(i)) refuse_one(question, of_what, i, reason);
  }
}

/// Throws an Error unless there is room for exactly `asked` answers.
void check_room(const char* question, const char* of_what, std::size_t asked, std::size_t room);

/// Calls `work(i)` for all i below `count`, on up to `threads` threads. `work` must not throw.
template <class Work>
void ask_all(const char* question, int threads, std::size_t count, const Work& work) {
  constexpr std::size_t at_a_time = 32;  // tens of microseconds of work, so that distributing it costs nothing
  with_threads(question, threads, [&] {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, at_a_time), [&](const auto& range) {
      for (std::size_t i = range.begin(); i < range.end(); ++i)
        work(i);
    });
  });
}

}  // namespace whisker::queries
