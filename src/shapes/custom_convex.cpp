#include <cmath>
#include <utility>

#include <whisker/custom_convex.hpp>
#include <whisker/error.hpp>

namespace whisker {

struct CustomConvex::Storage {
  Support support;
  double support_error = 0;
  Aabb bounds;
};

CustomConvex::CustomConvex(Support support, double support_error) {
  if (!support) throw Error("custom shape: the support function is empty");
  if (!(support_error >= 0) || !std::isfinite(support_error)) {
    throw Error("custom shape: the support error must be a finite length, 0 or larger");
  }
  if (support_error > max_coordinate) {
    throw Error("custom shape: the support error is beyond 1e90; use another unit of length");
  }
  auto storage = std::make_shared<Storage>();
  storage->support = std::move(support);
  storage->support_error = support_error;
  for (int axis = 0; axis < 3; ++axis) {
    for (const double sign : {-1.0, 1.0}) {
      const Vector3 direction = sign * Vector3::Unit(axis);
      const Vector3 point = storage->support(direction);
      if (!point.allFinite()) throw Error("custom shape: the support function returned a point that is not finite");
      if (point.cwiseAbs().maxCoeff() > max_coordinate) {
        throw Error(
            "custom shape: the support function returned a point with a coordinate beyond 1e90; use another unit of "
            "length");
      }
      const double reach = std::nextafter(point[axis] + sign * support_error, sign * HUGE_VAL);
      (sign < 0 ? storage->bounds.lower : storage->bounds.upper)[axis] = reach;
    }
  }
  storage_ = std::move(storage);
}

Vector3 CustomConvex::support(const Vector3& direction) const {
  return storage_->support(direction);
}
double CustomConvex::support_error() const {
  return storage_->support_error;
}
Aabb CustomConvex::bounds() const {
  return storage_->bounds;
}

}  // namespace whisker
