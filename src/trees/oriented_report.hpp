#pragma once

// How good the tree of a mesh is, in numbers.

#include <whisker/mesh_tree.hpp>

#include "trees/oriented_tree.hpp"

namespace whisker::trees {

TreeReport report_tree(const OrientedTree& tree);

}  // namespace whisker::trees
