// Tests pairs of triangles in floats, many at a time: whether they touch, or whether floats cannot tell. Compiled once
// per instruction set, like node_pair-inl.hpp.

#include "mesh/tree_pair.hpp"

#if defined(WHISKER_TRIANGLE_TOUCH_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHISKER_TRIANGLE_TOUCH_INL
#undef WHISKER_TRIANGLE_TOUCH_INL
#else
#define WHISKER_TRIANGLE_TOUCH_INL
#endif

#include <hwy/highway.h>

#include "mesh/node_pair-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::mesh::HWY_NAMESPACE {

struct TouchBatch : PairBatch {
  // Results, one bit per pair.
  unsigned touch = 0;   // they certainly touch
  unsigned unsure = 0;  // floats cannot tell

  /// Computes the signs of 15 volumes: each corner against the other triangle's plane, and each edge against each edge
  /// of the other triangle. If all signs that matter are certain, so is the result: two triangles in general position
  /// touch if and only if an edge of one passes through the other, and they do not touch if no edge meets the other
  /// triangle.
  ///
  /// Coordinates are off by at most S (the slack), so by 2.25 S relative to corner 0, and edges by 4.75 S, rounding
  /// included (S is at least 2^-22 of every coordinate here). Let the components of the edges be up to m for a and up
  /// to n for b, S included, and let the corners of b be up to D from a's corner 0. Then the volumes are off by at most
  /// 32 S m (m + 3 (D + m)), the same with n, and 40 S (m + n) (D + m + n): expand the products and count. In addition,
  /// what floats lose of small products is less than `min_volume`.
  HWY_INLINE void test() {
    const hn::CappedTag<float, width> d;
    using V = hn::Vec<decltype(d)>;
    using M = hn::Mask<decltype(d)>;
    using V3 = Lanes3<V>;
    touch = 0;
    unsure = 0;
    const V zero = hn::Zero(d);
    for (std::size_t h = 0; h < size; h += hn::Lanes(d)) {
      const V3 p[3] = {{zero, zero, zero}, load3(d, a, h), load3(d, a + 3, h)};
      const V3 q[3] = {load3(d, b, h), load3(d, b + 3, h), load3(d, b + 6, h)};
      const V3 e[3] = {p[1], p[2] - p[1], p[0] - p[2]};
      const V3 f[3] = {q[1] - q[0], q[2] - q[1], q[0] - q[2]};
      const V eps = hn::Load(d, slack + h);
      const V m = hn::Add(eps, hn::Max(largest_size(e[0]), hn::Max(largest_size(e[1]), largest_size(e[2]))));
      const V n = hn::Add(eps, hn::Max(largest_size(f[0]), hn::Max(largest_size(f[1]), largest_size(f[2]))));
      const V reach = hn::Add(eps, hn::Max(largest_size(q[0]), hn::Max(largest_size(q[1]), largest_size(q[2]))));
      const V s32 = hn::Mul(hn::Set(d, 32.0f), eps);
      const V away = hn::Mul(hn::Set(d, 3.0f), hn::Add(reach, m));
      const V least = hn::Set(d, min_volume);
      const V bound_a = hn::MulAdd(hn::Mul(s32, m), hn::Add(m, away), least);
      const V bound_b = hn::MulAdd(hn::Mul(s32, n), hn::Add(n, away), least);
      const V both = hn::Add(m, n);
      const V bound = hn::MulAdd(hn::Mul(hn::Set(d, 40.0f), hn::Mul(eps, both)), hn::Add(reach, both), least);
      const V below = hn::Neg(bound);

      const V3 normal_a = fused_cross(e[0], e[1]), normal_b = fused_cross(f[0], f[1]);
      const V sb[3] = {fused_dot(normal_a, q[0]), fused_dot(normal_a, q[1]), fused_dot(normal_a, q[2])};
      const V sa[3] = {hn::Neg(fused_dot(normal_b, q[0])), fused_dot(normal_b, p[1] - q[0]),
                       fused_dot(normal_b, p[2] - q[0])};
      const auto parted = [&](const V* s, V limit) HWY_ATTR {
        const V low = hn::Min(s[0], hn::Min(s[1], s[2])), high = hn::Max(s[0], hn::Max(s[1], s[2]));
        return hn::Gt(hn::Max(low, hn::Neg(high)), limit);
      };
      M apart = hn::Or(parted(sb, bound_a), parted(sa, bound_b));

      // Edge against edge by Plücker products. Row i belongs to edge i of a, from corner i to the next.
      const V3 l[3] = {fused_cross(q[0], f[0]), fused_cross(q[1], f[1]), fused_cross(q[2], f[2])};
      V column_low[3], column_high[3];
      M through_any = hn::Lt(zero, zero);
      M past_all = hn::Not(through_any);
      const auto judge = [&](V s0, V s1, V plane, V low, V high) HWY_ATTR {
        // Whether the ends are certainly on different sides of the plane or on the same side, and whether the edge's
        // line is certainly within the triangle's rim or beside it.
        const V smaller = hn::Min(s0, s1), larger = hn::Max(s0, s1);
        const V minus = hn::Neg(plane);
        const M across = hn::And(hn::Lt(smaller, minus), hn::Gt(larger, plane));
        const M beside = hn::Gt(hn::Max(smaller, hn::Neg(larger)), plane);
        const M within = hn::Gt(hn::Max(low, hn::Neg(high)), bound);
        const M outside = hn::And(hn::Gt(high, bound), hn::Lt(low, below));
        through_any = hn::Or(through_any, hn::And(across, within));
        past_all = hn::And(past_all, hn::Or(beside, outside));
      };
      for (std::size_t i = 0; i < 3; ++i) {
        V o[3];
        const V3 moment = i == 1 ? fused_cross(p[1], e[1]) : V3{zero, zero, zero};  // edges 0 and 2 meet corner 0
        for (std::size_t j = 0; j < 3; ++j) {
          o[j] = fused_dot(e[i], l[j]);
          if (i == 1) o[j] = hn::Add(o[j], fused_dot(f[j], moment));
          column_low[j] = i == 0 ? o[j] : hn::Min(column_low[j], o[j]);
          column_high[j] = i == 0 ? o[j] : hn::Max(column_high[j], o[j]);
        }
        judge(sa[i], sa[i == 2 ? 0 : i + 1], bound_b, hn::Min(o[0], hn::Min(o[1], o[2])),
              hn::Max(o[0], hn::Max(o[1], o[2])));
      }
      for (std::size_t j = 0; j < 3; ++j)
        judge(sb[j], sb[j == 2 ? 0 : j + 1], bound_a, column_low[j], column_high[j]);
      apart = hn::Or(apart, past_all);
      touch |= mask_bits(d, through_any) << h;
      unsure |= mask_bits(d, hn::Not(hn::Or(through_any, apart))) << h;
    }
    const unsigned used = (1u << size) - 1;
    touch &= used;
    unsure &= used;
    if (unsure != 0) part_in_planes();
  }

  /// For triangles that are nearly in one plane, no sign is certain. This resolves the pairs in which an edge of one
  /// triangle separates it from the other, along the edge's outward direction in the plane of its own triangle.
  ///
  /// Any vector separates two triangles if their extents along it are certainly apart. Coordinates are off by 2.25 S,
  /// so extents are off by 7 S times the vector's largest entry, plus their own rounding, 3 S times that entry: 32 S
  /// covers both sides. The extents are products of four lengths. What floats lose of them is less than `min_volume`.
  HWY_NOINLINE void part_in_planes() {
    const hn::CappedTag<float, width> d;
    using V = hn::Vec<decltype(d)>;
    using V3 = Lanes3<V>;
    const V zero = hn::Zero(d);
    for (std::size_t h = 0; h < size; h += hn::Lanes(d)) {
      const V3 p[3] = {{zero, zero, zero}, load3(d, a, h), load3(d, a + 3, h)};
      const V3 q[3] = {load3(d, b, h), load3(d, b + 3, h), load3(d, b + 6, h)};
      const V allowed = hn::Mul(hn::Set(d, 32.0f), hn::Load(d, slack + h));
      auto apart = hn::Lt(zero, zero);
      const auto look_from = [&](const V3(&t)[3]) HWY_ATTR {
        const V3 normal = fused_cross(t[1] - t[0], t[2] - t[0]);
        for (std::size_t i = 0; i < 3; ++i) {
          const V3 out = fused_cross(t[i == 2 ? 0 : i + 1] - t[i], normal);
          const V p0 = fused_dot(out, p[0]), p1 = fused_dot(out, p[1]), p2 = fused_dot(out, p[2]);
          const V q0 = fused_dot(out, q[0]), q1 = fused_dot(out, q[1]), q2 = fused_dot(out, q[2]);
          const V low_a = hn::Min(p0, hn::Min(p1, p2)), high_a = hn::Max(p0, hn::Max(p1, p2));
          const V low_b = hn::Min(q0, hn::Min(q1, q2)), high_b = hn::Max(q0, hn::Max(q1, q2));
          const V gap = hn::Max(hn::Sub(low_a, high_b), hn::Sub(low_b, high_a));
          apart = hn::Or(apart, hn::Gt(gap, hn::MulAdd(allowed, largest_size(out), hn::Set(d, min_volume))));
        }
      };
      look_from(p);
      look_from(q);
      unsure &= ~(mask_bits(d, apart) << h);
    }
  }
};

}  // namespace whisker::mesh::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
