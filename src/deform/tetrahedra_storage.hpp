#pragma once

// A volume of tetrahedra as it is at present.

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
  /// orient3d of each tetrahedron's corners as listed.
  std::vector<std::int8_t> sign;
  /// How large each tetrahedron's box is along its longest side (deform::size_code).
  std::vector<std::uint16_t> size;
  std::vector<std::uint32_t> inverted;
  /// Of the vertices in use.
  Aabb bounds;
  /// Sum of all sizes that are not 0, and how many these are.
  std::uint64_t size_sum = 0;
  std::uint64_t size_count = 0;

  int threads = 0;                      ///< TetrahedralMeshOptions
  std::vector<std::int64_t> part_turn;  ///< scratch, by part

  /// What follows from the vertices.
  void update();
};

using TetrahedralMeshStorage = StorageOf<TetrahedralMesh>;

}  // namespace whisker
