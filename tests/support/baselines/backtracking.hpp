#pragma once

// When do two things in motion first touch? As simulators do that only look at the end of a step: if they touch there,
// the time is halved until the beginning of that contact is found; if they do not, nothing is. As a baseline.

#include <optional>

namespace whisker::baselines {

/// `touches_at(t)` tells whether they touch at a time t, from 0 to 1. Nothing if they do not at time 1. Else a time at
/// which they touch, at most `tolerance` after one at which they do not: the first contact only if there is one.
template <class TouchesAt>
std::optional<double> contact_time_by_backtracking(const TouchesAt& touches_at, double tolerance) {
  if (!touches_at(1.0)) return std::nullopt;
  if (touches_at(0.0)) return 0.0;
  double free = 0, touching = 1;
  while (touching - free > tolerance) {
    const double middle = free + (touching - free) / 2;
    (touches_at(middle) ? touching : free) = middle;
  }
  return touching;
}

}  // namespace whisker::baselines
