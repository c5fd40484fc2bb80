// Traverses a tree with all spheres of a group at once, compiled once per instruction set.

#include <algorithm>
#include <cmath>

#include "spheres/sphere_set_walk.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "spheres/sphere_set_walk_kernels.cpp"
#include <hwy/foreach_target.h>
// highway.h must come after foreach_target.h.
#include <hwy/highway.h>

#include "mesh/point_triangle-inl.hpp"

#ifndef WHISKER_SPHERE_SET_WALK_ONCE
#define WHISKER_SPHERE_SET_WALK_ONCE
namespace whisker::spheres {

/// A child still to be visited: a node, or a leaf of the node above.
struct GroupEntry {
  std::uint64_t spheres;  // the spheres that may be near it
  float key;              // squared lower bound on the distance of the nearest of these spheres
  std::uint32_t above;
  std::uint32_t child;
};

/// Eight consecutive spheres of the group in a node's frame.
struct Octet {
  float u[3][8];   // coordinates along the node's axes, from its origin
  float slack[8];  // error bound of these coordinates, including the traversal's own error
  float limit2[8];
};

}  // namespace whisker::spheres
#endif

HWY_BEFORE_NAMESPACE();
namespace whisker::spheres::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace simd::HWY_NAMESPACE;

using trees::OrientedNode;
using trees::TriangleLeaf;

// No fused multiply-add is used here, so every instruction set rounds in the same way and visits the same triangles.

/// Coordinates in a node are computed in floats from a difference in doubles. The conversion, products and sums cost
/// six half-ulps of its length. The difference from a box's center and half size, which are no larger than the node's
/// radius, costs two more. The axes are orthonormal up to 2^-23. Sixteen half-ulps of both lengths cover all of this.
constexpr float node_slack = 0x1p-20f;
/// Squared lengths in a node's frame are too long by less than 2^-20, sums of squares have an error of 2^-22, and a
/// mesh's frame stretches by 2^-26 or less, all relative.
constexpr float square_share = 1 + 0x1p-16f;
/// Squares below this may have underflowed.
constexpr float smallest_square = 1e-36f;

HWY_INLINE float squared_limit(double limit) {
  if (!(limit >= 0)) return -1;
  const float rounded = static_cast<float>(std::min(limit * (1 + 0x1p-20), 1e37));
  return limit > 1e18 ? std::numeric_limits<float>::infinity() : rounded * rounded * square_share + smallest_square;
}

/// Transforms eight spheres, starting with index `from`, to the node's frame.
HWY_INLINE void to_node(const GroupWalk& walk, const OrientedNode& node, std::size_t from, Octet& out) {
  const hn::CappedTag<double, 8> d;
  const hn::Rebind<float, decltype(d)> df;
  using F = hn::Vec<decltype(df)>;
  const F slack = hn::Set(df, static_cast<float>(walk.error) * (1 + 0x1p-20f) + node_slack * node.radius + 1e-30f);
  for (std::size_t h = 0; h < 8; h += hn::Lanes(d)) {
    const auto away = [&](const double* p, double origin)
                          HWY_ATTR { return hn::DemoteTo(df, hn::Sub(hn::Load(d, p + from + h), hn::Set(d, origin))); };
    const F ax = away(walk.x, node.origin[0]), ay = away(walk.y, node.origin[1]), az = away(walk.z, node.origin[2]);
    for (int i = 0; i < 3; ++i) {
      const float axis[3] = {node.axes[0][i], node.axes[1][i], node.axes[2][i]};
      hn::StoreU(dot(set3(df, axis), Lanes3<F>{ax, ay, az}), df, out.u[i] + h);
    }
    const F size = hn::Add(hn::Add(hn::Abs(ax), hn::Abs(ay)), hn::Abs(az));
    hn::StoreU(hn::Add(hn::Mul(hn::Set(df, node_slack), size), slack), df, out.slack + h);
  }
  for (std::size_t i = 0; i < 8; ++i)
    out.limit2[i] = squared_limit(walk.limit[from + i]);
}

/// Returns the children of a node that are within the limit of a point, and lowers `least` to their squared lower
/// bounds.
HWY_INLINE unsigned near_children(const OrientedNode& node, float u0, float u1, float u2, float slack, float limit2,
                                  float* HWY_RESTRICT least) {
  const hn::CappedTag<float, 8> d;
  using V = hn::Vec<decltype(d)>;
  const V zero = hn::Zero(d), margin = hn::Set(d, slack), limit = hn::Set(d, limit2);
  unsigned near = 0;
  for (std::size_t h = 0; h < 8; h += hn::Lanes(d)) {
    const auto square = [&](int i, float u) HWY_ATTR {
      const V away = hn::Abs(hn::Sub(hn::LoadU(d, node.center[i] + h), hn::Set(d, u)));
      const V gap = hn::Max(hn::Sub(away, hn::Add(hn::LoadU(d, node.half[i] + h), margin)), zero);
      return hn::Mul(gap, gap);
    };
    const V key = hn::Add(hn::Add(square(0, u0), square(1, u1)), square(2, u2));
    near |= mask_bits(d, hn::Le(key, limit)) << h;
    hn::StoreU(hn::Min(hn::LoadU(d, least + h), key), d, least + h);
  }
  return near;
}

/// Computes bounds on the distance of a sphere's center from the four triangles of a leaf.
HWY_INLINE void leaf_bounds(const GroupWalk& walk, std::size_t sphere, const OrientedNode& node,
                            const TriangleLeaf& leaf, double* HWY_RESTRICT lower_out, double* HWY_RESTRICT upper_out) {
  using D = hn::CappedTag<double, 4>;
  const D d;
  using V = hn::Vec<D>;
  const double slack = walk.error + trees::corner_slack * static_cast<double>(node.radius) + trees::smallest_slack;
  const Lanes3<V> p = {hn::Set(d, walk.x[sphere] - node.origin[0]), hn::Set(d, walk.y[sphere] - node.origin[1]),
                       hn::Set(d, walk.z[sphere] - node.origin[2])};
  for (std::size_t h = 0; h < 4; h += hn::Lanes(d)) {
    const auto corner = [&](std::size_t c) HWY_ATTR {
      const std::size_t at = 4 * c + h;
      return promote3(d, leaf.x + at, leaf.y + at, leaf.z + at) - p;
    };
    V lower, upper;
    mesh::HWY_NAMESPACE::point_bounds(d, corner(0), corner(1), corner(2), lower, upper);
    upper = hn::Mul(hn::Add(upper, hn::Set(d, slack)), hn::Set(d, (1 + 0x1p-40) / walk.stretch));
    lower = hn::Mul(hn::Max(hn::Sub(lower, hn::Set(d, slack)), hn::Zero(d)), hn::Set(d, walk.stretch * (1 - 0x1p-48)));
    hn::StoreU(lower, d, lower_out + h);
    hn::StoreU(upper, d, upper_out + h);
  }
}

/// Returns the children near the ball around all spheres.
HWY_INLINE unsigned near_ball(const GroupWalk& walk, const OrientedNode& node) {
  float away[3], u[3], least[8] = {};
  float size = 0;
  for (int i = 0; i < 3; ++i) {
    away[i] = static_cast<float>(walk.ball[i] - node.origin[i]);
    size += std::abs(away[i]);
  }
  for (int i = 0; i < 3; ++i)
    u[i] = node.axes[0][i] * away[0] + node.axes[1][i] * away[1] + node.axes[2][i] * away[2];
  const float slack =
      node_slack * size + (static_cast<float>(walk.error) * (1 + 0x1p-20f) + node_slack * node.radius + 1e-30f);
  return near_children(node, u[0], u[1], u[2], slack, squared_limit(walk.ball_limit), least);
}

void walk_target(GroupWalk& walk, Cost& cost, const GroupVisit& visit) {
  const OrientedNode* const nodes = walk.tree->nodes.data();
  const TriangleLeaf* const leaves = walk.tree->leaves.data();
  GroupEntry stack[trees::Topology::max_waiting];
  std::size_t size = 0;
  const std::uint64_t all = walk.wanted;
  stack[size++] = {all, 0, 0, 0};
  std::uint64_t volumes = 0;
  std::uint64_t triangles = 0;
  Octet octet;
  double lower[4], upper[4];
  while (size > 0) {
    const GroupEntry entry = stack[--size];
    const std::uint64_t spheres = entry.spheres & walk.wanted;
    if (spheres == 0 || entry.key > squared_limit(walk.largest_limit)) continue;
    if ((entry.child & OrientedNode::leaf_bit) != 0) {
      const TriangleLeaf& leaf = leaves[entry.child & OrientedNode::index_mask];
      const std::size_t count = (entry.child >> OrientedNode::count_shift & 3u) + 1;
      for (const std::uint32_t s : simd::SetBits(spheres)) {
        triangles += count;
        leaf_bounds(walk, s, nodes[entry.above], leaf, lower, upper);
        for (std::size_t i = 0; i < count; ++i) {
          if (lower[i] > walk.limit[s] || (walk.wanted >> s & 1) == 0) continue;
          visit(walk, {s, leaf.id[i], lower[i], upper[i]});
        }
      }
      continue;
    }
    const OrientedNode& node = nodes[entry.child];
    unsigned possible = node.valid;
    if (spheres == all) {
      ++volumes;
      possible &= near_ball(walk, node);
      if (possible == 0) continue;
    }
    std::uint64_t near[8] = {};
    float least[8];
    std::fill(least, least + 8, std::numeric_limits<float>::infinity());
    for (std::size_t from = 0; from < walk.count; from += 8) {
      const auto here = static_cast<unsigned>(spheres >> from & 0xFF);
      if (here == 0) continue;
      to_node(walk, node, from, octet);
      for (const unsigned i : simd::SetBits(here)) {
        volumes += static_cast<std::uint64_t>(__builtin_popcount(possible));
        const unsigned children = possible & near_children(node, octet.u[0][i], octet.u[1][i], octet.u[2][i],
                                                           octet.slack[i], octet.limit2[i], least);
        for (const unsigned c : simd::SetBits(children))
          near[c] |= std::uint64_t{1} << (from + i);
      }
    }
    // Put the nearest child on top of the stack.
    const std::size_t base = size;
    for (const unsigned c : simd::SetBits(possible)) {
      if (near[c] == 0) continue;
      std::size_t at = size++;
      for (; at > base && stack[at - 1].key < least[c]; --at)
        stack[at] = stack[at - 1];
      stack[at] = {near[c], least[c], entry.child, node.child[c]};
      __builtin_prefetch((node.child[c] & OrientedNode::leaf_bit) != 0
                             ? static_cast<const void*>(leaves + (node.child[c] & OrientedNode::index_mask))
                             : static_cast<const void*>(nodes + node.child[c]));
    }
  }
  cost.volume_tests += volumes;
  cost.primitive_tests += triangles;
}

}  // namespace whisker::spheres::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whisker::spheres {

HWY_EXPORT(walk_target);

void walk_group(GroupWalk& walk, Cost& cost, const GroupVisit& visit) {
  HWY_DYNAMIC_DISPATCH(walk_target)(walk, cost, visit);
}

}  // namespace whisker::spheres
#endif
