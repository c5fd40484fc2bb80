#pragma once

// The data that copies of a Mesh share.

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <whisker/mesh.hpp>

#include "shapes/internals.hpp"
#include "shapes/lazily.hpp"
#include "trees/oriented_tree.hpp"
#include "trees/surface_moments.hpp"

namespace whisker {

/// If the surface, in its own exact coordinates, is the boundary of a convex body and faces outward, returns a point
/// inside it: the mean of the corners. Otherwise returns nothing. A surface with a triangle of zero area, or with an
/// edge that more than two triangles share, counts as not convex.
///
/// After Mehlhorn, Näher, Seel, Seidel, Schilz, Schirra and Uhrig, "Checking geometric programs" (1999): a closed
/// surface bounds a convex body if it bends outward, or not at all, at every edge, and if it winds exactly once around
/// some point that is behind every face. O(n log n).
std::optional<Vector3> middle_of_convex(const MeshData& mesh);

struct Mesh::Storage {
  MeshData data;
  trees::OrientedTree oriented;
  Aabb bounds;
  /// A bounding sphere of all triangles, in the mesh's frame.
  Vector3 center = Vector3::Zero();
  double radius = 0;
  /// All triangles are within this distance of the frame's origin.
  double reach = 0;
  /// TreeOptions::threads that the tree was built with.
  int threads = 0;

  /// Sets everything except `oriented` and `threads`. Throws the Errors of Mesh's constructor.
  void check_and_set(MeshData new_data);

  /// One vertex of each connected part. Where surfaces do not touch, each part as a whole is inside a solid or outside
  /// it, but different parts may differ. Computed when first needed.
  const std::vector<std::uint32_t>& part_vertices() const;
  /// A point well inside, if the surface bounds a convex body (`middle_of_convex`). Computed when first needed.
  const std::optional<Vector3>& convex_middle() const;
  /// The other half of each edge (trees::EdgeTwins::twin). Vertices at the same position count as one. Computed when
  /// first needed.
  const std::vector<std::uint32_t>& edge_twins() const;
  /// Moments of the surface, which approximate it from far away. Computed when first needed.
  const trees::SurfaceMoments& surface_moments() const;

  /// Moves the vertices to these positions, which are known to be valid, and sets the bounds of the vertices in use.
  /// The triangles stay the same, and the tree is not refitted. The bounding sphere becomes that of the bounds.
  void move_to(const std::vector<Vector3>& positions, const Aabb& new_bounds);

 private:
  shapes::Lazily<std::vector<std::uint32_t>> part_vertices_;
  shapes::Lazily<std::optional<Vector3>> convex_middle_;
  shapes::Lazily<std::vector<std::uint32_t>> edge_twins_;
  shapes::Lazily<trees::SurfaceMoments> surface_moments_;
};

using MeshStorage = StorageOf<Mesh>;

/// Makes a mesh from storage that is known to be valid.
inline Mesh mesh_from(std::shared_ptr<const MeshStorage> storage, bool is_solid) {
  return Internals::make<Mesh>(std::move(storage), is_solid);
}

}  // namespace whisker
