#pragma once

// The check: finds the parts of an assembly that touch, overlap, or are closer than allowed.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

#include "clash/assembly.hpp"
#include "clash/findings.hpp"

namespace whisker::clash {

struct CheckOptions {
  /// Start no more pairs after this many seconds. The results so far are reported and marked as incomplete.
  double seconds = std::numeric_limits<double>::infinity();
  /// Budget for the depth of one pair, in tests (DepthOptions::budget). A larger budget gives tighter bounds.
  std::uint64_t depth_budget = 200'000;
  /// Budget for the first contact of one moving pair between two keyframes (ImpactOptions::budget).
  std::uint64_t motion_budget = 20'000'000;
  /// Tolerance for the time of a first contact, as a fraction of the time between two keyframes.
  double time_tolerance = 1e-9;
  /// Set it to true, from any thread, to end the check soon.
  const std::atomic<bool>* stop = nullptr;
  /// Called from time to time, from any thread, but never from two at once.
  std::function<void(std::size_t pairs_done, std::size_t pairs)> progress = {};
};

/// Throws an Error that says what is wrong with the assembly: no parts, two parts with the same name, keyframes that do
/// not ascend, a rule that is not finite.
void check_input(const Assembly& assembly);

/// Checks every pair that the rules allow, on all cores. The findings and their order depend only on the assembly, not
/// on the number of threads, unless the check was stopped. Throws the Errors of check_input.
///
/// A pair that touches is a contact if it is proven that no point of either part lies deeper than `contact` in the
/// other, or that the depth is at most that. Otherwise it is a clash. Lengths that are within the rounding error of the
/// assembly's coordinates (`rounding_of`) count as 0.
///
/// Parts that are not closed have no proven inside. By default, a part counts as being inside such a part if the
/// winding numbers at its outermost points are clear (clash/inside.hpp). Such findings have Ground::winding, and pairs
/// for which it remains unclear are listed in `undecided`. For a moving pair, this is tested at the start and at its
/// keyframes.
Findings check(const Assembly& assembly, const CheckOptions& options = {});

/// The length below which two surfaces of the assembly cannot be distinguished: 2^-40 of its largest coordinate.
double rounding_of(const Assembly& assembly);

/// The time from the first to the last keyframe of all parts. [0, 0] if nothing moves.
Bounds time_span(const Assembly& assembly);

/// The pose of a part at a time.
Pose pose_of(const Part& part, double time);

}  // namespace whisker::clash
