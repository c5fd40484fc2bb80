// Finds the directions that all triangles of each leaf face. Compiled once per instruction set.

#include "deform/smooth_patches.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "deform/mask_kernels.cpp"
#include <hwy/foreach_target.h>
// Must come after foreach_target.h:
#include <hwy/highway.h>

#include "simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::deform::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace simd::HWY_NAMESPACE;

using trees::OrientedNode;
using trees::TriangleLeaf;

/// Computes the masks of the leaves below a node.
///
/// Corners are off by at most S = 2^-24 of the node's radius, and edges by 2 S plus their own rounding. Let m bound the
/// edge components, 2 S included. A component of a normal is a difference of two products, so it is off by 8 S m plus
/// eight roundings of m², which is 2^-21 m². The components of V sum to at most 3, so n · V is off by 24 S m + 3 ·
/// 2^-21 m² plus its own three roundings of numbers up to 6 m²: less than 24 S m + 2^-18 m² in total. Underflow in
/// products of tiny edges contributes far less than 2^-120.
HWY_INLINE void set_masks(const OrientedNode& node, const TriangleLeaf* leaves, std::uint32_t* masks) {
  const hn::FixedTag<float, 4> d4;
  const hn::CappedTag<float, 16> d;
  using V4 = hn::Vec<decltype(d4)>;
  using V = hn::Vec<decltype(d)>;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  HWY_ALIGN float axes[3][16];
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 16; ++i)
      axes[k][i] = static_cast<float>(mask_axes[i][k]);
  const V4 slack = hn::Set(d4, 0x1p-23f * node.radius);
  for (const unsigned slot : simd::SetBits(node.leaves)) {
    const TriangleLeaf& leaf = leaves[node.index(slot)];
    const auto corner = [&](std::size_t c) HWY_ATTR { return load3(d4, leaf.x + c, leaf.y + c, leaf.z + c); };
    const Lanes3<V4> first = corner(0), e = corner(4) - first, f = corner(8) - first;
    HWY_ALIGN float normal[4][4];  // row 3: the error bound of n · V
    store3(cross(e, f), d4, normal);
    const V4 m = hn::Add(hn::Max(largest_size(e), largest_size(f)), slack);
    // No fused multiply-add here, and the products below with the small integers of V are exact, so the result is the
    // same on every processor.
    const V4 relative = hn::Add(hn::Mul(hn::Set(d4, 0x1p-18f), m), hn::Mul(hn::Set(d4, 32.0f), slack));
    hn::Store(hn::Add(hn::Mul(m, relative), hn::Set(d4, 0x1p-120f)), d4, normal[3]);
    unsigned above = 0, below = 0;
    for (std::size_t g = 0; g < 16; g += lanes) {
      const V ax = hn::Load(d, axes[0] + g), ay = hn::Load(d, axes[1] + g), az = hn::Load(d, axes[2] + g);
      V least = hn::Set(d, 1.0f), most = hn::Set(d, -1.0f);
      for (int i = 0; i < 4; ++i) {
        const V along =
            fused_dot3(ax, ay, az, hn::Set(d, normal[0][i]), hn::Set(d, normal[1][i]), hn::Set(d, normal[2][i]));
        const V off = hn::Set(d, normal[3][i]);
        least = hn::Min(least, hn::Sub(along, off));
        most = hn::Max(most, hn::Add(along, off));
      }
      above |= mask_bits(d, hn::Gt(least, hn::Zero(d))) << g;
      below |= mask_bits(d, hn::Lt(most, hn::Zero(d))) << g;
    }
    masks[node.index(slot)] = above | below << 16;
  }
}

void set_all_masks(const OrientedNode* nodes, std::size_t count, const TriangleLeaf* leaves, std::uint32_t* masks) {
  for (std::size_t n = 0; n < count; ++n)
    if (nodes[n].leaves != 0) set_masks(nodes[n], leaves, masks);
}

}  // namespace whisker::deform::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whisker::deform {

HWY_EXPORT(set_all_masks);

void set_leaf_masks(const trees::OrientedTree& tree, std::vector<std::uint32_t>& masks) {
  masks.resize(tree.leaves.size());
  HWY_DYNAMIC_DISPATCH(set_all_masks)(tree.nodes.data(), tree.nodes.size(), tree.leaves.data(), masks.data());
}

}  // namespace whisker::deform
#endif
