// Closest points of a segment and a point, and of two segments.

#include <Eigen/Geometry>

#include "geometry/closest_kernels.hpp"
#include "geometry/closest_parameters.hpp"

namespace whisker::geometry {

namespace closest {

SegmentPair careful_segment_pair(const Vector3& r, const Vector3& d1, double a, const Vector3& d2, double e) {
  SegmentPair best;
  best.squared_distance = -1;
  const auto consider = [&](double s, double t) {
    const Vector3 gap = t * d2 - s * d1 - r;
    const double squared = gap.squaredNorm();
    if (best.squared_distance < 0 || squared < best.squared_distance) best = {s, t, squared, gap};
  };
  consider(0, project(r, d2, e));
  consider(1, project(r + d1, d2, e));
  consider(project(-r, d1, a), 0);
  consider(project(d2 - r, d1, a), 1);
  // The closest points of the two lines, by cross products. The second round works on the residual of the first, which
  // is short if the lines nearly cross.
  const Vector3 normal = d1.cross(d2);
  const double normal_squared = normal.squaredNorm();
  if (normal_squared > 0) {
    double s = 0;
    double t = 0;
    Vector3 rest = r;
    for (int round = 0; round < 2; ++round) {
      s += d2.cross(rest).dot(normal) / normal_squared;
      t += d1.cross(rest).dot(normal) / normal_squared;
      if (!(s > 0 && s < 1 && t > 0 && t < 1)) break;
      rest = r + s * d1 - t * d2;
    }
    if (s > 0 && s < 1) {
      t = project(r + s * d1, d2, e);
      consider(s, t);
      consider(project(t * d2 - r, d1, a), t);
    }
  }
  // For lines so nearly parallel that their normal is only rounding error: the gap perpendicular to the second line is
  // a linear function of the position along that line. So between the ends of the overlap, the shortest gap is the
  // distance of a point from a segment.
  const double b = d1.dot(d2);
  if (b * b > 0.5 * (a * e)) {
    const double f = d2.dot(r);
    const double at_begin = clamped01(-f / b);
    const double at_end = clamped01((e - f) / b);
    const double t_begin = project(r + at_begin * d1, d2, e);
    const double t_end = project(r + at_end * d1, d2, e);
    const Vector3 gap_begin = t_begin * d2 - at_begin * d1 - r;
    const Vector3 change = (t_end * d2 - at_end * d1 - r) - gap_begin;
    const double x = project(-gap_begin, change, change.squaredNorm());
    const double s = at_begin + x * (at_end - at_begin);
    consider(clamped01(s), clamped01(t_begin + x * (t_end - t_begin)));
    consider(clamped01(s), project(r + clamped01(s) * d1, d2, e));
  }
  return best;
}

}  // namespace closest

using namespace closest;

Vector3 point_at(const Segment& segment, double s) {
  if (s == 0) return segment.a;
  if (s == 1) return segment.b;
  // Start from the nearer end, so that the result is accurate to rounding at both ends.
  return s <= 0.5 ? Vector3(segment.a + s * (segment.b - segment.a))
                  : Vector3(segment.b + (1 - s) * (segment.a - segment.b));
}

PointSegmentParameters closest_point_segment(const Vector3& point, const Segment& segment) {
  const auto solve = [](const Vector3& p, const Vector3& a, const Vector3& b) -> PointSegmentParameters {
    const Vector3 d = b - a;
    const Vector3 offset = p - a;
    const double s = project(offset, d, d.squaredNorm());
    return {s, (s == 1 ? p - b : Vector3(offset - s * d)).squaredNorm()};
  };
  return solve_in_scale(solve, point, segment.a, segment.b);
}

SegmentSegmentParameters closest_segment_segment(const Segment& a, const Segment& b) {
  const auto solve = [](const Vector3& a0, const Vector3& a1, const Vector3& b0, const Vector3& b1) {
    const Vector3 d1 = a1 - a0;
    const Vector3 d2 = b1 - b0;
    const SegmentPair pair = segment_pair(a0 - b0, d1, d1.squaredNorm(), d2, d2.squaredNorm());
    return SegmentSegmentParameters{pair.s, pair.t, pair.squared_distance};
  };
  return solve_in_scale(solve, a.a, a.b, b.a, b.b);
}

}  // namespace whisker::geometry
