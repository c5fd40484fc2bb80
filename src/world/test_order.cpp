// Decides which pairs to test first when the budget does not allow testing all of them.

#include <algorithm>
#include <bit>
#include <cmath>
#include <tbb/parallel_sort.h>

#include "world/pair_tests.hpp"
#include "world/parallel_ranges.hpp"

namespace whisker::world {
namespace {

/// One in this many tests goes to the pair that has waited longest.
constexpr std::uint32_t fair_share = 4;

/// A body whose motion is unknown is assumed to approach by this fraction of its size in each update.
constexpr double unknown_motion = 1.0 / 16;

/// An estimate of how two bodies are placed, from the ellipsoids inscribed in their AABBs: along the line through their
/// centers, the sum of their extents toward each other (`reach`) and the gap, negative if they overlap. Exact for
/// spheres.
struct Guess {
  double gap = 0;
  double reach = 0;

  /// 0 if the centers coincide, 1 if the ellipsoids touch.
  double closeness() const { return gap + reach > 0 ? (gap + reach) / reach : 0; }
};

Guess guess(const Aabb& a, const Aabb& b) {
  Vector3 between = Vector3::Zero(), share = Vector3::Zero();
  Guess along_axis{-HUGE_VAL, 0};
  double smallest = HUGE_VAL;
  for (int i = 0; i < 3; ++i) {
    const double half = (a.upper[i] - a.lower[i]) / 2 + (b.upper[i] - b.lower[i]) / 2;
    if (!std::isfinite(half)) {
      // A half-space along this axis has a gap to the other box, but no center.
      const double gap = std::max(a.lower[i] - b.upper[i], b.lower[i] - a.upper[i]);
      const double reach = std::min(a.upper[i] - a.lower[i], b.upper[i] - b.lower[i]) / 2;
      if (gap > along_axis.gap && std::isfinite(gap)) along_axis = {gap, std::isfinite(reach) ? reach : 0};
      continue;
    }
    smallest = std::min(smallest, half);
    between[i] = (a.lower[i] / 2 + a.upper[i] / 2) - (b.lower[i] / 2 + b.upper[i] / 2);
    if (between[i] != 0) share[i] = between[i] / half;
  }
  const double distance = between.stableNorm(), times = share.stableNorm();
  Guess result{-smallest, smallest};
  if (times > 0 && std::isfinite(distance)) result = {distance - distance / times, distance / times};
  return result.gap > along_axis.gap && std::isfinite(result.gap) ? result : along_axis;
}

/// Maps floats to integers with the same order.
std::uint32_t ordered_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return (bits >> 31) != 0 ? ~bits : bits | 0x80000000u;
}

/// Estimates from the boxes in how many updates a pair may touch. Used only to order tests.
double updates_to_contact(const BodyTable& bodies, const PairRecord& record) {
  if (record.is_touching) return -static_cast<double>(record.waited);
  const std::uint32_t a = first_of(record.key), b = second_of(record.key);
  const Aabb box_a = bodies.bare_box(a), box_b = bodies.bare_box(b);
  const Guess now = guess(box_a, box_b);
  // A pair that a test has found to be apart is less urgent than one that was never tested.
  const double seen = record.is_new ? 0 : 1;
  if (now.gap <= 0) return seen + now.closeness() / 2;
  double closing = now.reach * unknown_motion;
  const Aabb before_a = bodies.is_changed[a] != 0 ? bodies.last_box[a] : box_a;
  const Aabb before_b = bodies.is_changed[b] != 0 ? bodies.last_box[b] : box_b;
  if (!before_a.empty() && !before_b.empty()) closing = guess(before_a, before_b).gap - now.gap;
  return seen + 0.5 + (closing > 0 ? now.gap / closing : HUGE_VAL);
}

}  // namespace

void PairTests::set_order(const BodyTable& bodies, const PairTable& pairs, std::size_t count) {
  const std::vector<std::uint32_t>& to_test = pairs.to_test;
  // Each key holds the urgency in its upper half and the index in `to_test` in its lower half. No two keys are equal,
  // so the order is unique.
  by_urgency_.resize(to_test.size());
  constexpr std::size_t grain = 512;
  for_numbers(to_test.size(), grain, to_test.size() >= 2 * grain, [&](std::size_t i) {
    const auto updates = static_cast<float>(updates_to_contact(bodies, pairs.records[to_test[i]]));
    by_urgency_[i] = std::uint64_t{ordered_bits(updates)} << 32 | i;
  });
  by_wait_.clear();
  for (std::size_t i = 0; i < to_test.size(); ++i) {
    const std::uint32_t waited = pairs.records[to_test[i]].waited;
    if (waited > 0) by_wait_.push_back(std::uint64_t{~waited} << 32 | i);
  }
  const auto sort_first = [](std::vector<std::uint64_t>& keys, std::size_t wanted) {
    const auto end = keys.begin() + static_cast<std::ptrdiff_t>(std::min(wanted, keys.size()));
    if (end != keys.end()) std::nth_element(keys.begin(), end, keys.end());
    tbb::parallel_sort(keys.begin(), end);
  };
  sort_first(by_urgency_, count);
  const std::size_t fair_count = std::min(count / fair_share + 1, by_wait_.size());
  sort_first(by_wait_, fair_count);

  is_taken_.assign(to_test.size(), 0);
  order_.clear();
  std::size_t urgent = 0, fair = 0;
  const auto next_of = [&](const std::vector<std::uint64_t>& keys, std::size_t& at, std::size_t end) {
    while (at < end && is_taken_[static_cast<std::uint32_t>(keys[at])] != 0)
      ++at;
    return at < end;
  };
  while (order_.size() < count) {
    const bool is_fair_turn = (tests_before_ + order_.size()) % fair_share == fair_share - 1;
    const bool is_fair = is_fair_turn && next_of(by_wait_, fair, fair_count);
    if (!is_fair) next_of(by_urgency_, urgent, count);
    const auto i = static_cast<std::uint32_t>(is_fair ? by_wait_[fair] : by_urgency_[urgent]);
    is_taken_[i] = 1;
    order_.push_back(to_test[i]);
  }
}

}  // namespace whisker::world
