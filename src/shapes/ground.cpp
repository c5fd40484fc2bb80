#include <memory>

#include <whisker/error.hpp>
#include <whisker/make/ground.hpp>

#include "geometry/constants.hpp"
#include "shapes/rounded_data.hpp"

namespace whisker {

Aabb shapes::GroundData::bounds(const Pose& pose) const {
  Aabb box = Shape(surface).bounds(pose);
  // Straight below is endless in all directions against the third column.
  for (int i = 0; i < 3; ++i) {
    const double up = pose.rotation()(i, 2);
    if (up > 0) box.lower[i] = -infinity;
    if (up < 0) box.upper[i] = infinity;
  }
  return box;
}

double shapes::GroundData::volume() const {
  return infinity;
}

Vector3 shapes::GroundData::centroid() const {
  throw Error("centroid: the ground under a height field has no end, and so no centroid");
}

Shape ground(const HeightField& field) {
  return RegisteredShape(shapes::ground_kind, std::make_shared<shapes::GroundData>(field));
}

std::optional<HeightField> surface_of_ground(const Shape& shape) {
  const HeightField* const field = shapes::ground_surface(shape);
  if (field == nullptr) return {};
  return *field;
}

}  // namespace whisker
