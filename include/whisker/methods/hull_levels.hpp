#pragma once

/// \file
/// Convex polyhedra at several levels of detail, each level enclosing the original, and closest-feature queries on them
/// (SWIFT).
///
///     const HullLevels levels_a(hull_a), levels_b(hull_b);          // once
///     LevelTrack track;                                             // one per pair, kept by the caller
///     bool hit = levels_touch(levels_a, pose_a, levels_b, pose_b, track);
///     LevelDistance d = levels_distance(levels_a, pose_a, levels_b, pose_b, {.tolerance = 1e-3}, track);
///
/// If two coarse polyhedra are apart, so are the fine ones inside them. The fine distance is at least the coarse one,
/// and larger by at most the sum of the two deviations. A query walks on the coarsest levels that are expected to be
/// apart, and descends through links from feature to feature, only as far as the question requires.
///
/// Source: S. Ehmann, M. Lin, "Accelerated proximity queries between convex polyhedra by multi-level Voronoi marching"
/// (2000).

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

#include <whisker/convex_hull.hpp>
#include <whisker/detail/held.hpp>
#include <whisker/methods/closest_features.hpp>
#include <whisker/pose.hpp>
#include <whisker/queries.hpp>

namespace whisker::methods {

/// How a coarser level is made from the next finer one.
enum class LevelBuilder {
  quadric,         ///< By edge collapses with the least quadric error (Garland and Heckbert 1997).
  vertex_removal,  ///< By removing flat vertices of which no two are neighbors (Dobkin and Kirkpatrick 1990).
};

/// Options of HullLevels.
struct HullLevelOptions {
  LevelBuilder builder = LevelBuilder::quadric;
  /// For `quadric`: the fraction of triangles that remains at the next coarser level; above 0 and below 1.
  double decimation = 0.03125;
  /// For `vertex_removal`: a vertex may be removed if the sum of 1 - cos(angle between the two faces' normals) over its
  /// edges is at most this. A flat vertex has the sum 0. Must be 0 or larger.
  double max_importance = 1;
  /// No level except the original has fewer triangles than this.
  std::size_t min_triangles = 20;
  /// The largest number of levels, including the original; at least 1.
  std::size_t max_levels = 32;
  /// Whether to make a direction table for the coarsest level, for queries that do not start where the last one ended
  /// (LevelOptions::use_tables).
  bool make_table = false;
  DirectionTableOptions table = {};  ///< Options of that table.
};

/// A convex polyhedron (level 0) and coarser polyhedra around it. Immutable: copies share their data, and any number of
/// threads may use it.
///
/// Every level contains the original in real arithmetic, and no point of a level is farther from the original than the
/// level's deviation. If the hull has a dimension below 3, or is so thin that containment cannot be proven, level 0 is
/// the only level. Levels end where the next one would be no simpler.
class HullLevels {
 public:
  /// Throws an Error if an option is out of range.
  explicit HullLevels(const ConvexHull& hull, const HullLevelOptions& options = {});

  /// The number of levels, including level 0.
  std::size_t count() const;
  /// The polyhedron of a level. This function and all others that take a level number throw an Error if there is no
  /// such level.
  const MarchingHull& level(std::size_t index) const;
  /// An upper bound of the Hausdorff distance between a level and the original, in the unit of the hull; 0 for level 0.
  double deviation(std::size_t index) const;

  /// The feature of the next finer level that corresponds to a feature of `level`, which must be above 0.
  Feature child(std::size_t level, Feature feature) const;
  /// The feature of the next coarser level that corresponds to a feature of `level`, which must be below count() - 1.
  Feature parent(std::size_t level, Feature feature) const;
  /// The direction table of the coarsest level; null if none was made. It belongs to this object and its copies.
  const DirectionTable* coarsest_table() const;

 private:
  friend struct whisker::Internals;
  struct Storage;
  Held<"HullLevels", std::shared_ptr<const Storage>> storage_;
};

/// How many levels one refinement of a query descends.
enum class Refinement {
  single,         ///< One level of one hull, the one with the larger deviation.
  single_single,  ///< One level of each hull.
  double_double,  ///< Two levels of each hull.
};

/// A level of each hull and a feature of that level.
struct LevelFeatures {
  std::uint32_t level_a = 0;
  std::uint32_t level_b = 0;
  Feature a = {.kind = FeatureKind::vertex};
  Feature b = {.kind = FeatureKind::vertex};
};

/// What the last query of a pair leaves for the next one. A track from another pair changes the cost, not the answer.
struct LevelTrack {
  LevelFeatures reached;  ///< Where the last query ended; refine_levels() continues from here.
  LevelFeatures next;     ///< Where the next query starts: at the coarsest levels that are expected to be apart.
  bool started = false;   ///< If false, the next query starts at the coarsest levels.

  /// Resets the track.
  void clear() { *this = {}; }
};

/// Options of the queries below.
struct LevelOptions {
  Refinement refinement = Refinement::double_double;
  MarchRule rule = MarchRule::max_violation;
  /// Start every query with the coarsest levels' tables, if both hulls have one, instead of where the last one ended.
  bool use_tables = false;
  /// Stop as soon as the distance is proven to be larger than this.
  double upper_bound = std::numeric_limits<double>::infinity();
  /// Stop when upper - lower is at most this, in the user's unit. 0 descends to the finest levels.
  double tolerance = 0;
  /// Stop after this many pairs of levels; refine_levels() can continue later.
  std::uint64_t budget = std::numeric_limits<std::uint64_t>::max();
};

/// The distance of two hulls, as far as a query refined it. The fields of Distance mean here:
///
///  - The bounds hold for the original hulls. `upper` may be infinite where coarse levels overlap.
///  - Points and features are the closest ones of the levels that were reached.
///  - `normal` is zero unless the hulls are proven apart.
///  - `stop` is `exact` if the finest levels were reached or the question is settled; `tolerance` if the bounds are as
///    close as requested, or if the distance is proven to be beyond the upper bound; `budget` if `budget` pairs of
///    levels were used up.
///  - `cost.primitive_tests` counts the pairs of features that the walks visited.
struct LevelDistance : Distance {
  /// Whether the original hulls share a point. Undecided also if nothing is proven yet.
  Answer touches = Answer::undecided;
  std::uint32_t level_a = 0;      ///< The level of a that was reached: `feature_a` is a feature of it.
  std::uint32_t level_b = 0;      ///< The level of b that was reached: `feature_b` is a feature of it.
  std::uint64_t pairs = 0;        ///< Pairs of levels on which the query walked.
  std::uint64_t steps = 0;        ///< Steps of the walks, that is, changes of features.
  std::uint64_t plane_tests = 0;  ///< Points (or edges) compared with planes of Voronoi regions.
};

/// Whether two hulls touch, as LevelDistance::touches. Stops at the first levels that are apart; the bounds then are an
/// approximate distance at no extra cost. Uses the options `refinement`, `rule`, `use_tables` and `budget`.
LevelDistance levels_intersection(const HullLevels& a, const Pose& pose_a, const HullLevels& b, const Pose& pose_b,
                                  const LevelOptions& options, LevelTrack& track);
inline LevelDistance levels_intersection(const HullLevels& a, const Pose& pose_a, const HullLevels& b,
                                         const Pose& pose_b, LevelTrack& track) {
  return levels_intersection(a, pose_a, b, pose_b, {}, track);
}
/// The same as a yes/no answer: true unless the hulls are proven apart. Ignores `budget`.
bool levels_touch(const HullLevels& a, const Pose& pose_a, const HullLevels& b, const Pose& pose_b,
                  const LevelOptions& options, LevelTrack& track);
inline bool levels_touch(const HullLevels& a, const Pose& pose_a, const HullLevels& b, const Pose& pose_b,
                         LevelTrack& track) {
  return levels_touch(a, pose_a, b, pose_b, {}, track);
}

/// The distance of two hulls, with closest points and features: exact, to a tolerance, or up to an upper bound. Throws
/// an Error if the upper bound or the tolerance is NaN or negative.
LevelDistance levels_distance(const HullLevels& a, const Pose& pose_a, const HullLevels& b, const Pose& pose_b,
                              const LevelOptions& options, LevelTrack& track);
inline LevelDistance levels_distance(const HullLevels& a, const Pose& pose_a, const HullLevels& b, const Pose& pose_b,
                                     LevelTrack& track) {
  return levels_distance(a, pose_a, b, pose_b, {}, track);
}

/// Continues from where the last query of the pair, at the same poses, ended: with one refinement, or with none if the
/// finest levels were reached. If the track has not started, this is one walk on the coarsest levels.
LevelDistance refine_levels(const HullLevels& a, const Pose& pose_a, const HullLevels& b, const Pose& pose_b,
                            const LevelOptions& options, LevelTrack& track);
inline LevelDistance refine_levels(const HullLevels& a, const Pose& pose_a, const HullLevels& b, const Pose& pose_b,
                                   LevelTrack& track) {
  return refine_levels(a, pose_a, b, pose_b, {}, track);
}

}  // namespace whisker::methods
