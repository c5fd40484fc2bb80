#include <atomic>
#include <cstddef>
#include <exception>
#include <limits>
#include <mutex>
#include <string>
#include <string_view>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <utility>

#include <whisker/batch.hpp>
#include <whisker/error.hpp>

#include "queries/table.hpp"

namespace whisker {
namespace {

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

/// Questions that one thread takes at a time: a few microseconds of work at least, so that sharing it out costs
/// nothing.
constexpr std::size_t questions_at_a_time = 16;

/// Keeps what was thrown for the lowest number.
class FirstFailure {
 public:
  /// Whether the work of this number can still matter.
  bool wants(std::size_t i) const { return i < lowest_.load(std::memory_order_relaxed); }

  void keep(std::size_t i, std::exception_ptr thrown) {
    const std::lock_guard lock(mutex_);
    if (i >= lowest_.load(std::memory_order_relaxed)) return;
    lowest_.store(i, std::memory_order_relaxed);
    thrown_ = std::move(thrown);
  }

  /// Throws it: an Error with the number in its message, anything else (from a user's function) as it is.
  void raise(const char* question, const char* of_what) const {
    if (thrown_ == nullptr) return;
    try {
      std::rethrow_exception(thrown_);
    } catch (const Error& error) {
      const std::string start = std::string(question) + ": ";
      std::string_view reason = error.what();
      if (reason.starts_with(start)) reason.remove_prefix(start.size());
      throw Error(start + of_what + " " + std::to_string(lowest_.load()) + ": " + std::string(reason));
    }
  }

 private:
  std::atomic<std::size_t> lowest_{none};
  std::mutex mutex_;
  std::exception_ptr thrown_;
};

/// Calls `work(i)` for all i below `count`, on all cores. If calls throw, the exception of the lowest i is thrown once
/// all is done; no exception depends on the number of threads.
template <class Work>
void for_each(std::size_t count, const char* question, const char* of_what, const Work& work) {
  FirstFailure failure;
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, questions_at_a_time), [&](const auto& range) {
    for (std::size_t i = range.begin(); i < range.end() && failure.wants(i); ++i) {
      try {
        work(i);
      } catch (...) {
        failure.keep(i, std::current_exception());
      }
    }
  });
  failure.raise(question, of_what);
}

void check_sizes(const char* question, const char* of_what, std::size_t asked, std::size_t room) {
  if (asked == room) return;
  throw Error(std::string(question) + ": " + std::to_string(asked) + " " + of_what + "s, but room for " +
              std::to_string(room) + " answers; give a span of the same size");
}

void check_pair(const char* question, Question kind, const Shape& a, const Shape& b) {
  if (!is_supported(kind, a.kind(), b.kind())) queries::refuse(question, a, b);
}

void check_options(const char* question, const DistanceOptions& options) {
  if (options.cache != nullptr) {
    throw Error(std::string(question) + ": options.cache must be null in a batch: several threads would use it");
  }
}

/// Asks about a and each placed b: `ask(placed b)`. Single calls check the poses again; next to a question that is
/// nothing, and the answers are the single calls' because they are single calls.
template <class Answer, class Ask>
void ask_poses(const char* question, Question kind, const Placed& a, const Shape& b, std::span<const Pose> poses,
               std::span<Answer> answers, const Ask& ask) {
  check_sizes(question, "pose", poses.size(), answers.size());
  check_pair(question, kind, a.shape, b);
  check(a.pose);
  for_each(poses.size(), question, "pose", [&](std::size_t i) { check(poses[i]); });
  for_each(poses.size(), question, "pose", [&](std::size_t i) { answers[i] = ask(Placed(b, poses[i])); });
}

template <class Answer, class Ask>
void ask_pairs(const char* question, Question kind, std::span<const ShapePair> pairs, std::span<Answer> answers,
               const Ask& ask) {
  check_sizes(question, "pair", pairs.size(), answers.size());
  for_each(pairs.size(), question, "pair", [&](std::size_t i) {
    const ShapePair& pair = pairs[i];
    if (pair.a == nullptr) throw Error("its first shape is null");
    if (pair.b == nullptr) throw Error("its second shape is null");
    check_pair(question, kind, *pair.a, *pair.b);
    queries::checked_algorithms({*pair.a, pair.pose_a}, {*pair.b, pair.pose_b});
  });
  for_each(pairs.size(), question, "pair", [&](std::size_t i) {
    answers[i] = ask(Placed(*pairs[i].a, pairs[i].pose_a), Placed(*pairs[i].b, pairs[i].pose_b));
  });
}

}  // namespace

void touches(const Placed& a, const Shape& b, std::span<const Pose> poses_b, std::span<bool> answers) {
  ask_poses("touches", Question::touches, a, b, poses_b, answers,
            [&](const Placed& placed) { return touches(a, placed); });
}

void distance(const Placed& a, const Shape& b, std::span<const Pose> poses_b, std::span<Distance> answers,
              const DistanceOptions& options) {
  check_options("distance", options);
  ask_poses("distance", Question::distance, a, b, poses_b, answers,
            [&](const Placed& placed) { return distance(a, placed, options); });
}

void closer_than(const Placed& a, const Shape& b, std::span<const Pose> poses_b, double limit,
                 std::span<bool> answers) {
  ask_poses("closer_than", Question::distance, a, b, poses_b, answers,
            [&](const Placed& placed) { return closer_than(a, placed, limit); });
}

void touches(std::span<const ShapePair> pairs, std::span<bool> answers) {
  ask_pairs("touches", Question::touches, pairs, answers,
            [&](const Placed& a, const Placed& b) { return touches(a, b); });
}

void distance(std::span<const ShapePair> pairs, std::span<Distance> answers, const DistanceOptions& options) {
  check_options("distance", options);
  ask_pairs("distance", Question::distance, pairs, answers,
            [&](const Placed& a, const Placed& b) { return distance(a, b, options); });
}

void closer_than(std::span<const ShapePair> pairs, double limit, std::span<bool> answers) {
  ask_pairs("closer_than", Question::distance, pairs, answers,
            [&](const Placed& a, const Placed& b) { return closer_than(a, b, limit); });
}

}  // namespace whisker
