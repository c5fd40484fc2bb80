// World::update(): applies pending changes, runs the broad phase, tests pairs and reports events.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <numeric>
#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <whisker/error.hpp>

#include "geometry/threads.hpp"
#include "shapes/kind_traits.hpp"
#include "world/broad_phases.hpp"
#include "world/world_storage.hpp"

namespace whisker {
namespace {

using world::PairRecord;

/// A cube that contains the shape in any rotation about the origin of its frame.
Aabb cube_of(const Shape& shape, const Pose& pose) {
  const Aabb own = shape.bounds();
  const Vector3 reach = own.lower.cwiseAbs().cwiseMax(own.upper.cwiseAbs());
  const double radius = reach.stableNorm() * (1 + 0x1p-40);
  // Covers the tolerance of rotations and the rounding of placed points.
  const double far = pose.translation().cwiseAbs().maxCoeff();
  const Vector3 half = Vector3::Constant(radius * (1 + 4 * Pose::rotation_tolerance) + (radius + far) * 0x1p-48);
  return {pose.translation() - half, pose.translation() + half};
}

/// Whether the rotation is so small that climbing from a hull's previous extreme vertices is faster than a new search.
bool is_turned_little(const Pose& from, const Pose& to) {
  return (to.rotation() - from.rotation()).cwiseAbs().maxCoeff() < 0.25;
}

/// Whether pairs of these kinds are tested faster with a cache of the last test.
bool uses_cache(ShapeKind a, ShapeKind b) {
  return shapes::traits_of(a).has_cache || shapes::traits_of(b).has_cache;
}

/// An upper bound on the distance between points of two boxes.
double box_reach(const Aabb& a, const Aabb& b) {
  const Vector3 reach = (a.upper - b.lower).cwiseMax(b.upper - a.lower);
  return reach.allFinite() ? reach.stableNorm() * (1 + 0x1p-48) : HUGE_VAL;
}

}  // namespace

void World::Storage::take_changes(bool has_limits) {
  // Few changes are sorted; many are collected by a scan over all slots. Both give ascending order.
  const bool are_many = pending.size() > generation.size() / 8;
  if (are_many || changed.size() > generation.size() / 8) {
    is_changed.assign(generation.size(), 0);
  } else {
    for (const std::uint32_t slot : changed)
      is_changed[slot] = 0;
  }
  if (pending.size() == generation.size()) {
    changed.resize(pending.size());
    std::iota(changed.begin(), changed.end(), 0u);
  } else if (are_many) {
    changed.resize(generation.size());
    std::uint32_t* end = changed.data();
    for (std::uint32_t slot = 0; slot < is_pending.size(); ++slot) {
      *end = slot;
      end += is_pending[slot] != 0 ? 1 : 0;
    }
    changed.resize(pending.size());
  } else {
    changed = pending;
    std::sort(changed.begin(), changed.end());
  }
  pending.clear();
  for (auto& [slot, next] : next_shape)
    if (is_live[slot] != 0) shape[slot] = std::move(next);
  next_shape.clear();
  set_boxes(has_limits);
  if (!switched_off.empty() || !next_switched_off.empty()) switched_off = next_switched_off;
}

Aabb World::Storage::bare_box(std::uint32_t slot) const {
  Aabb result = box[slot];
  const double margin = body[slot].margin;
  if (!options.tests_shapes || is_box[slot] != 0 || result.empty() || !(margin > 0 && margin < HUGE_VAL)) return result;
  for (int i = 0; i < 3; ++i) {
    // Two roundings: one from adding the margin, one from removing it.
    result.lower[i] += margin - (std::abs(result.lower[i]) + margin) * 0x1p-51;
    result.upper[i] -= margin - (std::abs(result.upper[i]) + margin) * 0x1p-51;
  }
  return result;
}

void World::Storage::set_box(std::uint32_t slot, bool has_limits) {
  const std::uint8_t how = is_pending[slot];
  if (has_limits) last_box[slot] = bare_box(slot);
  is_pending[slot] = 0;
  is_changed[slot] = 1;
  if (how != place_changed) {
    is_in_world[slot] = is_live[slot];
    if (is_live[slot] == 0) {
      box[slot] = Aabb();
      return;
    }
    body[slot] = next_body[slot];
    if ((body[slot].layers & body[slot].meets & 1) == 0) has_layers.store(true, std::memory_order_relaxed);
    is_static[slot] = body[slot].is_static ? 1 : 0;
  }
  if (is_box[slot] != 0) {
    box[slot] = next_box[slot];
    return;
  }
  const bool cube = options.boxes == BodyBoxKind::cube && !shape[slot].is_unbounded();
  const ConvexHull* const hull = has_climbed_hulls && !cube ? shape[slot].as<ConvexHull>() : nullptr;
  if (hull != nullptr && world::is_climbed(*hull)) {
    const bool is_near = how == place_changed && is_turned_little(pose[slot], next_pose[slot]);
    box[slot] = world::hull_box(*hull, next_pose[slot], is_near, corners[slot]);
  } else {
    box[slot] = cube ? cube_of(shape[slot], next_pose[slot]) : shape[slot].bounds(next_pose[slot]);
  }
  pose[slot] = next_pose[slot];
  if (body[slot].margin > 0) {
    box[slot].lower.array() -= body[slot].margin;
    box[slot].upper.array() += body[slot].margin;
  }
}

void World::Storage::set_boxes(bool has_limits) {
  constexpr std::size_t grain = 512;
  if (has_limits) last_box.resize(box.size());
  if (has_climbed_hulls) corners.resize(box.size());
  if (changed.size() < 2 * grain) {
    for (const std::uint32_t slot : changed)
      set_box(slot, has_limits);
  } else {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, changed.size(), grain),
                      [&](const tbb::blocked_range<std::size_t>& range) {
                        for (std::size_t i = range.begin(); i < range.end(); ++i)
                          set_box(changed[i], has_limits);
                      });
  }
}

void World::Storage::find_pairs() {
  try {
    broad_phase->find_pairs({box, is_changed, is_static, changed}, found);
    if (options.broad_phase != nullptr) world::check_pairs(found, box.size());
  } catch (...) {
    // The pairs of the changed bodies are unknown, so the next update treats them as changed again.
    for (const std::uint32_t slot : changed)
      mark(slot, all_changed);
    throw;
  }
}

void World::Storage::merge_pairs() {
  // Pairs that were switched are treated as if a body had changed: a pair that was switched on while neither body moved
  // may overlap.
  std::sort(switched.begin(), switched.end());
  switched.erase(std::unique(switched.begin(), switched.end()), switched.end());
  for (const PairKey key : switched) {
    const std::uint32_t a = first_of(key), b = second_of(key);
    if ((is_changed[a] | is_changed[b]) != 0 || !may_meet(a, b) || !world::overlap(box[a], box[b])) continue;
    const auto at = std::lower_bound(found.begin(), found.end(), key);
    found.insert(at, key);
  }
  next_records.clear();
  // Reserves more than needed, so that memory is not slightly enlarged and paged in anew at every update.
  const std::size_t most = records.size() + found.size();
  if (next_records.capacity() < most) next_records.reserve(most + most / 4);
  ended.clear();
  to_test.clear();
  const auto has_changed = [&](PairKey key) { return (is_changed[first_of(key)] | is_changed[second_of(key)]) != 0; };
  const auto is_switched = [&](PairKey key) {
    return !switched.empty() && std::binary_search(switched.begin(), switched.end(), key);
  };
  bool is_unasked = false;  // whether the filter threw for the current pair
  const auto drop = [&](const PairRecord& record) {
    if (record.is_touching) ended.push_back(record.key);
    if (record.cache != PairRecord::no_cache) free_caches.push_back(record.cache);
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
      to_test.push_back(static_cast<std::uint32_t>(next_records.size()));
    }
    next_records.push_back(record);
  };
  const auto ask_filter = [&](PairRecord& record) {
    record.is_refused = false;
    if (filter == nullptr) return;
    try {
      record.is_refused = !filter(id_of(first_of(record.key)), id_of(second_of(record.key)));
    } catch (...) {
      if (filter_error == nullptr) filter_error = std::current_exception();
      is_unasked = true;
    }
  };

  // Both lists are sorted. `found` has every overlapping pair with a changed body. All other previous pairs are kept.
  std::size_t next = 0;
  // The bodies' options are far away in memory, so they are read only if they can keep two bodies apart.
  const bool any_kept_apart = has_layers || !switched_off.empty();
  const auto may = [&](PairKey key) { return !any_kept_apart || may_meet(first_of(key), second_of(key)); };
  const auto begin_pair = [&](PairKey key) {
    if (!may(key)) return;
    PairRecord record;
    record.key = key;
    ask_filter(record);
    keep(record, true);
    next_records.back().is_new = true;
  };
  // Pairs that nothing has happened to are copied in runs.
  const bool has_runs = !filter_is_new && switched.empty() && changed.size() < is_changed.size() / 2;
  for (std::size_t at = 0; at < records.size(); ++at) {
    if (has_runs) {
      const PairKey end = next < found.size() ? found[next] : ~PairKey{0};
      const std::size_t begin = at;
      while (at < records.size()) {
        const PairRecord& record = records[at];
        const bool is_quiet = (is_changed[first_of(record.key)] | is_changed[second_of(record.key)]) == 0;
        if (!is_quiet || record.key >= end || record.is_open() || record.is_touching != record.was_touching) break;
        ++at;
      }
      const auto first = records.begin();
      next_records.insert(next_records.end(), first + static_cast<std::ptrdiff_t>(begin),
                          first + static_cast<std::ptrdiff_t>(at));
      if (at == records.size()) break;
    }
    PairRecord& old = records[at];
    while (next < found.size() && found[next] < old.key)
      begin_pair(found[next++]);
    const bool again = next < found.size() && found[next] == old.key;
    next += again ? 1 : 0;
    const bool moved = has_changed(old.key);
    const bool is_kept_apart = (moved || is_switched(old.key)) && !may(old.key);
    if ((moved && !again) || is_kept_apart) {
      drop(old);
      continue;
    }
    const bool was_refused = old.is_refused;
    if (filter_is_new) ask_filter(old);
    keep(old, moved || (was_refused && !old.is_refused));
  }
  while (next < found.size())
    begin_pair(found[next++]);
  records.swap(next_records);
  switched.clear();
  // If the filter threw, all pairs are filtered again next time.
  filter_is_new = filter_error != nullptr;
}

std::exception_ptr World::Storage::test_pairs(const UpdateOptions& limits) {
  using Clock = std::chrono::steady_clock;
  const bool has_end = limits.seconds < HUGE_VAL;
  if (!options.tests_shapes && limits.budget >= to_test.size() && !has_end) {
    for (const std::uint32_t i : to_test) {
      records[i].is_touching = true;
      records[i].waited = 0;
    }
    report.tested = to_test.size();
    return nullptr;
  }
  std::size_t count = to_test.size();
  if (limits.budget < count) count = static_cast<std::size_t>(limits.budget);
  const bool is_ordered = has_end || count < to_test.size();
  if (is_ordered) order_tests(count);
  const std::uint32_t* const tests = is_ordered ? test_order.data() : to_test.data();
  if (is_ordered) {
    for (const std::uint32_t i : to_test)
      if (records[i].waited < PairRecord::longest_wait) ++records[i].waited;
  }
  for (std::size_t i = 0; i < count && options.tests_shapes; ++i) {
    PairRecord& record = records[tests[i]];
    const std::uint32_t a = first_of(record.key), b = second_of(record.key);
    const bool wants = is_box[a] == 0 && is_box[b] == 0 && uses_cache(shape[a].kind(), shape[b].kind());
    if (!wants || record.cache != PairRecord::no_cache) continue;
    if (free_caches.empty()) {
      record.cache = static_cast<std::uint32_t>(caches.size());
      caches.emplace_back();
    } else {
      record.cache = free_caches.back();
      free_caches.pop_back();
      caches[record.cache] = PairCache();
    }
  }
  struct Worker {
    Cost cost;
    std::size_t tested = 0;
    std::size_t failures = 0;
    std::size_t failed = SIZE_MAX;
    std::exception_ptr error;
  };
  tbb::enumerable_thread_specific<Worker> workers;
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(std::clamp(limits.seconds, 0.0, 1e6)));
  std::atomic<bool> is_over = has_end && !(limits.seconds > 0);
  const auto do_touch = [&](const Placed& a, const Placed& b, const PairRecord& record, Cost& cost) {
    return record.cache != PairRecord::no_cache ? whisker::touches(a, b, {.cache = &caches[record.cache]}, &cost)
                                                : whisker::touches(a, b, &cost);
  };
  const auto touch_box = [&](std::uint32_t a, std::uint32_t b, const PairRecord& record, Cost& cost) {
    const Body x = body_of(a), y = body_of(b);
    return do_touch({*x.shape, x.pose}, {*y.shape, y.pose}, record, cost);
  };
  const auto test = [&](std::size_t i, Worker& worker) {
    PairRecord& record = records[tests[i]];
    const std::uint32_t a = first_of(record.key), b = second_of(record.key);
    try {
      if (!options.tests_shapes || (is_box[a] != 0 && is_box[b] != 0)) {
        record.is_touching = true;
      } else {
        record.is_touching = is_box[a] == 0 && is_box[b] == 0
                                 ? do_touch({shape[a], pose[a]}, {shape[b], pose[b]}, record, worker.cost)
                                 : touch_box(a, b, record, worker.cost);
      }
      record.waited = 0;
      ++worker.tested;
    } catch (...) {
      // The pair has had its turn: one that keeps failing must not keep the others waiting.
      record.waited = 1;
      ++worker.failures;
      if (i < worker.failed) {
        worker.failed = i;
        worker.error = std::current_exception();
      }
    }
  };
  constexpr std::size_t grain = 32;
  const auto work = [&](std::size_t first, std::size_t last) {
    Worker& worker = workers.local();
    for (std::size_t i = first; i < last; ++i) {
      if (has_end) {
        if (is_over || Clock::now() >= end) {
          is_over = true;
          return;
        }
      }
      test(i, worker);
    }
  };
  if (count < 2 * grain || !options.tests_shapes) {
    work(0, count);
  } else if (!has_end) {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, grain),
                      [&](const tbb::blocked_range<std::size_t>& range) { work(range.begin(), range.end()); });
  } else {
    // Threads take the next tests in order, because the time may run out before the last.
    std::atomic<std::size_t> next = 0;
    tbb::parallel_for(std::size_t{0}, (count + grain - 1) / grain, [&](std::size_t) {
      const std::size_t first = next.fetch_add(grain);
      work(first, std::min(first + grain, count));
    });
  }
  std::size_t failed = SIZE_MAX;
  std::exception_ptr error;
  for (const Worker& worker : workers) {
    report.tested += worker.tested;
    if (is_ordered) tests_before += worker.tested + worker.failures;
    report.cost += worker.cost;
    if (worker.failed < failed) {
      failed = worker.failed;
      error = worker.error;
    }
  }
  return error;
}

void World::Storage::report_events() {
  if (unresolved.empty() && report.tested == to_test.size() && filter_error == nullptr) {
    report_changes();
  } else {
    report_all();
  }
  report.touching = touching.size();
  report.unresolved = unresolved.size();
  report.stop = unresolved.empty() ? Stop::exact : Stop::budget;
}

void World::Storage::report_changes() {
  // No pairs are unresolved, before or now. So the touching pairs are the previous ones without those that ended, plus
  // those that began.
  begun.clear();
  for (const std::uint32_t i : to_test) {
    const PairRecord& record = records[i];
    if (record.is_touching == record.was_touching) continue;
    (record.is_touching ? begun : ended).push_back(record.key);
  }
  std::sort(ended.begin(), ended.end());
  const auto key_of = [](const WorldPair& pair) { return PairKey{pair.a.slot} << 32 | pair.b.slot; };
  next_touching.resize(touching.size() + begun.size() - ended.size());
  events.resize(touching.size() + begun.size());
  WorldPair* to = next_touching.data();
  TouchEvent* event = events.data();
  const WorldPair* old = touching.data();
  const WorldPair* const old_end = old + touching.size();
  std::size_t next_begun = 0, next_ended = 0;
  while (true) {
    // Finds the next pair that has changed, and copies all pairs before it.
    const PairKey begins = next_begun < begun.size() ? begun[next_begun] : ~PairKey{0};
    const PairKey ends = next_ended < ended.size() ? ended[next_ended] : ~PairKey{0};
    const PairKey differs = std::min(begins, ends);
    for (; old != old_end && key_of(*old) < differs; ++old) {
      *to++ = *old;
      *event++ = {*old, TouchChange::stays};
    }
    if (differs == ~PairKey{0}) break;
    if (begins < ends) {
      *to = pair_of(begins);
      *event++ = {*to++, TouchChange::began};
      ++next_begun;
    } else {
      *event++ = {*old++, TouchChange::ended};
      ++next_ended;
    }
  }
  touching.swap(next_touching);
  report.pairs = records.size();
  if (filter != nullptr) {
    report.pairs -= static_cast<std::size_t>(
        std::count_if(records.begin(), records.end(), [](const PairRecord& record) { return record.is_refused; }));
  }
}

void World::Storage::report_all() {
  touching.clear();
  events.clear();
  unresolved.clear();
  std::sort(ended.begin(), ended.end());
  std::size_t next = 0;
  const auto end_before = [&](PairKey key) {
    for (; next < ended.size() && ended[next] < key; ++next)
      events.push_back({pair_of(ended[next]), TouchChange::ended});
  };
  for (const PairRecord& record : records) {
    end_before(record.key);
    if (record.is_refused) continue;
    ++report.pairs;
    if (record.is_open()) {
      const Aabb a = bare_box(first_of(record.key)), b = bare_box(second_of(record.key));
      unresolved.push_back({pair_of(record.key), world::box_gap(a, b), box_reach(a, b)});
      continue;
    }
    if (record.is_touching) touching.push_back(pair_of(record.key));
    if (record.is_touching || record.was_touching) {
      const TouchChange change = !record.was_touching ? TouchChange::began
                                 : record.is_touching ? TouchChange::stays
                                                      : TouchChange::ended;
      events.push_back({pair_of(record.key), change});
    }
  }
  end_before(~PairKey{0});
}

const UpdateReport& World::update(const UpdateOptions& options) {
  with_threads("world", storage_->options.threads, [&] { update_here(options); });
  return storage_->report;
}

const UpdateReport& World::update_here(const UpdateOptions& options) {
  if (std::isnan(options.seconds)) throw Error("world: update: the seconds are NaN; omit them for no limit");
  Storage& s = *storage_;
  s.report = {};
  s.filter_error = nullptr;
  if (s.next_filter) {
    s.filter = std::move(*s.next_filter);
    s.next_filter.reset();
    s.filter_is_new = true;
  }
  s.tree.reset();
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  s.take_changes(options.budget < std::numeric_limits<std::uint64_t>::max() || options.seconds < HUGE_VAL);
  s.report.moved = s.changed.size();
  const auto boxes_done = Clock::now();
  s.find_pairs();
  s.merge_pairs();
  const auto pairs_done = Clock::now();
  const std::exception_ptr error = s.test_pairs(options);
  const auto tests_done = Clock::now();
  s.report_events();
  const auto seconds = [](Clock::duration time) { return std::chrono::duration<double>(time).count(); };
  s.report.seconds_boxes = seconds(boxes_done - begin);
  s.report.seconds_pairs = seconds(pairs_done - boxes_done);
  s.report.seconds_tests = seconds(tests_done - pairs_done);
  // Only now may the slots of removed bodies be reused, because events name them.
  for (const std::uint32_t slot : s.changed) {
    if (s.is_live[slot] != 0) continue;
    ++s.generation[slot];
    s.shape[slot] = Sphere{0};
    s.free_slots.push_back(slot);
  }
  if (!s.next_switched_off.empty()) {
    std::erase_if(s.next_switched_off,
                  [&s](PairKey key) { return s.is_live[first_of(key)] == 0 || s.is_live[second_of(key)] == 0; });
    s.switched_off = s.next_switched_off;
  }
  if (s.filter_error) std::rethrow_exception(s.filter_error);
  if (error) std::rethrow_exception(error);
  return s.report;
}

}  // namespace whisker
