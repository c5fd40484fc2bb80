#pragma once

// When do two moving objects first touch? This baseline does what simulators do that only test at the end of a step: if
// the objects touch there, it bisects time to find the beginning of that contact; if they do not, it finds nothing.

#include <optional>

namespace whisker::baselines {

/// `touches_at(t)` returns whether the objects touch at time t, from 0 to 1. Returns nothing if they do not touch at
/// time 1. Otherwise returns a time at which they touch, at most `tolerance` after one at which they do not. This is
/// the first contact only if there is a single contact.
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
