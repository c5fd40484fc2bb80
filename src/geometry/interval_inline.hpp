#pragma once

// Outward rounding without changing the rounding mode, and inline interval operations for hot loops.
//
// A bound is computed in round-to-nearest, and an error-free transformation (expansion.hpp) finds its exact error. The
// bound moves by one ulp only if the error points outward. If the transformation itself may underflow or overflow, the
// bound always moves.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include <whisker/geometry/interval.hpp>

#include "geometry/constants.hpp"
#include "geometry/expansion.hpp"

namespace whisker::geometry {

inline constexpr double largest_double = std::numeric_limits<double>::max();
inline constexpr double smallest_double = std::numeric_limits<double>::denorm_min();

/// The next double above x, for any x but NaN. Both infinities stay, as bounds of an unbounded interval.
inline double next_up(double x) {
  if (x == 0) return smallest_double;
  if (std::abs(x) > largest_double) return x;
  const std::int64_t bits = std::bit_cast<std::int64_t>(x);
  return std::bit_cast<double>(x > 0 ? bits + 1 : bits - 1);
}
inline double next_down(double x) {
  return -next_up(-x);
}

/// a + b rounded down, for bounds that are finite or -infinity. A sum that overflows upward is at least the largest
/// double.
inline double add_down(double a, double b) {
  const Exact2 sum = two_sum(a, b);
  if (sum.low >= 0) return sum.high;
  if (std::abs(sum.high) > largest_double) return sum.high > 0 ? largest_double : sum.high;
  return next_down(sum.high);  // Also if the error is NaN after an intermediate overflow.
}
inline double add_up(double a, double b) {
  return -add_down(-a, -b);
}

/// True if two_product(a, b) is exact, or at least the sign of its error is correct. See expansion.hpp.
inline bool product_error_is_exact(double a, double b, double product) {
  return std::abs(a) < 0x1p995 && std::abs(b) < 0x1p995 && std::abs(product) > 0x1p-967 &&
         std::abs(product) <= largest_double;
}

/// a * b rounded down. 0 if either is 0, even if the other is infinite.
inline double multiply_down(double a, double b) {
  const double product = a * b;
  if (product_error_is_exact(a, b, product)) {
    const Exact2 exact = two_product(a, b);
    return exact.low < 0 ? next_down(product) : product;
  }
  if (a == 0 || b == 0) return 0;
  if (product == infinity && std::abs(a) <= largest_double && std::abs(b) <= largest_double) return largest_double;
  if (product == 0 && (a < 0) == (b < 0)) return 0;
  return next_down(product);
}
inline double multiply_up(double a, double b) {
  return -multiply_down(-a, b);
}

/// a / b rounded down, for b != 0 and not both infinite.
inline double divide_down(double a, double b) {
  const double quotient = a / b;
  if (std::abs(quotient) > 0x1p-960 && std::abs(b) > 0x1p-960 && product_error_is_exact(quotient, b, a)) {
    // quotient * b equals a up to its last place, so the remainder is exact (Dekker 1971).
    const Exact2 product = two_product(quotient, b);
    const double remainder = (a - product.high) - product.low;
    return (b > 0 ? remainder < 0 : remainder > 0) ? next_down(quotient) : quotient;
  }
  if (a == 0 || std::abs(b) > largest_double) return 0;
  if (quotient == infinity && std::abs(a) <= largest_double) return largest_double;
  if (quotient == 0 && (a < 0) == (b < 0)) return 0;
  return next_down(quotient);
}
inline double divide_up(double a, double b) {
  return -divide_down(-a, b);
}

/// The square root of a >= 0, rounded down and up.
inline double sqrt_down(double a) {
  const double root = std::sqrt(a);
  if (a == 0 || a > largest_double) return root;
  if (a < 0x1p-960 || a > 0x1p990) return next_down(root);
  const Exact2 square = two_square(root);
  return (a - square.high) - square.low < 0 ? next_down(root) : root;
}
inline double sqrt_up(double a) {
  const double root = std::sqrt(a);
  if (a == 0 || a > largest_double) return root;
  if (a < 0x1p-960 || a > 0x1p990) return next_up(root);
  const Exact2 square = two_square(root);
  return (a - square.high) - square.low > 0 ? next_up(root) : root;
}

inline Interval add(const Interval& a, const Interval& b) {
  return {add_down(a.lower, b.lower), add_up(a.upper, b.upper)};
}
inline Interval subtract(const Interval& a, const Interval& b) {
  return {add_down(a.lower, -b.upper), add_up(a.upper, -b.lower)};
}
inline Interval multiply(const Interval& a, const Interval& b) {
  if (a.lower >= 0) {
    if (b.lower >= 0) return {multiply_down(a.lower, b.lower), multiply_up(a.upper, b.upper)};
    if (b.upper <= 0) return {multiply_down(a.upper, b.lower), multiply_up(a.lower, b.upper)};
    return {multiply_down(a.upper, b.lower), multiply_up(a.upper, b.upper)};
  }
  if (a.upper <= 0) {
    if (b.lower >= 0) return {multiply_down(a.lower, b.upper), multiply_up(a.upper, b.lower)};
    if (b.upper <= 0) return {multiply_down(a.upper, b.upper), multiply_up(a.lower, b.lower)};
    return {multiply_down(a.lower, b.upper), multiply_up(a.lower, b.lower)};
  }
  if (b.lower >= 0) return {multiply_down(a.lower, b.upper), multiply_up(a.upper, b.upper)};
  if (b.upper <= 0) return {multiply_down(a.upper, b.lower), multiply_up(a.lower, b.lower)};
  return {std::min(multiply_down(a.lower, b.upper), multiply_down(a.upper, b.lower)),
          std::max(multiply_up(a.lower, b.lower), multiply_up(a.upper, b.upper))};
}
inline Interval divide(const Interval& a, const Interval& b) {
  if (b.lower > 0) {
    if (a.lower >= 0) return {divide_down(a.lower, b.upper), divide_up(a.upper, b.lower)};
    if (a.upper <= 0) return {divide_down(a.lower, b.lower), divide_up(a.upper, b.upper)};
    return {divide_down(a.lower, b.lower), divide_up(a.upper, b.lower)};
  }
  if (b.upper < 0) {
    if (a.lower >= 0) return {divide_down(a.upper, b.upper), divide_up(a.lower, b.lower)};
    if (a.upper <= 0) return {divide_down(a.upper, b.lower), divide_up(a.lower, b.upper)};
    return {divide_down(a.upper, b.upper), divide_up(a.lower, b.upper)};
  }
  return {-infinity, infinity};
}
inline Interval squared(const Interval& a) {
  if (a.lower >= 0) return {multiply_down(a.lower, a.lower), multiply_up(a.upper, a.upper)};
  if (a.upper <= 0) return {multiply_down(a.upper, a.upper), multiply_up(a.lower, a.lower)};
  const double far = -a.lower > a.upper ? a.lower : a.upper;
  return {0, multiply_up(far, far)};
}

}  // namespace whisker::geometry
