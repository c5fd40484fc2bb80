// The intersection of two triangles. Its corners and their order are decided only by exact signs of input points. Then
// the coordinates are constructed, each from one edge and one plane or line of the input.

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include <whisker/geometry/triangle_tests.hpp>

#include "geometry/triangle_edge_point.hpp"
#include "geometry/triangle_signs.hpp"

namespace whisker {
namespace geometry {
namespace {

using Kind = TriangleIntersection::Kind;

void add_point(TriangleIntersection& result, const Vector3& point) {
  // Six are enough for finite input. With NaN the signs may contradict each other.
  if (static_cast<std::size_t>(result.count) == result.points.size()) return;
  result.points[static_cast<std::size_t>(result.count++)] = point;
  result.kind = result.count == 1 ? Kind::point : result.count == 2 ? Kind::segment : Kind::polygon;
}

TriangleIntersection made_of(std::initializer_list<Vector3> points) {
  TriangleIntersection result;
  for (const Vector3& point : points)
    add_point(result, point);
  return result;
}

/// An end of a triangle's part of the common line: the point where its edge from the lone corner p to x meets the other
/// triangle's plane.
struct LineEnd {
  const Vector3 *p, *x;
  int side_p, side_x;
  const Triangle* other;

  bool is_corner() const { return side_p == 0 || side_x == 0; }
  Vector3 position() const {
    if (side_p == 0) return *p;
    if (side_x == 0) return *x;
    return edge_plane_point(*p, *x, other->a, other->b, other->c);
  }
};

/// Two proper triangles whose planes cross.
TriangleIntersection intersect_crossing(const Triangle& first, const Triangle& second, Sides sides1, Sides sides2) {
  const CrossingTriangles t = sorted_crossing(first, second, sides1, sides2);
  // On the common line, the first triangle extends from q1 to r1, the second from r2 to q2.
  const int q1_to_q2 =
      -orient3d_filtered(*t.first.p, *t.first.q, *t.second.p, *t.second.q);  // > 0: q1 comes before q2.
  if (q1_to_q2 < 0) return {};
  const int r2_to_r1 = orient3d_filtered(*t.first.p, *t.first.r, *t.second.p, *t.second.r);
  if (r2_to_r1 < 0) return {};
  const int q1_to_r2 = -orient3d_filtered(*t.first.p, *t.first.q, *t.second.p, *t.second.r);
  const int q2_to_r1 = orient3d_filtered(*t.first.p, *t.first.r, *t.second.p, *t.second.q);
  const LineEnd q1{t.first.p, t.first.q, t.first.side_p, t.first.side_q, &second};
  const LineEnd r1{t.first.p, t.first.r, t.first.side_p, t.first.side_r, &second};
  const LineEnd q2{t.second.p, t.second.q, t.second.side_p, t.second.side_q, &first};
  const LineEnd r2{t.second.p, t.second.r, t.second.side_p, t.second.side_r, &first};

  // If two ends are the same point, take the one that is a corner of the input.
  const bool begins_with_r2 = q1_to_r2 > 0 || (q1_to_r2 == 0 && r2.is_corner());
  const bool ends_with_q2 = q2_to_r1 > 0 || (q2_to_r1 == 0 && q2.is_corner());
  const LineEnd& begin = begins_with_r2 ? r2 : q1;
  const LineEnd& end = ends_with_q2 ? q2 : r1;
  // A single point: the parts meet end to end, or one of them is a single point.
  const bool single = q1_to_q2 == 0 || r2_to_r1 == 0 || t.first.side_p == 0 || t.second.side_p == 0;
  if (single) return made_of({end.is_corner() ? end.position() : begin.position()});
  return made_of({begin.position(), end.position()});
}

/// Two segments, each possibly a point.
TriangleIntersection intersect_segments(const Segment& first, const Segment& second) {
  if (!touches_segment_segment(first, second)) return {};
  if (first.a == first.b) return made_of({first.a});
  if (second.a == second.b) return made_of({second.a});
  ViewAxis view = view_axis(first.a, first.b, second.a);
  if (view.axis < 0) view = view_axis(first.a, first.b, second.b);
  if (view.axis < 0) {
    const Segment s = ordered(first), r = ordered(second);
    const Vector3& begin = comes_before(s.a, r.a) ? r.a : s.a;
    const Vector3& end = comes_before(s.b, r.b) ? s.b : r.b;
    if (begin == end) return made_of({begin});
    return made_of({begin, end});
  }
  if (orient_along(view.axis, second.a, second.b, first.a) == 0) return made_of({first.a});
  if (orient_along(view.axis, second.a, second.b, first.b) == 0) return made_of({first.b});
  if (orient_along(view.axis, first.a, first.b, second.a) == 0) return made_of({second.a});
  if (orient_along(view.axis, first.a, first.b, second.b) == 0) return made_of({second.b});
  return made_of({edge_line_point(view.axis, first.a, first.b, second.a, second.b)});
}

/// A segment and a proper triangle in one plane.
TriangleIntersection intersect_coplanar(ViewAxis view, const Segment& s, const Triangle& t) {
  const int axis = view.axis;
  const std::array<const Vector3*, 2> ends = {&s.a, &s.b};
  const std::array<const Vector3*, 3> corners = {&t.a, &t.b, &t.c};
  std::array<std::array<int, 3>, 2> end_side;  // Side of each end against each edge. Positive inside.
  std::array<int, 3> corner_side;              // Side of each corner against the segment.
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t i = 0; i < 2; ++i)
      end_side[i][k] = view.turn * orient_along(axis, *corners[k], *corners[(k + 1) % 3], *ends[i]);
    corner_side[k] = orient_along(axis, s.a, s.b, *corners[k]);
  }
  TriangleIntersection result;
  for (std::size_t i = 0; i < 2; ++i)
    if (end_side[i][0] >= 0 && end_side[i][1] >= 0 && end_side[i][2] >= 0) add_point(result, *ends[i]);
  for (std::size_t k = 0; k < 3; ++k)
    if (*corners[k] != s.a && *corners[k] != s.b && touches_point_segment(*corners[k], s))
      add_point(result, *corners[k]);
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t next = (k + 1) % 3;
    if (end_side[0][k] * end_side[1][k] < 0 && corner_side[k] * corner_side[next] < 0)
      add_point(result, edge_line_point(axis, s.a, s.b, *corners[k], *corners[next]));
  }
  return result;
}

/// A segment, possibly a point, and a proper triangle.
TriangleIntersection intersect_segment_triangle(const Segment& s, const Triangle& t, ViewAxis view) {
  if (!touches_segment_triangle(s, t)) return {};
  if (s.a == s.b) return made_of({s.a});
  const int side_a = orient3d_filtered(t.a, t.b, t.c, s.a);
  const int side_b = orient3d_filtered(t.a, t.b, t.c, s.b);
  if (side_a == 0 && side_b == 0) return intersect_coplanar(view, s, t);
  if (side_a == 0) return made_of({s.a});
  if (side_b == 0) return made_of({s.b});
  const bool on_ab = orient3d_filtered(s.a, s.b, t.a, t.b) == 0;
  const bool on_bc = orient3d_filtered(s.a, s.b, t.b, t.c) == 0;
  const bool on_ca = orient3d_filtered(s.a, s.b, t.c, t.a) == 0;
  if (on_ca && on_ab) return made_of({t.a});
  if (on_ab && on_bc) return made_of({t.b});
  if (on_bc && on_ca) return made_of({t.c});
  return made_of({edge_plane_point(s.a, s.b, t.a, t.b, t.c)});
}

/// Two proper triangles in one plane, with corners counter-clockwise as projected, and the polygon that they share.
///
/// The polygon's corners are the corners of each triangle that lie in the other, and the points where the interiors of
/// two edges cross. All of these are true corners (extreme points of the intersection), so their number determines the
/// kind. At most two of them lie on each edge of either triangle. If there are two, they are neighbors on the polygon
/// in the edge's direction. Every pair of neighbors lies on an edge.
class CoplanarPair {
 public:
  CoplanarPair(int axis, const std::array<const Vector3*, 3>& first, const std::array<const Vector3*, 3>& second)
      : axis_(axis), corners_{first, second} {
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t k = 0; k < 3; ++k) {
        side_[0][i][k] = orient_along(axis, corner(1, k), corner(1, k + 1), corner(0, i));
        side_[1][i][k] = orient_along(axis, corner(0, k), corner(0, k + 1), corner(1, i));
      }
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t t = 0; t < 2; ++t)
        inside_[t][i] = side_[t][i][0] >= 0 && side_[t][i][1] >= 0 && side_[t][i][2] >= 0;
      twin_[i] = -1;
      for (int k = 0; k < 3; ++k)
        if (corner(1, i) == corner(0, static_cast<std::size_t>(k))) twin_[i] = k;
    }
  }

  TriangleIntersection intersection() const {
    std::array<int, label_count> next;
    next.fill(none);
    for (std::size_t t = 0; t < 2; ++t)
      for (std::size_t edge = 0; edge < 3; ++edge)
        link(t, edge, next);
    TriangleIntersection result;
    int start = none;
    int count = 0;
    for (int label = 0; label < label_count; ++label) {
      if (!present(label)) continue;
      start = label;
      ++count;
    }
    if (count == 0) return result;
    // Follow the links. With two corners these lead back and forth, and with one corner there are none.
    int label = start;
    do {
      add_point(result, position(label));
      label = next[static_cast<std::size_t>(label)];
    } while (label != start && label != none && result.count < std::min(count, 6));
    return result;
  }

 private:
  // Labels of possible corners: 0 to 2 the first triangle's, 3 to 5 the second's, 6 + 3 i + k the crossing of edges i,
  // k.
  static constexpr int label_count = 15;
  static constexpr int none = -1;

  const Vector3& corner(std::size_t triangle, std::size_t i) const { return *corners_[triangle][i % 3]; }

  /// The label of a corner. A corner that both triangles have counts as the first's.
  int corner_label(std::size_t triangle, std::size_t i) const {
    const std::size_t index = i % 3;
    if (triangle == 0) return static_cast<int>(index);
    return twin_[index] >= 0 ? twin_[index] : 3 + static_cast<int>(index);
  }

  bool crossing(std::size_t i, std::size_t k) const {
    return side_[0][i][k] * side_[0][(i + 1) % 3][k] < 0 && side_[1][k][i] * side_[1][(k + 1) % 3][i] < 0;
  }

  bool present(int label) const {
    if (label < 3) return inside_[0][static_cast<std::size_t>(label)];
    if (label < 6) {
      const auto index = static_cast<std::size_t>(label - 3);
      return inside_[1][index] && twin_[index] < 0;
    }
    return crossing(static_cast<std::size_t>(label - 6) / 3, static_cast<std::size_t>(label - 6) % 3);
  }

  Vector3 position(int label) const {
    if (label < 3) return corner(0, static_cast<std::size_t>(label));
    if (label < 6) return corner(1, static_cast<std::size_t>(label - 3));
    const std::size_t i = static_cast<std::size_t>(label - 6) / 3, k = static_cast<std::size_t>(label - 6) % 3;
    return edge_line_point(axis_, corner(0, i), corner(0, i + 1), corner(1, k), corner(1, k + 1));
  }

  /// Finds the polygon's corners on an edge of triangle t, and links them if there are two.
  void link(std::size_t t, std::size_t edge, std::array<int, label_count>& next) const {
    const std::size_t o = 1 - t;
    // The rank is the position on the edge: its begin, where it enters the other triangle, a corner of the other on it,
    // where it leaves the other, its end.
    struct Stop {
      int rank = 0;
      int label = none;
      const Vector3* point = nullptr;
    };
    std::array<Stop, 2> stops;
    std::size_t count = 0;
    const auto add = [&](int rank, int label, const Vector3* point) {
      if (count < 2) stops[count++] = {rank, label, point};
    };
    if (inside_[t][edge]) add(-2, corner_label(t, edge), nullptr);
    if (inside_[t][(edge + 1) % 3]) add(2, corner_label(t, edge + 1), nullptr);
    for (std::size_t k = 0; k < 3; ++k) {
      const bool cross = t == 0 ? crossing(edge, k) : crossing(k, edge);
      const std::size_t pair = t == 0 ? 3 * edge + k : 3 * k + edge;
      if (cross) add(side_[t][(edge + 1) % 3][k] > 0 ? -1 : 1, 6 + static_cast<int>(pair), nullptr);
      const bool on_edge = inside_[o][k] && side_[o][k][edge] == 0;
      if (on_edge && corner(o, k) != corner(t, edge) && corner(o, k) != corner(t, edge + 1))
        add(0, corner_label(o, k), &corner(o, k));
    }
    if (count < 2) return;
    bool in_order = stops[0].rank < stops[1].rank;
    if (stops[0].rank == 0 && stops[1].rank == 0) {
      // Two corners of the other triangle are inside the edge. Their order on the line is that of the edge's ends or
      // its reverse.
      in_order = comes_before(*stops[0].point, *stops[1].point) == comes_before(corner(t, edge), corner(t, edge + 1));
    }
    const Stop& from = stops[in_order ? 0 : 1];
    const Stop& to = stops[in_order ? 1 : 0];
    next[static_cast<std::size_t>(from.label)] = to.label;
  }

  int axis_;
  std::array<std::array<const Vector3*, 3>, 2> corners_;
  /// side_[t][i][k]: corner i of triangle t against edge k of the other triangle. Positive inside.
  std::array<std::array<std::array<int, 3>, 3>, 2> side_;
  std::array<std::array<bool, 3>, 2> inside_;
  /// The first triangle's corner that is the same point as the second's corner i, or -1.
  std::array<int, 3> twin_;
};

TriangleIntersection intersect_coplanar(ViewAxis view, const Triangle& first, const Triangle& second) {
  std::array<const Vector3*, 3> corners1 = {&first.a, &first.b, &first.c};
  std::array<const Vector3*, 3> corners2 = {&second.a, &second.b, &second.c};
  if (view.turn < 0) std::swap(corners1[1], corners1[2]);
  if (orient_along(view.axis, second.a, second.b, second.c) < 0) std::swap(corners2[1], corners2[2]);
  TriangleIntersection result = CoplanarPair(view.axis, corners1, corners2).intersection();
  // Projected along the axis, the polygon is counter-clockwise. The first triangle itself may be clockwise there.
  if (view.turn < 0) std::reverse(result.points.begin(), result.points.begin() + result.count);
  return result;
}

/// Two triangles, one of which lies in the plane of the other or is degenerate.
TriangleIntersection intersect_special(const Triangle& first, const Triangle& second) {
  const ViewAxis view1 = view_axis(first.a, first.b, first.c);
  const ViewAxis view2 = view_axis(second.a, second.b, second.c);
  if (view1.axis >= 0 && view2.axis >= 0) return intersect_coplanar(view1, first, second);
  if (view1.axis >= 0) return intersect_segment_triangle(collinear_extent(second), first, view1);
  if (view2.axis >= 0) return intersect_segment_triangle(collinear_extent(first), second, view2);
  return intersect_segments(collinear_extent(first), collinear_extent(second));
}

}  // namespace
}  // namespace geometry

TriangleIntersection intersect_triangle_triangle(const Triangle& first, const Triangle& second) {
  using namespace geometry;
  const QuickSides quick = quick_sides(first, second);
  if (quick.apart) return {};
  const Sides sides1 = exact_sides(second, first, quick.first);
  if (sides1.apart()) return {};
  if (sides1.code == Sides::all_on) return intersect_special(first, second);
  const Sides sides2 = exact_sides(first, second, quick.second);
  if (sides2.apart()) return {};
  if (sides2.code == Sides::all_on) return intersect_special(first, second);
  return intersect_crossing(first, second, sides1, sides2);
}

}  // namespace whisker
