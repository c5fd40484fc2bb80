#include "world/broad_phases.hpp"

#include "world/column_sweep.hpp"
#include "world/hashed_grid.hpp"
#include "world/static_dynamic_phase.hpp"
#include "world/sweep_and_prune.hpp"

namespace whisker::world {

std::unique_ptr<BroadPhase> make_broad_phase(BroadPhaseKind kind) {
  switch (kind) {
    case BroadPhaseKind::column_sweep:
      return std::make_unique<ColumnSweep>();
    case BroadPhaseKind::two_tier:
      return std::make_unique<StaticDynamicPhase>(false);
    case BroadPhaseKind::sweep_and_prune:
      return std::make_unique<SweepAndPrune>();
    case BroadPhaseKind::hashed_grid:
      return std::make_unique<HashedGrid>();
    case BroadPhaseKind::automatic:
      break;
  }
  return std::make_unique<StaticDynamicPhase>(true);
}

}  // namespace whisker::world
