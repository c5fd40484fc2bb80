#pragma once

// The face of a placed convex shape that looks along a direction.

#include <array>
#include <cstdint>

#include <whisker/pose.hpp>
#include <whisker/shape.hpp>

namespace whisker::convex {

/// A face within this angle of a direction, in radians, is looked at; which of its corners count is told by their
/// heights.
inline constexpr double face_alignment = 0x1p-24;

/// A point, a segment or a flat convex polygon on the border of a shape.
struct SupportFace {
  static constexpr std::uint32_t max_corners = 64;
  static constexpr std::uint32_t disc_corners = 8;

  /// 0: the shape is round there, and has no more than its farthest point. 1: a point, 2: a segment, else a polygon.
  std::uint32_t count = 0;
  /// Counter-clockwise seen from outside, relative to the origin that was asked for.
  std::array<Vector3, max_corners> corners;
  /// What the corners are called in their body; the edge from a corner to the next has the name of its first one.
  std::array<std::uint32_t, max_corners> names{};
  /// Of a polygon: outward, a unit vector.
  Vector3 normal = Vector3::Zero();

  /// A disc: its corners are on the circle center + radius (axis_u cos + axis_v sin).
  bool is_disc = false;
  double radius = 0;
  Vector3 center = Vector3::Zero();
  /// Of a disc, and of a box's face: two ways in its plane, at right angles, counter-clockwise from the first to the
  /// second, of unit length as far as the rotation is one. They tell the normal of a thin face better than its corners.
  Vector3 axis_u = Vector3::Zero();
  Vector3 axis_v = Vector3::Zero();

  bool is_polygon() const { return count >= 3; }
  void add(const Vector3& corner, std::uint32_t name) {
    if (count == max_corners) return;
    corners[count] = corner;
    names[count] = name;
    ++count;
  }
};

/// The direction of corner `k` of a disc, in its axes: an eighth of a turn each.
std::array<double, 2> disc_corner(std::uint32_t k);

/// The face of a bounded convex shape that is best aligned with `direction`, a unit vector in the world: of those that
/// hold its farthest point the one whose normal is nearest, but where only an edge is square to the direction (within
/// the angle `parallel`) one of the edge's. Corners are relative to the point `origin`. A polygon without area comes as
/// a segment or point. Whatever a rounded shape's radius is, it has been added along `direction`.
SupportFace support_face(const Shape& shape, const Pose& pose, const Vector3& direction, const Vector3& origin,
                         double parallel);

}  // namespace whisker::convex
