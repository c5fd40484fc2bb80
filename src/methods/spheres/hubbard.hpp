#pragma once

// Hubbard's sphere trees (P. Hubbard 1995; as described by Bradshaw 2002), as a reference for comparisons.

#include <whisker/spheres/sphere_tree.hpp>

#include "methods/spheres/hubbard_axis.hpp"
#include "spheres/protrusion.hpp"

namespace whisker::methods {

/// About this many medial balls are merged. If options.samples is not the default, it is used as the number of samples
/// instead, before gaps are repaired.
inline constexpr std::size_t hubbard_balls = 2500;

/// The medial balls that a tree starts with.
HubbardAxis hubbard_axis_for(const Solid& solid, const SphereTreeOptions& options);

/// Builds a tree from the root down. A node's medial balls are merged until `options.branching` balls are left, always
/// the two neighbors whose merged ball fits their samples best. The remaining balls are the children, each with the
/// medial balls that were merged into it. This continues until the levels or the balls are exhausted. A ball is
/// Ritter's ball around the samples of its medial balls. The less it reaches beyond these samples along their normals,
/// the better it fits.
///
/// Hubbard's balls cover only the samples. Here each piece of the surface belongs to a medial ball through the piece's
/// nearest sample, and a node's ball is enlarged to contain the pieces of its medial balls: either around its own
/// center, or as Ritter's ball around samples and pieces, whichever protrudes less. The merges are the same as without
/// pieces. The pieces are near samples that the ball contains anyway, so it grows little. A ball without a piece is
/// dropped.
SphereTree build_hubbard(const Solid& solid, const SphereTreeOptions& options);

/// The same without pieces, for comparison: levels below the root cover only the samples of the medial balls, not the
/// surface.
SphereTree build_hubbard_of_samples(const Solid& solid, const SphereTreeOptions& options);

/// How far a ball reaches beyond a surface point along the normal there (Bradshaw 2002, equations 4.1 and 4.2). The
/// ball must contain the point.
double reach_along_normal(const BoundingSphere& ball, const Vector3& point, const Vector3& normal);

}  // namespace whisker::methods
