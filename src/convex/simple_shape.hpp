#pragma once

// The seven simple shapes, placed in the world and reduced to one form: a core without thickness, and a radius around
// it. A sphere is a point with a radius, a capsule a segment with a radius. Distance and depth of two shapes follow
// from those of their cores. The other bounded convex shapes are supported as cores too (simple_convex.hpp).

#include <cstdint>

#include <whisker/pose.hpp>
#include <whisker/primitives.hpp>
#include <whisker/shape.hpp>

#include "geometry/plane_side.hpp"
#include "shapes/kind_traits.hpp"

namespace whisker::convex {

struct ConvexCore;

struct SimpleShape {
  enum class Core : unsigned char { point, segment, triangle, box, convex, half_space, plane };

  Core core = Core::point;
  /// The index of a mesh's triangle. Results do not depend on it.
  std::uint32_t number = 0;
  double radius = 0;
  /// Point (a alone), segment (a and b) or triangle: the placed corners, world frame.
  Triangle corners{};
  /// The rounding errors of the corners. The core has the corners corners + tails. So a capsule's ends are not rounded.
  /// Segments and triangles have no tails, because they are defined by their rounded corners.
  Triangle tails{};
  /// A capsule's length, negative for all others. Its segment is also pose.translation() ± half of this along the last
  /// column of pose.rotation().
  double capsule_length = -1;
  /// Box: all pose.translation() + pose.rotation() x with |x_i| <= box.size_i / 2.
  Box box{};
  /// Convex: all pose.translation() + pose.rotation() x with x in the shape that this refers to. The radius is 0.
  const ConvexCore* convex = nullptr;
  Pose pose{};
  /// Half-space or plane: all y with normal · (y - pose.translation()) <= offset, or == offset.
  Vector3 normal = Vector3::Zero();
  double offset = 0;

  bool is_bounded() const { return core != Core::half_space && core != Core::plane; }
  Segment segment() const { return {corners.a, corners.b}; }
  bool has_tails() const { return !(tails.a.isZero(0) && tails.b.isZero(0)); }
  /// Point, segment and triangle: the number of `corners` in use. 0 for the others.
  int corner_count() const {
    return core == Core::point ? 1 : core == Core::segment ? 2 : core == Core::triangle ? 3 : 0;
  }
  /// Calls visit(corner) for the `corners` in use.
  template <class Visit>
  void each_corner(Visit&& visit) const {
    const Vector3* const all[] = {&corners.a, &corners.b, &corners.c};
    for (int k = 0; k < corner_count(); ++k)
      visit(*all[k]);
  }
};

/// Whether `place_simple` accepts this kind.
inline bool is_simple(ShapeKind kind) {
  return shapes::traits_of(kind).is_simple;
}

/// The placed shape. Its kind must be simple.
SimpleShape place_simple(const Shape& shape, const Pose& pose);

SimpleShape simple_point(const Vector3& point, double radius = 0);
SimpleShape simple_triangle(const Triangle& triangle);

/// The boundary of a half-space or plane.
inline geometry::ExactPlane plane_of(const SimpleShape& shape) {
  return {shape.normal, shape.pose.translation(), shape.offset};
}

/// An order of placed shapes, by core and then by their numbers. A pair is always processed in this order, so that its
/// results do not depend on which shape was named first.
bool comes_first(const SimpleShape& a, const SimpleShape& b);

/// The largest distance of two points of the bounded core, or slightly more.
double diameter(const SimpleShape& shape);

/// The largest coordinate or length that occurs in the placed shape.
double magnitude(const SimpleShape& shape);

/// The shape with all lengths multiplied by `factor`, a power of two. Exact except for underflow. Not for a convex
/// core.
SimpleShape scaled(const SimpleShape& shape, double factor);

/// The power of two that scales the largest coordinate of the two shapes to [1, 2). 1 if all are 0.
double unit_scale(const SimpleShape& a, const SimpleShape& b);

}  // namespace whisker::convex
