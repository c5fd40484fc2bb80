#pragma once

// Cheap lower bounds, in doubles, on the distances of points from a shape, to cull spheres that are clearly apart.

#include <whisker/pose.hpp>
#include <whisker/shape.hpp>

#include "spheres/sphere_set_group.hpp"

namespace whisker::spheres {

/// Data precomputed once for a placed shape.
class GapBounds {
 public:
  GapBounds(const Shape& shape, const Pose& pose);

  /// Sets `gaps[i]` to a lower bound on the distance of point i from the shape, in the world. The bound may be
  /// arbitrarily low. The absolute coordinates of the points must not exceed `coordinate`.
  void gaps(const double* x, const double* y, const double* z, std::size_t count, double coordinate,
            double* gaps) const;
  void gaps(const PlacedGroup& group, double* out) const {
    gaps(group.x, group.y, group.z, group.count, group.coordinate, out);
  }
  double gap(const Vector3& point) const;

 private:
  enum class Kind { rounded_segment, box, half_space, plane };

  Kind kind_ = Kind::box;
  Matrix3 inverse_ = Matrix3::Identity();  // box: from the world to its axes
  Vector3 origin_ = Vector3::Zero();       // box: its center; segment: its midpoint; plane: reference point
  Vector3 half_ = Vector3::Zero();         // box: half its lengths; segment: half its axis
  Vector3 normal_ = Vector3::Zero();       // plane: of length 1
  double offset_ = 0;                      // plane: along the normal, from the origin
  double radius_ = 0;                      // segment
  double stretch_ = 1;
  double size_ = 0;  // magnitude of the numbers above
};

/// Bit i is set unless sphere i is proven farther than `limit` from the shape.
Members members_within(const GapBounds& bounds, const PlacedGroup& group, double limit);

}  // namespace whisker::spheres
