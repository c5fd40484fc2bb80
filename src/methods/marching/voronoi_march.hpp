#pragma once

// Voronoi marching: the walk over the features of two convex polyhedra, in double.
//
// Sources: M. Lin, J. Canny, "A fast algorithm for incremental distance calculation" (1991); B. Mirtich, "V-Clip: fast
// and robust polyhedral collision detection" (1998); S. Ehmann, M. Lin, "Accelerated proximity queries between convex
// polyhedra by multi-level Voronoi marching" (2000).
//
// If a point of one feature lies in the (closed) Voronoi region of the other and the other way round, and the two are
// the closest points of the two features, they are the closest points of the two polyhedra. If not, a plane of a region
// is violated, and beyond it lies a feature that is closer, or one of lower dimension that is as close.

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include <whisker/methods/closest_features.hpp>

#include "shapes/internals.hpp"

namespace whisker::methods {

/// What marching needs to know of a hull, in the hull's frame.
struct MarchingHull::Storage {
  /// One of the edges that leave a vertex: the plane through the vertex square to it bounds the vertex's region.
  struct Spoke {
    Vector3 direction;  // unit, away from the vertex
    std::uint32_t edge;
    std::uint32_t other;  // the vertex at its far end
  };
  struct Edge {
    std::uint32_t begin, end, left, right;
    Vector3 origin;     // the vertex `begin`
    Vector3 direction;  // unit, from begin to end
    double length;
    // Unit vectors in the faces' planes, away from the faces: the region of the edge is where neither is negative.
    // Zero where there is no face.
    Vector3 left_out;
    Vector3 right_out;
  };
  /// One of the edges around a face: the face's prism is where no outward height is positive.
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
  std::vector<Spoke> spokes;
  std::vector<std::uint32_t> spoke_begin;  // one more than vertices
  std::vector<Edge> edges;
  std::vector<Side> sides;
  std::vector<std::uint32_t> side_begin;  // one more than faces
  std::vector<Face> faces;

  double radius = 0;            // of a ball about the frame's origin that holds the hull, or a little more
  double diameter = 0;          // of a ball that holds it
  double extent = 0;            // the largest side of its box
  bool climbable = false;       // comparisons of vertices are exact, and where no neighbor is higher, no vertex is
  DirectionTable coarse_table;  // where a walk without a memory begins

  explicit Storage(ConvexHull hull_);

  std::span<const Spoke> spokes_of(std::uint32_t vertex) const {
    return std::span(spokes).subspan(spoke_begin[vertex], spoke_begin[vertex + 1] - spoke_begin[vertex]);
  }
  std::span<const Side> sides_of(std::uint32_t face) const {
    return std::span(sides).subspan(side_begin[face], side_begin[face + 1] - side_begin[face]);
  }
};

namespace marching {

using MarchHull = StorageOf<MarchingHull>;

/// In one order of sums, whatever Eigen would choose.
inline double dot(const Vector3& a, const Vector3& b) {
  return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

/// A direction that is exact where hulls are made to climb: coordinates too small to multiply exactly become zero.
inline Vector3 flush_tiny(const Vector3& direction) {
  return direction.unaryExpr([](double x) { return std::abs(x) < 0x1p-300 ? 0.0 : x; });
}

/// Where the frame of one hull stands in that of the other.
struct RelativePose {
  Matrix3 rotation;
  Vector3 translation;

  Vector3 point(const Vector3& x) const {
    return {((rotation(0, 0) * x[0] + rotation(0, 1) * x[1]) + rotation(0, 2) * x[2]) + translation[0],
            ((rotation(1, 0) * x[0] + rotation(1, 1) * x[1]) + rotation(1, 2) * x[2]) + translation[1],
            ((rotation(2, 0) * x[0] + rotation(2, 1) * x[1]) + rotation(2, 2) * x[2]) + translation[2]};
  }
  Vector3 direction(const Vector3& x) const {
    return {(rotation(0, 0) * x[0] + rotation(0, 1) * x[1]) + rotation(0, 2) * x[2],
            (rotation(1, 0) * x[0] + rotation(1, 1) * x[1]) + rotation(1, 2) * x[2],
            (rotation(2, 0) * x[0] + rotation(2, 1) * x[1]) + rotation(2, 2) * x[2]};
  }
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

/// Of a body whose feature is a vertex, or an edge.
inline const Vector3& position(const MarchBody& body) {
  return body.hull->hull.vertices()[body.feature.id];
}
inline const MarchHull::Edge& edge_of(const MarchBody& body) {
  return body.hull->edges[body.feature.id];
}

enum class MarchEnd {
  apart,        // the features are closest, as far as doubles can tell
  penetrating,  // an edge runs through a face, or a vertex lies inside of all faces, as far as doubles can tell
  lost,         // went in a circle, or reached the limit
};

/// A walk and what it cost.
struct March {
  MarchBody a;
  MarchBody b;
  MarchRule rule = MarchRule::max_violation;
  double tolerance = 0;  // in lengths: planes violated by less are not violated
  std::uint64_t steps = 0;
  std::uint64_t plane_tests = 0;
};

/// Two bodies that stand ready; features that the hulls do not have are replaced by vertex 0.
March make_march(const MarchHull& a, const Pose& pose_a, const MarchHull& b, const Pose& pose_b, MarchRule rule,
                 Feature feature_a, Feature feature_b);

/// Walks from the bodies' features to the closest ones. Always ends: a pair of features determines the next, and one
/// that comes back is noticed (Brent's cycle detection).
MarchEnd walk(March& march, std::uint64_t step_limit);

/// A point of a feature, as weights of up to three vertices that are not negative and sum to 1 up to rounding.
struct FeatureWeights {
  std::array<std::uint32_t, 3> vertex{};
  std::array<double, 3> weight{};
  int count = 1;

  Vector3 point(const MarchHull& hull) const;
};

/// The points of the two features that are closest to each other; features other than two faces.
struct MarchPoints {
  FeatureWeights a;
  FeatureWeights b;
};
MarchPoints closest_points(const March& march);

/// Parameters in [0, length] of the closest points of two segments p + s d, q + t e with unit directions; of parallel
/// ones the middle of what lies side by side.
struct SegmentParameters {
  double s;
  double t;
};
SegmentParameters closest_segments(const Vector3& p, const Vector3& d, double length_d, const Vector3& q,
                                   const Vector3& e, double length_e);

}  // namespace marching
}  // namespace whisker::methods
