#pragma once

/// \file
/// Interval arithmetic: numbers known to lie between two doubles, with every operation rounded outward.
///
/// If x lies in a and y lies in b, the exact real x op y lies in `a op b`. Each end of a result of + - * /, `square`
/// and `sqrt` is the exact end of the true range rounded outward to a double: exact where it is a double, so [1,1] +
/// [1,1] is [2,2], and less than one unit in the last place away otherwise. (Where magnitudes below 2^-960 or above
/// 2^990 are multiplied, divided or rooted, an end may lie up to one unit further out.) The rounding mode is not
/// touched.
///
/// An interval is not empty: lower <= upper. It may be unbounded: lower may be -infinity and upper +infinity, but not
/// lower +infinity or upper -infinity. Operations on such intervals never give NaN; zero times an unbounded end is
/// zero, because an unbounded interval holds every large number but not infinity itself. A result too large for a
/// double is unbounded on that side. NaN in gives nothing useful out.
///
/// Nothing is thrown or allocated; safe in any thread.

#include <array>
#include <cstddef>
#include <optional>

#include <whisker/vector.hpp>

namespace whisker {

/// All real numbers x with lower <= x <= upper.
struct Interval {
  double lower = 0;
  double upper = 0;

  Interval() = default;
  /// One number exactly, without a word: constants mix with intervals.
  Interval(double value) : lower(value), upper(value) {}  // NOLINT: implicit by design
  /// From lower to upper; lower <= upper is the caller's promise.
  Interval(double lower_, double upper_) : lower(lower_), upper(upper_) {}

  /// All real numbers.
  static Interval whole();

  /// The same two ends.
  bool operator==(const Interval&) const = default;
};

Interval operator-(const Interval& a);
Interval operator+(const Interval& a, const Interval& b);
Interval operator-(const Interval& a, const Interval& b);
Interval operator*(const Interval& a, const Interval& b);
/// The whole line if b contains 0, even as an end.
Interval operator/(const Interval& a, const Interval& b);
Interval& operator+=(Interval& a, const Interval& b);
Interval& operator-=(Interval& a, const Interval& b);
Interval& operator*=(Interval& a, const Interval& b);
Interval& operator/=(Interval& a, const Interval& b);

/// x² for one x in a: never negative, so tighter than a * a.
Interval square(const Interval& a);
/// The root of the part of a that is not negative; [0,0] if all of a is negative.
Interval sqrt(const Interval& a);
/// |x|.
Interval abs(const Interval& a);
/// The smaller, and the larger, of a number from a and a number from b.
Interval min(const Interval& a, const Interval& b);
Interval max(const Interval& a, const Interval& b);

/// Sine and cosine of an angle in radians. Rigorous if the C library's sin and cos are right to one unit in the last
/// place (glibc states less than that): each end is the library's value moved out by two units, or exactly ±1 where the
/// interval may hold a point with that value. An interval with an end beyond ±2^45, other than a single number, gives
/// [-1, 1]; so does one wider than a full turn.
Interval sin(const Interval& a);
Interval cos(const Interval& a);

/// The smallest interval that holds both.
Interval hull(const Interval& a, const Interval& b);
/// What both hold; nothing if they have no number in common.
std::optional<Interval> intersect(const Interval& a, const Interval& b);

bool contains(const Interval& a, double value);
/// Whether all of `inner` lies in a.
bool contains(const Interval& a, const Interval& inner);
/// Whether a and b have a number in common; shared ends count.
bool overlaps(const Interval& a, const Interval& b);
/// upper - lower, rounded up; infinity if unbounded.
double width(const Interval& a);
/// A finite number in a, halfway between finite ends; 0 for the whole line; the largest double, or minus that, if only
/// the upper or only the lower end is unbounded.
double middle(const Interval& a);
/// The largest |x|; infinity if unbounded.
double magnitude(const Interval& a);
/// The smallest |x|: 0 if a contains 0.
double mignitude(const Interval& a);

/// True only if x < y for every x in a and y in b.
bool certainly_less(const Interval& a, const Interval& b);
/// True only if x <= y for every x in a and y in b.
bool certainly_less_equal(const Interval& a, const Interval& b);
/// True if x < y for some x in a and y in b.
bool possibly_less(const Interval& a, const Interval& b);
/// True if x <= y for some x in a and y in b.
bool possibly_less_equal(const Interval& a, const Interval& b);

/// A vector of three intervals: an axis-aligned box of vectors.
struct IntervalVector3 {
  Interval x, y, z;

  IntervalVector3() = default;
  IntervalVector3(const Interval& x_, const Interval& y_, const Interval& z_) : x(x_), y(y_), z(z_) {}
  /// One vector exactly.
  IntervalVector3(const Vector3& value) : x(value[0]), y(value[1]), z(value[2]) {}  // NOLINT: implicit by design

  const Interval& operator[](std::size_t i) const { return i == 0 ? x : (i == 1 ? y : z); }
  Interval& operator[](std::size_t i) { return i == 0 ? x : (i == 1 ? y : z); }

  bool operator==(const IntervalVector3&) const = default;
};

IntervalVector3 operator-(const IntervalVector3& a);
IntervalVector3 operator+(const IntervalVector3& a, const IntervalVector3& b);
IntervalVector3 operator-(const IntervalVector3& a, const IntervalVector3& b);
IntervalVector3 operator*(const IntervalVector3& a, const Interval& factor);
IntervalVector3 operator*(const Interval& factor, const IntervalVector3& a);
Interval dot(const IntervalVector3& a, const IntervalVector3& b);
IntervalVector3 cross(const IntervalVector3& a, const IntervalVector3& b);
/// |a|², never negative.
Interval norm_squared(const IntervalVector3& a);
/// |a|. Squares of components below about 1e-150 or above 1e150 underflow or overflow: the bounds hold, but are wide.
Interval norm(const IntervalVector3& a);
IntervalVector3 hull(const IntervalVector3& a, const IntervalVector3& b);
bool contains(const IntervalVector3& a, const Vector3& value);
bool contains(const IntervalVector3& a, const IntervalVector3& inner);
bool overlaps(const IntervalVector3& a, const IntervalVector3& b);

/// A 3 × 3 matrix of intervals, by rows.
struct IntervalMatrix3 {
  /// Zero.
  IntervalMatrix3() = default;
  /// One matrix exactly.
  IntervalMatrix3(const Matrix3& value);  // NOLINT: implicit by design

  static IntervalMatrix3 identity();

  const Interval& operator()(std::size_t row, std::size_t column) const { return entry[3 * row + column]; }
  Interval& operator()(std::size_t row, std::size_t column) { return entry[3 * row + column]; }

  bool operator==(const IntervalMatrix3&) const = default;

  std::array<Interval, 9> entry;
};

IntervalMatrix3 operator-(const IntervalMatrix3& a);
IntervalMatrix3 operator+(const IntervalMatrix3& a, const IntervalMatrix3& b);
IntervalMatrix3 operator-(const IntervalMatrix3& a, const IntervalMatrix3& b);
IntervalVector3 operator*(const IntervalMatrix3& a, const IntervalVector3& b);
IntervalMatrix3 operator*(const IntervalMatrix3& a, const IntervalMatrix3& b);
IntervalMatrix3 transpose(const IntervalMatrix3& a);
bool contains(const IntervalMatrix3& a, const Matrix3& value);

}  // namespace whisker
