#pragma once

// Planes that enclose points, rounding included.

#include <cstdint>
#include <span>

#include <whisker/geometry/hull.hpp>
#include <whisker/vector.hpp>

#include "geometry/unit_vector.hpp"

namespace whisker::geometry {

/// The points that planes are to enclose, with their box. All coordinates are at most 2^100.
struct EnclosedPoints {
  explicit EnclosedPoints(std::span<const Vector3> points_);

  std::span<const Vector3> points;
  Vector3 largest;  ///< Largest absolute coordinates.
  double diameter;  ///< No two points are farther apart.
};

/// The plane through the exactly coplanar convex polygon `face` (indices into the points, counter-clockwise), all
/// points being on or below it: moved outward so that it encloses them as HullData::planes promises.
HullPlane enclosing_plane(const EnclosedPoints& enclosed, std::span<const std::uint32_t> face);

/// The plane with the given normal, any nonzero vector, that just encloses all points. Looks at each.
HullPlane supporting_plane(const EnclosedPoints& enclosed, const Vector3& normal);

/// The same for a normal that is already a unit vector and is taken as it is.
HullPlane supporting_plane_of_unit(const EnclosedPoints& enclosed, const Vector3& unit_normal);

}  // namespace whisker::geometry
