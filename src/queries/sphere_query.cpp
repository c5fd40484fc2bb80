#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include <whisker/error.hpp>
#include <whisker/spheres/sphere_query.hpp>

#include "geometry/constants.hpp"
#include "geometry/interval_inline.hpp"
#include "geometry/place.hpp"
#include "geometry/safe_norm.hpp"
#include "mesh/mesh_queries.hpp"
#include "queries/pair_algorithms.hpp"
#include "queries/table.hpp"
#include "shapes/internals.hpp"
#include "spheres/body_nodes.hpp"

namespace whisker {
namespace {

using spheres::BodyNodes;
using spheres::PlacedNodes;

/// Two spheres, or a sphere and the shape, that may contain the closest points.
struct OpenPair {
  double gap;
  std::uint64_t order;  // among equal gaps, the first one comes first
  std::uint32_t a, b;
};

/// What a search has found out so far.
struct Known {
  std::uint64_t order = 0;
  double leaves = infinity;        // the least gap of leaves
  bool may_hold = false;           // one may lie inside the other: not decided yet
  std::optional<Stop> asked = {};  // set once the triangles were queried: why that query stopped
  std::uint64_t credit = 0;
  double lower = 0, upper = infinity;
  std::uint32_t best_a = 0, best_b = 0;  // the spheres of the upper bound…
  std::optional<Distance> answer = {};   // …unless it comes from the meshes
  Cost cost;
};

/// Comparison for a heap with the least gap on top.
bool is_later(const OpenPair& p, const OpenPair& q) {
  return p.gap > q.gap || (p.gap == q.gap && p.order > q.order);
}

/// A point of the solid that attains the upper bound of a sphere, as seen from `other`: a point in the ball around the
/// center that the solid contains, or the foot of a center outside.
Vector3 witness(const PlacedNodes& nodes, std::uint32_t i, const Vector3& other) {
  const double inside = -(nodes.height[i] + nodes.slack);
  if (!(inside > 0)) return geometry::placed_point(*nodes.pose, storage_of(*nodes.body).foot[i]);
  const Vector3 center = spheres::world_center(nodes, i);
  const Vector3 away = other - center;
  const double length = geometry::safe_norm(away);
  return length > inside ? Vector3(center + away * (inside / length)) : other;
}

}  // namespace

struct SphereQuery::State : Known {
  BodyNodes body_a, body_b;
  std::optional<Shape> shape;  // instead of body a
  Pose pose_a, pose_b;
  PlacedNodes a{}, b{};
  bool is_set = false;

  std::vector<OpenPair> heap;

  bool is_leaf(const OpenPair& pair) const {
    return (shape || a.child_count[pair.a] == 0) && b.child_count[pair.b] == 0;
  }
  bool opens_a(const OpenPair& pair) const { return !shape && spheres::opens_a(a, pair.a, b, pair.b); }
  std::uint64_t operations(const OpenPair& pair) const {
    return opens_a(pair) ? a.operations(pair.a) : b.operations(pair.b);
  }

  spheres::NodeBounds measure_shape(std::uint32_t j) {
    const Distance apart = queries::distance_of_ball({*shape, pose_a}, spheres::world_center(b, j));
    return {apart.lower - (b.radius[j] + b.slack), apart.upper + (b.height[j] + b.slack)};
  }

  /// A child's sphere may be nearer than its parent's, but what it covers is not. So the larger gap counts.
  void consider(std::uint32_t i, std::uint32_t j, double gap, double bound, double parent_gap) {
    if (std::max(bound, 0.0) < upper) {
      upper = std::max(bound, 0.0);
      best_a = i;
      best_b = j;
    }
    const OpenPair pair{std::max(gap, parent_gap), order++, i, j};
    if (pair.gap >= upper) return;
    heap.push_back(pair);
    std::push_heap(heap.begin(), heap.end(), is_later);
  }

  void start() {
    heap.clear();
    static_cast<Known&>(*this) = {.cost = {.volume_tests = 1, .volume_updates = shape ? 1u : 2u}};
    is_set = true;
    const spheres::NodeBounds roots = shape ? measure_shape(0) : spheres::measure(a, 0, b, 0);
    // The balls of the roots contain both solids completely.
    may_hold = !(roots.gap > 0);
    consider(0, 0, roots.gap, roots.upper, 0);
    settle();
  }

  /// The surfaces must be known to be apart.
  bool holds() const {
    if (!shape) return spheres::one_holds_other(a, b);
    Cost unused;
    return queries::algorithms(shape->kind(), ShapeKind::mesh)
        .touches({*shape, pose_a}, {body_b.body().mesh(), pose_b}, nullptr, unused);
  }

  /// Evaluates the open pairs: sets `lower`, and leaves the next pair to be opened on top.
  void settle() {
    while (!heap.empty() && heap.front().gap < upper && is_leaf(heap.front())) {
      leaves = std::min(leaves, heap.front().gap);
      std::pop_heap(heap.begin(), heap.end(), is_later);
      heap.pop_back();
    }
    if (!heap.empty() && heap.front().gap >= upper) heap.clear();
    const double surfaces = std::min({upper, leaves, heap.empty() ? infinity : heap.front().gap});
    if (surfaces > 0 && may_hold) {
      may_hold = false;
      if (holds()) {
        // The triangles give a common point at once or, for a curved shape that was not proven apart, bounds.
        heap.clear();
        ask_triangles();
        return;
      }
    }
    if (upper == 0) heap.clear();
    lower = std::max(lower, std::min(surfaces, upper));
  }

  void open_next() {
    const OpenPair pair = heap.front();
    std::pop_heap(heap.begin(), heap.end(), is_later);
    heap.pop_back();
    double gaps[SphereBody::max_children], uppers[SphereBody::max_children];
    const bool is_a = opens_a(pair);
    PlacedNodes& opened = is_a ? a : b;
    const std::uint32_t node = is_a ? pair.a : pair.b;
    const std::uint32_t first = opened.first_child[node], count = opened.child_count[node];
    cost.volume_updates += spheres::place_children(opened, node);
    cost.volume_tests += count;
    if (shape) {
      for (std::uint32_t c = 0; c < count; ++c) {
        const spheres::NodeBounds bounds = measure_shape(first + c);
        gaps[c] = bounds.gap;
        uppers[c] = bounds.upper;
      }
    } else {
      spheres::measure_children(opened, node, is_a ? b : a, is_a ? pair.b : pair.a, gaps, uppers);
    }
    for (std::uint32_t c = 0; c < count; ++c)
      consider(is_a ? first + c : pair.a, is_a ? pair.b : first + c, gaps[c], uppers[c], pair.gap);
  }

  void ask_triangles() {
    // The distance is proven to be no more than `upper`. A little is added, so that rounding does not put it beyond.
    const DistanceOptions options{.upper_bound = upper * (1 + 0x1p-40) + std::numeric_limits<double>::min()};
    Distance found;
    if (shape) {
      found = queries::algorithms(shape->kind(), ShapeKind::mesh)
                  .distance({*shape, pose_a}, {body_b.body().mesh(), pose_b}, options);
    } else {
      found = mesh::distance_mesh_mesh({body_a.body().mesh(), pose_a}, {body_b.body().mesh(), pose_b}, options);
    }
    asked = found.stop;
    cost.primitive_tests += found.cost.primitive_tests + found.cost.volume_tests;
    lower = std::max(lower, found.lower);
    if (found.upper <= upper) {
      upper = found.upper;
      answer = found;
    }
    lower = std::min(lower, upper);
  }
};

SphereQuery::SphereQuery() : state_(std::make_unique<State>()) {}
SphereQuery::SphereQuery(const Placed& a, const Placed& b) : SphereQuery() {
  restart(a, b);
}

void SphereQuery::restart(const Placed& a, const Placed& b) {
  State& s = *state_;
  s.is_set = false;
  const auto *const body_a = a.shape.as<SphereBody>(), *const body_b = b.shape.as<SphereBody>();
  if (body_b == nullptr) throw Error("sphere query: the second shape must be a SphereBody");
  s.pose_a = a.pose;
  s.pose_b = b.pose;
  if (body_a != nullptr) {
    s.shape.reset();
    s.body_a.set(*body_a);
  } else {
    s.shape = a.shape;
  }
  s.body_b.set(*body_b);
  if (body_a != nullptr) s.a = s.body_a.place(s.pose_a);
  s.b = s.body_b.place(s.pose_b);
  s.start();
}

Stop SphereQuery::advance(const SphereBudget& budget, const SphereGoal& goal) {
  State& s = *state_;
  if (!s.is_set) throw Error("sphere query: it has no bodies yet; call restart first");
  if (!(goal.tolerance >= 0)) throw Error("sphere query: the tolerance must be a length, 0 or larger");
  if (std::isnan(budget.seconds)) throw Error("sphere query: the seconds of the budget are NaN");
  using Clock = std::chrono::steady_clock;
  const bool is_timed = budget.seconds < infinity;
  const Clock::time_point start = is_timed ? Clock::now() : Clock::time_point();
  s.credit = budget.budget > ~std::uint64_t{0} - s.credit ? ~std::uint64_t{0} : s.credit + budget.budget;
  const auto stop_with = [&](Stop stop) {
    s.credit = 0;
    return stop;
  };
  for (;;) {
    if (s.lower == s.upper) return stop_with(Stop::exact);
    if (geometry::add_up(s.upper, -s.lower) <= goal.tolerance) return stop_with(Stop::tolerance);
    if (s.asked) return stop_with(*s.asked);
    if (is_timed && !(std::chrono::duration<double>(Clock::now() - start).count() < budget.seconds)) {
      return stop_with(Stop::budget);
    }
    if (s.heap.empty()) {
      if (!goal.exact) return stop_with(Stop::limit);
      s.ask_triangles();
      continue;
    }
    const std::uint64_t operations = s.operations(s.heap.front());
    if (operations > s.credit) return Stop::budget;
    s.credit -= operations;
    s.open_next();
    s.settle();
  }
}

double SphereQuery::lower() const {
  return state_->lower;
}

double SphereQuery::upper() const {
  return state_->upper;
}

std::uint64_t SphereQuery::updates() const {
  return state_->cost.volume_updates;
}

std::uint64_t SphereQuery::tests() const {
  return state_->cost.volume_tests;
}

Distance SphereQuery::result() const {
  const State& s = *state_;
  if (!s.is_set) throw Error("sphere query: it has no bodies yet; call restart first");
  Distance d;
  if (s.answer) {
    d = *s.answer;
  } else {
    d.feature_b = {0, FeatureKind::sphere, s.best_b};
    if (s.shape) {
      const Vector3 center = spheres::world_center(s.b, s.best_b);
      const Distance from_shape = queries::distance_of_ball({*s.shape, s.pose_a}, center);
      d.point_a = from_shape.point_a;
      d.feature_a = from_shape.feature_a;
      d.point_b = witness(s.b, s.best_b, d.point_a);
    } else {
      // A sphere whose center is outside already has its point. The other point comes as near to it as it can.
      d.feature_a = {0, FeatureKind::sphere, s.best_a};
      d.point_a = witness(s.a, s.best_a, spheres::world_center(s.a, s.best_a));
      d.point_b = witness(s.b, s.best_b, d.point_a);
      d.point_a = witness(s.a, s.best_a, d.point_b);
    }
    const Vector3 away = d.point_b - d.point_a;
    const double length = geometry::safe_norm(away);
    if (length > 0) d.normal = away / length;
  }
  d.lower = s.lower;
  d.upper = s.upper;
  d.stop = s.heap.empty() ? Stop::limit : Stop::budget;
  if (s.asked) d.stop = *s.asked;
  if (s.lower == s.upper) d.stop = Stop::exact;
  d.cost = s.cost;
  return d;
}

}  // namespace whisker
