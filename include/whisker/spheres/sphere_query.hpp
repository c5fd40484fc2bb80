#pragma once

/// \file
/// SphereQuery: the distance of a SphereBody from another one, or from any shape, as a query that can be interrupted at
/// any time and resumed.
///
///     SphereQuery query({bunny, pose_a}, {bunny, pose_b});
///     while (query.advance({.budget = 500}) == Stop::budget) draw(query.lower(), query.upper());
///     query.restart({bunny, next_pose_a}, {bunny, pose_b});       // reuses the memory
///
/// After every step lower() and upper() contain the distance of the solids, and the bounds only get tighter. The state
/// of a query depends only on the total number of operations, not on how they were divided among calls. A query that is
/// interrupted and resumed ends with the same bits as an uninterrupted one.

#include <cstdint>
#include <limits>

#include <whisker/detail/held.hpp>
#include <whisker/queries.hpp>
#include <whisker/spheres/sphere_body.hpp>

namespace whisker {

/// How much work a call may do. SphereQuery and SphereWorld can continue in a later call.
struct SphereBudget {
  /// The largest number of operations: two for each sphere that is transformed to the world frame, one for each test of
  /// two spheres, as in Bradshaw's thesis. Only the exact last step may exceed it.
  std::uint64_t budget = std::numeric_limits<std::uint64_t>::max();
  /// Start no further work after this many seconds; with 0 or less, start none. The result then depends on timing.
  double seconds = std::numeric_limits<double>::infinity();
};

/// When a distance is accurate enough.
struct SphereGoal {
  /// Stop when upper - lower is at most this, in the user's unit.
  double tolerance = 0;
  /// Whether to continue with the triangles when the spheres cannot improve the bounds any further. This is one step,
  /// which cannot be interrupted and does not count as operations. If false, the query then stops with `Stop::limit`.
  bool exact = true;
};

/// A best-first search over pairs of spheres: pairs are opened in the order of their gaps, on a tie the earlier one
/// first, which is breadth first where all spheres overlap. Of each pair the larger sphere is opened. The query keeps
/// copies of the bodies, the shape and the poses. One thread at a time may use it.
class SphereQuery {
 public:
  /// A query without bodies: call restart() before anything else.
  SphereQuery();
  /// Starts a query and tests the two roots. b must be a SphereBody, and a may be any shape; otherwise an Error is
  /// thrown.
  SphereQuery(const Placed& a, const Placed& b);

  /// Starts another query and reuses the memory.
  void restart(const Placed& a, const Placed& b);

  /// Continues until the goal is reached (`exact`, `tolerance`), the budget of this call is used up (`budget`), or the
  /// spheres cannot improve the bounds and the goal is not exact (`limit`). Operations that a call leaves over, because
  /// the next step needs more, are added to the next call's budget, so a query makes progress with any budget except 0.
  /// Throws an Error if no query was started, if the tolerance is negative or NaN, or if the seconds are NaN.
  Stop advance(const SphereBudget& budget = {}, const SphereGoal& goal = {});

  /// The distance is at least lower() and at most upper().
  double lower() const;
  double upper() const;
  /// The result that `distance` would return, with the bounds reached so far. Throws an Error if no
  /// query was started.
  Distance result() const;

  /// Spheres transformed to the world frame so far.
  std::uint64_t updates() const;
  /// Tests of two spheres so far.
  std::uint64_t tests() const;
  std::uint64_t operations() const { return 2 * updates() + tests(); }

 private:
  struct State;
  Held<"SphereQuery", Owned<State>> state_;
};

}  // namespace whisker
