#pragma once

// Walking one oriented tree toward a thing, the nearest boxes first.

#include <cstdint>
#include <limits>

#include <whisker/result.hpp>

#include "mesh/tree_frame.hpp"
#include "trees/topology.hpp"

namespace whisker::mesh {

/// What a walk tells of a triangle that may be within the limit. Lengths are in the tree's unit.
struct NearTriangle {
  std::uint32_t number;
  double lower;  ///< It is at least so far from the core…
  double upper;  ///< …and at most so far; infinite where the walk does not know.
};

/// What to do with such a triangle: returns the new limit. A negative one ends the walk.
struct NearVisit {
  double (*call)(const void* self, const NearTriangle& triangle);
  const void* self;
};

/// Visits every triangle but those that are proven farther from the query's core than the limit, each once. Returns a
/// bound that none of those left out is nearer than: it is above the last limit, unless the walk was ended or the
/// budget (of boxes and triangles looked at) was used up. All lengths in the tree's unit, and true of the placed mesh.
///
/// The same order, bounds and costs on every instruction set.
double walk_near(const NearQuery& query, double limit, std::uint64_t budget, Cost& cost, const NearVisit& visit);

/// The same for a visitor `visit(triangle) -> new limit`.
template <class Visit>
double walk_near(const NearQuery& query, double limit, std::uint64_t budget, Cost& cost, const Visit& visit) {
  return walk_near(query, limit, budget, cost,
                   NearVisit{[](const void* self, const NearTriangle& triangle) -> double {
                               return (*static_cast<const Visit*>(self))(triangle);
                             },
                             &visit});
}

}  // namespace whisker::mesh
