#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include <whisker/world/broad_phase.hpp>

namespace whisker::world {

/// The default if the factory is empty. Throws an Error if it returns none.
std::unique_ptr<BroadPhase> make_broad_phase(const BroadPhaseFactory& factory);

/// Throws an Error if the pairs of a broad phase are not ascending, or are not of numbers below `count`.
void check_pairs(std::span<const PairKey> pairs, std::size_t count);

}  // namespace whisker::world
