#pragma once

// Distances and depths of spheres, capsules and segments with each other, and of simple shapes, cylinders, cones and
// ellipsoids with half-spaces and planes, with one pair in each lane of SIMD vectors.
//
// Every lane does what find_quick_distance or find_quick_flat does for a single pair, operation by operation, so the
// answers are the same doubles. A lane that leaves the common path (closest points that have to be moved, or that are
// not the only ones, or too close to contact) stays unanswered and is left to the single query. Instruction sets
// without fused multiplication and addition answer none.

#include <cstddef>
#include <cstdint>
#include <span>

#include <whisker/queries.hpp>

#include "convex/convex_batch.hpp"

namespace whisker::convex {

/// A bounded shape beside a half-space or plane; `axis` is a capsule.
enum class FlatBody : unsigned char { point, axis, box, segment, triangle, cylinder, cone, ellipsoid };
inline constexpr std::size_t flat_body_count = 8;

/// The kernel that answers a pair of kinds: two spheres, a sphere and a capsule, two capsules, a sphere and a segment,
/// or a segment and a capsule or segment. From `half_space` on there is one for each body with a half-space, and from
/// `plane` on with a plane.
enum class DistanceLanes : unsigned char {
  none,
  points,
  point_axis,
  axes,
  point_line,
  lines,
  half_space,
  plane = half_space + flat_body_count,
};
inline constexpr std::size_t distance_lane_kinds = static_cast<std::size_t>(DistanceLanes::plane) + flat_body_count;
DistanceLanes distance_lanes_of(ShapeKind a, ShapeKind b);

/// The most pairs that are answered at once.
inline constexpr std::size_t distance_lane_pairs = 16;

/// A number or vector of each pair: pair i is in column i.
using LaneNumbers = double[distance_lane_pairs];
using LaneVectors = LaneNumbers[3];

/// What kernels return.
struct LaneAnswers {
  alignas(64) LaneNumbers lower;  // of the distance or, if deep, of the depth
  LaneNumbers upper;
  LaneVectors normal, point_a, point_b;
  std::uint32_t apart, overlapping, deep;  // a bit for each pair, 0 in all three if it is not answered
};

/// Spheres, capsules and segments. A core is origin + at (way + tail) with `at` between begin and end; that of a sphere
/// is its origin.
struct CoreBlock {
  struct Side {
    alignas(64) LaneVectors origin;
    LaneVectors way;
    LaneNumbers begin, end, radius;
    LaneNumbers size;  // as in Spot (quick_pair-inl.hpp); not of spheres
    // Only where segments may be:
    LaneVectors tail;  // 0 for capsules
    LaneNumbers is_segment;
  };
  Side a, b;
  LaneAnswers answers;
};
/// `finds_depth` as for run_quick.
void run_distance_lanes(DistanceLanes lanes, bool finds_depth, std::size_t count, CoreBlock& block);

/// A bounded shape and a half-space or plane (as in QuickFlat).
struct FlatBlock {
  alignas(64) LaneVectors center;  // not of segments and triangles
  LaneVectors axes[3];             // of the rotation, of a capsule only the last; of segments and triangles the corners
  /// Capsule, cylinder, cone: half the length, last. Box: half its size. Ellipsoid: its radii. Segment and triangle:
  /// the sum of all coordinates in the shape's own frame, first.
  LaneVectors half;
  LaneNumbers radius;
  LaneVectors origin, normal;
  LaneNumbers offset;
  LaneAnswers answers;
};
/// `finds_depth` as for run_quick_flat.
void run_flat_lanes(FlatBody body, bool is_plane, bool finds_depth, std::size_t count, FlatBlock& block);

/// Pairs that wait for others, to be answered together. `take(pair, is_answered)` is called once for each pair, in
/// add() or in finish(), in any order.
class DistanceQueue {
 public:
  /// Answers go to `answers`. `is_signed`: signed distances.
  DistanceQueue(Distance* answers, bool is_signed) : answers_(answers), is_signed_(is_signed) {}

  /// Requires lanes. `make` as for PairGroups.
  template <class Make, class Take>
  void add(DistanceLanes lanes, const Make& make, const Take& take) {
    groups_.add(static_cast<std::size_t>(lanes) - 1, make, asking(take));
  }
  template <class Take>
  void finish(const Take& take) {
    groups_.finish(asking(take));
  }

 private:
  PairGroups<distance_lane_kinds - 1, distance_lane_pairs> groups_;  // one for each kernel
  Distance* answers_;
  bool is_signed_;

  /// Returns a bit for each pair that is answered.
  std::uint32_t answer(DistanceLanes lanes, std::span<const BatchPair> pairs) const;

  template <class Take>
  auto asking(const Take& take) const {
    return [this, &take](std::size_t kind, std::span<const BatchPair> pairs) {
      const std::uint32_t answered = answer(static_cast<DistanceLanes>(kind + 1), pairs);
      for (std::size_t i = 0; i < pairs.size(); ++i)
        take(pairs[i], (answered >> i & 1) != 0);
    };
  }
};

}  // namespace whisker::convex
