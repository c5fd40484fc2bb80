#pragma once

// Numbers that carry a bound on their own rounding error, and stretches of a line with bounds on both ends.
//
// A Rounded<T> is a value in T (double or DoubleDouble) and a bound on its distance from the true number. Each
// operation bounds the error that it inherits and the error that it makes (running error analysis; Higham, "Accuracy
// and Stability of Numerical Algorithms", 2002, section 3.3). A formula is written once over T. It is evaluated in
// double, and again in double-double if double could not decide.

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "geometry/constants.hpp"
#include "geometry/double_double.hpp"

namespace whisker::geometry {

// The relative error of one operation: u = 2^-53 in double. 16 u² = 2^-102 is the largest bound in double_double.hpp.
template <class T>
constexpr double unit_error = 0x1p-53;
template <>
inline constexpr double unit_error<DoubleDouble> = 0x1p-102;

inline double leading(double a) {
  return a;
}
inline double leading(DoubleDouble a) {
  return a.hi;
}
/// |a| up to a relative error of 2^-53, which `inflated` covers.
inline double magnitude(double a) {
  return std::abs(a);
}
inline double magnitude(DoubleDouble a) {
  return std::abs(a.hi);
}
/// Increases an error bound to cover the few roundings of its own computation.
inline double inflated(double error) {
  return error * (1 + 0x1p-49);
}

template <class T>
struct Rounded {
  T value = T(0);
  double error = 0;

  double upper_magnitude() const { return inflated(magnitude(value) + error); }
  /// True only if the true number is above (below) zero.
  bool positive() const { return leading(value) > error * (1 + 0x1p-50); }
  bool negative() const { return -leading(value) > error * (1 + 0x1p-50); }
  bool exactly_zero() const { return leading(value) == 0 && error == 0; }
};

// Products and quotients below the limit may have lost bits to underflow. The loss is far below underflow_error.
constexpr double underflow_limit = 1e-280;
constexpr double underflow_error = 1e-300;

template <class T>
Rounded<T> operator-(Rounded<T> a) {
  return {-a.value, a.error};
}
template <class T>
Rounded<T> operator+(Rounded<T> a, Rounded<T> b) {
  const T value = a.value + b.value;
  return {value, inflated(a.error + b.error + unit_error<T> * magnitude(value))};
}
template <class T>
Rounded<T> operator-(Rounded<T> a, Rounded<T> b) {
  return a + (-b);
}
template <class T>
Rounded<T> operator*(Rounded<T> a, Rounded<T> b) {
  const T value = a.value * b.value;
  const double size = magnitude(value);
  double error =
      inflated(magnitude(a.value) * b.error + a.error * (magnitude(b.value) + b.error) + unit_error<T> * size);
  if (size < underflow_limit && leading(a.value) != 0 && leading(b.value) != 0) error += underflow_error;
  return {value, error};
}
/// a / b. The error is unbounded unless b is known to be nonzero.
template <class T>
Rounded<T> operator/(Rounded<T> a, Rounded<T> b) {
  const double smallest = magnitude(b.value) * (1 - 0x1p-50) - b.error;
  if (!(smallest > 0)) return {T(0), infinity};
  const T value = a.value / b.value;
  const double size = magnitude(value);
  double error = inflated((a.error + size * b.error) / smallest + unit_error<T> * size);
  if (size < underflow_limit && leading(a.value) != 0) error += underflow_error;
  return {value, error};
}
/// The square root of a number that is known to be >= 0, even if its bounds include negative numbers.
template <class T>
Rounded<T> root_of(Rounded<T> a) {
  using std::sqrt;
  if (!(leading(a.value) > 0)) {
    const double top = std::sqrt(std::max(0.0, leading(a.value)) + a.error);
    return {T(0), inflated(top)};
  }
  const T value = sqrt(a.value);
  const double size = magnitude(value);
  // |sqrt(x) - sqrt(y)| = |x - y| / (sqrt(x) + sqrt(y)), and never more than sqrt(|x - y|).
  const double inherited = std::min(a.error / (size * (1 - 0x1p-50)), std::sqrt(a.error));
  return {value, inflated(inherited + unit_error<T> * size) + (size < underflow_limit ? underflow_error : 0.0)};
}

template <class T>
Rounded<T> exactly(double value) {
  return {T(value), 0};
}
/// A sum of two doubles: exact in double-double. In double, the smaller one is the error.
template <class T>
Rounded<T> from_exact(Exact2 sum) {
  if constexpr (std::is_same_v<T, double>) {
    return {sum.high, std::abs(sum.low)};
  } else {
    return {T(sum), 0};
  }
}

/// A double below (above) any number whose sum or product was rounded to `a` once. Infinities stay.
inline double below(double a) {
  const double step = std::abs(a) * 0x1p-52 + std::numeric_limits<double>::denorm_min();
  return step < infinity ? a - step : a;
}
inline double above(double a) {
  return -below(-a);
}

/// A number with bounds that contain the true value: lower <= value <= upper.
struct Bounded {
  double lower = 0;
  double value = 0;
  double upper = 0;
};

inline Bounded bounded(Rounded<double> a) {
  if (a.error == 0) return {a.value, a.value, a.value};
  if (!(a.error < infinity)) return {-infinity, 0, infinity};
  return {below(a.value - a.error), a.value, above(a.value + a.error)};
}
inline Bounded bounded(Rounded<DoubleDouble> a) {
  if (!(a.error < infinity)) return {-infinity, 0, infinity};
  const double low = a.value.lo - a.error;
  const double high = a.value.lo + a.error;
  // If the rest is zero, the bound is exactly hi. Otherwise it moves one unit outward.
  return {low == 0 ? a.value.hi : below(a.value.hi + below(low)), a.value.hi,
          high == 0 ? a.value.hi : above(a.value.hi + above(high))};
}
inline Bounded at(double value) {
  return {value, value, value};
}

inline Bounded larger(const Bounded& a, const Bounded& b) {
  return {std::max(a.lower, b.lower), std::max(a.value, b.value), std::max(a.upper, b.upper)};
}
inline Bounded smaller(const Bounded& a, const Bounded& b) {
  return {std::min(a.lower, b.lower), std::min(a.value, b.value), std::min(a.upper, b.upper)};
}

/// The part of a line that is inside a convex set.
struct Stretch {
  bool possible = false;  ///< False: the line is proven to miss the set.
  bool certain = false;   ///< True: the line is proven to hit the set.
  Bounded enter;
  Bounded exit;
  int enter_part = 0;  ///< The piece of the boundary that each end lies on, numbered by the maker of the stretch.
  int exit_part = 0;
};

inline Stretch nowhere() {
  return {};
}
inline Stretch whole_line(bool certain) {
  return {true, certain, at(-infinity), at(infinity), -1, -1};
}

/// The part of the line in both sets.
inline Stretch shared(const Stretch& a, const Stretch& b) {
  if (!a.possible || !b.possible) return nowhere();
  Stretch both;
  both.enter = larger(a.enter, b.enter);
  both.exit = smaller(a.exit, b.exit);
  if (both.enter.lower > both.exit.upper) return nowhere();
  both.possible = true;
  both.certain = a.certain && b.certain && both.enter.upper <= both.exit.lower;
  both.enter_part = a.enter.value >= b.enter.value ? a.enter_part : b.enter_part;
  both.exit_part = a.exit.value <= b.exit.value ? a.exit_part : b.exit_part;
  return both;
}

/// The part of the line in at least one of two sets whose union is convex.
inline Stretch united(const Stretch& a, const Stretch& b) {
  if (!a.possible) return b;
  if (!b.possible) return a;
  Stretch either;
  either.possible = true;
  either.certain = a.certain || b.certain;
  either.enter = smaller(a.enter, b.enter);
  either.exit = larger(a.exit, b.exit);
  // A set that may be missed guarantees neither an early enter nor a late exit.
  if (a.certain != b.certain) {
    either.enter.upper = a.certain ? a.enter.upper : b.enter.upper;
    either.exit.lower = a.certain ? a.exit.lower : b.exit.lower;
  } else if (!a.certain) {
    either.enter.upper = std::max(a.enter.upper, b.enter.upper);
    either.exit.lower = std::min(a.exit.lower, b.exit.lower);
  }
  either.enter_part = a.enter.value <= b.enter.value ? a.enter_part : b.enter_part;
  either.exit_part = a.exit.value >= b.exit.value ? a.exit_part : b.exit_part;
  return either;
}

/// If the line hits at all, it enters before it leaves. This tightens the bounds and orders the values accordingly.
inline void tidy(Stretch& stretch) {
  stretch.enter.upper = std::min(stretch.enter.upper, stretch.exit.upper);
  stretch.exit.lower = std::max(stretch.exit.lower, stretch.enter.lower);
  stretch.enter.value = std::clamp(stretch.enter.value, stretch.enter.lower, stretch.enter.upper);
  stretch.exit.value = std::clamp(stretch.exit.value, stretch.exit.lower, stretch.exit.upper);
  if (stretch.enter.value > stretch.exit.value) {
    const double value = std::min(stretch.enter.value, stretch.exit.upper);
    stretch.enter.value = value;
    stretch.exit.value = value;
  }
}

}  // namespace whisker::geometry
