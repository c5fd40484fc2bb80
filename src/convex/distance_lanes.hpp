#pragma once

// Distances and depths of spheres, capsules and segments, with one pair in each lane of SIMD vectors.
//
// Every lane does what find_quick_distance does for a single pair, operation by operation, so the answers are the same
// doubles. A lane that leaves the common path (closest points that have to be moved, or that are not the only ones, or
// too close to contact) stays unanswered and is left to the single query. Instruction sets without fused
// multiplication and addition answer none.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <whisker/queries.hpp>

#include "convex/convex_batch.hpp"

namespace whisker::convex {

/// The kernel that answers a pair of kinds: two spheres, a sphere and a capsule, two capsules, a sphere and a segment,
/// or a segment and a capsule or segment.
enum class DistanceLanes : unsigned char { none, points, point_axis, axes, point_line, lines };
DistanceLanes distance_lanes_of(ShapeKind a, ShapeKind b);

/// What the kernel takes and returns. Numbers of pair i are in column i. A core is origin + at (way + tail) with `at`
/// between begin and end; that of a sphere is its origin.
struct DistanceBlock {
  static constexpr std::size_t most = 16;

  struct Side {
    alignas(64) double origin[3][most];
    double way[3][most], begin[most], end[most], radius[most];
    double size[most];                       // as in Spot (quick_pair-inl.hpp); not of spheres
    double tail[3][most], is_segment[most];  // only where segments may be; the tail of a capsule is 0
  };
  Side a, b;

  alignas(64) double lower[most];  // of the distance or, if deep, of the depth
  double upper[most], normal[3][most], point_a[3][most], point_b[3][most];
  std::uint32_t apart, overlapping, deep;  // a bit for each pair, 0 in all three if it is not answered
};
/// `finds_depth` as for run_quick.
void run_distance_lanes(DistanceLanes lanes, bool finds_depth, std::size_t count, DistanceBlock& block);

/// Pairs that wait for others, to be answered together. `take(pair, is_answered)` is called once for each pair, in
/// add() or in finish(), in any order.
class DistanceQueue {
 public:
  /// Answers go to `answers`. `is_signed`: signed distances.
  DistanceQueue(Distance* answers, bool is_signed) : answers_(answers), is_signed_(is_signed) {}

  /// Requires lanes. The pair, `make()`, is made where it waits, as in a TouchQueue.
  template <class Make, class Take>
  void add(DistanceLanes lanes, const Make& make, const Take& take) {
    Group& group = groups_[static_cast<std::size_t>(lanes) - 1];
    std::construct_at(&group.pairs[group.count++], make());
    if (group.count == DistanceBlock::most) ask(lanes, group, take);
  }
  template <class Take>
  void finish(const Take& take) {
    for (std::size_t i = 0; i < groups_.size(); ++i)
      if (groups_[i].count > 0) ask(static_cast<DistanceLanes>(i + 1), groups_[i], take);
  }

 private:
  struct Group {
    std::array<BatchPair, DistanceBlock::most> pairs;
    std::size_t count = 0;
  };
  std::array<Group, 5> groups_;  // one for each kernel
  Distance* answers_;
  bool is_signed_;

  /// Returns a bit for each pair that is answered.
  std::uint32_t answer(DistanceLanes lanes, const Group& group) const;

  template <class Take>
  void ask(DistanceLanes lanes, Group& group, const Take& take) {
    const std::uint32_t answered = answer(lanes, group);
    for (std::size_t i = 0; i < group.count; ++i)
      take(group.pairs[i], (answered >> i & 1) != 0);
    group.count = 0;
  }
};

}  // namespace whisker::convex
