#pragma once

/// \file
/// Shape: the handle over every shape that whisker knows.

#include <cstddef>
#include <string_view>
#include <utility>
#include <variant>

#include <whisker/compound.hpp>
#include <whisker/convex_hull.hpp>
#include <whisker/custom_convex.hpp>
#include <whisker/geometry/aabb.hpp>
#include <whisker/height_field.hpp>
#include <whisker/mesh.hpp>
#include <whisker/pose.hpp>
#include <whisker/primitives.hpp>

namespace whisker {

/// Which shape a Shape holds, in the order of its alternatives.
enum class ShapeKind : unsigned char {
  sphere,
  capsule,
  box,
  half_space,
  plane,
  segment,
  triangle,
  cylinder,
  cone,
  ellipsoid,
  convex_hull,
  custom_convex,
  mesh,
  height_field,
  compound,
};

inline constexpr std::size_t shape_kind_count = 15;

/// "sphere", "half-space", "height field"…: for messages.
std::string_view name(ShapeKind kind);

/// An immutable shape in its own frame. A value: simple shapes are held inline, meshes, hulls, height fields, compounds
/// and custom shapes share their storage between copies. Safe to use from any number of threads. After a move from one
/// of the latter, it is an Error to ask anything of what is left but its kind and what that says (held.hpp).
///
/// Made implicitly from every shape. Throws an Error that names the number if one is not finite, a length is negative
/// or larger than `max_coordinate`, or a normal is zero.
class Shape {
 public:
  Shape(const Sphere& shape);
  Shape(const Capsule& shape);
  Shape(const Box& shape);
  Shape(const HalfSpace& shape);
  Shape(const Plane& shape);
  Shape(const Segment& shape);
  Shape(const Triangle& shape);
  Shape(const Cylinder& shape);
  Shape(const Cone& shape);
  Shape(const Ellipsoid& shape);
  Shape(ConvexHull shape);
  Shape(CustomConvex shape);
  Shape(Mesh shape);
  Shape(HeightField shape);
  Shape(Compound shape);

  ShapeKind kind() const noexcept { return static_cast<ShapeKind>(data_.index()); }

  /// The shape as a T, or null if it is another: `if (const auto* box = shape.as<Box>())`.
  template <class T>
  const T* as() const noexcept {
    return std::get_if<T>(&data_);
  }

  /// Calls `visitor` with the shape as what it is: std::visit over the kinds.
  template <class Visitor>
  decltype(auto) visit(Visitor&& visitor) const {
    return std::visit(std::forward<Visitor>(visitor), data_);
  }

  /// Whether the shape reaches to infinity (half-space, plane).
  bool is_unbounded() const noexcept;
  /// Whether the shape has a support mapping (bounded and convex).
  bool has_support() const noexcept;

  /// A box around the shape in its own frame, rounding included. A half-space or plane has infinite bounds, but for the
  /// sides that it has itself where its normal is exactly along an axis.
  Aabb bounds() const;
  /// A box around the placed shape: it encloses every placed point, rounding included. For a half-space or plane the
  /// placed normal counts, place_direction(pose, normal).
  Aabb bounds(const Pose& pose) const;

  /// Volume; 0 for what has none (plane, segment, triangle, surface mesh, height field), infinite for a half-space.
  /// Throws an Error for a CustomConvex, whose volume is not known.
  double volume() const;
  /// Center of volume; of area or length for what has no volume. Throws an Error for unbounded and custom shapes.
  Vector3 centroid() const;
  /// A point of the shape farthest along `direction`, in the shape's frame; where several are, any of them. A zero
  /// direction gives a point of the shape. Throws an Error if !has_support().
  Vector3 support(const Vector3& direction) const;

 private:
  using Data = std::variant<Sphere, Capsule, Box, HalfSpace, Plane, Segment, Triangle, Cylinder, Cone, Ellipsoid,
                            ConvexHull, CustomConvex, Mesh, HeightField, Compound>;
  static_assert(std::variant_size_v<Data> == shape_kind_count);
  Data data_;
};

/// One shape of a compound and where it stands in the compound's frame.
struct CompoundPart {
  Shape shape;
  Pose pose = {};
};

}  // namespace whisker
