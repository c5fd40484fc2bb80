// What kernels need beyond Highway's operations: the bits of a mask, and points and vectors in lanes. Compiled once per
// instruction set: included from files that Highway compiles for each of its targets.

#include <cstddef>
#include <cstdint>

#if defined(WHISKER_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHISKER_LANES_INL
#undef WHISKER_LANES_INL
#else
#define WHISKER_LANES_INL
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace whisker::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// A bit for each of up to 16 lanes, the first lane lowest.
template <class D>
HWY_INLINE unsigned mask_bits(D d, hn::Mask<D> mask) {
  static_assert(hn::MaxLanes(D()) <= 16);
  std::uint8_t bytes[8] = {};  // Highway may write eight
  hn::StoreMaskBits(d, mask, bytes);
  return bytes[0] | (hn::MaxLanes(d) > 8 ? static_cast<unsigned>(bytes[1]) << 8 : 0u);
}

/// The same for the signs of floats or doubles: a bit is 1 if the number is negative.
template <class D>
HWY_INLINE unsigned sign_bits(D d, hn::Vec<D> v) {
  const auto sign = hn::BroadcastSignBit(hn::BitCast(hn::RebindToSigned<D>(), v));
  return mask_bits(d, hn::MaskFromVec(hn::BitCast(d, sign)));
}

/// a x + b y + c z, added from left to right and never fused, so that all instruction sets round alike.
template <class V>
HWY_INLINE V dot3(V a, V b, V c, V x, V y, V z) {
  return hn::Add(hn::Add(hn::Mul(a, x), hn::Mul(b, y)), hn::Mul(c, z));
}
/// The same from right to left, fused where the instruction set can: for results whose error is bounded.
template <class V>
HWY_INLINE V fused_dot3(V a, V b, V c, V x, V y, V z) {
  return hn::MulAdd(a, x, hn::MulAdd(b, y, hn::Mul(c, z)));
}

/// A point or vector in each lane.
template <class V>
struct Lanes3 {
  V x, y, z;
};

/// The vectors in three consecutive rows, from column `at` on.
template <class D, class T, std::size_t Size>
HWY_INLINE Lanes3<hn::Vec<D>> load3(D d, const T (*rows)[Size], std::size_t at = 0) {
  return {hn::Load(d, rows[0] + at), hn::Load(d, rows[1] + at), hn::Load(d, rows[2] + at)};
}
template <class D, class T, std::size_t Size>
HWY_INLINE void store3(const Lanes3<hn::Vec<D>>& v, D d, T (*rows)[Size], std::size_t at = 0) {
  hn::Store(v.x, d, rows[0] + at);
  hn::Store(v.y, d, rows[1] + at);
  hn::Store(v.z, d, rows[2] + at);
}
/// The vectors from these places on.
template <class D, class T>
HWY_INLINE Lanes3<hn::Vec<D>> load3(D d, const T* x, const T* y, const T* z) {
  return {hn::LoadU(d, x), hn::LoadU(d, y), hn::LoadU(d, z)};
}
/// The same of floats.
template <class D>
HWY_INLINE Lanes3<hn::Vec<D>> promote3(D d, const float* x, const float* y, const float* z) {
  const hn::Rebind<float, D> floats;
  return {hn::PromoteTo(d, hn::LoadU(floats, x)), hn::PromoteTo(d, hn::LoadU(floats, y)),
          hn::PromoteTo(d, hn::LoadU(floats, z))};
}
/// The same vector in all lanes.
template <class D, class T>
HWY_INLINE Lanes3<hn::Vec<D>> set3(D d, const T* v) {
  return {hn::Set(d, v[0]), hn::Set(d, v[1]), hn::Set(d, v[2])};
}

template <class V>
HWY_INLINE Lanes3<V> operator+(const Lanes3<V>& a, const Lanes3<V>& b) {
  return {hn::Add(a.x, b.x), hn::Add(a.y, b.y), hn::Add(a.z, b.z)};
}
template <class V>
HWY_INLINE Lanes3<V> operator-(const Lanes3<V>& a, const Lanes3<V>& b) {
  return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y), hn::Sub(a.z, b.z)};
}
template <class V>
HWY_INLINE Lanes3<V> operator-(const Lanes3<V>& a) {
  return {hn::Neg(a.x), hn::Neg(a.y), hn::Neg(a.z)};
}
template <class V>
HWY_INLINE Lanes3<V> operator*(const Lanes3<V>& a, V factor) {
  return {hn::Mul(a.x, factor), hn::Mul(a.y, factor), hn::Mul(a.z, factor)};
}
template <class V>
HWY_INLINE V dot(const Lanes3<V>& a, const Lanes3<V>& b) {
  return dot3(a.x, a.y, a.z, b.x, b.y, b.z);
}
template <class V>
HWY_INLINE Lanes3<V> cross(const Lanes3<V>& a, const Lanes3<V>& b) {
  return {hn::Sub(hn::Mul(a.y, b.z), hn::Mul(a.z, b.y)), hn::Sub(hn::Mul(a.z, b.x), hn::Mul(a.x, b.z)),
          hn::Sub(hn::Mul(a.x, b.y), hn::Mul(a.y, b.x))};
}
template <class V>
HWY_INLINE V fused_dot(const Lanes3<V>& a, const Lanes3<V>& b) {
  return fused_dot3(a.x, a.y, a.z, b.x, b.y, b.z);
}
template <class V>
HWY_INLINE Lanes3<V> fused_cross(const Lanes3<V>& a, const Lanes3<V>& b) {
  return {hn::NegMulAdd(a.z, b.y, hn::Mul(a.y, b.z)), hn::NegMulAdd(a.x, b.z, hn::Mul(a.z, b.x)),
          hn::NegMulAdd(a.y, b.x, hn::Mul(a.x, b.y))};
}
template <class M, class V>
HWY_INLINE Lanes3<V> choose(M mask, const Lanes3<V>& yes, const Lanes3<V>& no) {
  return {hn::IfThenElse(mask, yes.x, no.x), hn::IfThenElse(mask, yes.y, no.y), hn::IfThenElse(mask, yes.z, no.z)};
}
/// The largest absolute coordinate.
template <class V>
HWY_INLINE V largest_size(const Lanes3<V>& a) {
  return hn::Max(hn::Abs(a.x), hn::Max(hn::Abs(a.y), hn::Abs(a.z)));
}

}  // namespace whisker::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
