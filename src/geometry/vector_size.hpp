#pragma once

// The size of a vector as its largest coordinate, and scaling by powers of two.

#include <algorithm>
#include <cmath>

#include <whisker/vector.hpp>

namespace whisker::geometry {

/// The largest absolute coordinate.
inline double largest_entry(const Vector3& v) {
  return std::max(std::max(std::abs(v[0]), std::abs(v[1])), std::abs(v[2]));
}

/// v · 2^exponent.
inline Vector3 times_power(const Vector3& v, int exponent) {
  return {std::ldexp(v[0], exponent), std::ldexp(v[1], exponent), std::ldexp(v[2], exponent)};
}

}  // namespace whisker::geometry
