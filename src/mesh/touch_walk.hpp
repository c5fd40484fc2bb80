#pragma once

// Traverses two oriented trees at once for triangles that touch or are near each other.

#include <cstddef>
#include <vector>

#include <whisker/mesh_data.hpp>

#include "geometry/function_ref.hpp"
#include "mesh/tree_pair.hpp"

namespace whisker::mesh {

/// Returns whether any two triangles touch, and sets `found` to the first pair found.
bool find_touching(const TreePair& pair, Cost& cost, TrianglePair& found);

/// Adds all pairs of triangles that touch, up to `limit` of them, to `found`, in an order that depends only on the
/// trees. Returns false if there may be more.
bool find_all_touching(const TreePair& pair, std::size_t limit, Cost& cost, std::vector<TrianglePair>& found);

/// The callback for two triangles that may be near each other. It returns true to end the traversal, and must not start
/// another one.
using NearPairVisit = geometry::FunctionRef<bool(const TrianglePair&)>;

/// The largest margin of any_near(). Squares of lengths up to this are within the range of floats.
inline constexpr double max_margin = 0x1p56;

/// Visits every pair of triangles except those that are proven to be farther apart than the margin, a length in a's
/// frame, in the unit of a's tree. The roots must not be farther apart than that either. The order depends only on the
/// trees. Returns whether it was ended.
bool any_near(const TreePair& pair, double margin, Cost& cost, const NearPairVisit& visit);

}  // namespace whisker::mesh
