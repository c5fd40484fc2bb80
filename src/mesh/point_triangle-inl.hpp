// Tests a point against triangles, one triangle in each lane. Compiled once per instruction set, like
// node_pair-inl.hpp.

#if defined(WHISKER_POINT_TRIANGLE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHISKER_POINT_TRIANGLE_INL
#undef WHISKER_POINT_TRIANGLE_INL
#else
#define WHISKER_POINT_TRIANGLE_INL
#endif

#include <hwy/highway.h>

#include "simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::mesh::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace simd::HWY_NAMESPACE;

/// Bounds the distances from a point to triangles. A point of each triangle that is nearly the closest gives the upper
/// bound. The direction to this point gives the lower bound: the least extent of the three corners along it. The lower
/// bound is valid for any direction, so it does not matter how accurate the point is.
template <class D, class V>
HWY_INLINE void point_bounds(D d, const Lanes3<V>& a, const Lanes3<V>& b, const Lanes3<V>& c, V& lower, V& upper) {
  using V3 = Lanes3<V>;
  const V zero = hn::Zero(d), one = hn::Set(d, 1.0), tiny = hn::Set(d, 1e-300);
  const auto clamp = [&](V x) HWY_ATTR { return hn::Min(hn::Max(x, zero), one); };
  // The point is the origin. Edges that start at a, b and c:
  const V3 ab = b - a, bc = c - b, ca = a - c;
  const V ab_ab = dot(ab, ab), bc_bc = dot(bc, bc), ca_ca = dot(ca, ca);
  const V s0 = clamp(hn::Div(hn::Neg(dot(a, ab)), hn::Max(ab_ab, tiny)));
  const V s1 = clamp(hn::Div(hn::Neg(dot(b, bc)), hn::Max(bc_bc, tiny)));
  const V s2 = clamp(hn::Div(hn::Neg(dot(c, ca)), hn::Max(ca_ca, tiny)));
  V3 best = a + ab * s0;
  V best2 = dot(best, best);
  const auto consider = [&](const V3& q, V wanted2) HWY_ATTR {
    const auto nearer = hn::Lt(wanted2, best2);
    best = choose(nearer, q, best);
    best2 = hn::Min(wanted2, best2);
  };
  const V3 on_bc = b + bc * s1;
  consider(on_bc, dot(on_bc, on_bc));
  const V3 on_ca = c + ca * s2;
  consider(on_ca, dot(on_ca, on_ca));
  // The point a + v ab - w ca inside the triangle, from the normal equations.
  const V ab_ac = hn::Neg(dot(ab, ca));
  const V determinant = hn::Sub(hn::Mul(ab_ab, ca_ca), hn::Mul(ab_ac, ab_ac));
  const V ab_ap = hn::Neg(dot(a, ab)), ac_ap = dot(a, ca);
  const V v0 = hn::Sub(hn::Mul(ab_ap, ca_ca), hn::Mul(ac_ap, ab_ac));
  const V w0 = hn::Sub(hn::Mul(ac_ap, ab_ab), hn::Mul(ab_ap, ab_ac));
  const auto inside = hn::And(hn::And(hn::Gt(v0, zero), hn::Gt(w0, zero)), hn::Lt(hn::Add(v0, w0), determinant));
  const V share = hn::Div(one, hn::Max(determinant, tiny));
  const V v = hn::Mul(v0, share), w = hn::Mul(w0, share);
  const V3 foot = (a + ab * v) + ca * hn::Neg(w);
  // A quotient of the smallest numbers may be meaningless, but then it is not chosen.
  const auto good = hn::And(inside, hn::Le(hn::Add(v, w), hn::Set(d, 1 + 0x1p-40)));
  consider(foot, hn::IfThenElse(good, dot(foot, foot), hn::Set(d, 1e300)));

  const V length = hn::Sqrt(best2);
  upper = length;
  const V reach = hn::Min(dot(best, a), hn::Min(dot(best, b), dot(best, c)));
  lower = hn::IfThenElse(hn::Gt(length, hn::Set(d, 1e-140)), hn::Div(reach, hn::Max(length, tiny)), zero);
}

}  // namespace whisker::mesh::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
