#include "self_count.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <whisker/editing/mesh_report.hpp>
#include <whisker/self_contacts.hpp>

namespace whisker::apps {

std::string SelfCount::text() const {
  if (strangers + neighbors == 0) return "none";
  return fmt::format("{}{} pairs of triangles, {}{} of neighbors", is_complete ? "" : "at least ", strangers,
                     is_complete ? "" : "at least ", neighbors);
}

SelfCount count_self_contacts(const MeshData& mesh) {
  const std::vector<std::uint32_t> first = first_at_position(mesh.vertices);
  MeshData welded = mesh;
  for (Index3& t : welded.triangles)
    for (std::uint32_t& v : t)
      v = first[v];
  const SelfContacts found = self_contacts(DeformingMesh(std::move(welded)), {.max_count = SelfCount::max_count});
  return {found.pairs.size(), found.adjacent.size(), found.stop == Stop::exact};
}

}  // namespace whisker::apps
