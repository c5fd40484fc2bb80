#include "queries/way_out.hpp"

#include "convex/simple_shape.hpp"
#include "geometry/constants.hpp"
#include "mesh/separation_search.hpp"
#include "shapes/compound_storage.hpp"
#include "shapes/rounded_data.hpp"

namespace whisker::queries {
namespace {

/// The largest coordinate in the placed shape's data; for a half-space or plane, where it passes; for a ground, that of
/// its surface.
double size_of(const Placed& placed) {
  double size = placed.pose.translation().cwiseAbs().maxCoeff();
  if (const auto* compound = placed.shape.as<Compound>()) {
    size += storage_of(*compound).reach;
    for (const std::uint32_t index : storage_of(*compound).unbounded) {
      const CompoundPart& part = storage_of(*compound).parts[index];
      size += size_of({part.shape, part.pose});
    }
    return size;
  }
  if (const shapes::RoundedData* const data = shapes::rounded_data(placed.shape))
    return size_of({data->inner, placed.pose}) + data->radius;
  if (const HeightField* const field = shapes::ground_surface(placed.shape)) return size_of({*field, placed.pose});
  if (!shapes::traits_of(placed.shape).is_bounded)
    return size + convex::magnitude(convex::place_simple(placed.shape, Pose()));
  const Aabb box = placed.shape.bounds();
  return size + box.lower.cwiseAbs().cwiseMax(box.upper.cwiseAbs()).maxCoeff();
}

}  // namespace

void find_way_out(const Placed& a, const Placed& b, const Depth& first, std::span<const Vector3> directions,
                  double lower, const GapAfter& gap, Depth& result) {
  const double size = size_of(a) + size_of(b);
  const auto is_free = [&](const Vector3& by) {
    // The translation is rounded, and then the shape is placed. A gap larger than this is not due to rounding.
    const double margin = 0x1p-44 * (size + by.cwiseAbs().maxCoeff());
    return gap(by, {.upper_bound = margin, .close_enough = margin}).lower > margin;
  };
  mesh::Separation best;
  // The first way is tried with its length: for a single pair of parts, and for many parts against one plane, it is the
  // answer.
  const double least = 0x1p-40 * size;
  if (first.upper < infinity && first.has_points())
    mesh::improve(best, first.normal, first.upper * (1 + 0x1p-40) + least, lower, is_free);
  for (const Vector3& direction : directions)
    mesh::improve(best, direction, 4 * size, lower, is_free);
  for (int axis = 0; axis < 3; ++axis) {
    mesh::improve(best, Vector3::Unit(axis), 4 * size, lower, is_free);
    mesh::improve(best, -Vector3::Unit(axis), 4 * size, lower, is_free);
  }
  const auto gap_at = [&](const Vector3& by) { return gap(by, {}); };
  mesh::set_depth(best, lower, 0x1p-46 * (size + best.length), gap_at, result);
}

}  // namespace whisker::queries
