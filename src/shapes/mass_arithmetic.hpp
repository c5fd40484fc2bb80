#pragma once

// Interval arithmetic that the mass properties of several kinds of shapes share.

#include <cmath>
#include <cstddef>
#include <numbers>

#include <whisker/geometry/interval.hpp>

#include "geometry/double_double.hpp"
#include "geometry/interval_inline.hpp"
#include "shapes/mass_body.hpp"

namespace whisker::shapes {

/// π lies between these neighbors.
inline Interval pi_interval() {
  return {std::numbers::pi, geometry::next_up(std::numbers::pi)};
}

inline IntervalMatrix3 diagonal(const Interval& x, const Interval& y, const Interval& z) {
  IntervalMatrix3 result;
  result(0, 0) = x;
  result(1, 1) = y;
  result(2, 2) = z;
  return result;
}

/// d dᵀ, symmetric.
inline IntervalMatrix3 outer(const IntervalVector3& d) {
  IntervalMatrix3 result;
  for (std::size_t k = 0; k < 3; ++k) {
    result(k, k) = square(d[k]);
    for (std::size_t l = k + 1; l < 3; ++l)
      result(l, k) = result(k, l) = d[k] * d[l];
  }
  return result;
}

inline IntervalMatrix3 scaled(const Interval& factor, IntervalMatrix3 a) {
  for (Interval& entry : a.entry)
    entry *= factor;
  return a;
}

/// A sum of intervals whose width does not grow with the roundings of the sum.
class IntervalSum {
 public:
  void operator+=(const Interval& more) {
    add(lower_, more.lower);
    add(upper_, more.upper);
  }
  Interval value() const {
    if (!std::isfinite(lower_.hi) || !std::isfinite(upper_.hi)) return Interval::whole();
    return {interval_of(lower_, 2 * error_).lower, interval_of(upper_, 2 * error_).upper};
  }

 private:
  void add(geometry::DoubleDouble& sum, double more) {
    const geometry::Exact2 high = geometry::two_sum(sum.hi, more);
    const geometry::Exact2 low = geometry::two_sum(sum.lo, high.low);
    error_ += std::abs(low.low);
    sum = geometry::sum(high.high, low.high);
  }

  geometry::DoubleDouble lower_, upper_;
  double error_ = 0;  // all that the sums left out
};

}  // namespace whisker::shapes
