// distance and closer_than for two placed shapes.

#include <algorithm>
#include <cmath>

#include <whisker/error.hpp>

#include "queries/check_query.hpp"
#include "queries/table.hpp"
#include "queries/witness.hpp"
#include "shapes/rounded_data.hpp"

namespace whisker {

namespace {

/// Much more than the possible error of a certified distance of this shape.
double far_beyond_rounding(const Placed& placed) {
  const Aabb box = placed.shape.bounds(placed.pose);
  double size = 0, coordinate = 0;
  for (int i = 0; i < 3; ++i) {
    if (!std::isfinite(box.lower[i]) || !std::isfinite(box.upper[i])) continue;
    size = std::max(size, box.upper[i] - box.lower[i]);
    coordinate = std::max({coordinate, std::abs(box.lower[i]), std::abs(box.upper[i])});
  }
  const auto* const custom = shapes::without_radius(placed.shape).as<CustomConvex>();
  return 0x1p-16 * size + 0x1p-40 * coordinate + (custom != nullptr ? 4 * custom->support_error() : 0);
}

}  // namespace

Distance distance(const Placed& a, const Placed& b, const DistanceOptions& options) {
  if (const char* const fault = queries::fault_of(options)) queries::refuse_fault("distance", fault);
  const queries::PairAlgorithms& pair = queries::algorithms(a.shape, b.shape);
  if (pair.distance == nullptr) queries::refuse("distance", a, b);
  if (!options.features) return pair.distance(a, b, options);
  Distance result = pair.distance(a, b, options);
  queries::name_features(a, b, result);
  return result;
}

bool closer_than(const Placed& a, const Placed& b, double max_distance, Cost* cost) {
  return closer_than(a, b, max_distance, TouchOptions{}, cost);
}

bool closer_than(const Placed& a, const Placed& b, double max_distance, const TouchOptions& options, Cost* cost) {
  if (!(max_distance >= 0)) throw Error("closer_than: `max_distance` must be a length, 0 or larger");
  const queries::PairAlgorithms& pair = queries::algorithms(a.shape, b.shape);
  if (pair.distance == nullptr) queries::refuse("closer_than", a, b);
  const auto ask = [&](PairCache* cache) {
    const Distance found =
        pair.distance(a, b, {.upper_bound = max_distance, .close_enough = max_distance, .cache = cache});
    if (cost != nullptr) {
      *cost += found.cost;
    }
    return found;
  };
  const Distance found = ask(options.cache);
  if (options.cache == nullptr) return found.lower <= max_distance;
  // The last digits of the bounds of convex shapes depend on where the search started. Where that could matter, the
  // search starts as it does without a cache, so that the answer is the same.
  if (found.upper <= max_distance) return true;
  if (found.lower - max_distance > far_beyond_rounding(a) + far_beyond_rounding(b)) return false;
  return ask(nullptr).lower <= max_distance;
}

}  // namespace whisker
