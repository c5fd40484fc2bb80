#pragma once

// The internal storage of a TetrahedralMesh: its topology and its current state.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <whisker/geometry/aabb.hpp>
#include <whisker/tetrahedra/tetrahedral_mesh.hpp>

#include "deform/tetrahedra_topology.hpp"
#include "shapes/internals.hpp"

namespace whisker {

namespace deform {

// Sizes rounded to sixteenths of an octave, as small integers. The levels of the grid are chosen by them.

/// Steps from one power of two to the next.
inline constexpr int size_steps = 16;

/// The leading bits of a nonnegative length: its exponent and four more bits. 0 for 0, otherwise ascending with the
/// length.
inline std::uint16_t size_code(double length) {
  if (length == 0) return 0;
  return static_cast<std::uint16_t>((std::bit_cast<std::uint64_t>(length) >> 48) + 1);
}

/// A length just above all lengths with this code; 0 for code 0.
inline double length_of(std::uint16_t code) {
  return std::bit_cast<double>(std::uint64_t{code} << 48);
}

}  // namespace deform

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
