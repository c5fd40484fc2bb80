#pragma once

// Builds sphere trees and flat sets of spheres. The options must be in their valid ranges, and their builder is
// ignored.

#include <whisker/spheres/sphere_tree.hpp>

#include "spheres/protrusion.hpp"
#include "spheres/reduce.hpp"

namespace whisker::spheres {

/// Builds an octree (Palmer and Grimsdale 1995; Hubbard 1995; O'Sullivan and Dingliana 1999).
///
/// Cubes that touch the surface are split into eight. The sphere of a node passes through the corners of its cube. The
/// root's sphere is the smallest around the mesh.
///
/// The solid octree also keeps the cubes inside the solid: those whose sphere does not protrude become leaves, the
/// others are split further. (The thesis omits these cubes, which leaves gaps in the solid.)
///
/// A cube is split at one coordinate that all its parts share, and whether a triangle touches a cube is decided
/// exactly. So the cubes of each level contain the whole surface.
SphereTree build_octree(const Solid& solid, const SphereTreeOptions& options);

/// Builds a tree with a region method: merge, expand, combined, or a given function. Ignores the options' method.
SphereTree build_tree(const Solid& solid, const SphereTreeOptions& options, const RegionMethod& method);

/// Builds a set of at most `max_count` spheres with a region method. Ignores the options' method.
SphereSet build_set(const Solid& solid, int max_count, const SphereSetOptions& options, const RegionMethod& method);

}  // namespace whisker::spheres
