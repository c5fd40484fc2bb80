#pragma once

/// \file
/// The closest features of two convex polyhedra, tracked from frame to frame: Voronoi marching (Lin and Canny 1991).
///
///     const MarchingHull gear(hull_a), crate(hull_b);           // once
///     FeatureTrack track;                                       // one per pair, kept by the caller
///     for (…) {
///       const ClosestFeatures c = closest_features(gear, pose_a, crate, pose_b, track);
///       if (c.touches == Answer::no) … c.feature_a, c.point_a, c.lower …
///     }
///
/// Each step of the walk goes from a vertex, edge or face to a neighbor that is closer to the other polyhedron, or of
/// lower dimension and no farther. From one frame to the next a few steps do, whatever the number of faces. Where the
/// walk ends is only a guess: what is returned is proven afterward, and where the proof fails another search, in twice
/// the precision of a double, has the last word. So neither a poor start nor flat,
/// parallel or touching features make an answer wrong; they make it slower.

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

/// A hull prepared for marching: the planes of its Voronoi regions, and what is next to what. About a kilobyte
/// per vertex. Copies share their data; any number of threads may use it.
class MarchingHull {
 public:
  explicit MarchingHull(ConvexHull hull);

  const ConvexHull& hull() const;

 private:
  friend struct whisker::Internals;
  struct Storage;
  Held<"MarchingHull", std::shared_ptr<const Storage>> storage_;
};

/// How a direction table is made.
struct DirectionTableOptions {
  double resolution = 5.625;  ///< In degrees, from 1 to 90; 360 should be a multiple.
  double radius_factor = 2;   ///< The samples' distance from the centroid, in radii of the hull; at least 1.
};

/// For directions on a grid, a vertex to start from: the nearest to a point that lies far out in that direction
/// (Ehmann and Lin 2000; proposed by Dworkin and Zeltzer 1993). The poles are on the z axis; a table at 5.625° has
/// 64 · 31 + 2 entries of four bytes. With it the cost of a query does not depend on how far the shapes have moved.
class DirectionTable {
 public:
  /// Looks at every vertex for every entry. Throws an Error if an option is out of range.
  explicit DirectionTable(const ConvexHull& hull, const DirectionTableOptions& options = {});

  /// The vertex for a direction in the hull's own frame, which need not be a unit vector.
  std::uint32_t vertex(const Vector3& direction) const;
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
  max_violation,  ///< Beyond the plane that the point is farthest out of; both features may change (Ehmann, Lin 2000).
  first_violation,  ///< Beyond the first such plane; one feature at a time (V-Clip, Mirtich 1998).
};

/// Where the last query of a pair ended, and the next begins. One from another pair changes the cost, not the answer.
struct FeatureTrack {
  Feature a = {.kind = FeatureKind::vertex};  ///< A vertex, edge or face of a's hull.
  Feature b = {.kind = FeatureKind::vertex};
  bool started = false;  ///< If not, the walk begins with vertices that face the other hull's centroid.

  /// Forget: begin at the centroids.
  void clear() { *this = {}; }
};

struct MarchOptions {
  MarchRule rule = MarchRule::max_violation;
  /// Where both are given, every query begins at their vertices and not where the last one ended.
  const DirectionTable* table_a = nullptr;
  const DirectionTable* table_b = nullptr;
  /// After so many steps of the walk the other search takes over.
  std::uint64_t budget = std::numeric_limits<std::uint64_t>::max();
};

/// What closest_features() finds.
///
/// `feature_a` is the vertex, edge or face that `point_a` lies on. Where the hulls share a point: a feature that shares
/// one with `feature_b` or with b's inside. Of points that are equally close, one pair is given. Both bounds are 0
/// where the hulls are proven to share a point; the normal is zero where they are not proven apart. `stop` is `exact`
/// if the bounds differ by less than 1e-11 of the distance, or by less than 1e-23 of the hulls' size. In `cost`,
/// `primitive_tests` are the pairs of features that the walk looked at.
struct ClosestFeatures : Distance {
  /// Do the hulls share a point? Undecided where they are closer together, or less deep in each other, than the proof
  /// can tell; the bounds hold.
  Answer touches = Answer::undecided;
  std::uint64_t steps = 0;        ///< Changes of features.
  std::uint64_t plane_tests = 0;  ///< Points (or edges) compared with planes of Voronoi regions.
  bool searched = false;          ///< The walk's result was not proof enough; the other search was needed.
};

/// The closest features of two placed hulls.
///
/// The start is `track`, which is updated. Nothing is allocated. Expected constant time for a coherent sequence: a
/// fraction of a microsecond, some microseconds where the gap is below about 1e-3 of the hulls' size or they just touch
/// (the proof then needs longer numbers). Hulls that penetrate with a vertex inside cost one look at every face, hulls
/// with merged faces one at every vertex.
ClosestFeatures closest_features(const MarchingHull& a, const Pose& pose_a, const MarchingHull& b, const Pose& pose_b,
                                 FeatureTrack& track);
ClosestFeatures closest_features(const MarchingHull& a, const Pose& pose_a, const MarchingHull& b, const Pose& pose_b,
                                 const MarchOptions& options, FeatureTrack& track);

/// The same without a memory.
ClosestFeatures closest_features(const MarchingHull& a, const Pose& pose_a, const MarchingHull& b, const Pose& pose_b,
                                 const MarchOptions& options = {});

}  // namespace whisker::methods
