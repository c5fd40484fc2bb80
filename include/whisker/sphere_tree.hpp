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
///  - No point of a node's sphere is farther from the solid than the node's `stand_off`.
///  - The same mesh and options give the same tree, bit for bit.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/bounding_sphere.hpp>
#include <whisker/interval.hpp>
#include <whisker/mesh.hpp>
#include <whisker/vector.hpp>

namespace whisker {

enum class SphereTreeMethod {
  /// The cubes of an octree that touch the surface, each in the sphere around it. Quick to build, loose.
  octree,
  /// An octree that keeps the cubes inside the solid too: each level covers the solid, not its surface alone.
  solid_octree,
  /// In each region a grid of cubes, turned, moved and sized so that few of them hold the surface.
  grid,
  /// Spheres about the vertices of a Voronoi diagram that lie inside, merged until few are left. Tight; the slowest.
  merge,
};

struct SphereTreeOptions {
  SphereTreeMethod method = SphereTreeMethod::merge;
  /// Levels below the root, 1 to 10.
  int depth = 3;
  /// The most children that a node has, 2 to 64. An octree's nodes have up to eight whatever is said here.
  int branching = 8;
  /// Points on the surface whose Voronoi diagram gives the spheres that `merge` begins with, 16 to 1,000,000.
  int samples = 1000;
  /// Into how many pieces, at least, `grid` and `merge` cut the surface, 16 to 10,000,000. Each piece lies in one
  /// sphere of every level, so more of them let the spheres follow the surface more closely.
  int pieces = 4000;
  /// A node that stands off no more than this part of the root's radius is a leaf, from 0.
  double good_enough = 0.005;
  /// Of the random points.
  std::uint64_t seed = 1;
};

struct SphereTreeNode {
  BoundingSphere sphere;  ///< In the mesh's frame.
  /// No point of the sphere is farther than this from the solid. The distance from the centre to the surface decides it
  /// (Bradshaw's equation 5.1): exact for a convex solid and a centre inside, up to rounding, more than the truth
  /// elsewhere.
  double stand_off = 0;
  std::uint32_t parent = 0;       ///< Of the root: 0.
  std::uint32_t first_child = 0;  ///< The children's numbers follow each other.
  std::uint32_t child_count = 0;  ///< 0: a leaf, which may be on any level.
};

struct SphereTree {
  /// The root first, then level by level.
  std::vector<SphereTreeNode> nodes;
  /// Where in `nodes` each level begins, and last where all end: level l has the nodes level_begin[l] to
  /// level_begin[l + 1].
  std::vector<std::uint32_t> level_begin;

  /// The number of the last level; the root is level 0.
  int depth() const { return static_cast<int>(level_begin.size()) - 2; }
  /// The nodes that stand for the mesh at a level: those on it, and the leaves above it. In ascending order. A level
  /// below the last is the last. Throws an Error if it is negative.
  std::vector<std::uint32_t> cut(int level) const;
  /// Their spheres.
  std::vector<BoundingSphere> spheres(int level) const;
};

/// Builds a sphere tree. The mesh must be closed and not inside out, as Mesh::solid() asks; several closed parts are
/// welcome. Throws an Error that says what is open, which option is out of its range, or that the mesh's largest
/// coordinate is not from 1e-88 to 1e88. Runs on the caller's thread. The methods' steps and costs stand in
/// docs/spheres.md.
SphereTree build_sphere_tree(const Mesh& mesh, const SphereTreeOptions& options = {});

// --- coverage ----------------------------------------------------------------------------------------------------

enum class CoverageAnswer {
  covered,    ///< Proven: every point of every triangle lies in a sphere.
  uncovered,  ///< Proven: a point of a triangle lies in none.
  undecided,  ///< Neither, within the pieces allowed: the spheres may meet just at the surface.
};

struct Coverage {
  CoverageAnswer answer = CoverageAnswer::covered;
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

/// The spheres, each grown about its centre as far as needed for their union to cover the surface of the mesh; pieces
/// that no sphere holds go to the one that grows least for them. Spheres that cover already are not changed unless
/// they meet just at the surface. Throws as check_coverage does, and an Error if there is no sphere.
std::vector<BoundingSphere> grow_to_cover(std::span<const BoundingSphere> spheres, const Mesh& mesh);

// --- how well a level fits ---------------------------------------------------------------------------------------

/// How far the spheres of a level stick out of the solid: of each sphere, the largest distance of one of its points
/// from the solid. The upper ends are proven; the lower ends are of the points looked at.
struct LevelReport {
  std::size_t spheres = 0;
  Interval worst;
  Interval mean;
  Interval root_mean_square;
};

/// Looks at `samples_per_sphere` points of each sphere (6, 18, 66, 258… as an octahedron is split; the next of these
/// that is not smaller, at most 16,386). Throws an Error if the mesh is not a solid's, or the level is negative.
LevelReport report_level(const SphereTree& tree, int level, const Mesh& mesh, int samples_per_sphere = 66);

}  // namespace whisker
