// The generalized winding number of a surface around a point.

#include <algorithm>

#include <whisker/geometry/interval.hpp>
#include <whisker/mesh_queries.hpp>

#include "mesh/generalized_winding.hpp"
#include "queries/check_query.hpp"
#include "queries/leaves.hpp"

namespace whisker {
namespace {

/// The number of meshes. Throws an Error if there is any other shape.
std::size_t mesh_count(const Shape& shape) {
  std::size_t count = 0;
  queries::each_leaf(shape, [&](const Shape& leaf) {
    if (leaf.as<Mesh>() == nullptr) queries::refuse_kind("winding_number", leaf, "meshes and compounds of them");
    ++count;
  });
  return count;
}

void check_options(const WindingOptions& options) {
  if (!(options.tolerance >= 0)) throw Error("winding_number: the tolerance must be a number, 0 or larger");
}

/// A little of the tolerance is reserved for rounding, so that the sum of the meshes' bounds stays within it.
constexpr double tolerance_share = 1 - 0x1p-10;
/// No mesh that fits into memory has a larger rounding error. A larger width comes from triangles that contain the
/// point, or nearly do.
constexpr double largest_rounding = 1e-6;

WindingNumber winding(const Placed& placed, const Vector3& point, const WindingOptions& options, std::size_t meshes) {
  const double tolerance = std::min(options.tolerance, 1.0);  // a larger tolerance makes nothing easier
  WindingNumber result;
  const double share = tolerance * tolerance_share / static_cast<double>(meshes);
  queries::any_leaf(placed.shape, placed.pose, [&](const Shape& leaf, const Pose& pose) {
    const mesh::WindingBounds found = mesh::generalized_winding({*leaf.as<Mesh>(), pose}, point, share);
    const Interval both = Interval(result.lower, result.upper) + Interval(found.lower, found.upper);
    result.lower = both.lower;
    result.upper = both.upper;
    result.cost += found.cost;
    return false;
  });
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

void winding_number(const Placed& mesh, std::span<const Vector3> points, const WindingOptions& options,
                    std::span<WindingNumber> answers) {
  check_options(options);
  const std::size_t meshes = mesh_count(mesh.shape);
  queries::answer_points("winding_number", points, options.threads, answers,
                         [&](const Vector3& point) { return winding(mesh, point, options, meshes); });
}

}  // namespace whisker
