#pragma once

// Traverses one oriented tree toward a query shape, nearest boxes first.

#include <cstdint>

#include <whisker/result.hpp>

#include "geometry/function_ref.hpp"
#include "mesh/tree_frame.hpp"

namespace whisker::mesh {

/// What a traversal reports about a triangle that may be within the limit. Lengths are in the tree's unit.
struct NearTriangle {
  std::uint32_t number;
  double lower;  ///< Its distance from the core is at least this…
  double upper;  ///< …and at most this; infinite where the traversal does not know.
};

/// The callback for such a triangle. It returns the new limit. A negative limit ends the traversal.
using NearVisit = geometry::FunctionRef<double(const NearTriangle&)>;

/// Visits every triangle once, except those that are proven to be farther from the query's core than the limit. Returns
/// a lower bound on the distance of all triangles that were left out. This bound is above the last limit, unless the
/// traversal was ended or the budget (of boxes and triangles tested) was used up. All lengths are in the tree's unit
/// and hold for the placed mesh.
///
/// The order, bounds and costs are the same on every instruction set.
double walk_near(const NearQuery& query, double limit, std::uint64_t budget, Cost& cost, const NearVisit& visit);

}  // namespace whisker::mesh
