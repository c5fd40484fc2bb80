#pragma once

// Meshes with fewer triangles, for display only: nothing is measured on them.

#include <cstddef>
#include <span>
#include <vector>

#include <whisker/geometry/aabb.hpp>
#include <whisker/mesh_data.hpp>

namespace whisker::clash {

// Merges vertices at the same position, and removes vertices without a triangle and triangles with two equal corners.
// The order is preserved.
MeshData welded(const MeshData& mesh);

struct SimplifiedMesh {
  MeshData mesh;
  double cell = 0;  // side of the grid's cells, in the mesh's unit; 0: nothing was changed
};

// A mesh of at most `max_triangles`, by vertex clustering (Rossignac and Borrel 1993): all vertices in one cell of a
// grid are merged at their mean, and triangles that collapse are removed. No vertex moves by more than a cell's
// diagonal. A few grids are tried, from fine to coarse, O(n) each, until one leaves few enough triangles. If even the
// coarsest does not, the result has no triangles, and the caller should draw a box.
SimplifiedMesh simplified(const MeshData& mesh, std::size_t max_triangles);

// A mesh of at most `max_triangles`. Half of them are the unchanged triangles nearest to some points, and the others
// are simplified. The two halves join without a gap. O(n log n), and at worst n times the number of points.
struct CutMesh {
  MeshData mesh;
  double kept_within = 0;  // distance from the points: everything nearer is unchanged
};
CutMesh kept_near(const MeshData& mesh, std::span<const Vector3> points, std::size_t max_triangles);

// The AABB of all vertices. Empty if there are none.
Aabb box_around(const MeshData& mesh);

}  // namespace whisker::clash
