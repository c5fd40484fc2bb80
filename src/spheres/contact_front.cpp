#include "spheres/contact_front.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

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

  started_ = cursor_ = current_count_ = 0;
  work_ = {};
  emptied_.resize(chunk);
}

void ContactFront::add(std::uint32_t body_a, std::uint32_t body_b, double priority) {
  const auto number = static_cast<std::uint32_t>(pairs_.size());
  FrontPair pair{body_a, body_b};
  if (bodies_[body_a].child_count[0] == 0 && bodies_[body_b].child_count[0] == 0) {
    pair.resolved = 1;
    make_room(resolved_, work_.resolved_count + 1);
    resolved_[work_.resolved_count++] = {number, 0, 0};
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
  if (started_ == 0) {
    // Ties are broken by index instead of with std::stable_sort, which would allocate memory.
    std::ranges::sort(order_, {}, [&](std::uint32_t pair) { return std::pair(-priorities_[pair], pair); });
  }
  if (started_ == order_.size()) return false;
  const double priority = priorities_[order_[started_]];
  make_room(current_, order_.size());
  cursor_ = current_count_ = 0;
  for (; started_ < order_.size() && priorities_[order_[started_]] == priority; ++started_)
    if (pairs_[order_[started_]].open != 0) current_[current_count_++] = {order_[started_], 0, 0};
  return true;
}

Stop ContactFront::advance(const SphereBudget& budget) {
  using Clock = std::chrono::steady_clock;
  const bool is_timed = budget.seconds < infinity;
  const Clock::time_point start = is_timed ? Clock::now() : Clock::time_point();
  work_.operations = budget.budget > no_budget - work_.operations ? no_budget : work_.operations + budget.budget;
  for (;;) {
    if (cursor_ == current_count_) {
      if (work_.next_count > 0) {
        current_.swap(next_);
        current_count_ = work_.next_count;
        work_.next_count = cursor_ = 0;
      } else if (!start_next()) {
        work_.operations = 0;
        return Stop::exact;
      }
      continue;
    }
    if (is_timed && !(std::chrono::duration<double>(Clock::now() - start).count() < budget.seconds)) {
      work_.operations = 0;
      return Stop::budget;
    }
    const std::size_t count = std::min(chunk, current_count_ - cursor_);
    make_room(next_, work_.next_count + count * SphereBody::max_children);
    make_room(resolved_, work_.resolved_count + count * SphereBody::max_children);
    work_.bodies = bodies_.data();
    work_.pairs = pairs_.data();
    work_.entries = current_.data() + cursor_;
    work_.entry_count = count;
    work_.next = next_.data();
    work_.resolved = resolved_.data();
    work_.emptied = emptied_.data();
    work_.emptied_count = 0;
    const std::size_t opened = open_front(work_);
    cursor_ += opened;
    // No spheres of these pairs overlap, so the surfaces are disjoint.
    for (const std::uint32_t pair : std::span(emptied_).first(work_.emptied_count)) {
      const bool shares = one_holds_other(bodies_[pairs_[pair].body_a], bodies_[pairs_[pair].body_b]);
      outcome_[pair] = shares ? SpherePairState::inside : SpherePairState::apart;
    }
    if (opened < count) return Stop::budget;
  }
}

}  // namespace whisker::spheres
