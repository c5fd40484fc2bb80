#pragma once

// Planes that enclose points, rounding error included.

#include <cstdint>
#include <span>

#include <whisker/geometry/hull.hpp>
#include <whisker/vector.hpp>

#include "geometry/unit_vector.hpp"

namespace whisker::geometry {

/// The points that planes must enclose, and their size. No coordinate exceeds 2^100.
struct EnclosedPoints {
  explicit EnclosedPoints(std::span<const Vector3> points_);

  std::span<const Vector3> points;
  Vector3 largest;  ///< Largest absolute coordinates.
  double diameter;  ///< Upper bound on the distance of any two points.
};

/// The plane through the exactly coplanar convex polygon `face` (indices into the points, counter-clockwise). All
/// points must be on or below it. The plane is moved outward so that it encloses them as HullData::planes promises.
HullPlane enclosing_plane(const EnclosedPoints& enclosed, std::span<const std::uint32_t> face);

/// The plane with the given normal, any nonzero vector, that just encloses all points. Visits every point.
HullPlane supporting_plane(const EnclosedPoints& enclosed, const Vector3& normal);

/// The same for a normal that is already a unit vector. It is used unchanged.
HullPlane supporting_plane_of_unit(const EnclosedPoints& enclosed, const Vector3& unit_normal);

}  // namespace whisker::geometry
