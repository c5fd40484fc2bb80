// Describes where pairs of features touch and along which normal, one pair in each lane. Compiled once per instruction
// set.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "motion/feature_impacts.hpp"
#include "motion/linear_contact.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "motion/linear_describe_kernels.cpp"
#include <hwy/foreach_target.h>
// Must come after foreach_target.h:
#include <hwy/highway.h>

#include "motion/linear_batch-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::motion::HWY_NAMESPACE {

/// As in Description.
template <class D, std::size_t count>
struct Descriptions {
  hn::Vec<D> weight[count];
  Lanes3<hn::Vec<D>> normal;
  hn::Mask<D> is_set;
};

/// Computes the weights of the corners in the point of the polygon that is nearest to the origin. Returns the lanes in
/// which this point is inside the polygon.
template <class D>
HWY_INLINE hn::Mask<D> set_weights(D d, const Lanes3<hn::Vec<D>> (&c)[3], hn::Vec<D> (&weight)[3]) {
  using Number = hn::Vec<D>;
  const Lanes3<Number> n = cross(c[1] - c[0], c[2] - c[0]);
  const Number of_a = dot(n, cross(c[1], c[2])), of_b = dot(n, cross(c[2], c[0])), of_c = dot(n, cross(c[0], c[1]));
  const Number sum = hn::Add(hn::Add(of_a, of_b), of_c), zero = hn::Zero(d);
  weight[0] = hn::Div(of_a, sum);
  weight[1] = hn::Div(of_b, sum);
  weight[2] = hn::Div(of_c, sum);
  return hn::And(hn::Gt(hn::Min(hn::Min(of_a, of_b), of_c), zero), hn::Gt(sum, zero));
}
template <class D>
HWY_INLINE hn::Mask<D> set_weights(D d, const Lanes3<hn::Vec<D>> (&c)[4], hn::Vec<D> (&weight)[4]) {
  using Number = hn::Vec<D>;
  const Lanes3<Number> e = c[1] - c[0], f = c[3] - c[0];
  const Number ee = dot(e, e), ff = dot(f, f), ef = dot(e, f), xe = dot(c[0], e), xf = dot(c[0], f);
  const Number determinant = hn::Sub(hn::Mul(ee, ff), hn::Mul(ef, ef));
  const Number s = hn::Div(hn::Sub(hn::Mul(ef, xf), hn::Mul(ff, xe)), determinant);
  const Number t = hn::Div(hn::Sub(hn::Mul(ef, xe), hn::Mul(ee, xf)), determinant);
  const Number one = hn::Set(d, 1.0), not_s = hn::Sub(one, s), not_t = hn::Sub(one, t);
  weight[0] = hn::Mul(not_s, not_t);
  weight[1] = hn::Mul(s, not_t);
  weight[2] = hn::Mul(s, t);
  weight[3] = hn::Mul(not_s, t);
  // For nearly parallel sides the determinant has lost its digits.
  const auto is_wide = hn::Ge(determinant, hn::Mul(hn::Mul(hn::Set(d, 0x1p-20), ee), ff));
  const auto inside = hn::And(hn::Gt(hn::Min(s, t), hn::Zero(d)), hn::Lt(hn::Max(s, t), one));
  return hn::And(is_wide, inside);
}

template <FeaturePairKind kind, class D>
HWY_INLINE auto descriptions_of(D d, const Corners<D>& corners, hn::Vec<D> time) {
  using Number = hn::Vec<D>;
  constexpr PolygonLayout layout = layout_of(kind);
  constexpr auto count = static_cast<std::size_t>(layout.count);
  const auto reach = reach_of<kind>(d, corners);
  Lanes3<Number> c[count];
  for (std::size_t i = 0; i < count; ++i)
    c[i] = at(d, reach.first[i], reach.last[i] - reach.first[i], time);
  Descriptions<D, count> result;
  result.is_set = set_weights(d, c, result.weight);
  // Computed directly from the input, like the sides of a polygon.
  Lanes3<Number> sides[2];
  for (int i = 0; i < 2; ++i) {
    const SideOf side = side_of(layout, i);
    const Lanes3<Number> first = corners.start[side.to] - corners.start[side.from];
    sides[i] = at(d, first, (corners.end[side.to] - corners.end[side.from]) - first, time);
  }
  const Lanes3<Number> across = cross(sides[0], sides[1]);
  const Number squared = dot(across, across);
  const Number sides_squared = hn::Mul(dot(sides[0], sides[0]), dot(sides[1], sides[1]));
  // The side on which b is before the contact.
  Lanes3<Number> before = reach.first[0] * result.weight[0];
  for (std::size_t i = 1; i < count; ++i)
    before = before + reach.first[i] * result.weight[i];
  const Number side = dot(across, before), length = hn::Sqrt(squared), zero = hn::Zero(d);
  const Number inverse = hn::Div(hn::CopySign(hn::Set(d, 1.0), side), length);
  result.normal = across * inverse;
  // The numbers are far from the range where they have few bits, and there is a plane and a side of it.
  const auto in_range = hn::And(hn::Gt(squared, hn::Set(d, 0x1p-400)), hn::Lt(sides_squared, hn::Set(d, 0x1p400)));
  const auto has_plane = hn::And(hn::Gt(squared, hn::Mul(hn::Set(d, 0x1p-80), sides_squared)), hn::Ne(side, zero));
  result.is_set = hn::And(result.is_set, hn::And(in_range, has_plane));
  return result;
}

/// Describes the pairs from `first` on, one in each lane. If there are fewer pairs than lanes, the last lanes repeat
/// the first pair.
template <FeaturePairKind kind, class D, class Pairs>
HWY_INLINE void describe_some(D d, const Pairs& pairs, std::size_t first, std::size_t many, const double* times,
                              Description* results) {
  constexpr std::size_t lanes = hn::MaxLanes(D());
  std::size_t numbers[lanes];
  alignas(64) double time[lanes];
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    numbers[lane] = first + (lane < many ? lane : 0);
    time[lane] = times[numbers[lane]];
  }
  const auto all = descriptions_of<kind>(d, pairs.corners(d, numbers), hn::Load(d, time));
  constexpr auto count = static_cast<std::size_t>(layout_of(kind).count);
  alignas(64) double weight[count][lanes], normal[3][lanes];
  for (std::size_t i = 0; i < count; ++i)
    hn::Store(all.weight[i], d, weight[i]);
  store3(all.normal, d, normal);
  const unsigned plain = mask_bits(d, all.is_set);
  for (std::size_t lane = 0; lane < many; ++lane) {
    Description& result = results[first + lane];
    for (std::size_t i = 0; i < count; ++i)
      result.weight[i] = weight[i][lane];
    for (std::size_t k = 0; k < 3; ++k)
      result.normal[k] = normal[k][lane];
    result.is_set = (plain >> lane & 1) != 0;
  }
}

/// A single pair, read from where its corners are.
struct PairByPointers {
  const FeaturePair& pair;

  template <class D>
  HWY_INLINE Corners<D> corners(D d, const std::size_t*) const {
    Corners<D> corners;
    for (std::size_t k = 0; k < 4; ++k) {
      corners.start[k] = transposed(d, &pair.start[k], 0);
      corners.end[k] = transposed(d, &pair.end[k], 0);
    }
    return corners;
  }
};

template <FeaturePairKind kind>
void describe_all_of(const FeaturePairs& pairs, std::size_t count, const double* times, Description* results) {
  const hn::CappedTag<double, 8> d;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  const PairsOfVertices<kind> of_vertices = {pairs};
  for (std::size_t first = 0; first < count; first += lanes)
    describe_some<kind>(d, of_vertices, first, std::min(lanes, count - first), times, results);
}
void describe_all(FeaturePairKind kind, const FeaturePairs& pairs, std::size_t count, const double* times,
                  Description* results) {
  kind == FeaturePairKind::point_triangle
      ? describe_all_of<FeaturePairKind::point_triangle>(pairs, count, times, results)
      : describe_all_of<FeaturePairKind::segment_segment>(pairs, count, times, results);
}
void describe_one(FeaturePairKind kind, const FeaturePair& pair, double time, Description* result) {
  const hn::CappedTag<double, 1> d;
  const PairByPointers one = {pair};
  kind == FeaturePairKind::point_triangle
      ? describe_some<FeaturePairKind::point_triangle>(d, one, 0, 1, &time, result)
      : describe_some<FeaturePairKind::segment_segment>(d, one, 0, 1, &time, result);
}

void copy_to_all(const FeatureImpact& impact, std::span<FeatureImpact> results) {
  const hn::CappedTag<std::uint8_t, 32> d;
  constexpr std::size_t step = hn::MaxLanes(d), last = sizeof(FeatureImpact) - step;
  std::uint8_t from[sizeof impact];  // nobody else's, so that it stays in registers
  std::memcpy(from, &impact, sizeof impact);
  for (FeatureImpact& result : results) {
    auto* const to = reinterpret_cast<std::uint8_t*>(&result);
    for (std::size_t k = 0; k < last; k += step)
      hn::StoreU(hn::LoadU(d, from + k), d, to + k);
    hn::StoreU(hn::LoadU(d, from + last), d, to + last);
  }
}

}  // namespace whisker::motion::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whisker::motion {

HWY_EXPORT(describe_all);
HWY_EXPORT(describe_one);
HWY_EXPORT(copy_to_all);

void describe_plainly(FeaturePairKind kind, const FeaturePairs& pairs, std::size_t count, const double* times,
                      Description* results) {
  HWY_DYNAMIC_DISPATCH(describe_all)(kind, pairs, count, times, results);
}
Description describe_plainly(FeaturePairKind kind, const FeaturePair& pair, double time) {
  Description result;
  HWY_DYNAMIC_DISPATCH(describe_one)(kind, pair, time, &result);
  return result;
}

void set_apart(std::span<FeatureImpact> results) {
  HWY_DYNAMIC_DISPATCH(copy_to_all)(apart_impact(), results);
}

}  // namespace whisker::motion
#endif
