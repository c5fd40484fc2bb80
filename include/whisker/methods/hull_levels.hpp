#pragma once

/// \file
/// Convex polyhedra at several levels of detail, each around the original, and marching on them: SWIFT.
///
///     const HullLevels levels_a(hull_a), levels_b(hull_b);          // once
///     LevelTrack track;                                             // one per pair, kept by the caller
///     bool hit = levels_touch(levels_a, pose_a, levels_b, pose_b, track);
///     LevelDistance d = levels_distance(levels_a, pose_a, levels_b, pose_b, {.tolerance = 1e-3}, track);
///
/// If two coarse polyhedra are apart, so are the fine ones inside; the fine distance is at least the coarse one, and
/// larger by no more than the two deviations. A query walks on the coarsest level that is expected to be apart, and
/// goes down, by links from feature to feature, only as far as the question needs.
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
  quadric,         ///< Edges are collapsed where planes move least (Garland and Heckbert 1997).
  vertex_removal,  ///< Flat vertices that are no neighbors are removed (Dobkin and Kirkpatrick 1990).
};

struct HullLevelOptions {
  LevelBuilder builder = LevelBuilder::quadric;
  /// Quadric: the fraction of triangles that is left at the next coarser level; above 0, below 1.
  double decimation = 0.03125;
  /// Vertex removal: a vertex may go if its edges' sum of 1 - cos(dihedral angle) is at most this. 0 is flat.
  double max_importance = 1;
  /// No level has fewer triangles than this, but for the original.
  std::size_t min_triangles = 20;
  /// The original counts.
  std::size_t max_levels = 32;
  /// A direction table for the coarsest level, for queries that do not start where the last one ended.
  bool make_table = false;
  DirectionTableOptions table = {};
};

/// A convex polyhedron (level 0) and coarser ones around it. Copies share their data; any number of threads may use it.
///
/// Every level contains the original in real arithmetic, and no point of a level is farther from the original than the
/// level's deviation. A hull of dimension below 3, or one so thin that containment is not proven, has level 0 alone;
/// levels end where the next would be no simpler.
class HullLevels {
 public:
  /// Throws an Error if an option is out of range.
  explicit HullLevels(const ConvexHull& hull, const HullLevelOptions& options = {});

  std::size_t count() const;
  /// This and all that takes the number of a level throws an Error if there is no such level.
  const MarchingHull& level(std::size_t index) const;
  /// An upper bound of the Hausdorff distance of a level from the original, in the hull's own frame; 0 for level 0.
  double deviation(std::size_t index) const;

  /// The feature of the next finer level that a feature of `level` (above 0) stands for.
  Feature child(std::size_t level, Feature feature) const;
  /// The feature of the next coarser level that stands for a feature of `level` (below count() - 1).
  Feature parent(std::size_t level, Feature feature) const;
  /// Null if none was made.
  const DirectionTable* coarsest_table() const;

 private:
  friend struct whisker::Internals;
  struct Storage;
  Held<"HullLevels", std::shared_ptr<const Storage>> storage_;
};

/// How a query goes from coarse to fine.
enum class Refinement {
  single,         ///< One level of one hull: of the one that deviates more.
  single_single,  ///< One level of each.
  double_double,  ///< Two levels of each.
};

/// A level of each hull, and a feature of each of these.
struct LevelFeatures {
  std::uint32_t level_a = 0;
  std::uint32_t level_b = 0;
  Feature a = {.kind = FeatureKind::vertex};
  Feature b = {.kind = FeatureKind::vertex};
};

/// What the last query of a pair leaves for the next. One from another pair changes the cost, not the answer.
struct LevelTrack {
  LevelFeatures reached;  ///< Where the last query ended; refine_levels() goes on from here.
  LevelFeatures next;     ///< Where the next query begins: the coarsest level that is expected to be apart.
  bool started = false;   ///< If not, the next query begins at the coarsest level.

  void clear() { *this = {}; }
};

struct LevelOptions {
  Refinement refinement = Refinement::double_double;
  MarchRule rule = MarchRule::max_violation;
  /// Begin every query with the coarsest levels' tables, if both hulls have one, and not where the last one ended.
  bool use_tables = false;
  /// A distance beyond this is of no interest: the query ends once it is proven.
  double upper_bound = std::numeric_limits<double>::infinity();
  /// Stop when upper - lower is at most this, in the user's unit. 0: go down to the finest levels.
  double tolerance = 0;
  /// Stop after so many pairs of levels; refine_levels() can go on later.
  std::uint64_t budget = std::numeric_limits<std::uint64_t>::max();
};

/// The distance of two hulls as far as a query went.
///
/// The bounds are those of the originals; `upper` may be infinite where coarse levels overlap. Points and features are
/// those of the levels reached that are closest to each other; the normal is zero where the hulls are not proven apart.
/// `stop` is `exact` if the finest levels were reached, or the question is settled; `tolerance` if the bounds are as
/// close as asked for, or the distance is proven to be beyond the upper bound; `budget` after `budget` pairs of levels.
/// In `cost`, `primitive_tests` are the pairs of features that the walks looked at.
struct LevelDistance : Distance {
  /// Do the originals share a point? Undecided also where nothing is proven yet.
  Answer touches = Answer::undecided;
  std::uint32_t level_a = 0;      ///< The levels that were reached: `feature_a` is one of this level of a…
  std::uint32_t level_b = 0;      ///< …and `feature_b` of this level of b.
  std::uint64_t pairs = 0;        ///< Pairs of levels walked on.
  std::uint64_t steps = 0;        ///< Changes of features.
  std::uint64_t plane_tests = 0;  ///< Points (or edges) compared with planes of Voronoi regions.
};

/// Do two hulls touch? Ends at the first level where they are apart; the bounds are then an approximate distance for
/// free. Heeds `refinement`, `rule`, `use_tables` and `budget`.
LevelDistance levels_intersection(const HullLevels& a, const Pose& pose_a, const HullLevels& b, const Pose& pose_b,
                                  LevelTrack& track);
LevelDistance levels_intersection(const HullLevels& a, const Pose& pose_a, const HullLevels& b, const Pose& pose_b,
                                  const LevelOptions& options, LevelTrack& track);
/// The same as yes or no: true unless proven apart.
bool levels_touch(const HullLevels& a, const Pose& pose_a, const HullLevels& b, const Pose& pose_b, LevelTrack& track);
bool levels_touch(const HullLevels& a, const Pose& pose_a, const HullLevels& b, const Pose& pose_b,
                  const LevelOptions& options, LevelTrack& track);

/// The distance of two hulls, with closest points and features: exact, or to a tolerance, or up to a bound. Throws an
/// Error if the upper bound or the tolerance is NaN or negative.
LevelDistance levels_distance(const HullLevels& a, const Pose& pose_a, const HullLevels& b, const Pose& pose_b,
                              LevelTrack& track);
LevelDistance levels_distance(const HullLevels& a, const Pose& pose_a, const HullLevels& b, const Pose& pose_b,
                              const LevelOptions& options, LevelTrack& track);

/// Goes on from where the last query of the pair, in the same poses, has ended: one refinement, or none where the
/// finest levels were reached. With a track that has not started: one walk on the coarsest levels.
LevelDistance refine_levels(const HullLevels& a, const Pose& pose_a, const HullLevels& b, const Pose& pose_b,
                            LevelTrack& track);
LevelDistance refine_levels(const HullLevels& a, const Pose& pose_a, const HullLevels& b, const Pose& pose_b,
                            const LevelOptions& options, LevelTrack& track);

}  // namespace whisker::methods
