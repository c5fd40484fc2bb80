// The nearest points of simplices, one per lane: reduce() of simplex.hpp, with the same order of operations. Compiled
// once per instruction set: included from convex_batch_kernels.cpp.

#include <cmath>

#if defined(WHISKER_CONVEX_BATCH_SIMPLEX_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHISKER_CONVEX_BATCH_SIMPLEX_INL
#undef WHISKER_CONVEX_BATCH_SIMPLEX_INL
#else
#define WHISKER_CONVEX_BATCH_SIMPLEX_INL
#endif

#include <hwy/highway.h>

#include "convex/convex_batch_vectors-inl.hpp"
#include "convex/simplex_lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::convex::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// A corner of the simplex. Here the newest comes first.
struct Corner {
  Vector w;
  Number id;  ///< id of its two vertices, or `no_vertices`
};

struct Reduced {
  Number weight[4];
  Vector v;
  Number squared;
  Mask inside;
  Mask open;  ///< a case that is left to the single query
};

/// `Most` and `Least` are the largest and the smallest number of corners of a simplex. Beyond two, ids tell the number.
template <std::size_t Most, std::size_t Least>
HWY_INLINE Reduced reduce(const Corner (&corner)[4]) {
  const Mask has_c = hn::Ge(corner[2].id, zero()), has_d = hn::Ge(corner[3].id, zero());
  const Vector &a = corner[0].w, &c = corner[2].w, &d = corner[3].w;
  // A single corner is treated as a segment of length 0.
  const Vector b = Least > 1 ? corner[1].w : choose(hn::Ge(corner[1].id, zero()), corner[1].w, corner[0].w);
  const Number one = set(1);
  const Mask never = hn::Lt(zero(), zero());
  Reduced r;
  r.inside = never;
  r.open = never;
  r.weight[1] = zero();
  r.weight[2] = zero();
  r.weight[3] = zero();
  if constexpr (Most == 1) {
    r.weight[0] = one;
    r.v = a;
    r.squared = dot(a, a);
    return r;
  }

  const Vector ab = b - a;
  const OnSegment<Number> on_b = nearest_on_segment(tag, a, b, ab);
  if (Most == 2 || !any(has_c)) {
    r.weight[0] = hn::Sub(one, on_b.share);
    r.weight[1] = on_b.share;
    r.v = on_b.v;
    r.squared = on_b.squared;
    return r;
  }

  const Vector ac = c - a;
  const OnSegment<Number> on_c = nearest_on_segment(tag, a, c, ac);
  const Vector a_by_b = cross(a, ab), a_by_c = cross(a, ac);
  const Face<Number> abc = face_of(a, ab, ac, a_by_b, a_by_c);
  if (Most == 3 || !any(has_d)) {
    const OnFace<Tag> on = nearest_on_face(tag, has_c, abc, on_b, on_c);
    r.weight[0] = on.a;
    r.weight[1] = on.x;
    r.weight[2] = on.y;
    r.v = on.v;
    r.squared = on.squared;
    r.open = on.opposite;
    return r;
  }

  const Vector ad = d - a;
  const Number volume = dot(abc.n, ad);
  const Number sizes = hn::Mul(hn::Mul(dot(ab, ab), dot(ac, ac)), dot(ad, ad));
  constexpr double flat = 16 * 0x1p-53;
  const Mask thick = hn::Gt(hn::Mul(volume, volume), hn::Mul(set(flat * flat), sizes));
  const Number sign = hn::And(volume, set(-0.0));
  const auto within = [&](Number share) HWY_ATTR { return hn::And(thick, is_positive(hn::Xor(share, sign))); };
  const Number of_d = hn::Neg(abc.height);
  const Mask in_abc = hn::And(has_d, within(of_d));
  const OnFace<Tag> on_abc = nearest_on_face(tag, has_c, abc, on_b, on_c);

  const OnSegment<Number> on_d = nearest_on_segment(tag, a, d, ad);
  const Vector a_by_d = cross(a, ad);
  const Face<Number> acd = face_of(a, ac, ad, a_by_c, a_by_d);
  const Number of_b = hn::Neg(acd.height);
  const Mask in_acd = within(of_b), out_acd = hn::AndNot(in_acd, has_d);
  const OnFace<Tag> on_acd = nearest_on_face(tag, has_d, acd, on_c, on_d);
  const Face<Number> adb = face_of(a, ad, ab, a_by_d, a_by_b);
  const Number of_c = hn::Neg(adb.height);
  const Mask in_adb = within(of_c), out_adb = hn::AndNot(in_adb, has_d);
  const OnFace<Tag> on_adb = nearest_on_face(tag, has_d, adb, on_d, on_b);

  const Number best = hn::IfThenElse(in_abc, set(HUGE_VAL), on_abc.squared);
  const Mask take_acd = hn::And(out_acd, hn::Lt(on_acd.squared, best));
  const Number better = hn::IfThenElse(take_acd, on_acd.squared, best);
  const Mask take_adb = hn::And(out_adb, hn::Lt(on_adb.squared, better));
  const auto pick = [&](Number of_abc, Number of_acd, Number of_adb)
                        HWY_ATTR { return hn::IfThenElse(take_adb, of_adb, hn::IfThenElse(take_acd, of_acd, of_abc)); };
  r.weight[0] = pick(on_abc.a, on_acd.a, on_adb.a);
  r.weight[1] = pick(on_abc.x, zero(), on_adb.y);
  r.weight[2] = pick(on_abc.y, on_acd.x, zero());
  r.weight[3] = pick(zero(), on_acd.y, on_adb.x);
  r.v = choose(take_adb, on_adb.v, choose(take_acd, on_acd.v, on_abc.v));
  r.squared = hn::IfThenElse(take_adb, on_adb.squared, better);

  r.open = hn::Or(hn::AndNot(in_abc, on_abc.opposite),
                  hn::Or(hn::And(out_acd, on_acd.opposite), hn::And(out_adb, on_adb.opposite)));

  const Mask in_three = hn::And(in_abc, hn::And(in_acd, in_adb));
  if (any(in_three)) {
    const Number of_a = hn::Sub(volume, hn::Add(hn::Add(of_b, of_c), of_d));
    const Mask in_bcd = within(of_a);
    r.inside = hn::And(in_three, in_bcd);
    r.open = hn::Or(r.open, hn::AndNot(in_bcd, in_three));
    const Number inverse = hn::Div(one, volume);
    r.weight[0] = hn::IfThenElse(r.inside, hn::Mul(of_a, inverse), r.weight[0]);
    r.weight[1] = hn::IfThenElse(r.inside, hn::Mul(of_b, inverse), r.weight[1]);
    r.weight[2] = hn::IfThenElse(r.inside, hn::Mul(of_c, inverse), r.weight[2]);
    r.weight[3] = hn::IfThenElse(r.inside, hn::Mul(of_d, inverse), r.weight[3]);
  }
  return r;
}

}  // namespace whisker::convex::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
