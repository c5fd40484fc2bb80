#pragma once

/// \file
/// Exact yes/no tests between points, segments, triangles and AABBs, and the intersection of two triangles.
///
///     const Triangle floor{{0, 0, 0}, {2, 0, 0}, {0, 2, 0}};
///     const Triangle blade{{0.5, 0.5, -1}, {0.5, 0.5, 1}, {1.5, 1.5, 1}};
///     const TriangleIntersection cut = intersect_triangle_triangle(floor, blade);
///     draw(cut.points[0], cut.points[1]);  // cut.kind is segment: it runs from (0.5, 0.5, 0) to (1, 1, 0)
///     bool hit = touches_triangle_box(floor, {.lower = {1, 1, -1}, .upper = {2, 2, 1}});  // true: at (1, 1, 0)
///
/// All arguments are in one frame and one unit. All sets are closed: sharing a single point counts as touching. A
/// triangle may be degenerate (a segment or a point), a segment may be a point, and a box may be flat.
///
/// "Exact" means that the answer is that of real arithmetic on the given doubles. Every decision is the sign of a
/// determinant of input points or a comparison of two input coordinates; no rounded number decides anything. This holds
/// for all finite doubles. As with `orient3d` and `orient2d` (predicates.hpp), coordinates far from 1 in magnitude cost
/// more time. The answers do not depend on the order of the two arguments or of a triangle's corners.
///
/// Nothing here throws or allocates. If a triangle, segment or point has a coordinate that is NaN or infinite, the
/// answer is meaningless.

#include <array>

#include <whisker/geometry/aabb.hpp>
#include <whisker/primitives.hpp>
#include <whisker/vector.hpp>

namespace whisker {

/// Whether two triangles share a point. Exact. Coplanar triangles, and triangles that meet only in a corner or along an
/// edge, need no special treatment by the caller. If the plane of one triangle separates the pair, the test costs
/// little more than the same test in plain double arithmetic.
bool touches_triangle_triangle(const Triangle& first, const Triangle& second);

/// Whether a segment and a triangle share a point. Exact.
bool touches_segment_triangle(const Segment& segment, const Triangle& triangle);

/// Whether two segments in space share a point. Exact.
bool touches_segment_segment(const Segment& first, const Segment& second);

/// Whether the point lies on the triangle, boundary included. Exact.
bool touches_point_triangle(const Vector3& point, const Triangle& triangle);

/// Whether the point lies on the segment, ends included. Exact.
bool touches_point_segment(const Vector3& point, const Segment& segment);

/// The set of points that two triangles share.
struct TriangleIntersection {
  enum class Kind {
    none,     ///< Nothing; count = 0.
    point,    ///< One point; count = 1.
    segment,  ///< The segment between points[0] and points[1], which differ; count = 2.
    polygon,  ///< A convex polygon of `count` = 3 to 6 corners; only if the triangles lie in one plane.
  };
  Kind kind = Kind::none;
  /// The first `count` entries are the corners; the others are unspecified.
  std::array<Vector3, 6> points;
  int count = 0;
};

/// The intersection of two triangles: nothing, a point, a segment or a polygon. The kind and the number of corners are
/// exact.
///
/// A corner that is a corner of an input triangle is returned bit for bit. Any other corner lies on an edge (p, q) of
/// an input triangle, and its coordinate k is off by at most 1.1 · 2^-53 · max(|p_k|, |q_k|) + 2^-1074. That is hardly
/// more than half an ulp of the larger of the two, however small the angle between the triangles and whatever the
/// magnitudes. The returned corner never leaves the edge's bounding box. Two different corners may be rounded to the
/// same doubles.
///
/// The corners of a polygon run counter-clockwise about the first triangle's normal (b - a) × (c - a). No corner is
/// repeated, and none lies on the line of its two neighbors.
TriangleIntersection intersect_triangle_triangle(const Triangle& first, const Triangle& second);

/// Whether a triangle and a solid box share a point. Exact, by the 13 separating axes (Akenine-Möller 2001).
///
/// An empty box (some lower > upper, or a NaN in it) touches nothing. Bounds of the box may be infinite, which makes it
/// a slab, a quarter-space and so on; the answer is exact for these too.
bool touches_triangle_box(const Triangle& triangle, const Aabb& box);

/// The same test by clipping (Kitamura, Smith, Takemura, Kishino 1998): the triangle is clipped by four sides of the
/// box, and the rest is compared with the box's extent in z. It works in double arithmetic and is conservative: it
/// never returns false for a triangle that touches the box, but may return true for one that misses it by less than
/// 1.5e-14 · M in each coordinate, where M is the triangle's largest |coordinate|. (For M = 1e300 and above it only
/// compares bounding boxes.) An empty box touches nothing. Infinite bounds are allowed.
bool touches_triangle_box_clipping(const Triangle& triangle, const Aabb& box);

/// A cheap approximation of the same test: whether the triangle's AABB touches the box. Never false for a triangle that
/// touches the box.
bool touches_triangle_box_bounds(const Triangle& triangle, const Aabb& box);

}  // namespace whisker
