// Numbers and vectors as sums of two doubles, with about a hundred bits. With fused multiplication and addition, the
// rounding error of a product costs one instruction. All instruction sets give the same bits.

#include <cmath>

#include "convex/vec3.hpp"
#include "geometry/expansion.hpp"

#if defined(WHISKER_SHARP_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHISKER_SHARP_INL
#undef WHISKER_SHARP_INL
#else
#define WHISKER_SHARP_INL
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace whisker::convex::HWY_NAMESPACE {

using geometry::Exact2;

WHISKER_INLINE Exact2 exact_sum(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a;
  const double a_part = sum - b_part;
  return {sum, (a - a_part) + (b - b_part)};
}
WHISKER_INLINE Exact2 exact_product(double a, double b) {
#if HWY_NATIVE_FMA
  const double product = a * b;
  return {product, __builtin_fma(a, b, -product)};
#else
  return geometry::two_product(a, b);
#endif
}

// A vector in a register, if one holds four doubles. The fourth is 0.
#if HWY_NATIVE_FMA && HWY_MAX_BYTES >= 32
namespace hn = hwy::HWY_NAMESPACE;
using Four = hn::FixedTag<double, 4>;

struct Row {
  hn::Vec<Four> v;
};
WHISKER_INLINE Row load_row(const double* from) {
  return {hn::MaskedLoad(hn::FirstN(Four(), 3), Four(), from)};
}
WHISKER_INLINE void store(const Row& a, double (&to)[4]) {
  hn::StoreU(a.v, Four(), to);
}
WHISKER_INLINE Row zero_row() {
  return {hn::Zero(Four())};
}
WHISKER_INLINE Row operator+(const Row& a, const Row& b) {
  return {hn::Add(a.v, b.v)};
}
WHISKER_INLINE Row operator-(const Row& a, const Row& b) {
  return {hn::Sub(a.v, b.v)};
}
WHISKER_INLINE Row operator-(const Row& a) {
  return {hn::Neg(a.v)};
}
WHISKER_INLINE Row operator*(const Row& a, double b) {
  return {hn::Mul(a.v, hn::Set(Four(), b))};
}
WHISKER_INLINE Row rounding_error(const Row& a, double b, const Row& product) {
  return {hn::MulSub(a.v, hn::Set(Four(), b), product.v)};
}
WHISKER_INLINE double sum_of(hn::Vec<Four> v) {
  const auto low = hn::LowerHalf(hn::Half<Four>(), v);
  const auto high = hn::UpperHalf(hn::Half<Four>(), v);
  const auto second = hn::Shuffle01(low);
  return hn::GetLane(hn::Add(hn::Add(low, second), high));
}
WHISKER_INLINE double dot(const Row& a, const Row& b) {
  return sum_of(hn::Mul(a.v, b.v));
}
WHISKER_INLINE double size_of(const Row& a) {
  return sum_of(hn::Abs(a.v));
}
#else
struct Row {
  double x, y, z;
};
WHISKER_INLINE Row load_row(const double* from) {
  return {from[0], from[1], from[2]};
}
WHISKER_INLINE void store(const Row& a, double (&to)[4]) {
  to[0] = a.x;
  to[1] = a.y;
  to[2] = a.z;
}
WHISKER_INLINE Row zero_row() {
  return {0, 0, 0};
}
WHISKER_INLINE Row operator+(const Row& a, const Row& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
WHISKER_INLINE Row operator-(const Row& a, const Row& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
WHISKER_INLINE Row operator-(const Row& a) {
  return {-a.x, -a.y, -a.z};
}
WHISKER_INLINE Row operator*(const Row& a, double b) {
  return {a.x * b, a.y * b, a.z * b};
}
WHISKER_INLINE Row rounding_error(const Row& a, double b, const Row&) {
  return {exact_product(a.x, b).low, exact_product(a.y, b).low, exact_product(a.z, b).low};
}
WHISKER_INLINE double dot(const Row& a, const Row& b) {
  return (a.x * b.x + a.y * b.y) + a.z * b.z;
}
WHISKER_INLINE double size_of(const Row& a) {
  return (std::abs(a.x) + std::abs(a.y)) + std::abs(a.z);
}
#endif

/// A vector as the sum of two.
struct LongRow {
  Row high, low;
};

WHISKER_INLINE LongRow exact_sum(const Row& a, const Row& b) {
  const Row sum = a + b;
  const Row b_part = sum - a;
  const Row a_part = sum - b_part;
  return {sum, (a - a_part) + (b - b_part)};
}
WHISKER_INLINE LongRow exact_difference(const Row& a, const Row& b) {
  const Row difference = a - b;
  const Row b_part = a - difference;
  const Row a_part = difference + b_part;
  return {difference, (a - a_part) + (b_part - b)};
}

/// The length of a vector as a sum of two doubles: a Newton step from the root, which is given up to a few ulps, with
/// its inverse.
WHISKER_INLINE Exact2 sharp_length(const LongRow& v, double root, double inverse) {
  double high[4];
  store(v.high, high);
  const Exact2 x = exact_product(high[0], high[0]), y = exact_product(high[1], high[1]),
               z = exact_product(high[2], high[2]);
  const Exact2 xy = exact_sum(x.high, y.high), all = exact_sum(xy.high, z.high);
  const double rest = (((x.low + y.low) + z.low) + (xy.low + all.low)) + 2 * dot(v.high, v.low);
  const Exact2 square = exact_product(root, root);
  return {root, (((all.high - square.high) - square.low) + rest) * (0.5 * inverse)};
}

/// A sum of two doubles, the second less than an ulp of the first.
using Long = Exact2;

WHISKER_INLINE Long joined(double high, double low) {
  const double sum = high + low;
  return {sum, low - (sum - high)};
}
WHISKER_INLINE Long operator+(Long a, Long b) {
  const Exact2 sum = exact_sum(a.high, b.high);
  return joined(sum.high, sum.low + (a.low + b.low));
}
WHISKER_INLINE Long operator-(Long a) {
  return {-a.high, -a.low};
}
WHISKER_INLINE Long operator-(Long a, Long b) {
  return a + -b;
}
WHISKER_INLINE Long operator*(Long a, double b) {
  const Exact2 product = exact_product(a.high, b);
  return joined(product.high, product.low + a.low * b);
}
/// a / b, where the inverse of b is given up to rounding.
WHISKER_INLINE Long quotient(Long a, Long b, double inverse) {
  const double rounded = a.high * inverse;
  const Exact2 product = exact_product(rounded, b.high);
  return joined(rounded, (((a.high - product.high) - product.low) + (a.low - rounded * b.low)) * inverse);
}
WHISKER_INLINE Long operator/(Long a, Long b) {
  return quotient(a, b, 1 / b.high);
}
WHISKER_INLINE Long absolute(Long a) {
  return a.high < 0 ? -a : a;
}
WHISKER_INLINE bool is_less(Long a, Long b) {
  return a.high != b.high ? a.high < b.high : a.low < b.low;
}
WHISKER_INLINE Long square(Long a) {
  const Exact2 product = exact_product(a.high, a.high);
  return {product.high, product.low + 2 * (a.high * a.low)};
}
/// How much larger a number is than the square of its rounded root.
WHISKER_INLINE double above_square(Long a, double root) {
  const Exact2 squared = exact_product(root, root);
  return ((a.high - squared.high) - squared.low) + a.low;
}
/// The square root, by a Newton step from the rounded root.
WHISKER_INLINE Long root_of(Long a) {
  const double root = std::sqrt(a.high);
  if (!(root > 0)) return {0, 0};
  return joined(root, above_square(a, root) / (2 * root));
}
WHISKER_INLINE Long length_of(Long a, Long b, Long c) {
  return root_of((square(a) + square(b)) + square(c));
}
WHISKER_INLINE Long dot(const double* a, const double* b, const double* b_low = nullptr) {
  const Exact2 x = exact_product(a[0], b[0]), y = exact_product(a[1], b[1]), z = exact_product(a[2], b[2]);
  const Exact2 xy = exact_sum(x.high, y.high), all = exact_sum(xy.high, z.high);
  double low = ((x.low + y.low) + z.low) + (xy.low + all.low);
  if (b_low != nullptr) low += (a[0] * b_low[0] + a[1] * b_low[1]) + a[2] * b_low[2];
  return joined(all.high, low);
}

/// A vector as the sum of two, coordinate by coordinate.
struct LongVector {
  double high[3], low[3];
};

/// The difference of two points of doubles, exactly.
WHISKER_INLINE LongVector exact_difference(const double* a, const double* b) {
  LongVector result;
  for (int i = 0; i < 3; ++i) {
    const Exact2 x = exact_sum(a[i], -b[i]);
    result.high[i] = x.high;
    result.low[i] = x.low;
  }
  return result;
}
/// Off by less than 2^-100 of the lengths of both.
WHISKER_INLINE Long dot(const LongVector& a, const LongVector& b) {
  const Long highs = dot(a.high, b.high, b.low);
  return joined(highs.high, highs.low + ((a.low[0] * b.high[0] + a.low[1] * b.high[1]) + a.low[2] * b.high[2]));
}
WHISKER_INLINE LongVector cross(const LongVector& a, const LongVector& b) {
  LongVector result;
  for (int i = 0; i < 3; ++i) {
    const int j = i == 2 ? 0 : i + 1, k = i == 0 ? 2 : i - 1;
    const Exact2 x = exact_product(a.high[j], b.high[k]), y = exact_product(a.high[k], b.high[j]);
    const Exact2 difference = exact_sum(x.high, -y.high);
    const double rest = (a.high[j] * b.low[k] + a.low[j] * b.high[k]) - (a.high[k] * b.low[j] + a.low[k] * b.high[j]);
    const Long coordinate = joined(difference.high, difference.low + ((x.low - y.low) + rest));
    result.high[i] = coordinate.high;
    result.low[i] = coordinate.low;
  }
  return result;
}
/// The cross product of two vectors of doubles, off by less than 2^-100 of its own length: for those that are nearly
/// parallel, so that most of the products cancels.
WHISKER_INLINE LongVector cross_of_parallel(const double* a, const double* b) {
  LongVector result;
  for (int i = 0; i < 3; ++i) {
    const int j = i == 2 ? 0 : i + 1, k = i == 0 ? 2 : i - 1;
    const Exact2 x = exact_product(a[j], b[k]), y = exact_product(a[k], b[j]);
    // Two error-free passes (T. Ogita, S. M. Rump, S. Oishi, "Accurate Sum and Dot Product", 2005).
    double term[4] = {-y.low, x.low, -y.high, x.high};
    for (int pass = 0; pass < 2; ++pass) {
      for (int n = 1; n < 4; ++n) {
        const Exact2 sum = exact_sum(term[n], term[n - 1]);
        term[n] = sum.high;
        term[n - 1] = sum.low;
      }
    }
    const Long coordinate = joined(term[3], (term[0] + term[1]) + term[2]);
    result.high[i] = coordinate.high;
    result.low[i] = coordinate.low;
  }
  return result;
}
WHISKER_INLINE Long length_of(const LongVector& a) {
  return root_of(dot(a, a));
}

}  // namespace whisker::convex::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
