#pragma once

// The data of rounded shapes (whisker/make/rounded.hpp), which are of four kinds: those of bounded convex shapes, of
// meshes and height fields, of planes and of grounds; and of grounds (whisker/make/ground.hpp). All are built in, after
// the kinds of ShapeKind, but stored as registered shapes.

#include <array>
#include <cstddef>

#include <whisker/height_field.hpp>
#include <whisker/shape.hpp>

#include "shapes/kind_traits.hpp"

namespace whisker::shapes {

inline constexpr auto rounded_convex = static_cast<ShapeKind>(shape_kind_count);
inline constexpr auto rounded_surface = static_cast<ShapeKind>(shape_kind_count + 1);
inline constexpr auto rounded_plane = static_cast<ShapeKind>(shape_kind_count + 2);
inline constexpr auto rounded_ground = static_cast<ShapeKind>(shape_kind_count + 3);
inline constexpr auto ground_kind = static_cast<ShapeKind>(shape_kind_count + 4);
/// The number of kinds that need not be registered.
inline constexpr std::size_t known_kinds = shape_kind_count + 5;

constexpr bool is_rounded(ShapeKind kind) {
  return kind == rounded_convex || kind == rounded_surface || kind == rounded_plane || kind == rounded_ground;
}

/// The traits of these kinds.
inline constexpr std::array<KindTraits, max_kinds> known_traits = [] {
  std::array<KindTraits, max_kinds> traits = built_in_traits;
  traits[static_cast<std::size_t>(rounded_convex)] = {
      .name = "rounded convex shape", .is_convex = true, .has_inside = true, .has_cache = true};
  traits[static_cast<std::size_t>(rounded_surface)] = {
      .name = "rounded surface", .has_inside = true, .has_cache = true};
  traits[static_cast<std::size_t>(rounded_plane)] = {
      .name = "rounded plane", .is_convex = true, .is_bounded = false, .has_inside = true};
  traits[static_cast<std::size_t>(rounded_ground)] = {
      .name = "rounded ground", .is_bounded = false, .has_inside = true, .has_cache = true};
  traits[static_cast<std::size_t>(ground_kind)] = {
      .name = "ground", .is_bounded = false, .has_inside = true, .has_cache = true};
  return traits;
}();

struct RoundedData : RegisteredShape::Data {
  RoundedData(const Shape& shape, double around) : inner(shape), radius(around) {}

  Aabb bounds(const Pose& pose) const override;
  double volume() const override;
  Vector3 centroid() const override;

  Shape inner;  ///< neither rounded nor a compound
  double radius;
};

/// The data of a rounded shape; null for all others.
inline const RoundedData* rounded_data(const RegisteredShape& shape) {
  return is_rounded(shape.kind()) ? static_cast<const RoundedData*>(&shape.data()) : nullptr;
}
inline const RoundedData* rounded_data(const Shape& shape) {
  const auto* const registered = shape.as<RegisteredShape>();
  return registered != nullptr ? rounded_data(*registered) : nullptr;
}

struct GroundData : RegisteredShape::Data {
  explicit GroundData(const HeightField& field) : surface(field) {}

  Aabb bounds(const Pose& pose) const override;
  double volume() const override;
  Vector3 centroid() const override;

  HeightField surface;
};

/// The surface of a ground; null for all other shapes.
inline const HeightField* ground_surface(const Shape& shape) {
  if (shape.kind() != ground_kind) return nullptr;
  return &static_cast<const GroundData&>(shape.as<RegisteredShape>()->data()).surface;
}
/// A height field, or the surface of a ground; null for all other shapes.
inline const HeightField* field_of(const Shape& shape) {
  const auto* const field = shape.as<HeightField>();
  return field != nullptr ? field : ground_surface(shape);
}

/// The shape without its radius: itself, if it has none.
inline const Shape& without_radius(const Shape& shape) {
  const RoundedData* const data = rounded_data(shape);
  return data != nullptr ? data->inner : shape;
}

}  // namespace whisker::shapes
