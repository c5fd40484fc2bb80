// Finds the leaves of a tree of boxes that overlap a box. Compiled once per instruction set.

#include <bit>
#include <cstddef>
#include <cstdint>

#include "trees/box_tree.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "trees/box_tree_kernels.cpp"
#include <hwy/foreach_target.h>
// Must come after foreach_target.h:
#include <hwy/highway.h>

#include "simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::trees::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<float, BoxTree::width>;
constexpr Tag tag;
constexpr std::size_t lanes = hn::MaxLanes(tag);

HWY_INLINE unsigned overlaps(const BoxTree::Block& block, const float (&lower)[3], const float (&upper)[3]) {
  unsigned result = 0;
  for (std::size_t at = 0; at < BoxTree::width; at += lanes) {
    const auto along = [&](std::size_t k) HWY_ATTR {
      return hn::And(hn::Le(hn::Load(tag, block.lower[k] + at), hn::Set(tag, upper[k])),
                     hn::Le(hn::Set(tag, lower[k]), hn::Load(tag, block.upper[k] + at)));
    };
    result |= simd::HWY_NAMESPACE::mask_bits(tag, hn::And(hn::And(along(0), along(1)), along(2))) << at;
  }
  return result;
}

void find_leaves(const BoxTree::Node* nodes, const BoxTree::Block* blocks, OverlapSearch& search) {
  search.count = 0;
  while (search.waiting > 0 && search.count < OverlapSearch::most) {
    const std::uint32_t at = search.stack[--search.waiting];
    const BoxTree::Node& node = nodes[at];
    if (node.is_leaf()) {
      search.found[search.count++] = at;
      continue;
    }
    search.tests += node.count;
    for (unsigned bits = overlaps(blocks[node.block], search.lower, search.upper); bits != 0;) {
      const auto last = static_cast<std::uint32_t>(std::bit_width(bits)) - 1;
      search.stack[search.waiting++] = node.first + last;
      bits ^= 1u << last;
    }
  }
}

}  // namespace whisker::trees::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whisker::trees {

HWY_EXPORT(find_leaves);

void find_leaves(const BoxTree& tree, OverlapSearch& search) {
  HWY_DYNAMIC_DISPATCH(find_leaves)(tree.nodes.data(), tree.blocks.data(), search);
}

}  // namespace whisker::trees
#endif
