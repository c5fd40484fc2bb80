#pragma once

/// \file
/// What answers have in common: why a search stopped, what it cost, and yes, no or not proven.

#include <cstdint>
#include <limits>

namespace whisker {

/// Why a query stopped where it did.
enum class Stop {
  exact,      ///< The answer is known up to rounding.
  tolerance,  ///< The bounds are as close together as the caller asked for.
  budget,     ///< The caller's budget of work or time is used up; the bounds hold.
  count,      ///< As many were found as the caller asked for at most (`max_count`); there may be more.
  limit,      ///< The method itself could do no better: it could not tighten the bounds any further; they hold.
};

/// The answer to a question that is either proven or left open.
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

/// What a query did, in counts that do not depend on the clock.
struct Cost {
  std::uint64_t volume_tests = 0;     ///< Pairs of bounding volumes looked at.
  std::uint64_t primitive_tests = 0;  ///< Pairs of primitives (triangles, spheres, boxes…) looked at.
  std::uint64_t volume_updates = 0;   ///< Bounding volumes brought into another frame, or fitted anew, for the query.

  Cost& operator+=(const Cost& more) {
    volume_tests += more.volume_tests;
    primitive_tests += more.primitive_tests;
    volume_updates += more.volume_updates;
    return *this;
  }

  friend bool operator==(const Cost&, const Cost&) = default;
};

}  // namespace whisker
