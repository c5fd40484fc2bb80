// A triangle against an AABB: exactly by separating axes, conservatively by clipping, and by the triangle's AABB alone.

#include <array>

#include <whisker/geometry/triangle_tests.hpp>

#include "geometry/constants.hpp"
#include "geometry/placed_box.hpp"
#include "geometry/triangle_signs.hpp"

namespace whisker {
namespace geometry {
namespace {

/// Whether, seen along `axis`, the whole box is strictly on the side of the line (p, q) that is opposite to `side`.
bool box_beyond_edge(int axis, const Aabb& box, const Vector3& p, const Vector3& q, int side) {
  const int x = axis == 2 ? 0 : axis + 1;
  const int y = axis == 0 ? 2 : axis - 1;
  // orient2d(p, q, corner) = (q-p).x (corner-p).y - (q-p).y (corner-p).x. Test the corner where side times this is
  // largest.
  const bool up = (q[x] >= p[x]) == (side > 0);
  const bool right = (q[y] <= p[y]) == (side > 0);
  const double corner2[2] = {right ? box.upper[x] : box.lower[x], up ? box.upper[y] : box.lower[y]};
  const double p2[2] = {p[x], p[y]};
  const double q2[2] = {q[x], q[y]};
  return orient2d_filtered(p2, q2, corner2) * side < 0;
}

}  // namespace
}  // namespace geometry

bool touches_triangle_box_bounds(const Triangle& triangle, const Aabb& box) {
  return !box.empty() && geometry::triangle_bounds(triangle).overlaps(box);
}

// T. Akenine-Möller, "Fast 3D Triangle-Box Overlap Testing" (2001): the axes are the box's three axes, the triangle's
// normal, and the nine cross products of an edge and a box axis. Seen along a box axis, such a cross product is the
// normal of the edge's line in the plane of the other two axes, and the question is whether the box lies beyond that
// line, on the outer side. So all 13 tests reduce to comparisons, orient2d and orient3d of input coordinates. The box
// is first cut to the triangle's bounds. That does not change the intersection and leaves only finite numbers.
bool touches_triangle_box(const Triangle& triangle, const Aabb& box) {
  using namespace geometry;
  const Vector3 &a = triangle.a, &b = triangle.b, &c = triangle.c;
  if (box.empty()) return false;
  const Aabb bounds = triangle_bounds(triangle);
  const Aabb cut = {box.lower.cwiseMax(bounds.lower), box.upper.cwiseMin(bounds.upper)};
  if (cut.empty()) return false;
  if (cut.contains(a) || cut.contains(b) || cut.contains(c)) return true;

  // The signs of the normal's components: the triangle's orientation as seen along each axis.
  Eigen::Vector3i turn;
  Vector3 high, low;  // The corners of the box farthest along the normal and against it.
  for (int k = 0; k < 3; ++k) {
    turn[k] = orient_along(k, a, b, c);
    high[k] = turn[k] > 0 ? cut.upper[k] : cut.lower[k];
    low[k] = turn[k] > 0 ? cut.lower[k] : cut.upper[k];
  }
  if (orient3d_filtered(a, b, c, high) < 0 || orient3d_filtered(a, b, c, low) > 0) return false;

  for (int k = 0; k < 3; ++k) {
    // Seen edge-on, the triangle has no inside. Its edges then run in both directions, so testing one side of each edge
    // covers both sides.
    const int side = turn[k] < 0 ? -1 : 1;
    if (box_beyond_edge(k, cut, a, b, side) || box_beyond_edge(k, cut, b, c, side) ||
        box_beyond_edge(k, cut, c, a, side))
      return false;
  }
  return true;
}

namespace geometry {
namespace {

/// A polygon that starts as a triangle. Cutting a convex polygon adds at most one corner. Rounding may make it slightly
/// nonconvex, and then a cut of n corners leaves up to 3n/2: from 3 to 4, 6, 9, 13.
struct ClippedPolygon {
  std::array<Vector3, 13> corners;
  std::size_t count = 0;
};

/// Keeps the part of the polygon whose coordinate k is at least (side > 0) or at most (side < 0) `plane`. New corners
/// have exactly `plane` as coordinate k. Returns true if `accept` returns true for a new corner; the polygon is then
/// left unfinished.
template <typename Accept>
bool clip(ClippedPolygon& polygon, int k, int side, double plane, const Accept& accept) {
  ClippedPolygon kept;
  const auto inside = [&](const Vector3& p) { return side > 0 ? p[k] >= plane : p[k] <= plane; };
  for (std::size_t i = 0; i < polygon.count; ++i) {
    const Vector3& p = polygon.corners[i];
    const Vector3& q = polygon.corners[i + 1 == polygon.count ? 0 : i + 1];
    const bool p_inside = inside(p);
    if (p_inside) kept.corners[kept.count++] = p;
    if (p_inside == inside(q)) continue;
    const double t = (plane - p[k]) / (q[k] - p[k]);
    Vector3 crossing = p + t * (q - p);
    crossing[k] = plane;
    if (accept(crossing)) return true;
    kept.corners[kept.count++] = crossing;
  }
  polygon = kept;
  return false;
}

}  // namespace
}  // namespace geometry

// Y. Kitamura, A. Smith, H. Takemura, F. Kishino, "A Real-Time Algorithm for Accurate Collision Detection for
// Deformable Polyhedral Objects" (1998). Why rounding loses no contact (u = 2^-53, M the largest |coordinate| along an
// axis):
//  - A new corner p + t (q - p) is off by at most 12 u M along each axis except the cut one. t has three roundings: two
//    differences and their quotient. The difference, the product and the sum add one each. In total this is
//    5.1 u t |q - p| + 1.1 u M with |q - p| <= 2 M and t <= 1. If p and q are already off, the exact mean is off by no
//    more than they are.
//  - The cuts in x compare and divide input coordinates. So after them the true polygon and the computed one have
//    corresponding points with equal x and with y and z within 24 u M of each other.
//  - Cut to the box's range of y, the true polygon has all its corners on the edges of the uncut one. Each of these
//    corners has its counterpart on the computed edge, within the range of y grown by 24 u M. Cutting the computed edge
//    to that grown range keeps the counterpart. These cuts add another 24 u M to z. So the true range of z is within
//    the computed one grown by 48 u M.
// The margins below are larger, to cover the rounding of the margins themselves and underflow.
bool touches_triangle_box_clipping(const Triangle& triangle, const Aabb& box) {
  using namespace geometry;
  if (box.empty()) return false;
  const Aabb bounds = triangle_bounds(triangle);
  if (!bounds.overlaps(box)) return false;
  if (box.contains(triangle.a) || box.contains(triangle.b) || box.contains(triangle.c)) return true;

  const Vector3 largest = bounds.lower.cwiseAbs().cwiseMax(bounds.upper.cwiseAbs());
  constexpr double overflow_limit = 1e300;
  if (!(largest.maxCoeff() < overflow_limit)) return true;
  constexpr double underflow_margin = 0x1p-1000;
  const double y_margin = 32 * unit_roundoff * largest[1] + underflow_margin;
  const double z_margin = 64 * unit_roundoff * largest[2] + underflow_margin;
  const auto in_y = [&](const Vector3& p) { return box.lower[1] <= p[1] && p[1] <= box.upper[1]; };
  const auto in_z = [&](const Vector3& p) { return box.lower[2] <= p[2] && p[2] <= box.upper[2]; };
  const auto in_face = [&](const Vector3& p) { return in_y(p) && in_z(p); };

  ClippedPolygon polygon;
  for (const Vector3* corner : {&triangle.a, &triangle.b, &triangle.c})
    polygon.corners[polygon.count++] = *corner;
  if (clip(polygon, 0, 1, box.lower[0], in_face)) return true;
  if (clip(polygon, 0, -1, box.upper[0], in_face)) return true;
  if (clip(polygon, 1, 1, box.lower[1] - y_margin, in_z)) return true;
  if (clip(polygon, 1, -1, box.upper[1] + y_margin, in_z)) return true;
  if (polygon.count == 0) return false;
  bool all_above = true;
  bool all_below = true;
  for (std::size_t i = 0; i < polygon.count; ++i) {
    const double z = polygon.corners[i][2];
    all_above = all_above && z > box.upper[2] + z_margin;
    all_below = all_below && z < box.lower[2] - z_margin;
  }
  return !all_above && !all_below;
}

}  // namespace whisker
