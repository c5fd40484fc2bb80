#pragma once

// Cylinders, cones, ellipsoids, convex hulls and custom convex shapes as the core of a SimpleShape, so that every
// traversal of a mesh or height field with a simple shape also works with these.

#include <limits>
#include <vector>

#include <whisker/geometry/aabb.hpp>
#include <whisker/shape.hpp>

#include "convex/convex_body.hpp"
#include "convex/simple_shape.hpp"

namespace whisker::convex {

/// A bounded convex shape that is not simple, in its own frame, with the data that traversals need. Refers to the
/// shape.
struct ConvexCore {
  const Shape& shape;
  ConvexBody body;  ///< not placed; its radius is 0
  const ConvexHull* hull = nullptr;
  Aabb bounds;                       ///< around the shape, rounding included
  Vector3 middle = Vector3::Zero();  ///< a point of the shape…
  double middle_error = 0;           ///< …up to this error

  explicit ConvexCore(const Shape& shape);

  /// How far a support point may be off the shape.
  double point_error() const { return body.support_error; }
  /// Whether a point can be proven to lie inside, away from the boundary.
  bool has_inside() const;
};

/// The placed core. It refers to `core`.
SimpleShape simple_convex(const ConvexCore& core, const Pose& pose);

/// A bounded simple shape for the queries on convex shapes. (The ends of a capsule are rounded to doubles.)
ConvexBody placed_body(const SimpleShape& shape);
/// The body of a placed convex core, with a radius of 0: the core is the whole shape, even if it is a ball.
ConvexBody placed_core(const SimpleShape& shape);

/// If positive, the approximate distance of a point inside from the boundary. If negative, the point is outside, at
/// least this far from the shape. The point is in the core's frame. `out` leads to the boundary. It is zero if that is
/// unknown.
double inner_distance(const ConvexCore& core, const Vector3& point, Vector3& out);
/// The same, proven except for roundings of 2^-46 of the shape's size and the point's coordinates.
double min_inner_distance(const ConvexCore& core, const Vector3& point);

/// Points of the shape in its own frame, up to rounding and `point_error()`, that extend far in all directions. For a
/// hull these are the vertices, if there are not too many.
std::vector<Vector3> outer_points(const ConvexCore& core);

/// If only distances up to `upper` matter, anything farther than this from the placed shape is farther than `upper` by
/// more than the error of any distance bound. A search that skips such things finds the same result in any order.
double plainly_farther(const SimpleShape& shape, double upper);

/// A plane between a placed convex core and the nearest triangle so far. Triangles far beyond it need not be measured.
class FarPlane {
 public:
  /// `normal` is a unit vector from the triangle to the shape, or zero for no plane.
  void set(const SimpleShape& shape, const Vector3& normal);
  /// A lower bound on the shape's distance from a triangle.
  double gap(const Triangle& triangle) const;

 private:
  Vector3 normal_ = Vector3::Zero();
  double lowest_ = -std::numeric_limits<double>::infinity();  // no point of the shape is lower along the normal
};

/// A point of the placed shape farthest along a direction of the world, up to rounding and `point_error()`.
Vector3 farthest_point(const SimpleShape& shape, const Vector3& direction);

}  // namespace whisker::convex
