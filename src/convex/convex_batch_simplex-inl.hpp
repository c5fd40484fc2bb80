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

HWY_BEFORE_NAMESPACE();
namespace whisker::convex::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

struct OnSegment {
  Number share;
  Vector v;
  Number squared;
};

/// nearest_on_segment, with e = q - p.
HWY_INLINE OnSegment nearest_on_segment(const Vector& p, const Vector& q, const Vector& e) {
  const Number along = hn::Neg(dot(p, e));
  const Number ee = dot(e, e);
  const Mask past_p = is_positive(along), before_q = hn::Lt(along, ee);
  const Number inverse = hn::Div(set(1), ee);
  const Number share = hn::Mul(along, inverse);
  Vector v = p + e * share;
  v = v - e * hn::Mul(dot(v, e), inverse);
  OnSegment result;
  result.share = hn::IfThenElseZero(past_p, hn::IfThenElse(before_q, share, set(1)));
  result.v = choose(past_p, choose(before_q, v, q), p);
  result.squared = dot(result.v, result.v);
  return result;
}

/// Weights of the newest corner a and of x and y. `opposite`: the edge from x to y, which is not tested, may be
/// nearest.
struct OnFace {
  Number a, x, y;
  Vector v;
  Number squared;
  Mask opposite;
};

/// The data of a face: its normal n = (x - a) × (y - a), n · a, and the unnormalized weights of x and y at its nearest
/// point.
struct Face {
  Vector n;
  Number height;
  Number of_x, of_y;
};

/// nearest_on_triangle of a, x and y in the lanes of `is_face`. In other lanes the nearest point of the edge to x. The
/// nearest points of both edges at a are already known.
HWY_INLINE OnFace nearest_on_face(Mask is_face, const Face& face, const OnSegment& on_x, const OnSegment& on_y) {
  const Number one = set(1);
  const Number nn = dot(face.n, face.n);
  const Mask within_x = is_positive(face.of_x), within_y = is_positive(face.of_y);
  const Mask within = hn::And(is_face, hn::And(within_x, within_y));
  const Mask interior = hn::And(within, hn::Lt(hn::Add(face.of_x, face.of_y), nn));
  const Number inverse = hn::Div(one, nn);
  const Vector v = face.n * hn::Mul(face.height, inverse);
  const Number weight_x = hn::Mul(face.of_x, inverse), weight_y = hn::Mul(face.of_y, inverse);
  const Number weight_a = hn::Sub(one, hn::Add(weight_x, weight_y));

  // The edge to x, or the edge to y if it is nearer or the only candidate.
  const Mask is_nearer = hn::Or(within_y, hn::Lt(on_y.squared, on_x.squared));
  const Mask takes_y = hn::And(is_face, hn::AndNot(within_x, is_nearer));
  const Number share = hn::IfThenElse(takes_y, on_y.share, on_x.share);
  OnFace result;
  result.a = hn::IfThenElse(interior, hn::IfThenElseZero(is_positive(weight_a), weight_a), hn::Sub(one, share));
  result.x = hn::IfThenElse(interior, weight_x, hn::IfThenElse(takes_y, zero(), share));
  result.y = hn::IfThenElse(interior, weight_y, hn::IfThenElseZero(takes_y, share));
  result.v = choose(interior, v, choose(takes_y, on_y.v, on_x.v));
  result.squared = hn::IfThenElse(interior, dot(v, v), hn::IfThenElse(takes_y, on_y.squared, on_x.squared));
  result.opposite = hn::AndNot(interior, within);
  return result;
}

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
  const OnSegment on_b = nearest_on_segment(a, b, ab);
  if (Most == 2 || !any(has_c)) {
    r.weight[0] = hn::Sub(one, on_b.share);
    r.weight[1] = on_b.share;
    r.v = on_b.v;
    r.squared = on_b.squared;
    return r;
  }

  const Vector ac = c - a;
  const OnSegment on_c = nearest_on_segment(a, c, ac);
  const Vector a_by_b = cross(a, ab), a_by_c = cross(a, ac);
  // (x - a) × a is a × (x - a) with the opposite sign, and so is its product with n.
  const auto face_of = [&](const Vector& to_x, const Vector& to_y, const Vector& a_by_x, const Vector& a_by_y)
                           HWY_ATTR {
                             Face face;
                             face.n = cross(to_x, to_y);
                             face.height = dot(face.n, a);
                             face.of_x = hn::Neg(dot(face.n, a_by_y));
                             face.of_y = dot(face.n, a_by_x);
                             return face;
                           };
  const Face abc = face_of(ab, ac, a_by_b, a_by_c);
  if (Most == 3 || !any(has_d)) {
    const OnFace on = nearest_on_face(has_c, abc, on_b, on_c);
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
  const OnFace on_abc = nearest_on_face(has_c, abc, on_b, on_c);

  const OnSegment on_d = nearest_on_segment(a, d, ad);
  const Vector a_by_d = cross(a, ad);
  const Face acd = face_of(ac, ad, a_by_c, a_by_d);
  const Number of_b = hn::Neg(acd.height);
  const Mask in_acd = within(of_b), out_acd = hn::AndNot(in_acd, has_d);
  const OnFace on_acd = nearest_on_face(has_d, acd, on_c, on_d);
  const Face adb = face_of(ad, ab, a_by_d, a_by_b);
  const Number of_c = hn::Neg(adb.height);
  const Mask in_adb = within(of_c), out_adb = hn::AndNot(in_adb, has_d);
  const OnFace on_adb = nearest_on_face(has_d, adb, on_d, on_b);

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
