#pragma once

/// \file
/// Finds the features of deforming meshes that are closer than a thickness at their current positions. Simulations of
/// cloth with a thickness, and barrier methods, need this in every iteration.
///
///     NearFeatures near;                        // keeps its memory from call to call
///     for (const std::vector<Vector3>& positions : frames) {
///       cloth.set_vertices(positions);
///       near_features(cloth, 0.001, {}, near);  // the cloth with itself; with a ball: (cloth, ball, 0.001, {}, near)
///       for (const NearPair& pair : near.pairs) {
///         const std::array<Vector3, 4> gradient = distance_gradient(pair);
///         for (std::size_t i = 0; i < 4; ++i)
///           add_force(pair.vertices[i], stiffness * (0.001 - pair.distance) * gradient[i]);
///       }
///     }
///
/// The current positions are those at the end of the step (DeformingMesh::end). Where the step started does not matter.
///
/// A pair is a vertex and a face, or two edges. These pairs determine the distance of two triangles, unless the
/// triangles intersect. No pair is missed: the list contains every pair whose distance, in real numbers, is at most the
/// thickness. It contains no pair that is proven to be farther apart. A pair slightly beyond the thickness can
/// therefore be in the list, if its own lower bound does not exceed the thickness.
///
/// Culling uses only AABBs and a fixed set of directions. Proofs based on surface normals, which show that a patch
/// cannot intersect itself, say nothing about proximity and are not used.
///
/// The cost is proportional to the number of feature pairs whose AABBs are within the thickness, plus the size of the
/// result. With a thickness as large as the meshes, the result is all pairs. Uses all cores, or as many threads as
/// NearOptions::threads allows. The result is the same for any number of threads and on every processor.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <whisker/deforming_mesh.hpp>
#include <whisker/detail/held.hpp>
#include <whisker/result.hpp>

namespace whisker {

/// Which part of each of two features its closest point lies on: the part of a's feature, then that of b's. A closest
/// point at a corner of a face counts as a vertex, and one in the interior of a face's edge as an edge. The
/// classification is subject to rounding: next to a border between two parts, either may be reported.
enum class ClosestParts : std::uint8_t {
  vertex_vertex,
  vertex_edge,
  edge_vertex,
  vertex_face,
  face_vertex,
  edge_edge,  ///< In the interior of both edges.
};

/// Two features that are near each other.
struct NearPair {
  FeatureHitKind kind = FeatureHitKind::vertex_face;  ///< Which kinds of features `a` and `b` are.
  std::uint32_t a = 0;                                ///< The number of the first feature, as in FeatureHit.
  std::uint32_t b = 0;                                ///< The number of the second feature, as in FeatureHit.

  ClosestParts parts = ClosestParts::vertex_vertex;  ///< Which parts of the features the closest points lie on.
  /// The number of a's part: of a vertex, an edge (DeformingMesh::edges) or a triangle, depending on `parts`.
  std::uint32_t part_a = 0;
  std::uint32_t part_b = 0;  ///< The same for b's part.
  /// How many pairs of features have these closest parts. Always 1 without NearOptions::merge.
  std::uint32_t count = 1;

  /// The vertex numbers of a's feature, followed by those of b's. Each number refers to the feature's own mesh.
  std::array<std::uint32_t, 4> vertices = {};

  double distance = 0;  ///< Best estimate of the distance, between `lower` and `upper`. User's unit.
  double lower = 0;     ///< The true distance is at least this. Both bounds are 0 if and only if the features touch.
  double upper = 0;     ///< The true distance is at most this.

  /// The weights of a's and of b's vertices in the closest points, in the order of `vertices`. Each weight is from 0 to
  /// 1, and those of one feature sum to 1 up to rounding. A vertex that is not part of the closest part has exactly 0,
  /// and so do the unused entries: the last one for an edge, the last two for a vertex. If the closest points are not
  /// unique, as between parallel edges, one pair at an end of the range is given.
  std::array<double, 3> weights_a = {};
  std::array<double, 3> weights_b = {};

  /// Unit vector from a's closest point to b's. If the features touch, its sign is arbitrary: it is then perpendicular
  /// to the face or to both edges, or, if these are degenerate or parallel, to the one direction that they span.
  Vector3 normal = Vector3::Zero();
};

/// The gradient of the distance with respect to each of `NearPair::vertices`: -weight * normal for a's vertices,
/// +weight * normal for b's. Where features touch, the distance has no gradient; the result is then the one-sided
/// gradient for the given normal.
std::array<Vector3, 4> distance_gradient(const NearPair& pair);

/// The gradient of the squared distance: 2 * distance times distance_gradient. It goes continuously to 0 as features
/// come to touch, so a penalty or barrier should be a function of the squared distance. Both gradients are continuous
/// where the closest part changes. Both jump where edges become parallel and another pair of points becomes closest.
std::array<Vector3, 4> squared_distance_gradient(const NearPair& pair);

struct NearOptions {
  /// Report each pair of closest parts once, regardless of how many features share them. For example, a vertex over an
  /// edge is near both faces of that edge, and that edge is near each edge of the vertex. Only the first of these pairs
  /// is kept, and its `count` is their number. A sum over the list weighted by `count` equals the sum over all pairs; a
  /// sum without the weights counts each pair of parts once.
  bool merge = false;
  /// The number of threads: 0 for all that oneTBB provides, 1 for only the calling thread, n for at most n. A negative
  /// number is an Error.
  int threads = 0;
};

/// Working memory that the next call reuses. It holds no results; copies start empty.
class NearMemory {
 public:
  NearMemory() = default;
  NearMemory(const NearMemory&) {}
  NearMemory(NearMemory&&) noexcept = default;
  NearMemory& operator=(const NearMemory&) { return *this; }
  NearMemory& operator=(NearMemory&&) noexcept = default;

 private:
  friend struct Internals;
  struct Storage;
  Storage& storage();

  Owned<Storage> storage_;
};

/// The result of near_features.
struct NearFeatures {
  std::vector<NearPair> pairs;  ///< Sorted by kind, then a, then b. Each pair appears once.
  Cost cost;
  NearMemory memory;  ///< Kept for the next call with this result.
};

/// All pairs of a vertex and a face, and of two edges, that are at most `thickness` apart: between two meshes (`a` and
/// `b` of each pair are numbered as in the meshes `a` and `b`), or within one mesh. With a thickness of 0, the pairs
/// that touch. Vertices that belong to no triangle are ignored, and within one mesh so are features that share a
/// vertex. Features may be degenerate: an edge whose ends coincide is a point, a collapsed triangle is a segment or a
/// point.
///
/// Throws an Error if the thickness is negative or not finite.
NearFeatures near_features(const DeformingMesh& a, const DeformingMesh& b, double thickness,
                           const NearOptions& options = {});
NearFeatures near_features(const DeformingMesh& mesh, double thickness, const NearOptions& options = {});
/// The same, writing into a result that is reused. Its previous contents are replaced. Once its memory, and that of
/// each thread, has grown large enough, nothing is allocated. Two threads must not use the same result at once.
void near_features(const DeformingMesh& a, const DeformingMesh& b, double thickness, const NearOptions& options,
                   NearFeatures& result);
void near_features(const DeformingMesh& mesh, double thickness, const NearOptions& options, NearFeatures& result);

}  // namespace whisker
