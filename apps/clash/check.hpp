#pragma once

// The check: which parts of an assembly touch, overlap, or are closer than they may be.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

#include "clash/assembly.hpp"
#include "clash/findings.hpp"

namespace whisker::clash {

struct CheckOptions {
  /// Begin no more pairs after so many seconds; what there is then is reported, marked incomplete.
  double seconds = std::numeric_limits<double>::infinity();
  /// What the depth of one pair may cost, in tests (DepthOptions::budget): more of it, closer bounds.
  std::uint64_t depth_budget = 200'000;
  /// What the first contact of one moving pair between two keyframes may cost (ImpactOptions::budget).
  std::uint64_t motion_budget = 20'000'000;
  /// How closely the time of a first contact is found, as a part of the time between two keyframes.
  double time_tolerance = 1e-9;
  /// Set it to true, from anywhere, to end the check soon.
  const std::atomic<bool>* stop = nullptr;
  /// Called now and then, from any thread, never from two at once.
  std::function<void(std::size_t pairs_done, std::size_t pairs)> progress = {};
};

/// Throws an Error that says what is wrong with the assembly: no parts, two of one name,
/// keyframes that do not ascend, a rule that is not finite.
void check_input(const Assembly& assembly);

/// Checks every pair that the rules leave, on all cores. The findings and their order depend on the assembly alone,
/// whatever the number of threads, unless the check was stopped. Throws the Errors of check_input.
///
/// A pair that touches is a contact if it is proven that no point of either lies deeper than `contact` in the other, or
/// that the depth is no more than that; else a clash. Lengths that are lost in the rounding of the assembly's
/// coordinates (`rounding_of`) count as 0.
///
/// Parts that are not closed have no proven inside. By default a part is taken to lie inside one if the winding numbers
/// of its outermost points say so clearly (clash/inside.hpp); such findings have Ground::winding, and pairs of which it
/// stays unclear are told in `undecided`. Of a pair that moves this is looked at where it starts and at its keyframes.
Findings check(const Assembly& assembly, const CheckOptions& options = {});

/// The length below which two surfaces of the assembly cannot be told apart: 2^-40 of its largest coordinate.
double rounding_of(const Assembly& assembly);

/// The time from the first to the last keyframe of all parts; [0, 0] if nothing moves.
Bounds time_span(const Assembly& assembly);

/// Where a part is at a time.
Pose pose_of(const Part& part, double time);

}  // namespace whisker::clash
