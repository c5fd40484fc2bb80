#include "world/pair_tests.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <numeric>
#include <span>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include "convex/touch_lanes.hpp"
#include "queries/table.hpp"
#include "shapes/kind_traits.hpp"
#include "world/parallel_ranges.hpp"

namespace whisker::world {
namespace {

/// Whether pairs of these kinds are tested faster with a cache of the last test.
bool uses_cache(ShapeKind a, ShapeKind b) {
  return shapes::traits_of(a).has_cache || shapes::traits_of(b).has_cache;
}

void give_caches(const BodyTable& bodies, PairTable& pairs, std::span<const std::uint32_t> tests) {
  for (const std::uint32_t i : tests) {
    PairRecord& record = pairs.records[i];
    const std::uint32_t a = first_of(record.key), b = second_of(record.key);
    if (record.cache != PairRecord::no_cache || (bodies.is_box[a] | bodies.is_box[b]) != 0) continue;
    if (uses_cache(bodies.shape[a].kind(), bodies.shape[b].kind())) pairs.give_cache(record);
  }
}

}  // namespace

std::size_t PairTests::set_batches(const BodyTable& bodies, const PairTable& pairs,
                                   std::span<const std::uint32_t> tests) {
  // Sorts by counting.
  constexpr std::size_t kind_pairs = shapes::max_kinds * shapes::max_kinds;
  std::array<std::uint32_t, 2 * kind_pairs + 1> place{};
  kinds_.resize(tests.size());
  batches_.resize(tests.size());
  for (std::size_t i = 0; i < tests.size(); ++i) {
    const PairKey key = pairs.records[tests[i]].key;
    const ShapeKind a = bodies.shape[first_of(key)].kind(), b = bodies.shape[second_of(key)].kind();
    const bool has_lanes = convex::touch_lanes_of(a, b) != convex::TouchLanes::none;
    const std::size_t kinds =
        (has_lanes ? 0 : kind_pairs) + static_cast<std::size_t>(a) * shapes::max_kinds + static_cast<std::size_t>(b);
    kinds_[i] = static_cast<std::uint16_t>(kinds);
    ++place[kinds + 1];
  }
  std::partial_sum(place.begin(), place.end(), place.begin());
  const std::size_t in_lanes = place[kind_pairs];
  for (std::size_t i = 0; i < tests.size(); ++i)
    batches_[place[kinds_[i]]++] = static_cast<std::uint32_t>(i);
  return in_lanes;
}

std::exception_ptr PairTests::run(const BodyTable& bodies, PairTable& pairs, const UpdateOptions& limits,
                                  UpdateReport& report) {
  using Clock = std::chrono::steady_clock;
  const std::vector<std::uint32_t>& to_test = pairs.to_test;
  std::vector<PairRecord>& records = pairs.records;
  const bool has_end = limits.seconds < HUGE_VAL;
  if (!bodies.tests_shapes && limits.budget >= to_test.size() && !has_end) {
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
  if (is_ordered) set_order(bodies, pairs, count);
  const std::uint32_t* const tests = is_ordered ? order_.data() : to_test.data();
  if (is_ordered) {
    for (const std::uint32_t i : to_test)
      if (records[i].waited < PairRecord::longest_wait) ++records[i].waited;
  }
  if (bodies.tests_shapes) give_caches(bodies, pairs, {tests, count});
  constexpr std::size_t grain = 32, lanes_grain = 128;  // a few times the pairs that fill the lanes
  const bool is_parallel = count >= 2 * grain && bodies.tests_shapes;
  const bool is_batched = is_parallel && !has_end;
  const std::size_t in_lanes = is_batched ? set_batches(bodies, pairs, {tests, count}) : 0;
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
  const auto touch = [&](const Placed& a, const Placed& b, const PairRecord& record, Cost& cost) {
    const auto touches = queries::algorithms(a.shape, b.shape).touches;
    if (touches == nullptr) queries::refuse("touches", a, b);
    return touches(a, b, record.cache != PairRecord::no_cache ? &pairs.caches[record.cache] : nullptr, cost);
  };
  const auto test = [&](std::size_t i, Worker& worker) {
    PairRecord& record = records[tests[i]];
    const std::uint32_t a = first_of(record.key), b = second_of(record.key);
    try {
      if (!bodies.tests_shapes || (bodies.is_box[a] != 0 && bodies.is_box[b] != 0)) {
        record.is_touching = true;
      } else {
        record.is_touching =
            bodies.is_box[a] == 0 && bodies.is_box[b] == 0
                ? touch({bodies.shape[a], bodies.pose[a]}, {bodies.shape[b], bodies.pose[b]}, record, worker.cost)
                : touch(bodies.body_of(a), bodies.body_of(b), record, worker.cost);
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
  // The same for many: simple shapes in lanes.
  const auto test_many = [&](std::span<const std::uint32_t> numbers, Worker& worker) {
    convex::TouchQueue queue;
    const auto take_verdict = [&](const convex::BatchPair& pair, convex::QuickTouch verdict) {
      if (verdict == convex::QuickTouch::unknown) return test(pair.number, worker);
      PairRecord& record = records[tests[pair.number]];
      record.is_touching = verdict == convex::QuickTouch::yes;
      record.waited = 0;
      ++worker.tested;
      ++worker.cost.primitive_tests;
    };
    for (const std::uint32_t i : numbers) {
      const PairKey key = records[tests[i]].key;
      const std::uint32_t a = first_of(key), b = second_of(key);
      const Shape &shape_a = bodies.shape[a], &shape_b = bodies.shape[b];
      const bool has_box = (bodies.is_box[a] | bodies.is_box[b]) != 0;
      const convex::TouchLanes lanes =
          has_box ? convex::TouchLanes::none : convex::touch_lanes_of(shape_a.kind(), shape_b.kind());
      if (lanes == convex::TouchLanes::none) {
        test(i, worker);
      } else {
        const auto pair = [&] { return convex::BatchPair{&shape_a, &shape_b, &bodies.pose[a], &bodies.pose[b], i}; };
        queue.add(lanes, pair, take_verdict);
      }
    }
    queue.finish(take_verdict);
  };
  const auto work = [&](std::size_t first, std::size_t last) {
    Worker& worker = workers.local();
    if (is_batched) return test_many(std::span(batches_).subspan(first, last - first), worker);
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
  if (is_batched) {
    for_ranges(in_lanes, lanes_grain, true, work);
    for_ranges(count - in_lanes, grain, true,
               [&](std::size_t first, std::size_t last) { work(in_lanes + first, in_lanes + last); });
  } else if (!is_parallel) {
    work(0, count);
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
    if (is_ordered) tests_before_ += worker.tested + worker.failures;
    report.cost += worker.cost;
    if (worker.failed < failed) {
      failed = worker.failed;
      error = worker.error;
    }
  }
  return error;
}

}  // namespace whisker::world
