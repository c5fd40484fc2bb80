#pragma once

// Joins rings of vertices into surfaces. Shared by the generators of spheres, tubes and sheets.

#include <cstdint>
#include <span>

#include <whisker/mesh_data.hpp>

namespace whisker::make {

/// Whether one direction of a grid of vertices ends at a border or is joined to its beginning.
enum class Ends { open, joined };

/// Adds two triangles for every cell of a grid of vertices, stored row by row from vertex `first` on. The triangles'
/// normals point along (direction of a row) × (direction from row to row).
void add_grid(MeshData& mesh, std::uint32_t first, int rows, int columns, Ends row_ends, Ends column_ends);

/// A point of the half plane that is revolved around the z axis to make a solid.
struct ProfilePoint {
  double radius;
  double z;
};

/// The closed solid between two poles on the z axis: a ring of `slices` vertices for every point of the profile, bottom
/// to top, and a fan to a vertex on the axis at each end. It has 2·slices·(number of points) triangles.
MeshData revolve(double bottom_z, std::span<const ProfilePoint> profile, double top_z, int slices);

}  // namespace whisker::make
