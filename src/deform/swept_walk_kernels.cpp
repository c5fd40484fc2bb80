// Two trees of boxes in motion, walked together.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "deform/swept_tree.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "deform/swept_walk_kernels.cpp"
#include <hwy/foreach_target.h>
// After it:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace whisker::deform::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D>
HWY_INLINE unsigned bits_of(D d, hn::Mask<D> mask) {
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(d, mask, bytes);
  return bytes[0] | static_cast<unsigned>(bytes[1]) << 8;
}

/// Whether one is beyond the other along an axis at both ends, lane by lane. Each function gives bounds at an end along
/// an axis.
template <class D, class LowerA, class UpperA, class LowerB, class UpperB>
HWY_INLINE hn::Mask<D> are_parted(D, const LowerA& lower_a, const UpperA& upper_a, const LowerB& lower_b,
                                  const UpperB& upper_b) {
  const auto along = [&](int axis) HWY_ATTR {
    const auto above = hn::And(hn::Gt(lower_b(0, axis), upper_a(0, axis)), hn::Gt(lower_b(1, axis), upper_a(1, axis)));
    const auto below = hn::And(hn::Lt(upper_b(0, axis), lower_a(0, axis)), hn::Lt(upper_b(1, axis), lower_a(1, axis)));
    return hn::Or(above, below);
  };
  return hn::Or(hn::Or(along(0), along(1)), along(2));
}

/// Which of b's children child i of a may meet: a bit for each that there is. (Beyond the range of floats boxes are
/// infinite, and meet empty ones too.)
HWY_INLINE unsigned meeting(const SweptNode& a, std::size_t i, const SweptNode& b) {
  const hn::CappedTag<float, SweptNode::width> d;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  unsigned parted = 0;
  for (std::size_t k = 0; k < SweptNode::width; k += lanes) {
    const auto mask = are_parted(
        d, [&](int end, int axis) HWY_ATTR { return hn::Set(d, a.lower[end][axis][i]); },
        [&](int end, int axis) HWY_ATTR { return hn::Set(d, a.upper[end][axis][i]); },
        [&](int end, int axis) HWY_ATTR { return hn::Load(d, b.lower[end][axis] + k); },
        [&](int end, int axis) HWY_ATTR { return hn::Load(d, b.upper[end][axis] + k); });
    parted |= (bits_of(d, mask) & ((1u << lanes) - 1)) << k;
  }
  return ~parted & ((1u << b.size) - 1);
}

using LeafTag = hn::CappedTag<float, 16>;
constexpr std::size_t rows_at_once = hn::MaxLanes(LeafTag()) / SweptLeaf::width;
constexpr std::size_t leaf_parts = SweptLeaf::width / rows_at_once;

/// The items of a leaf, each in four lanes.
struct WideLeaf {
  hn::Vec<LeafTag> lower[leaf_parts][2][3];
  hn::Vec<LeafTag> upper[leaf_parts][2][3];
};
HWY_INLINE WideLeaf widened(const SweptLeaf& leaf) {
  const LeafTag d;
  const hn::RebindToSigned<LeafTag> whole;
  WideLeaf wide;
  for (std::size_t part = 0; part < leaf_parts; ++part) {
    const auto first = hn::Set(whole, static_cast<std::int32_t>(part * rows_at_once));
    const auto pick = hn::IndicesFromVec(d, hn::Add(hn::ShiftRight<2>(hn::Iota(whole, 0)), first));
    for (std::size_t end = 0; end < 2; ++end) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        wide.lower[part][end][axis] = hn::TableLookupLanes(hn::LoadDup128(d, leaf.lower[end][axis]), pick);
        wide.upper[part][end][axis] = hn::TableLookupLanes(hn::LoadDup128(d, leaf.upper[end][axis]), pick);
      }
    }
  }
  return wide;
}

/// Bit 4 i + j: item i of a and item j of b are parted, of one part of a's items.
HWY_INLINE unsigned parted_in(const WideLeaf& a, std::size_t part, const SweptLeaf& b) {
  const LeafTag d;
  const auto mask = are_parted(
      d, [&](int end, int axis) HWY_ATTR { return a.lower[part][end][axis]; },
      [&](int end, int axis) HWY_ATTR { return a.upper[part][end][axis]; },
      [&](int end, int axis) HWY_ATTR { return hn::LoadDup128(d, b.lower[end][axis]); },
      [&](int end, int axis) HWY_ATTR { return hn::LoadDup128(d, b.upper[end][axis]); });
  return bits_of(d, mask);
}

struct NodePair {
  std::uint32_t a, b;
};

class Walk {
 public:
  Walk(const SweptTree& a, const SweptTree& b, const WalkOptions& options, const PairSink& sink)
      : a_(a),
        b_(b),
        options_(options),
        sink_(sink),
        is_shifted_(options.shift != Vector3::Zero() || options.separation != 0) {}

  std::uint64_t look() {
    std::vector<NodePair> waiting = {{0, 0}};
    while (!waiting.empty()) {
      const NodePair pair = waiting.back();
      waiting.pop_back();
      const SweptNode& b = b_.nodes[pair.b];
      if (is_shifted_) {
        look_at_nodes(shifted(a_.nodes[pair.a], options_.shift, options_.separation), b, pair, waiting);
      } else {
        look_at_nodes(a_.nodes[pair.a], b, pair, waiting);
      }
    }
    hand_over();
    return tests_;
  }

 private:
  void look_at_nodes(const SweptNode& a, const SweptNode& b, const NodePair& pair, std::vector<NodePair>& waiting) {
    const bool is_same = options_.is_self && pair.a == pair.b;
    for (std::size_t i = 0; i < a.size; ++i) {
      WideLeaf wide;
      bool is_wide = false;
      unsigned hit = meeting(a, i, b);
      tests_ += SweptNode::width;
      if (is_same) hit &= ~((1u << i) - 1);
      for (; hit != 0; hit &= hit - 1) {
        const std::size_t j = hwy::Num0BitsBelowLS1Bit_Nonzero32(hit);
        if (a.items[i] == 0 && b.items[j] == 0) {
          waiting.push_back({a.child[i], b.child[j]});
        } else if (a.items[i] == 0) {
          // The leaf is b's.
          descend(b, j, a.child[i], false);
        } else if (b.items[j] == 0) {
          descend(a, i, b.child[j], true);
        } else {
          if (!is_wide) wide = widened_a(a.child[i]);
          is_wide = true;
          look_at_leaves(wide, a.child[i], a.items[i], b.child[j], b.items[j]);
        }
      }
    }
  }

  WideLeaf widened_a(std::uint32_t leaf) const {
    const SweptLeaf& boxes = a_.leaves[leaf];
    return widened(is_shifted_ ? shifted(boxes, options_.shift, options_.separation) : boxes);
  }

  /// Leaf k of a node against the subtree of a node of the other tree. A leaf of a is in b's frame already.
  void descend(const SweptNode& of, std::size_t k, std::uint32_t root, bool leaf_is_a) {
    const SweptTree& tree = leaf_is_a ? b_ : a_;
    // Of each node on the way down its other children wait.
    std::array<std::uint32_t, SweptTree::max_depth * SweptNode::width> waiting;
    std::size_t count = 0;
    waiting[count++] = root;
    WideLeaf wide;
    if (leaf_is_a) wide = widened_a(of.child[k]);
    while (count > 0) {
      const SweptNode& node = tree.nodes[waiting[--count]];
      tests_ += SweptNode::width;
      const bool is_to_shift = !leaf_is_a && is_shifted_;
      unsigned hit =
          is_to_shift ? meeting(of, k, shifted(node, options_.shift, options_.separation)) : meeting(of, k, node);
      for (; hit != 0; hit &= hit - 1) {
        const std::size_t j = hwy::Num0BitsBelowLS1Bit_Nonzero32(hit);
        if (node.items[j] == 0) {
          waiting[count++] = node.child[j];
        } else if (leaf_is_a) {
          look_at_leaves(wide, of.child[k], of.items[k], node.child[j], node.items[j]);
        } else {
          look_at_leaves(widened_a(node.child[j]), node.child[j], node.items[j], of.child[k], of.items[k]);
        }
      }
    }
  }

  void look_at_leaves(const WideLeaf& a, std::uint32_t leaf_a, unsigned count_a, std::uint32_t leaf_b,
                      unsigned count_b) {
    const SweptLeaf& b = b_.leaves[leaf_b];
    const hn::RebindToUnsigned<LeafTag> d;
    constexpr unsigned lanes = SweptLeaf::width * rows_at_once;
    const unsigned row = (1u << count_b) - 1;
    unsigned wanted = row * 0x1111u & ((1u << 4 * count_a) - 1);
    // Of a leaf with itself: i before j.
    if (options_.is_self && leaf_a == leaf_b) wanted &= 0x08ceu;
    tests_ += SweptLeaf::width * SweptLeaf::width;
    if (count_ + 2 * 16 > most) hand_over();
    const auto lane = hn::Iota(d, 0);
    const auto place_b = hn::Add(hn::Set(d, b_.leaf_begins[leaf_b]), hn::And(lane, hn::Set(d, 3)));
    for (std::size_t part = 0; part < leaf_parts; ++part) {
      const unsigned hit = wanted >> part * lanes & ~parted_in(a, part, b) & ((1u << lanes) - 1);
      if (hit == 0) continue;
      const auto first = static_cast<std::uint32_t>(a_.leaf_begins[leaf_a] + part * rows_at_once);
      const auto place_a = hn::Add(hn::Set(d, first), hn::ShiftRight<2>(lane));
      const std::uint8_t bytes[8] = {static_cast<std::uint8_t>(hit), static_cast<std::uint8_t>(hit >> 8)};
      const auto mask = hn::LoadMaskBits(d, bytes);
      // Not CompressStore, which is slow on some processors.
      hn::StoreU(hn::Compress(place_a, mask), d, pairs_.a + count_);
      hn::StoreU(hn::Compress(place_b, mask), d, pairs_.b + count_);
      count_ += hwy::PopCount(hit);
    }
  }

  void hand_over() {
    if (count_ > 0) sink_.take(sink_.context, pairs_.a, pairs_.b, count_);
    count_ = 0;
  }

  static constexpr std::size_t most = 512;

  const SweptTree& a_;
  const SweptTree& b_;
  const WalkOptions& options_;
  const PairSink& sink_;
  bool is_shifted_;
  std::uint64_t tests_ = 0;
  std::size_t count_ = 0;
  struct {
    std::uint32_t a[most], b[most];
  } pairs_;
};

std::uint64_t walk(const SweptTree& a, const SweptTree& b, const WalkOptions& options, const PairSink& sink) {
  return Walk(a, b, options, sink).look();
}

}  // namespace whisker::deform::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whisker::deform {

HWY_EXPORT(walk);

std::uint64_t walk_pairs(const SweptTree& a, const SweptTree& b, const WalkOptions& options, const PairSink& sink) {
  return HWY_DYNAMIC_DISPATCH(walk)(a, b, options, sink);
}

}  // namespace whisker::deform
#endif
