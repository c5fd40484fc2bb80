#pragma once

/// \file
/// Exact yes/no tests between points, segments, triangles and axis-aligned boxes, and what two triangles share.
///
/// Everything is in one frame and one unit. All sets are closed: touching in a single point counts. A triangle may be
/// degenerate (a segment or a point), a segment may be a point, a box may be flat.
///
/// "Exact" means: the answer is that of real arithmetic on the given doubles. Every decision is the sign of a
/// determinant of input points, or a comparison of two input coordinates; no rounded number decides anything. It holds
/// for all finite doubles, as `orient3d` and `orient2d` (predicates.hpp) do, and costs more for sizes far from 1 as
/// they do. The answers do not depend on the order of the two arguments or of a triangle's corners. Nothing here throws
/// or allocates. With a NaN or an infinite coordinate in a triangle, segment or point the answer is some answer and
/// means nothing.

#include <array>

#include <whisker/geometry/aabb.hpp>
#include <whisker/primitives.hpp>
#include <whisker/vector.hpp>

namespace whisker {

/// Do two triangles share a point? Exact. Coplanar triangles and triangles that meet only in a corner or along an edge
/// are no special case to the caller. A pair whose planes keep it apart costs little more than the same test in plain
/// double arithmetic.
bool touches_triangle_triangle(const Triangle& first, const Triangle& second);

/// Do a segment and a triangle share a point? Exact.
bool touches_segment_triangle(const Segment& segment, const Triangle& triangle);

/// Do two segments in space share a point? Exact.
bool touches_segment_segment(const Segment& first, const Segment& second);

/// Does the point lie on the triangle, border included? Exact.
bool touches_point_triangle(const Vector3& point, const Triangle& triangle);

/// Does the point lie on the segment, ends included? Exact.
bool touches_point_segment(const Vector3& point, const Segment& segment);

/// What two triangles share.
struct TriangleIntersection {
  enum class Kind {
    none,     ///< Nothing; count = 0.
    point,    ///< One point; count = 1.
    segment,  ///< The segment between points[0] and points[1], which differ; count = 2.
    polygon,  ///< A convex polygon of `count` = 3 to 6 corners; only if the triangles lie in one plane.
  };
  Kind kind = Kind::none;
  /// The first `count` entries are the corners, the others are unspecified.
  std::array<Vector3, 6> points;
  int count = 0;
};

/// What do two triangles share: nothing, a point, a segment or a polygon? The kind and the number of corners are exact.
///
/// A corner that is a corner of an input triangle is returned bit for bit. Any other corner lies on an edge (p, q) of
/// an input triangle, and coordinate k of it is off by at most 1.1 · 2^-53 · max(|p_k|, |q_k|) + 2^-1074, that is
/// hardly more than half a unit in the last place of the larger one, however flat the angle between the triangles and
/// whatever the size of the numbers; it never leaves the edge's bounding box. Two corners that differ may be rounded to
/// the same doubles.
///
/// A polygon's corners run counter-clockwise about the first triangle's normal (b - a) × (c - a), none is repeated,
/// none is straight.
TriangleIntersection intersect_triangle_triangle(const Triangle& first, const Triangle& second);

/// Do a triangle and a box share a point? The triangle is flat, the box is solid. Exact, by the 13 separating axes
/// (Akenine-Möller 2001).
///
/// An empty box (some lower > upper, or a NaN in it) touches nothing. A bound of the box may be infinite: such a box is
/// a slab, a quarter-space and so on, and the answer is exact too.
bool touches_triangle_box(const Triangle& triangle, const Aabb& box);

/// The same question by clipping (Kitamura, Smith, Takemura, Kishino 1998): the triangle is cut by four sides of the
/// box and the rest compared with the box's extent in z. In double arithmetic and conservative: it is never false for a
/// triangle that touches the box, but may be true for one that misses it by less than 1.5e-14 · M in each coordinate, M
/// being the triangle's largest |coordinate|. (From M = 1e300 on it only compares bounding boxes.) An empty box touches
/// nothing; infinite bounds are fine.
bool touches_triangle_box_clipping(const Triangle& triangle, const Aabb& box);

/// The cheap approximation of the same question: does the triangle's bounding box touch the box? Never false for a
/// triangle that touches the box.
bool touches_triangle_box_bounds(const Triangle& triangle, const Aabb& box);

}  // namespace whisker
