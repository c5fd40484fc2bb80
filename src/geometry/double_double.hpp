#pragma once

// Numbers of about 106 bits, as the unevaluated sum of two doubles, for queries that must know their own rounding
// error.
//
// Sources: T. J. Dekker (1971); M. Joldes, J.-M. Muller, V. Popescu, "Tight and rigorous error bounds for basic
// building blocks of double-word arithmetic" (2017), whose algorithm numbers and bounds are given below (u = 2^-53).
//
// A DoubleDouble made by these functions is normalized: hi is the double nearest to hi + lo, so |lo| <= ulp(hi) / 2.
//
// Relative error bounds, for normalized operands and results in range:
//   DoubleDouble + - DoubleDouble   3 u² + 13 u³      < 2^-104   (algorithm 6, the accurate addition: any signs)
//   DoubleDouble + - double         2 u²              = 2^-105   (algorithm 4)
//   DoubleDouble * DoubleDouble     8 u²              = 2^-103   (algorithm 10, proven 7 u², plus u² for slack)
//   DoubleDouble * double           3 u²              < 2^-104   (algorithm 7: 1.5 u² + 4 u³)
//   DoubleDouble / DoubleDouble     16 u²             = 2^-102   (algorithm 17: 15 u² + 56 u³)
//   DoubleDouble / double           4 u²              = 2^-104   (algorithm 14 and 15: 3 u²)
//   sqrt                            4 u²              = 2^-104   (V. Lefèvre, N. Louvet, J.-M. Muller, J. Picot,
//       L. Rideau, "Accurate calculation of Euclidean norms using double-word arithmetic" (2023): 25/8 u²)
// difference(a, b), sum(a, b) and product(a, b) of doubles are exact.
//
// Range. Products need operands below 2^996 in magnitude (Veltkamp's splitting multiplies by 2^27 + 1) and a result
// that is 0 or at least 2^-967 (then its error term, down to 2^-106 of it, is not lost to underflow). Quotients need
// the same of dividend, divisor and quotient, and square roots of their argument. Below these limits a product is off
// by at most 2^-1070, and nothing is guaranteed for quotients and roots. Above them the result is NaN or infinite. Sums
// and differences have no limit short of overflow. Division by zero gives NaN or infinity.

#include <cmath>
#include <compare>

#include <whisker/vector.hpp>

#include "geometry/constants.hpp"
#include "geometry/expansion.hpp"

namespace whisker::geometry {

struct DoubleDouble {
  double hi = 0;
  double lo = 0;

  DoubleDouble() = default;
  DoubleDouble(double value) : hi(value) {}  // NOLINT: every double is exactly a DoubleDouble
  DoubleDouble(double hi_, double lo_) : hi(hi_), lo(lo_) {}
  explicit DoubleDouble(Exact2 value) : hi(value.high), lo(value.low) {}

  /// The nearest double.
  explicit operator double() const { return hi; }

  /// Compares hi, then lo. Nothing holds for NaN.
  friend auto operator<=>(const DoubleDouble&, const DoubleDouble&) = default;
};

/// a + b exactly.
inline DoubleDouble sum(double a, double b) {
  return DoubleDouble(two_sum(a, b));
}
/// a - b exactly.
inline DoubleDouble difference(double a, double b) {
  return DoubleDouble(two_diff(a, b));
}
/// a * b exactly.
inline DoubleDouble product(double a, double b) {
  return DoubleDouble(two_product(a, b));
}
/// a * a exactly.
inline DoubleDouble square(double a) {
  return DoubleDouble(two_square(a));
}

inline DoubleDouble operator-(DoubleDouble a) {
  return {-a.hi, -a.lo};
}
/// |a|.
inline DoubleDouble abs(DoubleDouble a) {
  return a.hi < 0 ? -a : a;
}

inline DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
  const Exact2 s = two_sum(a.hi, b.hi);
  const Exact2 t = two_sum(a.lo, b.lo);
  const Exact2 v = fast_two_sum(s.high, s.low + t.high);
  return DoubleDouble(fast_two_sum(v.high, t.low + v.low));
}
inline DoubleDouble operator+(DoubleDouble a, double b) {
  const Exact2 s = two_sum(a.hi, b);
  return DoubleDouble(fast_two_sum(s.high, a.lo + s.low));
}
inline DoubleDouble operator+(double a, DoubleDouble b) {
  return b + a;
}
inline DoubleDouble operator-(DoubleDouble a, DoubleDouble b) {
  return a + (-b);
}
inline DoubleDouble operator-(DoubleDouble a, double b) {
  return a + (-b);
}
inline DoubleDouble operator-(double a, DoubleDouble b) {
  return (-b) + a;
}

inline DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
  const Exact2 p = two_product(a.hi, b.hi);
  return DoubleDouble(fast_two_sum(p.high, p.low + (a.hi * b.lo + a.lo * b.hi)));
}
inline DoubleDouble operator*(DoubleDouble a, double b) {
  const Exact2 p = two_product(a.hi, b);
  const Exact2 s = fast_two_sum(p.high, a.lo * b);
  return DoubleDouble(fast_two_sum(s.high, s.low + p.low));
}
inline DoubleDouble operator*(double a, DoubleDouble b) {
  return b * a;
}
/// a², with the error bound of a product.
inline DoubleDouble square(DoubleDouble a) {
  const Exact2 p = two_square(a.hi);
  return DoubleDouble(fast_two_sum(p.high, p.low + 2 * (a.hi * a.lo)));
}

inline DoubleDouble operator/(DoubleDouble a, double b) {
  const double quotient = a.hi / b;
  const Exact2 p = two_product(quotient, b);
  const double rest = ((a.hi - p.high) - p.low) + a.lo;
  return DoubleDouble(fast_two_sum(quotient, rest / b));
}
inline DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
  const double quotient = a.hi / b.hi;
  const DoubleDouble r = b * quotient;
  const double rest = (a.hi - r.hi) + (a.lo - r.lo);
  return DoubleDouble(fast_two_sum(quotient, rest / b.hi));
}
inline DoubleDouble operator/(double a, DoubleDouble b) {
  return DoubleDouble(a) / b;
}

inline DoubleDouble& operator+=(DoubleDouble& a, DoubleDouble b) {
  return a = a + b;
}

/// -1, 0 or +1. hi has the sign of the sum.
inline int sign(DoubleDouble a) {
  return a.hi > 0 ? 1 : (a.hi < 0 ? -1 : 0);
}

/// The square root. 0 for anything that is not positive (a squared length may come out slightly below zero).
inline DoubleDouble sqrt(DoubleDouble a) {
  if (!(a.hi > 0)) return {};
  // One Newton step on the rounded root r: r + (a - r²) / (2r). The residual is exact to first order.
  const double root = std::sqrt(a.hi);
  const Exact2 p = two_square(root);
  const double rest = ((a.hi - p.high) - p.low) + a.lo;
  return DoubleDouble(fast_two_sum(root, rest / (2 * root)));
}

/// The largest double that is <= a. This rounds the number itself outward and does not account for earlier errors.
inline double round_down(DoubleDouble a) {
  return a.lo < 0 ? std::nextafter(a.hi, -infinity) : a.hi;
}
/// The smallest double that is >= a.
inline double round_up(DoubleDouble a) {
  return a.lo > 0 ? std::nextafter(a.hi, infinity) : a.hi;
}

/// A vector of DoubleDoubles.
struct Vector3dd {
  DoubleDouble x, y, z;
};

inline Vector3dd to_double_double(const Vector3& v) {
  return {v[0], v[1], v[2]};
}
/// a - b exactly.
inline Vector3dd difference(const Vector3& a, const Vector3& b) {
  return {difference(a[0], b[0]), difference(a[1], b[1]), difference(a[2], b[2])};
}
inline Vector3dd operator+(const Vector3dd& a, const Vector3dd& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline Vector3dd operator-(const Vector3dd& a, const Vector3dd& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline Vector3dd operator-(const Vector3dd& a) {
  return {-a.x, -a.y, -a.z};
}
inline Vector3dd operator*(const Vector3dd& a, DoubleDouble b) {
  return {a.x * b, a.y * b, a.z * b};
}
inline Vector3dd operator*(DoubleDouble a, const Vector3dd& b) {
  return b * a;
}

/// The error is at most 2^-101 (|a.x b.x| + |a.y b.y| + |a.z b.z|).
inline DoubleDouble dot(const Vector3dd& a, const Vector3dd& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
/// The error of each component is at most 2^-101 times the sum of the magnitudes of its two products.
inline Vector3dd cross(const Vector3dd& a, const Vector3dd& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
/// Relative error at most 2^-101.
inline DoubleDouble squared_norm(const Vector3dd& a) {
  return square(a.x) + square(a.y) + square(a.z);
}
/// Relative error at most 2^-101.
inline DoubleDouble norm(const Vector3dd& a) {
  return sqrt(squared_norm(a));
}
/// The nearest doubles.
inline Vector3 to_vector3(const Vector3dd& a) {
  return {a.x.hi, a.y.hi, a.z.hi};
}

}  // namespace whisker::geometry
