#pragma once

// The internal storage of a TetrahedralMesh: its topology and its current state.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <whisker/geometry/aabb.hpp>
#include <whisker/tetrahedra/tetrahedral_mesh.hpp>

#include "deform/tetrahedra_topology.hpp"
#include "shapes/internals.hpp"

namespace whisker {

struct TetrahedralMesh::Storage {
  std::shared_ptr<const deform::TetrahedraTopology> topology;
  std::vector<Vector3> vertices;
  /// orient3d of each tetrahedron's corners, in the order listed.
  std::vector<std::int8_t> sign;
  /// The longest side of each tetrahedron's AABB, as a deform::size_code.
  std::vector<std::uint16_t> size;
  std::vector<std::uint32_t> inverted;
  /// Bounds of the vertices in use.
  Aabb bounds;
  /// The sum of all nonzero sizes, and their number.
  std::uint64_t size_sum = 0;
  std::uint64_t size_count = 0;

  int threads = 0;                      ///< from TetrahedralMeshOptions
  std::vector<std::int64_t> part_turn;  ///< scratch memory, one entry per part

  /// The AABB of an edge, a face or a tetrahedron.
  template <std::size_t count>
  Aabb box_of(const std::array<std::uint32_t, count>& corners) const {
    Aabb box{vertices[corners[0]], vertices[corners[0]]};
    for (std::size_t i = 1; i < count; ++i)
      box.include(vertices[corners[i]]);
    return box;
  }
  /// Recomputes everything that follows from the vertices.
  void update();
};

using TetrahedralMeshStorage = StorageOf<TetrahedralMesh>;

}  // namespace whisker
