#pragma once

// Cylinders, cones, ellipsoids, convex hulls and custom convex shapes as the core of a SimpleShape, so that whatever
// walks a mesh or a height field with a simple shape can do it with these.

#include <limits>
#include <vector>

#include <whisker/geometry/aabb.hpp>
#include <whisker/shape.hpp>

#include "convex/convex_body.hpp"
#include "convex/simple_shape.hpp"

namespace whisker::convex {

/// A bounded convex shape that is not simple, in its own frame, with what walks want to know of it. Refers to the
/// shape.
struct ConvexCore {
  const Shape& shape;
  ConvexBody body;  ///< not placed; its radius is 0
  const ConvexHull* hull = nullptr;
  Aabb bounds;                       ///< around the shape, rounding included
  Vector3 middle = Vector3::Zero();  ///< of the shape, but for…
  double middle_error = 0;           ///< …so much

  explicit ConvexCore(const Shape& shape);

  /// How far a support point may be off the shape.
  double point_error() const { return body.support_error; }
  /// Whether a point can be proven to lie inside, away from the border.
  bool has_inside() const;
};

/// The core placed. It refers to `core`.
SimpleShape simple_convex(const ConvexCore& core, const Pose& pose);

/// A bounded simple shape for the questions about convex ones. (The ends of a capsule are rounded.)
ConvexBody placed_body(const SimpleShape& shape);
/// The body of a placed convex core, with a radius of 0: all of the shape is in the core, also where it is a ball.
ConvexBody placed_core(const SimpleShape& shape);

/// Positive inside: how far a point of the core's frame is from the border, about; negative outside, by no more than
/// how far the point is from the shape. `out` leads to the border; zero where that is not known.
double inner_distance(const ConvexCore& core, const Vector3& point, Vector3& out);
/// The same, proven but for roundings of 2^-46 of the shape's size and the point's coordinates.
double min_inner_distance(const ConvexCore& core, const Vector3& point);

/// Points of the shape in its own frame, up to rounding and `point_error()`, that go far in all directions: a hull's
/// vertices if they are not too many.
std::vector<Vector3> outer_points(const ConvexCore& core);

/// What is farther than this from the placed shape is so by more than the bounds of a distance are ever off, if nothing
/// farther than `upper` is of interest. A search that passes by such things finds the same answer in whatever order.
double plainly_farther(const SimpleShape& shape, double upper);

/// A plane between a placed convex core and the nearest triangle so far: what is far beyond it need not be measured.
class FarPlane {
 public:
  /// `normal`: unit vector from the triangle to the shape; zero for no plane.
  void set(const SimpleShape& shape, const Vector3& normal);
  /// A lower bound of the shape's distance from a triangle.
  double gap(const Triangle& triangle) const;

 private:
  Vector3 normal_ = Vector3::Zero();
  double lowest_ = -std::numeric_limits<double>::infinity();  // no point of the shape is lower, along the normal
};

/// A point of the placed shape farthest along a direction of the world, up to rounding and `point_error()`.
Vector3 farthest_point(const SimpleShape& shape, const Vector3& direction);

}  // namespace whisker::convex
