// World::update(): the steps of an update, one after the other.

#include <chrono>
#include <cmath>
#include <exception>
#include <limits>
#include <utility>

#include <whisker/error.hpp>

#include "world/world_storage.hpp"

namespace whisker {

const UpdateReport& World::update(const UpdateOptions& options) {
  with_threads("world", storage_->threads, [&] { update_here(options); });
  return storage_->report;
}

const UpdateReport& World::update_here(const UpdateOptions& options) {
  if (std::isnan(options.seconds)) throw Error("world: update: the seconds are NaN; omit them for no limit");
  using Clock = std::chrono::steady_clock;
  Storage& s = *storage_;
  s.report = {};
  s.tree.drop();
  s.pairs.take_filter();
  auto last = Clock::now();
  const auto seconds = [&] {
    const auto before = std::exchange(last, Clock::now());
    return std::chrono::duration<double>(last - before).count();
  };
  s.bodies.take_changes(options.budget < std::numeric_limits<std::uint64_t>::max() || options.seconds < HUGE_VAL);
  s.report.moved = s.bodies.changed.size();
  s.report.seconds_boxes = seconds();
  s.pairs.find(s.bodies);
  s.report.seconds_pairs = seconds();
  const std::exception_ptr error = s.tests.run(s.bodies, s.pairs, options, s.report);
  s.report.seconds_tests = seconds();
  s.events.find(s.bodies, s.pairs, s.report);
  s.bodies.free_removed();
  s.pairs.forget_removed(s.bodies);
  if (s.pairs.filter_error) std::rethrow_exception(s.pairs.filter_error);
  if (error) std::rethrow_exception(error);
  return s.report;
}

}  // namespace whisker
