#include "make/sweep.hpp"

namespace whisker::make {

std::vector<Direction> circle(int count) {
  std::vector<Direction> directions;
  directions.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    directions.push_back(turn(i, count));
  return directions;
}

void add_grid(MeshData& mesh, std::uint32_t first, int rows, int columns, Ends row_ends, Ends column_ends) {
  const auto row_count = static_cast<std::uint32_t>(rows);
  const auto column_count = static_cast<std::uint32_t>(columns);
  const std::uint32_t row_cells = row_ends == Ends::joined ? row_count : row_count - 1;
  const std::uint32_t column_cells = column_ends == Ends::joined ? column_count : column_count - 1;
  for (std::uint32_t i = 0; i < row_cells; ++i) {
    const std::uint32_t row = first + i * column_count;
    const std::uint32_t next_row = first + (i + 1) % row_count * column_count;
    for (std::uint32_t j = 0; j < column_cells; ++j) {
      const std::uint32_t k = (j + 1) % column_count;
      add_square(mesh, row + j, row + k, next_row + k, next_row + j);
    }
  }
}

MeshData revolve(double bottom_z, std::span<const ProfilePoint> profile, double top_z, int slices) {
  MeshData mesh;
  const std::size_t ring = static_cast<std::size_t>(slices);
  mesh.vertices.reserve(ring * profile.size() + 2);
  mesh.triangles.reserve(2 * ring * profile.size());

  const std::vector<Direction> around = circle(slices);
  for (const ProfilePoint& point : profile)
    for (const Direction& d : around)
      mesh.vertices.emplace_back(point.radius * d.cos, point.radius * d.sin, point.z);
  const auto bottom = static_cast<std::uint32_t>(mesh.vertices.size());
  const std::uint32_t top = bottom + 1;
  mesh.vertices.emplace_back(0, 0, bottom_z);
  mesh.vertices.emplace_back(0, 0, top_z);

  const auto count = static_cast<std::uint32_t>(slices);
  const std::uint32_t last_ring = bottom - count;
  for (std::uint32_t j = 0; j < count; ++j)
    mesh.triangles.push_back({bottom, (j + 1) % count, j});
  add_grid(mesh, 0, static_cast<int>(profile.size()), slices, Ends::open, Ends::joined);
  for (std::uint32_t j = 0; j < count; ++j)
    mesh.triangles.push_back({last_ring + j, last_ring + (j + 1) % count, top});
  return mesh;
}

}  // namespace whisker::make
