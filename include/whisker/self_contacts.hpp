#pragma once

/// \file
/// Finds the triangles of a mesh that touch each other, and those of several meshes in one call.
///
///     DeformingMesh cloth(data);
///     SelfContacts found;  // its memory is reused
///     for (const std::vector<Vector3>& positions : frames) {
///       cloth.set_vertices(positions);
///       self_contacts(cloth, found);
///       for (const TrianglePair& pair : found.pairs) push_apart(pair.a, pair.b);
///     }
///
/// The result is exact and treats triangles as closed sets: triangles that meet in a single point touch. Whether two
/// triangles are neighbors is determined by their vertex numbers. Triangles that share no vertex number are not
/// neighbors, even if they have corners at the same position. A mesh whose triangles do not share vertices therefore
/// touches itself along every seam; weld it first.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <whisker/deforming_mesh.hpp>
#include <whisker/detail/meshes_contacts.hpp>
#include <whisker/mesh.hpp>
#include <whisker/mesh_data.hpp>
#include <whisker/result.hpp>

namespace whisker {

struct SelfContactOptions {
  /// Also find neighbors that touch outside the vertex or edge that they share.
  bool adjacent = true;
  /// Skip parts of the surface that are proven not to touch themselves, because all their triangles face one direction
  /// and their contour, seen along it, does not cross itself. The resulting pairs are the same. This saves much time on
  /// smooth surfaces, and costs hardly any on crumpled ones.
  ///
  /// If not set: applied to all parts from the second step of a DeformingMesh on, because computing their contours
  /// takes longer than one search. In the first step, and for a Mesh, it is applied only to the surface as a whole.
  std::optional<bool> by_direction = std::nullopt;
  /// At most this many pairs of each kind: the first ones of the complete list. n triangles in one place have about n²
  /// / 2 pairs.
  std::size_t max_count = std::numeric_limits<std::size_t>::max();
  /// The number of threads: 0 for all that oneTBB provides, 1 for only the calling thread, n for at most n. A negative
  /// number is an Error. The result is the same, in the same order.
  int threads = 0;
};

/// The result of self_contacts.
struct SelfContacts {
  /// The pairs of triangles that share no vertex and touch. Each pair appears once, with the smaller number first, in
  /// an order that depends only on the mesh's tree. Triangles without area take part as segments and points.
  std::vector<TrianglePair> pairs;
  /// The pairs of triangles that share one or two vertices and touch outside that vertex or edge, because they are
  /// folded flat onto each other or pass through each other, and those that share all three vertices. Each pair appears
  /// once. Triangles without area are left out.
  std::vector<TrianglePair> adjacent;
  Stop stop = Stop::exact;  ///< `count` if there are more than `max_count` of a kind.
  Cost cost;
};

/// Finds all pairs of triangles of a mesh that touch. A deforming mesh is taken at its current positions, the end of
/// its step. A solid mesh is treated as its surface. `found` is overwritten and its memory reused.
void self_contacts(const DeformingMesh& mesh, SelfContacts& found);
void self_contacts(const DeformingMesh& mesh, const SelfContactOptions& options, SelfContacts& found);
SelfContacts self_contacts(const DeformingMesh& mesh, const SelfContactOptions& options = {});
/// The same for a rigid mesh. Data that a DeformingMesh keeps from call to call is recomputed in every call.
SelfContacts self_contacts(const Mesh& mesh, const SelfContactOptions& options = {});

/// Finds all pairs of triangles that touch, within each mesh and between any two meshes, in one call. The meshes are
/// taken at their current positions, all in one frame. No mesh may be listed twice. With `max_count`, the pairs of each
/// kind are a subset of all pairs, the same on every processor and for any number of threads. `found` is overwritten
/// and its memory reused. Throws an Error if a pointer is null.
void triangle_contacts(std::span<const DeformingMesh* const> meshes, MeshesContacts& found);
void triangle_contacts(std::span<const DeformingMesh* const> meshes, const SelfContactOptions& options,
                       MeshesContacts& found);
MeshesContacts triangle_contacts(std::span<const DeformingMesh* const> meshes, const SelfContactOptions& options = {});

}  // namespace whisker
