#pragma once

/// \file
/// SphereTree: a hierarchy of spheres that covers a solid mesh, coarse at the root and finer on each level, for queries
/// that may be interrupted at any level (P. Hubbard 1995; G. Bradshaw 2002).
///
///     Mesh mesh = load_mesh("bunny.stl");
///     SphereTree tree = build_sphere_tree(mesh, {.depth = 3, .branching = 8});
///     for (std::uint32_t i : tree.cut(2)) draw(tree.nodes[i].sphere);  // together they cover the whole mesh
///     LevelReport fit = report_level(tree, 2, mesh);                   // fit.worst.upper is proven
///
/// Every tree that `build_sphere_tree` returns has these properties, rounding included:
///  - Each level covers every triangle entirely, not only at sampled points. `check_coverage` can prove it again.
///  - A node represents a part of the surface (in a solid octree: of the solid), which its sphere covers. Its children
///    represent the parts of that part.
///  - No point of a node's sphere is farther from the solid than the node's `protrusion`.
///  - The same mesh and options give the same tree, bit for bit, with any number of threads.
///
/// For collision queries make a SphereBody of the tree (sphere_body.hpp). For a flat set of spheres, as motion planners
/// use them, call `build_sphere_set`. sphere_tree_files.hpp reads and writes trees.

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

/// How a tree is built. More methods are in methods/sphere_builders.hpp (see SphereBuilder).
enum class SphereTreeMethod {
  /// The circumscribed spheres of the octree cubes that touch the surface. Fast to build, but loose.
  octree,
  /// An octree that also keeps the cubes inside the solid: each level covers the solid, not only its surface.
  solid_octree,
  // The other methods choose the spheres of a region among spheres around the vertices of a Voronoi diagram, which is
  // refined in that region until they are many and tight.
  /// Repeatedly merges two spheres into one, choosing the pair whose merged sphere has the least protrusion.
  merge,
  /// Grows all spheres to an equal protrusion and chooses as few of them as possible. Even; best for round shapes.
  expand,
  /// Builds the leaves first, then the branches above them, with the better of merge and expand in each region. The
  /// tightest.
  combined,
};

class SphereBuilder;

/// Which sphere `expand` and `combined` choose next among spheres of equal protrusion.
enum class SphereSelection {
  /// The one that makes most other spheres redundant, because it contains everything that they would add.
  max_elimination,
  /// The one that contains most of what is not yet covered.
  max_cover,
};

/// Options of the optimizer, which minimizes a weighted sum of the worst protrusion of a node's children and their root
/// mean square protrusion.
struct SphereOptimization {
  double worst_weight = 1;        ///< Weight of the worst protrusion; 0 or larger.
  double mean_square_weight = 1;  ///< Weight of the root mean square; 0 or larger.
  /// The largest number of rounds, 1 to 100. In each round every sphere is moved once.
  int rounds = 4;
};

/// Removes children of a node whose cost in queries outweighs the error that they save (Bradshaw 2002, algorithm 11).
/// The n children are removed one by one as long as the worst protrusion stays below a limit, which is the worst
/// protrusion of the optimized children times a factor. With m children removed, the factor is
///
///     1 + (1 + decay + … + decay^(m - 1)) / (slowness n) + slack      by default: each removal adds its share
///     1 + m decay^(m - 1) / (slowness n) + slack                      if `as_printed`: not monotone in m
///
/// An infinite `slowness` leaves only the slack.
struct SphereBalance {
  double slowness = 5;      ///< Above 0; may be infinite.
  double decay = 0.75;      ///< 0 or larger.
  double slack = 0;         ///< 0 or larger.
  bool as_printed = false;  ///< Use the formula as it is printed in the thesis.
};

/// The factor that a balance allows after `removed` of `children` children were removed, relative to the worst
/// protrusion of the optimized children. Throws an Error if there are no children, `removed` is negative, or a number
/// of the balance is out of range.
double allowed_error(const SphereBalance& balance, int children, int removed);

/// Options of build_sphere_tree(). A number out of its range is an Error.
struct SphereTreeOptions {
  SphereTreeMethod method = SphereTreeMethod::combined;
  /// If not null, this builder builds the tree, and `method` is ignored.
  std::shared_ptr<const SphereBuilder> builder = {};
  /// The number of levels below the root, 1 to 10.
  int depth = 3;
  /// The largest number of children of a node, 2 to 64. Octrees ignore it: their nodes have up to eight children.
  int branching = 8;
  /// The number of surface points that the Voronoi diagram starts with, 16 to 1,000,000.
  int samples = 500;
  /// The least number of pieces into which the surface is cut, by all methods except the octrees, 16 to 10,000,000.
  /// Each piece lies in one sphere of every level, so with more pieces the spheres can follow the surface more closely.
  /// Regions with few pieces are cut further.
  int pieces = 5000;
  /// A node becomes a leaf if its protrusion is at most this fraction of the root's radius. 0 or larger.
  double good_enough = 0.005;
  /// The target protrusion, in the mesh's unit of length; 0 for none. Nodes that reach it become leaves, and levels are
  /// added beyond `depth`, up to 10, until all nodes do. SphereTree::protrusion returns what was reached.
  double protrusion = 0;
  /// Seed of the random surface points.
  std::uint64_t seed = 1;
  /// For expand and combined.
  SphereSelection selection = SphereSelection::max_elimination;
  /// Makes the regions of a node's children more even: parts of the surface that lie in two spheres may go to either.
  bool shift_planes = false;
  /// Moves the children of each node to reduce their protrusion. Building takes up to twice as long.
  std::optional<SphereOptimization> optimize = {};
  /// Lets the number of children vary. Includes the optimization.
  std::optional<SphereBalance> balance = {};
  /// Called occasionally with an increasing number of parts done, and finally with all parts done. It is called from
  /// any thread, but never from two at once. An exception that it throws ends the build.
  std::function<void(std::size_t parts_done, std::size_t parts)> progress = {};
  /// The number of threads: 0 for all that oneTBB provides, 1 for the calling thread alone, n for at most n. A negative
  /// number is an Error.
  int threads = 0;
};

/// A node of a SphereTree.
struct SphereTreeNode {
  BoundingSphere sphere;  ///< In the mesh's frame.
  /// No point of the sphere is farther from the solid than this. It is computed from the signed distance of the center
  /// to the surface (Bradshaw's equation 5.1). Up to rounding it is exact for a convex solid and a center inside;
  /// otherwise it is an upper bound.
  double protrusion = 0;
  std::uint32_t parent = 0;       ///< 0 for the root.
  std::uint32_t first_child = 0;  ///< The children have consecutive numbers, beginning with this one.
  std::uint32_t child_count = 0;  ///< 0 for a leaf. Leaves may be on any level.
};

/// A sphere and its protrusion, as in SphereTreeNode.
struct FittedSphere {
  BoundingSphere sphere;
  double protrusion = 0;
};

/// A sphere tree as plain data.
struct SphereTree {
  /// The root first, then level by level.
  std::vector<SphereTreeNode> nodes;
  /// Where each level begins in `nodes`, followed by the number of nodes: level l has the nodes from level_begin[l] up
  /// to, not including, level_begin[l + 1].
  std::vector<std::uint32_t> level_begin;
  /// For hybrid trees (methods::hybrid_builder): a second sphere for each node that covers the same part of the
  /// surface, with the least protrusion that was found. Its protrusion is never larger than that of the parent's second
  /// sphere. Empty for other methods.
  std::vector<FittedSphere> min_error;

  /// The index of the last level; the root is level 0.
  int depth() const { return static_cast<int>(level_begin.size()) - 2; }
  /// The nodes that together represent the mesh at a level: the nodes of that level and the leaves of the levels above,
  /// in ascending order. A level beyond the last means the last level. Throws an Error if the level is negative, or if
  /// `level_begin` does not fit the nodes.
  std::vector<std::uint32_t> cut(int level) const;
  /// The spheres of cut(level).
  std::vector<BoundingSphere> spheres(int level) const;
  /// The largest protrusion of the nodes of cut(level).
  double protrusion(int level) const;
  /// A copy of the tree in which the `min_error` spheres replace the spheres of the nodes; an unchanged copy if it has
  /// none. Throws an Error if there are more of them than nodes.
  SphereTree min_error_tree() const;
};

/// Builds a sphere tree. The mesh must be closed and oriented outward, as Mesh::solid() requires; it may consist of
/// several closed parts. docs/spheres.md describes the steps and costs of the methods. Throws an Error if the mesh is
/// not closed (the message says what is open), an option is out of its range, or the mesh's largest coordinate is not
/// from 1e-88 to 1e88.
SphereTree build_sphere_tree(const Mesh& mesh, const SphereTreeOptions& options = {});

/// Options of build_sphere_set().
struct SphereSetOptions {
  /// merge, expand or combined; the octrees are an Error.
  SphereTreeMethod method = SphereTreeMethod::combined;
  /// If not null, this builder builds the set, and `method` is ignored. It must be able to build sets.
  std::shared_ptr<const SphereBuilder> builder = {};
  /// `samples` and `pieces` as in SphereTreeOptions.
  int samples = 2000;
  int pieces = 10'000;
  /// The target protrusion, in the mesh's unit of length; 0 for none. The set then has as few spheres as were found to
  /// reach it, or `max_count` spheres if it is not reached.
  double protrusion = 0;
  /// `seed`, `selection` and `progress` as in SphereTreeOptions.
  std::uint64_t seed = 1;
  SphereSelection selection = SphereSelection::max_elimination;
  std::function<void(std::size_t parts_done, std::size_t parts)> progress = {};
  /// The number of threads: 0 for all that oneTBB provides, 1 for the calling thread alone, n for at most n. A negative
  /// number is an Error.
  int threads = 0;
};

/// Builds a set of at most `max_count` (1 to 10,000) spheres that covers the surface, as motion planners use them.
/// Throws as build_sphere_tree does.
SphereSet build_sphere_set(const Mesh& mesh, int max_count, const SphereSetOptions& options = {});

/// A method to build sphere trees, and possibly sets, that is not one of SphereTreeMethod: one of
/// methods/sphere_builders.hpp, or the caller's own.
///
///     SphereTree tree = build_sphere_tree(mesh, {.builder = methods::grid_builder(), .depth = 2});
///
/// A builder has no mutable state, and is called from any number of threads at once.
class SphereBuilder {
 public:
  SphereBuilder() = default;
  virtual ~SphereBuilder() = default;
  SphereBuilder(const SphereBuilder&) = delete;
  SphereBuilder& operator=(const SphereBuilder&) = delete;

  /// Called by build_sphere_tree with a solid mesh and with options in their valid ranges. build_sphere_tree returns
  /// what this function returns and passes on what it throws. The tree must have all the properties stated at the top
  /// of this file. Options that do not apply to the method are ignored.
  virtual SphereTree build_tree(const Mesh& solid, const SphereTreeOptions& options) const = 0;
  /// The same for build_sphere_set. Unless it is overridden, it throws an Error, because the builder builds trees only.
  virtual SphereSet build_set(const Mesh& solid, int max_count, const SphereSetOptions& options) const;
};

/// An upper bound on the distance from any point of a sphere of the set to the solid, in the mesh's unit. Throws an
/// Error if the mesh is not a solid.
double protrusion(const SphereSet& set, const Mesh& solid);

// --- coverage ----------------------------------------------------------------------------------------------------

/// The result of check_coverage().
struct Coverage {
  /// Yes: every point of every triangle lies in a sphere. No: some point of a triangle lies in none. Undecided: neither
  /// is proven with the allowed number of pieces; the spheres may meet exactly at the surface.
  Answer answer = Answer::yes;
  std::uint32_t triangle = 0;       ///< No: a triangle with a gap. Undecided: the first undecided triangle. Yes: 0.
  Vector3 point = Vector3::Zero();  ///< A point of that triangle that is (or may be) in no sphere, up to rounding.
  std::size_t pieces = 0;           ///< The number of pieces of triangles that were tested.
};

/// Options of check_coverage().
struct CoverageOptions {
  /// The largest number of pieces into which one triangle is cut.
  std::size_t pieces_per_triangle = 100'000;
};

/// Whether the union of the spheres covers the surface of the mesh. Triangles are halved until each piece lies in one
/// sphere. The mesh need not be closed. Throws an Error if a sphere is not finite or its radius is negative.
Coverage check_coverage(std::span<const BoundingSphere> spheres, const Mesh& mesh, const CoverageOptions& options = {});

/// Returns the spheres, each grown around its center as far as needed for their union to cover the surface of the mesh.
/// A piece of the surface that no sphere contains is assigned to the sphere that must grow least for it. Spheres that
/// already cover the surface stay unchanged unless they meet exactly at the surface. Throws as check_coverage does, and
/// an Error if there is no sphere.
std::vector<BoundingSphere> grow_to_cover(std::span<const BoundingSphere> spheres, const Mesh& mesh);

// --- how well a level fits ---------------------------------------------------------------------------------------

/// A Monte Carlo estimate from random rays.
struct Estimate {
  double value = 0;
  /// The estimated standard deviation. The true value is within twice this of `value` in about 95 % of cases.
  double error = 0;
};

/// How well spheres fit a solid.
///
/// The protrusion of a sphere is the largest distance of one of its points from the solid. `worst` to `variance` are
/// statistics of these numbers, one per sphere, in the mesh's unit (the variance in its square). Their upper ends are
/// proven. The lower ends of the first three come from sampled points of the spheres, minus rounding error, so these
/// are proven too.
struct LevelReport {
  std::size_t spheres = 0;  ///< The number of spheres.
  Interval worst;
  Interval mean;
  Interval root_mean_square;
  Interval variance;
  Estimate wasted_volume;     ///< The volume that is in a sphere but not in the solid.
  Estimate uncovered_volume;  ///< The volume that is in the solid but in no sphere, including the hollow inside of a
                              ///< tree that covers only the surface.
  Interval uncovered_area;    ///< The area of the surface that is in no sphere. Proven: [0, 0] proves full coverage.
};

/// Options of report_level() and report_spheres().
struct LevelReportOptions {
  /// The number of sampled points per sphere, rounded up to 6, 18, 66, 258, … (the vertices of a subdivided
  /// octahedron), at most 16,386.
  int samples_per_sphere = 66;
  /// The approximate number of rays that measure the volumes. With fewer than 8 there are none, and the volumes are 0.
  /// Four times as many rays reduce the error to less than half.
  int rays = 4096;
  /// The number of pieces of triangles that are tested to narrow down the uncovered area; 0 or larger. Each triangle is
  /// tested as a whole in any case.
  int pieces = 200'000;
  /// Seed of the rays.
  std::uint64_t seed = 1;
  /// The number of threads: 0 for all that oneTBB provides, 1 for the calling thread alone, n for at most n. A negative
  /// number is an Error.
  int threads = 0;
};

/// Measures how well the spheres of cut(level) fit the mesh. The result does not depend on the number of threads.
/// Throws an Error if the mesh is not a solid, or if the level is negative.
LevelReport report_level(const SphereTree& tree, int level, const Mesh& mesh, const LevelReportOptions& options = {});
/// The same for any spheres. Also throws an Error if a sphere is not finite or its radius is negative.
LevelReport report_spheres(std::span<const BoundingSphere> spheres, const Mesh& mesh,
                           const LevelReportOptions& options = {});

}  // namespace whisker
