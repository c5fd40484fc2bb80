#pragma once

// Checks the points, rays and options of a query before it begins.

#include <cmath>
#include <cstddef>
#include <span>
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
inline const char* fault_of(const SignedDistanceOptions& options) {
  return fault_of(DistanceOptions{.tolerance = options.tolerance, .upper_bound = options.upper_bound});
}
inline const char* fault_of(const ImpactOptions& options) {
  return options.tolerance >= 0 ? nullptr : "the tolerance must be a time, 0 or more";
}

/// Throws an Error "QUESTION: FAULT" if there is a fault.
void refuse_fault(const char* question, const char* fault);

/// Throws the Error "QUESTION: WHAT number: FAULT".
[[noreturn]] void refuse_one(const char* question, const char* of_what, std::size_t number, const char* fault);

/// Throws the Error for a kind of shape that a question does not take. `takes` tells which ones it takes.
[[noreturn]] void refuse_kind(const char* question, const Shape& shape, const char* takes);

/// Throws an Error unless the shape is made of triangles: a mesh, a height field, a triangle or a compound of these.
void check_is_surface(const char* question, const Shape& shape);

/// Throws an Error unless there is room for exactly `asked` answers.
void check_room(const char* question, const char* of_what, std::size_t asked, std::size_t room);

/// Calls `work(begin, end)` for ranges that together are the numbers below `count`, on up to `threads` threads. If some
/// throw, so does this, and which exception it is depends on the threads.
template <class Work>
void ask_ranges(const char* question, int threads, std::size_t count, const Work& work) {
  constexpr std::size_t at_a_time = 32;  // tens of microseconds of work, so that distributing it costs nothing
  with_threads(question, threads, [&] {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, at_a_time),
                      [&](const auto& range) { work(range.begin(), range.end()); });
  });
}
/// Calls `work(i)` for all i below `count` in the same way.
template <class Work>
void ask_all(const char* question, int threads, std::size_t count, const Work& work) {
  ask_ranges(question, threads, count, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      work(i);
  });
}

/// Throws an Error unless there is room for the answers, and no item has a fault, which `fault(item)` tells.
template <class Item, class Fault>
void check_items(const char* question, const char* of_what, std::span<const Item> items, const Fault& fault,
                 std::size_t room) {
  check_room(question, of_what, items.size(), room);
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (const char* reason = fault(items[i])) refuse_one(question, of_what, i, reason);
  }
}

/// Sets answers[i] to `ask(items[i])` for all items, on up to `threads` threads, unless there is no room for the
/// answers or `fault(item)` tells what is wrong with an item.
template <class Item, class Answer, class Fault, class Ask>
void answer_all(const char* question, const char* of_what, std::span<const Item> items, const Fault& fault, int threads,
                std::span<Answer> answers, const Ask& ask) {
  check_items(question, of_what, items, fault, answers.size());
  ask_all(question, threads, items.size(), [&](std::size_t i) { answers[i] = ask(items[i]); });
}

/// The same for points.
template <class Answer, class Ask>
void answer_points(const char* question, std::span<const Vector3> points, int threads, std::span<Answer> answers,
                   const Ask& ask) {
  const auto fault = [](const Vector3& point) { return fault_of(point); };
  answer_all(question, "point", points, fault, threads, answers, ask);
}

}  // namespace whisker::queries
