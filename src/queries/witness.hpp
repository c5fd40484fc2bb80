#pragma once

// The points that show a distance or a depth: two that belong together, and in the middle of what the shapes share
// where that is more than a point.

#include <whisker/queries.hpp>

#include "convex/flatness.hpp"

namespace whisker::queries {

/// How the distance of a pair of kinds is found.
using DistanceOf = Distance (*)(const Placed& a, const Placed& b, const DistanceOptions& options);

/// Moves the closest points of two convex shapes, of which one may be a half-space or plane, to the middle of what they
/// share along the normal, if that is a segment or a face. Nothing changes where the search stopped early.
void center_points(const Placed& a, const Placed& b, DistanceOf distance, Distance& result);

/// The same where the search says at which corners of hulls it ended: then it is soon seen if a point is all.
void center_hull_points(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                        const convex::HullCorners& corners, Distance& result);

/// The same for meshes and height fields: of what their closest triangles share, with each other or with a convex
/// shape.
void center_on_features(const Placed& a, const Placed& b, Distance& result);

/// Makes the points of the depth of two convex shapes, as above, a pair: points of the shapes that differ by
/// `normal * upper`, up to rounding, in the middle of what the shapes share there. The way out may turn a little for
/// that, and become shorter, where its bounds were not the same. `distance` is to center its points.
void pair_points(const Placed& a, const Placed& b, DistanceOf distance, const DepthOptions& options, Depth& result);

/// Moves the points of a depth of bounded shapes that need not be convex, which are a pair, to the middle of what is
/// shared where they part, as `distance` gives it a little farther on.
void center_depth(const Placed& a, const Placed& b, DistanceOf distance, Depth& result);

}  // namespace whisker::queries
