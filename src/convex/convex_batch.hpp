#pragma once

// Batches of pairs of convex shapes, with one pair in each lane of SIMD vectors.
//
// Every lane does what the single query does, operation by operation, so the results are the same doubles. Branches
// become masks, and a lane takes the next pair when it is done. A pair that leaves the common path (contact within
// rounding, extreme lengths, a rotation that is not quite orthonormal, a search that stalls…) is left unanswered. The
// caller then runs the single query, whose result is the required one anyway.

#include <cstddef>
#include <span>

#include <whisker/pose.hpp>
#include <whisker/queries.hpp>
#include <whisker/shape.hpp>

#include "convex/flatness.hpp"

namespace whisker::convex {

/// A pair of a batch. It refers to objects that the caller owns.
struct BatchPair {
  const Shape* a;
  const Shape* b;
  const Pose* pose_a;
  const Pose* pose_b;
  std::size_t number;  ///< the result goes to answers[number]
};

/// Memory that is needed after these pairs. It is prefetched piece by piece while they are processed.
struct Upcoming {
  std::span<const std::byte> questions;
  std::span<const std::byte> answers;  ///< to be written
};

/// The maximum number of pairs that are processed at once.
inline constexpr std::size_t max_batch_pairs = 128;

/// Whether lanes support queries with these options, which are valid: no cache, no small budget.
bool is_for_lanes(const DistanceOptions& options);

/// Answers as many pairs as possible. `answered[i]` tells whether pair i has its result. The pairs' poses must already
/// be checked. `corners[i]` is a pair of corners from which the closest points of pair i were found.
void touches_in_lanes(std::span<const BatchPair> pairs, std::span<bool> answers, std::span<bool> answered,
                      const Upcoming& upcoming);
void distance_in_lanes(std::span<const BatchPair> pairs, const DistanceOptions& options, std::span<Distance> answers,
                       std::span<bool> answered, std::span<HullCorners> corners, const Upcoming& upcoming);
/// `limit` is a length.
void closer_than_in_lanes(std::span<const BatchPair> pairs, double limit, std::span<bool> answers,
                          std::span<bool> answered, const Upcoming& upcoming);

}  // namespace whisker::convex
