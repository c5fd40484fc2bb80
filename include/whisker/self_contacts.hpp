#pragma once

/// \file
/// Which triangles of one mesh touch each other.
///
///     DeformingMesh cloth(data);
///     SelfContacts found;
///     for (;;) {
///       cloth.set_vertices(next());
///       self_contacts(cloth, found);
///       for (const TrianglePair& pair : found.pairs) …
///     }
///
/// Exact, and about closed sets: triangles that meet in a single point touch. Neighbors are told by the numbers of
/// their vertices: two triangles that share none are neighbors of no kind, though they may have corners at the same
/// place. So a mesh whose triangles do not share vertices touches itself along every seam; weld it first.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <whisker/deforming_mesh.hpp>
#include <whisker/mesh.hpp>
#include <whisker/mesh_data.hpp>
#include <whisker/meshes_contacts.hpp>
#include <whisker/result.hpp>

namespace whisker {

struct SelfContactOptions {
  /// Look also for neighbors that touch elsewhere than where they must.
  bool adjacent = true;
  /// Leave out parts of the surface that certainly do not touch themselves, because all their triangles face one way
  /// and their contour, seen from there, does not cross itself. The pairs are the same; it takes much less time where
  /// the surface is smooth, and hardly more where it is crumpled. Not set: for all parts once a mesh is in its second
  /// step, since to find their contours takes longer than one search; before that, and of a Mesh, for the surface as a
  /// whole.
  std::optional<bool> by_direction = std::nullopt;
  /// At most so many pairs of each kind: the first ones of the whole list. A heap of n triangles in one place has n²
  /// / 2.
  std::size_t max_count = std::numeric_limits<std::size_t>::max();
  /// How many threads work: 0 all that oneTBB gives, 1 the calling thread alone, n at most n; negative is an Error. The
  /// answer is the same, in the same order.
  int threads = 0;
};

struct SelfContacts {
  /// The pairs that share no vertex and touch, each once, the smaller number first, in an order that depends on the
  /// mesh's tree alone. Triangles without area take part as segments and points.
  std::vector<TrianglePair> pairs;
  /// The pairs that share one vertex or two, and touch elsewhere than in that vertex or edge: folded flat onto each
  /// other, or one through the other; and those that have all three vertices in common. Each once. Triangles without
  /// area are left out.
  std::vector<TrianglePair> adjacent;
  Stop stop = Stop::exact;  ///< `count` if there are more than `max_count` of a kind.
  Cost cost;
};

/// All pairs of triangles of a mesh that touch: of a deforming mesh where it is now, at the end of its step. A solid
/// mesh is taken as its surface. `found` is overwritten and its memory used again.
void self_contacts(const DeformingMesh& mesh, SelfContacts& found);
void self_contacts(const DeformingMesh& mesh, const SelfContactOptions& options, SelfContacts& found);
SelfContacts self_contacts(const DeformingMesh& mesh, const SelfContactOptions& options = {});
/// The same for a mesh at hand. What a DeformingMesh keeps from call to call is found anew.
SelfContacts self_contacts(const Mesh& mesh, const SelfContactOptions& options = {});

/// All pairs of triangles that touch, of each mesh with itself and with every other, in one run, where the meshes are
/// now; all in one frame. No mesh is to be there twice. With `max_count` the pairs of each kind are some that there
/// are, the same on every processor and any number of threads.
void triangle_contacts(std::span<const DeformingMesh* const> meshes, MeshesContacts& found);
void triangle_contacts(std::span<const DeformingMesh* const> meshes, const SelfContactOptions& options,
                       MeshesContacts& found);
MeshesContacts triangle_contacts(std::span<const DeformingMesh* const> meshes, const SelfContactOptions& options = {});

}  // namespace whisker
