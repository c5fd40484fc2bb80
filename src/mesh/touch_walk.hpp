#pragma once

// Walking two oriented trees at once for triangles that touch.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mesh/tree_pair.hpp"

namespace whisker::mesh {

struct TrianglePair {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
};

/// Whether any two triangles touch, and the first two that were found.
bool find_touching(const TreePair& pair, Cost& cost, TrianglePair& found);

/// All pairs of triangles that touch, up to `limit` of them, added to `found`, in an order that depends on the trees
/// alone. False if there may be more.
bool find_all_touching(const TreePair& pair, std::size_t limit, Cost& cost, std::vector<TrianglePair>& found);

}  // namespace whisker::mesh
