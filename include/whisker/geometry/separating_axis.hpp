#pragma once

/// \file
/// The separating-axis test of two placed convex polyhedra: do they share a point, along which direction are they
/// apart, or else along which direction do they overlap least?

#include <cstdint>
#include <span>
#include <vector>

#include <whisker/pose.hpp>
#include <whisker/vector.hpp>

namespace whisker {

/// An edge as the Gauss map shows it: the arc between the outward normals of its two faces.
struct GaussArc {
  std::uint32_t begin = 0;      ///< A vertex.
  std::uint32_t end = 0;        ///< The other vertex.
  std::uint32_t left = 0;       ///< One end of the arc, an index into the normals.
  std::uint32_t right = 0;      ///< The other end; less than 180° from the first.
  std::uint32_t direction = 0;  ///< The edge's direction, an index into the directions.
};

/// A convex polyhedron in its own frame as the test reads it: arrays that belong to the caller.
/// ConvexHull::polyhedron() supplies one. Answers are about the vertices; the other arrays say where to look.
struct PolyhedronView {
  /// 3 solid, 2 flat polygon, 1 segment, 0 point.
  int dimension = 0;
  /// The corners.
  std::span<const Vector3> vertices;
  /// Unit outward normals of the faces. A flat polygon has its two sides, then for each edge the normal in its plane.
  /// A segment or a point has none.
  std::span<const Vector3> normals;
  /// For each normal a vertex farthest along it.
  std::span<const std::uint32_t> normal_vertices;
  /// Every edge as an arc. An edge of a flat polygon gives two, side to edge normal to other side. Empty for a segment.
  std::span<const GaussArc> arcs;
  /// Unit directions of the edges, parallel ones once.
  std::span<const Vector3> directions;
};

/// What a caller keeps from one test of a pair to the next: a world axis that is tried first. Any content is safe: an
/// axis can only prove that the pair is apart; a wrong one costs one look at the vertices. (A pair that is apart by so
/// little that the test's own axes cannot prove it may still be proven apart by a lucky cached one.)
struct SeparatingAxisCache {
  Vector3 axis = Vector3::Zero();
  bool valid = false;
};

/// What the test found.
struct SeparatingAxisResult {
  /// True: proven apart, the gap along `axis` exceeds all rounding. False: they share a point, or are closer than
  /// rounding can tell.
  bool separated = false;
  /// World direction from the first to the second polyhedron, of unit length up to rounding: the one that separates, or
  /// the one of least overlap. Zero only if the pair is not apart and has no axis (two equal points).
  Vector3 axis = Vector3::Zero();
  /// If separated: how far apart they are along `axis`, rounded down; a lower bound of their distance. Else 0.
  double gap = 0;
  /// If not separated: moving the second polyhedron by this along `axis` brings the pair to no more than touching;
  /// rounded up. It is the penetration depth up to rounding (the nearest face of the Minkowski difference; Cameron and
  /// Culley 1986), and an upper bound of it in every case. Else 0.
  double overlap = 0;
  /// Axes whose gap was looked at, the cached one included.
  std::uint32_t axes_tried = 0;
  /// Whether the cached axis alone gave the answer.
  bool cache_hit = false;
};

/// Working memory, reused from call to call so that nothing is allocated in the steady state. Not shared by threads.
struct SeparatingAxisScratch {
  std::vector<double> numbers;
  std::vector<std::uint32_t> arcs;
};

/// Tests polyhedron a at pose_a against b at pose_b. Answers are about the doubles place(pose, vertex).
///
/// Axes tried, in this order until one separates: the cached one; the line of the centers; face normals of a, of b;
/// cross products of an edge of each. Of the edge pairs only those whose arcs cross on the Gauss map are looked at
/// (Gregorius 2013); for small polyhedra every pair of edge directions instead. Where both are flat or less, also the
/// axes in the plane. `cache` may be null; it receives the axis found. Finite poses and vertices up to 1e90 are
/// assumed.
SeparatingAxisResult separating_axis(const PolyhedronView& a, const Pose& pose_a, const PolyhedronView& b,
                                     const Pose& pose_b, SeparatingAxisCache* cache, SeparatingAxisScratch& scratch);

/// The same with working memory of its own: simpler, and it allocates.
SeparatingAxisResult separating_axis(const PolyhedronView& a, const Pose& pose_a, const PolyhedronView& b,
                                     const Pose& pose_b);

}  // namespace whisker
