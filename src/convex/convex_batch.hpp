#pragma once

// Batches of pairs of convex shapes, with the pairs in the lanes of SIMD vectors.
//
// Every lane does what the single question does, operation by operation, so that the answers are the same doubles:
// branches become masks, and each lane takes the next pair when it is done. A pair that leaves the common road (contact
// within rounding, extreme lengths, a rotation that is not quite orthonormal, a search that stalls…) is left
// unanswered: the caller asks the single question, which is what its answer is to be anyway.

#include <cstddef>
#include <span>

#include <whisker/pose.hpp>
#include <whisker/queries.hpp>
#include <whisker/shape.hpp>

#include "convex/flatness.hpp"

namespace whisker::convex {

/// A pair of a batch. It refers to what the caller holds.
struct BatchPair {
  const Shape* a;
  const Shape* b;
  const Pose* pose_a;
  const Pose* pose_b;
  std::size_t number;  ///< its answer is answers[number]
};

/// Memory that is needed after these pairs: while they are worked it is brought near, little by little.
struct Upcoming {
  std::span<const std::byte> questions;
  std::span<const std::byte> answers;  ///< to be written
};

/// Pairs that are worked at once, at most.
inline constexpr std::size_t max_batch_pairs = 128;

/// Whether lanes are for such pairs: hulls, spheres, capsules and boxes, of which one at least is a hull.
constexpr bool is_for_lanes(ShapeKind a, ShapeKind b) {
  constexpr auto fits = [](ShapeKind kind) {
    return kind == ShapeKind::convex_hull || kind == ShapeKind::sphere || kind == ShapeKind::capsule ||
           kind == ShapeKind::box;
  };
  return fits(a) && fits(b) && (a == ShapeKind::convex_hull || b == ShapeKind::convex_hull);
}

/// Whether lanes are for questions with these options, which are valid: no cache, no small budget.
bool is_for_lanes(const DistanceOptions& options);

/// Answers what it can: `answered[i]` says whether pair i has its answer. The pairs' poses were checked. `corners[i]`:
/// of those a pair from which closest points were found.
void touches_in_lanes(std::span<const BatchPair> pairs, std::span<bool> answers, std::span<bool> answered,
                      const Upcoming& upcoming);
void distance_in_lanes(std::span<const BatchPair> pairs, const DistanceOptions& options, std::span<Distance> answers,
                       std::span<bool> answered, std::span<HullCorners> corners, const Upcoming& upcoming);
/// `limit` is a length.
void closer_than_in_lanes(std::span<const BatchPair> pairs, double limit, std::span<bool> answers,
                          std::span<bool> answered, const Upcoming& upcoming);

}  // namespace whisker::convex
