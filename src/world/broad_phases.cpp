#include "world/broad_phases.hpp"

#include <whisker/error.hpp>

#include "world/column_sweep.hpp"
#include "world/static_and_moving.hpp"

namespace whisker {

BroadPhaseFactory column_sweep() {
  return [] { return std::make_unique<world::ColumnSweep>(); };
}

BroadPhaseFactory static_and_moving() {
  return [] { return std::make_unique<world::StaticAndMoving>(false); };
}

namespace world {

std::unique_ptr<BroadPhase> make_broad_phase(const BroadPhaseFactory& factory) {
  if (factory == nullptr) return std::make_unique<StaticAndMoving>(true);
  std::unique_ptr<BroadPhase> made = factory();
  if (made == nullptr) throw Error("world: the broad phase is null; its factory must return one");
  return made;
}

void check_pairs(std::span<const PairKey> pairs, std::size_t count) {
  PairKey last = 0;
  for (const PairKey key : pairs) {
    if (first_of(key) >= second_of(key) || second_of(key) >= count)
      throw Error(
          "world: update: the broad phase returned a pair with a box that does not exist, or of a box with itself");
    if (key <= last) throw Error("world: update: the pairs of the broad phase are not ascending");
    last = key;
  }
}

}  // namespace world
}  // namespace whisker
