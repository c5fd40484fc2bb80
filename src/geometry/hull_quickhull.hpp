#pragma once

// The faces of the convex hull of points that span space, found by quickhull with exact signs.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/vector.hpp>

namespace whisker::geometry {

/// Polygons as loops of point indices, one after another: loop i is vertices[begin[i]] up to vertices[begin[i + 1]].
struct FaceLoops {
  std::vector<std::uint32_t> vertices;
  std::vector<std::uint32_t> begin = {0};
};

/// The hull's faces, counter-clockwise as seen from outside. Exactly coplanar triangles form one polygon, and no vertex
/// lies in the interior of a face or an edge. `simplex` are four points that are not coplanar. Among equal points, any
/// one may be returned.
FaceLoops quickhull(std::span<const Vector3> points, std::array<std::uint32_t, 4> simplex);

}  // namespace whisker::geometry
