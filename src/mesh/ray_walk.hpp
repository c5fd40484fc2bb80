#pragma once

// Traverses one oriented tree along a line, in the order in which the line enters the boxes.

#include <cstddef>
#include <cstdint>
#include <span>

#include <whisker/result.hpp>

#include "geometry/function_ref.hpp"
#include "mesh/tree_frame.hpp"

namespace whisker::mesh {

/// The callback for a triangle that the line may hit. It returns the parameter (on RayQuery's scale) beyond which
/// nothing is needed any more. Minus infinity ends the traversal.
using RayVisit = geometry::FunctionRef<double(std::uint32_t triangle)>;

/// Visits every triangle once, except those that the line is proven to miss within its range. The order and costs are
/// the same on every instruction set.
void walk_ray(const RayQuery& query, Cost& cost, const RayVisit& visit);

/// The same for several lines through one tree, whose steps overlap in the processor. The callback is also given the
/// number of the line.
using RaysVisit = geometry::FunctionRef<double(std::size_t line, std::uint32_t triangle)>;
void walk_rays(std::span<const RayQuery> queries, Cost& cost, const RaysVisit& visit);

}  // namespace whisker::mesh
