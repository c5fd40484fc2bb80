#pragma once

// All pairs of some bodies, opened together and breadth first, until nothing is left to open or the budget ends
// (Hubbard 1995; O'Sullivan and Dingliana 1999; Bradshaw 2002).

#include <cstdint>
#include <span>
#include <vector>

#include <whisker/spheres/sphere_body.hpp>
#include <whisker/spheres/sphere_contacts.hpp>

#include "spheres/body_kernels.hpp"

namespace whisker::spheres {

/// A body as the front sees it: its spheres, its solid and where it stands.
struct FrontBody {
  const SphereBody* body;
  const Pose* pose;
};

/// What is known of a pair.
enum class FrontState : std::uint8_t {
  open,      ///< there are spheres left to be opened
  contacts,  ///< leaves overlap, and all is opened
  apart,     ///< proven
  inside,    ///< one solid, or a part of it, lies inside the other; their surfaces are apart: proven
};

class ContactFront {
 public:
  /// For a new question. `nodes` and `bodies` by the bodies' numbers; they must stay until the next one.
  void begin(std::span<PlacedNodes> nodes, std::span<const FrontBody> bodies);
  /// A pair whose roots, which are in the world, overlap. Of all pairs those with the largest priority are opened
  /// first, until they are done; equal ones together. Pairs must be added before the first advance, and get their
  /// numbers in this order.
  void add(std::uint32_t body_a, std::uint32_t body_b, double priority);

  /// `exact` when all is opened, else `budget`.
  Stop advance(const SphereBudget& budget);

  std::span<const FrontPair> pairs() const { return pairs_; }
  FrontState state(std::uint32_t pair) const;
  std::uint64_t updates() const { return updates_; }
  std::uint64_t tests() const { return tests_; }

  /// Calls `visit(entry, is_open)` for all entries: the resolved ones first, then those that are open, in the order in
  /// which they would be opened.
  template <class Visit>
  void each_entry(const Visit& visit) const {
    for (std::size_t i = 0; i < resolved_count_; ++i)
      visit(resolved_[i], false);
    for (std::size_t i = cursor_; i < current_count_; ++i)
      visit(current_[i], true);
    for (std::size_t i = 0; i < next_count_; ++i)
      visit(next_[i], true);
    for (std::size_t i = started_; i < order_.size(); ++i)
      if (pairs_[order_[i]].open != 0) visit(FrontEntry{order_[i], 0, 0}, true);
  }

 private:
  /// Puts the roots of the pairs with the next priority into the front. False if there are none left.
  bool start_next();
  void decide(std::uint32_t pair);

  std::span<PlacedNodes> nodes_;
  std::span<const FrontBody> bodies_;
  std::vector<FrontPair> pairs_;
  std::vector<double> priorities_;
  std::vector<FrontState> outcome_;   // of pairs of which nothing is open
  std::vector<std::uint32_t> order_;  // pairs in the order of their priorities
  bool is_sorted_ = false;
  std::size_t started_ = 0;  // of those
  // Rows that are larger than what counts in them, so that kernels have room.
  std::vector<FrontEntry> current_, next_, resolved_;
  std::vector<std::uint32_t> emptied_;
  std::size_t cursor_ = 0, current_count_ = 0, next_count_ = 0, resolved_count_ = 0;
  std::uint64_t credit_ = 0;  // operations that earlier calls have left
  std::uint64_t updates_ = 0, tests_ = 0;
};

/// The contact of two spheres that are in the world, not an open one. Returns an upper bound of the distance of the two
/// solids, which may be less than the contact's error.
double set_contact(const PlacedNodes& a, const SphereBody& body_a, std::uint32_t i, const PlacedNodes& b,
                   const SphereBody& body_b, std::uint32_t j, SphereContact& contact);

}  // namespace whisker::spheres
