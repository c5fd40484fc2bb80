#pragma once

// Fills a hole of a mesh with triangles.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <whisker/mesh_data.hpp>

namespace whisker::editing {

/// The most corners for which the best of all triangulations is searched, at a cost cubic in their number.
inline constexpr std::size_t max_corners_for_best = 300;

/// Triangulates a closed loop of at least three corners at different positions. Returns n - 2 triangles of small total
/// area, as corner numbers, which run along the loop in its direction. `is_taken(i, j)` tells whether the corners i and
/// j, which are not adjacent in the loop, must not be joined. Returns no triangles if every triangulation found has
/// such a joint.
std::vector<Index3> fill_hole(std::span<const Vector3> corners,
                              const std::function<bool(std::uint32_t, std::uint32_t)>& is_taken);

}  // namespace whisker::editing
