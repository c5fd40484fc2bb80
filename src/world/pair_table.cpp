#include "world/pair_table.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include <whisker/error.hpp>

#include "geometry/lists.hpp"
#include "world/box_pairs.hpp"
#include "world/static_and_moving.hpp"

namespace whisker::world {
namespace {

/// Returns the default broad phase if the factory is empty. Throws an Error if the factory returns null.
std::unique_ptr<BroadPhase> make_broad_phase(const BroadPhaseFactory& factory) {
  if (factory == nullptr) return std::make_unique<StaticAndMoving>(true);
  std::unique_ptr<BroadPhase> made = factory();
  if (made == nullptr) throw Error("world: the broad phase is null; its factory must return one");
  return made;
}

/// Throws an Error if the pairs of a broad phase are not ascending or contain numbers that are not below `count`.
void check_pairs(std::span<const PairKey> pairs, std::size_t count) {
  PairKey last = 0;
  for (const PairKey key : pairs) {
    if (first_of(key) >= second_of(key) || second_of(key) >= count)
      throw Error(
          "world: update: the broad phase returned a pair with a box that does not exist, or of a box with itself");
    if (key <= last) throw Error("world: update: the pairs of the broad phase are not ascending");
    last = key;
  }
}

}  // namespace

PairTable::PairTable(const WorldOptions& options)
    : broad_phase(make_broad_phase(options.broad_phase)), is_users_broad_phase(options.broad_phase != nullptr) {}

bool PairTable::is_pair(const BodyTable& bodies, std::uint32_t a, std::uint32_t b) const {
  if (!may_meet(bodies, a, b)) return false;
  return filter == nullptr || filter(bodies.id_of(std::min(a, b)), bodies.id_of(std::max(a, b)));
}

void PairTable::give_cache(PairRecord& record) {
  if (free_caches_.empty()) {
    record.cache = static_cast<std::uint32_t>(caches.size());
    caches.emplace_back();
  } else {
    record.cache = free_caches_.back();
    free_caches_.pop_back();
    caches[record.cache] = PairCache();
  }
}

void PairTable::take_filter() {
  filter_error = nullptr;
  if (!next_filter) return;
  filter = std::move(*next_filter);
  next_filter.reset();
  filter_is_new = true;
}

void PairTable::find(BodyTable& bodies) {
  if (!switched_off.empty() || !next_switched_off.empty()) switched_off = next_switched_off;
  try {
    broad_phase->find_pairs({bodies.box, bodies.is_changed, bodies.is_static, bodies.changed}, found_);
    if (is_users_broad_phase) check_pairs(found_, bodies.box.size());
  } catch (...) {
    // The pairs of the changed bodies are unknown, so the next update treats them as changed again.
    for (const std::uint32_t slot : bodies.changed)
      bodies.mark(slot, BodyTable::all_changed);
    throw;
  }
  merge(bodies);
}

void PairTable::forget_removed(const BodyTable& bodies) {
  if (next_switched_off.empty()) return;
  std::erase_if(next_switched_off,
                [&](PairKey key) { return bodies.is_live[first_of(key)] == 0 || bodies.is_live[second_of(key)] == 0; });
  switched_off = next_switched_off;
}

void PairTable::merge(const BodyTable& bodies) {
  // Pairs that were switched are treated as if a body had changed: a pair that was switched on while neither body moved
  // may overlap.
  geometry::sort_unique(switched);
  for (const PairKey key : switched) {
    const std::uint32_t a = first_of(key), b = second_of(key);
    if (bodies.has_changed(key) || !may_meet(bodies, a, b) || !overlap(bodies.box[a], bodies.box[b])) continue;
    const auto at = std::lower_bound(found_.begin(), found_.end(), key);
    found_.insert(at, key);
  }
  next_records_.clear();
  // Reserves more than needed, so that memory is not slightly enlarged and paged in anew at every update.
  const std::size_t most = records.size() + found_.size();
  if (next_records_.capacity() < most) next_records_.reserve(most + most / 4);
  ended.clear();
  to_test.clear();
  const auto is_switched = [&](PairKey key) {
    return !switched.empty() && std::binary_search(switched.begin(), switched.end(), key);
  };
  bool is_unasked = false;  // whether the filter threw for the current pair
  const auto drop = [&](const PairRecord& record) {
    if (record.is_touching) ended.push_back(record.key);
    if (record.cache != PairRecord::no_cache) free_caches_.push_back(record.cache);
  };
  const auto keep = [&](PairRecord record, bool test) {
    record.was_touching = record.is_touching;
    record.is_new = record.is_new && record.is_open();
    if (is_unasked) {
      if (record.waited == 0) record.waited = 1;
      is_unasked = false;
    } else if (record.is_refused) {
      record.is_touching = false;
      record.waited = 0;
      if (record.was_touching) ended.push_back(record.key);
    } else if (test || record.is_open()) {
      to_test.push_back(static_cast<std::uint32_t>(next_records_.size()));
    }
    next_records_.push_back(record);
  };
  const auto ask_filter = [&](PairRecord& record) {
    record.is_refused = false;
    if (filter == nullptr) return;
    try {
      record.is_refused = !filter(bodies.id_of(first_of(record.key)), bodies.id_of(second_of(record.key)));
    } catch (...) {
      if (filter_error == nullptr) filter_error = std::current_exception();
      is_unasked = true;
    }
  };

  // Both lists are sorted. `found_` has every overlapping pair with a changed body. All other previous pairs are kept.
  std::size_t next = 0;
  // The bodies' options are far away in memory, so they are read only if they can keep two bodies apart.
  const bool any_kept_apart = bodies.has_layers || !switched_off.empty();
  const auto may = [&](PairKey key) { return !any_kept_apart || may_meet(bodies, first_of(key), second_of(key)); };
  const auto begin_pair = [&](PairKey key) {
    if (!may(key)) return;
    PairRecord record;
    record.key = key;
    ask_filter(record);
    keep(record, true);
    next_records_.back().is_new = true;
  };
  // Pairs that nothing has happened to are copied in runs.
  const bool has_runs = !filter_is_new && switched.empty() && bodies.changed.size() < bodies.is_changed.size() / 2;
  for (std::size_t at = 0; at < records.size(); ++at) {
    if (has_runs) {
      const PairKey end = next < found_.size() ? found_[next] : ~PairKey{0};
      const std::size_t begin = at;
      while (at < records.size()) {
        const PairRecord& record = records[at];
        if (bodies.has_changed(record.key) || record.key >= end || record.is_open() ||
            record.is_touching != record.was_touching)
          break;
        ++at;
      }
      const auto first = records.begin();
      next_records_.insert(next_records_.end(), first + static_cast<std::ptrdiff_t>(begin),
                           first + static_cast<std::ptrdiff_t>(at));
      if (at == records.size()) break;
    }
    PairRecord& old = records[at];
    while (next < found_.size() && found_[next] < old.key)
      begin_pair(found_[next++]);
    const bool again = next < found_.size() && found_[next] == old.key;
    next += again ? 1 : 0;
    const bool moved = bodies.has_changed(old.key);
    const bool is_kept_apart = (moved || is_switched(old.key)) && !may(old.key);
    if ((moved && !again) || is_kept_apart) {
      drop(old);
      continue;
    }
    const bool was_refused = old.is_refused;
    if (filter_is_new) ask_filter(old);
    keep(old, moved || (was_refused && !old.is_refused));
  }
  while (next < found_.size())
    begin_pair(found_[next++]);
  records.swap(next_records_);
  switched.clear();
  // If the filter threw, all pairs are filtered again next time.
  filter_is_new = filter_error != nullptr;
}

}  // namespace whisker::world
