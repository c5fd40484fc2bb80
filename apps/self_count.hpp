#pragma once

// How often a mesh touches itself, for the commands that look meshes over.

#include <cstddef>
#include <string>

#include <whisker/mesh_data.hpp>

namespace whisker::apps {

/// How many pairs of triangles touch that should not, with corners at one position taken as one.
struct SelfCount {
  static constexpr std::size_t max_count = 1'000'000;
  std::size_t strangers = 0;
  std::size_t neighbors = 0;
  bool is_complete = true;

  std::string text() const;
};

/// Throws an Error if queries would refuse the mesh.
SelfCount count_self_contacts(const MeshData& mesh);

}  // namespace whisker::apps
