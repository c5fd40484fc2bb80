#pragma once

// Sphere trees from the root down: each node's pieces are shared out to spheres that a method finds for them (Bradshaw
// 2002, algorithm 8, with pieces of triangles for points).

#include <whisker/spheres/sphere_tree.hpp>

#include "spheres/protrusion.hpp"

namespace whisker::spheres {

/// By grid, hybrid, merge, burst, expand, spawn or combined. The options are known to be in their ranges.
SphereTree build_tree(const Solid& solid, const SphereTreeOptions& options);

}  // namespace whisker::spheres
