#pragma once

// The cores of shapes (quick_cores.hpp).

#include <whisker/shape.hpp>

#include "convex/quick_cores.hpp"

namespace whisker::convex {

/// Returns false if a shape of this kind has no core. The core refers to the pose.
bool set_core(const Shape& shape, const Pose& pose, QuickCore& core);

/// An order of cores by their numbers, so that rounding does not depend on which shape was named first.
bool comes_first(const QuickCore& a, const QuickCore& b);

}  // namespace whisker::convex
