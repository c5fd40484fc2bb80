// nearest_on_segment and nearest_on_triangle of simplex.hpp in lanes, with the same order of operations and without
// branches. One simplex uses a lane for each of its edges and faces (corner_lanes-inl.hpp); many simplices use a lane
// each (convex_batch_search-inl.hpp). Compiled once per instruction set: included from files that Highway compiles for
// each of its targets.

#if defined(WHISKER_SIMPLEX_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHISKER_SIMPLEX_LANES_INL
#undef WHISKER_SIMPLEX_LANES_INL
#else
#define WHISKER_SIMPLEX_LANES_INL
#endif

#include <hwy/highway.h>

#include "simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::convex::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace simd::HWY_NAMESPACE;

template <class V>
struct OnSegment {
  V share;  ///< the weight of q
  Lanes3<V> v;
  V squared;
};

/// nearest_on_segment, with e = q - p.
template <class D, class V = hn::Vec<D>>
HWY_INLINE OnSegment<V> nearest_on_segment(D d, const Lanes3<V>& p, const Lanes3<V>& q, const Lanes3<V>& e) {
  const V zero = hn::Zero(d), one = hn::Set(d, 1);
  const V along = hn::Neg(dot(p, e));
  const V ee = dot(e, e);
  const auto past_p = hn::Gt(along, zero), before_q = hn::Lt(along, ee);
  const V inverse = hn::Div(one, ee);
  const V share = hn::Mul(along, inverse);
  Lanes3<V> v = p + e * share;
  v = v - e * hn::Mul(dot(v, e), inverse);
  OnSegment<V> result;
  result.share = hn::IfThenElseZero(past_p, hn::IfThenElse(before_q, share, one));
  result.v = choose(past_p, choose(before_q, v, q), p);
  result.squared = dot(result.v, result.v);
  return result;
}

/// The data of a face: its normal n = (x - a) × (y - a), n · a, and the unnormalized weights of x and y at its nearest
/// point.
template <class V>
struct Face {
  Lanes3<V> n;
  V height;
  V of_x, of_y;
};

/// `a_by_x` is a × (x - a), and `a_by_y` likewise. (x - a) × a is the same with the opposite sign, and so is its
/// product with n.
template <class V>
HWY_INLINE Face<V> face_of(const Lanes3<V>& a, const Lanes3<V>& to_x, const Lanes3<V>& to_y, const Lanes3<V>& a_by_x,
                           const Lanes3<V>& a_by_y) {
  Face<V> face;
  face.n = cross(to_x, to_y);
  face.height = dot(face.n, a);
  face.of_x = hn::Neg(dot(face.n, a_by_y));
  face.of_y = dot(face.n, a_by_x);
  return face;
}

/// Weights of the newest corner a and of x and y. `opposite`: the edge from x to y, which is not tested, may be
/// nearest.
template <class D>
struct OnFace {
  hn::Vec<D> a, x, y;
  Lanes3<hn::Vec<D>> v;
  hn::Vec<D> squared;
  hn::Mask<D> opposite;
};

/// nearest_on_triangle of a, x and y in the lanes of `is_face`. In other lanes the nearest point of the edge to x. The
/// nearest points of both edges at a are already known.
template <class D, class V = hn::Vec<D>>
HWY_INLINE OnFace<D> nearest_on_face(D d, hn::Mask<D> is_face, const Face<V>& face, const OnSegment<V>& on_x,
                                     const OnSegment<V>& on_y) {
  const V zero = hn::Zero(d), one = hn::Set(d, 1);
  const V nn = dot(face.n, face.n);
  const auto within_x = hn::Gt(face.of_x, zero), within_y = hn::Gt(face.of_y, zero);
  const auto within = hn::And(is_face, hn::And(within_x, within_y));
  const auto interior = hn::And(within, hn::Lt(hn::Add(face.of_x, face.of_y), nn));
  const V inverse = hn::Div(one, nn);
  const Lanes3<V> v = face.n * hn::Mul(face.height, inverse);
  const V weight_x = hn::Mul(face.of_x, inverse), weight_y = hn::Mul(face.of_y, inverse);
  const V weight_a = hn::Sub(one, hn::Add(weight_x, weight_y));

  // The edge to x, or the edge to y if it is nearer or the only candidate.
  const auto is_nearer = hn::Or(within_y, hn::Lt(on_y.squared, on_x.squared));
  const auto takes_y = hn::And(is_face, hn::AndNot(within_x, is_nearer));
  const V share = hn::IfThenElse(takes_y, on_y.share, on_x.share);
  OnFace<D> result;
  result.a = hn::IfThenElse(interior, hn::IfThenElseZero(hn::Gt(weight_a, zero), weight_a), hn::Sub(one, share));
  result.x = hn::IfThenElse(interior, weight_x, hn::IfThenElse(takes_y, zero, share));
  result.y = hn::IfThenElse(interior, weight_y, hn::IfThenElseZero(takes_y, share));
  result.v = choose(interior, v, choose(takes_y, on_y.v, on_x.v));
  result.squared = hn::IfThenElse(interior, dot(v, v), hn::IfThenElse(takes_y, on_y.squared, on_x.squared));
  result.opposite = hn::AndNot(interior, within);
  return result;
}

}  // namespace whisker::convex::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
