#pragma once

// Hubbard's sphere trees (P. Hubbard 1995; as Bradshaw 2002 tells his method), which others are compared with.

#include <whisker/spheres/sphere_tree.hpp>

#include "methods/spheres/hubbard_axis.hpp"
#include "spheres/protrusion.hpp"

namespace whisker::methods {

/// About so many medial balls are merged, unless options.samples is not the default: then it is the number of samples,
/// before gaps are repaired.
inline constexpr std::size_t hubbard_balls = 2500;

/// The medial balls that a tree begins with.
HubbardAxis hubbard_axis_for(const Solid& solid, const SphereTreeOptions& options);

/// From the root down: a node's medial balls are merged, always the two neighbors whose ball fits their samples best,
/// until `options.branching` are left: the children, each with the medial balls that were merged into it, until the
/// levels or the balls are exhausted. A ball is Ritter's around the samples of its medial balls; it fits as well as it
/// reaches little beyond them along their normals.
///
/// Hubbard's balls cover the samples alone. Here each piece of the surface belongs to a medial ball through the sample
/// nearest to it, and a node's ball grows until it holds the pieces of its medial balls: about its center, or to
/// Ritter's ball around samples and pieces, whichever stands off less. The merges are the same as without pieces, and
/// as the pieces are near samples that the ball holds anyway, it grows little. A ball without a piece is dropped.
SphereTree build_hubbard(const Solid& solid, const SphereTreeOptions& options);

/// The same without pieces, for comparison: levels below the root cover the samples of the medial balls, not the
/// surface.
SphereTree build_hubbard_of_samples(const Solid& solid, const SphereTreeOptions& options);

/// How far a ball reaches beyond a point of the surface along the normal there (Bradshaw 2002, equations 4.1 and 4.2).
/// The ball must hold the point.
double reach_along_normal(const BoundingSphere& ball, const Vector3& point, const Vector3& normal);

}  // namespace whisker::methods
