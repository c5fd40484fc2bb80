#pragma once

// Whether simple shapes touch, with one pair in each lane of SIMD vectors.
//
// Like quick_touch.hpp, a verdict is a proof: a pair that is closer to contact than rounding can tell stays unknown and
// is left to the single query. So the answers are those of single queries.

#include <cstddef>
#include <cstdint>
#include <span>

#include <whisker/shape.hpp>

#include "convex/convex_batch.hpp"
#include "convex/quick_touch.hpp"

namespace whisker::convex {

/// The test that answers a pair of kinds in lanes: two spheres; capsules or spheres; a sphere and a box; a capsule and
/// a box; two boxes; one of these and a half-space or plane.
enum class TouchLanes : unsigned char { none, points, lines, point_block, line_block, blocks, flat };
TouchLanes touch_lanes_of(ShapeKind a, ShapeKind b);

/// The most pairs that are tested at once.
inline constexpr std::size_t touch_lane_pairs = 16;

/// What is known of several pairs.
struct TouchVerdicts {
  std::uint32_t apart, touching;  // a bit for each pair

  QuickTouch operator[](std::size_t i) const {
    return (touching >> i & 1) != 0 ? QuickTouch::yes : (apart >> i & 1) != 0 ? QuickTouch::no : QuickTouch::unknown;
  }
};

/// The verdicts about one to `touch_lane_pairs` pairs of kinds that have this test.
TouchVerdicts find_touches_in_lanes(TouchLanes test, std::span<const BatchPair> pairs);

/// Pairs that wait for others of their kinds, to be tested together. `take(pair, verdict)` is called once for each
/// pair, in add() or in finish(), in any order.
class TouchQueue {
 public:
  /// Requires a test. `make` as for PairGroups.
  template <class Make, class Take>
  void add(TouchLanes test, const Make& make, const Take& take) {
    groups_.add(static_cast<std::size_t>(test) - 1, make, asking(take));
  }
  template <class Take>
  void finish(const Take& take) {
    groups_.finish(asking(take));
  }

 private:
  PairGroups<6, touch_lane_pairs> groups_;  // one for each test

  template <class Take>
  static auto asking(const Take& take) {
    return [&take](std::size_t kind, std::span<const BatchPair> pairs) {
      const TouchVerdicts verdicts = find_touches_in_lanes(static_cast<TouchLanes>(kind + 1), pairs);
      for (std::size_t i = 0; i < pairs.size(); ++i)
        take(pairs[i], verdicts[i]);
    };
  }
};

/// What the kernel takes and returns. Numbers of pair i are in column i.
struct TouchBlock {
  static constexpr std::size_t most = touch_lane_pairs;

  struct Side {
    alignas(64) double center[3][most];
    double axes[9][most];  // of the rotation, column by column; not of a single point
    double half[3][most];  // of a box; of a line only half[2], which is 0 for a sphere
    double radius[most];
  };
  Side a, b;  // the point or line before the block, the half-space or plane last
  // Of a half-space or plane: its center is the origin of its frame, and b.half is its normal.
  alignas(64) double offset[most];
  double plane[most];  // 1 for a plane, 0 for a half-space

  TouchVerdicts verdicts;
};
void run_touch_lanes(TouchLanes test, std::size_t count, TouchBlock& block);

}  // namespace whisker::convex
