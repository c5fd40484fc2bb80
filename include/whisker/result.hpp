#pragma once

/// \file
/// The types that results have in common: why a search stopped, what it cost, and a proven or undecided answer.
///
///     const Distance gap = distance(a, b, {.tolerance = 0.01, .budget = 20});
///     const bool cut_short = gap.stop == Stop::budget;  // if true, the bounds hold, but are more than 0.01 apart
///     Cost total;
///     total += gap.cost;

#include <cstdint>
#include <limits>

namespace whisker {

/// Why a query stopped.
enum class Stop {
  exact,      ///< The answer is known up to rounding.
  tolerance,  ///< The bounds are as tight as the caller asked for.
  budget,     ///< The caller's budget of work or time is used up. The bounds hold.
  count,      ///< The caller's `max_count` was reached. There may be more.
  limit,      ///< The method could not tighten the bounds any further. They hold.
};

/// A yes/no answer that is either proven or left open.
enum class Answer : std::uint8_t {
  no,         ///< Proven: no.
  yes,        ///< Proven: yes.
  undecided,  ///< Neither is proven.
};

/// The middle of two bounds; infinite if one of them is.
inline double middle_of(double lower, double upper) {
  const bool is_single = lower == upper || lower == -std::numeric_limits<double>::infinity();
  return is_single ? lower : lower + (upper - lower) / 2;
}

/// The work that a query did, in counts that do not depend on timing.
struct Cost {
  std::uint64_t volume_tests = 0;     ///< Pairs of bounding volumes tested.
  std::uint64_t primitive_tests = 0;  ///< Pairs of primitives (triangles, spheres, boxes…) tested.
  std::uint64_t volume_updates = 0;   ///< Bounding volumes transformed to another frame or refitted for the query.

  Cost& operator+=(const Cost& more) {
    volume_tests += more.volume_tests;
    primitive_tests += more.primitive_tests;
    volume_updates += more.volume_updates;
    return *this;
  }

  friend bool operator==(const Cost&, const Cost&) = default;
};

}  // namespace whisker
