#pragma once

// What mass_properties() (whisker/mass.hpp) computes of each shape.

#include <span>

#include <whisker/geometry/aabb.hpp>
#include <whisker/geometry/interval.hpp>
#include <whisker/mesh_data.hpp>

#include "geometry/double_double.hpp"

namespace whisker::shapes {

/// A solid of density 1. A volume of exactly 0 means that it has no mass; all else is then meaningless.
struct MassBody {
  Interval volume;
  /// The center of mass is at origin + offset. Far from the origin of the frame, the sum would have the spacing of
  /// doubles there, and the inertia of several such bodies could be no more accurate.
  Vector3 origin = Vector3::Zero();
  IntervalVector3 offset;
  IntervalMatrix3 covariance;

  bool is_nothing() const { return volume == Interval(0); }
};

/// What the data of a registered kind (whisker/detail/registered_shape.hpp) also derives from, if it has mass
/// properties.
struct WithMass {
  virtual ~WithMass() = default;
  virtual MassBody mass() const = 0;
};

/// The solid that a closed surface bounds. `bounds` must enclose the triangles. If the volume is not proven to be
/// positive, the other numbers may be unbounded. Bounds wider than `tight`, relative to the numbers, are computed again
/// in double-double; the default is what one may expect of sums of doubles.
MassBody polyhedron_body(std::span<const Vector3> vertices, std::span<const Index3> triangles, const Aabb& bounds,
                         double tight = 0x1p-40);

/// a · 2^exponent.
Interval times_power(Interval a, int exponent);
/// A number that is known up to an error.
Interval interval_of(const geometry::DoubleDouble& value, double error);

}  // namespace whisker::shapes
