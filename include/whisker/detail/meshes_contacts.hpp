#pragma once

/// \file
/// MeshesContacts: which triangles of several meshes touch; the common result type of the `triangle_contacts` functions
/// for several meshes.
///
///     const std::array<const DeformingMesh*, 2> meshes = {&cloth, &ball};
///     const MeshesContacts found = triangle_contacts(meshes);  // self_contacts.hpp
///     for (const MeshTrianglePair& pair : found.pairs)
///       push_apart(pair.mesh_a, pair.triangle_a, pair.mesh_b, pair.triangle_b);
///
/// The function for meshes that keep a search tree is in self_contacts.hpp. methods/soup_contacts.hpp and
/// methods/surface_hierarchy.hpp have others.

#include <vector>

#include <whisker/mesh_data.hpp>
#include <whisker/result.hpp>

namespace whisker {

struct MeshesContacts {
  /// Pairs of triangles that touch and share no vertex, of two meshes or of the same mesh. Each pair occurs once.
  /// Sorted by mesh_a, triangle_a, mesh_b, triangle_b.
  std::vector<MeshTrianglePair> pairs;
  /// Pairs of neighbors in one mesh that touch at more than the vertex or edge that they share, if the method looks for
  /// them. Sorted in the same way.
  std::vector<MeshTrianglePair> adjacent;
  Stop stop = Stop::exact;  ///< `count` if either list would have more than `max_count` pairs.
  Cost cost;
};

}  // namespace whisker
