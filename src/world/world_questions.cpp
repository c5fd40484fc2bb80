// The queries of a World: distances, contacts, overlaps, rays and first contacts of its bodies.

#include <algorithm>
#include <cmath>
#include <limits>

#include <whisker/error.hpp>

#include "geometry/lists.hpp"
#include "queries/check_query.hpp"
#include "world/column_sweep.hpp"
#include "world/parallel_ranges.hpp"
#include "world/world_storage.hpp"

namespace whisker {
namespace {

/// The box expanded by `by` on all sides, rounded outward.
Aabb grown(const Aabb& box, double by) {
  Aabb result = box;
  for (int i = 0; i < 3; ++i) {
    result.lower[i] -= by + (std::abs(box.lower[i]) + by) * 0x1p-51;
    result.upper[i] += by + (std::abs(box.upper[i]) + by) * 0x1p-51;
  }
  return result;
}

/// The pairs of bodies that may meet and of which at least one is marked, and whose boxes, which are given, overlap.
/// Ascending.
std::vector<PairKey> pairs_of(int threads, const world::BodyTable& bodies, const world::PairTable& table,
                              std::span<const Aabb> boxes, std::span<const std::uint8_t> is_marked) {
  std::vector<std::uint32_t> numbers;
  world::find_nonempty(boxes, numbers);
  std::vector<PairKey> pairs, spare;
  world::ColumnSweeper sweeper;
  with_threads("world", threads, [&] {
    sweeper.find_pairs({boxes, is_marked, bodies.is_static, numbers}, numbers, false, pairs);
    world::sort_pairs(pairs, static_cast<std::uint32_t>(boxes.size()), spare);
  });
  std::erase_if(pairs, [&](PairKey key) { return !table.is_pair(bodies, first_of(key), second_of(key)); });
  return pairs;
}

/// Lower bound on where a ray enters a box. Infinite if the ray certainly misses the box in this range.
double earliest_hit(const Ray& ray, const Aabb& box, RayRange range) {
  double enter = range.lower, leave = range.upper;
  for (int i = 0; i < 3; ++i) {
    const double d = ray.direction[i];
    const double low = box.lower[i] - ray.origin[i], high = box.upper[i] - ray.origin[i];
    const double error = (std::abs(ray.origin[i]) + std::max(std::abs(low), std::abs(high))) * 0x1p-50;
    if (d == 0) {
      if (low > error || high < -error) return HUGE_VAL;
      continue;
    }
    if (!std::isfinite(low) && !std::isfinite(high)) continue;
    double t1 = (low - error) / d, t2 = (high + error) / d;
    if (std::isnan(t1) || std::isnan(t2)) continue;
    if (t1 > t2) std::swap(t1, t2);
    enter = std::max(enter, t1 - std::abs(t1) * 0x1p-50);
    leave = std::min(leave, t2 + std::abs(t2) * 0x1p-50);
  }
  return enter <= leave ? enter : HUGE_VAL;
}

}  // namespace

const world::QueryTree& World::Storage::query_tree() const {
  return tree.get([&] {
    world::QueryTree made;
    std::vector<std::uint32_t> bounded;
    for (std::uint32_t slot = 0; slot < bodies.box.size(); ++slot) {
      const Aabb& box = bodies.box[slot];
      if (box.empty()) continue;
      const bool is_finite = box.lower.allFinite() && box.upper.allFinite();
      (is_finite ? bounded : made.unbounded).push_back(slot);
    }
    with_threads("world", threads, [&] { made.tree.build(bodies.box, bounded); });
    return made;
  });
}

template <class Nearness, class Farthest, class Look>
void World::Storage::visit_nearest(const WorldFilter& among, const Nearness& nearness, const Farthest& farthest,
                                   const Look& look) const {
  const world::QueryTree& all = query_tree();
  const auto look_at = [&](std::uint32_t slot) {
    if (is_among(slot, among)) look(slot, bodies.body_of(slot));
  };
  std::for_each(all.unbounded.begin(), all.unbounded.end(), look_at);
  all.tree.visit_nearest(nearness, farthest, look_at);
}

void World::Storage::find_overlapping(const Aabb& around, const WorldFilter& among,
                                      std::vector<std::uint32_t>& result) const {
  const world::QueryTree& all = query_tree();
  result.clear();
  all.tree.find(around, result);
  for (const std::uint32_t slot : all.unbounded)
    if (world::overlap(bodies.box[slot], around)) result.push_back(slot);
  std::erase_if(result, [&](std::uint32_t slot) { return !is_among(slot, among); });
  std::sort(result.begin(), result.end());
}

Aabb World::box(BodyId id) const {
  const Storage& s = *storage_;
  if (id.slot >= s.bodies.generation.size() || s.bodies.generation[id.slot] != id.generation ||
      s.bodies.is_in_world[id.slot] == 0)
    throw Error("world: box: there was no such body at the last update");
  return s.bodies.box[id.slot];
}

std::vector<WorldPair> World::near_pairs() const {
  std::vector<WorldPair> result;
  for (const world::PairRecord& record : storage_->pairs.records)
    if (!record.is_refused) result.push_back(storage_->bodies.pair_of(record.key));
  return result;
}

std::vector<PairDistance> World::closer_than(double max_distance, const DistanceOptions& options) const {
  if (!(max_distance >= 0)) throw Error("world: closer_than: `max_distance` must be a length, 0 or larger");
  check_threads("world: closer_than", options.threads);
  if (options.cache != nullptr) throw Error("world: closer_than: the options must have no cache");
  queries::refuse_fault("world: closer_than", queries::fault_of(options));
  const Storage& s = *storage_;
  const int threads = options.threads != 0 ? options.threads : s.threads;
  std::vector<Aabb> boxes(s.bodies.box.size());
  for (std::size_t i = 0; i < boxes.size(); ++i)
    if (!s.bodies.box[i].empty()) boxes[i] = grown(s.bodies.box[i], max_distance / 2);
  const std::vector<std::uint8_t> all(boxes.size(), 1);
  const std::vector<PairKey> pairs = pairs_of(threads, s.bodies, s.pairs, boxes, all);
  std::vector<PairDistance> result(pairs.size());
  DistanceOptions asked = options;
  asked.upper_bound = std::min(asked.upper_bound, max_distance);
  world::for_queries("world", threads, pairs.size(), [&](std::size_t i) {
    const world::BodyTable::Body a = s.bodies.body_of(first_of(pairs[i])), b = s.bodies.body_of(second_of(pairs[i]));
    result[i] = {s.bodies.pair_of(pairs[i]), whisker::distance(a, b, asked)};
  });
  std::erase_if(result, [&](const PairDistance& found) { return found.distance.lower > max_distance; });
  return result;
}

std::vector<PairContacts> World::contacts(const ContactOptions& options) const {
  const Storage& s = *storage_;
  std::vector<PairContacts> result(s.events.touching.size());
  world::for_queries("world", s.threads, result.size(), [&](std::size_t i) {
    const WorldPair& pair = s.events.touching[i];
    const world::BodyTable::Body a = s.bodies.body_of(pair.a.slot), b = s.bodies.body_of(pair.b.slot);
    result[i] = {pair, whisker::contacts(a, b, options)};
  });
  return result;
}

std::vector<BodyId> World::touching(const Placed& placed, const WorldFilter& filter) const {
  const Storage& s = *storage_;
  std::vector<std::uint32_t> found;
  s.find_overlapping(placed.shape.bounds(placed.pose), filter, found);
  std::vector<std::uint8_t> touch(found.size(), 0);
  world::for_queries("world", s.threads, found.size(), [&](std::size_t i) {
    const world::BodyTable::Body body = s.bodies.body_of(found[i]);
    touch[i] = whisker::touches(placed, body) ? 1 : 0;
  });
  std::vector<BodyId> result;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (touch[i] != 0) result.push_back(s.bodies.id_of(found[i]));
  return result;
}

bool World::touches(const Placed& placed, const WorldFilter& filter) const {
  const Storage& s = *storage_;
  const Aabb around = placed.shape.bounds(placed.pose);
  const world::QueryTree& all = s.query_tree();
  const auto look = [&](std::uint32_t slot) {
    if (!s.is_among(slot, filter)) return false;
    const world::BodyTable::Body body = s.bodies.body_of(slot);
    return whisker::touches(placed, body);
  };
  const auto is_near = [&](std::uint32_t slot) { return world::overlap(s.bodies.box[slot], around) && look(slot); };
  return std::any_of(all.unbounded.begin(), all.unbounded.end(), is_near) || all.tree.any_overlapping(around, look);
}

std::optional<BodyId> World::first_touching(const Placed& placed, const WorldFilter& filter) const {
  const Storage& s = *storage_;
  std::vector<std::uint32_t> near;
  s.find_overlapping(placed.shape.bounds(placed.pose), filter, near);
  const auto found = std::find_if(near.begin(), near.end(), [&](std::uint32_t slot) {
    const world::BodyTable::Body body = s.bodies.body_of(slot);
    return whisker::touches(placed, body);
  });
  if (found == near.end()) return {};
  return s.bodies.id_of(*found);
}

std::vector<BodyId> World::overlapping(const Aabb& box, const WorldFilter& filter) const {
  if (box.lower.hasNaN() || box.upper.hasNaN()) throw Error("world: overlapping: a bound of the box is NaN");
  std::vector<std::uint32_t> found;
  storage_->find_overlapping(box, filter, found);
  return geometry::mapped(found, [&](std::uint32_t slot) { return storage_->bodies.id_of(slot); });
}

std::optional<BodyDistance> World::nearest(const Placed& placed, double max_distance, const WorldFilter& filter) const {
  if (!(max_distance >= 0)) throw Error("world: nearest: `max_distance` must be a length, 0 or larger");
  const Storage& s = *storage_;
  const Aabb around = placed.shape.bounds(placed.pose);
  std::optional<BodyDistance> best;
  double farthest = max_distance;  // a farther body cannot be the nearest
  const auto look = [&](std::uint32_t slot, const Placed& body) {
    const Distance found = whisker::distance(placed, body, {.upper_bound = farthest});
    if (found.lower > farthest) return;
    const bool is_nearer =
        !best || found.upper < best->distance.upper || (found.upper == best->distance.upper && slot < best->body.slot);
    if (is_nearer) best = BodyDistance{s.bodies.id_of(slot), found};
    farthest = std::min(farthest, best->distance.upper);
  };
  s.visit_nearest(
      filter, [&](const Aabb& box) { return world::box_gap(box, around); }, [&] { return farthest; }, look);
  return best;
}

std::vector<BodyRayHit> World::cast_ray_all(const Ray& ray, RayRange range, const WorldFilter& filter) const {
  const Storage& s = *storage_;
  queries::refuse_fault("world: cast_ray", queries::fault_of(ray, range));
  std::vector<BodyRayHit> hits;
  const auto look = [&](std::uint32_t slot, const Placed& body) {
    if (const auto hit = whisker::cast_ray(ray, body, range)) hits.push_back({s.bodies.id_of(slot), *hit});
  };
  s.visit_nearest(
      filter, [&](const Aabb& box) { return earliest_hit(ray, box, range); },
      [] { return std::numeric_limits<double>::max(); }, look);
  std::sort(hits.begin(), hits.end(), [](const BodyRayHit& a, const BodyRayHit& b) {
    return a.hit.t != b.hit.t ? a.hit.t < b.hit.t : a.body < b.body;
  });
  return hits;
}

std::optional<BodyRayHit> World::cast_ray(const Ray& ray, RayRange range, const WorldFilter& filter) const {
  const Storage& s = *storage_;
  queries::refuse_fault("world: cast_ray", queries::fault_of(ray, range));
  std::optional<BodyRayHit> best;
  const auto look = [&](std::uint32_t slot, const Placed& body) {
    const auto hit = whisker::cast_ray(ray, body, range);
    if (!hit) return;
    if (!best || hit->t < best->hit.t || (hit->t == best->hit.t && slot < best->body.slot))
      best = BodyRayHit{s.bodies.id_of(slot), *hit};
  };
  s.visit_nearest(
      filter, [&](const Aabb& box) { return earliest_hit(ray, box, range); },
      [&] { return best ? best->hit.t : std::numeric_limits<double>::max(); }, look);
  return best;
}

FirstContacts<PairImpact> World::first_contacts(std::span<const BodyTranslation> translations,
                                                const ImpactOptions& options) const {
  std::vector<BodyMotion> motions;
  motions.reserve(translations.size());
  for (const BodyTranslation& translation : translations) {
    if (!translation.by.allFinite()) throw Error("world: first_contacts: a translation is not finite");
    box(translation.body);  // throws an Error if there is no such body
    motions.push_back(
        {translation.body, Straight{storage_->bodies.body_of(translation.body.slot).pose, translation.by}});
  }
  return first_contacts(motions, options);
}

FirstContacts<PairImpact> World::first_contacts(std::span<const BodyMotion> motions,
                                                const ImpactOptions& options) const {
  const Storage& s = *storage_;
  queries::refuse_fault("world: first_contacts", queries::fault_of(options));
  std::vector<Aabb> boxes = s.bodies.box;
  std::vector<std::uint8_t> goes(boxes.size(), 0);
  std::vector<const Motion*> motion_of(boxes.size(), nullptr);
  for (const BodyMotion& motion : motions) {
    const std::uint32_t slot = motion.body.slot;
    box(motion.body);  // throws an Error if there is no such body
    if (goes[slot] != 0) throw Error("world: first_contacts: a body is named twice");
    const world::BodyTable::Body body = s.bodies.body_of(slot);
    const Pose& start = start_of(motion.motion);
    if (start.rotation() != body.pose.rotation() || start.translation() != body.pose.translation())
      throw Error(
          "world: first_contacts: a motion does not begin where its body was at the last update; take World::pose for "
          "its start, after an update");
    goes[slot] = 1;
    motion_of[slot] = &motion.motion;
    boxes[slot].include(swept_bounds(*body.shape, motion.motion));
  }
  const std::vector<PairKey> pairs = pairs_of(s.threads, s.bodies, s.pairs, boxes, goes);
  FirstContacts<PairImpact> result;
  std::vector<PairImpact>& hits = result.hits;
  hits.resize(pairs.size());
  world::for_queries("world", s.threads, pairs.size(), [&](std::size_t i) {
    const std::uint32_t a = first_of(pairs[i]), b = second_of(pairs[i]);
    const world::BodyTable::Body x = s.bodies.body_of(a), y = s.bodies.body_of(b);
    const auto moving = [&](std::uint32_t slot, const Pose& pose) {
      return motion_of[slot] != nullptr ? *motion_of[slot] : Motion(Still{pose});
    };
    hits[i] = {s.bodies.pair_of(pairs[i]),
               whisker::first_contact({*x.shape, moving(a, x.pose)}, {*y.shape, moving(b, y.pose)}, options)};
  });
  for (const PairImpact& found : hits)
    result.cost += found.impact.cost;
  std::erase_if(hits, [](const PairImpact& found) { return found.impact.status == ImpactStatus::apart; });
  std::sort(hits.begin(), hits.end(), [](const PairImpact& a, const PairImpact& b) {
    return a.impact.time != b.impact.time ? a.impact.time < b.impact.time : a.pair < b.pair;
  });
  return result;
}

double World::move_to_first_contact(std::span<const BodyMotion> motions, const ImpactOptions& options) {
  double time = 1;
  const PairImpact* first = nullptr;
  const FirstContacts<PairImpact> contacts = first_contacts(motions, options);
  for (const PairImpact& found : contacts.hits) {
    if (found.impact.status != ImpactStatus::touch || (first != nullptr && found.impact.time_lower >= time)) continue;
    time = found.impact.time_lower;
    first = &found;
  }
  std::vector<BodyId> bodies;
  std::vector<Pose> poses;
  for (const BodyMotion& motion : motions) {
    bodies.push_back(motion.body);
    poses.push_back(pose_at(motion.motion, time));
    // For the two bodies that meet, use the poses at which they are known not to touch.
    if (first != nullptr && first->pair.a == motion.body) poses.back() = first->impact.pose_a;
    if (first != nullptr && first->pair.b == motion.body) poses.back() = first->impact.pose_b;
  }
  move(bodies, poses);
  return time;
}

}  // namespace whisker
