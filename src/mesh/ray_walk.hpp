#pragma once

// Walking one oriented tree along a line, the boxes that it enters first coming first.

#include <cstdint>

#include <whisker/result.hpp>

#include "geometry/constants.hpp"
#include "mesh/tree_frame.hpp"

namespace whisker::mesh {

/// What to do with a triangle that the line may pass: returns the parameter (as RayQuery counts it) beyond which
/// nothing is of interest any more; minus infinity ends the walk.
struct RayVisit {
  double (*call)(const void* self, std::uint32_t triangle);
  const void* self;
};

/// Visits every triangle but those that the line is proven to miss within its range, each once. The same order and
/// costs on every instruction set.
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
