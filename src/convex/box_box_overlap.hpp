#pragma once

#include "convex/simple_shape.hpp"

namespace whisker::convex {

enum class BoxesAre : unsigned char { apart, overlapping, close };

/// What doubles tell of two boxes at once: apart, or overlapping (then `common` is a point of both, within rounding),
/// by more than some 1e-7 of their size; or so close that a longer look must tell.
BoxesAre box_box_overlap(const SimpleShape& a, const SimpleShape& b, Vector3& common);

}  // namespace whisker::convex
