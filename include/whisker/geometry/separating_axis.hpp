#pragma once

/// \file
/// The separating-axis test of two placed convex polyhedra: whether they share a point, along which direction they are
/// apart, and otherwise along which direction they overlap least.
///
///     SeparatingAxisCache cache;                       // one per pair, kept by the caller
///     SeparatingAxisScratch scratch;                   // one per thread
///     const auto found = separating_axis(hull_a.polyhedron(), pose_a, hull_b.polyhedron(), pose_b, &cache, scratch);
///     if (found.separated) return;                     // at least found.gap apart
///     push(found.axis * found.overlap);                // moves b until the two only touch
///
/// A result is always proven: the gap of a pair that is reported as separated exceeds all rounding error. Nothing is
/// thrown.

#include <cstdint>
#include <span>
#include <vector>

#include <whisker/pose.hpp>
#include <whisker/vector.hpp>

namespace whisker {

/// An edge on the Gauss map: the arc between the outward normals of its two faces.
struct GaussArc {
  std::uint32_t begin = 0;      ///< One vertex of the edge.
  std::uint32_t end = 0;        ///< The other vertex.
  std::uint32_t left = 0;       ///< One end of the arc, an index into the normals.
  std::uint32_t right = 0;      ///< The other end of the arc, less than 180° from the first.
  std::uint32_t direction = 0;  ///< The edge's direction, an index into the directions.
};

/// A convex polyhedron in its own frame, as the test reads it. The arrays belong to the caller and must outlive the
/// view. ConvexHull::polyhedron() supplies one. Answers are about the vertices. The other arrays only determine which
/// axes are tried.
struct PolyhedronView {
  /// 3 for a solid, 2 for a flat polygon, 1 for a segment, 0 for a point.
  int dimension = 0;
  /// At least one.
  std::span<const Vector3> vertices;
  /// Unit outward normals of the faces. A flat polygon has the normals of its two sides, then for each edge the outward
  /// normal within its plane. A segment or a point has none.
  std::span<const Vector3> normals;
  /// For each normal, a vertex that is farthest along it.
  std::span<const std::uint32_t> normal_vertices;
  /// Every edge as an arc. An edge of a flat polygon gives two arcs: from one side's normal to the edge normal, and
  /// from there to the other side's normal. Empty for a segment.
  std::span<const GaussArc> arcs;
  /// Unit directions of the edges; parallel edges share one.
  std::span<const Vector3> directions;
};

/// What a caller keeps from one test of a pair to the next: a world axis that is tried first. Any content is safe. An
/// axis can only prove that the pair is apart; a wrong one costs one pass over the vertices. (If a pair is apart by so
/// little that the test's own axes cannot prove it, a cached axis may still happen to prove it.)
struct SeparatingAxisCache {
  Vector3 axis = Vector3::Zero();
  bool valid = false;
};

/// The result of the test.
struct SeparatingAxisResult {
  /// True: proven apart; the gap along `axis` exceeds all rounding error. False: the polyhedra share a point, or are
  /// closer than rounding lets the test prove.
  bool separated = false;
  /// World direction from the first to the second polyhedron, of unit length up to rounding: the separating axis, or
  /// else the axis of least overlap. Zero only if the pair is not apart and has no axis (two equal points).
  Vector3 axis = Vector3::Zero();
  /// If separated: the gap along `axis`, rounded down; a lower bound of the distance. Otherwise 0.
  double gap = 0;
  /// If not separated: moving the second polyhedron by this length along `axis` leaves the pair at most touching;
  /// rounded up. Up to rounding it is the penetration depth, that is, the distance to the nearest face of the Minkowski
  /// difference (Cameron and Culley 1986). In every case it is an upper bound of the penetration depth. Otherwise 0.
  double overlap = 0;
  /// How many axes were tried, including the cached one.
  std::uint32_t axes_tried = 0;
  /// Whether the cached axis alone proved the pair apart.
  bool cache_hit = false;
};

/// Working memory, reused from call to call so that nothing is allocated in the steady state. Use one per thread.
struct SeparatingAxisScratch {
  std::vector<double> numbers;
  std::vector<std::uint32_t> arcs;
};

/// Tests polyhedron a at pose_a against b at pose_b. Answers are about the placed vertices place(pose, vertex), as
/// doubles.
///
/// The axes are tried in this order until one separates: the cached axis, the line of the centers, the face normals of
/// a, the face normals of b, the cross products of an edge of each. Only edge pairs whose arcs cross on the Gauss map
/// are tried (Gregorius 2013), or, for small polyhedra, every pair of edge directions. If both polyhedra have dimension
/// 2 or less, axes within their planes are tried as well. `cache` may be null; otherwise it receives the axis found.
/// Poses must be finite and vertices at most 1e90 in magnitude; this is not checked.
SeparatingAxisResult separating_axis(const PolyhedronView& a, const Pose& pose_a, const PolyhedronView& b,
                                     const Pose& pose_b, SeparatingAxisCache* cache, SeparatingAxisScratch& scratch);

/// The same without a cache and with working memory of its own. Simpler, but it allocates.
SeparatingAxisResult separating_axis(const PolyhedronView& a, const Pose& pose_a, const PolyhedronView& b,
                                     const Pose& pose_b);

}  // namespace whisker
