#pragma once

// The penetration depth of two bodies' convex hulls, by an expanding polytope (EPA).
//
// Let C be the set of all a - b for points a and b of the hulls. The hulls separate along a unit vector d once b has
// moved by h(d), the support value of C along d. The depth is the least h(d). The points of C found so far span a
// polytope inside C, and its face nearest to the origin gives the next search direction (van den Bergen 2001, EPA).
// Every h(d) is an upper bound and certified by itself. The lower bound is the radius of a ball around the origin
// within the polytope. It is certified at the end: a closed surface of triangles that winds around the origin and has
// no triangle nearer than r encloses the ball of radius r, and everything that a surface encloses lies in the convex
// hull of its corners. So the rounding errors made while building the polytope do not matter.

#include "mesh/depth_body.hpp"

namespace whisker::mesh {

/// The depth of the cores, without their radii. `lower` is 0 also if it could not be certified, and `upper` is negative
/// if the hulls are separate. Stops once `upper - lower` is at most `tolerance`, or after `steps` points of C.
Depth hull_depth(DepthBody& a, DepthBody& b, double tolerance, int steps, Cost& cost);

/// A certified upper bound along one unit direction, for the cores, and the points of each that reach farthest.
Depth hull_overlap(DepthBody& a, DepthBody& b, const Vector3& direction, Cost& cost);

}  // namespace whisker::mesh
