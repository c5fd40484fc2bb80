// The traversal of a tree for triangles near a simple shape, compiled once per instruction set.

#include <algorithm>
#include <cmath>

#include "geometry/ordered_sums.hpp"
#include "mesh/near_walk.hpp"
#include "trees/topology.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mesh/near_walk_kernels.cpp"
#include <hwy/foreach_target.h>
// Must come after foreach_target.h:
#include <hwy/highway.h>

#include "geometry/constants.hpp"
#include "mesh/point_triangle-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::mesh::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using trees::OrientedNode;
using trees::TriangleLeaf;
using Kind = NearQuery::Kind;

// No multiply-add anywhere in the kernels, so that every instruction set rounds the same way and gives the same
// results, even with a tolerance or a budget.

/// Node frames are orthonormal up to 2^-23, so squared lengths in them are too long by less than this factor.
constexpr double frame_share = 1 - 0x1p-20;
/// Coordinates along other axes that are computed in a node's frame are off by less than this fraction of the node's
/// radius.
constexpr double frame_slack = 0x1p-20;
/// Squares below this prove nothing: they may have underflowed, or may consist only of a child's number (see
/// child_keys).
constexpr double smallest_square = 1e-280;

/// Computes the squared lower bounds of a node's eight children.
template <Kind kind>
HWY_INLINE void child_keys(const NearQuery& query, const OrientedNode& node, double* HWY_RESTRICT keys) {
  const hn::CappedTag<double, 8> d;
  const hn::Rebind<float, decltype(d)> df;
  using V = hn::Vec<decltype(d)>;
  const V zero = hn::Zero(d);
  const V error = hn::Set(d, query.error);
  constexpr bool flat = kind == Kind::plane || kind == Kind::half_space;
  double axes[3][3];  // the node's axes, one per row
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      axes[i][j] = static_cast<double>(node.axes[j][i]);

  // The interval of the core along the node's axes, relative to the node's origin.
  double low[3] = {}, high[3] = {};
  if constexpr (!flat) {
    for (int c = 0; c < (kind == Kind::point ? 1 : query.corner_count); ++c) {
      const double away[3] = {query.corners[c][0] - node.origin[0], query.corners[c][1] - node.origin[1],
                              query.corners[c][2] - node.origin[2]};
      for (int i = 0; i < 3; ++i) {
        const double u = geometry::dot(axes[i], away);
        low[i] = c == 0 ? u : std::min(low[i], u);
        high[i] = c == 0 ? u : std::max(high[i], u);
      }
    }
    if constexpr (kind == Kind::hull) {
      for (int k = 0; k < query.half_count; ++k) {
        for (int i = 0; i < 3; ++i) {
          const double reach = std::abs(geometry::dot(axes[i], query.halves[k]));
          low[i] -= reach;
          high[i] += reach;
        }
      }
    }
  }

  // The components of the query's axes along the node's axes.
  double turn[3][3] = {}, size[3][3] = {}, from[3] = {};
  const bool along_axes = kind != Kind::point || query.along_axes;
  if (along_axes) {
    for (int j = 0; j < (flat ? 1 : 3); ++j) {
      for (int i = 0; i < 3; ++i) {
        turn[j][i] = geometry::dot(axes[i], query.axes[j]);
        size[j][i] = std::abs(turn[j][i]);
      }
      from[j] = geometry::dot(node.origin, query.axes[j]);
    }
  }
  const V slack = hn::Set(d, query.error + frame_slack * static_cast<double>(node.radius));
  const V stretch = hn::Set(d, query.stretch * query.stretch);

  for (std::size_t h = 0; h < 8; h += hn::Lanes(d)) {
    const auto wide = [&](const float* p) HWY_ATTR { return hn::PromoteTo(d, hn::LoadU(df, p + h)); };
    const V c0 = wide(node.center[0]), c1 = wide(node.center[1]), c2 = wide(node.center[2]);
    const V h0 = wide(node.half[0]), h1 = wide(node.half[1]), h2 = wide(node.half[2]);
    V key = zero;
    if constexpr (!flat) {
      const auto square = [&](int i, V c, V half) HWY_ATTR {
        V gap;
        if constexpr (kind == Kind::point) {
          gap = hn::Abs(hn::Sub(c, hn::Set(d, low[i])));
        } else {
          gap = hn::Max(hn::Sub(c, hn::Set(d, high[i])), hn::Sub(hn::Set(d, low[i]), c));
        }
        gap = hn::Max(hn::Sub(gap, hn::Add(half, error)), zero);
        return hn::Mul(gap, gap);
      };
      key = hn::Add(hn::Add(square(0, c0, h0), square(1, c1, h1)), square(2, c2, h2));
      key = hn::Mul(key, hn::Set(d, frame_share));
    }
    if (along_axes) {
      V sum = zero;
      for (int j = 0; j < (flat ? 1 : 3); ++j) {
        const V middle = hn::Add(dot(set3(d, turn[j]), Lanes3<V>{c0, c1, c2}), hn::Set(d, from[j]));
        const V reach = hn::Add(dot(set3(d, size[j]), Lanes3<V>{h0, h1, h2}), slack);
        V gap;
        if constexpr (kind == Kind::half_space) {
          gap = hn::Sub(middle, hn::Set(d, query.high[j]));
        } else {
          gap = hn::Max(hn::Sub(middle, hn::Set(d, query.high[j])), hn::Sub(hn::Set(d, query.low[j]), middle));
        }
        gap = hn::Max(hn::Sub(gap, reach), zero);
        sum = hn::Add(sum, hn::Mul(gap, gap));
      }
      key = hn::Max(key, sum);
    }
    // The last three bits are replaced by the child's number, so that no two keys are equal. This makes a key larger by
    // at most a few ulps.
    const hn::RebindToUnsigned<decltype(d)> du;
    const auto numbered = hn::Or(hn::And(hn::BitCast(du, hn::Mul(key, stretch)), hn::Set(du, ~std::uint64_t{7})),
                                 hn::Iota(du, static_cast<std::uint64_t>(h)));
    hn::Store(hn::BitCast(d, numbered), d, keys + h);
  }
}

/// Which of the eight keys are larger than `key`.
HWY_INLINE unsigned larger_keys(const double* HWY_RESTRICT keys, double key) {
  const hn::CappedTag<double, 8> d;
  unsigned larger = 0;
  for (std::size_t h = 0; h < 8; h += hn::Lanes(d))
    larger |= mask_bits(d, hn::Gt(hn::Load(d, keys + h), hn::Set(d, key))) << h;
  return larger;
}

HWY_INLINE void prefetch(const NearQuery& query, std::uint32_t child) {
  const std::uint32_t index = child & OrientedNode::index_mask;
  const bool leaf = (child & OrientedNode::leaf_bit) != 0;
  const char* const at = leaf ? reinterpret_cast<const char*>(query.tree->leaves.data() + index)
                              : reinterpret_cast<const char*>(query.tree->nodes.data() + index);
  const std::size_t bytes = leaf ? sizeof(TriangleLeaf) : sizeof(OrientedNode);
  for (std::size_t line = 0; line < bytes; line += 64)
    __builtin_prefetch(at + line);
}

/// Bounds on the distances of four triangles.
struct LeafBounds {
  HWY_ALIGN double lower[4];
  HWY_ALIGN double upper[4];
};

template <Kind kind>
HWY_INLINE void leaf_bounds(const NearQuery& query, const OrientedNode& node, const TriangleLeaf& leaf,
                            LeafBounds& out) {
  const hn::CappedTag<double, 4> d;
  using V = hn::Vec<decltype(d)>;
  const V zero = hn::Zero(d);
  const double slack = query.error + trees::corner_slack * static_cast<double>(node.radius) + trees::smallest_slack;
  double away[3][3];  // the core's corners relative to the node's origin
  for (int c = 0; c < query.corner_count; ++c)
    for (int i = 0; i < 3; ++i)
      away[c][i] = query.corners[c][i] - node.origin[i];
  for (std::size_t h = 0; h < 4; h += hn::Lanes(d)) {
    const auto corner = [&](int c) HWY_ATTR {
      const std::size_t at = 4 * static_cast<std::size_t>(c) + h;
      return promote3(d, leaf.x + at, leaf.y + at, leaf.z + at);
    };
    Lanes3<V> a = corner(0), b = corner(1), c = corner(2);
    V lower, upper = hn::Set(d, infinity);
    if constexpr (kind == Kind::point) {
      const Lanes3<V> p = set3(d, away[0]);
      a = a - p, b = b - p, c = c - p;
      point_bounds(d, a, b, c, lower, upper);
      upper = hn::Mul(hn::Add(upper, hn::Set(d, slack)), hn::Set(d, (1 + 0x1p-40) / query.stretch));
    } else {
      constexpr bool flat = kind == Kind::plane || kind == Kind::half_space;
      V sum = zero;
      for (int j = 0; j < (flat ? 1 : 3); ++j) {
        const Lanes3<V> axis = set3(d, query.axes[j]);
        const double from = geometry::dot(node.origin, query.axes[j]);
        const V ta = dot(axis, a), tb = dot(axis, b), tc = dot(axis, c);
        const V above = hn::Sub(hn::Min(ta, hn::Min(tb, tc)), hn::Set(d, query.high[j] - from));
        V gap = above;
        if constexpr (kind != Kind::half_space) {
          gap = hn::Max(above, hn::Sub(hn::Set(d, query.low[j] - from), hn::Max(ta, hn::Max(tb, tc))));
        }
        gap = hn::Max(gap, zero);
        sum = hn::Add(sum, hn::Mul(gap, gap));
      }
      lower = hn::Sqrt(sum);
      if constexpr (!flat) {
        // Also along the triangle's normal.
        Lanes3<V> normal = cross(b - a, c - a);
        const V length = hn::Sqrt(dot(normal, normal));
        // A triangle without a normal uses the zero vector, which gives a gap of zero.
        const V inverse = hn::IfThenElse(hn::Gt(length, hn::Set(d, 1e-100)),
                                         hn::Div(hn::Set(d, 1.0), hn::Max(length, hn::Set(d, 1e-100))), zero);
        normal = normal * inverse;
        const V ta = dot(normal, a), tb = dot(normal, b), tc = dot(normal, c);
        V low = dot(normal, set3(d, away[0]));
        V high = low;
        for (int k = 1; k < query.corner_count; ++k) {
          const V at = dot(normal, set3(d, away[k]));
          low = hn::Min(low, at);
          high = hn::Max(high, at);
        }
        for (int k = 0; k < query.half_count; ++k) {
          const V reach = hn::Abs(dot(normal, set3(d, query.halves[k])));
          low = hn::Sub(low, reach);
          high = hn::Add(high, reach);
        }
        lower = hn::Max(
            lower, hn::Max(hn::Sub(hn::Min(ta, hn::Min(tb, tc)), high), hn::Sub(low, hn::Max(ta, hn::Max(tb, tc)))));
      }
    }
    lower = hn::Mul(hn::Max(hn::Sub(lower, hn::Set(d, slack)), zero), hn::Set(d, query.stretch * (1 - 0x1p-48)));
    hn::Store(lower, d, out.lower + h);
    hn::Store(upper, d, out.upper + h);
  }
}

template <Kind kind>
double walk(const NearQuery& query, double limit, std::uint64_t budget, Cost& cost, const NearVisit& visit) {
  const OrientedNode* const nodes = query.tree->nodes.data();
  const TriangleLeaf* const leaves = query.tree->leaves.data();
  WaitingChild stack[trees::Topology::max_waiting];
  std::size_t size = 0;
  stack[size++] = {0, 0, 0};
  const auto squared = [](double x) { return x < 0 ? -1 : x * x * (1 + 0x1p-45) + smallest_square; };
  double limit2 = squared(limit);
  double passed2 = infinity;
  std::uint64_t volumes = 0;
  std::uint64_t triangles = 0;
  HWY_ALIGN double keys[8];
  LeafBounds bounds;
  while (size > 0) {
    const WaitingChild entry = stack[--size];
    if (entry.key > limit2) {
      passed2 = std::min(passed2, entry.key);
      continue;
    }
    if (volumes + triangles >= budget) {
      limit2 = -1;
      passed2 = std::min(passed2, entry.key);
      continue;
    }
    if ((entry.child & OrientedNode::leaf_bit) != 0) {
      const TriangleLeaf& leaf = leaves[entry.child & OrientedNode::index_mask];
      const std::size_t count = (entry.child >> OrientedNode::count_shift & 3u) + 1;
      triangles += count;
      leaf_bounds<kind>(query, nodes[entry.above], leaf, bounds);
      for (std::size_t i = 0; i < count; ++i) {
        const double lower = bounds.lower[i];
        if (lower * lower > limit2) {
          passed2 = std::min(passed2, lower * lower);
          continue;
        }
        limit2 = squared(visit({leaf.id[i], lower, bounds.upper[i]}));
      }
      continue;
    }
    const OrientedNode& node = nodes[entry.child];
    child_keys<kind>(query, node, keys);
    volumes += static_cast<std::uint64_t>(__builtin_popcount(node.valid));
    unsigned wanted = 0;
    for (const unsigned i : node.children()) {
      if (keys[i] > limit2) {
        passed2 = std::min(passed2, keys[i]);
      } else {
        wanted |= 1u << i;
      }
    }
    // The nearest child goes on top: each child is placed above those that are farther.
    for (const unsigned i : simd::SetBits(wanted)) {
      const unsigned below = larger_keys(keys, keys[i]) & wanted;
      stack[size + static_cast<std::size_t>(__builtin_popcount(below))] = {keys[i], entry.child, node.child[i]};
      prefetch(query, node.child[i]);
    }
    size += static_cast<std::size_t>(__builtin_popcount(wanted));
  }
  cost.volume_tests += volumes;
  cost.primitive_tests += triangles;
  return passed2 < smallest_square ? 0 : std::sqrt(passed2) * (1 - 0x1p-48);
}

double walk_target(const NearQuery& query, double limit, std::uint64_t budget, Cost& cost, const NearVisit& visit) {
  static constexpr decltype(&walk<Kind::point>) walks[] = {walk<Kind::point>, walk<Kind::hull>, walk<Kind::half_space>,
                                                           walk<Kind::plane>};
  return walks[static_cast<std::size_t>(query.kind)](query, limit, budget, cost, visit);
}

}  // namespace whisker::mesh::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whisker::mesh {

HWY_EXPORT(walk_target);

namespace {

/// For numbers whose squares do not fit into a double: visits every triangle.
double visit_all(const NearQuery& query, double limit, std::uint64_t budget, Cost& cost, const NearVisit& visit) {
  std::uint64_t tests = 0;
  bool left_out = false;
  for (const trees::TriangleLeaf& leaf : query.tree->leaves) {
    for (std::size_t i = 0; i < 4; ++i) {
      if (i > 0 && leaf.id[i] == leaf.id[i - 1]) break;
      left_out = left_out || limit < 0 || tests >= budget;
      if (left_out) break;
      ++tests;
      limit = visit({leaf.id[i], 0, infinity});
    }
  }
  cost.primitive_tests += tests;
  return left_out ? 0 : infinity;
}

}  // namespace

double walk_near(const NearQuery& query, double limit, std::uint64_t budget, Cost& cost, const NearVisit& visit) {
  if (query.out_of_range) return visit_all(query, limit, budget, cost, visit);
  return HWY_DYNAMIC_DISPATCH(walk_target)(query, limit, budget, cost, visit);
}

}  // namespace whisker::mesh
#endif
