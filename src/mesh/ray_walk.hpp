#pragma once

// Traverses one oriented tree along a line, in the order in which the line enters the boxes.

#include <cstdint>

#include <whisker/result.hpp>

#include "geometry/constants.hpp"
#include "mesh/tree_frame.hpp"

namespace whisker::mesh {

/// The callback for a triangle that the line may hit. It returns the parameter (on RayQuery's scale) beyond which
/// nothing is needed any more. Minus infinity ends the traversal.
struct RayVisit {
  double (*call)(const void* self, std::uint32_t triangle);
  const void* self;
};

/// Visits every triangle once, except those that the line is proven to miss within its range. The order and costs are
/// the same on every instruction set.
void walk_ray(const RayQuery& query, Cost& cost, const RayVisit& visit);

/// The same for a visitor `visit(triangle) -> new end of the range`.
template <class Visit>
void walk_ray(const RayQuery& query, Cost& cost, const Visit& visit) {
  walk_ray(query, cost,
           RayVisit{[](const void* self, std::uint32_t triangle) -> double {
                      return (*static_cast<const Visit*>(self))(triangle);
                    },
                    &visit});
}

}  // namespace whisker::mesh
