#include <algorithm>
#include <cmath>

#include <whisker/geometry/interval.hpp>

#include "geometry/constants.hpp"
#include "geometry/double_double.hpp"
#include "geometry/interval_inline.hpp"

namespace whisker {

using geometry::largest_double;
using geometry::next_down;
using geometry::next_up;

Interval Interval::whole() {
  return {-infinity, infinity};
}

Interval operator-(const Interval& a) {
  return {-a.upper, -a.lower};
}
Interval operator+(const Interval& a, const Interval& b) {
  return geometry::add(a, b);
}
Interval operator-(const Interval& a, const Interval& b) {
  return geometry::subtract(a, b);
}
Interval operator*(const Interval& a, const Interval& b) {
  return geometry::multiply(a, b);
}
Interval operator/(const Interval& a, const Interval& b) {
  return geometry::divide(a, b);
}
Interval& operator+=(Interval& a, const Interval& b) {
  return a = geometry::add(a, b);
}
Interval& operator-=(Interval& a, const Interval& b) {
  return a = geometry::subtract(a, b);
}
Interval& operator*=(Interval& a, const Interval& b) {
  return a = geometry::multiply(a, b);
}
Interval& operator/=(Interval& a, const Interval& b) {
  return a = geometry::divide(a, b);
}

Interval square(const Interval& a) {
  return geometry::squared(a);
}

Interval sqrt(const Interval& a) {
  return {a.lower > 0 ? geometry::sqrt_down(a.lower) : 0.0, a.upper > 0 ? geometry::sqrt_up(a.upper) : 0.0};
}

Interval abs(const Interval& a) {
  return {mignitude(a), magnitude(a)};
}
Interval min(const Interval& a, const Interval& b) {
  return {std::min(a.lower, b.lower), std::min(a.upper, b.upper)};
}
Interval max(const Interval& a, const Interval& b) {
  return {std::max(a.lower, b.lower), std::max(a.upper, b.upper)};
}

namespace {

/// Intervals with larger angles get [-1, 1], unless they are a single number.
constexpr double largest_angle = 0x1p45;

/// Rounds a sine or cosine of the C library outward by two ulps, twice the error that the library is trusted with.
double library_down(double value) {
  const double down = next_down(next_down(value));
  // The library is off by at most one ulp, so a positive value means that the true value is not negative.
  return std::max(down, value > 0 ? 0.0 : -1.0);
}
double library_up(double value) {
  return -library_down(-value);
}

/// Sine (quarter = 1) or cosine (quarter = 0) of a. The extremes ±1 lie at (2n + quarter) π/2, with the sign of (-1)^n.
Interval wave(const Interval& a, double (*function)(double), int quarter) {
  if (!(std::abs(a.lower) <= largest_double && std::abs(a.upper) <= largest_double)) return {-1, 1};
  if (a.lower == a.upper) {
    if (a.lower == 0) return quarter == 0 ? Interval(1) : Interval(0);
    const double value = function(a.lower);
    return {library_down(value), library_up(value)};
  }
  if (!(std::abs(a.lower) <= largest_angle && std::abs(a.upper) <= largest_angle)) return {-1, 1};
  constexpr double above_full_turn = 0x1.921fb54442d19p+2;  // the double after 2π
  if (a.upper - a.lower >= above_full_turn) return {-1, 1};

  const double lower_value = function(a.lower);
  const double upper_value = function(a.upper);
  Interval result(library_down(std::min(lower_value, upper_value)), library_up(std::max(lower_value, upper_value)));
  if (quarter == 1) {  // sin 0 = 0 exactly. Worth keeping because angles often start there.
    if (a.lower == 0 && upper_value >= 0) result.lower = 0;
    if (a.upper == 0 && lower_value <= 0) result.upper = 0;
  }
  // π/2 is accurate to 2^-109 of itself. A multiple by an integer below 2^46 is then accurate to 2^-103 of itself, and
  // the comparison with a bound adds less. An extreme that lies just outside but is included because of the slack is
  // within 2^-54 of the interval, where the function is ±1 up to 2^-109.
  const geometry::DoubleDouble half_pi(0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54);
  const double first = std::floor((a.lower * 0.6366197723675814 - quarter) * 0.5) - 1;
  for (int i = 0; i < 6; ++i) {
    const double n = first + i;
    const geometry::DoubleDouble extreme = half_pi * (2 * n + quarter);
    const double slack = std::abs(extreme.hi) * 0x1p-100;
    if ((extreme - a.lower).hi < -slack) continue;
    if ((extreme - a.upper).hi > slack) break;
    if (std::fmod(n, 2.0) == 0)
      result.upper = 1;
    else
      result.lower = -1;
  }
  return result;
}

}  // namespace

Interval sin(const Interval& a) {
  return wave(a, std::sin, 1);
}
Interval cos(const Interval& a) {
  return wave(a, std::cos, 0);
}

Interval hull(const Interval& a, const Interval& b) {
  return {std::min(a.lower, b.lower), std::max(a.upper, b.upper)};
}

std::optional<Interval> intersect(const Interval& a, const Interval& b) {
  if (!overlaps(a, b)) return std::nullopt;
  return Interval(std::max(a.lower, b.lower), std::min(a.upper, b.upper));
}

bool contains(const Interval& a, double value) {
  return a.lower <= value && value <= a.upper;
}
bool contains(const Interval& a, const Interval& inner) {
  return a.lower <= inner.lower && inner.upper <= a.upper;
}
bool overlaps(const Interval& a, const Interval& b) {
  return a.lower <= b.upper && b.lower <= a.upper;
}
double width(const Interval& a) {
  return geometry::add_up(a.upper, -a.lower);
}

double middle(const Interval& a) {
  if (a.lower == -infinity) return a.upper == infinity ? 0.0 : -largest_double;
  if (a.upper == infinity) return largest_double;
  // If the sum overflows, halve each bound first. Halving loses at most a subnormal bit, which the clamp corrects.
  const double sum = a.lower + a.upper;
  const double half = std::abs(sum) <= largest_double ? 0.5 * sum : 0.5 * a.lower + 0.5 * a.upper;
  return std::clamp(half, a.lower, a.upper);
}

double magnitude(const Interval& a) {
  return std::max(std::abs(a.lower), std::abs(a.upper));
}
double mignitude(const Interval& a) {
  if (contains(a, 0.0)) return 0;
  return std::min(std::abs(a.lower), std::abs(a.upper));
}

bool certainly_less(const Interval& a, const Interval& b) {
  return a.upper < b.lower;
}
bool certainly_less_equal(const Interval& a, const Interval& b) {
  return a.upper <= b.lower;
}
bool possibly_less(const Interval& a, const Interval& b) {
  return a.lower < b.upper;
}
bool possibly_less_equal(const Interval& a, const Interval& b) {
  return a.lower <= b.upper;
}

IntervalVector3 operator-(const IntervalVector3& a) {
  return {-a.x, -a.y, -a.z};
}
IntervalVector3 operator+(const IntervalVector3& a, const IntervalVector3& b) {
  return {geometry::add(a.x, b.x), geometry::add(a.y, b.y), geometry::add(a.z, b.z)};
}
IntervalVector3 operator-(const IntervalVector3& a, const IntervalVector3& b) {
  return {geometry::subtract(a.x, b.x), geometry::subtract(a.y, b.y), geometry::subtract(a.z, b.z)};
}
IntervalVector3 operator*(const IntervalVector3& a, const Interval& factor) {
  return {geometry::multiply(a.x, factor), geometry::multiply(a.y, factor), geometry::multiply(a.z, factor)};
}
IntervalVector3 operator*(const Interval& factor, const IntervalVector3& a) {
  return a * factor;
}

Interval dot(const IntervalVector3& a, const IntervalVector3& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
IntervalVector3 cross(const IntervalVector3& a, const IntervalVector3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
Interval norm_squared(const IntervalVector3& a) {
  return square(a.x) + square(a.y) + square(a.z);
}
Interval norm(const IntervalVector3& a) {
  return sqrt(norm_squared(a));
}
IntervalVector3 hull(const IntervalVector3& a, const IntervalVector3& b) {
  return {hull(a.x, b.x), hull(a.y, b.y), hull(a.z, b.z)};
}
bool contains(const IntervalVector3& a, const Vector3& value) {
  return contains(a.x, value[0]) && contains(a.y, value[1]) && contains(a.z, value[2]);
}
bool contains(const IntervalVector3& a, const IntervalVector3& inner) {
  return contains(a.x, inner.x) && contains(a.y, inner.y) && contains(a.z, inner.z);
}
bool overlaps(const IntervalVector3& a, const IntervalVector3& b) {
  return overlaps(a.x, b.x) && overlaps(a.y, b.y) && overlaps(a.z, b.z);
}

IntervalMatrix3::IntervalMatrix3(const Matrix3& value) {
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      (*this)(i, j) = value(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
}

IntervalMatrix3 IntervalMatrix3::identity() {
  return Matrix3(Matrix3::Identity());
}

IntervalMatrix3 operator-(const IntervalMatrix3& a) {
  IntervalMatrix3 result;
  for (std::size_t k = 0; k < 9; ++k)
    result.entry[k] = -a.entry[k];
  return result;
}
IntervalMatrix3 operator+(const IntervalMatrix3& a, const IntervalMatrix3& b) {
  IntervalMatrix3 result;
  for (std::size_t k = 0; k < 9; ++k)
    result.entry[k] = a.entry[k] + b.entry[k];
  return result;
}
IntervalMatrix3 operator-(const IntervalMatrix3& a, const IntervalMatrix3& b) {
  return a + (-b);
}
IntervalVector3 operator*(const IntervalMatrix3& a, const IntervalVector3& b) {
  IntervalVector3 result;
  for (std::size_t i = 0; i < 3; ++i)
    result[i] = a(i, 0) * b.x + a(i, 1) * b.y + a(i, 2) * b.z;
  return result;
}
IntervalMatrix3 operator*(const IntervalMatrix3& a, const IntervalMatrix3& b) {
  IntervalMatrix3 result;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      result(i, j) = a(i, 0) * b(0, j) + a(i, 1) * b(1, j) + a(i, 2) * b(2, j);
  return result;
}
IntervalMatrix3 transpose(const IntervalMatrix3& a) {
  IntervalMatrix3 result;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      result(i, j) = a(j, i);
  return result;
}
Vector3 middle(const IntervalVector3& a) {
  return {middle(a.x), middle(a.y), middle(a.z)};
}
Matrix3 middle(const IntervalMatrix3& a) {
  Matrix3 result;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      result(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = middle(a(i, j));
  return result;
}
bool contains(const IntervalMatrix3& a, const Matrix3& value) {
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      if (!contains(a(i, j), value(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)))) return false;
  return true;
}

}  // namespace whisker
