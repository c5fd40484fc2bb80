#pragma once

/// \file
/// Published broad phases for a World, as alternatives to its own.
///
///     World world({.broad_phase = methods::sweep_and_prune()});
///     World other({.broad_phase = methods::hashed_grid()});
///     World classic({.broad_phase = methods::sweep_and_prune({.always_insert = true})});
///
/// They find the same pairs as the default (world/broad_phase.hpp). docs/benchmarks.md has measurements of their cost.

#include <cstdint>

#include <whisker/world/broad_phase.hpp>

namespace whisker::methods {

/// Options of sweep_and_prune(). They change the cost, never the pairs.
struct SweepAndPruneOptions {
  enum class Table : std::uint8_t { by_count, dense, sparse };
  /// How the method knows along how many axes two boxes overlap.
  ///  - dense: a table of all pairs of boxes, which takes n² / 2 bytes for n boxes.
  ///  - sparse: the two boxes are compared whenever their ends pass each other.
  ///  - by_count: dense up to `max_dense` boxes, sparse above.
  ///
  /// A table for 1024 boxes stays in the cache of a core. In measurements both kinds take the same time up to that
  /// count, and the dense table takes three times as long for 10,000 boxes.
  Table table = Table::by_count;
  std::uint32_t max_dense = 1024;  ///< The largest number of boxes for a dense table with `by_count`.
  /// Always restore the order of moved boxes by insertion, as in the publications, even where sorting anew costs less.
  bool always_insert = false;
};

/// Sweep and prune: three sorted axes, kept from update to update and re-sorted by insertion (Baraff 1992; Cohen, Lin,
/// Manocha and Ponamgi 1995, I-COLLIDE). The cost of an update is proportional to the number of boxes that changed plus
/// the number of box ends that passed each other.
BroadPhaseFactory sweep_and_prune(const SweepAndPruneOptions& options = {});

/// A hierarchical hashed grid: each box is stored in the cells of the level that fits its size. The cost of an update
/// is proportional to the number of boxes that changed times the number of levels in use, plus the number of pairs.
BroadPhaseFactory hashed_grid();

}  // namespace whisker::methods
