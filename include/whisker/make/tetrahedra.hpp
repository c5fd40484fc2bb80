#pragma once

/// \file
/// Generates tetrahedral meshes from a few parameters, as make.hpp generates surfaces.
///
///     TetrahedralMesh ball(make::tetrahedral_ball({.radius = 0.5, .subdivisions = 3}));
///     TetrahedralMesh beam(make::tetrahedral_box({.size_x = 4, .cells_x = 16}));
///
/// The conventions, ranges and Errors of the options are those of make.hpp. Every tetrahedron has positive volume in
/// the listed order of its corners: their orient3d is +1.

#include <whisker/make/make.hpp>
#include <whisker/tetrahedra/tetrahedral_mesh.hpp>

namespace whisker::make {

/// The largest number of tetrahedra that a model may have.
inline constexpr int max_tetrahedra = 20'000'000;

/// A box centered at the origin, made of cells_x·cells_y·cells_z bricks of six tetrahedra each (Kuhn 1960). The long
/// diagonals of all bricks are parallel, so that neighboring bricks fit together.
struct TetrahedralBox {
  double size_x = 1;  ///< full length
  double size_y = 1;
  double size_z = 1;
  int cells_x = 4;  ///< bricks along x
  int cells_y = 4;
  int cells_z = 4;
};
TetrahedralData tetrahedral_box(const TetrahedralBox& options = {});

/// A ball centered at the origin, made from the 20 tetrahedra between an icosahedron and its center, each split into
/// eight, `subdivisions` times: 20·8^subdivisions tetrahedra. `subdivisions` is at most 6. The vertices of the border
/// are on the sphere.
struct TetrahedralBall {
  double radius = 1;
  int subdivisions = 2;
};
TetrahedralData tetrahedral_ball(const TetrahedralBall& options = {});

}  // namespace whisker::make
