#include <cmath>

#include <whisker/error.hpp>

#include "queries/table.hpp"

namespace whisker {

Distance distance(const Placed& a, const Placed& b, const DistanceOptions& options) {
  if (!(options.tolerance >= 0)) throw Error("distance: the tolerance must be a length, 0 or larger");
  if (!(options.upper_bound >= 0)) throw Error("distance: the upper bound must be a length, 0 or larger");
  if (std::isnan(options.close_enough)) throw Error("distance: close_enough is NaN");
  const queries::PairAlgorithms& pair = queries::checked_algorithms(a, b);
  if (pair.distance == nullptr) queries::refuse("distance", a, b);
  return pair.distance(a, b, options);
}

bool closer_than(const Placed& a, const Placed& b, double limit, Cost* cost) {
  if (!(limit >= 0)) throw Error("closer_than: the limit must be a length, 0 or larger");
  const queries::PairAlgorithms& pair = queries::checked_algorithms(a, b);
  if (pair.distance == nullptr) queries::refuse("closer_than", a, b);
  const Distance found = pair.distance(a, b, {.upper_bound = limit, .close_enough = limit});
  if (cost != nullptr) {
    cost->volume_tests += found.cost.volume_tests;
    cost->primitive_tests += found.cost.primitive_tests;
    cost->volume_updates += found.cost.volume_updates;
  }
  return found.lower <= limit;
}

}  // namespace whisker
