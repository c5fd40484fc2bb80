#pragma once

/// \file
/// Which features of deforming meshes are closer than a thickness, where they are now: what cloth with a thickness and
/// barrier simulations ask for in every iteration.
///
///     NearFeatures near;                                    // its memory is used again
///     for (;;) {
///       cloth.set_vertices(next);
///       near_features(cloth, 0.001, {}, near);              // with itself; (cloth, ball, 0.001, {}, near) of two
///       for (const NearPair& pair : near.pairs) {
///         const std::array<Vector3, 4> force = distance_gradient(pair);
///         for (int i = 0; i < 4; ++i) add(pair.vertices[i], stiffness * (0.001 - pair.distance) * force[i]);
///       }
///     }
///
/// Now is the end of the step (DeformingMesh::end); where it began does not matter. Pairs are a vertex and a face, or
/// two edges: no two triangles come closer than these do, unless they pierce each other. No pair is missed: each whose
/// distance, in real numbers, is at most the thickness is in the list. Pairs that are proven farther are not; so,
/// beyond the thickness, only what is farther by less than its own bounds tell (`lower` is at most the thickness).
///
/// Culling is by boxes and fixed directions alone. Proofs from the normals of a surface (that a patch cannot cross
/// itself) say nothing about what is near, and are not used.
///
/// The cost is that of the pairs that boxes about features leave, plus that of the answer: with a thickness as large as
/// the meshes the list is of all pairs. Works on all cores, or on as many as NearOptions::threads says. The same answer
/// whatever their number, and on every processor.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <whisker/deforming_mesh.hpp>
#include <whisker/result.hpp>

namespace whisker {

/// What of two features the closest points lie in: of a's, then of b's. A vertex of a face counts as a vertex, a point
/// inside one of its edges as an edge. Found with rounding: over a border either may be named.
enum class ClosestParts : std::uint8_t {
  vertex_vertex,
  vertex_edge,
  edge_vertex,
  vertex_face,
  face_vertex,
  edge_edge,  ///< inside both
};

/// Two features that are near each other.
struct NearPair {
  /// And their numbers, as FeatureHit has them.
  FeatureHitKind kind = FeatureHitKind::vertex_face;
  std::uint32_t a = 0;
  std::uint32_t b = 0;

  /// What the closest points lie in, and the numbers of these vertices, edges (DeformingMesh::edges) or triangles.
  ClosestParts parts = ClosestParts::vertex_vertex;
  std::uint32_t part_a = 0;
  std::uint32_t part_b = 0;
  /// How many pairs of features have these closest parts. 1, unless pairs are merged.
  std::uint32_t count = 1;

  /// The vertices of a's feature, then those of b's, each as its own mesh counts.
  std::array<std::uint32_t, 4> vertices = {};

  /// Between the two bounds, which contain the truth. Both are 0 if and only if the features touch.
  double distance = 0;
  double lower = 0;
  double upper = 0;

  /// The shares of a's and of b's vertices in the closest points, in the order of `vertices`: each from 0 to 1, their
  /// sum 1 within rounding, exactly 0 for vertices that are not in the closest part. The last of an edge's, and the
  /// last two of a vertex's, are 0. Where more than one pair of points is closest, as of parallel edges, one is named,
  /// at an end.
  std::array<double, 3> weights_a = {};
  std::array<double, 3> weights_b = {};

  /// Unit vector from a's closest point to b's. Where they touch it has no side: then it is across the face, or across
  /// both edges, or any across what has a direction.
  Vector3 normal = Vector3::Zero();
};

/// How the distance changes with each of `NearPair::vertices`: -weight normal for a's, +weight normal for b's. Where
/// features touch, distances have no gradient, and this is that of one side.
std::array<Vector3, 4> distance_gradient(const NearPair& pair);

/// How the squared distance changes: 2 distance times that. It goes to 0 where features come to touch, and has no jump
/// there, so a penalty or barrier in terms of the squared distance is the better one. Where the closest part changes,
/// both gradients are continuous; where edges turn parallel, so that another pair of points is closest, they jump.
std::array<Vector3, 4> squared_distance_gradient(const NearPair& pair);

struct NearOptions {
  /// Report each two closest parts once, whatever the number of features they are parts of: a vertex over an edge is
  /// near both faces of the edge, and near the edge together with each edge of its own. The first of such pairs stands
  /// for all; `count` says how many there are, so that a sum over the list with `count` as a factor is the sum over all
  /// pairs, and one without it counts each two parts once.
  bool merge = false;
  /// How many threads work: 0 all that oneTBB gives, 1 the calling thread alone, n at most n; negative is an Error.
  int threads = 0;
};

/// Working memory that the next question uses again. A copy has none.
class NearMemory {
 public:
  NearMemory();
  NearMemory(const NearMemory&);
  NearMemory(NearMemory&&) noexcept;
  NearMemory& operator=(const NearMemory&);
  NearMemory& operator=(NearMemory&&) noexcept;
  ~NearMemory();

 private:
  friend struct Internals;
  struct Storage;
  Storage& storage();

  std::unique_ptr<Storage> storage_;
};

struct NearFeatures {
  /// By kind, a and b; each pair once.
  std::vector<NearPair> pairs;
  Cost cost;
  NearMemory memory;
};

/// All pairs of a vertex and a face, and of two edges, that are no farther apart than `thickness`: of two meshes
/// (numbered as in `a` and `b`), or of a mesh with itself. With 0, those that touch. Vertices of no triangle do not
/// count, nor, of one mesh, features that share a vertex. Features may be degenerate: an edge whose ends coincide is a
/// point, a collapsed triangle a segment or a point.
///
/// Throws an Error if the thickness is negative or not finite.
NearFeatures near_features(const DeformingMesh& a, const DeformingMesh& b, double thickness,
                           const NearOptions& options = {});
NearFeatures near_features(const DeformingMesh& mesh, double thickness, const NearOptions& options = {});
/// The same into memory that is used again: once that, and what each thread keeps, has grown, nothing is allocated.
/// What the result held is lost. Not for two threads at once.
void near_features(const DeformingMesh& a, const DeformingMesh& b, double thickness, const NearOptions& options,
                   NearFeatures& result);
void near_features(const DeformingMesh& mesh, double thickness, const NearOptions& options, NearFeatures& result);

}  // namespace whisker
