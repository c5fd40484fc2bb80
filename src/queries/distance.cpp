#include <cmath>

#include <whisker/error.hpp>

#include "queries/table.hpp"

namespace whisker {

Distance distance(const Placed& a, const Placed& b, const DistanceOptions& options) {
  if (!(options.tolerance >= 0)) throw Error("distance: the tolerance must be a length, 0 or larger");
  const queries::PairAlgorithms& pair = queries::checked_algorithms(a, b);
  if (pair.distance == nullptr) queries::refuse("distance", a, b);
  return pair.distance(a, b, options);
}

}  // namespace whisker
