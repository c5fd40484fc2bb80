#pragma once

// How far points are from a shape at least: cheap bounds in doubles, to leave out what is plainly apart.

#include <whisker/pose.hpp>
#include <whisker/shape.hpp>

#include "spheres/sphere_set_group.hpp"

namespace whisker::spheres {

/// What is worked out once for a placed shape.
class GapBounds {
 public:
  GapBounds(const Shape& shape, const Pose& pose);

  /// `gaps[i]` is no more than how far point i is from the shape, in the world; it may be anything below. No coordinate
  /// is larger than `coordinate`.
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
  Vector3 origin_ = Vector3::Zero();       // box: its center; segment: its middle; plane: a point to measure from
  Vector3 half_ = Vector3::Zero();         // box: half its lengths; segment: half its axis
  Vector3 normal_ = Vector3::Zero();       // plane: of length 1
  double offset_ = 0;                      // plane: along the normal, from the origin
  double radius_ = 0;                      // segment
  double stretch_ = 1;
  double size_ = 0;  // of the numbers above
};

/// Bit i: the sphere is not proven farther than `limit` from the shape.
Members members_within(const GapBounds& bounds, const PlacedGroup& group, double limit);

}  // namespace whisker::spheres
