// The penetration depth of a compound and another shape.

#include <algorithm>
#include <vector>

#include <whisker/error.hpp>

#include "geometry/constants.hpp"
#include "geometry/raw_pose.hpp"
#include "geometry/unit_vector.hpp"
#include "mesh/separation_search.hpp"
#include "queries/pair_algorithms.hpp"
#include "queries/part_walk.hpp"
#include "queries/table.hpp"
#include "queries/witness.hpp"
#include "shapes/internals.hpp"

namespace whisker::queries {
namespace {

/// The largest coordinate in the placed shape's data; for a half-space or plane, where it passes.
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
  if (!shapes::traits_of(placed.shape).is_bounded)
    return size + convex::magnitude(convex::place_simple(placed.shape, Pose()));
  const Aabb box = placed.shape.bounds();
  return size + box.lower.cwiseAbs().cwiseMax(box.upper.cwiseAbs()).maxCoeff();
}

/// What is known from the pairs of parts that overlap: the deepest pair, and the directions in which they separate.
struct Findings {
  Depth deepest;
  std::vector<Vector3> directions;
};

constexpr std::size_t max_directions = 32;

void measure_parts(const Placed& a, const Placed& b, const DepthOptions& options, Cost& cost, Findings& known) {
  walk_parts(a, b, cost, no_budget, OnlyTouching(), [&](const Part& part_a, const Part& part_b, double) {
    const Depth found =
        algorithms(part_a.placed.shape, part_b.placed.shape).depth(part_a.placed, part_b.placed, options);
    cost += found.cost;
    if (!(found.upper > 0)) return false;
    if (found.lower >= known.deepest.lower) known.deepest = found;
    const bool is_new = std::none_of(known.directions.begin(), known.directions.end(),
                                     [&](const Vector3& other) { return other.dot(found.normal) > 1 - 0x1p-20; });
    if (is_new && !found.normal.isZero(0) && known.directions.size() < max_directions)
      known.directions.push_back(found.normal);
    return false;
  });
}

}  // namespace

Depth CompoundAny::depth(const Placed& a, const Placed& b, const DepthOptions& options) {
  require_pairs("depth", a, b, [](const PairAlgorithms& pair) { return pair.depth != nullptr; });
  for (const Placed* placed : {&a, &b}) {
    if (has_surface_mesh(placed->shape)) {
      throw Error(
          "depth: a mesh of the compound is a surface, which has no inside to overlap; make it solid() first (it must "
          "be closed)");
    }
    if ((kinds_of(placed->shape) >> static_cast<unsigned>(ShapeKind::height_field) & 1) != 0) {
      throw Error("depth: not supported for a compound with a height field; query the height field by itself");
    }
  }
  Depth result;
  if (!touches(a, b, nullptr, result.cost)) return result;
  Findings known;
  measure_parts(a, b, options, result.cost, known);
  const double lower = known.deepest.lower;
  const Cost cost = result.cost;
  if (lower == infinity) {
    result = known.deepest;
    result.cost = cost;
    return result;
  }
  for (int axis = 0; axis < 3; ++axis) {
    known.directions.push_back(Vector3::Unit(axis));
    known.directions.push_back(-Vector3::Unit(axis));
  }

  const double size = size_of(a) + size_of(b);
  const auto measure = [&](const Vector3& by, const DistanceOptions& limits) {
    const Pose moved = geometry::raw_pose(b.pose.rotation(), b.pose.translation() + by);
    const Distance found = distance(a, {b.shape, moved}, limits);
    result.cost += found.cost;
    return found;
  };
  const auto is_free = [&](const Vector3& by) {
    // The translation is rounded, and then the shape is placed. A gap larger than this is not due to rounding.
    const double margin = 0x1p-44 * (size + by.cwiseAbs().maxCoeff());
    return measure(by, {.upper_bound = margin, .close_enough = margin}).lower > margin;
  };
  mesh::Separation best;
  // First the deepest pair's own direction, with its length: for a single pair of parts, and for many parts against one
  // plane, it is the answer.
  const double least = 0x1p-40 * size;
  if (known.deepest.upper < infinity && !known.deepest.normal.isZero(0)) {
    mesh::improve(best, known.deepest.normal, known.deepest.upper * (1 + 0x1p-40) + least, lower, is_free);
  }
  for (const Vector3& direction : known.directions)
    mesh::improve(best, direction, 4 * size, lower, is_free);
  const auto gap = [&](const Vector3& by) { return measure(by, {}); };
  mesh::set_depth(best, lower, 0x1p-46 * (size + best.length), gap, result);
  center_depth(a, b, &distance, result);
  return result;
}

}  // namespace whisker::queries
