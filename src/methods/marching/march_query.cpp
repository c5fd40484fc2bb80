#include "methods/marching/march_query.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <span>

#include "geometry/place.hpp"
#include "methods/marching/march_proof.hpp"
#include "methods/marching/march_search.hpp"
#include "shapes/internals.hpp"

namespace whisker::methods {
namespace marching {
namespace {

using Kind = FeatureKind;

// Whether the feature has all these vertices.
bool has_vertices(const MarchHull& hull, Feature feature, std::span<const std::uint32_t> vertices) {
  const auto has = [&](std::uint32_t v) {
    switch (feature.kind) {
      case Kind::vertex:
        return feature.id == v;
      case Kind::edge:
        return hull.edges[feature.id].begin == v || hull.edges[feature.id].end == v;
      case Kind::face: {
        const auto face = hull.hull.face(feature.id);
        return std::find(face.begin(), face.end(), v) != face.end();
      }
      default:
        return false;
    }
  };
  return std::all_of(vertices.begin(), vertices.end(), has);
}

// The smallest feature with all these vertices. If rounding or a merged face leaves none, a feature with the first
// vertex.
Feature feature_of(const MarchHull& hull, std::span<const std::uint32_t> vertices) {
  const Feature first = hull_vertex(vertices[0]);
  if (has_vertices(hull, first, vertices)) return first;
  for (const MarchHull::Spoke& spoke : hull.spokes_of(vertices[0])) {
    const Feature edge = hull_edge(spoke.edge);
    if (has_vertices(hull, edge, vertices)) return edge;
  }
  for (const MarchHull::Spoke& spoke : hull.spokes_of(vertices[0])) {
    for (const std::uint32_t f : {hull.edges[spoke.edge].left, hull.edges[spoke.edge].right}) {
      if (f == HullEdge::no_face) continue;
      const Feature face = hull_face(f);
      if (has_vertices(hull, face, vertices)) return face;
    }
  }
  return first;
}

// The feature that the search ended on: `guess` if it contains all vertices of the simplex.
Feature feature_of_simplex(const MarchHull& hull, const SearchResult& found, std::uint32_t VertexPair::*vertex,
                           Feature guess) {
  std::array<std::uint32_t, 4> vertices{};
  const auto count = static_cast<std::size_t>(found.size);
  for (std::size_t i = 0; i < count; ++i)
    vertices[i] = found.simplex[i].*vertex;
  const auto all = std::span<const std::uint32_t>(vertices).first(count);
  return has_vertices(hull, guess, all) ? guess : feature_of(hull, all);
}

ClosestFeatures report(const March& march) {
  ClosestFeatures result;
  result.feature_a = march.a.feature;
  result.feature_b = march.b.feature;
  result.cost.primitive_tests = march.steps + 1;
  result.steps = march.steps;
  result.plane_tests = march.plane_tests;
  return result;
}

// The pairs of vertices that determine the points, at most four. For two edges, the pairs are the corners of a
// parallelogram, and the three around the points are used.
std::size_t start_pairs(const MarchPoints& points, std::array<VertexPair, 4>& start) {
  if (points.a.count == 2 && points.b.count == 2) {
    const std::size_t corner = points.a.weight[1] + points.b.weight[1] <= 1 ? 0 : 1;
    start[0] = {points.a.vertex[corner], points.b.vertex[corner]};
    start[1] = {points.a.vertex[1 - corner], points.b.vertex[corner]};
    start[2] = {points.a.vertex[corner], points.b.vertex[1 - corner]};
    return 3;
  }
  std::size_t count = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(points.a.count); ++i) {
    for (std::size_t j = 0; j < static_cast<std::size_t>(points.b.count); ++j) {
      if (count < start.size()) start[count++] = {points.a.vertex[i], points.b.vertex[j]};
    }
  }
  return count;
}

}  // namespace

CenterDirections center_directions(const MarchHull& a, const Pose& pose_a, const MarchHull& b, const Pose& pose_b) {
  const Vector3 center_a = geometry::placed_direction(pose_a, a.hull.centroid());
  const Vector3 center_b = geometry::placed_direction(pose_b, b.hull.centroid());
  const Vector3 between = (pose_b.translation() - pose_a.translation()) + (center_b - center_a);
  return {pose_a.rotation().transpose() * between, -(pose_b.rotation().transpose() * between)};
}

ClosestFeatures march_closest_features(const MarchHull& a, const Pose& pose_a, const MarchHull& b, const Pose& pose_b,
                                       Feature start_a, Feature start_b, MarchRule rule, std::uint64_t budget,
                                       MarchEffort effort) {
  March march = make_march(a, pose_a, b, pose_b, rule, start_a, start_b);
  const MarchEnd end = walk(march, budget);
  ClosestFeatures result = report(march);
  if (effort == MarchEffort::walk) {
    result.upper = std::numeric_limits<double>::infinity();
    result.stop = Stop::limit;
    return result;
  }
  const MarchPoints points = closest_points(march);
  if (end == MarchEnd::penetrating && effort == MarchEffort::full &&
      proves_penetration(march, points, pose_a, pose_b)) {
    result.touches = Answer::yes;
    const bool by_a = march.a.feature.kind != Kind::face;  // the vertex or edge that is inside the other hull
    result.point_a =
        by_a ? geometry::placed_point(pose_a, points.a.point(a)) : geometry::placed_point(pose_b, points.b.point(b));
    result.point_b = result.point_a;
    return result;
  }
  if (end == MarchEnd::apart) {
    const Separation apart = measure_separation(march, points, pose_a, pose_b);
    if (apart.is_tight() || (effort == MarchEffort::quick && apart.lower > 0)) {
      result.touches = Answer::no;
      result.lower = apart.lower;
      result.upper = apart.upper;
      result.point_a = apart.point_a;
      result.point_b = apart.point_b;
      result.normal = apart.normal;
      result.stop = apart.is_tight() ? Stop::exact : Stop::limit;
      return result;
    }
  }
  if (effort == MarchEffort::quick) {
    result.upper = std::numeric_limits<double>::infinity();
    result.stop = Stop::limit;
    return result;
  }
  std::array<VertexPair, 4> start{};
  const std::size_t count = start_pairs(points, start);
  const SearchResult found = search_closest(a, pose_a, b, pose_b, std::span<const VertexPair>(start).first(count));
  result.searched = true;
  result.touches = found.touches;
  result.lower = found.lower;
  result.upper = found.upper;
  result.point_a = found.point_a;
  result.point_b = found.point_b;
  result.normal = found.normal;
  result.feature_a = feature_of_simplex(a, found, &VertexPair::a, march.a.feature);
  result.feature_b = feature_of_simplex(b, found, &VertexPair::b, march.b.feature);
  result.stop = found.converged ? Stop::exact : Stop::limit;
  return result;
}

}  // namespace marching

ClosestFeatures closest_features(const MarchingHull& a, const Pose& pose_a, const MarchingHull& b, const Pose& pose_b,
                                 FeatureTrack& track) {
  return closest_features(a, pose_a, b, pose_b, {}, track);
}

ClosestFeatures closest_features(const MarchingHull& a, const Pose& pose_a, const MarchingHull& b, const Pose& pose_b,
                                 const MarchOptions& options, FeatureTrack& track) {
  const marching::MarchHull& hull_a = storage_of(a);
  const marching::MarchHull& hull_b = storage_of(b);
  const bool by_tables = options.table_a != nullptr && options.table_b != nullptr;
  if (by_tables || !track.started) {
    const auto [from_a, from_b] = marching::center_directions(hull_a, pose_a, hull_b, pose_b);
    const DirectionTable& table_a = by_tables ? *options.table_a : hull_a.coarse_table;
    const DirectionTable& table_b = by_tables ? *options.table_b : hull_b.coarse_table;
    track.a = marching::hull_vertex(table_a.vertex(from_a));
    track.b = marching::hull_vertex(table_b.vertex(from_b));
    track.started = true;
  }
  const ClosestFeatures result = marching::march_closest_features(
      hull_a, pose_a, hull_b, pose_b, track.a, track.b, options.rule, options.budget, marching::MarchEffort::full);
  track.a = result.feature_a;
  track.b = result.feature_b;
  return result;
}

ClosestFeatures closest_features(const MarchingHull& a, const Pose& pose_a, const MarchingHull& b, const Pose& pose_b,
                                 const MarchOptions& options) {
  FeatureTrack track;
  return closest_features(a, pose_a, b, pose_b, options, track);
}

}  // namespace whisker::methods
