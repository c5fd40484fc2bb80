// depth: the penetration depth of two placed shapes.

#include <cmath>

#include <whisker/error.hpp>

#include "queries/table.hpp"

namespace whisker {
namespace {

void check(const DepthOptions& options) {
  if (!(options.tolerance >= 0)) throw Error("depth: the tolerance must be a length, 0 or larger");
  if (!(options.hint_slack >= 0) || std::isinf(options.hint_slack))
    throw Error("depth: hint_slack must be a finite share of the depth, 0 or larger");
  if (!options.hint.allFinite())
    throw Error("depth: the hint has a coordinate that is NaN or infinite; give a direction, or zero for none");
}

}  // namespace

Depth depth(const Placed& a, const Placed& b, const DepthOptions& options) {
  check(options);
  const queries::PairAlgorithms& pair = queries::algorithms(a.shape, b.shape);
  if (pair.depth == nullptr) queries::refuse("depth", a, b);
  return pair.depth(a, b, options);
}

}  // namespace whisker
