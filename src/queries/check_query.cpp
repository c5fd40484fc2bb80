#include "queries/check_query.hpp"

#include <string>

#include "queries/leaves.hpp"
#include "shapes/kind_traits.hpp"

namespace whisker::queries {

const char* fault_of(const Ray& ray, const RayRange& range) {
  if (!ray.origin.allFinite() || !ray.direction.allFinite()) {
    return "the ray's origin or direction is NaN or infinite";
  }
  if (ray.origin.cwiseAbs().maxCoeff() > max_coordinate || ray.direction.cwiseAbs().maxCoeff() > max_coordinate) {
    return "the ray's origin or direction has a coordinate beyond 1e90; use another unit of length";
  }
  if (std::isnan(range.lower) || std::isnan(range.upper)) return "an end of the range is NaN";
  return nullptr;
}

const char* fault_of(const Vector3& point) {
  if (!point.allFinite()) return "the point is NaN or infinite";
  if (point.cwiseAbs().maxCoeff() > max_coordinate) {
    return "the point has a coordinate beyond 1e90; use another unit of length";
  }
  return nullptr;
}

void refuse_fault(const char* question, const char* fault) {
  if (fault != nullptr) throw Error(std::string(question) + ": " + fault);
}

void refuse_one(const char* question, const char* of_what, std::size_t number, const char* fault) {
  throw Error(std::string(question) + ": " + of_what + " " + std::to_string(number) + ": " + fault);
}

void refuse_kind(const char* question, const Shape& shape, const char* takes) {
  throw Error(std::string(question) + ": not supported for a " + std::string(name(shape.kind())) + "; it takes " +
              takes);
}

void check_is_surface(const char* question, const Shape& shape) {
  if (all_leaf_kinds(shape, [](ShapeKind kind) { return shapes::traits_of(kind).is_surface; })) return;
  each_leaf(shape, [&](const Shape& leaf) {
    if (shapes::traits_of(leaf).is_surface) return;
    throw Error(std::string(question) + ": a " + std::string(name(leaf.kind())) +
                " is not made of triangles; it takes meshes, height fields, triangles and compounds of them");
  });
}

void check_room(const char* question, const char* of_what, std::size_t asked, std::size_t room) {
  if (asked == room) return;
  throw Error(std::string(question) + ": " + std::to_string(asked) + " " + of_what +
              "s, but the span for the answers has size " + std::to_string(room) + "; give a span of the same size");
}

}  // namespace whisker::queries
