#pragma once

// What a Mesh shares between its copies.

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

struct Mesh::Storage {
  MeshData data;
  trees::OrientedTree oriented;
  Aabb bounds;
  /// A ball about all triangles, in the mesh's frame.
  Vector3 center = Vector3::Zero();
  double radius = 0;
  /// As the tree was built with: TreeOptions::threads.
  int threads = 0;

  /// Sets all but `oriented` and `threads`. Throws the Errors of Mesh's constructor.
  void check_and_set(MeshData new_data);

  /// A vertex of each connected part: where surfaces do not touch, a part is inside a solid or outside as a whole, but
  /// one part may be inside and the next outside.
  /// Found when first asked for.
  const std::vector<std::uint32_t>& part_vertices() const;
  /// A point well inside, if the surface bounds a convex body (shapes/convexity.hpp). Found when first asked for.
  const std::optional<Vector3>& convex_middle() const;
  /// What the surface is like from afar. Found when first asked for.
  const trees::SurfaceMoments& surface_moments() const;

  /// The same triangles with their vertices at these positions, which are known to be good, and the bounds of those in
  /// use; the tree is not fitted. The ball is that about the bounds.
  void move_to(const std::vector<Vector3>& positions, const Aabb& new_bounds);

 private:
  shapes::Lazily<std::vector<std::uint32_t>> part_vertices_;
  shapes::Lazily<std::optional<Vector3>> convex_middle_;
  shapes::Lazily<trees::SurfaceMoments> surface_moments_;
};

using MeshStorage = StorageOf<Mesh>;

/// A mesh of what is known to be right.
inline Mesh mesh_from(std::shared_ptr<const MeshStorage> storage, bool is_solid) {
  return Internals::make<Mesh>(std::move(storage), is_solid);
}

}  // namespace whisker
