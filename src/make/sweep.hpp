#pragma once

// Grids and rings of vertices, and the surfaces that they are joined into. Shared by the generators.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/mesh_data.hpp>

#include "make/angle.hpp"

namespace whisker::make {

/// The point at step `i` of `n` on an edge centered at 0: exactly ±size/2 at the ends, and symmetric in between.
inline double grid_position(double size, std::int64_t i, std::int64_t n) {
  return static_cast<double>(2 * i - n) / static_cast<double>(n) * (size / 2);
}

/// The directions to `count` points of a circle, from +x on.
std::vector<Direction> circle(int count);

/// Adds two triangles for a square with corners in counterclockwise order.
inline void add_square(MeshData& mesh, std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  mesh.triangles.push_back({a, b, c});
  mesh.triangles.push_back({a, c, d});
}

/// Whether one direction of a grid of vertices ends at a border or is joined to its beginning.
enum class Ends { open, joined };

/// Adds two triangles for every cell of a grid of vertices, stored row by row from vertex `first` on. The triangles'
/// normals point along (direction of a row) × (direction from row to row).
void add_grid(MeshData& mesh, std::uint32_t first, int rows, int columns, Ends row_ends, Ends column_ends);

/// The surface of a grid whose vertices are vertex(row, column).
template <class Vertex>
MeshData grid_mesh(int rows, int columns, Ends row_ends, Ends column_ends, const Vertex& vertex) {
  MeshData mesh;
  const std::size_t count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  mesh.vertices.reserve(count);
  mesh.triangles.reserve(2 * count);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      mesh.vertices.push_back(vertex(i, j));
  add_grid(mesh, 0, rows, columns, row_ends, column_ends);
  return mesh;
}

/// A point of the half plane that is revolved around the z axis to make a solid.
struct ProfilePoint {
  double radius;
  double z;
};

/// The closed solid between two poles on the z axis: a ring of `slices` vertices for every point of the profile, bottom
/// to top, and a fan to a vertex on the axis at each end. It has 2·slices·(number of points) triangles.
MeshData revolve(double bottom_z, std::span<const ProfilePoint> profile, double top_z, int slices);

}  // namespace whisker::make
