// Exact intersection tests of points, segments and triangles.
//
// Triangles in general position are decided as by P. Guigue and O. Devillers, "Fast and Robust Triangle-Triangle
// Overlap Test Using Orientation Predicates" (2003): both triangles cut the line that their planes share, and the order
// of the four ends on that line follows from two more orientations of input points. Here the orientations are exact and
// the degenerate cases are handled, so no tolerance is needed.

#include <algorithm>
#include <cmath>

#include <whisker/geometry/triangle_tests.hpp>

#include "geometry/triangle_signs.hpp"

namespace whisker {
namespace geometry {
namespace {

/// Whether the segment is strictly on the side of the line (p, q), seen along `axis`, that is opposite to `inside`. All
/// lie in one plane.
bool beyond_edge(int axis, const Vector3& p, const Vector3& q, int inside, const Segment& segment) {
  return orient_along(axis, p, q, segment.a) * inside < 0 && orient_along(axis, p, q, segment.b) * inside < 0;
}

/// The corners of a triangle as seen along an axis, in counter-clockwise order.
struct SeenTriangle {
  double corner[3][2];

  SeenTriangle(int axis, int turn, const Triangle& t) {
    const int x = axis == 2 ? 0 : axis + 1;
    const int y = axis == 0 ? 2 : axis - 1;
    const Vector3& second = turn > 0 ? t.b : t.c;
    const Vector3& third = turn > 0 ? t.c : t.b;
    corner[0][0] = t.a[x], corner[0][1] = t.a[y];
    corner[1][0] = second[x], corner[1][1] = second[y];
    corner[2][0] = third[x], corner[2][1] = third[y];
  }
};

/// Whether `other` is strictly to the right of the line from p to q.
bool right_of_edge(const double* p, const double* q, const SeenTriangle& other) {
  // The filter for three points at once, without a branch for each.
  const double ux = q[0] - p[0], uy = q[1] - p[1];
  int right = 0;
  int left = 0;
  for (const auto& r : other.corner) {
    const double along = ux * (r[1] - p[1]), across = uy * (r[0] - p[0]);
    const double value = along - across;
    const double bound = orient2d_error * (std::abs(along) + std::abs(across) + underflow_guard);
    right += value < -bound ? 1 : 0;
    left += value > bound ? 1 : 0;
  }
  if (right == 3) return true;
  if (left > 0) return false;
  for (const auto& r : other.corner)
    if (orient2d_filtered(p, q, r) >= 0) return false;
  return true;
}

/// Two proper triangles in one plane. By the separating axes of two convex polygons, they are apart if and only if one
/// lies beyond an edge of the other.
bool touches_coplanar(ViewAxis view, const Triangle& first, const Triangle& second) {
  const SeenTriangle a(view.axis, view.turn, first);
  const SeenTriangle b(view.axis, orient_along(view.axis, second.a, second.b, second.c), second);
  for (std::size_t i = 0, j = 2; i < 3; j = i++)
    if (right_of_edge(a.corner[j], a.corner[i], b) || right_of_edge(b.corner[j], b.corner[i], a)) return false;
  return true;
}

/// A segment, or a point, in the plane of a proper triangle.
bool touches_coplanar(ViewAxis view, const Segment& segment, const Triangle& t) {
  if (beyond_edge(view.axis, t.a, t.b, view.turn, segment) || beyond_edge(view.axis, t.b, t.c, view.turn, segment) ||
      beyond_edge(view.axis, t.c, t.a, view.turn, segment)) {
    return false;
  }
  // The remaining axis: is the triangle on one side of the segment's line? A point has no line, and its signs are all
  // 0.
  const int a = orient_along(view.axis, segment.a, segment.b, t.a);
  if (a == 0) return true;
  return orient_along(view.axis, segment.a, segment.b, t.b) != a ||
         orient_along(view.axis, segment.a, segment.b, t.c) != a;
}

/// For points on one line: whether the two segments overlap.
bool touches_collinear(const Segment& first, const Segment& second) {
  const Segment a = ordered(first);
  const Segment b = ordered(second);
  return !comes_before(a.b, b.a) && !comes_before(b.b, a.a);
}

/// A segment and a proper triangle in one plane, or any segment and a degenerate triangle.
bool touches_special(const Segment& segment, const Triangle& triangle) {
  const ViewAxis view = view_axis(triangle.a, triangle.b, triangle.c);
  if (view.axis < 0) return touches_segment_segment(segment, collinear_extent(triangle));
  return touches_coplanar(view, segment, triangle);
}

/// Two triangles, one of which lies in the plane of the other or is degenerate.
[[gnu::noinline]] bool touches_special(const Triangle& first, const Triangle& second) {
  const ViewAxis view1 = view_axis(first.a, first.b, first.c);
  if (view1.axis < 0) return touches_segment_triangle(collinear_extent(first), second);
  const ViewAxis view2 = view_axis(second.a, second.b, second.c);
  if (view2.axis < 0) return touches_segment_triangle(collinear_extent(second), first);
  return touches_coplanar(view1, first, second);
}

/// Whether the AABBs are apart along x or y. These two coordinates are adjacent in memory, and the test costs 1 ns, a
/// tenth of the filter. Testing z would cost as much again, for every pair.
inline bool apart_in_xy(const Triangle& first, const Triangle& second) {
  const auto xy = [](const Vector3& p) { return TwoDoubles{p[0], p[1]}; };
  const TwoDoubles a1 = xy(first.a), b1 = xy(first.b), c1 = xy(first.c);
  const TwoDoubles a2 = xy(second.a), b2 = xy(second.b), c2 = xy(second.c);
  const TwoDoubles low1 = smaller(smaller(a1, b1), c1), high1 = larger(larger(a1, b1), c1);
  const TwoDoubles low2 = smaller(smaller(a2, b2), c2), high2 = larger(larger(a2, b2), c2);
  const TwoWords apart = (high1 < low2) | (high2 < low1);
  return (apart[0] | apart[1]) != 0;
}

bool apart_in_z(const Triangle& first, const Triangle& second) {
  return std::max({first.a[2], first.b[2], first.c[2]}) < std::min({second.a[2], second.b[2], second.c[2]}) ||
         std::max({second.a[2], second.b[2], second.c[2]}) < std::min({first.a[2], first.b[2], first.c[2]});
}

/// Whether the triangles have a corner in common, as neighbors in a mesh do.
bool shares_corner(const Triangle& first, const Triangle& second) {
  bool shared = false;
  for (const Vector3* p : {&first.a, &first.b, &first.c}) {
    const double x = (*p)[0], y = (*p)[1], z = (*p)[2];
    for (const Vector3* q : {&second.a, &second.b, &second.c}) {
      const bool same_x = (*q)[0] == x, same_y = (*q)[1] == y, same_z = (*q)[2] == z;
      shared |= same_x & same_y & same_z;
    }
  }
  return shared;
}

/// Decides two triangles that the filter could not separate. The given signs are those that the filter is certain of.
/// (Out of line, to keep the path that most pairs take short.)
[[gnu::noinline]] bool touches_undecided(const Triangle& first, const Triangle& second, Sides quick1, Sides quick2) {
  // Before the open signs are computed in exact arithmetic, two checks that often avoid it in a mesh: neighbors share a
  // corner, and pieces of one flat face do not reach each other.
  if (!quick1.certain() || !quick2.certain()) {
    if (apart_in_z(first, second)) return false;
    if (shares_corner(first, second)) return true;
  }
  const Sides sides1 = exact_sides(second, first, quick1);
  if (sides1.apart()) return false;
  // All three corners are on the other's plane: the triangles are coplanar, or the other has no plane.
  if (sides1.code == Sides::all_on) return touches_special(first, second);
  const Sides sides2 = exact_sides(first, second, quick2);
  if (sides2.apart()) return false;
  if (sides2.code == Sides::all_on) return touches_special(first, second);

  // The triangles touch if each one's first end on the common line comes before the other's last.
  const CrossingTriangles t = sorted_crossing(first, second, sides1, sides2);
  // Evaluate both filters at once, because the first sign is unpredictable.
  const int begins = quick_orient3d(t.first.p->data(), t.first.q->data(), t.second.p->data(), t.second.q->data());
  const int ends = quick_orient3d(t.first.p->data(), t.first.r->data(), t.second.p->data(), t.second.r->data());
  if ((begins > 0) | (ends < 0)) return false;
  if ((begins < 0) & (ends > 0)) return true;
  return orient3d_filtered(*t.first.p, *t.first.q, *t.second.p, *t.second.q) <= 0 &&
         orient3d_filtered(*t.first.p, *t.first.r, *t.second.p, *t.second.r) >= 0;
}

}  // namespace
}  // namespace geometry

using namespace geometry;

bool touches_triangle_triangle(const Triangle& first, const Triangle& second) {
  if (apart_in_xy(first, second)) return false;
  const QuickSides quick = quick_sides(first, second);
  if (quick.apart) return false;
  return touches_undecided(first, second, quick.first, quick.second);
}

bool touches_segment_triangle(const Segment& segment, const Triangle& triangle) {
  const int side_a = orient3d_filtered(triangle.a, triangle.b, triangle.c, segment.a);
  const int side_b = orient3d_filtered(triangle.a, triangle.b, triangle.c, segment.b);
  if (side_a == side_b) return side_a == 0 && touches_special(segment, triangle);
  // The segment's line crosses the plane of a proper triangle in one point. The point is in the triangle unless it is
  // left of one edge and right of another.
  const int ab = orient3d_filtered(segment.a, segment.b, triangle.a, triangle.b);
  const int bc = orient3d_filtered(segment.a, segment.b, triangle.b, triangle.c);
  if (ab * bc < 0) return false;
  const int ca = orient3d_filtered(segment.a, segment.b, triangle.c, triangle.a);
  return ab * ca >= 0 && bc * ca >= 0;
}

bool touches_segment_segment(const Segment& first, const Segment& second) {
  if (orient3d_filtered(first.a, first.b, second.a, second.b) != 0) return false;
  // All four points are in one plane, which is spanned by any three of them that are not collinear.
  ViewAxis view = view_axis(first.a, first.b, second.a);
  if (view.axis < 0) view = view_axis(first.a, first.b, second.b);
  if (view.axis < 0) view = view_axis(second.a, second.b, first.a);
  if (view.axis < 0) view = view_axis(second.a, second.b, first.b);
  if (view.axis < 0) return touches_collinear(first, second);
  // They are apart if and only if one is strictly on one side of the other's line. If a segment is a point, its line
  // gives 0 and separates nothing.
  const int axis = view.axis;
  const int side1 = orient_along(axis, first.a, first.b, second.a) * orient_along(axis, first.a, first.b, second.b);
  const int side2 = orient_along(axis, second.a, second.b, first.a) * orient_along(axis, second.a, second.b, first.b);
  return side1 <= 0 && side2 <= 0;
}

bool touches_point_triangle(const Vector3& point, const Triangle& triangle) {
  if (orient3d_filtered(triangle.a, triangle.b, triangle.c, point) != 0) return false;
  return touches_special(Segment{point, point}, triangle);
}

bool touches_point_segment(const Vector3& point, const Segment& segment) {
  for (int k = 0; k < 3; ++k) {
    if (point[k] < std::min(segment.a[k], segment.b[k]) || point[k] > std::max(segment.a[k], segment.b[k]))
      return false;
  }
  return view_axis(segment.a, segment.b, point).axis < 0;
}

}  // namespace whisker
