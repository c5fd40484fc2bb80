#pragma once

/// \file
/// Shape: one type that holds any shape, for queries and worlds.
///
///     const Shape ball = Sphere{.radius = 0.5};
///     const Shape part = Mesh(read_mesh("part.stl")).solid();       // throws an Error if the mesh is not closed
///     const Aabb box = part.bounds(pose);                           // in the world frame
///     if (const auto* sphere = ball.as<Sphere>()) use(sphere->radius);

#include <cstddef>
#include <string_view>
#include <utility>
#include <variant>

#include <whisker/compound.hpp>
#include <whisker/convex_hull.hpp>
#include <whisker/custom_convex.hpp>
#include <whisker/detail/registered_shape.hpp>
#include <whisker/geometry/aabb.hpp>
#include <whisker/height_field.hpp>
#include <whisker/mesh.hpp>
#include <whisker/pose.hpp>
#include <whisker/primitives.hpp>
#include <whisker/spheres/sphere_body.hpp>
#include <whisker/spheres/sphere_set.hpp>

namespace whisker {

/// The kind of shape that a Shape holds, in the order of its alternatives. Larger values are kinds that are not built
/// in (detail/registered_shape.hpp).
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
  sphere_set,
  sphere_body,
};

/// The number of enumerators of ShapeKind: the built-in kinds.
inline constexpr std::size_t shape_kind_count = 17;

/// The name of a kind for messages: "sphere", "half-space", "height field"…
std::string_view name(ShapeKind kind);

/// An immutable shape in its own frame, with value semantics. Primitives are stored inline. Copies of meshes, hulls,
/// height fields, compounds and custom shapes share their storage. Safe to use from any number of threads. After a move
/// from one of the latter, only its kind, and what follows from the kind, may be queried; anything else throws an Error
/// (detail/held.hpp).
///
/// Converts implicitly from every shape. The conversion throws an Error that names the number if one is not finite, a
/// length is negative or larger than `max_coordinate`, or a normal is zero. All lengths are in the user's unit.
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
  Shape(ConvexHull shape) : data_(std::move(shape)) {}
  Shape(CustomConvex shape) : data_(std::move(shape)) {}
  Shape(Mesh shape) : data_(std::move(shape)) {}
  Shape(HeightField shape) : data_(std::move(shape)) {}
  Shape(Compound shape) : data_(std::move(shape)) {}
  Shape(SphereSet shape) : data_(std::move(shape)) {}
  Shape(SphereBody shape) : data_(std::move(shape)) {}
  Shape(RegisteredShape shape) : data_(std::move(shape)) {}

  ShapeKind kind() const noexcept {
    const auto* const registered = std::get_if<RegisteredShape>(&data_);
    return registered != nullptr ? registered->kind() : static_cast<ShapeKind>(data_.index());
  }

  /// The shape as a T, or null if it is of another kind: `if (const auto* box = shape.as<Box>())`. The pointer is valid
  /// as long as this Shape.
  template <class T>
  const T* as() const noexcept {
    return std::get_if<T>(&data_);
  }

  /// Calls `visitor` with the shape as its actual type, like std::visit, and returns its result.
  template <class Visitor>
  decltype(auto) visit(Visitor&& visitor) const {
    return std::visit(std::forward<Visitor>(visitor), data_);
  }

  /// Whether the shape extends to infinity: a half-space, a plane, or a compound that contains one.
  bool is_unbounded() const noexcept;
  /// Whether the shape has a support function. All bounded convex kinds have one; meshes, height fields and compounds
  /// do not.
  bool has_support() const noexcept;

  /// An AABB of the shape in its own frame, rounded outward. The bounds of a half-space or plane are infinite, except
  /// along its normal if that is exactly parallel to an axis.
  Aabb bounds() const;
  /// An AABB of the placed shape in the world frame. It encloses every placed point, rounded outward. For a half-space
  /// or plane the relevant normal is the placed one, place_direction(pose, normal).
  Aabb bounds(const Pose& pose) const;

  /// The volume: 0 for shapes without one (plane, segment, triangle, surface mesh, height field), infinite for a
  /// half-space. Throws an Error for a CustomConvex, whose volume is not known.
  double volume() const;
  /// The center of volume, in the shape's frame. For shapes without volume it is the center of area or of length.
  /// Throws an Error for unbounded and custom shapes.
  Vector3 centroid() const;
  /// The support function: a point of the shape farthest along `direction`. Point and direction are in the shape's
  /// frame. If several points are farthest, any of them is returned. A zero direction gives some point of the shape.
  /// Throws an Error if !has_support().
  Vector3 support(const Vector3& direction) const;

 private:
  using Data =
      std::variant<Sphere, Capsule, Box, HalfSpace, Plane, Segment, Triangle, Cylinder, Cone, Ellipsoid, ConvexHull,
                   CustomConvex, Mesh, HeightField, Compound, SphereSet, SphereBody, RegisteredShape>;
  static_assert(std::variant_size_v<Data> == shape_kind_count + 1);
  Data data_;
};

/// A part of a compound: a shape and its pose in the compound's frame.
struct CompoundPart {
  Shape shape;
  Pose pose = {};
};

}  // namespace whisker
