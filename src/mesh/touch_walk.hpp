#pragma once

// Traverses two oriented trees at once for triangles that touch.

#include <cstddef>
#include <vector>

#include <whisker/mesh_data.hpp>

#include "mesh/tree_pair.hpp"

namespace whisker::mesh {

/// Returns whether any two triangles touch, and sets `found` to the first pair found.
bool find_touching(const TreePair& pair, Cost& cost, TrianglePair& found);

/// Adds all pairs of triangles that touch, up to `limit` of them, to `found`, in an order that depends only on the
/// trees. Returns false if there may be more.
bool find_all_touching(const TreePair& pair, std::size_t limit, Cost& cost, std::vector<TrianglePair>& found);

}  // namespace whisker::mesh
