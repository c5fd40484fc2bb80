#pragma once

// The data of rounded shapes (whisker/rounded.hpp), which are of two kinds: those of bounded convex shapes, and those
// of meshes and height fields. Both are built in, but stored as registered shapes.

#include <whisker/shape.hpp>

#include "shapes/kind_traits.hpp"

namespace whisker::shapes {

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
