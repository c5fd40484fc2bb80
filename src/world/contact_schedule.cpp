#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <whisker/error.hpp>
#include <whisker/world/contact_schedule.hpp>

#include "geometry/threads.hpp"
#include "shapes/kind_traits.hpp"
#include "world/parallel_ranges.hpp"

namespace whisker {
namespace {

constexpr std::uint32_t none = 0xFFFFFFFF;
/// Relative margin that covers the rounding of sums of a few products.
constexpr double rounding = 0x1p-40;

struct ScheduledBody {
  BodyId id;
  bool is_live = false;
  MotionLimits limits = {};
  double since = 0;   ///< when the limits were set
  double radius = 0;  ///< no point of the body is farther from the origin of its frame

  /// Upper bound on the speed of any point due to rotation about that origin, and the rate at which that bound grows.
  double turning(double age) const {
    const double spin = limits.spin + limits.spin_acceleration * age;
    return spin > 0 ? spin * radius : 0;
  }
  double turning_growth() const { return limits.spin_acceleration > 0 ? limits.spin_acceleration * radius : 0; }
};

struct ScheduledPair {
  std::uint32_t a = none, b = none;
  bool touches = false;
  double since = 0;  ///< when the gap was measured
  double gap = 0;    ///< lower bound: along `normal`, or in any direction if that is zero
  Vector3 normal = Vector3::Zero();
  double due = 0;              ///< the pair cannot touch before this time
  std::uint32_t place = none;  ///< index in the heap
  PairCache cache = {};
};

void check_limits(const MotionLimits& limits) {
  if (!limits.velocity.allFinite() || !(limits.acceleration >= 0) || !(limits.spin >= 0) ||
      !(limits.spin_acceleration >= 0)) {
    throw Error("contact schedule: velocities must be finite, and the other limits must be 0 or larger");
  }
}

double radius_of(const Shape& shape) {
  const Aabb box = shape.bounds();
  const Vector3 reach = box.lower.cwiseAbs().cwiseMax(box.upper.cwiseAbs());
  return reach.allFinite() ? reach.stableNorm() * (1 + rounding) : HUGE_VAL;
}

}  // namespace

double earliest_contact(double gap, double closing, double acceleration) {
  if (!(gap > 0)) return 0;
  if (acceleration == HUGE_VAL || closing == HUGE_VAL) return 0;
  double time;
  if (!(acceleration > 0)) {
    if (!(closing > 0)) return HUGE_VAL;
    time = gap / closing;
  } else {
    // Solves closing t + acceleration t² / 2 = gap, in the form without cancellation.
    const double root = std::sqrt(closing * closing + 2 * acceleration * gap);
    time = closing >= 0 ? 2 * gap / (root + closing) : (root - closing) / acceleration;
  }
  return std::isnan(time) ? 0 : time * (1 - rounding);
}

struct ContactSchedule::Storage {
  const World* world = nullptr;
  int threads = 0;
  double now = -HUGE_VAL;
  std::vector<ScheduledBody> bodies;
  std::map<BodyId, std::uint32_t> index;
  std::vector<std::uint32_t> free;
  std::vector<ScheduledPair> pairs;  ///< the pair of bodies i < j is at j (j - 1) / 2 + i
  std::vector<std::uint32_t> heap;
  std::size_t pair_count = 0;
  std::vector<std::uint32_t> due;
  std::vector<WorldPair> touching;

  static std::size_t pair_index(std::uint32_t a, std::uint32_t b) {
    const std::size_t i = std::min(a, b), j = std::max(a, b);
    return j * (j - 1) / 2 + i;
  }
  /// Calls visit(pair, number) for the body's pairs.
  template <class Visit>
  void for_pairs_of(std::uint32_t body, const Visit& visit) {
    for (std::uint32_t other = 0; other < bodies.size(); ++other) {
      if (other == body) continue;
      const std::size_t number = pair_index(body, other);
      if (pairs[number].place != none) visit(pairs[number], static_cast<std::uint32_t>(number));
    }
  }
  std::uint32_t body_at(BodyId id, const char* what) const {
    const auto at = index.find(id);
    if (at == index.end())
      throw Error(std::string("contact schedule: ") + what + ": body " + std::to_string(id.slot) + "." +
                  std::to_string(id.generation) + " is not in the schedule");
    return at->second;
  }

  // --- The heap: the pair that is due first is on top. ---

  bool is_before(std::uint32_t p, std::uint32_t q) const {
    return pairs[p].due != pairs[q].due ? pairs[p].due < pairs[q].due : p < q;
  }
  void put(std::size_t place, std::uint32_t pair) {
    heap[place] = pair;
    pairs[pair].place = static_cast<std::uint32_t>(place);
  }
  void sift(std::size_t place) {
    const std::uint32_t pair = heap[place];
    while (place > 0 && is_before(pair, heap[(place - 1) / 2])) {
      put(place, heap[(place - 1) / 2]);
      place = (place - 1) / 2;
    }
    while (2 * place + 1 < heap.size()) {
      std::size_t child = 2 * place + 1;
      if (child + 1 < heap.size() && is_before(heap[child + 1], heap[child])) ++child;
      if (!is_before(heap[child], pair)) break;
      put(place, heap[child]);
      place = child;
    }
    put(place, pair);
  }
  void insert(std::uint32_t pair) {
    heap.push_back(pair);
    pairs[pair].place = static_cast<std::uint32_t>(heap.size() - 1);
    sift(heap.size() - 1);
  }
  void take_out(std::uint32_t pair) {
    const std::size_t place = pairs[pair].place;
    const std::uint32_t last = heap.back();
    heap.pop_back();
    pairs[pair].place = none;
    if (last == pair) return;
    put(place, last);
    sift(place);
  }

  // --- When a pair is due. ---

  /// Upper bound on how fast the gap closes when it was measured, and the rate at which that bound grows.
  struct Closing {
    double speed, growth;
  };
  Closing closing_of(const ScheduledPair& pair) const {
    const ScheduledBody &a = bodies[pair.a], &b = bodies[pair.b];
    const double age_a = pair.since - a.since, age_b = pair.since - b.since;
    const Vector3 relative = a.limits.velocity - b.limits.velocity;
    const double toward = pair.normal.isZero(0) ? relative.norm() : relative.dot(pair.normal);
    const double speeds = a.limits.velocity.norm() + b.limits.velocity.norm();
    const double closing = toward + speeds * rounding +
                           (a.limits.acceleration * age_a + b.limits.acceleration * age_b) +
                           (a.turning(age_a) + b.turning(age_b));
    const double growth = (a.limits.acceleration + b.limits.acceleration) + (a.turning_growth() + b.turning_growth());
    return {closing + std::abs(closing) * rounding, growth + growth * rounding};
  }
  void set_due(ScheduledPair& pair) {
    if (pair.touches || !(pair.gap > 0)) {
      pair.due = pair.since;
      return;
    }
    const auto [closing, growth] = closing_of(pair);
    pair.due = pair.since + earliest_contact(pair.gap, closing, growth);
    if (pair.due < HUGE_VAL) pair.due -= std::abs(pair.due) * 0x1p-50;  // covers the rounding of the sum
  }
  /// Sets the gap to what remains of it now, given the limits that held until now.
  void bring_up(ScheduledPair& pair) const {
    if (pair.touches || !(pair.gap > 0) || pair.since == now) return;
    const double time = now - pair.since;
    const auto [closing, growth] = closing_of(pair);
    const double closed = closing * time + growth * time * time / 2;
    const double left = pair.gap - closed - (std::abs(closing * time) + pair.gap) * rounding;
    pair.gap = left > 0 ? left : 0;
    pair.since = now;
  }

  void look(ScheduledPair& pair) const {
    const ScheduledBody &a = bodies[pair.a], &b = bodies[pair.b];
    const Placed placed_a(world->shape(a.id), world->pose(a.id)), placed_b(world->shape(b.id), world->pose(b.id));
    const Distance found = distance(placed_a, placed_b, {.cache = &pair.cache});
    pair.since = now;
    pair.touches = found.lower == 0 && whisker::touches(placed_a, placed_b);
    pair.gap = found.lower;
    // Convex shapes are separated by a plane perpendicular to the normal, on whose sides they stay. Other shapes can
    // meet anywhere.
    const bool has_plane = shapes::traits_of(placed_a.shape).is_convex && shapes::traits_of(placed_b.shape).is_convex;
    pair.normal = has_plane ? found.normal : Vector3::Zero();
    if (has_plane) {
      // The normal is rounded, so along it the shapes may be slightly closer.
      const double far = (placed_a.pose.translation() - placed_b.pose.translation()).norm();
      const auto reach = [](double radius) { return radius < HUGE_VAL ? radius : 0; };
      pair.gap -= (far + reach(a.radius) + reach(b.radius)) * rounding;
    }
  }
};

ContactSchedule::ContactSchedule(const World& world, const ContactScheduleOptions& options)
    : storage_(std::make_unique<Storage>()) {
  check_threads("contact schedule", options.threads);
  storage_->threads = options.threads;
  storage_->world = &world;
  for (const BodyId id : world.bodies())
    add(id);
}

void ContactSchedule::add(BodyId id) {
  Storage& s = *storage_;
  if (s.index.contains(id)) throw Error("contact schedule: add: the body is in the schedule already");
  const double radius = radius_of(s.world->shape(id));
  std::uint32_t at;
  if (s.free.empty()) {
    at = static_cast<std::uint32_t>(s.bodies.size());
    s.bodies.emplace_back();
    s.pairs.resize(s.pairs.size() + at);
  } else {
    at = s.free.back();
    s.free.pop_back();
  }
  s.bodies[at] = {.id = id, .is_live = true, .since = s.now > -HUGE_VAL ? s.now : 0, .radius = radius};
  s.index[id] = at;
  for (std::uint32_t other = 0; other < s.bodies.size(); ++other) {
    if (other == at || !s.bodies[other].is_live || !s.world->may_meet(id, s.bodies[other].id)) continue;
    const std::size_t number = Storage::pair_index(at, other);
    const bool other_first = s.bodies[other].id < id;
    s.pairs[number] = {.a = other_first ? other : at, .b = other_first ? at : other, .due = -HUGE_VAL};
    ++s.pair_count;
    s.insert(static_cast<std::uint32_t>(number));
  }
}

void ContactSchedule::remove(BodyId id) {
  Storage& s = *storage_;
  const std::uint32_t at = s.body_at(id, "remove");
  s.for_pairs_of(at, [&](const ScheduledPair&, std::uint32_t number) {
    s.take_out(number);
    --s.pair_count;
  });
  s.bodies[at].is_live = false;
  s.index.erase(id);
  s.free.push_back(at);
}

void ContactSchedule::set_limits(BodyId id, const MotionLimits& limits) {
  Storage& s = *storage_;
  check_limits(limits);
  const std::uint32_t at = s.body_at(id, "set_limits");
  const bool has_begun = s.now > -HUGE_VAL;
  if (has_begun) s.for_pairs_of(at, [&](ScheduledPair& pair, std::uint32_t) { s.bring_up(pair); });
  s.bodies[at].limits = limits;
  s.bodies[at].since = has_begun ? s.now : 0;
  if (!has_begun) return;
  s.for_pairs_of(at, [&](ScheduledPair& pair, std::uint32_t) {
    if (pair.due == -HUGE_VAL) return;  // not measured yet
    s.set_due(pair);
    s.sift(pair.place);
  });
}

void ContactSchedule::reset(BodyId id) {
  Storage& s = *storage_;
  const std::uint32_t at = s.body_at(id, "reset");
  s.bodies[at].radius = radius_of(s.world->shape(id));
  s.for_pairs_of(at, [&](ScheduledPair& pair, std::uint32_t) {
    pair.due = -HUGE_VAL;
    s.sift(pair.place);
  });
}

std::span<const WorldPair> ContactSchedule::advance(double time) {
  Storage& s = *storage_;
  if (!std::isfinite(time) || time < s.now)
    throw Error("contact schedule: advance: the time must be finite and must not decrease");
  if (s.now == -HUGE_VAL) {
    for (ScheduledBody& body : s.bodies)
      body.since = time;  // limits set before the first time count from that time
  }
  s.now = time;
  s.due.clear();
  while (!s.heap.empty() && s.pairs[s.heap[0]].due <= time) {
    s.due.push_back(s.heap[0]);
    s.take_out(s.heap[0]);
  }
  world::for_queries("contact schedule", s.threads, s.due.size(), [&](std::size_t i) { s.look(s.pairs[s.due[i]]); });
  s.touching.clear();
  for (const std::uint32_t number : s.due) {
    ScheduledPair& pair = s.pairs[number];
    s.set_due(pair);
    s.insert(number);
    if (pair.touches) s.touching.push_back({s.bodies[pair.a].id, s.bodies[pair.b].id});
  }
  std::sort(s.touching.begin(), s.touching.end());
  return s.touching;
}

std::size_t ContactSchedule::looked_at() const {
  return storage_->due.size();
}
std::size_t ContactSchedule::pairs() const {
  return storage_->pair_count;
}
double ContactSchedule::next_time() const {
  return storage_->heap.empty() ? HUGE_VAL : storage_->pairs[storage_->heap[0]].due;
}

}  // namespace whisker
