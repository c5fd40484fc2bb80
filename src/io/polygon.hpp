#pragma once

// Cutting polygons into triangles, for files whose faces have more than three corners.

#include <cstdint>
#include <span>
#include <vector>

#include <whisker/mesh_data.hpp>

namespace whisker::io {

enum class PolygonCut {
  simple,         ///< Cut into triangles that tile it, as seen in its plane.
  not_simple,     ///< No proper cut exists (it crosses itself, or has no area): cut as a fan from its first corner.
  too_intricate,  ///< The steps were used up; no triangles are given.
};

/// Cuts a polygon of at least three corners into n - 2 triangles, appended as numbers of corners. Every edge of the
/// polygon, those at flat corners included, becomes the edge of exactly one triangle, so that neighbors still meet.
///
/// The work is done in the coordinate plane onto which the polygon projects with the largest area (by Newell's normal):
/// convex ones become a fan, all others go through ear clipping (Meisters 1975) with exact orientation tests, where the
/// reflex corners are looked up in a grid. Holes joined to the outline by a bridge, and corners that touch, are fine.
/// `steps` is counted down by the work done; ear clipping is quadratic at worst, and this bounds it.
PolygonCut cut_polygon(std::span<const Vector3> corners, std::uint64_t& steps, std::vector<Index3>& triangles);

}  // namespace whisker::io
