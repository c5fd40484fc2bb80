#pragma once

// Meshes with fewer triangles, to be looked at: nothing is measured on them.

#include <cstddef>
#include <span>
#include <vector>

#include <whisker/geometry/aabb.hpp>
#include <whisker/mesh_data.hpp>

namespace whisker::clash {

// Vertices at the same place are one, vertices without a triangle and triangles with two equal corners are left out.
// What is left keeps its order.
MeshData welded(const MeshData& mesh);

struct SimplifiedMesh {
  MeshData mesh;
  double cell = 0;  // side of the grid's cells, in the mesh's unit; 0: nothing was changed
};

// A mesh of at most `max_triangles`, by clustering (Rossignac and Borrel 1993): all vertices in one cell of a grid
// become one, at their mean; triangles that collapse go. No vertex moves by more than a cell's diagonal. A few grids
// are tried, from fine to coarse, O(n) each, until one leaves few enough triangles. Where even the coarsest does not,
// the result has no triangles: draw a box.
SimplifiedMesh simplified(const MeshData& mesh, std::size_t max_triangles);

// At most `max_triangles`, of which half are those nearest to some points, as they are, and the others simplified. The
// two join without a gap. O(n log n), and at worst n times the number of points.
struct CutMesh {
  MeshData mesh;
  double kept_within = 0;  // of the points: what is nearer is as it was
};
CutMesh kept_near(const MeshData& mesh, std::span<const Vector3> points, std::size_t max_triangles);

// Around all vertices; empty if there are none.
Aabb box_around(const MeshData& mesh);

}  // namespace whisker::clash
