// The penetration depth of a compound and another shape.

#include <algorithm>
#include <utility>
#include <vector>

#include <whisker/error.hpp>

#include "convex/exchange.hpp"
#include "convex/flatness.hpp"
#include "geometry/constants.hpp"
#include "geometry/raw_pose.hpp"
#include "queries/pair_algorithms.hpp"
#include "queries/part_walk.hpp"
#include "queries/table.hpp"
#include "queries/way_out.hpp"
#include "queries/witness.hpp"

namespace whisker::queries {
namespace {

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

Depth CompoundAny::depth_on(const Placed& a, const Placed& b, const DepthOptions& options, Features* on) {
  // The search moves the second shape. Two compounds have an order of their own, so that the result does not depend on
  // which was named first.
  if (b.shape.as<Compound>() != nullptr && convex::comes_first(b, a)) {
    DepthOptions flipped = options;
    flipped.hint = -options.hint;
    Depth result = depth_on(b, a, flipped, on);
    exchange(result);
    if (on != nullptr) std::swap(on->a, on->b);
    return result;
  }
  require_pairs("depth", a, b, [](const PairAlgorithms& pair) { return pair.depth != nullptr; });
  for (const Placed* placed : {&a, &b}) {
    if (has_surface_mesh(placed->shape)) {
      throw Error(
          "depth: a mesh of the compound is a surface, which has no inside to overlap; make it solid() first (it must "
          "be closed)");
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
  const auto gap = [&](const Vector3& by, const DistanceOptions& limits) {
    const Pose moved = geometry::raw_pose(b.pose.rotation(), b.pose.translation() + by);
    const Distance found = distance(a, {b.shape, moved}, limits);
    result.cost += found.cost;
    return found;
  };
  find_way_out(a, b, known.deepest, known.directions, lower, gap, result);
  center_depth(a, b, &distance, result, on);
  return result;
}

}  // namespace whisker::queries
