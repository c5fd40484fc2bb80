#pragma once

// Meshes with fewer triangles, to be looked at: nothing is measured on them.

#include <cstddef>
#include <span>
#include <vector>

#include <whisker/axis_box.hpp>
#include <whisker/mesh_data.hpp>

namespace whisker::clash {

// Vertices at the same place are one, vertices without a triangle and triangles with two equal corners are left out.
// What is left keeps its order.
MeshData welded(const MeshData& mesh);

struct SimplifiedMesh {
  MeshData mesh;
  double cell = 0;  // side of the grid's cells, in the mesh's unit; 0: nothing was changed
};

// A mesh of at most `most_triangles`, by clustering (Rossignac and Borrel 1993): all vertices in one cell of a grid
// become one, at their mean; triangles that collapse go. No vertex moves by more than a cell's diagonal. The grid is the
// finest of a few dozen sizes, each 1.2 times the one before, that leaves few enough triangles. Where even the coarsest
// does not, the result has no triangles: draw a box. O(n) for each size that is tried.
SimplifiedMesh simplified(const MeshData& mesh, std::size_t most_triangles);

// The whole triangles near some points, and the others simplified: at most `most_triangles`, of which up to half are
// kept as they are, nearest first (by the centre of a triangle, to the nearest of the points). O(n log n) and n times
// the number of points. `kept_within` tells how far from the points all is kept.
struct CutMesh {
  MeshData mesh;
  double kept_within = 0;
};
CutMesh kept_near(const MeshData& mesh, std::span<const Vector3> points, std::size_t most_triangles);

// Around all vertices; empty if there are none.
AxisBox box_around(const MeshData& mesh);

}  // namespace whisker::clash
