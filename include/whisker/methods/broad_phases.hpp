#pragma once

/// \file
/// Published broad phases for a World, beside its own:
///
///     World world({.broad_phase = methods::sweep_and_prune()});
///
/// They find the same pairs as the default; what each costs is measured in docs/benchmarks.md.

#include <cstdint>

#include <whisker/world/broad_phase.hpp>

namespace whisker::methods {

struct SweepAndPruneOptions {
  enum class Table : std::uint8_t { by_count, dense, sparse };
  /// How it is known along how many axes two boxes overlap: by a table of all pairs of boxes, which takes n² / 2 bytes
  /// (dense), or by comparing the boxes when ends pass each other (sparse). by_count: dense up to `max_dense` numbers
  /// of boxes, sparse above. The table of this many stays in a core's cache. Measured, both take the same time below,
  /// and the dense one three times as long for 10,000 boxes.
  Table table = Table::by_count;
  std::uint32_t max_dense = 1024;
  /// Moved boxes are always put in order by insertion, as in the sources, even where sorting anew costs less.
  bool always_insert = false;
};

/// Sweep and prune: three sorted axes, kept from update to update and put in order again by insertion (Baraff 1992;
/// Cohen, Lin, Manocha and Ponamgi 1995, I-COLLIDE). What an update costs is the number of boxes that changed, and of
/// ends that passed each other.
BroadPhaseFactory sweep_and_prune(const SweepAndPruneOptions& options = {});

/// A hashed grid of several levels: a box lives in the cells of the level that fits its size. What an update costs is
/// the number of boxes that changed, times the levels in use, plus the pairs.
BroadPhaseFactory hashed_grid();

}  // namespace whisker::methods
