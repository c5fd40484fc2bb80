#pragma once

// Integers long enough for any predicate on any finite doubles, in a fixed array, without allocation.
//
// A finite double is an integer multiple of 2^-1074 below 2^1024, so a difference of two doubles has at most 2099 bits,
// 33 limbs of 64. The determinants of whisker's predicates are sums of at most 72 products of five differences: 166
// limbs. Only the limbs that a number needs are ever touched, so for points of similar size a predicate costs a few
// dozen multiplications.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <span>

namespace whisker::geometry {

struct ExactInteger {
  static constexpr int capacity = 168;

  int sign = 0;                  // -1, 0 or +1
  int size = 0;                  // Limbs in use. The last one is not 0. 0 for the number zero.
  std::uint64_t limb[capacity];  // The magnitude, least significant limb first. The first `size` are set.

  ExactInteger() {}  // Leaves the limbs unset on purpose.
};

/// A nonzero double's magnitude as mantissa · 2^exponent with an odd mantissa.
struct OddMantissa {
  std::uint64_t mantissa;
  int exponent;

  explicit OddMantissa(double value) {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
    const int biased = static_cast<int>((bits >> 52) & 0x7FF);
    const std::uint64_t fraction = bits & 0xFFFFFFFFFFFFFull;
    const std::uint64_t whole = biased == 0 ? fraction : fraction | 0x10000000000000ull;
    const int zeros = std::countr_zero(whole);
    mantissa = whole >> zeros;
    exponent = (biased == 0 ? 1 : biased) - 1075 + zeros;
  }
};

/// value / 2^unit, for a finite value whose lowest bit is not below `unit`.
inline ExactInteger to_exact_integer(double value, int unit) {
  ExactInteger result;
  if (value == 0) return result;
  const auto [mantissa, exponent] = OddMantissa(value);
  const int shift = exponent - unit;  // >= 0
  const int limbs = shift / 64;
  const int rest = shift % 64;
  for (int i = 0; i < limbs; ++i)
    result.limb[i] = 0;
  result.limb[limbs] = mantissa << rest;
  result.size = limbs + 1;
  const std::uint64_t carried = rest == 0 ? 0 : mantissa >> (64 - rest);
  if (carried != 0) result.limb[result.size++] = carried;
  // limb[limbs] could be 0 only if the whole mantissa were shifted into the next limb. That cannot happen because the
  // mantissa is odd.
  result.sign = value < 0 ? -1 : 1;
  return result;
}

namespace detail {

/// The sign of |a| - |b|: -1, 0 or +1.
inline int compare_magnitudes(const ExactInteger& a, const ExactInteger& b) {
  if (a.size != b.size) return a.size < b.size ? -1 : 1;
  for (int i = a.size - 1; i >= 0; --i)
    if (a.limb[i] != b.limb[i]) return a.limb[i] < b.limb[i] ? -1 : 1;
  return 0;
}

/// a + b, with `b_sign` in place of b's sign.
inline ExactInteger add(const ExactInteger& a, const ExactInteger& b, int b_sign) {
  ExactInteger result;
  const bool add_magnitudes = a.sign * b_sign >= 0;
  const int order = compare_magnitudes(a, b);
  if (order == 0 && !add_magnitudes) return result;
  const ExactInteger& large = order >= 0 ? a : b;
  const ExactInteger& small = order >= 0 ? b : a;
  result.sign = order >= 0 ? a.sign : b_sign;
  if (result.sign == 0) return result;  // Both are zero.
  std::uint64_t carry = 0;
  if (add_magnitudes) {
    for (int i = 0; i < large.size; ++i) {
      const std::uint64_t partial = large.limb[i] + carry;
      const std::uint64_t other = i < small.size ? small.limb[i] : 0;
      result.limb[i] = partial + other;
      carry = static_cast<std::uint64_t>(partial < carry) | static_cast<std::uint64_t>(result.limb[i] < other);
    }
    result.size = large.size;
    if (carry != 0) result.limb[result.size++] = carry;
  } else {
    for (int i = 0; i < large.size; ++i) {
      const std::uint64_t other = i < small.size ? small.limb[i] : 0;
      const std::uint64_t partial = large.limb[i] - other;
      result.limb[i] = partial - carry;
      carry = static_cast<std::uint64_t>(large.limb[i] < other) | static_cast<std::uint64_t>(partial < carry);
    }
    result.size = large.size;
    while (result.size > 0 && result.limb[result.size - 1] == 0)
      --result.size;
  }
  return result;
}

}  // namespace detail

inline ExactInteger operator+(const ExactInteger& a, const ExactInteger& b) {
  return detail::add(a, b, b.sign);
}
inline ExactInteger operator-(const ExactInteger& a, const ExactInteger& b) {
  return detail::add(a, b, -b.sign);
}

inline ExactInteger operator*(const ExactInteger& a, const ExactInteger& b) {
  __extension__ using Wide = unsigned __int128;
  ExactInteger result;
  result.sign = a.sign * b.sign;
  if (result.sign == 0) return result;
  for (int j = 0; j < b.size; ++j)
    result.limb[j] = 0;
  for (int i = 0; i < a.size; ++i) {
    std::uint64_t carry = 0;
    for (int j = 0; j < b.size; ++j) {
      const Wide sum = static_cast<Wide>(a.limb[i]) * b.limb[j] + result.limb[i + j] + carry;
      result.limb[i + j] = static_cast<std::uint64_t>(sum);
      carry = static_cast<std::uint64_t>(sum >> 64);
    }
    result.limb[i + b.size] = carry;
  }
  result.size = a.size + b.size;
  if (result.limb[result.size - 1] == 0) --result.size;
  return result;
}

/// A 2x2 determinant.
inline ExactInteger det2(const ExactInteger& a, const ExactInteger& b, const ExactInteger& c, const ExactInteger& d) {
  return a * d - b * c;
}

/// Converts coordinates to integers in a common unit, the largest power of two that divides them all.
struct CommonUnit {
  int exponent = 1024;
  bool finite = true;

  explicit CommonUnit(std::initializer_list<std::span<const double>> points) {
    for (const std::span<const double> point : points)
      for (const double value : point) {
        finite = finite && std::isfinite(value);
        if (value != 0) exponent = std::min(exponent, OddMantissa(value).exponent);
      }
  }
  ExactInteger integer(double value) const { return to_exact_integer(value, exponent); }
  ExactInteger difference(double a, double b) const {
    if (a == b) return {};
    return integer(a) - integer(b);
  }
};

/// (b - a) × (c - a) · (d - a), in units cubed.
inline ExactInteger determinant(const CommonUnit& unit, const double* a, const double* b, const double* c,
                                const double* d) {
  const ExactInteger ux = unit.difference(b[0], a[0]), uy = unit.difference(b[1], a[1]);
  const ExactInteger vx = unit.difference(c[0], a[0]), vy = unit.difference(c[1], a[1]);
  const ExactInteger wx = unit.difference(d[0], a[0]), wy = unit.difference(d[1], a[1]);
  const ExactInteger uz = unit.difference(b[2], a[2]);
  const ExactInteger vz = unit.difference(c[2], a[2]);
  const ExactInteger wz = unit.difference(d[2], a[2]);
  return det2(uy, uz, vy, vz) * wx + det2(uz, ux, vz, vx) * wy + det2(ux, uy, vx, vy) * wz;
}

}  // namespace whisker::geometry
