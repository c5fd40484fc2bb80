#pragma once

// Detection of a user's support function that is not the support function of a convex shape: bounds cross that cannot.

#include "convex/convex_frame.hpp"

namespace whisker::convex {

/// Bounds may cross by less than this fraction of the bodies' size without an error. So a function that rounds without
/// declaring it in its support error is not rejected.
inline constexpr double unsaid_rounding = 0x1p-32;

[[noreturn]] void throw_contradiction();

inline bool is_custom(const ConvexBody& a, const ConvexBody& b) {
  return a.core == ConvexBody::Core::custom || b.core == ConvexBody::Core::custom;
}
inline bool is_custom(const FramePair& pair) {
  return pair.a.mode == FrameBody::Mode::custom || pair.b.mode == FrameBody::Mode::custom;
}

/// Takes bounds on a distance or depth of the cores, as computed in doubles, in the frame's unit. Throws an Error if
/// they contradict each other. For whisker's own shapes they cannot.
inline void check_bounds(const FramePair& pair, double lower, double upper) {
  if (!is_custom(pair)) return;
  if (lower - upper > pair.reach_error + pair.mean_error + unsaid_rounding * pair.size) throw_contradiction();
}

}  // namespace whisker::convex
