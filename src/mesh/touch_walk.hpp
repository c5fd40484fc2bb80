#pragma once

// Walking two oriented trees at once for triangles that touch.

#include <cstddef>
#include <vector>

#include <whisker/mesh_data.hpp>

#include "mesh/tree_pair.hpp"

namespace whisker::mesh {

/// Whether any two triangles touch, and the first two that were found.
bool find_touching(const TreePair& pair, Cost& cost, TrianglePair& found);

/// All pairs of triangles that touch, up to `limit` of them, added to `found`, in an order that depends on the trees
/// alone. False if there may be more.
bool find_all_touching(const TreePair& pair, std::size_t limit, Cost& cost, std::vector<TrianglePair>& found);

}  // namespace whisker::mesh
