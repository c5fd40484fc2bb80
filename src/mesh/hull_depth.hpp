#pragma once

// The depth of two bodies' convex hulls, by an expanding polytope.
//
// With C the set of all a - b for points a and b of the hulls, the hulls part along a unit vector d once b has moved by
// h(d), the reach of C along d; the depth is the least h(d). Points of C that were found span a polytope inside of C:
// its face nearest to the origin says where to look next (van den Bergen 2001, EPA). Every h(d) is an upper bound,
// which is certified as it stands. The lower bound is the radius of a ball about the origin within the polytope, and is
// certified in the end: a closed surface of triangles that winds round the origin and has no triangle nearer than r
// encloses the ball of radius r, and whatever is enclosed by a surface lies in the convex hull of its corners. So it
// does not matter what rounding did to the polytope on the way.

#include <cstdint>

#include "mesh/depth_body.hpp"

namespace whisker::mesh {

struct HullDepth {
  double lower = 0;  ///< of the hulls' depth; 0 also where it could not be certified
  double upper = 0;  ///< negative if the hulls are apart
  Vector3 direction = Vector3::Zero();
  Vector3 point_a = Vector3::Zero();
  Vector3 point_b = Vector3::Zero();
};

/// Of the cores, without their radii. Stops once `upper - lower` is at most `tolerance` or after `steps` points of C.
HullDepth hull_depth(DepthBody& a, DepthBody& b, double tolerance, int steps, Cost& cost);

/// An upper bound along one direction of unit length, for the cores. Certified.
HullDepth hull_overlap(DepthBody& a, DepthBody& b, const Vector3& direction, Cost& cost);

}  // namespace whisker::mesh
