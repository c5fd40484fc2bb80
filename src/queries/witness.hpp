#pragma once

// The witness points of a distance or a depth: two points that belong together and, if the shapes share more than a
// point, lie in the middle of what they share.

#include <whisker/queries.hpp>

#include "convex/flatness.hpp"

namespace whisker::queries {

/// The function that computes the distance of a pair of kinds.
using DistanceOf = Distance (*)(const Placed& a, const Placed& b, const DistanceOptions& options);

/// Moves the closest points of two convex shapes, one of which may be a half-space or plane, to the middle of what the
/// shapes share along the normal, if that is a segment or a face. Changes nothing if the search stopped early.
void center_points(const Placed& a, const Placed& b, DistanceOf distance, Distance& result);

/// The same if the search tells at which corners of hulls it ended. This quickly shows whether the shapes share only a
/// point.
void center_hull_points(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                        const convex::HullCorners& corners, Distance& result);

/// The same for meshes and height fields: uses what their closest triangles share with each other or with a convex
/// shape.
void center_on_features(const Placed& a, const Placed& b, Distance& result);

/// Why b leaves a along the normal of a depth: that way is the shortest, or it was chosen because of a hint.
enum class WayOut { shortest, hinted };

/// Turns the points of the depth of two convex shapes, as above, into a pair: points of the shapes that differ by
/// `normal * upper`, up to rounding, in the middle of what the shapes share there. The way out may turn a little for
/// this, and become shorter, if its bounds were not equal. One that was chosen because of a hint keeps its direction if
/// it is longer than the shortest by more than the search can tell. `distance` must center its points.
void pair_points(const Placed& a, const Placed& b, DistanceOf distance, WayOut way, Depth& result);

/// The features of a and b on which two points lie.
struct Features {
  Feature a;
  Feature b;
};

/// Moves the points of a depth of bounded shapes, which need not be convex, to the middle of what the shapes share
/// where they separate, as `distance` finds it a little farther on. The points must already be a pair. If `on` is not
/// null, it is set to the features on which the points lie, also for unbounded shapes.
void center_depth(const Placed& a, const Placed& b, DistanceOf distance, Depth& result, Features* on = nullptr);

/// Sets the features of a final result to the vertices, edges and faces of polyhedra on which its points lie
/// (Distance::feature_a), where they are still whole.
void name_features(const Placed& a, const Placed& b, Distance& result);

/// The triangle of a placed mesh or height field that a feature refers to, in the world.
Triangle triangle_of(const Placed& placed, const Feature& feature);

}  // namespace whisker::queries
