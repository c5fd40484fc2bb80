// Bounds on the distances of pairs of triangles, in floats with error bounds, sixteen pairs at a time. Compiled once
// per instruction set, like node_pair-inl.hpp.

#include "mesh/tree_pair.hpp"

#if defined(WHISKER_TRIANGLE_DISTANCE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHISKER_TRIANGLE_DISTANCE_INL
#undef WHISKER_TRIANGLE_DISTANCE_INL
#else
#define WHISKER_TRIANGLE_DISTANCE_INL
#endif

#include <hwy/highway.h>

#include "mesh/node_pair-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::mesh::HWY_NAMESPACE {

/// Returns which pairs of triangles of two leaves may be nearer than the square root of `limit`: those that the
/// direction between the closest points so far does not separate by that much.
HWY_INLINE unsigned near_triangles(const LeafSide& a, const LeafSide& b, const Direction& direction, float slack,
                                   float limit, unsigned wanted) {
  const hn::CappedTag<float, 4> d4;
  using V4 = hn::Vec<decltype(d4)>;
  // A coordinate is off by at most the slack. So a projection on a unit vector is off by sqrt(3) times the slack, plus
  // the rounding of the sum, which is less than the slack of both (the slack covers 2^-21 of every coordinate).
  HWY_ALIGN float low_a[4], high_a[4], low_b[4], high_b[4];
  const auto project = [&](const LeafSide& leaf, float* low, float* high) HWY_ATTR {
    const V4 x = hn::Set(d4, direction.v[0]), y = hn::Set(d4, direction.v[1]), z = hn::Set(d4, direction.v[2]);
    const auto at = [&](std::size_t c) HWY_ATTR {
      return fused_dot3(x, y, z, hn::LoadU(d4, leaf.x + c), hn::LoadU(d4, leaf.y + c), hn::LoadU(d4, leaf.z + c));
    };
    const V4 p = at(0), q = at(4), r = at(8);
    hn::Store(hn::Min(p, hn::Min(q, r)), d4, low);
    hn::Store(hn::Max(p, hn::Max(q, r)), d4, high);
  };
  project(a, low_a, high_a);
  project(b, low_b, high_b);
  const hn::CappedTag<float, 16> d;
  using V = hn::Vec<decltype(d)>;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  unsigned near = 0;
  const V margin = hn::Set(d, 6 * slack);
  const V bound = hn::Set(d, limit);
  for (std::size_t g = 0; g < 16 / lanes; ++g) {
    const auto indices = hn::SetTableIndices(d, triangle_of_a + g * lanes);
    const auto of_a = [&](const float* p) HWY_ATTR { return hn::TableLookupLanes(hn::LoadDup128(d, p), indices); };
    const auto of_b = [&](const float* p) HWY_ATTR { return hn::LoadDup128(d, p); };
    const V gap = hn::Sub(hn::Max(hn::Sub(of_b(low_b), of_a(high_a)), hn::Sub(of_a(low_a), of_b(high_b))), margin);
    const V apart = hn::Max(gap, hn::Zero(d));
    // The direction has unit length up to 2^-20, so the square is off by less than 2^-18.
    near |= mask_bits(d, hn::Lt(hn::Mul(hn::Mul(apart, apart), hn::Set(d, 1 - 0x1p-18f)), bound)) << (g * lanes);
  }
  return near & wanted;
}

struct TriangleBatch : PairBatch {
  // Results: bounds on the squared distances, and the unit vector from a's closest point to b's.
  HWY_ALIGN float lower[width];
  HWY_ALIGN float upper[width];
  HWY_ALIGN float normal[3][width];

  /// Finds close points of each pair in floats: the best of nine pairs of edges and six corners over faces. Whatever
  /// these points are, they belong to the triangles, so their distance is an upper bound. The extents of the two
  /// triangles along the line between them give a lower bound. Coordinates are off by at most 3 slacks: their own
  /// error, and the rounding of the differences from the first corner.
  void measure() {
    const hn::CappedTag<float, width> d;
    using V = hn::Vec<decltype(d)>;
    using V3 = Lanes3<V>;
    const V zero = hn::Zero(d), one = hn::Set(d, 1.0f);
    const V tiny = hn::Set(d, 1e-37f);
    const auto along = [](const V3& p, V t, const V3& v) HWY_ATTR {
      return V3{hn::MulAdd(t, v.x, p.x), hn::MulAdd(t, v.y, p.y), hn::MulAdd(t, v.z, p.z)};
    };
    const auto clamp = [&](V t) HWY_ATTR { return hn::Min(hn::Max(t, zero), one); };
    for (std::size_t h = 0; h < width && h < size; h += hn::Lanes(d)) {
      const V3 p[3] = {{zero, zero, zero}, load3(d, a, h), load3(d, a + 3, h)};
      const V3 q[3] = {load3(d, b, h), load3(d, b + 3, h), load3(d, b + 6, h)};
      V3 u[3], v[3];
      V uu[3], vv[3];
      for (std::size_t c = 0; c < 3; ++c) {
        u[c] = p[c == 2 ? 0 : c + 1] - p[c];
        v[c] = q[c == 2 ? 0 : c + 1] - q[c];
        uu[c] = hn::Div(one, hn::Max(fused_dot(u[c], u[c]), tiny));
        vv[c] = hn::Div(one, hn::Max(fused_dot(v[c], v[c]), tiny));
      }
      V least = hn::Set(d, 3e38f);
      V3 way{zero, zero, zero};  // from a's point to b's
      const auto consider = [&](V square, const V3& difference, hn::Mask<decltype(d)> allowed) HWY_ATTR {
        const auto better = hn::And(hn::Lt(square, least), allowed);
        least = hn::IfThenElse(better, square, least);
        way = choose(better, difference, way);
      };
      const auto always = hn::Eq(zero, zero);
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
          // Closest points of two segments (Ericson 2005, 5.1.9), with 1/|u|² and 1/|v|² precomputed.
          const V3 r = p[i] - q[j];
          const V uv = fused_dot(u[i], v[j]), ur = hn::Mul(fused_dot(u[i], r), uu[i]),
                  vr = hn::Mul(fused_dot(v[j], r), vv[j]);
          const V s_uv = hn::Mul(uv, uu[i]), t_uv = hn::Mul(uv, vv[j]);
          const V bottom = hn::NegMulAdd(s_uv, t_uv, one);
          V s = clamp(hn::Div(hn::NegMulAdd(one, ur, hn::Mul(s_uv, vr)), hn::Max(bottom, hn::Set(d, 1e-12f))));
          const V t = clamp(hn::MulAdd(s, t_uv, vr));
          s = clamp(hn::NegMulAdd(one, ur, hn::Mul(t, s_uv)));
          const V3 difference = along(q[j], t, v[j]) - along(p[i], s, u[i]);
          consider(fused_dot(difference, difference), difference, always);
        }
      }
      const auto faces = [&](const V3* corner, const V3* edge, const V3* point, bool forward) HWY_ATTR {
        const V3 n = fused_cross(edge[0], edge[1]);
        const V3 side[3] = {fused_cross(n, edge[0]), fused_cross(n, edge[1]), fused_cross(n, edge[2])};
        for (std::size_t k = 0; k < 3; ++k) {
          // Barycentric weights of the foot point. For a sliver they may be meaningless, but the point they define is
          // still in the triangle.
          const V w2 = fused_dot(side[0], point[k] - corner[0]), w0 = fused_dot(side[1], point[k] - corner[1]),
                  w1 = fused_dot(side[2], point[k] - corner[2]);
          const V sum = hn::Add(w0, hn::Add(w1, w2));
          const V inverse = hn::Div(one, hn::Max(sum, tiny));
          const V s1 = hn::Mul(w1, inverse), s2 = hn::Mul(w2, inverse);
          const V3 r = along(along(corner[0], s1, edge[0]), hn::Neg(s2), edge[2]) - point[k];
          const V3 difference = forward ? -r : r;
          const auto inside = hn::And(hn::Ge(hn::Min(w0, hn::Min(w1, w2)), zero), hn::Gt(sum, tiny));
          consider(fused_dot(r, r), difference, inside);
        }
      };
      faces(p, u, q, true);
      faces(q, v, p, false);

      const V eps = hn::Load(d, slack + h);
      const V length = hn::Sqrt(least);
      const V scale = hn::Div(one, hn::Max(length, tiny));
      const V3 w = way * scale;
      const V high_a = hn::Max(fused_dot(w, p[0]), hn::Max(fused_dot(w, p[1]), fused_dot(w, p[2])));
      const V low_b = hn::Min(fused_dot(w, q[0]), hn::Min(fused_dot(w, q[1]), fused_dot(w, q[2])));
      // Both ends are off by 3 slacks per coordinate, so by 3 sqrt(3) slacks along w, plus the rounding of the sums.
      const V gap = hn::Max(hn::NegMulAdd(hn::Set(d, 16.0f), eps, hn::Sub(low_b, high_a)), zero);
      hn::Store(hn::Mul(hn::Mul(gap, gap), hn::Set(d, 1 - 0x1p-16f)), d, lower + h);
      const V above = hn::MulAdd(hn::Set(d, 16.0f), eps, hn::Mul(length, hn::Set(d, 1 + 0x1p-18f)));
      hn::Store(hn::Mul(above, above), d, upper + h);
      store3(w, d, normal, h);
    }
  }
};

}  // namespace whisker::mesh::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
