#pragma once

// Counts how often a mesh touches itself, for the commands that check meshes.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <whisker/editing/mesh_report.hpp>
#include <whisker/mesh_data.hpp>
#include <whisker/self_contacts.hpp>

namespace whisker::apps {

/// The number of pairs of triangles that touch but should not. Corners at the same position count as one vertex.
struct SelfCount {
  static constexpr std::size_t max_count = 1'000'000;
  std::size_t strangers = 0;
  std::size_t neighbors = 0;
  bool is_complete = true;

  std::string text() const {
    if (strangers + neighbors == 0) return "none";
    return fmt::format("{0}{1} pairs of triangles, {0}{2} of neighbors", is_complete ? "" : "at least ", strangers,
                       neighbors);
  }
};

/// Throws an Error if queries would reject the mesh.
inline SelfCount count_self_contacts(const MeshData& mesh) {
  const std::vector<std::uint32_t> first = first_at_position(mesh.vertices);
  MeshData welded = mesh;
  for (Index3& t : welded.triangles)
    for (std::uint32_t& v : t)
      v = first[v];
  const SelfContacts found = self_contacts(DeformingMesh(std::move(welded)), {.max_count = SelfCount::max_count});
  return {found.pairs.size(), found.adjacent.size(), found.stop == Stop::exact};
}

}  // namespace whisker::apps
