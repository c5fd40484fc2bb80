#pragma once

/// \file
/// MeshesContacts: which triangles of several meshes touch. What all methods of `triangle_contacts` answer: for meshes
/// with a tree that is kept in self_contacts.hpp; for others in methods/soup_contacts.hpp and
/// methods/surface_hierarchy.hpp.

#include <vector>

#include <whisker/mesh_data.hpp>
#include <whisker/result.hpp>

namespace whisker {

struct MeshesContacts {
  /// Triangles that touch, of two meshes or of one, that share no vertex, each pair once. Sorted: first what is of the
  /// first mesh.
  std::vector<MeshTrianglePair> pairs;
  /// Neighbors in one mesh that touch elsewhere than where they must, where the method looks for them; sorted too.
  std::vector<MeshTrianglePair> adjacent;
  Stop stop = Stop::exact;  ///< `count` if there are more than `max_count` of a kind.
  Cost cost;
};

}  // namespace whisker
