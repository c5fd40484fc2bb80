#pragma once

// The true crossing of a line with a solid, with a hundred digits, by the textbook quadratics. At that precision they
// need no special care.

#include <array>
#include <optional>

#include <boost/multiprecision/cpp_bin_float.hpp>

#include <whisker/ray.hpp>

namespace whisker::test {

using Number = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<150>, boost::multiprecision::et_off>;
using NVector = std::array<Number, 3>;

inline NVector number(const Vector3& v) {
  return {Number(v[0]), Number(v[1]), Number(v[2])};
}
inline Number dot(const NVector& a, const NVector& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// R⁻¹ v by the adjugate: the true inverse, not the transpose.
inline NVector turned_back(const NVector& v, const Pose& pose) {
  Number r[3][3];
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j)
      r[i][j] = Number(pose.rotation()(i, j));
  }
  Number adjugate[3][3];
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
      adjugate[i][j] = r[a][c] * r[b][d] - r[a][d] * r[b][c];
    }
  }
  const Number determinant = r[0][0] * adjugate[0][0] + r[0][1] * adjugate[1][0] + r[0][2] * adjugate[2][0];
  NVector result;
  for (std::size_t i = 0; i < 3; ++i)
    result[i] = (adjugate[i][0] * v[0] + adjugate[i][1] * v[1] + adjugate[i][2] * v[2]) / determinant;
  return result;
}

inline NVector local_point(const Vector3& point, const Pose& pose) {
  NVector v = number(point);
  for (std::size_t i = 0; i < 3; ++i)
    v[i] -= Number(pose.translation()[static_cast<int>(i)]);
  return turned_back(v, pose);
}
inline NVector local_direction(const Vector3& direction, const Pose& pose) {
  return turned_back(number(direction), pose);
}

/// One of the bounded solids of ray.hpp.
struct Solid {
  enum Kind { sphere, box, capsule, cylinder, cone, ellipsoid } kind = sphere;
  double radius = 0;
  double length = 0;
  Vector3 size = Vector3::Zero();  // Box: edge lengths. Ellipsoid: radii.
};

struct TrueCrossing {
  Number enter, exit;
};

namespace oracle {

using Found = std::optional<TrueCrossing>;

inline Number unlimited() {
  return Number("1e2000");
}

inline Found both(const Found& a, const Found& b) {
  if (!a || !b) return std::nullopt;
  TrueCrossing c{std::max(a->enter, b->enter), std::min(a->exit, b->exit)};
  if (c.enter > c.exit) return std::nullopt;
  return c;
}
inline Found either(const Found& a, const Found& b) {
  if (!a) return b;
  if (!b) return a;
  return TrueCrossing{std::min(a->enter, b->enter), std::max(a->exit, b->exit)};
}

/// |o + t d| <= h.
inline Found slab(const Number& o, const Number& d, const Number& h) {
  if (d == 0) {
    if (abs(o) > h) return std::nullopt;
    return TrueCrossing{-unlimited(), unlimited()};
  }
  const Number a = (-h - o) / d, b = (h - o) / d;
  return TrueCrossing{std::min(a, b), std::max(a, b)};
}

/// a t² + 2 b t + c <= 0 for a >= 0. If a == 0, then b == 0.
inline Found quadratic(const Number& a, const Number& b, const Number& c) {
  if (a == 0) {
    if (c > 0) return std::nullopt;
    return TrueCrossing{-unlimited(), unlimited()};
  }
  const Number disc = b * b - a * c;
  if (disc < 0) return std::nullopt;
  const Number root = sqrt(disc);
  return TrueCrossing{(-b - root) / a, (-b + root) / a};
}

inline Found ball(const NVector& o, const NVector& d, const Number& r) {
  return quadratic(dot(d, d), dot(o, d), dot(o, o) - r * r);
}

inline Found cylinder(const NVector& o, const NVector& d, const Number& r, const Number& h) {
  return both(slab(o[2], d[2], h), ball({o[0], o[1], 0}, {d[0], d[1], 0}, r));
}

inline Found cone(const NVector& o, const NVector& d, const Number& r, const Number& length) {
  if (r == 0 || length == 0) return cylinder(o, d, r, length / 2);
  const Number k2 = (r / length) * (r / length);
  const Number ow = length / 2 - o[2], dw = -d[2];
  const Number a = d[0] * d[0] + d[1] * d[1] - k2 * dw * dw;
  const Number b = o[0] * d[0] + o[1] * d[1] - k2 * ow * dw;
  const Number c = o[0] * o[0] + o[1] * o[1] - k2 * ow * ow;
  const Found caps = slab(o[2], d[2], length / 2);
  if (a > 0) return both(caps, quadratic(a, b, c));
  if (a == 0) {
    // The direction is parallel to a generator of the cone: the condition is linear in t, or constant.
    if (b == 0) return c > 0 ? std::nullopt : caps;
    const Number t = -c / (2 * b);
    return both(caps, b > 0 ? TrueCrossing{-unlimited(), t} : TrueCrossing{t, unlimited()});
  }
  Number disc = b * b - a * c;
  if (disc < 0) disc = 0;
  const Number root = sqrt(disc);
  const Number first = (-b + root) / a, second = (-b - root) / a;  // first <= second
  return both(caps, dw > 0 ? TrueCrossing{second, unlimited()} : TrueCrossing{-unlimited(), first});
}

}  // namespace oracle

/// The crossing of the line with origin ray.origin and direction ray.direction - velocity. The subtraction is exact.
inline std::optional<TrueCrossing> true_crossing(const Ray& ray, const Vector3& velocity, const Solid& solid,
                                                 const Pose& pose) {
  const NVector o = local_point(ray.origin, pose);
  NVector relative = number(ray.direction);
  for (std::size_t i = 0; i < 3; ++i)
    relative[i] -= Number(velocity[static_cast<int>(i)]);
  const NVector d = turned_back(relative, pose);
  const Number r = solid.radius;
  const Number half = Number(solid.length) / 2;
  using namespace oracle;
  switch (solid.kind) {
    case Solid::sphere:
      return ball(o, d, r);
    case Solid::box: {
      Found all = slab(o[0], d[0], Number(solid.size[0]) / 2);
      all = both(all, slab(o[1], d[1], Number(solid.size[1]) / 2));
      return both(all, slab(o[2], d[2], Number(solid.size[2]) / 2));
    }
    case Solid::capsule:
      return either(cylinder(o, d, r, half),
                    either(ball({o[0], o[1], o[2] - half}, d, r), ball({o[0], o[1], o[2] + half}, d, r)));
    case Solid::cylinder:
      return cylinder(o, d, r, half);
    case Solid::cone:
      return cone(o, d, r, Number(solid.length));
    case Solid::ellipsoid: {
      Found flat = TrueCrossing{-unlimited(), unlimited()};
      NVector so, sd;
      for (std::size_t i = 0; i < 3; ++i) {
        const Number radius = solid.size[static_cast<int>(i)];
        if (radius == 0) {
          flat = both(flat, slab(o[i], d[i], 0));
          so[i] = sd[i] = 0;
        } else {
          so[i] = o[i] / radius;
          sd[i] = d[i] / radius;
        }
      }
      return both(flat, ball(so, sd, 1));
    }
  }
  return std::nullopt;
}

}  // namespace whisker::test
