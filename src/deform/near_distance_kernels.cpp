// Distances between points and triangles and between segments, one pair per lane. Compiled once per instruction set.

#include <cstddef>

#include "deform/near_distance.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "deform/near_distance_kernels.cpp"
#include <hwy/foreach_target.h>
// Must come after foreach_target.h:
#include <hwy/highway.h>

#include "simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::deform::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace simd::HWY_NAMESPACE;

// Products and sums are never fused, so that all instruction sets round alike.
using Tag = hn::CappedTag<double, 8>;
using Lane = hn::Vec<Tag>;
using Mask = hn::Mask<Tag>;
constexpr std::size_t lanes = hn::MaxLanes(Tag());

using Vectors = Lanes3<Lane>;

HWY_INLINE Lane number(double value) {
  return hn::Set(Tag(), value);
}
HWY_INLINE Lane clamped01(Lane t) {
  return hn::Min(hn::Max(t, hn::Zero(Tag())), number(1));
}
/// 1 / x for a squared length x, or 0 if x is negligible.
HWY_INLINE Lane inverse(Lane x) {
  const Mask is_some = hn::Gt(x, number(0x1p-1000));
  return hn::IfThenElseZero(is_some, hn::Div(number(1), hn::IfThenElse(is_some, x, number(1))));
}
HWY_INLINE Mask is_inside(Lane t) {
  return hn::And(hn::Gt(t, hn::Zero(Tag())), hn::Lt(t, number(1)));
}
/// p or -p, whichever is on q's side.
HWY_INLINE Vectors toward(const Vectors& q, const Vectors& p) {
  const Lane side = hn::CopySign(number(1), dot(p, q));
  return p * side;
}

/// What is known about the polygon of differences.
struct Found {
  Vectors gap;            ///< its point nearest to the origin, as far as known
  Lane weights[4];        ///< the corner weights of that point
  Vectors directions[2];  ///< candidate directions of greatest separation from the origin
};

/// Computes the bounds from the polygon's corners.
template <std::size_t corners>
HWY_INLINE void finish(const Vectors (&corner)[corners], const Found& found, std::size_t at, NearDistances& result) {
  const Tag d;
  Lane size = largest_size(corner[0]);
  for (std::size_t i = 1; i < corners; ++i)
    size = hn::Max(size, largest_size(corner[i]));
  // Error bound, in units of 2^-53 of the size. A coordinate of the gap is a sum of corners and of fractions of sides:
  // at most 11, so its length has 24, including the square root. Weights whose sum exceeds 1 put the gap 7 off the
  // polygon. The dot product of a corner with a direction: one for the corner and three for the sum, times |direction|
  // sqrt(3) size, and five for the product with 1 / |direction|: 16.
  const Lane error = hn::Mul(number(0x1p-47), size);
  const Lane upper = hn::Add(hn::Sqrt(dot(found.gap, found.gap)), error);
  Lane lower = number(-1);
  Vectors normal = {hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  for (const Vectors& direction : found.directions) {
    const Lane squared = dot(direction, direction);
    const Mask is_some = hn::Gt(squared, number(0x1p-840));
    Lane least = dot(direction, corner[0]);
    for (std::size_t i = 1; i < corners; ++i)
      least = hn::Min(least, dot(direction, corner[i]));
    const Lane scale = hn::Div(number(1), hn::Sqrt(hn::IfThenElse(is_some, squared, number(1))));
    const Lane bound = hn::Mul(least, scale);
    const Mask is_better = hn::And(is_some, hn::Gt(bound, lower));
    lower = hn::IfThenElse(is_better, bound, lower);
    normal = choose(is_better, direction * scale, normal);
  }
  lower = hn::Sub(lower, error);
  // Within this range, products of four lengths neither overflow nor underflow as a whole.
  const Mask is_ordinary = hn::And(hn::Gt(size, number(0x1p-200)), hn::Lt(size, number(0x1p200)));
  lower = hn::IfThenElseZero(hn::And(is_ordinary, hn::Gt(lower, hn::Zero(d))), lower);
  const Lane width = hn::Sub(upper, lower);
  const Mask is_tight = hn::And(is_ordinary, hn::And(hn::Le(width, hn::Mul(number(0x1p-42), size)),
                                                     hn::Le(width, hn::Mul(number(0x1p-20), lower))));
  hn::Store(lower, d, result.lower + at);
  hn::Store(upper, d, result.upper + at);
  for (std::size_t i = 0; i < 4; ++i)
    hn::Store(found.weights[i], d, result.weights[i] + at);
  store3(normal, d, result.normal, at);
  const unsigned bits = mask_bits(d, is_tight);
  for (std::size_t i = 0; i < lanes; ++i)
    result.is_tight[at + i] = (bits >> i & 1) != 0;
}

/// Finds the nearest point of each edge, then the projection onto the plane if that falls inside the triangle.
HWY_INLINE void measure_point_triangle(const Vectors (&x)[4], std::size_t at, NearDistances& result) {
  const Tag d;
  const Lane zero = hn::Zero(d), one = number(1);
  const Vectors corner[3] = {x[1] - x[0], x[2] - x[0], x[3] - x[0]};
  const Vectors ab = x[2] - x[1], ac = x[3] - x[1], bc = x[3] - x[2];
  const Lane ab_ab = dot(ab, ab), ac_ac = dot(ac, ac);

  Found found;
  Lane best = hn::Inf(d);
  const auto look_at_edge = [&](const Vectors& edge, Lane squared, std::size_t i, std::size_t j) HWY_ATTR {
    const Lane scale = inverse(squared);
    const Lane t = clamped01(hn::Neg(hn::Mul(dot(corner[i], edge), scale)));
    const Vectors gap = choose(hn::Eq(t, one), corner[j], corner[i] + edge * t);
    const Lane distance = dot(gap, gap);
    const Mask is_better = hn::Lt(distance, best);
    best = hn::IfThenElse(is_better, distance, best);
    found.gap = choose(is_better, gap, found.gap);
    // The gap is perpendicular to the edge if its foot is in the edge's interior.
    const Vectors square = choose(is_inside(t), gap - edge * hn::Mul(dot(gap, edge), scale), gap);
    found.directions[0] = choose(is_better, square, found.directions[0]);
    Lane weights[3] = {zero, zero, zero};
    weights[i] = hn::Sub(one, t);
    weights[j] = t;
    for (std::size_t k = 0; k < 3; ++k)
      found.weights[k + 1] = hn::IfThenElse(is_better, weights[k], found.weights[k + 1]);
  };
  found.weights[0] = one;
  found.weights[1] = found.weights[2] = found.weights[3] = zero;
  found.gap = found.directions[0] = corner[0];
  look_at_edge(ab, ab_ab, 0, 1);
  look_at_edge(ac, ac_ac, 0, 2);
  look_at_edge(bc, dot(bc, bc), 1, 2);

  const Vectors n = cross(ab, ac);
  const Lane n_n = dot(n, n), scale = inverse(n_n);
  const Lane v = hn::Neg(hn::Mul(dot(n, cross(corner[0], ac)), scale));
  const Lane w = hn::Neg(hn::Mul(dot(n, cross(ab, corner[0])), scale));
  const Lane u = hn::Sub(hn::Sub(one, v), w);
  const Mask inside =
      hn::And(hn::Gt(hn::Min(hn::Min(u, v), w), zero), hn::Gt(n_n, hn::Mul(number(0x1p-60), hn::Mul(ab_ab, ac_ac))));
  found.gap = choose(inside, corner[0] + (ab * v + ac * w), found.gap);
  found.weights[1] = hn::IfThenElse(inside, u, found.weights[1]);
  found.weights[2] = hn::IfThenElse(inside, v, found.weights[2]);
  found.weights[3] = hn::IfThenElse(inside, w, found.weights[3]);
  found.directions[1] = toward(corner[0], n);
  finish(corner, found, at, result);
}

/// Tests each end against the other segment, then the closest points of the two lines if both are interior. Ends come
/// first so that for parallel segments an endpoint is reported.
HWY_INLINE void measure_segments(const Vectors (&x)[4], std::size_t at, NearDistances& result) {
  const Tag d;
  const Lane zero = hn::Zero(d), one = number(1);
  // Differences from the ends of the first segment to those of the second.
  const Vectors corner[4] = {x[2] - x[0], x[2] - x[1], x[3] - x[1], x[3] - x[0]};
  const Vectors d1 = x[1] - x[0], d2 = x[3] - x[2];
  const Lane a = dot(d1, d1), e = dot(d2, d2), b = dot(d1, d2);
  const Lane scale_a = inverse(a), scale_e = inverse(e);
  const Lane c = dot(d1, corner[0]), f = dot(d2, corner[0]);

  // End 0 of the first segment.
  Lane s = zero, t = clamped01(hn::Neg(hn::Mul(f, scale_e)));
  Vectors gap = choose(hn::Eq(t, one), corner[3], corner[0] + d2 * t);
  Lane best = dot(gap, gap);
  const auto take = [&](Mask mask, Lane new_s, Lane new_t, const Vectors& new_gap) HWY_ATTR {
    const Lane distance = dot(new_gap, new_gap);
    const Mask is_better = hn::And(mask, hn::Lt(distance, best));
    best = hn::IfThenElse(is_better, distance, best);
    s = hn::IfThenElse(is_better, new_s, s);
    t = hn::IfThenElse(is_better, new_t, t);
    gap = choose(is_better, new_gap, gap);
  };
  const Mask always = hn::Eq(zero, zero);
  const Lane t1 = clamped01(hn::Mul(hn::Sub(b, f), scale_e));
  take(always, one, t1, choose(hn::Eq(t1, one), corner[2], corner[1] + d2 * t1));
  const Lane s0 = clamped01(hn::Mul(c, scale_a));
  take(always, s0, zero, choose(hn::Eq(s0, one), corner[1], corner[0] - d1 * s0));
  const Lane s1 = clamped01(hn::Mul(hn::Add(b, c), scale_a));
  take(always, s1, one, choose(hn::Eq(s1, one), corner[2], corner[3] - d1 * s1));

  // Ericson 2005, 5.1.9.
  const Lane a_e = hn::Mul(a, e), determinant = hn::Sub(a_e, hn::Mul(b, b));
  const Mask is_askew = hn::And(hn::Gt(determinant, hn::Mul(number(0x1p-40), a_e)), hn::Gt(a_e, number(0x1p-900)));
  const Lane bottom = hn::IfThenElse(is_askew, determinant, one);
  Lane s2 = clamped01(hn::Div(hn::Sub(hn::Mul(c, e), hn::Mul(b, f)), bottom));
  const Lane t2 = clamped01(hn::Mul(hn::Sub(hn::Mul(b, s2), f), scale_e));
  s2 = clamped01(hn::Mul(hn::Add(hn::Mul(b, t2), c), scale_a));
  const Mask inside = hn::And(is_askew, hn::And(is_inside(s2), is_inside(t2)));
  take(inside, s2, t2, (corner[0] + d2 * t2) - d1 * s2);

  Found found;
  found.gap = gap;
  found.weights[0] = hn::Sub(one, s);
  found.weights[1] = s;
  found.weights[2] = hn::Sub(one, t);
  found.weights[3] = t;
  // The gap is perpendicular to a segment if its foot is in that segment's interior.
  Vectors square = choose(is_inside(s), gap - d1 * hn::Mul(dot(gap, d1), scale_a), gap);
  square = choose(is_inside(t), square - d2 * hn::Mul(dot(square, d2), scale_e), square);
  found.directions[0] = square;
  found.directions[1] = toward(gap, cross(d1, d2));
  finish(corner, found, at, result);
}

void measure(motion::FeaturePairKind kind, const motion::FeaturePairs& pairs, std::size_t count,
             NearDistances& result) {
  const Tag d;
  const bool is_edges = kind == motion::FeaturePairKind::segment_segment;
  // Gathers everything first: reading data as a vector right after writing it element by element would stall the
  // processor.
  HWY_ALIGN double at[4][3][NearDistances::most];
  const std::size_t padded = (count + lanes - 1) / lanes * lanes;
  for (std::size_t n = 0; n < padded; ++n) {
    for (std::size_t i = 0; i < 4; ++i) {
      const double* const from = pairs.corner(kind, HWY_MIN(n, count - 1), i).end;  // unused lanes repeat the last pair
      for (std::size_t axis = 0; axis < 3; ++axis)
        at[i][axis][n] = from[axis];
    }
  }
  for (std::size_t n = 0; n < padded; n += lanes) {
    Vectors x[4];
    for (std::size_t i = 0; i < 4; ++i)
      x[i] = load3(d, at[i], n);
    is_edges ? measure_segments(x, n, result) : measure_point_triangle(x, n, result);
  }
}

}  // namespace whisker::deform::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whisker::deform {

HWY_EXPORT(measure);

void measure_near(motion::FeaturePairKind kind, const motion::FeaturePairs& pairs, std::size_t count,
                  NearDistances& result) {
  HWY_DYNAMIC_DISPATCH(measure)(kind, pairs, count, result);
}

}  // namespace whisker::deform
#endif
