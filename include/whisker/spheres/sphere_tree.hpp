#pragma once

/// \file
/// SphereTree: a solid mesh as spheres, coarse at the root and finer on each level, for queries that may be interrupted
/// at any level (P. Hubbard 1995; G. Bradshaw 2002).
///
///     Mesh mesh = load_mesh("bunny.stl");
///     SphereTree tree = build_sphere_tree(mesh, {.depth = 3, .branching = 8});
///     for (std::uint32_t i : tree.cut(2)) draw(tree.nodes[i].sphere);  // together they cover the whole mesh
///     LevelReport fit = report_level(tree, 2, mesh);                   // fit.worst.upper is proven
///
/// What is promised of every tree that `build_sphere_tree` returns, with rounding counted:
///  - Each level covers every triangle, whole: not only at sampled points. `check_coverage` proves it again.
///  - A node stands for a part of the surface (in a solid octree: of the solid), which its sphere covers; its children
///    stand for the parts of that part.
///  - No point of a node's sphere is farther from the solid than the node's `protrusion`.
///  - The same mesh and options give the same tree, bit for bit, on any number of threads.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <whisker/geometry/bounding_sphere.hpp>
#include <whisker/geometry/interval.hpp>
#include <whisker/result.hpp>
#include <whisker/vector.hpp>

namespace whisker {

class Mesh;
class SphereSet;

/// How a tree is built. More methods stand in whisker/methods/sphere_builders.hpp (see SphereBuilder).
enum class SphereTreeMethod {
  /// The cubes of an octree that touch the surface, each in the sphere around it. Quick to build, loose.
  octree,
  /// An octree that keeps the cubes inside the solid too: each level covers the solid, not its surface alone.
  solid_octree,
  // The rest look for a region's spheres among those about the vertices of a Voronoi diagram that is refined there
  // until they are many and tight.
  /// Two spheres are made one, again and again, where that stands off least.
  merge,
  /// All stand off equally far, and as few as can be are chosen of them. Even, and best for round shapes.
  expand,
  /// The leaves first, then the branches above them, by the better of merge and expand in each region. The tightest.
  combined,
};

class SphereBuilder;

/// Which sphere is chosen next where the spheres to choose from all stand off equally far.
enum class SphereSelection {
  /// The one that makes most of the others needless: all they would add, it holds.
  max_elimination,
  /// The one that holds most of what is not held yet.
  max_cover,
};

/// Weights of what the sphere-set optimizer makes smaller: the worst protrusion of a node's children, and the root of
/// their mean square.
struct SphereOptimization {
  double worst_weight = 1;
  double mean_square_weight = 1;
  /// How often, at most, each sphere is moved in turn, 1 to 100.
  int rounds = 4;
};

/// Fewer children where their work is worth more than the error that they save (Bradshaw 2002, algorithm 11): one of n
/// children is removed after the other while the worst protrusion is below what is allowed, which begins at that of the
/// optimized children. With m removed this many times more is allowed:
///
///     1 + (1 + decay + … + decay^(m - 1)) / (slowness n) + slack      as a sum, of which each removal adds its part
///     1 + m decay^(m - 1) / (slowness n) + slack                      as printed: not monotone in m
///
/// `slowness` may be infinite.
struct SphereBalance {
  double slowness = 5;
  double decay = 0.75;
  double slack = 0;
  bool as_printed = false;
};

/// What a balance allows with `removed` of `children` taken away, as a part of the worst protrusion. Throws an Error if
/// there are no children, `removed` is negative, or a number of the balance is not one that build_sphere_tree takes.
double allowed_error(const SphereBalance& balance, int children, int removed);

struct SphereTreeOptions {
  SphereTreeMethod method = SphereTreeMethod::combined;
  /// Not null: it builds the tree, whatever the method is.
  std::shared_ptr<const SphereBuilder> builder = {};
  /// Levels below the root, 1 to 10.
  int depth = 3;
  /// The most children that a node has, 2 to 64. An octree's nodes have up to eight whatever is said here.
  int branching = 8;
  /// Points on the surface that the Voronoi diagram begins with, 16 to 1,000,000.
  int samples = 500;
  /// Into how many pieces, at least, the surface is cut by all methods but the octrees, 16 to 10,000,000. Each piece
  /// lies in one sphere of every level, so more of them let the spheres follow the surface more closely. Where a region
  /// has few, they are cut further.
  int pieces = 5000;
  /// A node that stands off no more than this part of the root's radius is a leaf, from 0.
  double good_enough = 0.005;
  /// A target, in the mesh's unit of length; 0: none. Nodes that stand off no more are leaves, and levels are added
  /// beyond `depth`, up to 10, until all do. SphereTree::protrusion says what was reached.
  double protrusion = 0;
  /// Of the random points.
  std::uint64_t seed = 1;
  /// Of expand and combined.
  SphereSelection selection = SphereSelection::max_elimination;
  /// Makes the regions of a node's children more even, where what lies in two spheres may go to either.
  bool shift_planes = false;
  /// Moves the children of each node for a smaller protrusion, at up to twice the cost.
  std::optional<SphereOptimization> optimize = {};
  /// Makes the number of children vary; it optimizes too.
  std::optional<SphereBalance> balance = {};
  /// Called now and then, from any thread but one call at a time, with ever more parts done, last with all. What it
  /// throws ends the work.
  std::function<void(std::size_t parts_done, std::size_t parts)> progress = {};
  /// How many threads work: 0 all that oneTBB gives, 1 the calling thread alone, n at most n; negative is an Error.
  int threads = 0;
};

struct SphereTreeNode {
  BoundingSphere sphere;  ///< In the mesh's frame.
  /// No point of the sphere is farther than this from the solid. The distance from the center to the surface decides it
  /// (Bradshaw's equation 5.1): exact for a convex solid and a center inside, up to rounding, more than the truth
  /// elsewhere.
  double protrusion = 0;
  std::uint32_t parent = 0;       ///< Of the root: 0.
  std::uint32_t first_child = 0;  ///< The children's numbers follow each other.
  std::uint32_t child_count = 0;  ///< 0: a leaf, which may be on any level.
};

/// A sphere and how far it stands off, as in SphereTreeNode.
struct FittedSphere {
  BoundingSphere sphere;
  double protrusion = 0;
};

struct SphereTree {
  /// The root first, then level by level.
  std::vector<SphereTreeNode> nodes;
  /// Where in `nodes` each level begins, and last where all end: level l has the nodes level_begin[l] to
  /// level_begin[l + 1].
  std::vector<std::uint32_t> level_begin;
  /// Of a hybrid tree (methods::hybrid_builder): for each node a second sphere that covers what the node stands for,
  /// and stands off as little as was found. It never stands off more than the parent's. Empty for other methods.
  std::vector<FittedSphere> min_error;

  /// The number of the last level; the root is level 0.
  int depth() const { return static_cast<int>(level_begin.size()) - 2; }
  /// The nodes that stand for the mesh at a level: those on it, and the leaves above it. In ascending order. A level
  /// below the last is the last. Throws an Error if it is negative, or if `level_begin` does not fit the nodes.
  std::vector<std::uint32_t> cut(int level) const;
  /// Their spheres.
  std::vector<BoundingSphere> spheres(int level) const;
  /// The largest of their protrusions.
  double protrusion(int level) const;
  /// The tree with its `min_error` spheres as those of the nodes; the tree itself if it has none. Throws an Error if
  /// there are more of them than nodes.
  SphereTree min_error_tree() const;
};

/// Builds a sphere tree. The mesh must be closed and not inside out, as Mesh::solid() asks; several closed parts are
/// welcome. Throws an Error that says what is open, which option is out of its range, or that the mesh's largest
/// coordinate is not from 1e-88 to 1e88. The tree does not depend on the number of threads. The methods'
/// steps and costs stand in docs/spheres.md.
SphereTree build_sphere_tree(const Mesh& mesh, const SphereTreeOptions& options = {});

struct SphereSetOptions {
  /// One of those that look for a region's spheres: merge, expand or combined.
  SphereTreeMethod method = SphereTreeMethod::combined;
  /// Not null: it builds the set, whatever the method is. It must be one that builds sets.
  std::shared_ptr<const SphereBuilder> builder = {};
  /// As in SphereTreeOptions.
  int samples = 2000;
  int pieces = 10'000;
  /// A target, in the mesh's unit of length; 0: none. As few spheres as are found to stand off no more; `max_count` of
  /// them if that is not reached.
  double protrusion = 0;
  std::uint64_t seed = 1;
  SphereSelection selection = SphereSelection::max_elimination;
  std::function<void(std::size_t parts_done, std::size_t parts)> progress = {};
  /// How many threads work: 0 all that oneTBB gives, 1 the calling thread alone, n at most n; negative is an Error.
  int threads = 0;
};

/// At most `max_count` spheres, 1 to 10,000, that cover the surface, as motion planners want them. Throws as
/// build_sphere_tree does.
SphereSet build_sphere_set(const Mesh& mesh, int max_count, const SphereSetOptions& options = {});

/// Builds sphere trees, and sets if it can, by a method that is not one of SphereTreeMethod: one of
/// whisker/methods/sphere_builders.hpp, or one's own.
///
///     SphereTree tree = build_sphere_tree(mesh, {.builder = methods::grid_builder(), .depth = 2});
///
/// It does not change, and is asked from any number of threads at once.
class SphereBuilder {
 public:
  SphereBuilder() = default;
  virtual ~SphereBuilder() = default;
  SphereBuilder(const SphereBuilder&) = delete;
  SphereBuilder& operator=(const SphereBuilder&) = delete;

  /// Called by build_sphere_tree, with a mesh that is solid and options that are in their ranges. What it returns or
  /// throws, build_sphere_tree does. It is to keep what is promised of every tree (above); options that mean nothing to
  /// it are ignored.
  virtual SphereTree build_tree(const Mesh& solid, const SphereTreeOptions& options) const = 0;
  /// The same for build_sphere_set. If it is not overridden, it throws an Error: the builder builds trees only.
  virtual SphereSet build_set(const Mesh& solid, int max_count, const SphereSetOptions& options) const;
};

/// No point of a sphere of the set is farther from the solid than this.
double protrusion(const SphereSet& set, const Mesh& solid);

// --- coverage ----------------------------------------------------------------------------------------------------

struct Coverage {
  /// Yes: every point of every triangle lies in a sphere. No: a point of a triangle lies in none. Undecided: neither is
  /// proven within the pieces allowed; the spheres may meet just at the surface.
  Answer answer = Answer::yes;
  std::uint32_t triangle = 0;       ///< The first that is not proven covered; 0 if all are.
  Vector3 point = Vector3::Zero();  ///< Where that triangle is in no sphere, or not known to be; up to rounding.
  std::size_t pieces = 0;           ///< How many parts of triangles were looked at.
};

struct CoverageOptions {
  /// The most pieces that one triangle is cut into.
  std::size_t pieces_per_triangle = 100'000;
};

/// Does the union of the spheres cover the surface of the mesh? Triangles are halved until each piece lies in one
/// sphere. The mesh need not be closed. Throws an Error if a sphere is not finite or its radius negative.
Coverage check_coverage(std::span<const BoundingSphere> spheres, const Mesh& mesh, const CoverageOptions& options = {});

/// The spheres, each grown about its center as far as needed for their union to cover the surface of the mesh; pieces
/// that no sphere holds go to the one that grows least for them. Spheres that cover already are not changed unless
/// they meet just at the surface. Throws as check_coverage does, and an Error if there is no sphere.
std::vector<BoundingSphere> grow_to_cover(std::span<const BoundingSphere> spheres, const Mesh& mesh);

// --- how well a level fits ---------------------------------------------------------------------------------------

/// A number found by chance, with random rays.
struct Estimate {
  double value = 0;
  /// Its standard deviation, itself estimated: the truth is within twice of it about nineteen times in twenty.
  double error = 0;
};

/// How well spheres fit a solid.
///
/// How far a sphere sticks out is the largest distance of one of its points from the solid; `worst` to `variance` are
/// about these numbers, one for each sphere. Their upper ends are proven; the lower ends of the first three are those
/// of the points looked at, less rounding, and so proven too.
struct LevelReport {
  std::size_t spheres = 0;
  Interval worst;
  Interval mean;
  Interval root_mean_square;
  Interval variance;
  Estimate wasted_volume;     ///< In a sphere, but not in the solid.
  Estimate uncovered_volume;  ///< In the solid, but in no sphere: what lies deep inside of a hollow tree, too.
  Interval uncovered_area;    ///< Of the surface, in no sphere. Proven; [0, 0] is a proof that the spheres cover it.
};

struct LevelReportOptions {
  /// Points of each sphere that are looked at: 6, 18, 66, 258… as an octahedron is split; the next of these that is not
  /// smaller, at most 16,386.
  int samples_per_sphere = 66;
  /// Rays that measure the volumes, about; less than 8: none, and the volumes are 0. Four times as many make the error
  /// less than half.
  int rays = 4096;
  /// Pieces of triangles that are looked at to close in on the uncovered area, from 0; each triangle is looked at as a
  /// whole in any case.
  int pieces = 200'000;
  /// Of the rays.
  std::uint64_t seed = 1;
  /// How many threads work: 0 all that oneTBB gives, 1 the calling thread alone, n at most n; negative is an Error.
  int threads = 0;
};

/// Measures the spheres that stand for the mesh at a level of the tree: the same numbers with any number of threads.
/// Throws an Error if the mesh is not a solid's, or the level is negative.
LevelReport report_level(const SphereTree& tree, int level, const Mesh& mesh, const LevelReportOptions& options = {});
/// The same for any spheres. Throws an Error too if one is not finite or its radius negative.
LevelReport report_spheres(std::span<const BoundingSphere> spheres, const Mesh& mesh,
                           const LevelReportOptions& options = {});

}  // namespace whisker
