// The generalized winding number of a surface around a point.

#include <algorithm>
#include <string>

#include <whisker/geometry/interval.hpp>
#include <whisker/mesh_queries.hpp>

#include "mesh/generalized_winding.hpp"
#include "queries/check_query.hpp"

namespace whisker {
namespace {

/// The number of meshes. Throws an Error if there is any other shape.
std::size_t mesh_count(const Shape& shape) {
  if (shape.as<Mesh>() != nullptr) return 1;
  const Compound* const compound = shape.as<Compound>();
  if (compound == nullptr)
    throw Error("winding_number: not supported for a " + std::string(name(shape.kind())) +
                "; it takes meshes and compounds of them");
  std::size_t count = 0;
  for (const CompoundPart& part : compound->parts())
    count += mesh_count(part.shape);
  return count;
}

void check_options(const WindingOptions& options) {
  if (!(options.tolerance >= 0)) throw Error("winding_number: the tolerance must be a number, 0 or larger");
}

void add_winding(const Shape& shape, const Pose& pose, const Vector3& point, double tolerance, WindingNumber& sum) {
  if (const Compound* const compound = shape.as<Compound>()) {
    for (const CompoundPart& part : compound->parts())
      add_winding(part.shape, compose(pose, part.pose), point, tolerance, sum);
    return;
  }
  const mesh::WindingBounds found = mesh::generalized_winding({*shape.as<Mesh>(), pose}, point, tolerance);
  const Interval both = Interval(sum.lower, sum.upper) + Interval(found.lower, found.upper);
  sum.lower = both.lower;
  sum.upper = both.upper;
  sum.cost += found.cost;
}

/// A little of the tolerance is reserved for rounding, so that the sum of the meshes' bounds stays within it.
constexpr double tolerance_share = 1 - 0x1p-10;
/// No mesh that fits into memory has a larger rounding error. A larger width comes from triangles that contain the
/// point, or nearly do.
constexpr double largest_rounding = 1e-6;

WindingNumber winding(const Placed& placed, const Vector3& point, const WindingOptions& options, std::size_t meshes) {
  const double tolerance = std::min(options.tolerance, 1.0);  // a larger tolerance makes nothing easier
  WindingNumber result;
  add_winding(placed.shape, placed.pose, point, tolerance * tolerance_share / static_cast<double>(meshes), result);
  const double width = result.upper - result.lower;
  if (tolerance > 0) {
    result.stop = width <= options.tolerance ? Stop::tolerance : Stop::limit;
  } else {
    result.stop = width <= largest_rounding ? Stop::exact : Stop::limit;
  }
  return result;
}

}  // namespace

WindingNumber winding_number(const Placed& mesh, const Vector3& point, const WindingOptions& options) {
  check_options(options);
  queries::refuse_fault("winding_number", queries::fault_of(point));
  return winding(mesh, point, options, mesh_count(mesh.shape));
}

void winding_number(const Placed& mesh, std::span<const Vector3> points, std::span<WindingNumber> answers) {
  winding_number(mesh, points, {}, answers);
}

void winding_number(const Placed& mesh, std::span<const Vector3> points, const WindingOptions& options,
                    std::span<WindingNumber> answers) {
  queries::check_room("winding_number", "point", points.size(), answers.size());
  check_options(options);
  queries::throw_first_fault("winding_number", "point", points.size(),
                             [&](std::size_t i) { return queries::fault_of(points[i]); });
  const std::size_t meshes = mesh_count(mesh.shape);
  queries::ask_all("winding_number", options.threads, points.size(),
                   [&](std::size_t i) { answers[i] = winding(mesh, points[i], options, meshes); });
}

}  // namespace whisker
