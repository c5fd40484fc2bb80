#pragma once

// Traverses all pairs of several bodies together, breadth first, until nothing is left to open or the budget is used up
// (Hubbard 1995; O'Sullivan and Dingliana 1999; Bradshaw 2002).

#include <cstdint>
#include <span>
#include <vector>

#include <whisker/spheres/sphere_body.hpp>
#include <whisker/spheres/sphere_contacts.hpp>
#include <whisker/spheres/sphere_query.hpp>

#include "spheres/body_kernels.hpp"

namespace whisker::spheres {

class ContactFront {
 public:
  /// Starts a new query. `bodies` must stay valid until the next begin().
  void begin(std::span<PlacedNodes> bodies);
  /// Adds a pair whose roots overlap; the roots must have world coordinates. Pairs with the largest priority are opened
  /// first, until they are done. Pairs with equal priorities are opened together. All pairs must be added before the
  /// first advance(), and are numbered in this order.
  void add(std::uint32_t body_a, std::uint32_t body_b, double priority);

  /// Returns `exact` when everything is opened, otherwise `budget`.
  Stop advance(const SphereBudget& budget);

  std::span<const FrontPair> pairs() const { return pairs_; }
  SpherePairState state(std::uint32_t pair) const;
  std::uint64_t updates() const { return work_.updates; }
  std::uint64_t tests() const { return work_.tests; }

  /// Calls `visit(entry, is_open)` for all entries: first the resolved ones, then the open ones in the order in which
  /// they would be opened.
  template <class Visit>
  void each_entry(const Visit& visit) const {
    for (std::size_t i = 0; i < work_.resolved_count; ++i)
      visit(resolved_[i], false);
    for (std::size_t i = cursor_; i < current_count_; ++i)
      visit(current_[i], true);
    for (std::size_t i = 0; i < work_.next_count; ++i)
      visit(next_[i], true);
    for (std::size_t i = started_; i < order_.size(); ++i)
      if (pairs_[order_[i]].open != 0) visit(FrontEntry{order_[i], 0, 0}, true);
  }

 private:
  /// Puts the roots of the pairs with the next priority into the front. Returns false if there are none left.
  bool start_next();

  std::span<PlacedNodes> bodies_;
  std::vector<FrontPair> pairs_;
  std::vector<double> priorities_;
  std::vector<SpherePairState> outcome_;  // of pairs with nothing open
  std::vector<std::uint32_t> order_;      // pairs, sorted by priority once the first are started

  std::size_t started_ = 0;  // how many of `order_` are in the front
  // Arrays that are larger than their counts, so that the kernels have room.
  std::vector<FrontEntry> current_, next_, resolved_;
  std::vector<std::uint32_t> emptied_;
  std::size_t cursor_ = 0, current_count_ = 0;
  FrontWork work_;  // the counts of the other arrays and, in `operations`, those left over from earlier calls
};

/// Sets the contact of two spheres in world coordinates; not for an open entry. Returns an upper bound on the distance
/// of the two solids, which may be less than the contact's error.
double set_contact(const PlacedNodes& a, std::uint32_t i, const PlacedNodes& b, std::uint32_t j,
                   SphereContact& contact);

}  // namespace whisker::spheres
