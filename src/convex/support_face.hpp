#pragma once

// The face of a placed convex shape that faces a direction.

#include <algorithm>
#include <array>
#include <cstdint>

#include <whisker/queries.hpp>

namespace whisker::convex {

/// A face within this angle of a direction, in radians, is considered. The heights of its corners then decide which of
/// them count.
inline constexpr double face_alignment = 0x1p-24;

/// A point, a segment or a flat convex polygon on the boundary of a shape.
struct SupportFace {
  static constexpr std::uint32_t max_corners = 64;
  static constexpr std::uint32_t disc_corners = 8;

  /// 0: the shape is round there, and only has a farthest point. 1: a point. 2: a segment. More: a polygon.
  std::uint32_t count = 0;
  /// Counter-clockwise as seen from outside, relative to the given origin.
  std::array<Vector3, max_corners> corners;
  /// The names of the corners in their body. The edge from a corner to the next has the name of its first corner.
  std::array<std::uint32_t, max_corners> names;
  /// For a polygon: the outward unit normal.
  Vector3 normal = Vector3::Zero();

  /// A disc: its corners are on the circle center + radius (axis_u cos + axis_v sin).
  bool is_disc = false;
  double radius = 0;
  Vector3 center = Vector3::Zero();
  /// For a disc and for a box's face: two directions in its plane, at right angles, counter-clockwise from the first to
  /// the second, of unit length as far as the rotation is orthonormal. For a thin face they give a more accurate normal
  /// than its corners.
  Vector3 axis_u = Vector3::Zero();
  Vector3 axis_v = Vector3::Zero();

  SupportFace() = default;
  /// Copies only the corners that there are: there is room for many, and most faces have few.
  SupportFace(const SupportFace& other) { *this = other; }
  SupportFace& operator=(const SupportFace& other) {
    count = other.count;
    std::copy_n(other.corners.begin(), count, corners.begin());
    std::copy_n(other.names.begin(), count, names.begin());
    normal = other.normal;
    is_disc = other.is_disc;
    radius = other.radius;
    center = other.center;
    axis_u = other.axis_u;
    axis_v = other.axis_v;
    return *this;
  }

  bool is_polygon() const { return count >= 3; }
  /// The index of the corner after corner i.
  std::uint32_t after(std::uint32_t i) const { return i + 1 < count ? i + 1 : 0; }
  /// From corner i to the next.
  Vector3 edge(std::uint32_t i) const { return corners[after(i)] - corners[i]; }
  /// The longest vector from the first corner to another.
  Vector3 longest_chord() const;
  void add(const Vector3& corner, std::uint32_t name) {
    if (count == max_corners) return;
    corners[count] = corner;
    names[count] = name;
    ++count;
  }
  /// For a disc: the point of the rim in a direction, which is given in its axes and of unit length.
  Vector3 on_rim(double x, double y) const { return center + radius * (x * axis_u + y * axis_v); }
  /// Sets the corners of a disc.
  void set_rim();
  void scale_by(double factor);
};

/// The direction of corner `k` of a disc, in its axes. Corners are an eighth of a turn apart.
std::array<double, 2> disc_corner(std::uint32_t k);

/// The face of a bounded convex shape that is best aligned with `direction`, a unit vector in the world. Among the
/// faces that contain the farthest point, it is the one whose normal is nearest. But if only an edge is perpendicular
/// to the direction (within the angle `parallel`), it is one of that edge's faces. Corners are relative to the point
/// `origin`. A polygon without area is returned as a segment or point. The radius of a rounded shape has been added
/// along `direction`.
SupportFace support_face(const Placed& placed, const Vector3& direction, const Vector3& origin, double parallel);

/// Of an angle.
struct CosineAndSine {
  double cosine, sine;
};

/// The number of the face of a solid hull that support_face() is about, with the coplanar ones next to it. `vertex` is
/// the farthest one along `direction`, a unit vector in the hull's frame. If the hull has no more vertices than
/// `max_whole_hull`, support_face() returns the same for all directions with this face.
std::uint32_t aligned_face(const ConvexHull& hull, std::uint32_t vertex, const Vector3& direction,
                           const CosineAndSine& parallel);
inline constexpr std::size_t max_whole_hull = 32;

/// What support_face() returns for a solid hull, given that face and that vertex.
void hull_face(const ConvexHull& hull, std::uint32_t face, std::uint32_t vertex, const Pose& pose,
               const Vector3& direction, const Vector3& origin, SupportFace& found);

}  // namespace whisker::convex
