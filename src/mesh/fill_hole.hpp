#pragma once

// Triangles across a hole.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <whisker/mesh_data.hpp>

namespace whisker::mesh {

/// The most corners for which the best of all cuts is looked for, which costs the third power of their number.
inline constexpr std::size_t max_corners_for_best = 300;

/// Cuts a closed loop of at least three corners, at different positions, into triangles on them that run along it in
/// its direction, given as numbers of corners: n - 2 of them, of small area together. `is_taken(i, j)` says that
/// corners i and j, which do not follow each other, must not be joined. Empty if no cut without such was found.
std::vector<Index3> fill_hole(std::span<const Vector3> corners,
                              const std::function<bool(std::uint32_t, std::uint32_t)>& is_taken);

}  // namespace whisker::mesh
