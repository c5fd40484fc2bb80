#include "world/two_tier.hpp"

#include <algorithm>
#include <cmath>
#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

namespace whisker::world {
namespace {

bool is_finite(const AxisBox& box) {
  return box.lower.allFinite() && box.upper.allFinite();
}

/// If a larger share of the boxes has changed, sweeping all costs less than their walks through the tree.
constexpr double share_to_sweep_all = 0.25;
/// Building the tree costs, per box, about as much as sweeping so many.
constexpr double build_cost = 3;

}  // namespace

void TwoTier::take_changes(const Boxes& boxes) {
  const std::size_t count = boxes.box.size();
  is_loose_.resize(count, 0);
  std::size_t fresh = 0;
  for (const std::uint32_t i : boxes.changed) {
    tree_.remove(i);
    fresh += is_loose_[i] == 0 ? 1u : 0u;
    is_loose_[i] = 1;
  }
  // Those that are loose now, without the ones that are no more.
  bool any_gone = false;
  for (const std::uint32_t i : boxes.changed)
    any_gone |= boxes.box[i].empty();
  if (fresh > 0) {
    std::vector<std::uint32_t> merged;
    merged.reserve(loose_.size() + fresh);
    std::set_union(loose_.begin(), loose_.end(), boxes.changed.begin(), boxes.changed.end(),
                   std::back_inserter(merged));
    loose_.swap(merged);
  }
  if (any_gone) {
    std::erase_if(loose_, [&](std::uint32_t i) {
      if (!boxes.box[i].empty()) return false;
      is_loose_[i] = 0;
      return true;
    });
  }
}

void TwoTier::settle(const Boxes& boxes) {
  std::size_t quiet = 0;
  for (const std::uint32_t i : loose_)
    quiet += boxes.is_changed[i] == 0 && is_finite(boxes.box[i]) ? 1u : 0u;
  // Boxes that were in the tree and are not any more cost walks.
  const std::size_t gone = tree_.built_size() - tree_.size();
  waste_ += static_cast<double>(quiet) + 0.25 * static_cast<double>(gone);
  const double cost = build_cost * static_cast<double>(tree_.size() + quiet);
  if (waste_ < cost || quiet == 0) return;
  waste_ = 0;
  std::vector<std::uint32_t> resting;
  resting.reserve(tree_.size() + quiet);
  std::vector<std::uint32_t> loose;
  for (std::uint32_t i = 0; i < boxes.box.size(); ++i) {
    const bool rests = tree_.contains(i) || (is_loose_[i] != 0 && boxes.is_changed[i] == 0 && is_finite(boxes.box[i]));
    if (rests) {
      resting.push_back(i);
      is_loose_[i] = 0;
    } else if (is_loose_[i] != 0) {
      loose.push_back(i);
    }
  }
  loose_.swap(loose);
  tree_.build(boxes.box, resting);
}

void TwoTier::walk_tree(const Boxes& boxes, std::vector<PairKey>& pairs) {
  if (tree_.size() == 0) return;
  struct Worker {
    std::vector<std::uint32_t> found;
    std::vector<PairKey> pairs;
  };
  tbb::enumerable_thread_specific<Worker> workers;
  // Neighbours one after the other: what one needs of the tree is then in the caches for the next.
  walkers_.resize(boxes.changed.size());
  for (std::size_t w = 0; w < walkers_.size(); ++w)
    walkers_[w] = tree_.along_curve(boxes.box[boxes.changed[w]]) << 32 | boxes.changed[w];
  sort_by_bits(walkers_, 32, RestTree::curve_bits, spare_);
  const auto walk = [&](std::size_t begin, std::size_t end) {
    Worker& worker = workers.local();
    for (std::size_t w = begin; w < end; ++w) {
      const auto i = static_cast<std::uint32_t>(walkers_[w]);
      if (boxes.box[i].empty()) continue;
      worker.found.clear();
      tree_.find(boxes.box[i], worker.found);
      for (const std::uint32_t j : worker.found) {
        if (!(boxes.is_fixed[i] != 0 && boxes.is_fixed[j] != 0)) worker.pairs.push_back(pair_key(i, j));
      }
    }
  };
  constexpr std::size_t few = 256;
  if (boxes.changed.size() < few) {
    walk(0, boxes.changed.size());
  } else {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, boxes.changed.size(), few / 4),
                      [&](const tbb::blocked_range<std::size_t>& range) { walk(range.begin(), range.end()); });
  }
  for (const Worker& worker : workers)
    pairs.insert(pairs.end(), worker.pairs.begin(), worker.pairs.end());
}

void TwoTier::find_pairs(const Boxes& boxes, std::vector<PairKey>& pairs) {
  pairs.clear();
  if (is_first_) {
    is_first_ = false;
    is_loose_.assign(boxes.box.size(), 0);
    for (std::uint32_t i = 0; i < boxes.box.size(); ++i) {
      if (boxes.box[i].empty()) continue;
      is_loose_[i] = 1;
      loose_.push_back(i);
    }
    sweeper_.find_pairs(boxes, loose_, true, pairs);
    sort_pairs(pairs, static_cast<std::uint32_t>(boxes.box.size()), spare_);
    return;
  }
  take_changes(boxes);
  settle(boxes);
  const std::size_t live = loose_.size() + tree_.size();
  if (sweeps_many_ && static_cast<double>(boxes.changed.size()) > share_to_sweep_all * static_cast<double>(live) &&
      tree_.size() > 0) {
    live_.clear();
    for (std::uint32_t i = 0; i < boxes.box.size(); ++i)
      if (!boxes.box[i].empty()) live_.push_back(i);
    all_sweeper_.find_pairs(boxes, live_, false, pairs);
  } else {
    walk_tree(boxes, pairs);
    sweeper_.find_pairs(boxes, loose_, false, pairs);
  }
  sort_pairs(pairs, static_cast<std::uint32_t>(boxes.box.size()), spare_);
}

void TwoTier::find_overlapping(const Boxes& boxes, const AxisBox& box, std::vector<std::uint32_t>& found) const {
  found.clear();
  tree_.find(box, found);
  for (const std::uint32_t i : loose_)
    if (overlap(boxes.box[i], box) && !box.empty()) found.push_back(i);
  std::sort(found.begin(), found.end());
}

}  // namespace whisker::world
