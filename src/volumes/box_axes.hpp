#pragma once

// The fifteen axes of two boxes, one pair at a time.

#include "volumes/edge_axes.hpp"

namespace whisker::volumes {

/// The directions of a box's edges, one after the other, and half its lengths along them.
struct BoxEdges {
  const double* axes;
  const double* half;
};

/// What doubles tell about two boxes by their fifteen axes. `between`: from a's center to b's. `blur`: how far the
/// points of both may be from the true ones, in all.
AxesTell tell_boxes(const BoxEdges& a, const BoxEdges& b, const double* between, double blur = 0);

}  // namespace whisker::volumes
