#pragma once

/// \file
/// Welds meshes, and simplifies them to fewer triangles, for display: nothing should be measured on the result.
///
///     const MeshData welded = weld_mesh(read_mesh("engine.stl"));  // STL repeats its vertices
///     const SimplifiedMesh coarse = simplify_mesh(welded, 2'000);
///     const std::vector<Vector3> points = {{1, 0, 0}};
///     const SimplifiedMesh fine_there = simplify_mesh(welded, 2'000, points);

#include <cstddef>
#include <span>
#include <vector>

#include <whisker/mesh_data.hpp>

namespace whisker {

/// Merges vertices at the same position, and removes vertices without a triangle and triangles with two equal corners.
/// The order is preserved. Throws an Error if a vertex is not finite or an index is out of range. O(n log n).
MeshData weld_mesh(const MeshData& mesh);

/// The result of simplify_mesh.
struct SimplifiedMesh {
  MeshData mesh;
  double cell = 0;  ///< The side of the grid's cells, in the mesh's unit; 0 if no vertices were merged.
  /// Distance from the given points: all triangles nearer than this are unchanged. 0 without points, and infinite if
  /// nothing was changed.
  double kept_within = 0;
};

/// A mesh of at most `max_triangles`, by vertex clustering (Rossignac and Borrel 1993): all vertices in one cell of a
/// grid are merged at their mean, and triangles that collapse are removed. No vertex moves by more than a cell's
/// diagonal. A few grids are tried, from fine to coarse, O(n) each, until one leaves few enough triangles. If even the
/// coarsest does not, the result has no triangles, and the caller should draw a box.
///
/// If there are points to keep near, half of the triangles are the unchanged ones nearest to them, and the others are
/// simplified. The two halves join without a gap. If the others cannot be made few enough, they are left out.
/// O(n log n), and at worst n times the number of points.
///
/// Vertices are merged by number, so weld a mesh that repeats them first. Throws an Error if a vertex is not finite or
/// beyond `max_coordinate`, or an index is out of range.
SimplifiedMesh simplify_mesh(const MeshData& mesh, std::size_t max_triangles, std::span<const Vector3> keep_near = {});

}  // namespace whisker
