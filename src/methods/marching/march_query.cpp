// Closest features: walks, proves the result, and searches where that fails.

#include <array>
#include <cstddef>
#include <span>
#include <tuple>

#include "geometry/constants.hpp"
#include "geometry/place.hpp"
#include "methods/marching/march_proof.hpp"
#include "shapes/internals.hpp"

namespace whisker::methods {
namespace marching {
namespace {

// The smallest feature with all these vertices. If rounding or a merged face leaves none, a feature with the first
// vertex.
Feature feature_of(const MarchHull& hull, std::span<const std::uint32_t> vertices) {
  const Feature first = hull_vertex(vertices[0]);
  if (hull.has_vertices(first, vertices)) return first;
  for (const MarchHull::Spoke& spoke : hull.spokes[vertices[0]]) {
    const Feature edge = hull_edge(spoke.edge);
    if (hull.has_vertices(edge, vertices)) return edge;
  }
  for (const MarchHull::Spoke& spoke : hull.spokes[vertices[0]]) {
    for (const std::uint32_t f : hull.edges[spoke.edge].faces) {
      if (f == HullEdge::no_face) continue;
      const Feature face = hull_face(f);
      if (hull.has_vertices(face, vertices)) return face;
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
  return hull.has_vertices(guess, all) ? guess : feature_of(hull, all);
}

// Where a walk ended. Nothing is known of the distance.
ClosestFeatures report(const March& march) {
  ClosestFeatures result;
  result.upper = infinity;
  result.feature_a = march.a.feature;
  result.feature_b = march.b.feature;
  result.stop = Stop::limit;
  result.cost.primitive_tests = march.steps + 1;
  result.steps = march.steps;
  result.plane_tests = march.plane_tests;
  return result;
}

void set_distance(ClosestFeatures& result, const Distance& known, Answer touches) {
  result.touches = touches;
  result.lower = known.lower;
  result.upper = known.upper;
  result.point_a = known.point_a;
  result.point_b = known.point_b;
  result.normal = known.normal;
  result.stop = known.stop;
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

std::pair<Feature, Feature> facing_vertices(const MarchHull& a, const Pose& pose_a, const DirectionTable& table_a,
                                            const MarchHull& b, const Pose& pose_b, const DirectionTable& table_b) {
  const Vector3 center_a = geometry::placed_direction(pose_a, a.hull.centroid());
  const Vector3 center_b = geometry::placed_direction(pose_b, b.hull.centroid());
  const Vector3 between = (pose_b.translation() - pose_a.translation()) + (center_b - center_a);
  return {hull_vertex(table_a.vertex(pose_a.rotation().transpose() * between)),
          hull_vertex(table_b.vertex(-(pose_b.rotation().transpose() * between)))};
}

ClosestFeatures march_closest_features(const MarchHull& a, const Pose& pose_a, const MarchHull& b, const Pose& pose_b,
                                       Feature start_a, Feature start_b, MarchRule rule, std::uint64_t budget,
                                       MarchEffort effort) {
  March march = make_march(a, pose_a, b, pose_b, rule, start_a, start_b);
  const MarchEnd end = walk(march, budget);
  ClosestFeatures result = report(march);
  if (effort == MarchEffort::walk) return result;
  const MarchPoints points = closest_points(march);
  if (end == MarchEnd::penetrating && effort == MarchEffort::full &&
      proves_penetration(march, points, pose_a, pose_b)) {
    // The vertex or edge that is inside the other hull.
    const bool by_a = march.a.feature.kind != FeatureKind::face;
    Distance none;
    none.point_a = none.point_b =
        by_a ? geometry::placed_point(pose_a, points.a.point(a)) : geometry::placed_point(pose_b, points.b.point(b));
    set_distance(result, none, Answer::yes);
    return result;
  }
  if (end == MarchEnd::apart) {
    const Distance apart = measure_separation(march, points, pose_a, pose_b);
    if (apart.stop == Stop::exact || (effort == MarchEffort::quick && apart.lower > 0)) {
      set_distance(result, apart, Answer::no);
      return result;
    }
  }
  if (effort == MarchEffort::quick) return result;
  std::array<VertexPair, 4> start{};
  const std::size_t count = start_pairs(points, start);
  const SearchResult found = search_closest(a, pose_a, b, pose_b, std::span<const VertexPair>(start).first(count));
  set_distance(result, found, found.touches);
  result.searched = true;
  result.feature_a = feature_of_simplex(a, found, &VertexPair::a, march.a.feature);
  result.feature_b = feature_of_simplex(b, found, &VertexPair::b, march.b.feature);
  return result;
}

}  // namespace marching

ClosestFeatures closest_features(const MarchingHull& a, const Pose& pose_a, const MarchingHull& b, const Pose& pose_b,
                                 const MarchOptions& options, FeatureTrack& track) {
  const marching::MarchHull& hull_a = storage_of(a);
  const marching::MarchHull& hull_b = storage_of(b);
  const bool by_tables = options.table_a != nullptr && options.table_b != nullptr;
  if (by_tables || !track.started) {
    std::tie(track.a, track.b) =
        marching::facing_vertices(hull_a, pose_a, by_tables ? *options.table_a : hull_a.coarse_table, hull_b, pose_b,
                                  by_tables ? *options.table_b : hull_b.coarse_table);
    track.started = true;
  }
  const ClosestFeatures result = marching::march_closest_features(
      hull_a, pose_a, hull_b, pose_b, track.a, track.b, options.rule, options.budget, marching::MarchEffort::full);
  track.a = result.feature_a;
  track.b = result.feature_b;
  return result;
}

}  // namespace whisker::methods
