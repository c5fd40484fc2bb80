// Boxes around the triangles of aligned nodes, compiled once per instruction set.

#include "trees/aligned_fit.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "trees/aligned_fit_kernels.cpp"
#include <hwy/foreach_target.h>
// Must come after foreach_target.h:
#include <hwy/highway.h>

#ifndef WHISKER_ALIGNED_FIT_ONCE
#define WHISKER_ALIGNED_FIT_ONCE
namespace whisker::trees {

/// What a kernel needs, as plain pointers.
struct AlignedFit {
  OrientedNode* nodes;
  TriangleLeaf* leaves;
  const LeafVertices* leaf_vertices;
  const double* vertices;  // x y z for each vertex in turn
  NodeBounds* bounds;
  double scale;
};

}  // namespace whisker::trees
#endif

HWY_BEFORE_NAMESPACE();
namespace whisker::trees::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Four = hn::FixedTag<float, 4>;
using FourFloats = hn::Vec<Four>;
constexpr float infinity_f = __builtin_huge_valf();

/// Three doubles times `scale`, which is exact, minus `origin`, rounded to floats. The fourth float is 0.
template <class D>
HWY_INLINE FourFloats relative(D d, const double* p, double scale, const double* origin) {
  const hn::Rebind<float, D> df;
  const auto s = hn::Set(d, scale);
  if constexpr (hn::MaxLanes(D()) == 4) {
    return hn::DemoteTo(df, hn::Sub(hn::Mul(hn::MaskedLoad(hn::FirstN(d, 3), d, p), s), hn::LoadU(d, origin)));
  } else {
    const auto xy = hn::Sub(hn::Mul(hn::LoadU(d, p), s), hn::LoadU(d, origin));
    const auto z =
        hn::Sub(hn::Mul(hn::IfThenElseZero(hn::FirstN(d, 1), hn::Set(d, p[2])), s), hn::LoadU(d, origin + 2));
    return hn::Combine(Four(), hn::DemoteTo(df, z), hn::DemoteTo(df, xy));
  }
}

/// Stores four points as four x, four y and four z.
HWY_INLINE void store_transposed(FourFloats p, FourFloats q, FourFloats r, FourFloats s, float* x, float* y, float* z) {
  const Four d;
  const auto pr = hn::InterleaveLower(d, p, r), qs = hn::InterleaveLower(d, q, s);
  const auto pr2 = hn::InterleaveUpper(d, p, r), qs2 = hn::InterleaveUpper(d, q, s);
  hn::Store(hn::InterleaveLower(d, pr, qs), d, x);
  hn::Store(hn::InterleaveUpper(d, pr, qs), d, y);
  hn::Store(hn::InterleaveLower(d, pr2, qs2), d, z);
}

HWY_INLINE void fit_node(const AlignedFit& fit, std::size_t n) {
  const Four d;
  OrientedNode& node = fit.nodes[n];
  const unsigned valid = node.valid, leaves = node.leaves;
  if (valid == 0) return;  // unreachable
  // The origin is a vertex of the first leaf, or the origin of a child.
  if (leaves != 0) {
    const int first = __builtin_ctz(leaves);
    const double* const v = fit.vertices + std::size_t{3} * fit.leaf_vertices[node.index(first)].vertex[0];
    for (int k = 0; k < 3; ++k)
      node.origin[k] = v[k] * fit.scale;
  } else {
    const OrientedNode& child = fit.nodes[node.index(__builtin_popcount(valid) / 2)];
    for (int k = 0; k < 3; ++k)
      node.origin[k] = child.origin[k];
  }
  node.origin[3] = 0;
  FourFloats lower[8], upper[8];
  for (unsigned s = 0; s < 8; ++s)
    lower[s] = upper[s] = hn::Zero(d);
  const hn::CappedTag<double, 4> dd;
  FourFloats all_lower = hn::Set(d, infinity_f), all_upper = hn::Set(d, -infinity_f);
  for (const unsigned s : node.children()) {
    const std::uint32_t index = node.index(s);
    if ((leaves >> s & 1) != 0) {
      TriangleLeaf& leaf = fit.leaves[index];
      const std::uint32_t* const vertex = fit.leaf_vertices[index].vertex;
      FourFloats low = hn::Set(d, infinity_f), high = hn::Set(d, -infinity_f);
      for (std::size_t c = 0; c < 12; c += 4) {
        const auto at = [&](std::size_t i) HWY_ATTR {
          return relative(dd, fit.vertices + std::size_t{3} * vertex[c + i], fit.scale, node.origin);
        };
        const FourFloats p = at(0), q = at(1), r = at(2), t = at(3);
        low = hn::Min(low, hn::Min(hn::Min(p, q), hn::Min(r, t)));
        high = hn::Max(high, hn::Max(hn::Max(p, q), hn::Max(r, t)));
        store_transposed(p, q, r, t, leaf.x + c, leaf.y + c, leaf.z + c);
      }
      lower[s] = low;
      upper[s] = high;
    } else {
      const NodeBounds& child = fit.bounds[index];
      const FourFloats shift = relative(dd, fit.nodes[index].origin, 1, node.origin);
      lower[s] = hn::Add(hn::Load(d, child.lower), shift);
      upper[s] = hn::Add(hn::IfThenElseZero(hn::FirstN(d, 3), hn::Load(d, child.upper)), shift);
    }
    all_lower = hn::Min(all_lower, lower[s]);
    all_upper = hn::Max(all_upper, upper[s]);
  }
  // In units of 2^-24 of the largest coordinate: the ends of a box are off by 1 for a leaf's corners. They are off by 2
  // for a child, whose shift is rounded (its origin is one of its vertices, so it is within the bounds) and whose sum
  // is rounded too. Half-widths are up to 2 times the largest coordinate and are measured from the stored middle, which
  // adds 2 for the half-widths and 2 for the sum with the pad. That is less than 8 in all; the pad is 16. What floats
  // lose of tiny coordinates is less than 2^-149.
  const float largest = hn::GetLane(hn::MaxOfLanes(d, hn::Max(hn::Abs(all_lower), hn::Abs(all_upper))));
  const float pad = 0x1p-20f * largest + 0x1p-140f;
  const FourFloats pads = hn::Set(d, pad);
  const FourFloats half = hn::Set(d, 0.5f);
  FourFloats surface = hn::Zero(d);
  for (unsigned s = 0; s < 8; s += 4) {
    FourFloats center[4], width[4];
    for (unsigned i = 0; i < 4; ++i) {
      const FourFloats middle = hn::Mul(half, hn::Add(lower[s + i], upper[s + i]));
      center[i] = middle;
      width[i] = (valid >> (s + i) & 1) != 0
                     ? hn::Add(pads, hn::Max(hn::Sub(upper[s + i], middle), hn::Sub(middle, lower[s + i])))
                     : hn::Set(d, -1.0f);
    }
    store_transposed(center[0], center[1], center[2], center[3], node.center[0] + s, node.center[1] + s,
                     node.center[2] + s);
    store_transposed(width[0], width[1], width[2], width[3], node.half[0] + s, node.half[1] + s, node.half[2] + s);
    // The half-widths of absent children are -1. Added to those, the areas of small children would be lost.
    const auto along = [&](int k) HWY_ATTR { return hn::Max(hn::Load(d, node.half[k] + s), hn::Zero(d)); };
    const FourFloats x = along(0), y = along(1), z = along(2);
    // No fused multiply-add, so that the result is the same on every processor.
    surface = hn::Add(surface, hn::Add(hn::Mul(x, hn::Add(y, z)), hn::Mul(y, z)));
  }
  node.radius = (largest + 2 * pad) * (1 + 0x1p-20f);
  NodeBounds& bounds = fit.bounds[n];
  hn::Store(hn::Sub(all_lower, pads), d, bounds.lower);
  hn::Store(hn::Add(all_upper, pads), d, bounds.upper);
  bounds.upper[3] = hn::GetLane(hn::SumOfLanes(d, surface));
}

void fit_range(const AlignedFit& fit, std::size_t first, std::size_t end) {
  while (end > first)
    fit_node(fit, --end);
}

}  // namespace whisker::trees::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#include <algorithm>

#include "trees/chunks.hpp"

namespace whisker::trees {

HWY_EXPORT(fit_range);

std::vector<LeafVertices> leaf_vertices(const OrientedTree& tree, std::span<const Index3> triangles) {
  std::vector<LeafVertices> result(tree.leaves.size());
  for (std::size_t k = 0; k < result.size(); ++k)
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t c = 0; c < 3; ++c)
        result[k].vertex[4 * c + i] = triangles[tree.leaves[k].id[i]][c];
  return result;
}

void OrientedTree::set_aligned() {
  is_aligned = true;
  for (OrientedNode& node : nodes)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 4; ++j)
        node.axes[i][j] = i == j ? 1.0f : 0.0f;
}

FitPlan plan_fit(const OrientedTree& tree) {
  constexpr std::size_t parts_wanted = 64;
  const std::size_t count = tree.nodes.size(), most = std::max<std::size_t>(16, count / parts_wanted);
  // Where the subtree of each node ends, if the whole subtree is contiguous after the node; otherwise 0.
  std::vector<std::uint32_t> end(count);
  for (std::size_t n = count; n-- > 0;) {
    const OrientedNode& node = tree.nodes[n];
    std::uint32_t next = static_cast<std::uint32_t>(n + 1);
    for (const unsigned i : node.children())
      if (next != 0 && !node.is_leaf(i)) next = node.index(i) == next ? end[next] : 0;
    end[n] = next;
  }
  FitPlan plan;
  for (std::uint32_t n = 0; n < count;) {
    if (end[n] != 0 && end[n] - n <= most) {
      plan.parts.push_back({n, end[n]});
      n = end[n];
    } else {
      plan.rest.push_back(n++);
    }
  }
  return plan;
}

void fit_aligned(OrientedTree& tree, std::span<const Vector3> vertices, std::span<const LeafVertices> leaves,
                 const Aabb& bounds, const FitPlan& plan, bool parallel, std::vector<NodeBounds>& node_bounds) {
  tree.set_scale(bounds);
  node_bounds.resize(tree.nodes.size());
  const AlignedFit fit = {tree.nodes.data(),       tree.leaves.data(), leaves.data(),
                          vertices.front().data(), node_bounds.data(), tree.scale};
  const auto fit_part = [&](const FitPlan::Part& part) { HWY_DYNAMIC_DISPATCH(fit_range)(fit, part.first, part.end); };
  for_all(plan.parts.size(), parallel, [&](std::size_t i) { fit_part(plan.parts[i]); });
  for (std::size_t i = plan.rest.size(); i-- > 0;)
    fit_part({plan.rest[i], plan.rest[i] + 1});
}

double surface_cost(std::span<const NodeBounds> node_bounds) {
  double sum = 0;
  for (const NodeBounds& bounds : node_bounds)
    sum += static_cast<double>(bounds.upper[3]);
  const NodeBounds& all = node_bounds.front();
  const auto half = [&](int k) { return static_cast<double>(all.upper[k] - all.lower[k]) / 2; };
  const double whole = half(0) * half(1) + half(1) * half(2) + half(2) * half(0);
  // If all vertices coincide, floats give no area.
  return whole > 0 && sum > 0 ? sum / whole : 1;
}

}  // namespace whisker::trees
#endif
