#include <whisker/methods/broad_phases.hpp>

#include "methods/broad_phases/hashed_grid.hpp"
#include "methods/broad_phases/sweep_and_prune.hpp"

namespace whisker::methods {

BroadPhaseFactory sweep_and_prune(const SweepAndPruneOptions& options) {
  return [options] { return std::make_unique<SweepAndPrune>(options); };
}

BroadPhaseFactory hashed_grid() {
  return [] { return std::make_unique<HashedGrid>(); };
}

}  // namespace whisker::methods
