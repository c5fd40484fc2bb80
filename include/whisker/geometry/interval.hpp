#pragma once

/// \file
/// Interval arithmetic: numbers known to lie between two doubles, with every operation rounded outward.
///
///     Interval x(0.1), y(1, 2);                          // exactly the double 0.1; any number from 1 to 2
///     Interval z = sqrt(x * y + 3);                      // contains the exact result for every such x and y
///     if (certainly_less(z, 2)) accept();
///     Interval gap = norm(IntervalVector3(a) - IntervalVector3(b));
///
/// If x lies in a and y lies in b, the exact real number x op y lies in `a op b`. Each end of a result of + - * /,
/// `square` and `sqrt` is the exact end of the true range, rounded outward to a double. If the exact end is a double,
/// it is returned unchanged, so [1,1] + [1,1] is [2,2]. Otherwise the returned end is less than one ulp away. (Where
/// magnitudes below 2^-960 or above 2^990 are multiplied, divided or rooted, an end may lie up to one ulp further out.)
/// The rounding mode is not changed.
///
/// An interval is never empty: lower <= upper. It may be unbounded: lower may be -infinity and upper may be +infinity,
/// but lower is never +infinity and upper is never -infinity. Operations on such intervals never produce NaN. Zero
/// times an unbounded end is zero, because an unbounded interval contains every large number but not infinity itself. A
/// result that is too large for a double is unbounded on that side. If an input is NaN, the result is meaningless.
///
/// Nothing is thrown or allocated. All functions are safe in any thread.

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
  /// The interval of exactly one number. Implicit, so that constants mix with intervals.
  Interval(double value) : lower(value), upper(value) {}  // NOLINT: implicit by design
  /// From lower to upper. Not checked: the caller ensures lower <= upper.
  Interval(double lower_, double upper_) : lower(lower_), upper(upper_) {}

  /// All real numbers.
  static Interval whole();

  /// Whether the two ends are the same.
  bool operator==(const Interval&) const = default;
};

Interval operator-(const Interval& a);
Interval operator+(const Interval& a, const Interval& b);
Interval operator-(const Interval& a, const Interval& b);
Interval operator*(const Interval& a, const Interval& b);
/// The quotient, or the whole line if b contains 0, even as an end.
Interval operator/(const Interval& a, const Interval& b);
Interval& operator+=(Interval& a, const Interval& b);
Interval& operator-=(Interval& a, const Interval& b);
Interval& operator*=(Interval& a, const Interval& b);
Interval& operator/=(Interval& a, const Interval& b);

/// All x² with x in a. Never negative, and tighter than a * a, which treats the two factors as independent.
Interval square(const Interval& a);
/// The square root of the part of a that is not negative; [0,0] if all of a is negative.
Interval sqrt(const Interval& a);
/// All |x| with x in a.
Interval abs(const Interval& a);
/// The smaller (min) or larger (max) of a number from a and a number from b.
Interval min(const Interval& a, const Interval& b);
Interval max(const Interval& a, const Interval& b);

/// Sine and cosine of an angle in radians. Rigorous if the C library's sin and cos are correct to one ulp (glibc states
/// an error below that): each end is the library's value moved outward by two ulps, or exactly ±1 where the interval
/// may contain a point with that value. The result is [-1, 1] for an interval wider than a full turn, and for an
/// interval, other than a single number, with an end beyond ±2^45.
Interval sin(const Interval& a);
Interval cos(const Interval& a);

/// The smallest interval that contains both.
Interval hull(const Interval& a, const Interval& b);
/// The numbers that lie in both; nothing if there are none.
std::optional<Interval> intersect(const Interval& a, const Interval& b);

/// Whether the value lies in a, ends included.
bool contains(const Interval& a, double value);
/// Whether all of `inner` lies in a.
bool contains(const Interval& a, const Interval& inner);
/// Whether a and b have a number in common; shared ends count.
bool overlaps(const Interval& a, const Interval& b);
/// upper - lower, rounded up; infinity if a is unbounded.
double width(const Interval& a);
/// A finite number in a: halfway between the ends if both are finite, up to rounding; 0 for the whole line; the largest
/// double if only the upper end is unbounded, and minus the largest double if only the lower end is.
double middle(const Interval& a);
/// The largest |x| with x in a; infinity if a is unbounded.
double magnitude(const Interval& a);
/// The smallest |x| with x in a; 0 if a contains 0.
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
  /// Exactly one vector.
  IntervalVector3(const Vector3& value) : x(value[0]), y(value[1]), z(value[2]) {}  // NOLINT: implicit by design

  /// The component: 0 is x, 1 is y, every other index is z.
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
/// |a|². Never negative.
Interval norm_squared(const IntervalVector3& a);
/// |a|. Squares of components below about 1e-150 or above 1e150 underflow or overflow: the bounds still hold but are
/// wide.
Interval norm(const IntervalVector3& a);
/// hull, contains and overlaps as for single intervals, in every component.
IntervalVector3 hull(const IntervalVector3& a, const IntervalVector3& b);
bool contains(const IntervalVector3& a, const Vector3& value);
bool contains(const IntervalVector3& a, const IntervalVector3& inner);
bool overlaps(const IntervalVector3& a, const IntervalVector3& b);
/// The middle of every component.
Vector3 middle(const IntervalVector3& a);

/// A 3 × 3 matrix of intervals, stored row by row.
struct IntervalMatrix3 {
  /// The zero matrix.
  IntervalMatrix3() = default;
  /// Exactly one matrix.
  IntervalMatrix3(const Matrix3& value);  // NOLINT: implicit by design

  static IntervalMatrix3 identity();

  const Interval& operator()(std::size_t row, std::size_t column) const { return entry[3 * row + column]; }
  Interval& operator()(std::size_t row, std::size_t column) { return entry[3 * row + column]; }

  bool operator==(const IntervalMatrix3&) const = default;

  std::array<Interval, 9> entry;  ///< Entry (row, column) is entry[3 * row + column].
};

IntervalMatrix3 operator-(const IntervalMatrix3& a);
IntervalMatrix3 operator+(const IntervalMatrix3& a, const IntervalMatrix3& b);
IntervalMatrix3 operator-(const IntervalMatrix3& a, const IntervalMatrix3& b);
IntervalVector3 operator*(const IntervalMatrix3& a, const IntervalVector3& b);
IntervalMatrix3 operator*(const IntervalMatrix3& a, const IntervalMatrix3& b);
IntervalMatrix3 transpose(const IntervalMatrix3& a);
/// Whether every entry of the matrix lies in its interval.
bool contains(const IntervalMatrix3& a, const Matrix3& value);
/// The middle of every entry.
Matrix3 middle(const IntervalMatrix3& a);

}  // namespace whisker
