#pragma once

/// \file
/// The closest features of two convex polyhedra, tracked from frame to frame: Voronoi marching (Lin and Canny 1991).
///
///     const MarchingHull gear(hull_a), crate(hull_b);           // once
///     FeatureTrack track;                                       // one per pair, kept by the caller
///     for (const Pose& pose_a : path) {
///       const ClosestFeatures c = closest_features(gear, pose_a, crate, pose_b, track);
///       if (c.touches == Answer::no) show(c.feature_a, c.point_a, c.lower);
///     }
///
/// Each step of the walk goes from a vertex, edge or face to a neighbor that is closer to the other polyhedron, or that
/// has a lower dimension and is no farther. From one frame to the next a few steps are enough, whatever the number of
/// faces.
///
/// The end of the walk is only a guess. The result is proven afterward, and where the proof fails, a second search (GJK
/// in double-double arithmetic, twice the precision of a double) decides. So a poor start, or flat, parallel or
/// touching features, never make an answer wrong. They only make it slower.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include <whisker/convex_hull.hpp>
#include <whisker/detail/held.hpp>
#include <whisker/pose.hpp>
#include <whisker/queries.hpp>
#include <whisker/vector.hpp>

namespace whisker::methods {

/// A hull prepared for marching: the planes of its Voronoi regions and the adjacency of its features. It takes about a
/// kilobyte per vertex. It is immutable: copies share their data, and any number of threads may use it.
class MarchingHull {
 public:
  explicit MarchingHull(ConvexHull hull);

  /// The hull that it was made from; feature numbers refer to this hull.
  const ConvexHull& hull() const;

 private:
  friend struct whisker::Internals;
  struct Storage;
  Held<"MarchingHull", std::shared_ptr<const Storage>> storage_;
};

/// Options of a DirectionTable.
struct DirectionTableOptions {
  double resolution = 5.625;  ///< The grid spacing in degrees, from 1 to 90. It should divide 360.
  double radius_factor = 2;   ///< Distance of the sample points from the centroid, in radii of the hull; from 1 to 1e6.
};

/// For each direction on a grid, a vertex to start from: the one nearest to a point that lies far out in that direction
/// (Ehmann and Lin 2000; proposed by Dworkin and Zeltzer 1993). With a table, the cost of a query does not depend on
/// how far the shapes have moved. The poles of the grid are on the z axis. A table at 5.625° has 64 · 31 + 2 entries of
/// four bytes.
class DirectionTable {
 public:
  /// Takes time proportional to entries × vertices. Throws an Error if an option is out of range.
  explicit DirectionTable(const ConvexHull& hull, const DirectionTableOptions& options = {});

  /// The start vertex for a direction in the hull's own frame. The direction need not be a unit vector.
  std::uint32_t vertex(const Vector3& direction) const;
  /// The number of entries.
  std::size_t size() const {
    check_held();
    return entries_.size();
  }

 private:
  void check_held() const {
    if (entries_.empty()) [[unlikely]]
      throw_empty("DirectionTable");
  }

  int around_ = 0;  // entries on a circle of latitude
  int rings_ = 0;   // circles of latitude, without the poles
  std::vector<std::uint32_t> entries_;
};

/// Which neighbor the walk steps to.
enum class MarchRule {
  max_violation,    ///< Across the Voronoi plane that is violated most; both features may change in one step (Ehmann
                    ///< and Lin 2000).
  first_violation,  ///< Across the first violated plane; one feature changes per step (V-Clip, Mirtich 1998).
};

/// Where the last query of a pair ended and the next one starts. A track from another pair changes the cost, not the
/// answer.
struct FeatureTrack {
  Feature a = {.kind = FeatureKind::vertex};  ///< A vertex, edge or face of a's hull.
  Feature b = {.kind = FeatureKind::vertex};  ///< A vertex, edge or face of b's hull.
  bool started = false;  ///< If false, the walk starts at vertices that face the other hull's centroid.

  /// Resets the track, so that the next query starts at vertices that face the other hull's centroid.
  void clear() { *this = {}; }
};

/// Options of closest_features().
struct MarchOptions {
  MarchRule rule = MarchRule::max_violation;
  /// If both tables are given, every query starts at their vertices instead of where the last one ended. The tables
  /// belong to the caller, and must be those of a's and b's hull.
  const DirectionTable* table_a = nullptr;
  const DirectionTable* table_b = nullptr;
  /// The largest number of steps of the walk. After that the second search takes over.
  std::uint64_t budget = std::numeric_limits<std::uint64_t>::max();
};

/// The result of closest_features(). The fields of Distance mean here:
///
///  - `feature_a` is the vertex, edge or face that `point_a` lies on. If the hulls share a point, it is a feature that
///    shares a point with `feature_b` or with b's interior. The same holds for `feature_b`.
///  - If several pairs of points are equally close, one pair is given.
///  - Both bounds are 0 if the hulls are proven to share a point.
///  - `normal` is zero unless the hulls are proven apart.
///  - `stop` is `exact` if the bounds differ by less than 1e-11 of the distance, or by less than 1e-23 of the hulls'
///    size.
///  - `cost.primitive_tests` counts the pairs of features that the walk visited.
struct ClosestFeatures : Distance {
  /// Whether the hulls share a point. Undecided if their gap or their overlap is too small for a proof; the bounds
  /// still hold.
  Answer touches = Answer::undecided;
  std::uint64_t steps = 0;        ///< Steps of the walk, that is, changes of features.
  std::uint64_t plane_tests = 0;  ///< Points (or edges) compared with planes of Voronoi regions.
  bool searched = false;          ///< The walk's result could not be proven, so the second search was needed.
};

/// The closest features of two placed hulls.
///
/// Starts from `track` and updates it. Nothing is allocated. In a coherent sequence a query takes expected constant
/// time: a fraction of a microsecond, or a few microseconds where the gap is below about 1e-3 of the hulls' size or the
/// hulls just touch, because the proof then needs longer numbers. If a vertex of one hull lies inside the other, the
/// query tests every face once. Hulls with merged faces need one pass over all vertices.
ClosestFeatures closest_features(const MarchingHull& a, const Pose& pose_a, const MarchingHull& b, const Pose& pose_b,
                                 const MarchOptions& options, FeatureTrack& track);
inline ClosestFeatures closest_features(const MarchingHull& a, const Pose& pose_a, const MarchingHull& b,
                                        const Pose& pose_b, FeatureTrack& track) {
  return closest_features(a, pose_a, b, pose_b, {}, track);
}

/// The same without a track: every query starts anew.
inline ClosestFeatures closest_features(const MarchingHull& a, const Pose& pose_a, const MarchingHull& b,
                                        const Pose& pose_b, const MarchOptions& options = {}) {
  FeatureTrack track;
  return closest_features(a, pose_a, b, pose_b, options, track);
}

}  // namespace whisker::methods
