#pragma once

// Builds sphere trees from octrees (Palmer and Grimsdale 1995; Hubbard 1995; O'Sullivan and Dingliana 1999).

#include <whisker/spheres/sphere_tree.hpp>

#include "spheres/protrusion.hpp"

namespace whisker::spheres {

/// Cubes that touch the surface are split into eight. The sphere of a node passes through the corners of its cube. The
/// root's sphere is the smallest around the mesh.
///
/// The solid octree also keeps the cubes inside the solid: those whose sphere does not protrude become leaves, the
/// others are split further. (The thesis omits these cubes, which leaves gaps in the solid.)
///
/// A cube is split at one coordinate that all its parts share, and whether a triangle touches a cube is decided
/// exactly. So the cubes of each level contain the whole surface.
SphereTree build_octree(const Solid& solid, const SphereTreeOptions& options);

}  // namespace whisker::spheres
