#pragma once

// Simple implementations of broad phases from the literature, as baselines that the library's own are measured against.
//
//  RectangleSweep   sweeps one axis and keeps the active boxes in an interval tree along the second (I-COLLIDE's
//                   alternative for bodies whose ends crowd along each axis: Cohen, Lin, Manocha and Ponamgi 1995)
//  Octree           halves space along all axes at once, without storing a tree (Kitamura, Smith, Takemura and Kishino
//                   1998)
//  KdTree           halves space along one axis at a time, with half of the boxes on each side
//  SpaceTimeBounds  parabolic horns: a pair is not tested before the limits of its motion allow contact (Hubbard 1993)

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <queue>
#include <span>
#include <vector>

#include <whisker/geometry/aabb.hpp>
#include <whisker/vector.hpp>

#include "world/box_pairs.hpp"

namespace whisker::baselines {

using world::Boxes;

/// The parts that all of them share: the numbers of the bodies that have a box, and which pairs each update must
/// report.
class Looks {
 public:
  void start(const Boxes& boxes, std::vector<PairKey>& pairs) {
    pairs.clear();
    numbers_.clear();
    for (std::uint32_t i = 0; i < boxes.box.size(); ++i)
      if (!boxes.box[i].empty()) numbers_.push_back(i);
  }
  void finish(std::vector<PairKey>& pairs) {
    std::sort(pairs.begin(), pairs.end());
    first_ = false;
  }
  const std::vector<std::uint32_t>& numbers() const { return numbers_; }
  bool is_wanted(const Boxes& boxes, std::uint32_t a, std::uint32_t b) const {
    if (first_) return (boxes.is_static[a] & boxes.is_static[b] & 1) == 0;
    return world::is_wanted(boxes, a, b);
  }

 private:
  std::vector<std::uint32_t> numbers_;
  bool first_ = true;
};

/// O(n log n + k log n) for k pairs that overlap along the first two axes.
class RectangleSweep final : public BroadPhase {
 public:
  void find_pairs(const Boxes& boxes, std::vector<PairKey>& pairs) override {
    looks_.start(boxes, pairs);
    const std::size_t count = looks_.numbers().size();
    // The interval tree: leaves sorted by lower end along y, each node with the largest upper end of the active leaves
    // below.
    by_lower_ = looks_.numbers();
    std::sort(by_lower_.begin(), by_lower_.end(),
              [&](std::uint32_t a, std::uint32_t b) { return boxes.box[a].lower[1] < boxes.box[b].lower[1]; });
    rank_.resize(boxes.box.size());
    for (std::uint32_t r = 0; r < count; ++r)
      rank_[by_lower_[r]] = r;
    leaves_ = 1;
    while (leaves_ < count)
      leaves_ *= 2;
    farthest_.assign(2 * leaves_, -infinity);
    is_active_.assign(count, 0);

    ends_.clear();
    for (const std::uint32_t i : looks_.numbers()) {
      ends_.push_back({boxes.box[i].lower[0], 2 * i});
      ends_.push_back({boxes.box[i].upper[0], 2 * i + 1});
    }
    std::sort(ends_.begin(), ends_.end(), [](const End& a, const End& b) {
      return a.value < b.value || (a.value == b.value && (a.name & 1) < (b.name & 1));
    });
    for (const End& end : ends_) {
      const std::uint32_t number = end.name / 2;
      const Aabb& box = boxes.box[number];
      if (end.name % 2 == 1) {
        set_active(rank_[number], -infinity, 0);
        continue;
      }
      // The boxes that begin no later than this one ends.
      const auto last = std::upper_bound(by_lower_.begin(), by_lower_.end(), box.upper[1],
                                         [&](double y, std::uint32_t i) { return y < boxes.box[i].lower[1]; });
      const auto last_rank = static_cast<std::size_t>(last - by_lower_.begin());
      visit(1, 0, leaves_, last_rank, box.lower[1], [&](std::uint32_t other) {
        const Aabb& b = boxes.box[other];
        if (box.lower[2] <= b.upper[2] && b.lower[2] <= box.upper[2] && looks_.is_wanted(boxes, number, other))
          pairs.push_back(pair_key(number, other));
      });
      set_active(rank_[number], box.upper[1], 1);
    }
    looks_.finish(pairs);
  }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  struct End {
    double value;
    std::uint32_t name;
  };

  void set_active(std::uint32_t rank, double upper, std::uint8_t active) {
    is_active_[rank] = active;
    std::size_t node = leaves_ + rank;
    farthest_[node] = upper;
    for (node /= 2; node >= 1; node /= 2)
      farthest_[node] = std::max(farthest_[2 * node], farthest_[2 * node + 1]);
  }

  /// Visits the active boxes with a rank below `last` that reach up to `lower`.
  template <class Visit>
  void visit(std::size_t node, std::size_t begin, std::size_t end, std::size_t last, double lower,
             const Visit& see) const {
    if (begin >= last || farthest_[node] < lower) return;
    if (end - begin == 1) {
      if (is_active_[begin] != 0) see(by_lower_[begin]);
      return;
    }
    const std::size_t middle = (begin + end) / 2;
    visit(2 * node, begin, middle, last, lower, see);
    visit(2 * node + 1, middle, end, last, lower, see);
  }

  Looks looks_;
  std::vector<std::uint32_t> by_lower_, rank_;
  std::vector<End> ends_;
  std::size_t leaves_ = 1;
  std::vector<double> farthest_;
  std::vector<std::uint8_t> is_active_;
};

/// A part of space between planes: [begin, end) along each axis, unlimited where an end is infinite.
struct Region {
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  Vector3 begin = Vector3::Constant(-infinity);
  Vector3 end = Vector3::Constant(infinity);

  /// Whether the region contains the larger of the lower bounds. True in exactly one of the regions that partition
  /// space.
  bool is_home_of(const Aabb& a, const Aabb& b) const {
    for (int axis = 0; axis < 3; ++axis) {
      const double at = std::max(a.lower[axis], b.lower[axis]);
      if (at < begin[axis] || (at >= end[axis] && end[axis] < infinity)) return false;
    }
    return true;
  }
};

/// Whether part of the box is before the plane, and whether part of it is at or behind the plane. Boxes for which both
/// hold go into both regions.
inline bool is_before(const Aabb& box, int axis, double plane) {
  return box.lower[axis] < plane;
}
inline bool is_behind(const Aabb& box, int axis, double plane) {
  return box.upper[axis] >= plane;
}

/// The pairs of a region that is not subdivided.
inline void compare_all(const Boxes& boxes, std::span<const std::uint32_t> numbers, const Region& region,
                        const Looks& looks, std::vector<PairKey>& pairs) {
  for (std::size_t i = 0; i + 1 < numbers.size(); ++i) {
    const Aabb& a = boxes.box[numbers[i]];
    for (std::size_t j = i + 1; j < numbers.size(); ++j) {
      const Aabb& b = boxes.box[numbers[j]];
      if (world::overlap(a, b) && looks.is_wanted(boxes, numbers[i], numbers[j]) && region.is_home_of(a, b))
        pairs.push_back(pair_key(numbers[i], numbers[j]));
    }
  }
}

constexpr std::size_t few_boxes = 12;  // a region with no more boxes than this is not subdivided

/// The tree is traversed, not stored.
class Octree final : public BroadPhase {
 public:
  void find_pairs(const Boxes& boxes, std::vector<PairKey>& pairs) override {
    looks_.start(boxes, pairs);
    Vector3 lower = Vector3::Zero(), upper = Vector3::Zero();
    for (int axis = 0; axis < 3; ++axis) {
      double least = Region::infinity, most = -Region::infinity;
      for (const std::uint32_t i : looks_.numbers()) {
        if (std::isfinite(boxes.box[i].lower[axis])) least = std::min(least, boxes.box[i].lower[axis]);
        if (std::isfinite(boxes.box[i].upper[axis])) most = std::max(most, boxes.box[i].upper[axis]);
      }
      if (least <= most) {
        lower[axis] = least;
        upper[axis] = most;
      }
    }
    walk(boxes, looks_.numbers(), {}, lower, upper, 0, pairs);
    looks_.finish(pairs);
  }

 private:
  static constexpr int deepest = 10;
  Looks looks_;

  // The cell, given by `lower` and `upper`, is finite also where the region at the border of the world is not.
  void walk(const Boxes& boxes, const std::vector<std::uint32_t>& numbers, const Region& region, const Vector3& lower,
            const Vector3& upper, int depth, std::vector<PairKey>& pairs) const {
    if (numbers.size() > few_boxes && depth < deepest) {
      const Vector3 middle = lower / 2 + upper / 2;
      std::array<std::vector<std::uint32_t>, 8> parts;
      std::size_t sum = 0;
      for (const std::uint32_t i : numbers) {
        for (std::size_t part = 0; part < 8; ++part) {
          bool inside = true;
          for (int axis = 0; axis < 3; ++axis) {
            const bool high = (part >> axis & 1) != 0;
            inside = inside &&
                     (high ? is_behind(boxes.box[i], axis, middle[axis]) : is_before(boxes.box[i], axis, middle[axis]));
          }
          if (!inside) continue;
          parts[part].push_back(i);
          ++sum;
        }
      }
      if (sum < 3 * numbers.size()) {
        for (std::size_t part = 0; part < 8; ++part) {
          if (parts[part].size() < 2) continue;
          Region inner = region;
          Vector3 inner_lower = lower, inner_upper = upper;
          for (int axis = 0; axis < 3; ++axis) {
            const bool high = (part >> axis & 1) != 0;
            (high ? inner.begin : inner.end)[axis] = middle[axis];
            (high ? inner_lower : inner_upper)[axis] = middle[axis];
          }
          walk(boxes, parts[part], inner, inner_lower, inner_upper, depth + 1, pairs);
        }
        return;
      }
    }
    compare_all(boxes, numbers, region, looks_, pairs);
  }
};

/// The tree is traversed, not stored.
class KdTree final : public BroadPhase {
 public:
  void find_pairs(const Boxes& boxes, std::vector<PairKey>& pairs) override {
    looks_.start(boxes, pairs);
    deepest_ = 2 * static_cast<int>(std::log2(static_cast<double>(looks_.numbers().size() + 1)));
    walk(boxes, looks_.numbers(), {}, 0, pairs);
    looks_.finish(pairs);
  }

 private:
  void walk(const Boxes& boxes, const std::vector<std::uint32_t>& numbers, const Region& region, int depth,
            std::vector<PairKey>& pairs) {
    if (numbers.size() > few_boxes && depth < deepest_) {
      // The axis whose median plane cuts the fewest boxes.
      int best = -1;
      double plane = 0;
      std::size_t fewest = numbers.size() + numbers.size() / 2;
      for (int axis = 0; axis < 3; ++axis) {
        values_.clear();
        for (const std::uint32_t i : numbers)
          values_.push_back(boxes.box[i].lower[axis]);
        const auto middle = values_.begin() + static_cast<std::ptrdiff_t>(values_.size() / 2);
        std::nth_element(values_.begin(), middle, values_.end());
        if (!std::isfinite(*middle)) continue;
        std::size_t before = 0, behind = 0;
        for (const std::uint32_t i : numbers) {
          before += is_before(boxes.box[i], axis, *middle) ? 1u : 0u;
          behind += is_behind(boxes.box[i], axis, *middle) ? 1u : 0u;
        }
        if (before == numbers.size() || behind == numbers.size() || before + behind >= fewest) continue;
        fewest = before + behind;
        best = axis;
        plane = *middle;
      }
      if (best >= 0) {
        std::vector<std::uint32_t> before, behind;
        for (const std::uint32_t i : numbers) {
          if (is_before(boxes.box[i], best, plane)) before.push_back(i);
          if (is_behind(boxes.box[i], best, plane)) behind.push_back(i);
        }
        Region low = region, high = region;
        low.end[best] = plane;
        high.begin[best] = plane;
        walk(boxes, before, low, depth + 1, pairs);
        walk(boxes, behind, high, depth + 1, pairs);
        return;
      }
    }
    compare_all(boxes, numbers, region, looks_, pairs);
  }

  Looks looks_;
  int deepest_ = 0;
  std::vector<double> values_;
};

// --- space-time bounds -----------------------------------------------------------------------------------------------

/// What is known about the motion of a box from now on: each of its bounds moves at `velocity`, plus or minus
/// `velocity_error` along each axis, and this velocity changes by at most `acceleration` per unit of time along each
/// axis. After the time t, a bound has moved by velocity · t plus or minus velocity_error · t + acceleration · t² / 2:
/// the parabolic horn of Hubbard 1993, along each axis.
struct MotionLimits {
  Vector3 velocity = Vector3::Zero();
  double velocity_error = 0;
  double acceleration = std::numeric_limits<double>::infinity();  ///< nothing is known
};

/// The time from now before which the boxes cannot overlap if they keep within these limits: 0 if they do overlap or
/// nothing is known, infinite if they never will. Rounded down, so it is a valid bound despite rounding.
inline double earliest_contact(const Aabb& a, const MotionLimits& of_a, const Aabb& b, const MotionLimits& of_b) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
  if (a.empty() || b.empty()) return infinity;
  const double acceleration = (of_a.acceleration + of_b.acceleration) * (1 + rounding);
  const double error = (of_a.velocity_error + of_b.velocity_error) * (1 + rounding);
  if (!(acceleration < infinity && error < infinity)) return 0;

  // Along an axis, and for either order of the two boxes, the gap at time t is at least g + v t − A t² / 2 while it is
  // open. That is positive between two times, or never.
  struct Apart {
    double from = infinity, to = 0;
  };
  std::array<Apart, 6> apart;
  std::size_t at = 0;
  for (int axis = 0; axis < 3; ++axis) {
    for (const bool turned : {false, true}) {
      const double high = turned ? b.lower[axis] : a.lower[axis], low = turned ? a.upper[axis] : b.upper[axis];
      const double speed =
          turned ? of_b.velocity[axis] - of_a.velocity[axis] : of_a.velocity[axis] - of_b.velocity[axis];
      if (high == low && std::isinf(high)) continue;  // bounds at infinity stay there
      double g = high - low;
      g -= rounding * std::abs(g);
      if (g == infinity) return infinity;
      double v = speed - error;
      v -= rounding * (std::abs(speed) + error);
      if (g == -infinity) continue;
      Apart& gap = apart[at++];
      if (acceleration == 0) {
        if (g > 0) {
          gap = {-1, v < 0 ? g / -v : infinity};
        } else if (v > 0) {
          gap = {-g / v, infinity};
        }
      } else {
        const double square = v * v, twice = 2 * acceleration * g;
        const double under = square + twice - rounding * (square + std::abs(twice));
        if (!(under > 0) || !(under < infinity)) {
          continue;  // never, or the numbers overflow
        }
        const double root = std::sqrt(under) * (1 - rounding);
        if (g > 0) {
          gap = {-1, v >= 0 ? (v + root) / acceleration : 2 * g / (std::sqrt(under) * (1 + rounding) - v)};
        } else if (v > 0) {
          gap = {-2 * g / (v + root), (v + root) / acceleration};
        }
      }
      gap.from *= 1 + 4 * rounding;
      gap.to *= 1 - 4 * rounding;
    }
  }
  // The first time at which no axis separates the boxes. Each gap is passed once.
  double time = 0;
  for (bool again = true; again;) {
    again = false;
    for (const Apart& gap : apart) {
      if (gap.from < time && time < gap.to) {
        time = gap.to;
        again = time < infinity;
      }
    }
  }
  return time;
}

/// Tests a pair only when it could touch. Boxes without a promise are compared with all others at every update. Stores
/// n² / 2 entries.
class SpaceTimeBounds final : public BroadPhase {
 public:
  /// The time of the next update. Must not decrease.
  void set_time(double now) { now_ = now; }
  /// From the next update on, the box keeps within these limits, which hold as of that time. The update then tests all
  /// of its pairs. Call this for a new box, and for one that broke its promise, for example by a collision.
  void promise(std::uint32_t number, const MotionLimits& limits) {
    grow(number + 1);
    bodies_[number] = {limits, now_, bodies_[number].version + 1, true};
    news_.push_back(number);
  }
  /// More accurate limits for a box that kept its promise.
  void renew(std::uint32_t number, const MotionLimits& limits) {
    bodies_[number].limits = limits;
    bodies_[number].since = now_;
  }
  /// The box has no limits any more.
  void release(std::uint32_t number) {
    grow(number + 1);
    bodies_[number] = {{}, now_, bodies_[number].version + 1, false};
  }
  /// The number of pairs that the last update compared.
  std::uint64_t compared() const { return compared_; }

  void find_pairs(const Boxes& boxes, std::vector<PairKey>& pairs) override {
    looks_.start(boxes, pairs);
    compared_ = 0;
    const auto count = static_cast<std::uint32_t>(boxes.box.size());
    grow(count);
    // Pairs with a box that has no limits.
    for (const std::uint32_t i : looks_.numbers()) {
      if (bodies_[i].is_known) continue;
      for (const std::uint32_t j : looks_.numbers()) {
        if (j == i || (!bodies_[j].is_known && j < i)) continue;
        ++compared_;
        if (world::overlap(boxes.box[i], boxes.box[j]) && looks_.is_wanted(boxes, i, j))
          pairs.push_back(pair_key(i, j));
      }
    }
    // Pairs that touched at the last update, pairs that could touch by now, and pairs of boxes with new promises.
    touching_before_.swap(touching_);
    touching_.clear();
    for (const Entry& entry : touching_before_)
      look_at(boxes, entry);
    due_.clear();
    for (; !waiting_.empty() && waiting_.top().time <= now_; waiting_.pop())
      due_.push_back(waiting_.top());
    for (const Entry& entry : due_)
      look_at(boxes, entry);
    std::sort(news_.begin(), news_.end());
    news_.erase(std::unique(news_.begin(), news_.end()), news_.end());
    is_new_.assign(count, 0);
    for (const std::uint32_t i : news_) {
      if (!bodies_[i].is_known) continue;
      is_new_[i] = 1;
      for (std::uint32_t j = 0; j < count; ++j)
        if (bodies_[j].is_known && is_new_[j] == 0) look_at(boxes, {now_, pair_key(i, j), versions(i, j)});
    }
    news_.clear();
    for (const Entry& entry : touching_) {
      const std::uint32_t a = first_of(entry.key), b = second_of(entry.key);
      if (looks_.is_wanted(boxes, a, b)) pairs.push_back(entry.key);
    }
    looks_.finish(pairs);
  }

 private:
  struct Body {
    MotionLimits limits;
    double since = 0;
    std::uint64_t version = 0;
    bool is_known = false;
  };
  struct Entry {
    double time;
    PairKey key;
    std::uint64_t versions;  ///< sum for both bodies: a different sum means that a promise was replaced
    bool operator<(const Entry& other) const { return time > other.time; }
  };

  void grow(std::size_t count) {
    if (bodies_.size() < count) bodies_.resize(count);
  }
  std::uint64_t versions(std::uint32_t a, std::uint32_t b) const { return bodies_[a].version + bodies_[b].version; }

  /// The limits as of now: the velocity may have changed since they were given.
  MotionLimits aged(const Body& body) const {
    MotionLimits limits = body.limits;
    limits.velocity_error += limits.acceleration * (now_ - body.since) * (1 + 1e-12);
    return limits;
  }

  void look_at(const Boxes& boxes, Entry entry) {
    const std::uint32_t a = first_of(entry.key), b = second_of(entry.key);
    if (entry.versions != versions(a, b)) return;
    ++compared_;
    const Aabb &box_a = boxes.box[a], &box_b = boxes.box[b];
    if (!box_a.empty() && !box_b.empty() && world::overlap(box_a, box_b)) {
      touching_.push_back(entry);
      return;
    }
    const double wait = earliest_contact(box_a, aged(bodies_[a]), box_b, aged(bodies_[b]));
    if (wait == std::numeric_limits<double>::infinity()) return;
    entry.time = std::nextafter(now_ + wait, -std::numeric_limits<double>::infinity());
    waiting_.push(entry);
  }

  Looks looks_;
  double now_ = 0;
  std::uint64_t compared_ = 0;
  std::vector<Body> bodies_;
  std::vector<std::uint32_t> news_;
  std::vector<std::uint8_t> is_new_;
  std::vector<Entry> touching_, touching_before_, due_;
  std::priority_queue<Entry> waiting_;
};

}  // namespace whisker::baselines
