#pragma once

// Creates the broad phase of a world and validates its results.

#include <cstddef>
#include <memory>
#include <span>

#include <whisker/world/broad_phase.hpp>

namespace whisker::world {

/// Returns the default broad phase if the factory is empty. Throws an Error if the factory returns null.
std::unique_ptr<BroadPhase> make_broad_phase(const BroadPhaseFactory& factory);

/// Throws an Error if the pairs of a broad phase are not ascending or contain numbers that are not below `count`.
void check_pairs(std::span<const PairKey> pairs, std::size_t count);

}  // namespace whisker::world
