#pragma once

/// \file
/// The closest points of two simple shapes: point, segment, triangle, box and plane against each other.
///
///     ClosestPoints found = closest_points(Segment{a, b}, Triangle{c, d, e});
///     ClosestPoints near = closest_points(point, PlacedBox{{.size = {1, 2, 3}}, pose});
///
/// These are the plain, fast forms in double, for any finite input: equal ends, flat triangles and boxes without extent
/// are segments and points, and are treated as such. Where more than one pair of points is closest, one is returned.
///
/// Accuracy: `distance` and the two points are right to 1e-12 of the distance plus a few units in the last place of the
/// largest coordinate (docs/accuracy.md has the worst seen). Shapes that meet, or are apart by less than that, get two
/// points that are equal up to that rounding, on or in both shapes, and a distance of 0 or of rounding size: ask
/// `touches` if the difference matters. Boxes are solid: an overlap has distance 0 and some common point.
///
/// Points, vertices, sizes and poses are not checked: they must be finite, sizes not negative, rotations as Pose says.

#include <whisker/pose.hpp>
#include <whisker/primitives.hpp>
#include <whisker/vector.hpp>

namespace whisker {

/// A closest point on each of two shapes, in the order of the arguments, in world coordinates.
struct ClosestPoints {
  Vector3 point_a = Vector3::Zero();
  Vector3 point_b = Vector3::Zero();
  double distance = 0;  ///< between them
};

/// A solid box and where it stands in the world.
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

/// Against a plane. A shape that reaches both sides has distance exactly 0 and twice the same point. A plane counts as
/// a coordinate of size |offset| / |normal| for the accuracy above. Throws Error if the normal is zero or a number of
/// the plane is not finite.
ClosestPoints closest_points(const Vector3& a, const Plane& b);
ClosestPoints closest_points(const Segment& a, const Plane& b);
ClosestPoints closest_points(const Triangle& a, const Plane& b);
ClosestPoints closest_points(const PlacedBox& a, const Plane& b);

/// Planes are apart only if their normals are exactly parallel (decided without rounding): then point_a is the point of
/// `a` nearest to the origin. All others meet: the distance is 0 and the point is the one of their common line that is
/// nearest to the origin, which is far away for planes that are nearly parallel.
ClosestPoints closest_points(const Plane& a, const Plane& b);

}  // namespace whisker
