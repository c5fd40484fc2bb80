#pragma once

// The inner parts of the closest-point functions, inline so that the pair functions can loop over them.
//
// They expect coordinates relative to a nearby origin. The largest coordinate must be between `smallest_scale` and
// `largest_scale`, so that products of four lengths neither overflow nor underflow as a whole (within_scale, Scaling).

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

#include <whisker/vector.hpp>

#include "geometry/vector_size.hpp"

namespace whisker::geometry::closest {

inline constexpr double smallest_scale = 0x1p-200;
inline constexpr double largest_scale = 0x1p+200;

/// A candidate is accepted if its distance exceeds a proven lower bound by at most rounding_share * (largest local
/// coordinate) + relative_share * distance.
inline constexpr double rounding_share = 0x1p-52;
inline constexpr double relative_share = 1e-13;

/// Whether a direction proves that two shapes are at least `distance` apart, up to the two shares above. Along the
/// direction, the second shape begins `separation` after the first ends, measured as a dot product with the direction,
/// which need not be normalized. `scale` is the largest local coordinate.
inline bool proves(const Vector3& direction, double separation, double distance, double scale) {
  const double at_least = distance - (rounding_share * scale + relative_share * distance);
  if (at_least <= 0) return true;
  const double length = direction.norm();
  return length > 0 && separation >= at_least * length;
}

inline bool within_scale(double magnitude) {
  return magnitude > smallest_scale && magnitude < largest_scale;
}

/// The power of two that scales a magnitude to about 1. Exact unless tiny coordinates underflow.
struct Scaling {
  int exponent = 0;

  explicit Scaling(double magnitude) {
    if (magnitude > 0) std::frexp(magnitude, &exponent);
    exponent = std::max(exponent, -1000);
  }
  Vector3 scaled(const Vector3& v) const { return exponent == 0 ? v : times_power(v, -exponent); }
  double squared_back(double squared) const { return exponent == 0 ? squared : std::ldexp(squared, 2 * exponent); }
  Vector3 back(const Vector3& v) const { return exponent == 0 ? v : times_power(v, exponent); }
};

/// Exponent 0 in the usual range, where no scaling is needed.
inline Scaling scaling_for(double magnitude) {
  return Scaling(within_scale(magnitude) ? 0.75 : magnitude);
}

/// solve(points...), whose result has a squared distance. Points beyond the usual range are scaled for it, and the
/// squared distance is scaled back.
template <class Solve, class... Points>
auto solve_in_scale(const Solve& solve, const Points&... points) {
  const double magnitude = std::max({largest_entry(points)...});
  if (within_scale(magnitude)) [[likely]]
    return solve(points...);
  const Scaling scaling(magnitude);
  auto result = solve(scaling.scaled(points)...);
  result.squared_distance = scaling.squared_back(result.squared_distance);
  return result;
}

inline double clamped01(double x) {
  return std::min(std::max(x, 0.0), 1.0);
}

/// The parameter of the point of q + t d nearest to q + offset, clamped to [0, 1]. d_squared = |d|². The second step,
/// on the residual of the first, matters if the point is nearly on the line: only there does an error along the line
/// count in full.
inline double project(const Vector3& offset, const Vector3& d, double d_squared) {
  if (!(d_squared > 0)) return 0;
  const double t = clamped01(d.dot(offset) / d_squared);
  return clamped01(t + d.dot(offset - t * d) / d_squared);
}

/// If squared distance / squared size is below this, the careful version is used.
inline constexpr double nearly_meeting = 1e-24;

/// The closest points of two segments p + s d1 and q + t d2, with gap = (q + t d2) - (p + s d1).
struct SegmentPair {
  double s = 0;
  double t = 0;
  double squared_distance = 0;
  Vector3 gap = Vector3::Zero();
};

/// For segments that are nearly parallel, nearly meet, or are points. Tries every end against the other segment, and
/// two ways to find the closest points of the lines. The smallest measured distance wins.
SegmentPair careful_segment_pair(const Vector3& r, const Vector3& d1, double a, const Vector3& d2, double e);

/// If the squared sine of two directions is below this, they are treated as nearly parallel. Above it, the error of the
/// plain formula matters only if the segments nearly meet.
inline constexpr double parallel_squared_sine = 1e-3;

/// r = p - q, a = |d1|², e = |d2|². The order of clamping is Ericson's (Real-Time Collision Detection, 2005, 5.1.9).
inline SegmentPair segment_pair(const Vector3& r, const Vector3& d1, double a, const Vector3& d2, double e) {
  const double b = d1.dot(d2);
  const double determinant = a * e - b * b;
  if (!(determinant > parallel_squared_sine * (a * e))) return careful_segment_pair(r, d1, a, d2, e);
  const double c = d1.dot(r);
  const double f = d2.dot(r);
  // Without branches: if nothing was clamped, projecting back once more changes nothing.
  const double inverse_a = 1 / a;
  const double inverse_e = 1 / e;
  SegmentPair pair;
  pair.s = clamped01((b * f - c * e) / determinant);
  pair.t = clamped01((b * pair.s + f) * inverse_e);
  pair.s = clamped01((b * pair.t - c) * inverse_a);
  pair.gap = pair.t * d2 - pair.s * d1 - r;
  pair.squared_distance = pair.gap.squaredNorm();
  // If the segments nearly meet, an error along them counts in full: use the careful version too.
  if (pair.squared_distance < nearly_meeting * (a + e)) {
    const SegmentPair finer = careful_segment_pair(r, d1, a, d2, e);
    if (finer.squared_distance < pair.squared_distance) return finer;
  }
  return pair;
}

/// A direction along which the pair's gap separates the two segments. For a short gap it is more accurate than the gap
/// itself: it is the gap without its component along what it must be perpendicular to.
inline Vector3 separating_direction(const SegmentPair& pair, const Vector3& d1, double a, const Vector3& d2, double e) {
  const bool inside_1 = pair.s > 0 && pair.s < 1;
  const bool inside_2 = pair.t > 0 && pair.t < 1;
  if (inside_1 && inside_2) {
    const Vector3 normal = d1.cross(d2);
    const double along = normal.dot(pair.gap);
    if (along > 0) return normal;
    if (along < 0) return -normal;
    return pair.gap;
  }
  if (inside_1) return pair.gap - d1 * (d1.dot(pair.gap) / a);
  if (inside_2) return pair.gap - d2 * (d2.dot(pair.gap) / e);
  return pair.gap;
}

/// The closest point of a triangle to p, with gap = (point of the triangle) - p.
struct TrianglePoint {
  Vector3 weights = Vector3::UnitX();
  double squared_distance = 0;
  Vector3 gap = Vector3::Zero();
};

/// For needles, flat triangles, and points nearly on a triangle. Tries the three edges and the interior. The smallest
/// measured distance wins.
TrianglePoint careful_triangle_point(const Vector3& p, const Vector3& a, const Vector3& b, const Vector3& c);

/// If the squared sine of the angle at a is below this, a triangle is treated as thin.
inline constexpr double thin_squared_sine = 0.01;

/// The regions are Ericson's (Real-Time Collision Detection, 2005, 5.1.5). The foot in the plane comes from the normal
/// equations with one step of refinement, so that it is accurate to rounding if the point is close to the plane.
inline TrianglePoint quick_triangle_point(const Vector3& p, const Vector3& a, const Vector3& b, const Vector3& c) {
  const Vector3 ab = b - a;
  const Vector3 ac = c - a;
  const Vector3 ap = p - a;
  const double ab_ab = ab.squaredNorm();
  const double ab_ac = ab.dot(ac);
  const double ac_ac = ac.squaredNorm();
  const double determinant = ab_ab * ac_ac - ab_ac * ab_ac;
  if (!(determinant > thin_squared_sine * (ab_ab * ac_ac))) return careful_triangle_point(p, a, b, c);
  const double ab_ap = ab.dot(ap);
  const double ac_ap = ac.dot(ap);
  const auto result = [](const Vector3& weights, const Vector3& gap) {
    return TrianglePoint{weights, gap.squaredNorm(), gap};
  };
  const auto gap_at = [&](double v, double w) { return Vector3(v * ab + w * ac - ap); };
  if (ab_ap <= 0 && ac_ap <= 0) return result(Vector3::UnitX(), -ap);
  const double ab_bp = ab_ap - ab_ab;
  const double ac_bp = ac_ap - ab_ac;
  if (ab_bp >= 0 && ac_bp <= ab_bp) return result(Vector3::UnitY(), b - p);
  const double ab_cp = ab_ap - ab_ac;
  const double ac_cp = ac_ap - ac_ac;
  if (ac_cp >= 0 && ab_cp <= ac_cp) return result(Vector3::UnitZ(), c - p);
  const double weight_c = ac_ap * ab_ab - ab_ap * ab_ac;
  if (weight_c <= 0 && ab_ap > 0 && ab_bp < 0) {
    const double s = ab_ap / ab_ab;
    return result({1 - s, s, 0}, gap_at(s, 0));
  }
  const double weight_b = ab_ap * ac_ac - ac_ap * ab_ac;
  if (weight_b <= 0 && ac_ap > 0 && ac_cp < 0) {
    const double s = ac_ap / ac_ac;
    return result({1 - s, 0, s}, gap_at(0, s));
  }
  if (weight_b + weight_c >= determinant && ac_bp > ab_bp && ab_cp > ac_cp) {
    const Vector3 bc = c - b;
    const Vector3 bp = p - b;
    const double s = clamped01(bc.dot(bp) / bc.squaredNorm());
    return result({0, 1 - s, s}, s * bc - bp);
  }
  const double inverse = 1 / determinant;
  double v = weight_b * inverse;
  double w = weight_c * inverse;
  const Vector3 rest = ap - v * ab - w * ac;
  const double ab_rest = ab.dot(rest);
  const double ac_rest = ac.dot(rest);
  v += (ab_rest * ac_ac - ac_rest * ab_ac) * inverse;
  w += (ac_rest * ab_ab - ab_rest * ab_ac) * inverse;
  const double u = 1 - v - w;
  // Within rounding of the border, the edges decide.
  if (!(v > 0 && w > 0 && u > 0)) return careful_triangle_point(p, a, b, c);
  return result({u, v, w}, gap_at(v, w));
}

inline TrianglePoint triangle_point(const Vector3& p, const Vector3& a, const Vector3& b, const Vector3& c) {
  const TrianglePoint quick = quick_triangle_point(p, a, b, c);
  if (quick.squared_distance < nearly_meeting * ((b - a).squaredNorm() + (c - a).squaredNorm())) {
    const TrianglePoint careful = careful_triangle_point(p, a, b, c);
    if (careful.squared_distance < quick.squared_distance) return careful;
  }
  return quick;
}

/// The point where the segment p + s d crosses the triangle, with the gap that rounding leaves. Returns false if the
/// segment clearly does not cross, or runs along the triangle's plane. The initial content of `result` is the start of
/// the search: for a thin triangle and a short segment it must be near the crossing.
struct Crossing {
  double s = 0;
  Vector3 weights = Vector3::UnitX();
  double squared_distance = 0;
};

bool crossing(const Vector3& p, const Vector3& d, const Vector3& a, const Vector3& b, const Vector3& c,
              Crossing& result);

}  // namespace whisker::geometry::closest
