#pragma once

// A support function of a user's own that is not that of a convex shape: it shows where bounds cross that cannot.

#include "convex/convex_frame.hpp"

namespace whisker::convex {

/// By less than this part of the bodies' size bounds may cross without a word: a function that rounds, and does not say
/// so in its support error, is no trap.
inline constexpr double unsaid_rounding = 0x1p-32;

[[noreturn]] void throw_contradiction();

inline bool is_custom(const ConvexBody& a, const ConvexBody& b) {
  return a.core == ConvexBody::Core::custom || b.core == ConvexBody::Core::custom;
}
inline bool is_custom(const FramePair& pair) {
  return pair.a.mode == FrameBody::Mode::custom || pair.b.mode == FrameBody::Mode::custom;
}

/// Bounds of a distance or depth of the cores as doubles gave them, in the frame's unit: an Error if they contradict
/// each other. Of shapes that whisker knows they cannot.
inline void check_bounds(const FramePair& pair, double lower, double upper) {
  if (!is_custom(pair)) return;
  if (lower - upper > pair.reach_error + pair.mean_error + unsaid_rounding * pair.size) throw_contradiction();
}

}  // namespace whisker::convex
