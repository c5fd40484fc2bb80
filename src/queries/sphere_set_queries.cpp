#include "queries/sphere_set_queries.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <whisker/error.hpp>

#include "convex/exchange.hpp"
#include "geometry/raw_pose.hpp"
#include "mesh/height_field_queries.hpp"
#include "mesh/surface_distance.hpp"
#include "queries/check_query.hpp"
#include "queries/pair_algorithms.hpp"
#include "queries/part_search.hpp"
#include "queries/table.hpp"
#include "shapes/compound_storage.hpp"
#include "simd/set_bits.hpp"

namespace whisker::queries {
namespace {

using simd::SetBits;
using spheres::GapBounds;
using spheres::Members;
using spheres::PlacedGroup;

constexpr auto no_member = static_cast<std::uint32_t>(PlacedGroup::size);

/// Bounds on a value that is proven to be beyond a limit.
Interval beyond(double limit) {
  return {std::nextafter(limit, infinity), infinity};
}

/// distance - depth: positive if the sphere is apart, zero if it touches, negative if it is deep.
Interval signed_gap(const Distance& apart, const Depth& deep) {
  return Interval(apart.lower, apart.upper) - Interval(deep.lower, deep.upper);
}

const SphereSet& asked_set(const char* question, const Placed& placed) {
  const auto* const set = placed.shape.as<SphereSet>();
  if (set == nullptr) throw Error(std::string(question) + ": the second shape must be a SphereSet");
  return *set;
}

}  // namespace

Distance ClosestSphere::result(double upper_bound) {
  if (lower > upper_bound) {
    best = {};
    best.lower = beyond(upper_bound).lower;  // all that is known of the spheres not measured
    best.upper = infinity;
    best.stop = Stop::tolerance;
  } else {
    best.lower = std::min(lower, best.lower);
    if (sphere_a != SphereSet::none) best.feature_a = {0, FeatureKind::sphere, sphere_a};
    if (sphere_b != SphereSet::none) best.feature_b = {0, FeatureKind::sphere, sphere_b};
  }
  best.cost = cost;
  return best;
}

SphereObstacle::SphereObstacle(const Placed& placed) : placed_(placed), bounds_(placed.shape, placed.pose) {
  if (const auto* mesh = placed.shape.as<Mesh>()) mesh_.emplace(mesh::PlacedMesh{*mesh, placed.pose});
}

std::uint32_t SphereObstacle::first_touching(const PlacedGroup& group, const BoundingSphere& ball, bool any,
                                             Cost& cost) const {
  if (mesh_) return mesh_->first_touching(group, ball, any, cost);
  const PairAlgorithms& pair = algorithms(placed_.shape.kind(), ShapeKind::sphere);
  for (const std::uint32_t i : SetBits(spheres::members_within(bounds_, group, 0))) {
    if (pair.touches(placed_, {Sphere{group.radii[i]}, geometry::raw_pose(group.center(i))}, nullptr, cost)) return i;
  }
  return no_member;
}

std::uint32_t SphereObstacle::first_touching(const SphereSet& set, const Pose& pose, bool any, Cost& cost) const {
  const SphereSetStorage& storage = storage_of(set);
  for (std::size_t g = 0; g < storage.group_count(); ++g) {
    const BoundingSphere ball = spheres::placed_ball(storage.group_balls[g], pose);
    ++cost.volume_tests;
    if (bounds_.gap(ball.center) > ball.radius * (1 + 0x1p-48)) continue;
    const PlacedGroup group(set, g, pose);
    const std::uint32_t found = first_touching(group, ball, any, cost);
    if (found != no_member) return static_cast<std::uint32_t>(group.first) + found;
  }
  return SphereSet::none;
}

bool SphereObstacle::touches(const SphereSet& set, const Pose& pose, Cost& cost) const {
  return first_touching(set, pose, true, cost) != SphereSet::none;
}

Members SphereObstacle::closest(const PlacedGroup& group, const BoundingSphere& ball, double& limit, Cost& cost) const {
  if (mesh_) return mesh_->closest(group, ball, limit, cost);
  // The most promising sphere sets the limit for the others.
  double gaps[PlacedGroup::size];
  bounds_.gaps(group, gaps);
  std::size_t promising = 0;
  for (std::size_t i = 1; i < group.count; ++i)
    if (gaps[i] - group.radii[i] < gaps[promising] - group.radii[promising]) promising = i;
  const Distance found = distance_of_ball(placed_, group.center(promising), group.radii[promising]);
  cost += found.cost;
  limit = std::min(limit, found.upper);
  return spheres::members_within(bounds_, group, limit * (1 + 0x1p-40));
}

Distance SphereObstacle::distance(const SphereSet& set, const Pose& pose, const DistanceOptions& options) const {
  ClosestSphere closest_so_far;
  const SphereSetStorage& storage = storage_of(set);
  const auto consider = [&](const PlacedGroup& group, std::size_t i) {
    const Distance found = distance_of_ball(placed_, group.center(i), group.radii[i]);
    closest_so_far.cost += found.cost;
    closest_so_far.consider(found, SphereSet::none, static_cast<std::uint32_t>(group.first + i));
  };
  const std::uint32_t touching = first_touching(set, pose, false, closest_so_far.cost);
  if (touching != SphereSet::none) {
    consider(PlacedGroup(set, touching / PlacedGroup::size, pose), touching % PlacedGroup::size);
    // If this sphere is merely not proven apart, others after it may be nearer.
    for (std::size_t g = 0; g < storage.group_count() && closest_so_far.best.upper > 0; ++g) {
      const PlacedGroup group(set, g, pose);
      for (std::size_t i = 0; i < group.count; ++i)
        consider(group, i);
    }
    return closest_so_far.result(options.upper_bound);
  }
  double limit = options.upper_bound;
  for (std::size_t g = 0; g < storage.group_count(); ++g) {
    const BoundingSphere ball = spheres::placed_ball(storage.group_balls[g], pose);
    if (bounds_.gap(ball.center) > (ball.radius + limit) * (1 + 0x1p-40)) continue;
    const PlacedGroup group(set, g, pose);
    for (const std::size_t i : SetBits(closest(group, ball, limit, closest_so_far.cost)))
      consider(group, i);
    limit = std::min(limit, closest_so_far.best.upper);
  }
  return closest_so_far.result(options.upper_bound);
}

Interval SphereObstacle::clearance_of(const Vector3& center, double radius) const {
  // A surface has no inside: its distance from the center counts.
  if (const auto* field = placed_.shape.as<HeightField>()) {
    const mesh::PlacedField surface{*field, placed_.pose};
    const Distance apart = mesh::distance_field_simple(surface, convex::simple_point(center), {});
    return Interval(apart.lower, apart.upper) - radius;
  }
  const PairAlgorithms& pair = algorithms(placed_.shape.kind(), ShapeKind::sphere);
  const Placed ball(Sphere{radius}, geometry::raw_pose(center));
  const Distance apart = pair.distance(placed_, ball, {});
  if (apart.lower > 0) return {apart.lower, apart.upper};
  return signed_gap(apart, pair.depth(placed_, ball, {}));
}

void SphereObstacle::mesh_clearances(const PlacedGroup& group, const BoundingSphere& ball, double limit,
                                     Interval* answers) const {
  const mesh::PlacedMesh surface{*placed_.shape.as<Mesh>(), placed_.pose};
  Cost unused;
  const auto measure = [&](std::size_t i) {
    const Distance found = mesh::surface_distance(surface, convex::simple_point(group.center(i)), {});
    return Interval(found.lower, found.upper);
  };
  std::fill(answers, answers + group.count, beyond(limit));
  const Members near = mesh_->within(group, ball, limit, unused);
  Members apart = group.all() & ~near;
  for (const std::size_t i : SetBits(near)) {
    answers[i] = measure(i);
    if (answers[i].lower > group.radii[i]) apart |= Members{1} << i;
  }
  const Members inside = mesh_->inside(group, group.all(), apart);
  for (const std::size_t i : SetBits(inside))
    answers[i] = -((near >> i & 1) != 0 ? answers[i] : measure(i));
  for (const std::size_t i : SetBits(near | inside))
    answers[i] -= group.radii[i];
}

void SphereObstacle::group_clearances(const SphereSet& set, std::size_t g, const Pose& pose, double limit,
                                      Interval* answers) const {
  const PlacedGroup group(set, g, pose);
  if (const auto* compound = placed_.shape.as<Compound>()) {
    std::fill(answers, answers + group.count, beyond(limit));
    Interval of_part[PlacedGroup::size];
    const BoundingSphere ball = spheres::placed_ball(storage_of(set).group_balls[g], pose);
    const CompoundView view(storage_of(*compound), placed_.pose);
    const Vector3 center = view.in_frame(ball.center);
    Aabb around{center, center};
    mesh::grow(around, view.error(ball.center));
    // A part that is farther from the balls than all of them are from others changes no answer, unless it has none.
    const bool needs_all = view.compound.has_surface_mesh;
    double farthest = needs_all ? infinity : limit;
    visit_parts(
        view.compound,
        [&](const Aabb& box) {
          const double gap = geometry::box_gap(box, around);
          // Nothing bounds how deep a ball is in a part around the middle of the balls.
          return gap > 0 ? gap * view.frame.stretch - ball.radius * (1 + 0x1p-40) : -infinity;
        },
        [&](double gap) { return gap <= farthest; },
        [&](std::uint32_t index) {
          const OwnPart part = part_of(placed_, index);
          SphereObstacle(part.placed).group_clearances(set, g, pose, limit, of_part);
          double largest = -infinity;
          for (std::size_t i = 0; i < group.count; ++i) {
            answers[i] = min(answers[i], of_part[i]);
            largest = std::max(largest, answers[i].upper);
          }
          if (!needs_all) farthest = std::min(limit, largest);
          return false;
        });
    return;
  }
  if (mesh_) {
    mesh_clearances(group, spheres::placed_ball(storage_of(set).group_balls[g], pose), limit, answers);
  } else {
    const Members near = spheres::members_within(bounds_, group, limit);
    for (std::size_t i = 0; i < group.count; ++i)
      answers[i] = (near >> i & 1) != 0 ? clearance_of(group.center(i), group.radii[i]) : beyond(limit);
  }
  for (std::size_t i = 0; i < group.count; ++i)
    if (answers[i].lower > limit) answers[i] = beyond(limit);
}

void SphereObstacle::clearances(const SphereSet& set, const Pose& pose, const DistanceOptions& options,
                                std::span<Interval> answers) const {
  for (std::size_t g = 0; g < storage_of(set).group_count(); ++g)
    group_clearances(set, g, pose, options.upper_bound, answers.data() + g * PlacedGroup::size);
}

bool AnySpheres::touches(const Placed& a, const Placed& b, PairCache*, Cost& cost) {
  return SphereObstacle(a).touches(*b.shape.as<SphereSet>(), b.pose, cost);
}

void AnySpheres::contacts(const Placed& a, const Placed& b, const ContactOptions& options, Contacts& result) {
  const SphereSet& set = *b.shape.as<SphereSet>();
  const GapBounds bounds(a.shape, a.pose);
  const PairAlgorithms& pair = algorithms(a.shape.kind(), ShapeKind::sphere);
  if (pair.contacts == nullptr) refuse("contacts", a, b);
  for (std::size_t g = 0; g < storage_of(set).group_count(); ++g) {
    const PlacedGroup group(set, g, b.pose);
    for (const std::size_t i : SetBits(spheres::members_within(bounds, group, options.margin * (1 + 0x1p-40)))) {
      const std::size_t begin = result.pairs.size();
      pair.contacts(a, {Sphere{group.radii[i]}, geometry::raw_pose(group.center(i))}, options, result);
      for (std::size_t k = begin; k < result.pairs.size(); ++k)
        result.pairs[k].b = {0, FeatureKind::sphere, static_cast<std::uint32_t>(group.first + i)};
    }
  }
}

Distance AnySpheres::distance(const Placed& a, const Placed& b, const DistanceOptions& options) {
  return SphereObstacle(a).distance(*b.shape.as<SphereSet>(), b.pose, options);
}

Depth AnySpheres::depth_on(const Placed& a, const Placed& b, const DepthOptions& options, Features* on) {
  const auto compound_of = [](const SphereSet& set) {
    std::vector<CompoundPart> parts;
    for (std::size_t i = 0; i < set.size(); ++i)
      parts.push_back({Sphere{set.radius(i)}, geometry::raw_pose(set.center(i))});
    return Compound(std::move(parts));
  };
  const auto* const set_a = a.shape.as<SphereSet>();
  const Shape parts_a = set_a != nullptr ? Shape(compound_of(*set_a)) : a.shape;
  const Shape parts_b = compound_of(*b.shape.as<SphereSet>());
  Depth result;
  if (parts_a.as<Compound>() != nullptr) {
    result = CompoundAny::depth_on({parts_a, a.pose}, {parts_b, b.pose}, options, on);
  } else {
    DepthOptions flipped = options;
    flipped.hint = -options.hint;
    result = CompoundAny::depth_on({parts_b, b.pose}, {parts_a, a.pose}, flipped, on);
    exchange(result);
    if (on != nullptr) std::swap(on->a, on->b);
  }
  if (on != nullptr) {
    if (set_a != nullptr) on->a = {0, FeatureKind::sphere, on->a.part};
    on->b = {0, FeatureKind::sphere, on->b.part};
  }
  return result;
}

}  // namespace whisker::queries

namespace whisker {

using queries::SphereObstacle;

std::optional<std::uint32_t> first_touching(const Placed& a, const Placed& b, Cost* cost) {
  const SphereSet& set = queries::asked_set("first_touching", b);
  Cost unused;
  const std::uint32_t found = SphereObstacle(a).first_touching(set, b.pose, false, cost != nullptr ? *cost : unused);
  return found != SphereSet::none ? std::optional(found) : std::nullopt;
}

void clearances(const Placed& a, const Placed& b, std::span<Interval> answers) {
  clearances(a, b, {}, answers);
}

void clearances(const Placed& a, const Placed& b, const DistanceOptions& options, std::span<Interval> answers) {
  const SphereSet& set = queries::asked_set("clearances", b);
  queries::refuse_fault("clearances", queries::fault_of(options));
  queries::check_room("clearances", "sphere", set.size(), answers.size());
  SphereObstacle(a).clearances(set, b.pose, options, answers);
}

}  // namespace whisker
