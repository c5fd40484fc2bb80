#pragma once

// The edges around a vertex of a convex hull.

#include <cstddef>
#include <cstdint>
#include <span>

#include <whisker/convex_hull.hpp>

namespace whisker::shapes {

/// The numbers of the edges that end at a vertex: to each of its neighbors(), in the same order.
std::span<const std::uint32_t> edges_around(const ConvexHull& hull, std::size_t vertex);

}  // namespace whisker::shapes
