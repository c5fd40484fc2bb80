#pragma once

// Batches of pairs of convex shapes, with one pair in each lane of SIMD vectors.
//
// Every lane does what the single query does, operation by operation, so the results are the same doubles. Branches
// become masks, and a lane takes the next pair when it is done. A pair that leaves the common path (contact within
// rounding, extreme lengths, a rotation that is not quite orthonormal, a search that stalls…) is left unanswered. The
// caller then runs the single query, whose result is the required one anyway.

#include <array>
#include <cstddef>
#include <memory>
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

/// Pairs that wait for others of their kind, 0 to kinds - 1, until there are `most` of them.
template <std::size_t kinds, std::size_t most>
class PairGroups {
 public:
  /// The pair, `make()`, is made where it waits: a copy would be read in larger pieces than the pair was written in,
  /// which has to wait for the cache. `ask(kind, pairs)` is called with a full group, which is then empty.
  template <class Make, class Ask>
  void add(std::size_t kind, const Make& make, const Ask& ask) {
    Group& group = groups_[kind];
    std::construct_at(&group.pairs[group.count++], make());
    if (group.count == most) empty(kind, ask);
  }
  /// Calls `ask` with all pairs that are left.
  template <class Ask>
  void finish(const Ask& ask) {
    for (std::size_t kind = 0; kind < kinds; ++kind)
      if (groups_[kind].count > 0) empty(kind, ask);
  }

 private:
  struct Group {
    std::array<BatchPair, most> pairs;
    std::size_t count = 0;
  };
  std::array<Group, kinds> groups_;

  template <class Ask>
  void empty(std::size_t kind, const Ask& ask) {
    Group& group = groups_[kind];
    ask(kind, std::span<const BatchPair>(group.pairs).first(group.count));
    group.count = 0;
  }
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
