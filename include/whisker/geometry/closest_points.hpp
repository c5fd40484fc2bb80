#pragma once

/// \file
/// The closest points of two simple shapes: point, segment, triangle, box and plane against each other.
///
///     ClosestPoints found = closest_points(Segment{a, b}, Triangle{c, d, e});
///     ClosestPoints near = closest_points(point, PlacedBox{{.size = {1, 2, 3}}, pose});
///     draw_line(near.point_a, near.point_b, near.distance);
///
/// These are the simple, fast versions in double arithmetic. They accept any finite input: a segment with equal ends, a
/// flat triangle or a box without extent is treated as the segment or point that it is. If several pairs of points are
/// equally close, one of them is returned.
///
/// Accuracy: `distance` and the two points are correct to 1e-12 of the distance plus a few ulps of the largest
/// coordinate (docs/accuracy.md lists the worst errors measured). If the shapes meet, or are closer than that, the two
/// points are equal up to that rounding error, each lies on or in both shapes, and the distance is 0 or of the size of
/// the rounding error. Call `touches` (queries.hpp) where the difference matters. Boxes are solid: if a box overlaps
/// the other shape, the distance is 0 and the point is some common point.
///
/// Input is not checked. Points, vertices, sizes and poses must be finite, sizes must not be negative, and rotations
/// must be as Pose requires. Only the overloads with a plane throw. Nothing is allocated.

#include <whisker/pose.hpp>
#include <whisker/primitives.hpp>
#include <whisker/vector.hpp>

namespace whisker {

/// A closest point on each of two shapes, in the order of the arguments, in world coordinates.
struct ClosestPoints {
  Vector3 point_a = Vector3::Zero();  ///< On or in the first shape.
  Vector3 point_b = Vector3::Zero();  ///< On or in the second shape.
  double distance = 0;                ///< The distance between the two points.
};

/// A solid box and its pose in the world.
struct PlacedBox {
  Box box;
  Pose pose;
};

ClosestPoints closest_points(const Vector3& a, const Vector3& b);
ClosestPoints closest_points(const Vector3& a, const Segment& b);
ClosestPoints closest_points(const Vector3& a, const Triangle& b);
ClosestPoints closest_points(const Vector3& a, const PlacedBox& b);

ClosestPoints closest_points(const Segment& a, const Segment& b);
ClosestPoints closest_points(const Segment& a, const Triangle& b);
ClosestPoints closest_points(const Segment& a, const PlacedBox& b);

ClosestPoints closest_points(const Triangle& a, const Triangle& b);
ClosestPoints closest_points(const Triangle& a, const PlacedBox& b);

ClosestPoints closest_points(const PlacedBox& a, const PlacedBox& b);

/// The closest points of a shape and a plane. If the shape reaches both sides of the plane, the distance is exactly 0
/// and both points are the same. For the accuracy stated above, the plane counts as a coordinate of size
/// |offset| / |normal|. Throws an Error if the normal is zero or a number of the plane is not finite.
ClosestPoints closest_points(const Vector3& a, const Plane& b);
ClosestPoints closest_points(const Segment& a, const Plane& b);
ClosestPoints closest_points(const Triangle& a, const Plane& b);
ClosestPoints closest_points(const PlacedBox& a, const Plane& b);

/// The closest points of two planes. Two planes are apart only if their normals are exactly parallel, which is decided
/// without rounding. Then point_a is the point of `a` nearest to the origin. All other planes meet: the distance is 0,
/// and both points are the point of their common line that is nearest to the origin. For nearly parallel planes that
/// point is far away. Throws as the overloads above.
ClosestPoints closest_points(const Plane& a, const Plane& b);

}  // namespace whisker
