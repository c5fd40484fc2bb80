#pragma once

/// \file
/// Meshes whose vertices move on their own, from one frame to the next, and when they first touch each other or
/// themselves in between.
///
///     DeformingMesh cloth(data), ball(other);
///     for (;;) {
///       cloth.set_vertices(next_cloth());   // the step goes from where it was to here
///       ball.set_vertices(next_ball());
///       for (const FeatureHit& hit : first_contacts(cloth, ball).hits) …
///       for (const FeatureHit& hit : first_contacts(cloth).hits) …     // with itself
///     }

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include <whisker/detail/held.hpp>
#include <whisker/geometry/moving_features.hpp>
#include <whisker/mesh.hpp>
#include <whisker/mesh_data.hpp>

namespace whisker {

/// A change of a mesh's triangles: cuts, breaks, holes, patches.
struct MeshEdit {
  /// Another corner for a triangle, or three.
  struct Change {
    std::uint32_t triangle = 0;
    Index3 corners = {};
  };
  /// Where they are; they get the next numbers. At rest in this step.
  std::vector<Vector3> new_vertices = {};
  std::vector<Change> changed = {};
  /// Each one's number goes to the triangle that is the last then, from the largest number down. Vertices stay, in no
  /// triangle perhaps.
  std::vector<std::uint32_t> removed = {};
  /// They get the next numbers after that.
  std::vector<Index3> added = {};
};

struct DeformingMeshOptions {
  /// The tree of snapshots is built anew when its cost, as the surface area of its boxes tells it, is this many times
  /// what it was when it was last built. Infinity: never.
  double rebuild_at = 2;
  /// How many threads fit and build: 0 all that oneTBB gives, 1 the calling thread alone, n at most n; negative is an
  /// Error.
  int threads = 0;
};

/// A mesh in a step of its motion: every vertex goes from `start` (time 0) to `end` (time 1) along a straight line, in
/// real numbers. The triangles are the same all along. It may be moved and copied; questions are const, and may be
/// asked from many threads while nobody sets vertices.
class DeformingMesh {
 public:
  /// At rest. Throws an Error if a vertex is not finite or beyond `max_coordinate`, an index is out of range, or
  /// there is no triangle. O(n); a search tree is built, in O(n log n), when the first question that needs it is asked,
  /// and fitted to each step from then on.
  explicit DeformingMesh(MeshData data, const DeformingMeshOptions& options = {});
  DeformingMesh(const DeformingMesh& other);
  DeformingMesh(DeformingMesh&&) noexcept;
  DeformingMesh& operator=(const DeformingMesh& other);
  DeformingMesh& operator=(DeformingMesh&&) noexcept;
  ~DeformingMesh();

  /// The next step: from where the last one ended to here. O(n). Throws an Error as the constructor does, and if there
  /// are not as many as before; the step is then as it was.
  void set_vertices(std::span<const Vector3> vertices);
  /// A step from anywhere to anywhere.
  void set_step(std::span<const Vector3> start, std::span<const Vector3> end);

  /// Changes the triangles: first `changed`, then `removed`, then `added`. The tree of snapshots is not built anew, but
  /// changed where the triangles are, and then fitted; other trees are built when they are next needed. Throws an Error
  /// if a number is out of range or a triangle is named twice in a list, no triangle would be left, or a position is
  /// not finite; the mesh is then as it was.
  void edit(const MeshEdit& edit);

  /// The mesh as it is now, at the end of the step, as a shape for every query: `touches({cloth.snapshot(), pose}, …)`.
  /// It stays as it is when the mesh goes on. O(1), but for the first one, which builds the tree. While somebody holds
  /// a snapshot the next step is fitted in other memory; where nobody does, in place.
  Mesh snapshot() const;
  /// The cost of the snapshots' tree over what it was when it was last built; 1 where there is none yet.
  double tree_growth() const;
  /// Builds the snapshots' tree anew at once.
  void rebuild();

  std::span<const Vector3> start() const;
  std::span<const Vector3> end() const;
  std::span<const Index3> triangles() const;
  /// Every edge of a triangle once, in ascending order.
  std::span<const Index2> edges() const;

 private:
  friend struct Internals;
  struct Storage;
  Held<"DeformingMesh", std::unique_ptr<Storage>> storage_;
};

/// The edit that opens a mesh along edges: triangles on both sides of each keep what they share with their other
/// neighbors, and get vertices of their own where that parts them. Edges that are in no triangle do nothing; the ends
/// of a cut inside the mesh stay joined. O(n). Throws an Error if there is no such vertex.
MeshEdit cut_along(const DeformingMesh& mesh, std::span<const Index2> edges);
/// The edit that parts these triangles from all others. O(n). Throws an Error if a number is out of range.
MeshEdit break_off(const DeformingMesh& mesh, std::span<const std::uint32_t> triangles);

/// Which features touch.
enum class FeatureHitKind : std::uint8_t {
  vertex_face,  ///< vertex `a` of the first mesh and triangle `b` of the second (or of the same)
  face_vertex,  ///< triangle `a` of the first mesh and vertex `b` of the second; never of one mesh with itself
  edge_edge,    ///< edge `a` of the first and edge `b` of the second; of one mesh with itself, a < b
};

struct FeatureHit {
  FeatureHitKind kind = FeatureHitKind::vertex_face;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  /// Weights and normal as the kind has them: of a vertex and a face, say.
  FeatureImpact impact;
};

struct DeformingOptions {
  /// Of each pair of features.
  FeatureImpactOptions features = {};
  /// Only contacts that begin within this time of the first one are looked for. With 0 only what may be the first.
  double within = std::numeric_limits<double>::infinity();
};

/// All pairs of a vertex and a face, and of two edges, that touch in the step: of two meshes (numbered as in `a` and
/// `b`), or of a mesh with itself. Vertices of no triangle do not count, nor, of one mesh, features that share a
/// vertex. No contact is missed (see moving_features.hpp); `touch` without `certain` is in the list too. The same
/// answer on every processor. Hits come by time_lower, then by kind, a and b; each pair of features at most once.
///
/// Triangles that pierce each other all along, from before the step, have no such contact: look at the start with
/// `contacts`.
FirstContacts<FeatureHit> first_contacts(const DeformingMesh& a, const DeformingMesh& b,
                                         const DeformingOptions& options = {});
FirstContacts<FeatureHit> first_contacts(const DeformingMesh& mesh, const DeformingOptions& options = {});

}  // namespace whisker
