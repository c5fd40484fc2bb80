#pragma once

// Whether the links of a tree that comes from elsewhere are those of a tree.

#include <cstddef>
#include <string>

#include "trees/oriented_tree.hpp"

namespace whisker::trees {

/// Looks at `nodes[].child`, `valid` and `leaves` and at `leaves[].id` alone. Returns what is wrong, or an empty string
/// if every search of the tree, once refitted, ends, stays in range and sees each of `triangle_count` triangles: every
/// node but the root is the child of one node that comes before it, every leaf of one node, every triangle is in one
/// leaf, the leaves under a node lie together, and no path is longer than Topology::max_depth. Sets `depth` then.
std::string check_links(OrientedTree& tree, std::size_t triangle_count);

}  // namespace whisker::trees
