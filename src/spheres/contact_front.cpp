#include "spheres/contact_front.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

#include "geometry/constants.hpp"
#include "spheres/body_nodes.hpp"

namespace whisker::spheres {
namespace {

/// The number of entries between two checks of the clock: a few microseconds of work.
constexpr std::size_t chunk = 32;

template <class T>
void make_room(std::vector<T>& row, std::size_t count) {
  if (row.size() < count) row.resize(std::max(count, 2 * row.size()));
}

}  // namespace

void ContactFront::begin(std::span<PlacedNodes> bodies) {
  bodies_ = bodies;
  pairs_.clear();
  priorities_.clear();
  outcome_.clear();
  order_.clear();
  is_sorted_ = false;
  started_ = cursor_ = current_count_ = next_count_ = resolved_count_ = 0;
  credit_ = updates_ = tests_ = 0;
  emptied_.resize(chunk);
}

void ContactFront::add(std::uint32_t body_a, std::uint32_t body_b, double priority) {
  const auto number = static_cast<std::uint32_t>(pairs_.size());
  FrontPair pair{body_a, body_b};
  if (bodies_[body_a].child_count[0] == 0 && bodies_[body_b].child_count[0] == 0) {
    pair.resolved = 1;
    make_room(resolved_, resolved_count_ + 1);
    resolved_[resolved_count_++] = {number, 0, 0};
  } else {
    pair.open = 1;
  }
  pairs_.push_back(pair);
  priorities_.push_back(priority);
  outcome_.push_back(SpherePairState::apart);
  order_.push_back(number);
}

SpherePairState ContactFront::state(std::uint32_t pair) const {
  if (pairs_[pair].open != 0) return SpherePairState::open;
  return pairs_[pair].resolved != 0 ? SpherePairState::contacts : outcome_[pair];
}

bool ContactFront::start_next() {
  if (!is_sorted_) {
    is_sorted_ = true;
    // Ties are broken by index instead of with std::stable_sort, which would allocate memory.
    std::sort(order_.begin(), order_.end(), [&](std::uint32_t p, std::uint32_t q) {
      return priorities_[p] > priorities_[q] || (priorities_[p] == priorities_[q] && p < q);
    });
  }
  if (started_ == order_.size()) return false;
  const double priority = priorities_[order_[started_]];
  make_room(current_, order_.size());
  cursor_ = current_count_ = 0;
  for (; started_ < order_.size() && priorities_[order_[started_]] == priority; ++started_)
    if (pairs_[order_[started_]].open != 0) current_[current_count_++] = {order_[started_], 0, 0};
  return true;
}

/// Called when no spheres of the pair overlap, so that the surfaces are disjoint.
void ContactFront::decide(std::uint32_t pair) {
  const bool shares = one_holds_other(bodies_[pairs_[pair].body_a], bodies_[pairs_[pair].body_b]);
  outcome_[pair] = shares ? SpherePairState::inside : SpherePairState::apart;
}

Stop ContactFront::advance(const SphereBudget& budget) {
  using Clock = std::chrono::steady_clock;
  const bool is_timed = budget.seconds < infinity;
  const Clock::time_point start = is_timed ? Clock::now() : Clock::time_point();
  credit_ = budget.budget > std::numeric_limits<std::uint64_t>::max() - credit_
                ? std::numeric_limits<std::uint64_t>::max()
                : credit_ + budget.budget;
  for (;;) {
    if (cursor_ == current_count_) {
      if (next_count_ > 0) {
        current_.swap(next_);
        current_count_ = next_count_;
        next_count_ = cursor_ = 0;
      } else if (!start_next()) {
        credit_ = 0;
        return Stop::exact;
      }
      continue;
    }
    if (is_timed && !(std::chrono::duration<double>(Clock::now() - start).count() < budget.seconds)) {
      credit_ = 0;
      return Stop::budget;
    }
    const std::size_t count = std::min(chunk, current_count_ - cursor_);
    make_room(next_, next_count_ + count * SphereBody::max_children);
    make_room(resolved_, resolved_count_ + count * SphereBody::max_children);
    FrontWork work{};
    work.bodies = bodies_.data();
    work.pairs = pairs_.data();
    work.entries = current_.data() + cursor_;
    work.entry_count = count;
    work.next = next_.data() + next_count_;
    work.resolved = resolved_.data() + resolved_count_;
    work.emptied = emptied_.data();
    work.operations = credit_;
    const std::size_t opened = open_front(work);
    cursor_ += opened;
    next_count_ += work.next_count;
    resolved_count_ += work.resolved_count;
    credit_ = work.operations;
    updates_ += work.updates;
    tests_ += work.tests;
    for (std::size_t i = 0; i < work.emptied_count; ++i)
      decide(emptied_[i]);
    if (opened < count) return Stop::budget;
  }
}

}  // namespace whisker::spheres
