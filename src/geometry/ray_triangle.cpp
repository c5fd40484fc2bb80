// Crossings of lines with a triangle, decided exactly.
//
// With p = P - o for each corner P, the sign of d·(p × q) tells on which side the line o + t d passes the edge PQ. The
// three signs of a triangle decide whether the line hits it. The two triangles at an edge get the same sign of the same
// number, so no line slips between them (Plücker's test; Amanatides and Choi 1997). Signs that doubles cannot prove are
// computed exactly. The parameter is t = (a·N) / (d·N), N = (B - A) × (C - A) (Möller and Trumbore 1997).

#include <hwy/base.h>

#include <Eigen/Geometry>

#include <whisker/geometry/predicates.hpp>

#include "geometry/closest_parameters.hpp"
#include "geometry/constants.hpp"
#include "geometry/ordered_sums.hpp"
#include "geometry/place.hpp"
#include "geometry/ray_near.hpp"

namespace whisker::geometry {
namespace {

struct ExactVector {
  Exact2 x[3];
};

ExactVector exact_difference(const Vector3& a, const Vector3& b) {
  return {{two_diff(a[0], b[0]), two_diff(a[1], b[1]), two_diff(a[2], b[2])}};
}

ExactVector exact_direction(const LinePath& path) {
  const Vector3& d = path.direction;
  const Vector3& tail = path.direction_tail;
  return {{{d[0], tail[0]}, {d[1], tail[1]}, {d[2], tail[2]}}};
}

/// One coordinate of p × q.
Expansion<16> exact_cross(const ExactVector& p, const ExactVector& q, int i) {
  const int j = (i + 1) % 3;
  const int k = (i + 2) % 3;
  return to_expansion(p.x[j]) * q.x[k] - to_expansion(p.x[k]) * q.x[j];
}

/// d·(p × q).
Expansion<192> exact_triple(const ExactVector& d, const ExactVector& p, const ExactVector& q) {
  return exact_cross(p, q, 0) * d.x[0] + exact_cross(p, q, 1) * d.x[1] + exact_cross(p, q, 2) * d.x[2];
}

/// num / den of the estimates of two expansions, each accurate to one ulp.
Bounded quotient(double num, double den) {
  const double t = num / den;
  const double error = std::abs(t) * 0x1p-49 + std::numeric_limits<double>::denorm_min();
  return {t - error, t, t + error};
}

/// The weights of a point of the triangle, up to rounding. As accurate for slivers as for any other triangle.
RayFace weights_at(const Vector3& point, const Triangle& triangle) {
  const Vector3 weights = closest_point_triangle(point, triangle).weights;
  return {0, weights[1], weights[2]};
}

/// The unit normal N, multiplied by the sign `side`, accurate in every digit even for slivers. Opposite to d if the
/// triangle has no area.
Vector3 careful_normal(const Triangle& triangle, double side, const Vector3& d) {
  const ExactVector u = exact_difference(triangle.b, triangle.a);
  const ExactVector v = exact_difference(triangle.c, triangle.a);
  const Vector3 n{exact_cross(u, v, 0).estimate(), exact_cross(u, v, 1).estimate(), exact_cross(u, v, 2).estimate()};
  return n == Vector3::Zero() ? unit_vector(-d) : unit_vector(side * n);
}

/// A parameter as an exact quotient. The denominator is not zero.
struct ExactParameter {
  Expansion<16> num;
  Expansion<16> den;

  /// The sign of num / den - t.
  int compare(double t) const {
    if (t == infinity) return -1;
    if (t == -infinity) return 1;
    return (num - den * t).sign() * den.sign();
  }
  Bounded bounds() const { return quotient(num.estimate(), den.estimate()); }
};

/// The hit of a line that lies in the triangle's plane, or in one plane with a degenerate triangle.
std::optional<RayHit> coplanar_hit(const Ray& ray, const LinePath& path, const Triangle& triangle, RayRange range) {
  const ExactVector d = exact_direction(path);
  const Vector3* corner[3] = {&triangle.a, &triangle.b, &triangle.c};
  const ExactVector p[3] = {exact_difference(triangle.a, path.origin), exact_difference(triangle.b, path.origin),
                            exact_difference(triangle.c, path.origin)};
  // The vectors d × p are all multiples of one vector. In any coordinate k where that vector is not zero, their signs
  // tell on which side of the line each corner is.
  int k = 0;
  int side[3] = {0, 0, 0};
  double best = 0;
  for (int axis = 0; axis < 3; ++axis) {
    Vector3 estimate;
    for (int i = 0; i < 3; ++i)
      estimate[i] = exact_cross(d, p[i], axis).estimate();
    const double size = largest_entry(estimate);
    if (size > best) {
      best = size;
      k = axis;
      for (int i = 0; i < 3; ++i)
        side[i] = estimate[i] > 0 ? 1 : (estimate[i] < 0 ? -1 : 0);
    }
  }
  if (side[0] == side[1] && side[1] == side[2] && side[0] != 0) return std::nullopt;

  // The overlap extends between the corners on the line and the edges that cross it.
  int longest = 0;
  path.direction.cwiseAbs().maxCoeff(&longest);
  ExactParameter end[3];
  int ends = 0;
  for (int i = 0; i < 3; ++i) {
    const int next = (i + 1) % 3;
    if (side[i] == 0) {
      end[ends++] = {Expansion<16>(to_expansion(p[i].x[longest])), Expansion<16>(to_expansion(d.x[longest]))};
    }
    if (side[i] * side[next] < 0) {
      // t d - p is parallel to the edge: t (d × edge) = p × edge, in the plane of the two other coordinates.
      const ExactVector edge = exact_difference(*corner[next], *corner[i]);
      end[ends++] = {exact_cross(p[i], edge, k), exact_cross(d, edge, k)};
    }
  }
  bool reaches_lower = false;
  bool reaches_upper = false;
  bool starts_before = false;
  int first = 0;
  for (int i = 0; i < ends; ++i) {
    const int against_lower = end[i].compare(range.lower);
    reaches_lower = reaches_lower || against_lower >= 0;
    starts_before = starts_before || against_lower < 0;
    reaches_upper = reaches_upper || end[i].compare(range.upper) <= 0;
    if (end[i].bounds().value < end[first].bounds().value) first = i;
  }
  if (!reaches_lower || !reaches_upper) return std::nullopt;
  RayHit hit;
  if (starts_before) {
    hit.t = hit.t_lower = hit.t_upper = range.lower;
  } else {
    set_parameter(hit, end[first].bounds(), range);
  }
  hit.point = point_at(ray, hit.t);
  hit.normal = careful_normal(triangle, 1, path.direction);
  hit.face = weights_at(Vector3(path.origin + hit.t * path.direction), triangle);
  return hit;
}

/// The hit if the path is a single point: tests, with a line through the point, whether it is in the triangle.
std::optional<RayHit> point_hit(const Ray& ray, const LinePath& path, const Triangle& triangle, RayRange range) {
  const LinePath through{path.origin, Vector3::UnitX(), Vector3::Zero(), nullptr, false};
  std::optional<RayHit> hit = triangle_hit({path.origin, Vector3::UnitX()}, through, triangle, {0, 0});
  if (!hit) return std::nullopt;
  hit->t = hit->t_lower = hit->t_upper = range.lower > -infinity ? range.lower : std::min(0.0, range.upper);
  hit->point = point_at(ray, hit->t);
  return hit;
}

/// The corners relative to the origin, the weights of the corners (their signs give the sides), and the weights' error
/// bound.
struct Weights {
  Vector3 a, b, c;
  // d·(b × c), d·(c × a), d·(a × b): the weights of a, b, c, times d·N.
  double wa, wb, wc;
  double bound;

  bool proves_miss() const {
    const double least = std::min(wa, std::min(wb, wc));
    const double most = std::max(wa, std::max(wb, wc));
    return least < -bound && most > bound;
  }
};

inline Weights weights_of(const Vector3& o, const Vector3& d, const Triangle& t) {
  Weights w;
  w.a = t.a - o, w.b = t.b - o, w.c = t.c - o;
  w.wa = dot(d, w.b.cross(w.c));
  w.wb = dot(d, w.c.cross(w.a));
  w.wc = dot(d, w.a.cross(w.b));
  // Each of the six terms of a weight has at most 8 roundings (two differences, the tail of d, a product, a difference,
  // a product, two sums). By Cauchy-Schwarz, |b_j c_k| + |b_k c_j| <= |b| |c| <= (|a|² + |b|² + |c|²) / 2. So a weight
  // is off by at most 4.01 u (|d_x| + |d_y| + |d_z|) (|a|² + |b|² + |c|²).
  const double squares = dot(w.a, w.a) + dot(w.b, w.b) + dot(w.c, w.c);
  w.bound = 4.25 * 0x1p-53 * ((std::abs(d[0]) + std::abs(d[1]) + std::abs(d[2])) * squares);
  return w;
}

std::optional<RayHit> weighed_hit(const Ray& ray, const LinePath& path, const Triangle& triangle, RayRange range,
                                  const Weights& w) {
  const Vector3& o = path.origin;
  const Vector3& d = path.direction;
  const Vector3& a = w.a;
  double wa = w.wa, wb = w.wb, wc = w.wc;
  const double bound = w.bound;
  const double least = std::min(wa, std::min(wb, wc));
  const double most = std::max(wa, std::max(wb, wc));
  const double a_size = largest_entry(a);
  const double d_size = largest_entry(d);
  if (!(range.lower <= range.upper)) return std::nullopt;

  const auto exact_weight = [&](const Vector3& p, const Vector3& q) {
    return exact_triple(exact_direction(path), exact_difference(p, o), exact_difference(q, o)).estimate();
  };
  if (!(least > bound || most < -bound)) {
    if (path.at_rest()) return point_hit(ray, path, triangle, range);
    const auto weigh = [&](double& weight, const Vector3& p, const Vector3& q) {
      if (std::abs(weight) <= bound) weight = exact_weight(p, q);
    };
    weigh(wa, triangle.b, triangle.c);
    weigh(wb, triangle.c, triangle.a);
    weigh(wc, triangle.a, triangle.b);
    const bool some_positive = wa > 0 || wb > 0 || wc > 0;
    const bool some_negative = wa < 0 || wb < 0 || wc < 0;
    if (some_positive && some_negative) return std::nullopt;
    if (!some_positive && !some_negative) return coplanar_hit(ray, path, triangle, range);
  }
  const int side = wa + wb + wc > 0 ? 1 : -1;  // The sign of d·N: no two weights have opposite signs.

  const Vector3 u = triangle.b - triangle.a, v = triangle.c - triangle.a;
  const Vector3 n = u.cross(v);
  const double num = dot(a, n);
  const double den = dot(d, n);
  const double n_bound = 52 * 0x1p-53 * largest_entry(u) * largest_entry(v);
  const double min_den = std::abs(den) - n_bound * d_size;
  const auto times_exact_normal = [&](const ExactVector& x) {
    return exact_triple(x, exact_difference(triangle.b, triangle.a), exact_difference(triangle.c, triangle.a));
  };
  const auto exact_num = [&] { return times_exact_normal(exact_difference(triangle.a, o)); };
  const auto exact_den = [&] { return times_exact_normal(exact_direction(path)); };
  Bounded t;
  double error = infinity;
  if (min_den > 0) {
    t.value = num / den;
    error = 1.001 * ((n_bound * a_size + std::abs(t.value) * n_bound * d_size) / min_den + 0x1p-52 * std::abs(t.value));
    t.lower = t.value - error;
    t.upper = t.value + error;
  }
  const double coordinate = std::max(a_size, largest_entry(o));
  if (!(error * d_size <= 0x1p-42 * std::abs(t.value) * d_size + 0x1p-52 * coordinate)) {
    t = quotient(exact_num().estimate(), exact_den().estimate());
  }

  if (t.upper < range.lower || t.lower > range.upper) return std::nullopt;
  if (t.lower < range.lower || t.upper > range.upper) {
    // Compares t with s by the sign of (a·N - s d·N) times the sign of d·N.
    const auto compare = [&](double s) {
      if (s == 0) return -orient3d(triangle.a, triangle.b, triangle.c, o) * side;
      return (exact_num() - exact_den() * s).sign() * side;
    };
    if (t.lower < range.lower && compare(range.lower) < 0) return std::nullopt;
    if (t.upper > range.upper && compare(range.upper) > 0) return std::nullopt;
  }

  RayHit hit;
  set_parameter(hit, t, range);
  hit.point = point_at(ray, hit.t);
  const double length2 = n.squaredNorm();
  if (length2 > 1e-200 && length2 < 1e200 && n_bound * n_bound * 1e8 < length2) {
    hit.normal = n * (-side / std::sqrt(length2));
  } else {
    hit.normal = careful_normal(triangle, -side, d);
  }
  // Weights relative to the corner a (Möller and Trumbore): a·(d × (C - A)) / d·N and d·(a × (B - A)) / d·N. For a
  // small triangle far away these are more accurate than the weights that gave the signs.
  if (min_den > 0 &&
      52 * 0x1p-53 * a_size * d_size * std::max(largest_entry(u), largest_entry(v)) < 0x1p-33 * min_den) {
    wb = dot(a, d.cross(v)) / den;
    wc = dot(d, a.cross(u)) / den;
  } else {
    wa = exact_weight(triangle.b, triangle.c);
    wb = exact_weight(triangle.c, triangle.a);
    wc = exact_weight(triangle.a, triangle.b);
    const double total = wa + wb + wc;
    wb /= total;
    wc /= total;
  }
  wb = std::clamp(wb, 0.0, 1.0);
  hit.face = RayFace{0, wb, std::clamp(wc, 0.0, 1.0 - wb)};
  return hit;
}

}  // namespace

std::optional<RayHit> triangle_hit(const Ray& ray, const LinePath& path, const Triangle& triangle, RayRange range) {
  const Weights weights = weights_of(path.origin, path.direction, triangle);
  if (weights.proves_miss()) return std::nullopt;
  return weighed_hit(ray, path, triangle, range, weights);
}

namespace {

// Inline in both of its callers: another call would cost 3 % of a miss.
HWY_INLINE std::optional<RayHit> straight_hit(const Ray& ray, const Triangle& triangle, RayRange range) {
  const Weights weights = weights_of(ray.origin, ray.direction, triangle);
  if (weights.proves_miss()) return std::nullopt;
  const LinePath path{ray.origin, ray.direction, Vector3::Zero(), nullptr, false};
  return weighed_hit(ray, path, triangle, range, weights);
}

}  // namespace

std::optional<RayHit> triangle_hit(const Ray& ray, const Triangle& triangle, RayRange range) {
  return straight_hit(ray, triangle, range);
}

}  // namespace whisker::geometry

namespace whisker {

std::optional<RayHit> ray_triangle(const Ray& ray, const Triangle& triangle, const Pose& pose, RayRange range) {
  return geometry::triangle_hit(ray, geometry::placed_triangle(pose, triangle), range);
}

std::optional<RayHit> ray_triangle(const Ray& ray, const Triangle& triangle) {
  return geometry::straight_hit(ray, triangle, {});
}

std::optional<RayHit> ray_moving(const Ray& ray, const Triangle& triangle, const Vector3& velocity, RayRange range) {
  return geometry::triangle_hit(ray, geometry::path_of(ray, nullptr, velocity), triangle, range);
}

}  // namespace whisker
