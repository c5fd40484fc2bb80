#pragma once

/// \file
/// SphereQuery: the distance of a sphere body from another, or from any shape, as a question that can be interrupted
/// at any time and resumed.
///
///     SphereQuery query({bunny, pose_a}, {bunny, pose_b});
///     while (query.advance({.budget = 500}) == Stop::budget) draw(query.lower(), query.upper());
///     query.restart({bunny, next_pose_a}, {bunny, pose_b});       // the same memory
///
/// After every step lower() and upper() contain the distance of the solids, and they only come closer together. What a
/// query knows depends on the operations it has done, not on how they were divided: interrupted and resumed, it ends
/// with the same bits as in one go.

#include <cstdint>
#include <memory>

#include <whisker/detail/held.hpp>
#include <whisker/spheres/sphere_body.hpp>

namespace whisker {

/// Pairs of spheres are opened in the order of their gaps, of equals the earlier first: breadth first where all
/// overlap. Of a pair the larger sphere is opened. Not for two threads at once.
class SphereQuery {
 public:
  /// Without a question: restart() first.
  SphereQuery();
  /// The roots are looked at.
  SphereQuery(const PlacedSphereBody& a, const PlacedSphereBody& b);
  SphereQuery(const Placed& a, const PlacedSphereBody& b);
  ~SphereQuery();
  SphereQuery(SphereQuery&&) noexcept;
  SphereQuery& operator=(SphereQuery&&) noexcept;

  /// Another question in the same memory.
  void restart(const PlacedSphereBody& a, const PlacedSphereBody& b);
  void restart(const Placed& a, const PlacedSphereBody& b);

  /// Goes on until the goal is reached (`exact`, `tolerance`), the budget of this call is used up (`budget`) or the
  /// spheres can tell no more (`limit`, if the goal is not exact). What is left of a call's operations because the next
  /// step takes more goes to the next call, so that a query gets on with any budget but 0. Throws an Error if there is
  /// no question, or the tolerance or seconds are NaN, or the tolerance negative.
  Stop advance(const SphereBudget& budget = {}, const SphereGoal& goal = {});

  double lower() const;
  double upper() const;
  /// As `distance` of sphere_body.hpp gives it, at the bounds reached.
  Distance result() const;

  /// Spheres that were brought to the world, and tests of two spheres.
  std::uint64_t updates() const;
  std::uint64_t tests() const;
  std::uint64_t operations() const { return 2 * updates() + tests(); }

 private:
  struct State;
  Held<"SphereQuery", std::unique_ptr<State>> state_;
};

}  // namespace whisker
