#pragma once

#include <memory>

#include <whisker/world.hpp>

#include "world/box_pairs.hpp"

namespace whisker::world {

std::unique_ptr<BroadPhase> make_broad_phase(BroadPhaseKind kind);

}  // namespace whisker::world
