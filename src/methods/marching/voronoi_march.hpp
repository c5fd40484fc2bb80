#pragma once

// Voronoi marching: the walk over the features of two convex polyhedra, in double.
//
// Sources: M. Lin, J. Canny, "A fast algorithm for incremental distance calculation" (1991); B. Mirtich, "V-Clip: fast
// and robust polyhedral collision detection" (1998); S. Ehmann, M. Lin, "Accelerated proximity queries between convex
// polyhedra by multi-level Voronoi marching" (2000).
//
// If the closest points of two features each lie in the (closed) Voronoi region of the other feature, they are the
// closest points of the two polyhedra. Otherwise a plane of a region is violated. Beyond that plane lies a feature that
// is closer, or one of lower dimension that is equally close.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <whisker/methods/closest_features.hpp>

#include "geometry/grouped.hpp"
#include "geometry/ordered_sums.hpp"
#include "shapes/internals.hpp"

namespace whisker::methods {

/// The precomputed data of a hull for marching, in the hull's frame.
struct MarchingHull::Storage {
  /// One of the edges that leave a vertex. The plane through the vertex perpendicular to the edge bounds the vertex's
  /// region.
  struct Spoke {
    Vector3 direction;  // unit, away from the vertex
    std::uint32_t edge;
    std::uint32_t other;  // the vertex at the other end
  };
  struct Edge {
    std::array<std::uint32_t, 2> ends;   // begin and end
    std::array<std::uint32_t, 2> faces;  // left and right, or HullEdge::no_face
    Vector3 origin;                      // the vertex at its begin
    Vector3 direction;                   // unit, from begin to end
    double length;
    // Unit vectors in the faces' planes, pointing away from the faces. The region of the edge is where neither height
    // is negative. Zero if there is no face.
    Vector3 left_out;
    Vector3 right_out;
  };
  /// One of the edges around a face. The face's prism is where no outward height is positive.
  struct Side {
    Vector3 outward;
    double offset;
    std::uint32_t edge;
  };
  struct Face {
    Vector3 normal;
    double offset;
  };

  ConvexHull hull;
  geometry::Grouped<Spoke> spokes;  // by vertex
  std::vector<Edge> edges;
  geometry::Grouped<Side> sides;  // by face
  std::vector<Face> faces;

  double radius = 0;            // of a ball around the frame's origin that contains the hull, rounded up
  double diameter = 0;          // of a ball that contains the hull
  double extent = 0;            // longest side of its AABB
  bool climbable = false;       // vertices can be compared exactly, and a vertex without a higher neighbor is the
                                // highest
  DirectionTable coarse_table;  // where a walk without a warm start begins

  explicit Storage(ConvexHull hull_);

  /// The number of its vertices, edges or faces.
  std::size_t count(FeatureKind kind) const {
    if (kind == FeatureKind::vertex) return hull.vertices().size();
    if (kind == FeatureKind::edge) return edges.size();
    return kind == FeatureKind::face ? faces.size() : 0;
  }
  /// The vertices of a vertex, edge or face of the hull. Valid as long as `feature` is.
  std::span<const std::uint32_t> vertices_of(const Feature& feature) const {
    if (feature.kind == FeatureKind::vertex) return {&feature.id, 1};
    return feature.kind == FeatureKind::edge ? edges[feature.id].ends : hull.face(feature.id);
  }
  /// Whether the feature has all these vertices.
  bool has_vertices(const Feature& feature, std::span<const std::uint32_t> vertices) const {
    const auto own = vertices_of(feature);
    return std::ranges::all_of(vertices, [&](std::uint32_t v) { return std::ranges::find(own, v) != own.end(); });
  }
};

namespace marching {

using MarchHull = StorageOf<MarchingHull>;

using geometry::dot;

/// Returns a direction for climbing with exact comparisons: coordinates too small to multiply exactly become zero.
inline Vector3 flush_tiny(const Vector3& direction) {
  return direction.unaryExpr([](double x) { return std::abs(x) < 0x1p-300 ? 0.0 : x; });
}

/// The pose of one hull's frame in the other's.
struct RelativePose {
  Matrix3 rotation;
  Vector3 translation;

  Vector3 point(const Vector3& x) const {
    const Vector3 y = direction(x);
    return {y[0] + translation[0], y[1] + translation[1], y[2] + translation[2]};
  }
  Vector3 direction(const Vector3& x) const { return geometry::turned(rotation, x); }
};

/// The features of a hull.
constexpr Feature hull_vertex(std::uint32_t index) {
  return {0, FeatureKind::vertex, index};
}
constexpr Feature hull_edge(std::uint32_t index) {
  return {0, FeatureKind::edge, index};
}
constexpr Feature hull_face(std::uint32_t index) {
  return {0, FeatureKind::face, index};
}

/// One of the two polyhedra of a walk.
struct MarchBody {
  const MarchHull* hull = nullptr;
  RelativePose to_other;
  Feature feature;
};

/// For a body whose feature is a vertex, or an edge, respectively.
inline const Vector3& position(const MarchBody& body) {
  return body.hull->hull.vertices()[body.feature.id];
}
inline const MarchHull::Edge& edge_of(const MarchBody& body) {
  return body.hull->edges[body.feature.id];
}

enum class MarchEnd {
  none,         // the walk goes on
  apart,        // the features are the closest, as far as doubles can tell
  penetrating,  // an edge passes through a face, or a vertex lies inside all faces, as far as doubles can tell
  lost,         // the walk cycled, or reached the limit
};

/// A walk and its cost.
struct March {
  MarchBody a;
  MarchBody b;
  MarchRule rule = MarchRule::max_violation;
  double tolerance = 0;  // a length: smaller violations of planes are ignored
  std::uint64_t steps = 0;
  std::uint64_t plane_tests = 0;
};

/// Sets up a walk. Features that the hulls do not have are replaced by vertex 0.
March make_march(const MarchHull& a, const Pose& pose_a, const MarchHull& b, const Pose& pose_b, MarchRule rule,
                 Feature feature_a, Feature feature_b);

/// Walks from the bodies' features to the closest ones. Always terminates: a pair of features determines the next pair,
/// and a repeated pair is detected (Brent's cycle detection).
MarchEnd walk(March& march, std::uint64_t budget);

/// A point of a feature, as nonnegative weights of up to three vertices. They sum to 1 up to rounding.
struct FeatureWeights {
  std::array<std::uint32_t, 3> vertex{};
  std::array<double, 3> weight{};
  int count = 1;

  Vector3 point(const MarchHull& hull) const;
};

/// The closest points of the two features, which must not both be faces.
struct MarchPoints {
  FeatureWeights a;
  FeatureWeights b;
};
MarchPoints closest_points(const March& march);

/// Parameters in [0, length] of the closest points of two segments p + s d, q + t e with unit directions. For parallel
/// segments, the middle of their overlap.
struct SegmentParameters {
  double s;
  double t;
};
SegmentParameters closest_segments(const Vector3& p, const Vector3& d, double length_d, const Vector3& q,
                                   const Vector3& e, double length_e);

/// `full` continues until the bounds are tight. `quick` leaves pairs undecided that doubles do not prove disjoint, with
/// the bounds known so far: upper may be infinite. `walk` proves nothing: only the features are valid.
enum class MarchEffort { walk, quick, full };

/// closest_features() without input checks, as a building block for other queries.
ClosestFeatures march_closest_features(const MarchHull& a, const Pose& pose_a, const MarchHull& b, const Pose& pose_b,
                                       Feature start_a, Feature start_b, MarchRule rule, std::uint64_t budget,
                                       MarchEffort effort);

/// Features to start from: of each hull, the vertex that faces the other hull's centroid, according to a table.
std::pair<Feature, Feature> facing_vertices(const MarchHull& a, const Pose& pose_a, const DirectionTable& table_a,
                                            const MarchHull& b, const Pose& pose_b, const DirectionTable& table_b);

}  // namespace marching
}  // namespace whisker::methods
