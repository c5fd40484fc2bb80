#pragma once

// How the faces and edges of a convex hull meet.

#include <cstddef>
#include <cstdint>
#include <span>

#include <whisker/convex_hull.hpp>

namespace whisker::shapes {

/// The numbers of the edges that end at a vertex: to each of its neighbors(), in the same order.
std::span<const std::uint32_t> edges_around(const ConvexHull& hull, std::size_t vertex);

/// Faces that are off a common plane by at most this fraction of their hull's size are treated as one.
inline constexpr double flush_part = 0x1p-44;
/// Whether a solid hull may have neighboring faces that are treated as one.
bool has_flush_faces(const ConvexHull& hull);

}  // namespace whisker::shapes
