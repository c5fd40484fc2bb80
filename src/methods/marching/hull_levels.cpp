#include "methods/marching/hull_levels.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include <whisker/error.hpp>

#include "geometry/constants.hpp"
#include "geometry/raw_pose.hpp"
#include "methods/marching/march_proof.hpp"
#include "shapes/internals.hpp"

namespace whisker::methods {
namespace marching {
namespace {

using Kind = FeatureKind;

// Whether normal · v <= offset for every vertex of the hull, in real arithmetic. May return false for a vertex that is
// below by less than the rounding error.
bool lies_below(const MarchHull& hull, const HullPlane& plane, std::uint32_t& start) {
  const auto vertices = hull.hull.vertices();
  const auto certainly_below = [&](const Vector3& v) {
    const double error =
        8 * unit_roundoff * dot(plane.normal.cwiseAbs(), v.cwiseAbs()) + std::numeric_limits<double>::min();
    return dot(plane.normal, v) + error <= plane.offset;
  };
  if (hull.climbable && plane.normal == flush_tiny(plane.normal)) {
    start = climb(hull, start, plane.normal);
    return certainly_below(vertices[start]);
  }
  return std::all_of(vertices.begin(), vertices.end(), certainly_below);
}

// Whether `outer` contains the finest hull, in real arithmetic. May return false if it does so only barely.
bool contains_hull(const ConvexHull& outer, const MarchHull& finest) {
  const auto planes = outer.inner_planes();
  std::uint32_t start = 0;
  return !planes.empty() &&
         std::ranges::all_of(planes, [&](const HullPlane& plane) { return lies_below(finest, plane, start); });
}

// A hull that is a single point, to be placed anywhere.
MarchingHull point_hull() {
  const Vector3 origin = Vector3::Zero();
  return MarchingHull(ConvexHull(std::span(&origin, 1)));
}

std::uint32_t nearest_vertex(const MarchHull& hull, const Feature& feature, const Vector3& point) {
  return *std::ranges::min_element(hull.vertices_of(feature), {},
                                   [&](std::uint32_t v) { return (hull.hull.vertices()[v] - point).squaredNorm(); });
}

// The closest feature of the hull to a point, at which the hull of a point is placed.
ClosestFeatures closest_to_point(const MarchHull& hull, const MarchingHull& point, const Vector3& at,
                                 MarchEffort effort) {
  const Feature start = hull_vertex(hull.coarse_table.vertex(at - hull.hull.centroid()));
  return march_closest_features(hull, Pose(), storage_of(point), geometry::raw_pose(at), start, {},
                                MarchRule::max_violation, no_budget, effort);
}

}  // namespace

std::size_t link_index(const MarchHull& hull, Feature feature) {
  std::size_t before = 0;
  for (const Kind kind : {Kind::vertex, Kind::edge, Kind::face}) {
    if (feature.kind == kind) return before + feature.id;
    before += hull.count(kind);
  }
  return std::numeric_limits<std::size_t>::max();
}

std::size_t triangle_count(const ConvexHull& hull) {
  std::size_t count = 0;
  for (std::size_t f = 0; f < hull.face_count(); ++f)
    count += hull.face(f).size() - 2;
  return count;
}

std::uint32_t highest_vertex(const MarchHull& hull, std::uint32_t start, const Vector3& direction) {
  if (hull.climbable) return climb(hull, start, flush_tiny(direction));
  return static_cast<std::uint32_t>(hull.hull.support(direction));
}

std::optional<double> bounding_factor(const ConvexHull& hull, const Vector3& center, const MarchHull& finest) {
  if (hull.dimension() != 3) return std::nullopt;
  double factor = 0;
  std::uint32_t start = 0;
  for (std::size_t f = 0; f < hull.face_count(); ++f) {
    const Vector3& normal = hull.planes()[f].normal;
    const double height = dot(normal, hull.vertices()[hull.face(f)[0]] - center);
    if (!(height > 0)) return std::nullopt;
    start = highest_vertex(finest, start, normal);
    factor = std::max(factor, dot(normal, finest.hull.vertices()[start] - center) / height);
  }
  return std::isfinite(factor) && factor > 0 ? std::optional(factor) : std::nullopt;
}

std::optional<ConvexHull> enclosing_hull(std::span<const Vector3> points, const Vector3& center, double factor,
                                         const MarchHull& finest) {
  std::vector<Vector3> scaled(points.size());
  for (double margin = 0x1p-46; margin < 0x1p-10; margin *= 0x1p6) {
    for (std::size_t i = 0; i < points.size(); ++i)
      scaled[i] = center + (factor * (1 + margin)) * (points[i] - center);
    ConvexHull hull(scaled);
    if (contains_hull(hull, finest)) return hull;
  }
  return std::nullopt;
}

double deviation_from(const ConvexHull& outer, const MarchingHull& finest) {
  // The distance from a convex set is a convex function, so over a polyhedron it is largest at a vertex.
  const MarchingHull point = point_hull();
  double most = 0;
  for (const Vector3& v : outer.vertices())
    most = std::max(most, closest_to_point(storage_of(finest), point, v, MarchEffort::full).upper);
  return most;
}

Links nearest_children(const MarchingHull& coarse, const MarchingHull& fine) {
  const MarchHull& outer = storage_of(coarse);
  const MarchHull& inner = storage_of(fine);
  const MarchingHull point = point_hull();
  const auto vertices = outer.hull.vertices();
  Links links(vertices.size() + outer.edges.size() + outer.faces.size(), hull_vertex(0));
  for (std::uint32_t v = 0; v < vertices.size(); ++v) {
    const ClosestFeatures found = closest_to_point(inner, point, vertices[v], MarchEffort::quick);
    const Feature child = hull_vertex(nearest_vertex(inner, found.feature_a, vertices[v]));
    links[v] = child;
    for (const MarchHull::Spoke& spoke : outer.spokes[v]) {
      links[link_index(outer, hull_edge(spoke.edge))] = child;
      for (const std::uint32_t f : outer.edges[spoke.edge].faces) {
        if (f != HullEdge::no_face) links[link_index(outer, hull_face(f))] = child;
      }
    }
  }
  return links;
}

Links extremal_parents(const MarchingHull& fine, const MarchingHull& coarse) {
  const MarchHull& inner = storage_of(fine);
  const MarchHull& outer = storage_of(coarse);
  Links links(inner.hull.vertices().size() + inner.edges.size() + inner.faces.size(), hull_vertex(0));
  std::uint32_t start = 0;
  for (std::uint32_t f = 0; f < inner.faces.size(); ++f) {
    start = highest_vertex(outer, start, inner.faces[f].normal);
    const Feature parent = hull_vertex(start);
    links[link_index(inner, hull_face(f))] = parent;
    for (const MarchHull::Side& side : inner.sides[f])
      links[link_index(inner, hull_edge(side.edge))] = parent;
    for (const std::uint32_t v : inner.hull.face(f))
      links[v] = parent;
  }
  return links;
}

}  // namespace marching

namespace {

/// The feature that a level's feature is linked to; vertex 0 if it has no link.
inline Feature linked(const marching::Level& level, Feature feature, const marching::Links& links) {
  const std::size_t index = marching::link_index(storage_of(level.hull), feature);
  return index < links.size() ? links[index] : marching::hull_vertex(0);
}

}  // namespace

HullLevels::HullLevels(const ConvexHull& hull, const HullLevelOptions& options) {
  if (!(options.decimation > 0 && options.decimation < 1)) {
    throw Error("hull levels: the decimation must be above 0 and below 1");
  }
  if (!(options.max_importance >= 0)) {
    throw Error("hull levels: the largest importance must not be negative");
  }
  if (options.max_levels == 0) {
    throw Error("hull levels: there must be at least one level, the original");
  }
  auto storage = std::make_shared<Storage>();
  storage->levels.push_back({MarchingHull(hull), 0, {}, {}});
  if (hull.dimension() == 3) {
    if (options.builder == LevelBuilder::quadric) {
      marching::add_quadric_levels(storage->levels, options);
    } else {
      marching::add_removal_levels(storage->levels, options);
    }
  }
  if (options.make_table) storage->coarsest_table.emplace(storage->levels.back().hull.hull(), options.table);
  storage_ = std::move(storage);
}

std::size_t HullLevels::count() const {
  return storage_->levels.size();
}

const MarchingHull& HullLevels::level(std::size_t index) const {
  return storage_->at(index).hull;
}

double HullLevels::deviation(std::size_t index) const {
  return storage_->at(index).deviation;
}

Feature HullLevels::child(std::size_t level, Feature feature) const {
  const Storage::Level& from = storage_->at(level);
  return linked(from, feature, from.child);
}

Feature HullLevels::parent(std::size_t level, Feature feature) const {
  const Storage::Level& from = storage_->at(level);
  return linked(from, feature, from.parent);
}

const DirectionTable* HullLevels::coarsest_table() const {
  return storage_->coarsest_table ? &*storage_->coarsest_table : nullptr;
}

}  // namespace whisker::methods
