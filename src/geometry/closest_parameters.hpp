#pragma once

// The closest points of two shapes, as parameters on each of them, in plain doubles.
//
// The parameters identify the closest feature exactly: a clamped parameter has exactly the value that it is clamped to.
//   on a segment:  s in [0, 1], the point a + s (b - a). An end is exactly 0 or 1.
//   on a triangle: weights of a, b, c, all >= 0, with sum 1 up to rounding. The weight is exactly 0 at each vertex that
//                  is not part of the closest feature. A vertex has one weight of exactly 1, an edge one of exactly 0.
//   in a box:      coordinates in the box's own frame, |x_i| <= size_i / 2, exactly ±size_i / 2 where clamped.
//
// Everything else is in world coordinates. For any finite input, the exact distance between the two points that the
// parameters represent exceeds the true distance by at most 1e-12 of it plus 8 ulps of the largest coordinate. Shapes
// that meet get parameters of a common point within that bound. Whether they really meet is decided by the exact
// predicates. Degenerate shapes (equal ends, flat triangles, boxes without extent) are allowed. A box is placed exactly
// by the numbers of its pose: a rotation that is off by the allowed 1e-9 is not replaced by an orthogonal one. No
// function allocates or throws.

#include <whisker/pose.hpp>
#include <whisker/primitives.hpp>

#include "geometry/constants.hpp"

namespace whisker::geometry {

/// Squared distances are estimates, accurate to about 1e-15 of the squared largest extent. Beyond coordinates of 1e±154
/// they overflow to infinity or underflow to zero, while the parameters stay accurate.
struct PointSegmentParameters {
  double s = 0;
  double squared_distance = 0;
};

struct PointTriangleParameters {
  Vector3 weights = Vector3::UnitX();
  double squared_distance = 0;
};

struct PointBoxParameters {
  Vector3 local = Vector3::Zero();
  double squared_distance = 0;
};

struct SegmentSegmentParameters {
  double s = 0;  ///< on the first segment
  double t = 0;  ///< on the second segment
  double squared_distance = 0;
};

struct SegmentTriangleParameters {
  double s = 0;
  Vector3 weights = Vector3::UnitX();
  double squared_distance = 0;
};

struct TriangleTriangleParameters {
  Vector3 weights_a = Vector3::UnitX();
  Vector3 weights_b = Vector3::UnitX();
  double squared_distance = 0;
};

struct SegmentBoxParameters {
  double s = 0;
  Vector3 local = Vector3::Zero();
  double squared_distance = 0;
};

struct TriangleBoxParameters {
  Vector3 weights = Vector3::UnitX();
  Vector3 local = Vector3::Zero();
  double squared_distance = 0;
};

struct BoxBoxParameters {
  Vector3 local_a = Vector3::Zero();
  Vector3 local_b = Vector3::Zero();
  double squared_distance = 0;
};

PointSegmentParameters closest_point_segment(const Vector3& point, const Segment& segment);
PointTriangleParameters closest_point_triangle(const Vector3& point, const Triangle& triangle);
/// For a point given in the box's own frame.
PointBoxParameters closest_point_box(const Vector3& local_point, const Box& box);
PointBoxParameters closest_point_box(const Vector3& point, const Box& box, const Pose& pose);

SegmentSegmentParameters closest_segment_segment(const Segment& a, const Segment& b);
SegmentTriangleParameters closest_segment_triangle(const Segment& segment, const Triangle& triangle);
TriangleTriangleParameters closest_triangle_triangle(const Triangle& a, const Triangle& b);

SegmentBoxParameters closest_segment_box(const Segment& segment, const Box& box, const Pose& pose);
TriangleBoxParameters closest_triangle_box(const Triangle& triangle, const Box& box, const Pose& pose);
BoxBoxParameters closest_box_box(const Box& a, const Pose& pose_a, const Box& b, const Pose& pose_b);

/// The points that the parameters represent, in plain doubles.
Vector3 point_at(const Segment& segment, double s);
Vector3 point_at(const Triangle& triangle, const Vector3& weights);

}  // namespace whisker::geometry
