#pragma once

// A quick test of two boxes in doubles.

#include "convex/simple_shape.hpp"

namespace whisker::convex {

enum class BoxesAre : unsigned char { apart, overlapping, close };

/// What doubles prove about two boxes: they are apart, or they overlap (then `common` is a point of both, within
/// rounding), in both cases by more than about 1e-7 of their size. Or they are so close that a slower test must decide.
BoxesAre box_box_overlap(const SimpleShape& a, const SimpleShape& b, Vector3& common);

}  // namespace whisker::convex
