#pragma once

// Sphere trees of octrees (Palmer and Grimsdale 1995; Hubbard 1995; O'Sullivan and Dingliana 1999).

#include <whisker/spheres/sphere_tree.hpp>

#include "spheres/protrusion.hpp"

namespace whisker::spheres {

/// Cubes that touch the surface are split in eight; the sphere of a node goes through the corners of its cube. The
/// root's sphere is the smallest around the mesh.
///
/// The solid octree keeps the cubes inside the solid: those whose sphere does not stick out as leaves, the others
/// split on. (Left out, as the thesis has it, they would leave gaps in the solid.)
///
/// Cubes are split at a coordinate that all their parts share, and which triangles touch a cube is decided exactly, so
/// each level's cubes hold the whole surface.
SphereTree build_octree(const Solid& solid, const SphereTreeOptions& options);

}  // namespace whisker::spheres
