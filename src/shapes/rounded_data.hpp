#pragma once

// The data of rounded shapes (whisker/make/rounded.hpp), which are of two kinds: those of bounded convex shapes, and
// those of meshes and height fields. Both are built in, after the kinds of ShapeKind, but stored as registered shapes.

#include <array>
#include <cstddef>

#include <whisker/shape.hpp>

#include "shapes/kind_traits.hpp"

namespace whisker::shapes {

inline constexpr auto rounded_convex = static_cast<ShapeKind>(shape_kind_count);
inline constexpr auto rounded_surface = static_cast<ShapeKind>(shape_kind_count + 1);
/// The number of kinds that need not be registered.
inline constexpr std::size_t known_kinds = shape_kind_count + 2;

/// The traits of these kinds.
inline constexpr std::array<KindTraits, max_kinds> known_traits = [] {
  std::array<KindTraits, max_kinds> traits = built_in_traits;
  traits[static_cast<std::size_t>(rounded_convex)] = {
      .name = "rounded convex shape", .is_convex = true, .has_inside = true, .has_cache = true};
  traits[static_cast<std::size_t>(rounded_surface)] = {
      .name = "rounded surface", .has_inside = true, .has_cache = true};
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
  const bool is_rounded = shape.kind() == rounded_convex || shape.kind() == rounded_surface;
  return is_rounded ? static_cast<const RoundedData*>(&shape.data()) : nullptr;
}
inline const RoundedData* rounded_data(const Shape& shape) {
  const auto* const registered = shape.as<RegisteredShape>();
  return registered != nullptr ? rounded_data(*registered) : nullptr;
}

/// The shape without its radius: itself, if it has none.
inline const Shape& without_radius(const Shape& shape) {
  const RoundedData* const data = rounded_data(shape);
  return data != nullptr ? data->inner : shape;
}

}  // namespace whisker::shapes
