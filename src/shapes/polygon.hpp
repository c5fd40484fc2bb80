#pragma once

// Cuts polygons into triangles, for files whose faces have more than three corners.

#include <cstdint>
#include <span>
#include <vector>

#include <whisker/mesh_data.hpp>

namespace whisker::shapes {

enum class PolygonCut {
  simple,         ///< Cut into triangles that tile it, projected onto its plane.
  not_simple,     ///< No proper cut exists (it crosses itself or has no area): cut as a fan from its first corner.
  too_intricate,  ///< The steps were used up; no triangles are returned.
};

/// Cuts a polygon of at least three corners into n - 2 triangles, which are appended as corner numbers. Every edge of
/// the polygon, including those at flat corners, becomes an edge of exactly one triangle, so that neighboring faces
/// still meet.
///
/// The polygon is projected onto the coordinate plane in which its area is largest (by Newell's normal). Convex
/// polygons become a fan. All others are triangulated by ear clipping (Meisters 1975) with exact orientation tests,
/// where the reflex corners are looked up in a grid. Holes joined to the outline by a bridge, and corners that touch,
/// are supported. `steps` is decremented by the work done, which bounds ear clipping's quadratic worst case.
PolygonCut cut_polygon(std::span<const Vector3> corners, std::uint64_t& steps, std::vector<Index3>& triangles);

}  // namespace whisker::shapes
