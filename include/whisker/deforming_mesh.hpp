#pragma once

/// \file
/// DeformingMesh: a triangle mesh whose vertices move independently from frame to frame, as those of cloth do. Finds
/// when such meshes first touch each other or themselves between two frames.
///
///     DeformingMesh cloth(data), ball(other);
///     for (const std::vector<Vector3>& positions : frames) {
///       cloth.set_vertices(positions);  // the step goes from the previous positions to these
///       for (const FeatureHit& hit : first_contacts(cloth, ball).hits) respond(hit);
///       for (const FeatureHit& hit : first_contacts(cloth).hits) respond(hit);  // the cloth with itself
///       const bool on_table = touches(cloth.snapshot(), {table, pose});         // at the end of the step
///     }
///     cloth.edit(cut_along(cloth, edges));  // opens the cloth along these edges
///
/// The mesh holds one step of its motion: the positions of the vertices at its start and at its end. first_contacts()
/// looks at the whole step. snapshot() is the mesh at the end of the step, as an ordinary Mesh for every other query.
/// edit() changes the triangles: cuts, breaks, holes, patches. docs/deforming.md describes the methods and their costs.

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <whisker/detail/held.hpp>
#include <whisker/geometry/moving_features.hpp>
#include <whisker/mesh.hpp>
#include <whisker/mesh_data.hpp>

namespace whisker {

/// A change of a mesh's triangles: cuts, breaks, holes, patches. Applied by DeformingMesh::edit in the order `changed`,
/// `removed`, `added`.
struct MeshEdit {
  /// Replaces the three vertices of a triangle.
  struct Change {
    std::uint32_t triangle = 0;  ///< The triangle's number before the edit.
    Index3 corners = {};         ///< Its new vertices. They may be among `new_vertices`.
  };
  /// Positions of vertices to append; they get the next free vertex numbers. In the current step they are at rest.
  std::vector<Vector3> new_vertices = {};
  std::vector<Change> changed = {};
  /// Numbers of triangles to remove, as before the edit. They are removed from the largest number down, and each time
  /// the triangle that is then the last one takes over the number of the removed one. Vertices are kept, even if no
  /// triangle uses them any more.
  std::vector<std::uint32_t> removed = {};
  /// Triangles to append; they get the next free triangle numbers after the removals.
  std::vector<Index3> added = {};
};

struct DeformingMeshOptions {
  /// The snapshot tree is rebuilt when its cost, measured by the surface area of its boxes, has grown to this factor of
  /// its cost when it was last built. Must be above 1, else an Error is thrown. Infinity: never rebuild.
  double rebuild_at = 2;
  /// How many threads refit and build the trees: 0 all that oneTBB provides, 1 only the calling thread, n at most n.
  /// Negative is an Error.
  int threads = 0;
};

/// A mesh during one step of its motion: every vertex moves from `start` (time 0) to `end` (time 1) along a straight
/// line, in real arithmetic. The triangles stay the same throughout the step. All coordinates are in one frame, which
/// meshes that are queried against each other share.
///
/// It can be moved and copied; a copy is independent. Const functions may be called from many threads at once, as long
/// as no thread calls a non-const one.
///
/// The mesh builds its search trees when a query first needs them, in O(n log n), and refits them in every step from
/// then on: one tree for snapshots, and others for first_contacts().
class DeformingMesh {
 public:
  /// Starts at rest: `start` and `end` are both the given vertices. O(n). Throws an Error if a vertex is not finite or
  /// beyond `max_coordinate`, an index is out of range, there is no triangle, or an option is out of range.
  explicit DeformingMesh(MeshData data, const DeformingMeshOptions& options = {});

  /// Begins the next step: from the end of the last one to these positions. O(n), except when the snapshot tree is
  /// rebuilt (DeformingMeshOptions::rebuild_at). Throws an Error, and keeps the previous step, if the number of
  /// vertices differs or a position is not finite or beyond `max_coordinate`.
  void set_vertices(std::span<const Vector3> vertices);
  /// Sets a step between arbitrary positions. Cost and Errors as with set_vertices().
  void set_step(std::span<const Vector3> start, std::span<const Vector3> end);

  /// Changes the triangles: first `changed`, then `removed`, then `added`. The snapshot tree is modified where
  /// the triangles are, and then refitted. It is rebuilt only if it becomes too deep, its cost exceeds `rebuild_at`, or
  /// no old triangle is left. The other trees are rebuilt when they are next needed. Throws an Error, and leaves the
  /// mesh as it was, if a number is out of range, a triangle appears twice in a list, no triangle would be left, or a
  /// position is not finite or beyond `max_coordinate`.
  void edit(const MeshEdit& edit);

  /// The mesh at the end of the step, as a shape for every query: `touches({cloth.snapshot(), pose}, …)`. It is a
  /// surface; call solid() on it where a solid is needed. Later steps and edits do not change it. O(1), except that the
  /// first call builds the tree. While a snapshot is held, the next step is written to other memory, otherwise in
  /// place.
  Mesh snapshot() const;
  /// The cost of the snapshot tree divided by its cost when it was last built; 1 if there is no tree yet.
  double tree_growth() const;
  /// Rebuilds the snapshot tree immediately. Does nothing if there is no tree yet.
  void rebuild();

  /// The positions of the vertices at time 0. This span and the others below are valid until the next non-const call.
  std::span<const Vector3> start() const;
  /// The positions of the vertices at time 1.
  std::span<const Vector3> end() const;
  std::span<const Index3> triangles() const;
  /// Every edge of a triangle once, in ascending order. The first call, and the first one after an edit, finds them.
  std::span<const Index2> edges() const;

 private:
  friend struct Internals;
  struct Storage;
  Held<"DeformingMesh", OwnedCopy<Storage>> storage_;
};

/// Makes the edit that cuts a mesh open along edges, each given by its two vertices in either order. The triangles on
/// the two sides of a cut edge stay connected to their other neighbors, and get copies of vertices where the cut
/// separates them. Edges that belong to no triangle are ignored. The ends of a cut inside the mesh stay joined. The
/// mesh is not changed: pass the result to DeformingMesh::edit. O(n). Throws an Error if a vertex number is out of
/// range.
MeshEdit cut_along(const DeformingMesh& mesh, std::span<const Index2> edges);
/// Makes the edit that separates these triangles from all others, by giving them copies of the vertices that they share
/// with others. The mesh is not changed: pass the result to DeformingMesh::edit. O(n). Throws an Error if a triangle
/// number is out of range.
MeshEdit break_off(const DeformingMesh& mesh, std::span<const std::uint32_t> triangles);

/// Which kinds of features touch.
enum class FeatureHitKind : std::uint8_t {
  vertex_face,  ///< vertex `a` of the first mesh and triangle `b` of the second (or of the same mesh)
  face_vertex,  ///< triangle `a` of the first mesh and vertex `b` of the second; not used for a mesh with itself
  edge_edge,    ///< edge `a` of the first mesh and edge `b` of the second; for a mesh with itself, a < b
};

/// Two features that touch during the step.
struct FeatureHit {
  FeatureHitKind kind = FeatureHitKind::vertex_face;
  std::uint32_t a = 0;  ///< The feature's number in the first mesh: an index into end(), triangles() or edges().
  std::uint32_t b = 0;  ///< The feature's number in the second mesh.
  /// When and where they touch. `weights_a` are the weights of a's vertices (one of a vertex, two of an edge, three of
  /// a triangle), `weights_b` those of b's. The normal points from a to b.
  FeatureImpact impact;
};

struct DeformingOptions {
  /// Applies to each pair of features.
  FeatureImpactOptions features = {};
  /// Only contacts that begin within this time after the first certain contact are reported. 0 or larger, else an Error
  /// is thrown. With 0, only contacts that may be the first one.
  double within = std::numeric_limits<double>::infinity();
};

/// Finds all pairs of a vertex and a face, and all pairs of edges, that touch during the step: between two meshes (with
/// the numbers that the features have in `a` and `b`), or within one mesh.
///
/// No contact is missed (see moving_features.hpp). The list also contains contacts that are neither proven nor
/// excluded: status `touch` without `certain`. Vertices that no triangle uses are ignored, and so are, within one mesh,
/// features that share a vertex. Hits are sorted by time_lower, then by kind, a and b. Each pair of features occurs at
/// most once. The result is the same on every processor.
///
/// Triangles that pierce each other from the start of the step to its end have no such contact; find them with
/// `contacts` at the start. Throws an Error if an option is out of range.
FirstContacts<FeatureHit> first_contacts(const DeformingMesh& a, const DeformingMesh& b,
                                         const DeformingOptions& options = {});
FirstContacts<FeatureHit> first_contacts(const DeformingMesh& mesh, const DeformingOptions& options = {});

}  // namespace whisker
