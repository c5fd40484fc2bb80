#pragma once

// Quality measures of the tree of a mesh.

#include <whisker/mesh_tree.hpp>

#include "trees/oriented_tree.hpp"

namespace whisker::trees {

TreeReport report_tree(const OrientedTree& tree);

}  // namespace whisker::trees
