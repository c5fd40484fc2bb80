// Arithmetic on sums of two doubles in lanes, like that of sharp-inl.hpp and with the same bits. For instruction sets
// with fused multiplication and addition.

#include <cstddef>
#include <cstdint>

#if defined(WHISKER_SHARP_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHISKER_SHARP_LANES_INL
#undef WHISKER_SHARP_LANES_INL
#else
#define WHISKER_SHARP_LANES_INL
#endif

#include <hwy/highway.h>

#include "simd/lanes-inl.hpp"

#if HWY_NATIVE_FMA

HWY_BEFORE_NAMESPACE();
namespace whisker::convex::HWY_NAMESPACE::sharp_lanes {

namespace hn = hwy::HWY_NAMESPACE;
using namespace simd::HWY_NAMESPACE;
using D = hn::CappedTag<double, 8>;
using V = hn::Vec<D>;
using M = hn::Mask<D>;
using Vec = Lanes3<V>;

constexpr D d;

HWY_INLINE V set(double x) {
  return hn::Set(d, x);
}
/// Named operations, because Highway's vectors of some targets have no operators.
HWY_INLINE V add(V a, V b) {
  return hn::Add(a, b);
}
HWY_INLINE V sub(V a, V b) {
  return hn::Sub(a, b);
}
HWY_INLINE V mul(V a, V b) {
  return hn::Mul(a, b);
}
HWY_INLINE V div(V a, V b) {
  return hn::Div(a, b);
}
HWY_INLINE M both(M a, M b) {
  return hn::And(a, b);
}
HWY_INLINE M never() {
  return hn::FirstN(d, 0);
}
HWY_INLINE V size_of(const Vec& v) {
  return add(add(hn::Abs(v.x), hn::Abs(v.y)), hn::Abs(v.z));
}
/// As std::clamp.
HWY_INLINE V clamped(V x, V least, V most) {
  return hn::IfThenElse(hn::Lt(x, least), least, hn::IfThenElse(hn::Lt(most, x), most, x));
}

/// A number as a sum of two.
struct Two {
  V high, low;
};
HWY_INLINE Two exact_sum(V a, V b) {
  const V sum = add(a, b), b_part = sub(sum, a), a_part = sub(sum, b_part);
  return {sum, add(sub(a, a_part), sub(b, b_part))};
}
HWY_INLINE Two exact_difference(V a, V b) {
  const V difference = sub(a, b), b_part = sub(a, difference), a_part = add(difference, b_part);
  return {difference, add(sub(a, a_part), sub(b_part, b))};
}
HWY_INLINE Two exact_product(V a, V b) {
  const V product = mul(a, b);
  return {product, hn::MulSub(a, b, product)};
}
/// A sum whose second number is less than an ulp of the first.
HWY_INLINE Two joined(V high, V low) {
  const V sum = add(high, low);
  return {sum, sub(low, sub(sum, high))};
}
HWY_INLINE Two operator-(const Two& a) {
  return {hn::Neg(a.high), hn::Neg(a.low)};
}
HWY_INLINE Two operator+(const Two& a, const Two& b) {
  const Two sum = exact_sum(a.high, b.high);
  return joined(sum.high, add(sum.low, add(a.low, b.low)));
}
HWY_INLINE Two operator-(const Two& a, const Two& b) {
  return a + -b;
}
HWY_INLINE Two operator*(const Two& a, V b) {
  const Two product = exact_product(a.high, b);
  return joined(product.high, add(product.low, mul(a.low, b)));
}
HWY_INLINE Two quotient(const Two& a, const Two& b, V inverse) {
  const V rounded = mul(a.high, inverse);
  const Two product = exact_product(rounded, b.high);
  const V rest = add(sub(sub(a.high, product.high), product.low), sub(a.low, mul(rounded, b.low)));
  return joined(rounded, mul(rest, inverse));
}
HWY_INLINE V above_square(const Two& a, V root) {
  const Two squared = exact_product(root, root);
  return add(sub(sub(a.high, squared.high), squared.low), a.low);
}
/// The square root, 0 of a number that is not positive.
HWY_INLINE Two root_of(const Two& a) {
  const V root = hn::Sqrt(a.high);
  const Two found = joined(root, div(above_square(a, root), mul(set(2), root)));
  const M is_positive = hn::Gt(root, set(0));
  return {hn::IfThenElseZero(is_positive, found.high), hn::IfThenElseZero(is_positive, found.low)};
}
HWY_INLINE Two square(const Two& a) {
  const Two product = exact_product(a.high, a.high);
  return {product.high, add(product.low, mul(set(2), mul(a.high, a.low)))};
}
HWY_INLINE Two length_of(const Two& a, const Two& b, const Two& c) {
  return root_of((square(a) + square(b)) + square(c));
}
HWY_INLINE Two choose(M mask, const Two& yes, const Two& no) {
  return {hn::IfThenElse(mask, yes.high, no.high), hn::IfThenElse(mask, yes.low, no.low)};
}
HWY_INLINE Two absolute(const Two& a) {
  return choose(hn::Lt(a.high, hn::Zero(d)), -a, a);
}
HWY_INLINE M is_less(const Two& a, const Two& b) {
  return hn::Or(hn::Lt(a.high, b.high), both(hn::Eq(a.high, b.high), hn::Lt(a.low, b.low)));
}
HWY_INLINE Two sharp_dot(const Vec& a, const Vec& b) {
  const Two x = exact_product(a.x, b.x), y = exact_product(a.y, b.y), z = exact_product(a.z, b.z);
  const Two xy = exact_sum(x.high, y.high), all = exact_sum(xy.high, z.high);
  return joined(all.high, add(add(add(x.low, y.low), z.low), add(xy.low, all.low)));
}
/// The second vector is a sum of two.
HWY_INLINE Two sharp_dot(const Vec& a, const Vec& b, const Vec& b_low) {
  const Two x = exact_product(a.x, b.x), y = exact_product(a.y, b.y), z = exact_product(a.z, b.z);
  const Two xy = exact_sum(x.high, y.high), all = exact_sum(xy.high, z.high);
  const V low = add(add(add(x.low, y.low), z.low), add(xy.low, all.low));
  return joined(all.high, add(low, dot(a, b_low)));
}

/// Bounds of a positive sum of two that is off by at most these errors, rounded outward. If the lower one is not
/// positive, there are none.
struct Bounds {
  V lower, upper;
};
HWY_INLINE Bounds bounds_of(const Two& value, V error_below, V error_above) {
  const Two least = exact_sum(value.high, sub(value.low, error_below)),
            most = exact_sum(value.high, add(value.low, error_above));
  const hn::RebindToSigned<D> bits;
  // A mask is -1 where it is true.
  const auto down = hn::BitCast(bits, hn::VecFromMask(d, hn::Lt(least.low, set(0)))),
             up = hn::BitCast(bits, hn::VecFromMask(d, hn::Gt(most.low, set(0))));
  return {hn::BitCast(d, hn::Add(hn::BitCast(bits, least.high), down)),
          hn::BitCast(d, hn::Sub(hn::BitCast(bits, most.high), up))};
}

HWY_INLINE void store_bits(M mask, std::size_t i, std::uint32_t& bits) {
  bits |= mask_bits(d, mask) << i;
}

}  // namespace whisker::convex::HWY_NAMESPACE::sharp_lanes
HWY_AFTER_NAMESPACE();

#endif
#endif
