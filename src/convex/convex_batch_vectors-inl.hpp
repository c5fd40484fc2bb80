// Numbers and vectors of a batch, one in each lane. Compiled once per instruction set: included from
// convex_batch_kernels.cpp.

#include <cstddef>
#include <cstdint>

#include "convex/convex_batch_block.hpp"
#include "convex/convex_contact.hpp"

#if defined(WHISKER_CONVEX_BATCH_VECTORS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHISKER_CONVEX_BATCH_VECTORS_INL
#undef WHISKER_CONVEX_BATCH_VECTORS_INL
#else
#define WHISKER_CONVEX_BATCH_VECTORS_INL
#endif

#include <hwy/highway.h>

#include "convex/pair_frame-inl.hpp"
#include "simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::convex::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace simd::HWY_NAMESPACE;

using End = BatchBlock::End;

using Tag = hn::CappedTag<double, 8>;
using Number = hn::Vec<Tag>;
using Mask = hn::Mask<Tag>;
constexpr Tag tag;
constexpr std::size_t lanes = hn::MaxLanes(tag);
static_assert(BatchBlock::most % lanes == 0);

constexpr double u = contact_roundoff;
constexpr double no_vertices = -1;  // the id of an empty slot of the simplex

constexpr double number_of(End end) {
  return static_cast<double>(end);
}

using Vector = Lanes3<Number>;

HWY_INLINE Vector operator/(const Vector& a, Number divisor) {
  return {a.x / divisor, a.y / divisor, a.z / divisor};
}

/// Calls each(i) for i from `First` to `Last`, without a loop.
template <std::size_t First, std::size_t Last, class Each>
HWY_INLINE void unrolled(const Each& each) {
  each(First);
  if constexpr (First < Last) unrolled<First + 1, Last>(each);
}

HWY_INLINE Number set(double value) {
  return hn::Set(tag, value);
}
HWY_INLINE Number zero() {
  return hn::Zero(tag);
}
HWY_INLINE Mask is_same(const Vector& a, const Vector& b) {
  return hn::And(hn::And(hn::Eq(a.x, b.x), hn::Eq(a.y, b.y)), hn::Eq(a.z, b.z));
}
HWY_INLINE Mask is_positive(Number value) {
  return hn::Gt(value, zero());
}
HWY_INLINE bool any(Mask mask) {
  return !hn::AllFalse(tag, mask);
}
HWY_INLINE unsigned bits_of(Mask mask) {
  return mask_bits(tag, mask);
}
HWY_INLINE Mask mask_of(unsigned lanes_in) {
  const std::uint8_t bits[8] = {static_cast<std::uint8_t>(lanes_in)};
  return hn::LoadMaskBits(tag, bits);
}
template <std::size_t Size>
HWY_INLINE Vector load(const double (&rows)[3][Size], std::size_t at = 0) {
  return load3(tag, rows, at);
}
template <std::size_t Size>
HWY_INLINE void store(const Vector& v, double (&rows)[3][Size], std::size_t at = 0) {
  store3(v, tag, rows, at);
}

/// geometry::safe_norm if the squares stay in the range of doubles. Otherwise clears `fits`.
HWY_INLINE Number norm_if_safe(const Vector& v, Mask& fits) {
  const Number squared = dot(v, v);
  const Mask is_null = hn::And(hn::And(hn::Eq(v.x, zero()), hn::Eq(v.y, zero())), hn::Eq(v.z, zero()));
  const Mask is_in_range = hn::And(hn::Gt(squared, set(0x1p-900)), hn::Lt(squared, set(0x1p900)));
  fits = hn::And(fits, hn::Or(is_null, is_in_range));
  return hn::Sqrt(squared);
}

/// Joins two halves into one vector, or returns the first half if it is already a full vector.
template <class Half>
HWY_INLINE Number joined(const Half (&halves)[2]) {
  if constexpr (sizeof(Half) == sizeof(Number)) {
    return halves[0];
  } else {
    return hn::Combine(tag, halves[1], halves[0]);
  }
}

struct FourNumbers {
  Number of[4];
};

/// Loads four numbers per lane, `from[lane][at]` and the next three. (Transposed in registers, because loading a vector
/// from numbers that were just stored one by one stalls until they are in the cache.)
HWY_INLINE FourNumbers load_four(const double* const (&from)[lanes], std::size_t at) {
  FourNumbers result;
  if constexpr (lanes == 2) {
    for (std::size_t half = 0; half < 4; half += 2) {
      const Number first = hn::LoadU(tag, from[0] + at + half), second = hn::LoadU(tag, from[1] + at + half);
      result.of[half] = hn::InterleaveLower(tag, first, second);
      result.of[half + 1] = hn::InterleaveUpper(tag, first, second);
    }
  } else {
    const hn::CappedTag<double, 4> four;
    using Four = hn::Vec<decltype(four)>;
    Four part[4][2];
    for (std::size_t lane = 0; lane < lanes; lane += 4) {
      const Four r0 = hn::LoadU(four, from[lane] + at), r1 = hn::LoadU(four, from[lane + 1] + at),
                 r2 = hn::LoadU(four, from[lane + 2] + at), r3 = hn::LoadU(four, from[lane + 3] + at);
      const Four even01 = hn::InterleaveLower(four, r0, r1), odd01 = hn::InterleaveUpper(four, r0, r1),
                 even23 = hn::InterleaveLower(four, r2, r3), odd23 = hn::InterleaveUpper(four, r2, r3);
      part[0][lane / 4] = hn::ConcatLowerLower(four, even23, even01);
      part[1][lane / 4] = hn::ConcatLowerLower(four, odd23, odd01);
      part[2][lane / 4] = hn::ConcatUpperUpper(four, even23, even01);
      part[3][lane / 4] = hn::ConcatUpperUpper(four, odd23, odd01);
    }
    for (std::size_t k = 0; k < 4; ++k)
      result.of[k] = joined(part[k]);
  }
  return result;
}

/// The reverse: stores four numbers per lane to `to[lane * stride]` and the next three.
template <class Numbers>
HWY_INLINE void store_four(Numbers x, Numbers y, Numbers z, Numbers w, double* to, std::size_t stride) {
  const Numbers even_xy = hn::InterleaveLower(tag, x, y), odd_xy = hn::InterleaveUpper(tag, x, y);
  const Numbers even_zw = hn::InterleaveLower(tag, z, w), odd_zw = hn::InterleaveUpper(tag, z, w);
  if constexpr (lanes == 2) {
    hn::StoreU(even_xy, tag, to);
    hn::StoreU(even_zw, tag, to + 2);
    hn::StoreU(odd_xy, tag, to + stride);
    hn::StoreU(odd_zw, tag, to + stride + 2);
  } else {
    const hn::CappedTag<double, 4> four;
    const auto put = [&](auto even01, auto odd01, auto even23, auto odd23, double* at) HWY_ATTR {
      hn::StoreU(hn::ConcatLowerLower(four, even23, even01), four, at);
      hn::StoreU(hn::ConcatLowerLower(four, odd23, odd01), four, at + stride);
      hn::StoreU(hn::ConcatUpperUpper(four, even23, even01), four, at + 2 * stride);
      hn::StoreU(hn::ConcatUpperUpper(four, odd23, odd01), four, at + 3 * stride);
    };
    if constexpr (lanes == 4) {
      put(even_xy, odd_xy, even_zw, odd_zw, to);
    } else {
      put(hn::LowerHalf(four, even_xy), hn::LowerHalf(four, odd_xy), hn::LowerHalf(four, even_zw),
          hn::LowerHalf(four, odd_zw), to);
      put(hn::UpperHalf(four, even_xy), hn::UpperHalf(four, odd_xy), hn::UpperHalf(four, even_zw),
          hn::UpperHalf(four, odd_zw), to + 4 * stride);
    }
  }
}

/// Loads a SupportVertex per lane.
HWY_INLINE Vector load_vertices(const double* const (&from)[lanes]) {
  const FourNumbers vertices = load_four(from, 0);
  return {vertices.of[0], vertices.of[1], vertices.of[2]};
}

HWY_INLINE Number larger(Number a, Number b) {
  return hn::IfThenElse(hn::Lt(a, b), b, a);
}
HWY_INLINE Number smaller(Number a, Number b) {
  return hn::IfThenElse(hn::Lt(b, a), b, a);
}

}  // namespace whisker::convex::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
