#include "world/static_and_moving.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <tbb/enumerable_thread_specific.h>

#include "world/parallel_ranges.hpp"

namespace whisker::world {
namespace {

bool is_finite(const Aabb& box) {
  return box.lower.allFinite() && box.upper.allFinite();
}

/// Whether any changed box is empty.
bool any_empty(const Boxes& boxes) {
  std::atomic<bool> any = false;
  constexpr std::size_t grain = 8192;
  const std::size_t count = boxes.changed.size();
  for_ranges(count, grain, count > grain, [&](std::size_t begin, std::size_t end) {
    bool any_here = false;
    constexpr std::size_t ahead = 16;  // prefetch distance; boxes may be far apart
    for (std::size_t c = begin; c < end; ++c) {
      if (c + ahead < end) __builtin_prefetch(&boxes.box[boxes.changed[c + ahead]]);
      any_here |= boxes.box[boxes.changed[c]].empty();
    }
    if (any_here) any.store(true, std::memory_order_relaxed);
  });
  return any;
}

/// If a larger share of the boxes has changed, sweeping all is cheaper.
constexpr double share_to_sweep_all = 0.4;
/// Sorting a box into the resting ones costs about as much as sweeping this many boxes.
constexpr double build_cost = 3;

}  // namespace

std::span<const std::uint32_t> StaticAndMoving::take_changes(const Boxes& boxes) {
  const std::size_t count = boxes.box.size();
  is_loose_.resize(count, 0);
  is_resting_.resize(count, 0);
  std::size_t fresh = 0;
  const bool all_are_loose = loose_.size() == count;
  for (const std::uint32_t i : all_are_loose ? std::span<const std::uint32_t>() : boxes.changed) {
    if (is_resting_[i] != 0) {
      is_resting_[i] = 0;
      --resting_count_;
      if (has_tree_) tree_.remove(i);
    }
    fresh += is_loose_[i] == 0 ? 1u : 0u;
    is_loose_[i] = 1;
  }
  // Adds the newly loose boxes, then drops the empty ones.
  if (fresh > 0) {
    std::vector<std::uint32_t> merged;
    merged.reserve(loose_.size() + fresh);
    std::set_union(loose_.begin(), loose_.end(), boxes.changed.begin(), boxes.changed.end(),
                   std::back_inserter(merged));
    loose_.swap(merged);
  }
  if (!any_empty(boxes)) return boxes.changed;
  std::erase_if(loose_, [&](std::uint32_t i) {
    if (!boxes.box[i].empty()) return false;
    is_loose_[i] = 0;
    return true;
  });
  movers_.clear();
  for (const std::uint32_t i : boxes.changed)
    if (!boxes.box[i].empty()) movers_.push_back(i);
  return movers_;
}

void StaticAndMoving::settle(const Boxes& boxes, std::size_t movers) {
  std::size_t quiet = 0;
  const bool all_move = movers == loose_.size();
  for (const std::uint32_t i : all_move ? std::span<const std::uint32_t>() : loose_)
    quiet += boxes.is_changed[i] == 0 && is_finite(boxes.box[i]) ? 1u : 0u;
  // Boxes that no longer rest are still compared.
  const std::size_t gone = columns_.built_size() - resting_count_;
  waste_ += static_cast<double>(quiet) + 0.25 * static_cast<double>(gone);
  const double cost = build_cost * static_cast<double>(resting_count_ + quiet);
  if (waste_ < cost || quiet == 0) return;
  waste_ = 0;
  std::vector<std::uint32_t> resting;
  resting.reserve(resting_count_ + quiet);
  std::vector<std::uint32_t> loose;
  for (std::uint32_t i = 0; i < boxes.box.size(); ++i) {
    const bool rests =
        is_resting_[i] != 0 || (is_loose_[i] != 0 && boxes.is_changed[i] == 0 && is_finite(boxes.box[i]));
    if (rests) {
      resting.push_back(i);
      is_loose_[i] = 0;
      is_resting_[i] = boxes.is_static[i] != 0 ? 3 : 1;
    } else if (is_loose_[i] != 0) {
      loose.push_back(i);
    }
  }
  loose_.swap(loose);
  resting_count_ = resting.size();
  columns_.build(boxes.box, resting);
  tree_ = StaticTree();
  has_tree_ = false;
}

void StaticAndMoving::build_tree(const Boxes& boxes) {
  if (has_tree_) return;
  std::vector<std::uint32_t> resting;
  resting.reserve(resting_count_);
  for (std::uint32_t i = 0; i < is_resting_.size(); ++i)
    if (is_resting_[i] != 0) resting.push_back(i);
  tree_.build(boxes.box, resting);
  has_tree_ = true;
}

void StaticAndMoving::meet_resting(const Boxes& boxes, std::span<const std::uint32_t> movers,
                                   std::vector<PairKey>& pairs) {
  if (resting_count_ == 0) return;
  crowded_.clear();
  if (!columns_.find_pairs(boxes, movers, is_resting_, pairs, crowded_)) {
    build_tree(boxes);
    walk_tree(boxes, movers, false, pairs);
  } else if (!crowded_.empty()) {
    build_tree(boxes);
    std::sort(crowded_.begin(), crowded_.end());
    std::vector<std::uint32_t> numbers;
    for (const StaticColumns::Crowded& crowd : crowded_)
      if (numbers.empty() || numbers.back() != crowd.number) numbers.push_back(crowd.number);
    walk_tree(boxes, numbers, true, pairs);
  }
}

void StaticAndMoving::walk_tree(const Boxes& boxes, std::span<const std::uint32_t> numbers, bool from_crowds,
                                std::vector<PairKey>& pairs) {
  struct Worker {
    std::vector<std::uint32_t> found;
    std::vector<PairKey> pairs;
  };
  tbb::enumerable_thread_specific<Worker> workers;
  // Processes neighbors one after the other, so that the parts of the tree that one needs are in the cache for the
  // next.
  walkers_.resize(numbers.size());
  for (std::size_t w = 0; w < walkers_.size(); ++w)
    walkers_[w] = tree_.along_curve(boxes.box[numbers[w]]) << 32 | numbers[w];
  sort_by_bits(walkers_, 32, StaticTree::curve_bits, spare_);
  const auto walk = [&](std::size_t begin, std::size_t end) {
    Worker& worker = workers.local();
    for (std::size_t w = begin; w < end; ++w) {
      const auto i = static_cast<std::uint32_t>(walkers_[w]);
      worker.found.clear();
      tree_.find(boxes.box[i], worker.found);
      const auto crowds = std::lower_bound(crowded_.begin(), crowded_.end(), StaticColumns::Crowded{i, 0});
      for (const std::uint32_t j : worker.found) {
        if (boxes.is_static[i] != 0 && boxes.is_static[j] != 0) continue;
        bool counts = !from_crowds;
        for (auto crowd = crowds; !counts && crowd != crowded_.end() && crowd->number == i; ++crowd)
          counts = columns_.counts_in(boxes.box[i], boxes.box[j], crowd->column);
        if (counts) worker.pairs.push_back(pair_key(i, j));
      }
    }
  };
  constexpr std::size_t few = 256;
  for_ranges(numbers.size(), few / 4, numbers.size() >= few, walk);
  for (const Worker& worker : workers)
    pairs.insert(pairs.end(), worker.pairs.begin(), worker.pairs.end());
}

void StaticAndMoving::find_pairs(const Boxes& boxes, std::vector<PairKey>& pairs) {
  pairs.clear();
  if (is_first_) {
    is_first_ = false;
    is_loose_.assign(boxes.box.size(), 0);
    is_resting_.assign(boxes.box.size(), 0);
    find_nonempty(boxes.box, loose_);
    for (const std::uint32_t i : loose_)
      is_loose_[i] = 1;
    sweeper_.find_pairs(boxes, loose_, true, pairs);
    sort_pairs(pairs, static_cast<std::uint32_t>(boxes.box.size()), spare_);
    return;
  }
  const std::span<const std::uint32_t> movers = take_changes(boxes);
  settle(boxes, movers.size());
  const std::size_t live = loose_.size() + resting_count_;
  if (sweeps_many_ && static_cast<double>(boxes.changed.size()) > share_to_sweep_all * static_cast<double>(live) &&
      resting_count_ > 0) {
    find_nonempty(boxes.box, live_);
    all_sweeper_.find_pairs(boxes, live_, false, pairs);
  } else {
    meet_resting(boxes, movers, pairs);
    sweeper_.find_pairs(boxes, loose_, false, pairs);
  }
  sort_pairs(pairs, static_cast<std::uint32_t>(boxes.box.size()), spare_);
}

}  // namespace whisker::world

whisker::BroadPhaseFactory whisker::static_and_moving() {
  return [] { return std::make_unique<world::StaticAndMoving>(false); };
}
