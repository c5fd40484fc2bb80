#include "queries/table.hpp"

namespace whisker {

Depth depth(const Placed& a, const Placed& b, const DepthOptions& options) {
  const queries::PairAlgorithms& pair = queries::checked_algorithms(a, b);
  if (pair.depth == nullptr) queries::refuse("depth", a, b);
  return pair.depth(a, b, options);
}

}  // namespace whisker
