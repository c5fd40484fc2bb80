#pragma once

/// \file
/// Volumes of tetrahedra made from a few numbers, as make.hpp makes surfaces: the same options, ranges and Errors.
/// Every tetrahedron has positive volume as listed: orient3d of its corners is +1.

#include <whisker/make/make.hpp>
#include <whisker/tetrahedra/tetrahedral_mesh.hpp>

namespace whisker::make {

/// What one model may have.
inline constexpr int max_tetrahedra = 20'000'000;

/// A box around the origin, of cells_x·cells_y·cells_z bricks of six tetrahedra each (Kuhn 1960): the long diagonals of
/// all bricks are parallel, so that neighbors fit.
struct TetrahedralBox {
  double size_x = 1;  ///< full length
  double size_y = 1;
  double size_z = 1;
  int cells_x = 4;
  int cells_y = 4;
  int cells_z = 4;
};
TetrahedralData tetrahedral_box(const TetrahedralBox& options = {});

/// A ball around the origin from the 20 tetrahedra between an icosahedron and its center, each split in eight,
/// `subdivisions` times: 20·8^subdivisions. Border vertices are on the sphere.
struct TetrahedralBall {
  double radius = 1;
  int subdivisions = 2;
};
TetrahedralData tetrahedral_ball(const TetrahedralBall& options = {});

}  // namespace whisker::make
