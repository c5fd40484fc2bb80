// Tests two nodes of oriented trees against each other, 8 x 8 boxes at once, and two leaves, 4 x 4 triangles at once.
// Compiled once per instruction set: included from files that Highway compiles for each of its targets.

#include "mesh/tree_pair.hpp"
#include "simd/set_bits.hpp"

#if defined(WHISKER_NODE_PAIR_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHISKER_NODE_PAIR_INL
#undef WHISKER_NODE_PAIR_INL
#else
#define WHISKER_NODE_PAIR_INL
#endif

#include <hwy/highway.h>

#include "simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::mesh::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace simd::HWY_NAMESPACE;

using simd::SetBits;
using trees::OrientedNode;
using trees::TriangleLeaf;

/// Broadcasts one number from memory to all lanes. (GCC compiles hn::Set to two instructions.)
template <class D>
HWY_INLINE hn::Vec<D> spread(D d, const float* p) {
#if HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86
  if constexpr (hn::MaxLanes(D()) == 8) {
    (void)d;
    return hn::Vec<D>{_mm256_broadcast_ss(p)};
  } else if constexpr (hn::MaxLanes(D()) == 4) {
    (void)d;
    return hn::Vec<D>{_mm_broadcast_ss(p)};
  } else {
    return hn::Set(d, *p);
  }
#else
  return hn::Set(d, *p);
#endif
}

/// What the kernels need of the pair, computed once per query.
struct PairFloats {
  double columns[3][4];  // of ratio * M
  double shift[4];
  float turn[3][4];  // columns of M
  float leaf[3][3];  // ratio * M
  float ratio;
  float error;
};

HWY_INLINE void set_floats(const TreePair& pair, PairFloats& f) {
  f = {};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      f.columns[j][i] = pair.ratio * pair.rotation[i][j];
      f.turn[j][i] = static_cast<float>(pair.rotation[i][j]);
      f.leaf[i][j] = static_cast<float>(pair.ratio * pair.rotation[i][j]);
    }
    f.shift[i] = pair.shift[i];
  }
  f.ratio = static_cast<float>(pair.ratio);
  f.error = static_cast<float>(pair.error) * (1 + 0x1p-20f);
}

/// The position and rotation of node b relative to node a.
struct NodeFrame {
  HWY_ALIGN float offset[4];   // b's origin minus a's, along the axes of a's mesh
  HWY_ALIGN float turn[3][4];  // turn[k][i]: component of b's axis k along a's axis i
  HWY_ALIGN float size[3][4];  // absolute values of `turn`
  HWY_ALIGN float along[4];    // `offset` along a's axes
  HWY_ALIGN float along_b[4];  // `offset` along b's axes
  float reach;                 // no coordinate that occurs is larger
  float slack;                 // for boxes: how far rounding may have moved anything, in a's unit
  float leaf_slack;            // the same for corners of triangles
};

HWY_INLINE void set_frame(const PairFloats& floats, const OrientedNode& a, const OrientedNode& b, NodeFrame& frame) {
  const hn::CappedTag<float, 4> d4;
  const hn::CappedTag<double, 4> dd;
  using V = hn::Vec<decltype(d4)>;
  for (std::size_t h = 0; h < 4; h += hn::Lanes(dd)) {
    const auto column = [&](int j) HWY_ATTR { return hn::LoadU(dd, floats.columns[j] + h); };
    const auto origin = [&](int j) HWY_ATTR { return hn::Set(dd, b.origin[j]); };
    const auto here = hn::Sub(hn::LoadU(dd, floats.shift + h), hn::LoadU(dd, a.origin + h));
    const auto there = fused_dot3(column(0), column(1), column(2), origin(0), origin(1), origin(2));
    const hn::Rebind<float, decltype(dd)> df;
    hn::StoreU(hn::DemoteTo(df, hn::Add(there, here)), df, frame.offset + h);
  }
  const V m0 = hn::LoadU(d4, floats.turn[0]), m1 = hn::LoadU(d4, floats.turn[1]), m2 = hn::LoadU(d4, floats.turn[2]);
  const V c0 = hn::LoadU(d4, a.axes[0]), c1 = hn::LoadU(d4, a.axes[1]), c2 = hn::LoadU(d4, a.axes[2]);
  const auto seen_from_a = [&](V v) HWY_ATTR {
    return fused_dot3(c0, c1, c2, hn::Broadcast<0>(v), hn::Broadcast<1>(v), hn::Broadcast<2>(v));
  };
  const V offset = hn::Load(d4, frame.offset);
  const V along = seen_from_a(offset);
  hn::Store(along, d4, frame.along);
  for (int k = 0; k < 3; ++k) {
    const V turned =
        fused_dot3(m0, m1, m2, spread(d4, &b.axes[0][k]), spread(d4, &b.axes[1][k]), spread(d4, &b.axes[2][k]));
    const V seen = seen_from_a(turned);
    hn::Store(seen, d4, frame.turn[k]);
    hn::Store(hn::Abs(seen), d4, frame.size[k]);
    frame.along_b[k] = hn::GetLane(hn::SumOfLanes(d4, hn::Mul(seen, along)));
  }
  const float far = hn::GetLane(hn::MaxOfLanes(d4, hn::Abs(offset)));
  const float radius_b = floats.ratio * b.radius;
  // Entries of `turn` are off by less than 2^-20 (three products of rounded floats, and frames that are orthogonal only
  // up to 2^-22). Each coordinate of a box is a sum of three entries times numbers up to the sum of both radii and the
  // offset, or twice that for axes of b. So a coordinate is off by less than 2^-17 of that sum.
  frame.reach = 2 * (a.radius + radius_b + far);  // b's corners along a's axes: up to sqrt(3) times b's radius
  frame.slack = 0x1p-18f * frame.reach + floats.error;
  // A corner of b carries its own rounding and that of M's row (each 2^-24 of up to sqrt(3) times b's radius), six
  // roundings of the sum, and one of the offset. set_planes() and the batches of triangles rely on the 8 for a.
  frame.leaf_slack = 0x1p-24f * (14 * radius_b + 7 * far + 8 * a.radius) * (1 + 0x1p-20f) + floats.error;
}

/// The boxes of b's node along the six axes of both nodes, as intervals.
struct Intervals {
  HWY_ALIGN float low[6][8];
  HWY_ALIGN float high[6][8];
  HWY_ALIGN float center[3][8];  // along a's axes
};

HWY_INLINE void intervals_of_b(const PairFloats& floats, const NodeFrame& frame, const OrientedNode& b,
                               Intervals& out) {
  const hn::CappedTag<float, 8> d;
  using V = hn::Vec<decltype(d)>;
  const V slack = spread(d, &frame.slack);
  const V ratio = spread(d, &floats.ratio);
  for (std::size_t h = 0; h < 8; h += hn::Lanes(d)) {
    V c[3], e[3];
    for (int k = 0; k < 3; ++k) {
      c[k] = hn::Mul(ratio, hn::LoadU(d, b.center[k] + h));
      e[k] = hn::Mul(ratio, hn::LoadU(d, b.half[k] + h));
    }
    for (int i = 0; i < 3; ++i) {
      V p = spread(d, &frame.along[i]);
      V r = slack;
      for (int k = 0; k < 3; ++k) {
        p = hn::MulAdd(spread(d, &frame.turn[k][i]), c[k], p);
        r = hn::MulAdd(spread(d, &frame.size[k][i]), e[k], r);
      }
      hn::Store(hn::Sub(p, r), d, out.low[i] + h);
      hn::Store(hn::Add(p, r), d, out.high[i] + h);
      hn::Store(p, d, out.center[i] + h);
    }
    for (int k = 0; k < 3; ++k) {
      const V p = hn::Add(c[k], spread(d, &frame.along_b[k]));
      const V r = hn::Add(e[k], slack);
      hn::Store(hn::Sub(p, r), d, out.low[3 + k] + h);
      hn::Store(hn::Add(p, r), d, out.high[3 + k] + h);
    }
  }
}

/// Returns which boxes of a and b overlap along all six axes: bit 8 j + i for child i of a and child j of b.
HWY_INLINE std::uint64_t overlap_boxes(const NodeFrame& frame, const OrientedNode& a, const Intervals& b,
                                       unsigned mask_b) {
  const hn::CappedTag<float, 8> d;
  using V = hn::Vec<decltype(d)>;
  std::uint64_t overlap = 0;
  for (std::size_t h = 0; h < 8; h += hn::Lanes(d)) {
    const V a0 = hn::LoadU(d, a.center[0] + h), a1 = hn::LoadU(d, a.center[1] + h), a2 = hn::LoadU(d, a.center[2] + h);
    const V h0 = hn::LoadU(d, a.half[0] + h), h1 = hn::LoadU(d, a.half[1] + h), h2 = hn::LoadU(d, a.half[2] + h);
    const auto along = [&](const float* t, V x, V y, V z)
                           HWY_ATTR { return fused_dot3(spread(d, t), spread(d, t + 1), spread(d, t + 2), x, y, z); };
    const V low0 = hn::Sub(a0, h0), high0 = hn::Add(a0, h0);
    const V low1 = hn::Sub(a1, h1), high1 = hn::Add(a1, h1);
    const V low2 = hn::Sub(a2, h2), high2 = hn::Add(a2, h2);
    const V c3 = along(frame.turn[0], a0, a1, a2), e3 = along(frame.size[0], h0, h1, h2);
    const V c4 = along(frame.turn[1], a0, a1, a2), e4 = along(frame.size[1], h0, h1, h2);
    const V c5 = along(frame.turn[2], a0, a1, a2), e5 = along(frame.size[2], h0, h1, h2);
    const V low3 = hn::Sub(c3, e3), high3 = hn::Add(c3, e3);
    const V low4 = hn::Sub(c4, e4), high4 = hn::Add(c4, e4);
    const V low5 = hn::Sub(c5, e5), high5 = hn::Add(c5, e5);
    // Intervals overlap if low - high' and low' - high are both negative. Touching intervals may give -0 or 0. This
    // does not matter, because b's intervals are widened by the slack.
    const auto row = [&](unsigned j) HWY_ATTR {
#if HWY_TARGET == HWY_AVX3
      const auto both = [&](__m256i signs, int k, V low, V high) HWY_ATTR {
        const __m256 under = _mm256_sub_ps(low.raw, _mm256_broadcast_ss(&b.high[k][j]));
        const __m256 over = _mm256_sub_ps(_mm256_broadcast_ss(&b.low[k][j]), high.raw);
        return _mm256_ternarylogic_epi32(signs, _mm256_castps_si256(under), _mm256_castps_si256(over), 0x80);
      };
      __m256i signs = _mm256_set1_epi32(-1);
      signs = both(both(both(signs, 0, low0, high0), 1, low1, high1), 2, low2, high2);
      signs = both(both(both(signs, 3, low3, high3), 4, low4, high4), 5, low5, high5);
      return static_cast<std::uint64_t>(static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(signs))));
#else
      const auto both = [&](int k, V low, V high) HWY_ATTR {
        return hn::And(hn::Sub(low, spread(d, &b.high[k][j])), hn::Sub(spread(d, &b.low[k][j]), high));
      };
      const V signs = hn::And(hn::And(hn::And(both(0, low0, high0), both(1, low1, high1)), both(2, low2, high2)),
                              hn::And(hn::And(both(3, low3, high3), both(4, low4, high4)), both(5, low5, high5)));
      return std::uint64_t{sign_bits(d, signs)};
#endif
    };
    if (mask_b == 0xFF) {
      overlap |= (row(0) | row(1) << 8 | row(2) << 16 | row(3) << 24 | row(4) << 32 | row(5) << 40 | row(6) << 48 |
                  row(7) << 56)
                 << h;
    } else {
      for (const unsigned j : SetBits(mask_b))
        overlap |= row(j) << (8 * j + h);
    }
  }
  return overlap;
}

/// One more direction along which boxes may be separated: a unit vector in a's mesh frame, or zero for none.
struct Direction {
  HWY_ALIGN float v[4];
};

/// Computes lower bounds on the squared distances of the boxes, at bounds[8 j + i], and returns which of them are below
/// `best`: bit 8 j + i. The intervals include the slack. Two errors remain: the axes have unit length and are
/// orthogonal only up to rounding, and the arithmetic here rounds. 2^-16 of the result covers both.
HWY_INLINE std::uint64_t near_boxes(const PairFloats& floats, const NodeFrame& frame, const OrientedNode& a,
                                    const OrientedNode& node_b, const Intervals& b, const Direction& extra,
                                    unsigned mask_b, float best, float* bounds) {
  const hn::CappedTag<float, 8> d;
  using V = hn::Vec<decltype(d)>;
  // Both nodes' boxes along the extra direction.
  const hn::CappedTag<float, 4> d4;
  const auto v = hn::Load(d4, extra.v);
  HWY_ALIGN float along_a[4], along_b[4];
  {
    const auto c0 = hn::LoadU(d4, a.axes[0]), c1 = hn::LoadU(d4, a.axes[1]), c2 = hn::LoadU(d4, a.axes[2]);
    const auto in_a = fused_dot3(c0, c1, c2, hn::Broadcast<0>(v), hn::Broadcast<1>(v), hn::Broadcast<2>(v));
    hn::Store(in_a, d4, along_a);
    for (int k = 0; k < 3; ++k)
      along_b[k] = hn::GetLane(hn::SumOfLanes(d4, hn::Mul(hn::Load(d4, frame.turn[k]), in_a)));
  }
  const float offset = along_a[0] * frame.along[0] + along_a[1] * frame.along[1] + along_a[2] * frame.along[2];
  HWY_ALIGN float extra_low[8], extra_high[8];
  std::uint64_t near = 0;
  for (std::size_t h = 0; h < 8; h += hn::Lanes(d)) {
    V p = hn::Zero(d), e = hn::Zero(d);
    for (int k = 0; k < 3; ++k) {
      const V t = spread(d, &along_b[k]);
      p = hn::MulAdd(t, hn::LoadU(d, node_b.center[k] + h), p);
      e = hn::MulAdd(hn::Abs(t), hn::LoadU(d, node_b.half[k] + h), e);
    }
    const V ratio = spread(d, &floats.ratio);
    p = hn::MulAdd(p, ratio, hn::Set(d, offset));
    e = hn::MulAdd(e, ratio, hn::Set(d, 2 * frame.slack));
    hn::Store(hn::Sub(p, e), d, extra_low + h);
    hn::Store(hn::Add(p, e), d, extra_high + h);
  }
  for (std::size_t h = 0; h < 8; h += hn::Lanes(d)) {
    const V a0 = hn::LoadU(d, a.center[0] + h), a1 = hn::LoadU(d, a.center[1] + h), a2 = hn::LoadU(d, a.center[2] + h);
    const V h0 = hn::LoadU(d, a.half[0] + h), h1 = hn::LoadU(d, a.half[1] + h), h2 = hn::LoadU(d, a.half[2] + h);
    const auto along = [&](const float* t, V x, V y, V z)
                           HWY_ATTR { return fused_dot3(spread(d, t), spread(d, t + 1), spread(d, t + 2), x, y, z); };
    const auto size = [&](const float* t, V x, V y, V z) HWY_ATTR {
      return fused_dot3(hn::Abs(spread(d, t)), hn::Abs(spread(d, t + 1)), hn::Abs(spread(d, t + 2)), x, y, z);
    };
    V low[7], high[7];
    const auto set = [&](int k, V center, V half) HWY_ATTR {
      low[k] = hn::Sub(center, half);
      high[k] = hn::Add(center, half);
    };
    set(0, a0, h0);
    set(1, a1, h1);
    set(2, a2, h2);
    for (int k = 0; k < 3; ++k)
      set(3 + k, along(frame.turn[k], a0, a1, a2), along(frame.size[k], h0, h1, h2));
    set(6, along(along_a, a0, a1, a2), size(along_a, h0, h1, h2));
    const V zero = hn::Zero(d);
    const V certain = hn::Set(d, 1 - 0x1p-16f);
    const V limit = hn::Set(d, best);
    for (const unsigned j : SetBits(mask_b)) {
      const auto gap = [&](int k, const float* b_low, const float* b_high) HWY_ATTR {
        return hn::Max(hn::Max(hn::Sub(low[k], spread(d, b_high)), hn::Sub(spread(d, b_low), high[k])), zero);
      };
      const auto squares = [&](int k) HWY_ATTR {
        const V x = gap(k, &b.low[k][j], &b.high[k][j]), y = gap(k + 1, &b.low[k + 1][j], &b.high[k + 1][j]),
                z = gap(k + 2, &b.low[k + 2][j], &b.high[k + 2][j]);
        return fused_dot3(x, y, z, x, y, z);
      };
      const V w = gap(6, extra_low + j, extra_high + j);
      const V bound = hn::Mul(certain, hn::Max(hn::Max(squares(0), squares(3)), hn::Mul(w, w)));
      hn::StoreU(bound, d, bounds + 8 * j + h);
      near |= std::uint64_t{mask_bits(d, hn::Lt(bound, limit))} << (8 * j + h);
    }
  }
  return near;
}

/// Expands bit j of the byte to the whole byte j.
HWY_INLINE std::uint64_t as_rows(unsigned byte) {
  std::uint64_t spread = byte * 0x0101010101010101u & 0x8040201008040201u;
  spread = (spread + 0x7F7F7F7F7F7F7F7Fu) | spread;  // sets the top bit of each byte that is not 0
  return (spread >> 7 & 0x0101010101010101u) * 0xFF;
}
/// Repeats the byte in every row.
HWY_INLINE std::uint64_t as_columns(unsigned byte) {
  return byte * 0x0101010101010101u;
}

/// The squared distance of the centers of child i of a and child j of b.
HWY_INLINE float center_distance(const OrientedNode& a, unsigned i, const Intervals& b, unsigned j) {
  const float x = a.center[0][i] - b.center[0][j], y = a.center[1][i] - b.center[1][j],
              z = a.center[2][i] - b.center[2][j];
  return x * x + y * y + z * z;
}

/// Pairs of children where one is a leaf and the other is not: one visit tests the inner node against all such leaves.
/// Calls `inner_b(j, leaves)` for each inner child j of b in `mask_b`, with the leaves of a as a mask, and
/// `inner_a(i, leaves)` likewise.
template <class InnerB, class InnerA>
HWY_INLINE void each_mixed(std::uint64_t mixed, const OrientedNode& a, unsigned mask_a, const OrientedNode& b,
                           unsigned mask_b, InnerB&& inner_b, InnerA&& inner_a) {
  if (mixed == 0) return;
  for (const unsigned j : SetBits(mask_b & ~static_cast<unsigned>(b.leaves))) {
    const unsigned row = static_cast<unsigned>(mixed >> (8 * j)) & 0xFF;
    if (row != 0) inner_b(j, row);
  }
  for (const unsigned i : SetBits(mask_a & ~static_cast<unsigned>(a.leaves))) {
    // Gathers column i into a byte.
    const unsigned column = static_cast<unsigned>(((mixed >> i & 0x0101010101010101u) * 0x0102040810204080u) >> 56);
    if (column != 0) inner_a(i, column);
  }
}

/// A leaf prepared for triangle tests: corners along a's axes relative to a's node, and the triangles' planes.
struct LeafSide {
  const float* x;  // corners as in TriangleLeaf
  const float* y;
  const float* z;
  const std::uint32_t* id;
  HWY_ALIGN float normal[3][4];
  HWY_ALIGN float offset[4];  // of the plane: normal · corner 0
  HWY_ALIGN float bound[4];  // how far rounding may have moved normal · p - offset, for the corners p of the other side
  HWY_ALIGN float turned[3][12];
};

/// Volumes below this cannot be distinguished from 0: for triangles of 2^-45 of a mesh's size, the products of three
/// coordinates are below the smallest float, and the bounds on their errors are 0.
constexpr float min_volume = 0x1p-120f;

/// Computes the planes of a leaf's triangles.
///
/// All coordinates are off by at most `slack` =: S from the exact ones (in a's frame, tree_pair.hpp), and are no larger
/// than `reach` =: D. If the components of the edges are at most m - S, then the volumes normal · p - offset are off by
/// no more than 16 S m (m + 4 D). This includes the rounding of the arithmetic, since S is at least 2^-22 of m: expand
/// the products and count. Products that floats represent only in part, or not at all, are off by less than
/// `min_volume`.
HWY_INLINE void set_planes(float slack, float reach, LeafSide& leaf) {
  const hn::CappedTag<float, 4> d;
  using V = hn::Vec<decltype(d)>;
  const auto corner = [&](std::size_t c) HWY_ATTR { return load3(d, leaf.x + c, leaf.y + c, leaf.z + c); };
  const Lanes3<V> first = corner(0), e = corner(4) - first, f = corner(8) - first, normal = fused_cross(e, f);
  store3(normal, d, leaf.normal);
  hn::Store(fused_dot(normal, first), d, leaf.offset);
  const V m = hn::Add(hn::Max(largest_size(e), largest_size(f)), hn::Set(d, slack));
  hn::Store(hn::MulAdd(hn::Mul(m, hn::Set(d, 16 * slack)), hn::Add(m, hn::Set(d, 4 * reach)), hn::Set(d, min_volume)),
            d, leaf.bound);
}

HWY_INLINE void set_leaf_a(const NodeFrame& frame, const TriangleLeaf& leaf, LeafSide& out) {
  out.x = leaf.x;
  out.y = leaf.y;
  out.z = leaf.z;
  out.id = leaf.id;
  set_planes(frame.leaf_slack, frame.reach, out);
}

/// Completes a leaf whose corners are in `turned`.
HWY_INLINE void use_turned(const NodeFrame& frame, const TriangleLeaf& leaf, LeafSide& out) {
  out.x = out.turned[0];
  out.y = out.turned[1];
  out.z = out.turned[2];
  out.id = leaf.id;
  set_planes(frame.leaf_slack, frame.reach, out);
}

HWY_INLINE void set_leaf_b(const PairFloats& floats, const NodeFrame& frame, const TriangleLeaf& leaf, LeafSide& out) {
  const hn::CappedTag<float, 4> d;
  using V = hn::Vec<decltype(d)>;
  for (std::size_t c = 0; c < 12; c += 4) {
    const V x = hn::LoadU(d, leaf.x + c), y = hn::LoadU(d, leaf.y + c), z = hn::LoadU(d, leaf.z + c);
    for (int i = 0; i < 3; ++i) {
      hn::Store(hn::MulAdd(spread(d, &floats.leaf[i][0]), x,
                           hn::MulAdd(spread(d, &floats.leaf[i][1]), y,
                                      hn::MulAdd(spread(d, &floats.leaf[i][2]), z, spread(d, &frame.offset[i])))),
                d, out.turned[i] + c);
    }
  }
  use_turned(frame, leaf, out);
}

/// Lane l of a vector of up to 16 lanes represents triangle l / 4 of a and triangle l % 4 of b.
alignas(64) inline constexpr std::int32_t triangle_of_a[16] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};

/// Tests four triangles against four. Returns the pairs that neither triangle's plane separates for certain: bit 4 i +
/// j for triangle i of a and triangle j of b.
HWY_INLINE unsigned crossing_planes(const LeafSide& a, const LeafSide& b) {
  const hn::CappedTag<float, 16> d;
  using V = hn::Vec<decltype(d)>;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  unsigned crossing = 0;
  for (std::size_t g = 0; g < 16 / lanes; ++g) {
    const auto indices = hn::SetTableIndices(d, triangle_of_a + g * lanes);
    const auto of_a = [&](const float* p) HWY_ATTR { return hn::TableLookupLanes(hn::LoadDup128(d, p), indices); };
    const auto of_b = [&](const float* p) HWY_ATTR { return hn::LoadDup128(d, p); };
    const auto apart = [&](V nx, V ny, V nz, V offset, V bound, const auto& of, const LeafSide& leaf) HWY_ATTR {
      const auto at = [&](std::size_t c) HWY_ATTR {
        return hn::MulAdd(nx, of(leaf.x + c), hn::MulAdd(ny, of(leaf.y + c), hn::MulSub(nz, of(leaf.z + c), offset)));
      };
      const V p = at(0), q = at(4), r = at(8);
      const V low = hn::Min(p, hn::Min(q, r)), high = hn::Max(p, hn::Max(q, r));
      return hn::Gt(hn::Max(low, hn::Neg(high)), bound);
    };
    const auto out =
        hn::Or(apart(of_a(a.normal[0]), of_a(a.normal[1]), of_a(a.normal[2]), of_a(a.offset), of_a(a.bound), of_b, b),
               apart(of_b(b.normal[0]), of_b(b.normal[1]), of_b(b.normal[2]), of_b(b.offset), of_b(b.bound), of_a, a));
    crossing |= mask_bits(d, hn::Not(out)) << (g * lanes);
  }
  return crossing;
}

/// Pairs of triangles that wait to be tested together. Positions are relative to a's corner 0, so that all numbers are
/// of the triangles' size.
struct PairBatch {
  static constexpr std::size_t width = 16;

  std::size_t size = 0;
  HWY_ALIGN float a[6][width];  // corners 1 and 2, x y z
  HWY_ALIGN float b[9][width];  // corners 0, 1 and 2
  HWY_ALIGN float slack[width];
  std::uint32_t id_a[width];
  std::uint32_t id_b[width];

  static constexpr float no_offset[3] = {};

  /// Adds triangle i of a leaf of a and triangle j of a leaf of b. `offset` is that of b's coordinates from a's.
  template <class LeafA, class LeafB>
  HWY_INLINE void add(const LeafA& leaf_a, std::size_t i, const LeafB& leaf_b, std::size_t j, float error,
                      const float* offset = no_offset) {
    const float x = leaf_a.x[i], y = leaf_a.y[i], z = leaf_a.z[i];
    const float u = x - offset[0], v = y - offset[1], w = z - offset[2];
    for (std::size_t c = 0; c < 3; ++c) {
      if (c > 0) {
        a[3 * c - 3][size] = leaf_a.x[4 * c + i] - x;
        a[3 * c - 2][size] = leaf_a.y[4 * c + i] - y;
        a[3 * c - 1][size] = leaf_a.z[4 * c + i] - z;
      }
      b[3 * c][size] = leaf_b.x[4 * c + j] - u;
      b[3 * c + 1][size] = leaf_b.y[4 * c + j] - v;
      b[3 * c + 2][size] = leaf_b.z[4 * c + j] - w;
    }
    slack[size] = error;
    id_a[size] = leaf_a.id[i];
    id_b[size] = leaf_b.id[j];
    ++size;
  }
};

/// The bits of all pairs of triangles of two leaves with these counts, out of 16.
HWY_INLINE unsigned triangle_mask(std::uint32_t count_a, std::uint32_t count_b) {
  const unsigned row = (1u << count_b) - 1;
  return (row * 0x1111u) & ((1u << (4 * count_a)) - 1);
}

}  // namespace whisker::mesh::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
