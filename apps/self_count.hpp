#pragma once

// Counts how often a mesh touches itself, for the commands that check meshes.

#include <cstddef>
#include <string>

#include <whisker/mesh_data.hpp>

namespace whisker::apps {

/// The number of pairs of triangles that touch but should not. Corners at the same position count as one vertex.
struct SelfCount {
  static constexpr std::size_t max_count = 1'000'000;
  std::size_t strangers = 0;
  std::size_t neighbors = 0;
  bool is_complete = true;

  std::string text() const;
};

/// Throws an Error if queries would reject the mesh.
SelfCount count_self_contacts(const MeshData& mesh);

}  // namespace whisker::apps
