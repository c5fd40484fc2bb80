#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <type_traits>
#include <utility>

#include <whisker/batch.hpp>
#include <whisker/error.hpp>

#include "convex/convex_batch.hpp"
#include "convex/distance_lanes.hpp"
#include "convex/touch_lanes.hpp"
#include "geometry/threads.hpp"
#include "queries/check_query.hpp"
#include "queries/sphere_set_queries.hpp"
#include "queries/table.hpp"
#include "queries/witness.hpp"

namespace whisker {
namespace {

constexpr std::size_t no_event = std::numeric_limits<std::size_t>::max();

/// How many queries one thread takes at a time: a few microseconds of work at least, so that distributing them costs
/// nothing.
constexpr std::size_t questions_at_a_time = 16;

/// The same for a search whose pairs all go to SIMD lanes: enough to keep them busy.
constexpr std::size_t lane_search_at_a_time = 32;

/// The same for `count` pairs that all go to SIMD lanes. Lanes are idle while the last pairs of a group end, so a
/// thread takes as many pairs as are processed at once, unless other threads would be left without any.
std::size_t questions_for_lanes(std::size_t count) {
  constexpr std::size_t least = 32;
  const auto threads = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
  const std::size_t share = count / (4 * threads) / least * least;
  return std::clamp(share, least, convex::max_batch_pairs);
}

/// Throws the Error of a single query as that of one of many.
[[noreturn]] void throw_numbered(const char* question, const char* of_what, std::size_t number, const Error& error) {
  std::string_view reason = error.what();
  const std::string start = std::string(question) + ": ";
  if (reason.starts_with(start)) reason.remove_prefix(start.size());
  queries::refuse_one(question, of_what, number, reason.data());
}

/// What ends a batch: the lowest number for which an exception was thrown, or that is a hit where hits are looked for.
class FirstEvent {
 public:
  /// Whether the work of this number can still matter.
  bool wants(std::size_t i) const { return i < lowest_.load(std::memory_order_relaxed); }

  /// `thrown` is null for a hit.
  void keep(std::size_t i, std::exception_ptr thrown) {
    const std::lock_guard lock(mutex_);
    if (i >= lowest_.load(std::memory_order_relaxed)) return;
    lowest_.store(i, std::memory_order_relaxed);
    thrown_ = std::move(thrown);
  }

  /// Throws the exception, if it is one: an Error with the number in its message, anything else (from a user's
  /// function) unchanged.
  void raise(const char* question, const char* of_what) const {
    if (thrown_ == nullptr) return;
    try {
      std::rethrow_exception(thrown_);
    } catch (const Error& error) {
      throw_numbered(question, of_what, lowest_.load(), error);
    }
  }

  /// The number of the hit, after raise().
  std::optional<std::size_t> hit() const {
    const std::size_t lowest = lowest_.load();
    if (lowest == no_event) return {};
    return lowest;
  }

 private:
  std::atomic<std::size_t> lowest_{no_event};
  std::mutex mutex_;
  std::exception_ptr thrown_;
};

struct KindPair {
  ShapeKind a, b;

  KindPair(const Shape& shape_a, const Shape& shape_b) : a(shape_a.kind()), b(shape_b.kind()) {}
  friend bool operator==(const KindPair&, const KindPair&) = default;
};

void check_pair(const char* question, Question kind, const Shape& a, const Shape& b) {
  if (!is_supported(kind, a.kind(), b.kind())) queries::refuse(question, a, b);
}

/// Whether a pair of these shapes is answered in lanes, unless the options of its query prevent that.
bool goes_to_lanes(Question kind, const Shape& a, const Shape& b) {
  if (queries::algorithms(a, b).is_for_lanes) return true;
  return kind == Question::touches ? convex::touch_lanes_of(a.kind(), b.kind()) != convex::TouchLanes::none
                                   : convex::distance_lanes_of(a.kind(), b.kind()) != convex::DistanceLanes::none;
}

template <class Options>
void check_options(const char* question, const Options& options) {
  if (options.cache != nullptr) {
    throw Error(std::string(question) + ": options.cache must be null in a batch: several threads would use it");
  }
  queries::refuse_fault(question, queries::fault_of(options));
}

/// Whether two shapes touch, asked for one pair.
struct AskTouch {
  bool operator()(const Placed& a, const Placed& b) const { return touches(a, b); }
};

/// A query: how it is answered for one pair, and for several in SIMD lanes, with the same results.
template <class Answer, class Ask, class InLanes>
struct Asked {
  static constexpr bool is_touch = std::is_same_v<Ask, AskTouch>;
  static constexpr bool is_distance = std::is_same_v<Answer, Distance>;

  const char* name;
  Question kind;
  std::span<Answer> answers;
  Ask ask;           ///< (a, b): returns the answer
  InLanes in_lanes;  ///< (pairs, which of them it answered, what comes after them)
  bool may_use_lanes;
  bool is_search = false;      ///< Only the first number whose answer is true matters.
  bool may_use_queue = false;  ///< A DistanceQueue may answer.
};
template <class Answer, class Ask, class InLanes>
Asked(const char*, Question, std::span<Answer>, Ask, InLanes, bool, bool = false, bool = false)
    -> Asked<Answer, Ask, InLanes>;

/// The pairs of a query: a with b in each pose.
struct OneInPoses {
  const Placed& a;
  const Shape& b;
  std::span<const Pose> given;

  const Shape& shape_a(std::size_t) const { return a.shape; }
  const Shape& shape_b(std::size_t) const { return b; }
  const Pose& pose_a(std::size_t) const { return a.pose; }
  const Pose& pose_b(std::size_t i) const { return given[i]; }
};

/// The pairs of a query, as given.
struct Pairs {
  std::span<const ShapePair> given;

  const Shape& shape_a(std::size_t i) const { return *given[i].a; }
  const Shape& shape_b(std::size_t i) const { return *given[i].b; }
  const Pose& pose_a(std::size_t i) const { return given[i].pose_a; }
  const Pose& pose_b(std::size_t i) const { return given[i].pose_b; }
};

/// Answers a range of the queries: in lanes if possible, the others one by one.
template <class Query, class Questions>
void ask_range(const Query& asked, std::size_t begin, std::size_t end, const Questions& questions, FirstEvent& first) {
  const auto note_hit = [&](std::size_t i) {
    if constexpr (std::is_same_v<std::decay_t<decltype(asked.answers[i])>, bool>)
      if (asked.is_search && asked.answers[i]) first.keep(i, nullptr);
  };
  // References, and no pair: one that was just written would be read in larger pieces than it was written in, which has
  // to wait for the cache.
  const auto ask_single = [&](std::size_t i, const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b) {
    if (!first.wants(i)) return;
    try {
      // Written where it stays: a copy would be read in larger pieces than the answer was written in, and wait for it.
      using Answer = std::decay_t<decltype(asked.answers[i])>;
      static_assert(std::is_trivially_destructible_v<Answer>);
      ::new (static_cast<void*>(&asked.answers[i])) Answer(asked.ask(Placed(a, pose_a), Placed(b, pose_b)));
      note_hit(i);
    } catch (...) {
      first.keep(i, std::current_exception());
    }
  };
  const auto ask = [&](const convex::BatchPair& pair) {
    ask_single(pair.number, *pair.a, *pair.pose_a, *pair.b, *pair.pose_b);
  };
  convex::TouchQueue queue;
  const auto take_verdict = [&](const convex::BatchPair& pair, convex::QuickTouch verdict) {
    if constexpr (Query::is_touch) {
      if (verdict == convex::QuickTouch::unknown) return ask(pair);
      asked.answers[pair.number] = verdict == convex::QuickTouch::yes;
      note_hit(pair.number);
    }
  };
  convex::DistanceQueue distances = [&] {
    if constexpr (Query::is_distance)
      return convex::DistanceQueue(asked.answers.data(), asked.kind == Question::signed_distance);
    return convex::DistanceQueue(nullptr, false);
  }();
  const auto take_distance = [&](const convex::BatchPair& pair, bool is_answered) {
    if (!is_answered) ask(pair);
  };
  std::array<convex::BatchPair, convex::max_batch_pairs> pairs;
  std::array<bool, convex::max_batch_pairs> answered;
  std::size_t count = 0;
  const auto ask_lanes = [&] {
    const std::span<const convex::BatchPair> together = std::span(pairs).first(count);
    // Also beyond the range: the next range most likely goes to this thread too.
    const std::size_t next = together.back().number + 1;
    const std::size_t more = std::min(pairs.size(), asked.answers.size() - next);
    asked.in_lanes(
        together, std::span(answered).first(count),
        {std::as_bytes(questions.given.subspan(next, more)), std::as_bytes(asked.answers.subspan(next, more))});
    for (std::size_t k = 0; k < count; ++k) {
      if (answered[k]) {
        note_hit(pairs[k].number);
      } else {
        ask(pairs[k]);
      }
    }
    count = 0;
  };
  const auto pair_of = [&](std::size_t i) -> convex::BatchPair {
    return {&questions.shape_a(i), &questions.shape_b(i), &questions.pose_a(i), &questions.pose_b(i), i};
  };
  // Consecutive pairs are often of the same kinds.
  std::optional<KindPair> last;
  bool is_for_lanes = false;
  convex::TouchLanes test = convex::TouchLanes::none;
  convex::DistanceLanes kernel = convex::DistanceLanes::none;
  for (std::size_t i = begin; i < end; ++i) {
    const Shape &a = questions.shape_a(i), &b = questions.shape_b(i);
    if (const KindPair kinds(a, b); kinds != last) {
      last = kinds;
      is_for_lanes = asked.may_use_lanes && queries::algorithms(a, b).is_for_lanes;
      if constexpr (Query::is_touch) test = convex::touch_lanes_of(kinds.a, kinds.b);
      if constexpr (Query::is_distance) {
        if (asked.may_use_queue) kernel = convex::distance_lanes_of(kinds.a, kinds.b);
      }
    }
    if (kernel != convex::DistanceLanes::none) {
      distances.add(
          kernel, [&] { return pair_of(i); }, take_distance);
      continue;
    }
    if (test != convex::TouchLanes::none) {
      queue.add(
          test, [&] { return pair_of(i); }, take_verdict);
      continue;
    }
    if (!is_for_lanes) {
      ask_single(i, a, questions.pose_a(i), b, questions.pose_b(i));
      continue;
    }
    std::construct_at(&pairs[count++], pair_of(i));
    if (count == pairs.size()) ask_lanes();
  }
  if (count > 0) ask_lanes();
  queue.finish(take_verdict);
  distances.finish(take_distance);
}

/// Calls `work(begin, end)` for ranges of the numbers below `count`, lowest first, on all threads, until an event makes
/// the rest unnecessary. So no thread is ever more than a few ranges beyond the event.
template <class Work>
void search_in_order(std::size_t count, std::size_t at_a_time, const FirstEvent& first, const Work& work) {
  std::atomic<std::size_t> next = 0;
  tbb::parallel_for(0, tbb::this_task_arena::max_concurrency(), [&](int) {
    for (;;) {
      const std::size_t begin = next.fetch_add(at_a_time, std::memory_order_relaxed);
      if (begin >= count || !first.wants(begin)) return;
      work(begin, std::min(begin + at_a_time, count));
    }
  });
}

template <class Query, class Questions>
std::optional<std::size_t> ask_all(const Query& asked, const char* of_what, bool for_lanes,
                                   const Questions& questions) {
  FirstEvent first;
  const std::size_t count = asked.answers.size();
  const auto ask = [&](std::size_t begin, std::size_t end) { ask_range(asked, begin, end, questions, first); };
  if (asked.is_search) {
    search_in_order(count, for_lanes ? lane_search_at_a_time : questions_at_a_time, first, ask);
  } else {
    const std::size_t at_a_time = for_lanes ? questions_for_lanes(count) : questions_at_a_time;
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, (count + at_a_time - 1) / at_a_time), [&](const auto& range) {
      ask(range.begin() * at_a_time, std::min(range.end() * at_a_time, count));
    });
  }
  first.raise(asked.name, of_what);
  return first.hit();
}

/// Answers the query for a and each placed b.
template <class Query>
std::optional<std::size_t> ask_poses(const Query& asked, int threads, const Placed& a, const Shape& b,
                                     std::span<const Pose> poses) {
  return with_threads(asked.name, threads, [&] {
    queries::check_room(asked.name, "pose", poses.size(), asked.answers.size());
    check_pair(asked.name, asked.kind, a.shape, b);
    return ask_all(asked, "pose", goes_to_lanes(asked.kind, a.shape, b), OneInPoses{a, b, poses});
  });
}

/// Whether all pairs go to SIMD lanes. Throws an Error if there is a pair that cannot be queried.
bool check_pairs(const char* question, Question kind, std::span<const ShapePair> pairs) {
  bool for_lanes = true;
  std::optional<KindPair> known;
  for (const ShapePair& pair : pairs) {
    try {
      if (pair.a == nullptr) throw Error("its first shape is null");
      if (pair.b == nullptr) throw Error("its second shape is null");
      // What follows depends only on the kinds, which consecutive pairs often share.
      const KindPair kinds(*pair.a, *pair.b);
      if (kinds == known) continue;
      known = kinds;
      if (goes_to_lanes(kind, *pair.a, *pair.b)) continue;
      for_lanes = false;
      check_pair(question, kind, *pair.a, *pair.b);
    } catch (const Error& error) {
      throw_numbered(question, "pair", static_cast<std::size_t>(&pair - pairs.data()), error);
    }
  }
  return for_lanes;
}

template <class Query>
std::optional<std::size_t> ask_pairs(const Query& asked, int threads, std::span<const ShapePair> pairs) {
  return with_threads(asked.name, threads, [&] {
    queries::check_room(asked.name, "pair", pairs.size(), asked.answers.size());
    return ask_all(asked, "pair", check_pairs(asked.name, asked.kind, pairs), Pairs{pairs});
  });
}

using LanePairs = std::span<const convex::BatchPair>;

// The queries. They refer to the options.

auto touch_query(std::span<bool> answers, const char* search = nullptr) {
  const auto in_lanes = [=](LanePairs pairs, std::span<bool> answered, const convex::Upcoming& upcoming) {
    convex::touches_in_lanes(pairs, answers, answered, upcoming);
  };
  const bool is_search = search != nullptr;
  return Asked{is_search ? search : "touches", Question::touches, answers, AskTouch(), in_lanes, true, is_search};
}

void distance_in_lanes(LanePairs pairs, const DistanceOptions& options, std::span<Distance> answers,
                       std::span<bool> answered, const convex::Upcoming& upcoming) {
  std::array<convex::HullCorners, convex::max_batch_pairs> corners;
  convex::distance_in_lanes(pairs, options, answers, answered, corners, upcoming);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!answered[i]) continue;
    const convex::BatchPair& pair = pairs[i];
    queries::center_hull_points(*pair.a, *pair.pose_a, *pair.b, *pair.pose_b, corners[i], answers[pair.number]);
    if (options.features)
      queries::name_features({*pair.a, *pair.pose_a}, {*pair.b, *pair.pose_b}, answers[pair.number]);
  }
}

auto distance_query(std::span<Distance> answers, const DistanceOptions& options) {
  check_options("distance", options);
  const auto ask = [&options](const Placed& a, const Placed& b) { return distance(a, b, options); };
  const auto in_lanes = [&options, answers](LanePairs pairs, std::span<bool> answered,
                                            const convex::Upcoming& upcoming) {
    distance_in_lanes(pairs, options, answers, answered, upcoming);
  };
  const bool is_plain = convex::is_for_lanes(options);
  return Asked{"distance", Question::distance, answers, ask, in_lanes, is_plain, false, is_plain && !options.features};
}

/// In lanes, distances of pairs that are apart are those of single queries. Other pairs are asked one by one.
auto signed_query(std::span<Distance> answers, const SignedDistanceOptions& options) {
  check_options("signed_distance", options);
  const auto ask = [&options](const Placed& a, const Placed& b) { return signed_distance(a, b, options); };
  const auto in_lanes = [&options, answers](LanePairs pairs, std::span<bool> answered,
                                            const convex::Upcoming& upcoming) {
    distance_in_lanes(pairs, {.features = options.features}, answers, answered, upcoming);
    for (std::size_t i = 0; i < pairs.size(); ++i)
      answered[i] = answered[i] && answers[pairs[i].number].lower > 0;
  };
  const bool is_plain = options.tolerance == 0 && options.upper_bound == std::numeric_limits<double>::infinity();
  const bool may_use_queue = is_plain && !options.features;
  return Asked{"signed_distance", Question::signed_distance, answers, ask, in_lanes, is_plain, false, may_use_queue};
}

auto closer_than_query(std::span<bool> answers, double max_distance) {
  const auto ask = [=](const Placed& a, const Placed& b) { return closer_than(a, b, max_distance); };
  const auto in_lanes = [=](LanePairs pairs, std::span<bool> answered, const convex::Upcoming& upcoming) {
    convex::closer_than_in_lanes(pairs, max_distance, answers, answered, upcoming);
  };
  return Asked{"closer_than", Question::distance, answers, ask, in_lanes, max_distance >= 0};
}

/// The set of spheres, if b is one: for it everything about a that does not depend on the pose is computed only once.
const SphereSet* check_spheres(const char* name, Question question, const Placed& a, const Shape& b, std::size_t poses,
                               std::size_t answers) {
  const auto* const set = b.as<SphereSet>();
  if (set == nullptr) return nullptr;
  queries::check_room(name, "pose", poses, answers);
  check_pair(name, question, a.shape, b);
  return set;
}

}  // namespace

void touches(const Placed& a, const Shape& b, std::span<const Pose> poses_b, const BatchOptions& options,
             std::span<bool> answers) {
  if (const SphereSet* const set = check_spheres("touches", Question::touches, a, b, poses_b.size(), answers.size()))
    return queries::touches_in_poses(a, *set, poses_b, options.threads, answers);
  ask_poses(touch_query(answers), options.threads, a, b, poses_b);
}

std::optional<std::size_t> first_touching_pose(const Placed& a, const Shape& b, std::span<const Pose> poses_b,
                                               const BatchOptions& options) {
  constexpr const char* name = "first_touching_pose";
  const SphereSet* const set = check_spheres(name, Question::touches, a, b, poses_b.size(), poses_b.size());
  if (set == nullptr) {
    const auto room = std::make_unique_for_overwrite<bool[]>(poses_b.size());
    return ask_poses(touch_query(std::span(room.get(), poses_b.size()), name), options.threads, a, b, poses_b);
  }
  return with_threads(name, options.threads, [&] {
    const queries::SphereObstacle obstacle(a);
    FirstEvent first;
    search_in_order(poses_b.size(), questions_at_a_time, first, [&](std::size_t begin, std::size_t end) {
      Cost unused;
      for (std::size_t i = begin; i < end && first.wants(i); ++i) {
        try {
          if (obstacle.touches(*set, poses_b[i], unused)) first.keep(i, nullptr);
        } catch (...) {
          first.keep(i, std::current_exception());
        }
      }
    });
    first.raise(name, "pose");
    return first.hit();
  });
}

std::optional<std::size_t> first_touching_pair(std::span<const ShapePair> pairs, const BatchOptions& options) {
  const auto room = std::make_unique_for_overwrite<bool[]>(pairs.size());
  return ask_pairs(touch_query(std::span(room.get(), pairs.size()), "first_touching_pair"), options.threads, pairs);
}

void distance(const Placed& a, const Shape& b, std::span<const Pose> poses_b, const DistanceOptions& options,
              std::span<Distance> answers) {
  if (const SphereSet* const set =
          check_spheres("distance", Question::distance, a, b, poses_b.size(), answers.size())) {
    check_options("distance", options);
    return queries::distance_in_poses(a, *set, poses_b, options, answers);
  }
  ask_poses(distance_query(answers, options), options.threads, a, b, poses_b);
}

void signed_distance(const Placed& a, const Shape& b, std::span<const Pose> poses_b,
                     const SignedDistanceOptions& options, std::span<Distance> answers) {
  ask_poses(signed_query(answers, options), options.threads, a, b, poses_b);
}

void closer_than(const Placed& a, const Shape& b, std::span<const Pose> poses_b, double max_distance,
                 const BatchOptions& options, std::span<bool> answers) {
  ask_poses(closer_than_query(answers, max_distance), options.threads, a, b, poses_b);
}

void touches(std::span<const ShapePair> pairs, const BatchOptions& options, std::span<bool> answers) {
  ask_pairs(touch_query(answers), options.threads, pairs);
}

void distance(std::span<const ShapePair> pairs, const DistanceOptions& options, std::span<Distance> answers) {
  ask_pairs(distance_query(answers, options), options.threads, pairs);
}

void signed_distance(std::span<const ShapePair> pairs, const SignedDistanceOptions& options,
                     std::span<Distance> answers) {
  ask_pairs(signed_query(answers, options), options.threads, pairs);
}

void closer_than(std::span<const ShapePair> pairs, double max_distance, const BatchOptions& options,
                 std::span<bool> answers) {
  ask_pairs(closer_than_query(answers, max_distance), options.threads, pairs);
}

}  // namespace whisker
