#pragma once

// Checks that the links of a tree from an external source form a valid tree.

#include <cstddef>
#include <string>

#include "trees/oriented_tree.hpp"

namespace whisker::trees {

/// Reads only `nodes[].child`, `valid` and `leaves`, and `leaves[].id`. Returns what is wrong, or an empty string if
/// every search of the tree, once refitted, ends, stays in range and reaches each of `triangle_count` triangles. This
/// requires that every node but the root is the child of exactly one node that comes before it, every leaf is the child
/// of one node, every triangle is in one leaf, the leaves under a node are contiguous, and no path is longer than
/// Topology::max_depth. Sets `depth` if the tree is valid.
std::string check_links(OrientedTree& tree, std::size_t triangle_count);

}  // namespace whisker::trees
