// The classic tests in plain double arithmetic, without any treatment of rounding: the reference for the cost of
// exactness.

#include <cmath>
#include <utility>

#include <Eigen/Geometry>

#include "geometry.hpp"
// Only for the test that is whisker's own method without the error bounds.
#include "geometry/triangle_signs.hpp"

namespace whisker::bench {
namespace {

double determinant(const Vector3& a, const Vector3& b, const Vector3& c, const Vector3& d) {
  const double ux = b[0] - a[0], uy = b[1] - a[1], uz = b[2] - a[2];
  const double vx = c[0] - a[0], vy = c[1] - a[1], vz = c[2] - a[2];
  const double wx = d[0] - a[0], wy = d[1] - a[1], wz = d[2] - a[2];
  return wx * (uy * vz - uz * vy) + wy * (uz * vx - ux * vz) + wz * (ux * vy - uy * vx);
}

/// The corners' heights over a plane, times the length of its normal.
struct Heights {
  double a, b, c;
  bool one_side() const { return a * b > 0 && a * c > 0; }
};

Heights heights(const Triangle& plane, const Triangle& t) {
  const double ux = plane.b[0] - plane.a[0], uy = plane.b[1] - plane.a[1], uz = plane.b[2] - plane.a[2];
  const double vx = plane.c[0] - plane.a[0], vy = plane.c[1] - plane.a[1], vz = plane.c[2] - plane.a[2];
  const double nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
  const auto height = [&](const Vector3& p) {
    return (p[0] - plane.a[0]) * nx + (p[1] - plane.a[1]) * ny + (p[2] - plane.a[2]) * nz;
  };
  return {height(t.a), height(t.b), height(t.c)};
}

/// A triangle that starts at the corner that the other's plane cuts off.
struct Begun {
  const Vector3 *p, *q, *r;
  bool above;
};

/// Returns false if all three corners are on the plane.
bool begin_at_lone_corner(const Triangle& t, const Heights& h, Begun& begun) {
  const auto above = [](double lone, double other1, double other2) {
    return lone > 0 || (lone == 0 && (other1 < 0 || other2 < 0));
  };
  const Begun at_a = {&t.a, &t.b, &t.c, above(h.a, h.b, h.c)};
  const Begun at_b = {&t.b, &t.c, &t.a, above(h.b, h.c, h.a)};
  const Begun at_c = {&t.c, &t.a, &t.b, above(h.c, h.a, h.b)};
  if (h.a * h.b > 0) {
    begun = at_c;
  } else if (h.a * h.c > 0) {
    begun = at_b;
  } else if (h.b * h.c > 0 || h.a != 0) {
    begun = at_a;
  } else if (h.b != 0) {
    begun = at_b;
  } else if (h.c != 0) {
    begun = at_c;
  } else {
    return false;
  }
  return true;
}

bool touches_coplanar(const Triangle& first, const Triangle& second) {
  const Vector3 normal = (first.b - first.a).cross(first.c - first.a).cwiseAbs();
  const int axis = normal[2] >= normal[0] && normal[2] >= normal[1] ? 2 : (normal[0] >= normal[1] ? 0 : 1);
  const int x = axis == 2 ? 0 : axis + 1, y = axis == 0 ? 2 : axis - 1;
  const auto turn = [&](const Vector3& a, const Vector3& b, const Vector3& c) {
    return (b[x] - a[x]) * (c[y] - a[y]) - (b[y] - a[y]) * (c[x] - a[x]);
  };
  // They are disjoint if and only if one lies beyond an edge of the other.
  const auto beyond = [&](const Triangle& t, const Triangle& other) {
    const double inside = turn(t.a, t.b, t.c);
    const Vector3* corners[4] = {&t.a, &t.b, &t.c, &t.a};
    for (int i = 0; i < 3; ++i) {
      const Vector3 &p = *corners[i], &q = *corners[i + 1];
      if (turn(p, q, other.a) * inside < 0 && turn(p, q, other.b) * inside < 0 && turn(p, q, other.c) * inside < 0) {
        return true;
      }
    }
    return false;
  };
  return !beyond(first, second) && !beyond(second, first);
}

/// Two triangles, neither of which is on one side of the other's plane.
bool touches_straddling(const Triangle& first, const Triangle& second, const Heights& heights1,
                        const Heights& heights2) {
  Begun t1{}, t2{};
  if (!begin_at_lone_corner(first, heights1, t1) || !begin_at_lone_corner(second, heights2, t2)) {
    return touches_coplanar(first, second);
  }
  if (!t2.above) std::swap(t1.q, t1.r);
  if (!t1.above) std::swap(t2.q, t2.r);
  return determinant(*t1.p, *t1.q, *t2.p, *t2.q) <= 0 && determinant(*t1.p, *t1.r, *t2.p, *t2.r) >= 0;
}

}  // namespace

// P. Guigue and O. Devillers, "Fast and Robust Triangle-Triangle Overlap Test Using Orientation Predicates" (2003).
bool plain_touches_triangle_triangle(const Triangle& first, const Triangle& second) {
  const Heights heights1 = heights(second, first);
  if (heights1.one_side()) return false;
  const Heights heights2 = heights(first, second);
  if (heights2.one_side()) return false;
  return touches_straddling(first, second, heights1, heights2);
}

bool plain_touches_same_method(const Triangle& first, const Triangle& second) {
  using namespace geometry;
  using Two = TwoDoubles;
  const auto xy = [](const Vector3& p) { return Two{p[0], p[1]}; };
  const Two low1 = smaller(smaller(xy(first.a), xy(first.b)), xy(first.c));
  const Two high1 = larger(larger(xy(first.a), xy(first.b)), xy(first.c));
  const Two low2 = smaller(smaller(xy(second.a), xy(second.b)), xy(second.c));
  const Two high2 = larger(larger(xy(second.a), xy(second.b)), xy(second.c));
  const TwoWords apart_in_xy = (high1 < low2) | (high2 < low1);
  if ((apart_in_xy[0] | apart_in_xy[1]) != 0) return false;

  const auto plane = [](const Vector3& p1, const Vector3& p2, int k) { return Two{p2[k], p1[k]}; };
  const auto corner = [](const Vector3& p1, const Vector3& p2, int k) { return Two{p1[k], p2[k]}; };
  const Two ax = plane(first.a, second.a, 0), ay = plane(first.a, second.a, 1), az = plane(first.a, second.a, 2);
  const Two ux = plane(first.b, second.b, 0) - ax, uy = plane(first.b, second.b, 1) - ay;
  const Two vx = plane(first.c, second.c, 0) - ax, vy = plane(first.c, second.c, 1) - ay;
  const Two uz = plane(first.b, second.b, 2) - az, vz = plane(first.c, second.c, 2) - az;
  const Two nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
  const auto height = [&](const Vector3& p1, const Vector3& p2) {
    return (corner(p1, p2, 0) - ax) * nx + (corner(p1, p2, 1) - ay) * ny + (corner(p1, p2, 2) - az) * nz;
  };
  const Two p = height(first.a, second.a), q = height(first.b, second.b), r = height(first.c, second.c);
  const Two zero = {0, 0};
  const TwoWords apart = (smaller(smaller(p, q), r) > zero) | (larger(larger(p, q), r) < zero);
  if ((apart[0] | apart[1]) != 0) return false;

  const TwoWords code =
      ((p > zero) & 1) | ((q > zero) & 2) | ((r > zero) & 4) | ((p < zero) & 8) | ((q < zero) & 16) | ((r < zero) & 32);
  const Sides sides1 = {static_cast<unsigned>(code[0])}, sides2 = {static_cast<unsigned>(code[1])};
  if (sides1.code == Sides::all_on || sides2.code == Sides::all_on) return touches_coplanar(first, second);
  const CrossingTriangles t = sorted_crossing(first, second, sides1, sides2);
  const double begins = determinant(*t.first.p, *t.first.q, *t.second.p, *t.second.q),
               ends = determinant(*t.first.p, *t.first.r, *t.second.p, *t.second.r);
  return (begins <= 0) & (ends >= 0);
}

// T. Möller and B. Trumbore, "Fast, Minimum Storage Ray/Triangle Intersection" (1997), the two-sided form.
PlainHit plain_ray_triangle(const Ray& ray, const Triangle& triangle) {
  const Vector3 edge1 = triangle.b - triangle.a;
  const Vector3 edge2 = triangle.c - triangle.a;
  const Vector3 across = ray.direction.cross(edge2);
  const double det = edge1.dot(across);
  if (det == 0) return {};
  const double inverse = 1 / det;
  const Vector3 offset = ray.origin - triangle.a;
  const double u = offset.dot(across) * inverse;
  if (u < 0 || u > 1) return {};
  const Vector3 along = offset.cross(edge1);
  const double v = ray.direction.dot(along) * inverse;
  if (v < 0 || u + v > 1) return {};
  const double t = edge2.dot(along) * inverse;
  return {t >= 0, t, u, v};
}

int plain_orient3d(const Vector3& a, const Vector3& b, const Vector3& c, const Vector3& d) {
  const double value = determinant(a, b, c, d);
  return (value > 0 ? 1 : 0) - (value < 0 ? 1 : 0);
}

}  // namespace whisker::bench
