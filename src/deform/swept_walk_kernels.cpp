// Simultaneous traversal of two trees of moving boxes. Compiled once per instruction set.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "deform/swept_tree.hpp"
#include "geometry/lease.hpp"
#include "simd/set_bits.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "deform/swept_walk_kernels.cpp"
#include <hwy/foreach_target.h>
// Must come after foreach_target.h:
#include <hwy/highway.h>

#include "simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::deform::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace simd::HWY_NAMESPACE;

/// Whether one box is beyond the other along an axis at both ends of the step, lane by lane: lanes_a and lanes_b turn
/// the bounds of a and b at an end along an axis into lanes. With `at_end`, whether they are farther apart than the
/// limits at the end of the step.
template <bool at_end, class D, class BoxesA, class BoxesB, class LanesA, class LanesB>
HWY_INLINE hn::Mask<D> are_parted(D d, const AxisLimits& limits, const BoxesA& a, const LanesA& lanes_a,
                                  const BoxesB& b, const LanesB& lanes_b) {
  const auto along = [&](std::size_t axis) HWY_ATTR {
    const auto lower_a = lanes_a(a.lower[1][axis]), upper_a = lanes_a(a.upper[1][axis]);
    const auto lower_b = lanes_b(b.lower[1][axis]), upper_b = lanes_b(b.upper[1][axis]);
    if constexpr (at_end) {
      // A difference is rounded to the nearest float: if that is beyond the limit, which is a float, so is the true
      // one.
      return hn::Or(hn::Gt(hn::Sub(lower_b, upper_a), hn::Set(d, limits.b_above[axis])),
                    hn::Gt(hn::Sub(lower_a, upper_b), hn::Set(d, limits.a_above[axis])));
    } else {
      const auto above = hn::Gt(lanes_b(b.lower[0][axis]), lanes_a(a.upper[0][axis]));
      const auto below = hn::Lt(lanes_b(b.upper[0][axis]), lanes_a(a.lower[0][axis]));
      return hn::Or(hn::And(above, hn::Gt(lower_b, upper_a)), hn::And(below, hn::Lt(upper_b, lower_a)));
    }
  };
  return hn::Or(hn::Or(along(0), along(1)), along(2));
}

/// Which of b's children child i of a may overlap: one bit per existing child. (Boxes beyond the range of floats are
/// infinite and overlap empty slots too, so these are masked out.)
template <bool at_end>
HWY_INLINE unsigned meeting(const SweptNode& a, std::size_t i, const SweptNode& b, const AxisLimits& limits) {
  const hn::CappedTag<float, SweptNode::width> d;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  unsigned parted = 0;
  for (std::size_t k = 0; k < SweptNode::width; k += lanes) {
    const auto child_i = [&](const float* bounds) HWY_ATTR { return hn::Set(d, bounds[i]); };
    const auto children = [&](const float* bounds) HWY_ATTR { return hn::Load(d, bounds + k); };
    parted |= mask_bits(d, are_parted<at_end>(d, limits, a, child_i, b, children)) << k;
  }
  return ~parted & ((1u << b.size) - 1);
}

using LeafTag = hn::CappedTag<float, 16>;
constexpr std::size_t rows_at_once = hn::MaxLanes(LeafTag()) / SweptLeaf::width;
constexpr std::size_t leaf_parts = SweptLeaf::width / rows_at_once;

/// Some items of a leaf, each repeated in four lanes.
struct WideItems {
  hn::Vec<LeafTag> lower[2][3];
  hn::Vec<LeafTag> upper[2][3];
};
struct WideLeaf {
  WideItems part[leaf_parts];
};
template <bool at_end>
HWY_INLINE WideLeaf widened(const SweptLeaf& leaf) {
  const LeafTag d;
  const hn::RebindToSigned<LeafTag> whole;
  WideLeaf wide;
  for (std::size_t part = 0; part < leaf_parts; ++part) {
    const auto first = hn::Set(whole, static_cast<std::int32_t>(part * rows_at_once));
    const auto pick = hn::IndicesFromVec(d, hn::Add(hn::ShiftRight<2>(hn::Iota(whole, 0)), first));
    for (std::size_t end = at_end ? 1 : 0; end < 2; ++end) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        wide.part[part].lower[end][axis] = hn::TableLookupLanes(hn::LoadDup128(d, leaf.lower[end][axis]), pick);
        wide.part[part].upper[end][axis] = hn::TableLookupLanes(hn::LoadDup128(d, leaf.upper[end][axis]), pick);
      }
    }
  }
  return wide;
}

/// Bit 4 i + j: item i of a and item j of b are separated.
template <bool at_end>
HWY_INLINE unsigned parted_items(const WideItems& a, const SweptLeaf& b, const AxisLimits& limits) {
  const LeafTag d;
  const auto as_is = [](hn::Vec<LeafTag> bounds) HWY_ATTR { return bounds; };
  const auto repeated = [&](const float* bounds) HWY_ATTR { return hn::LoadDup128(d, bounds); };
  return mask_bits(d, are_parted<at_end>(d, limits, a, as_is, b, repeated));
}

/// Whether a direction of `oblique` separates two items. The first item has `corners_a` vertices.
template <bool at_end, std::size_t corners_a>
HWY_INLINE bool are_parted_obliquely(const VertexHeights* a, const VertexHeights* b, const ObliqueLimits& limits,
                                     const std::array<std::uint32_t, 4>& vertices) {
  const hn::CappedTag<float, 8> d;
  auto parted = hn::MaskFromVec(hn::Zero(d));
  for (std::size_t k = 0; k < 8; k += hn::MaxLanes(d)) {
    auto a_above = hn::Not(hn::MaskFromVec(hn::Zero(d))), b_above = a_above;
    for (std::size_t end = at_end ? 1 : 0; end < 2; ++end) {
      const auto height = [&](std::size_t i)
                              HWY_ATTR { return hn::Load(d, (i < corners_a ? a : b)[vertices[i]].along[end] + k); };
      auto low_a = height(0), high_a = low_a, low_b = height(corners_a), high_b = low_b;
      for (std::size_t i = 1; i < corners_a; ++i) {
        low_a = hn::Min(low_a, height(i));
        high_a = hn::Max(high_a, height(i));
      }
      for (std::size_t i = corners_a + 1; i < 4; ++i) {
        low_b = hn::Min(low_b, height(i));
        high_b = hn::Max(high_b, height(i));
      }
      a_above = hn::And(a_above, hn::Gt(hn::Sub(low_a, high_b), hn::Load(d, limits.a_above + k)));
      b_above = hn::And(b_above, hn::Gt(hn::Sub(low_b, high_a), hn::Load(d, limits.b_above + k)));
    }
    parted = hn::Or(parted, hn::Or(a_above, b_above));
  }
  return !hn::AllFalse(d, parted);
}

/// A stack of pairs of numbers: one of a, one of b.
class NumberPairs {
 public:
  /// Pushes `first` with each of `seconds` whose bit is set. There must be room for eight more.
  HWY_INLINE void push(std::uint32_t first, const std::uint32_t* seconds, unsigned bits) {
    const hn::CappedTag<std::uint32_t, SweptNode::width> d;
    constexpr std::size_t lanes = hn::MaxLanes(d);
    for (std::size_t k = 0; k < SweptNode::width; k += lanes) {
      const unsigned some = bits >> k & ((1u << lanes) - 1);
      const std::uint8_t bytes[8] = {static_cast<std::uint8_t>(some)};
      // Not CompressStore, which is slow on some processors.
      hn::StoreU(hn::Compress(hn::LoadU(d, seconds + k), hn::LoadMaskBits(d, bytes)), d, b_.data() + count_);
      hn::StoreU(hn::Set(d, first), d, a_.data() + count_);
      count_ += hwy::PopCount(some);
    }
  }
  void make_room(std::size_t more) {
    if (count_ + more + SweptNode::width <= a_.size()) return;
    a_.resize(2 * (a_.size() + more + SweptNode::width));
    b_.resize(a_.size());
  }
  void push(std::uint32_t first, std::uint32_t second) {
    make_room(1);
    a_[count_] = first;
    b_[count_++] = second;
  }
  std::array<std::uint32_t, 2> pop() {
    --count_;
    return {a_[count_], b_[count_]};
  }
  void clear() { count_ = 0; }
  std::size_t size() const { return count_; }
  std::uint32_t a(std::size_t i) const { return a_[i]; }
  std::uint32_t b(std::size_t i) const { return b_[i]; }

 private:
  std::vector<std::uint32_t> a_, b_;
  std::size_t count_ = 0;
};

struct WaitingPairs {
  NumberPairs nodes, leaves;
};

/// Traverses the trees. With `at_end`, tests only the end of the step.
template <bool at_end>
class Walk {
 public:
  Walk(const SweptItems& a, const SweptItems& b, const WalkOptions& options, const PairSink& sink)
      : a_(a.tree),
        b_(b.tree),
        options_(options),
        sink_(sink),
        heights_a_(a.heights.vertices.data()),
        heights_b_(b.heights.vertices.data()),
        limits_(oblique_limits(a.heights, b.heights, options)),
        axis_limits_(axis_limits(options)),
        is_shifted_(!at_end && (options.shift != Vector3::Zero() || options.separation != 0)),
        nodes_(waiting_->nodes),
        leaves_(waiting_->leaves) {
    nodes_.clear();
    leaves_.clear();
  }

  std::uint64_t look(std::span<const NodePair> roots) {
    for (const NodePair& pair : roots)
      nodes_.push(pair.a, pair.b);
    leaves_.make_room(2 * enough);
    while (nodes_.size() > 0) {
      const auto [node_a, node_b] = nodes_.pop();
      look_at({node_a, node_b});
      if (leaves_.size() >= enough) look_at_leaves();
    }
    return finish();
  }

  std::uint64_t look_from_above(std::size_t wanted, std::vector<NodePair>& rest) {
    rest.assign(1, {0, 0});
    leaves_.make_room(2 * enough);
    while (!rest.empty() && rest.size() < wanted) {
      for (const NodePair& pair : rest)
        look_at(pair);
      rest.clear();
      for (std::size_t i = 0; i < nodes_.size(); ++i)
        rest.push_back({nodes_.a(i), nodes_.b(i)});
      nodes_.clear();
    }
    return finish();
  }

 private:
  void look_at(const NodePair& pair) {
    const bool is_same = options_.is_one && pair.a == pair.b;
    if (is_shifted_) {
      look_at_nodes(shifted(a_.nodes[pair.a], options_.shift, options_.separation), b_.nodes[pair.b], is_same);
    } else {
      look_at_nodes(a_.nodes[pair.a], b_.nodes[pair.b], is_same);
    }
  }

  std::uint64_t finish() {
    look_at_leaves();
    make_pairs();
    hand_over();
    return tests_;
  }

  void look_at_nodes(const SweptNode& a, const SweptNode& b, bool is_same) {
    nodes_.make_room(SweptNode::width * SweptNode::width);
    leaves_.make_room(SweptNode::width * SweptNode::width);
    for (std::size_t i = 0; i < a.size; ++i) {
      unsigned hit = meeting<at_end>(a, i, b, axis_limits_);
      tests_ += SweptNode::width;
      if (is_same) hit &= ~((1u << i) - 1);
      const unsigned hit_leaves = hit & b.leaves, hit_nodes = hit & ~b.leaves;
      if ((a.leaves >> i & 1) != 0) {
        leaves_.push(a.child[i], b.child, hit_leaves);
        for (const std::size_t k : simd::SetBits(hit_nodes))
          descend(a, i, b.child[k], true);
      } else {
        nodes_.push(a.child[i], b.child, hit_nodes);
        for (const std::size_t k : simd::SetBits(hit_leaves))
          descend(b, k, a.child[i], false);
      }
    }
  }

  /// Tests leaf k of a node against the subtree of a node of the other tree. If the leaf is a's, it is already in b's
  /// frame.
  void descend(const SweptNode& of, std::size_t k, std::uint32_t root, bool leaf_is_a) {
    const SweptTree& tree = leaf_is_a ? b_ : a_;
    const AxisLimits limits = leaf_is_a ? axis_limits_ : AxisLimits{axis_limits_.b_above, axis_limits_.a_above};
    // Large enough for the waiting siblings at every level of the descent.
    std::array<std::uint32_t, SweptTree::max_depth * SweptNode::width> waiting;
    std::size_t count = 0;
    waiting[count++] = root;
    while (count > 0) {
      const SweptNode& node = tree.nodes[waiting[--count]];
      tests_ += SweptNode::width;
      const bool is_to_shift = !leaf_is_a && is_shifted_;
      const unsigned hit = is_to_shift
                               ? meeting<at_end>(of, k, shifted(node, options_.shift, options_.separation), limits)
                               : meeting<at_end>(of, k, node, limits);
      for (const std::size_t j : simd::SetBits(hit)) {
        if ((node.leaves >> j & 1) == 0) {
          waiting[count++] = node.child[j];
        } else if (leaf_is_a) {
          leaves_.push(of.child[k], node.child[j]);
        } else {
          leaves_.push(node.child[j], of.child[k]);
        }
      }
    }
    leaves_.make_room(SweptNode::width * SweptNode::width);
  }

  void look_at_leaves() {
    is_shifted_ ? look_at_leaves_if<true>() : look_at_leaves_if<false>();
    leaves_.clear();
  }

  template <bool is_shifted>
  HWY_NOINLINE void look_at_leaves_if() {
    const hn::RebindToUnsigned<LeafTag> d;
    constexpr unsigned lanes = SweptLeaf::width * rows_at_once;
    const auto lane = hn::Iota(d, 0);
    tests_ += SweptLeaf::width * SweptLeaf::width * leaves_.size();
    SweptLeaf moved;
    std::uint32_t moved_leaf = 0xFFFFFFFF;
    for (std::size_t n = 0; n < leaves_.size(); ++n) {
      if (count_ + 2 * 16 > most) make_pairs();
      const std::uint32_t leaf_a = leaves_.a(n), leaf_b = leaves_.b(n);
      if (is_shifted && leaf_a != moved_leaf) {
        moved = shifted(a_.leaves[leaf_a], options_.shift, options_.separation);
        moved_leaf = leaf_a;
      }
      const WideLeaf a = widened<at_end>(is_shifted ? moved : a_.leaves[leaf_a]);
      const SweptLeaf& b = b_.leaves[leaf_b];
      const LeafItems items_a = a_.leaf_items[leaf_a], items_b = b_.leaf_items[leaf_b];
      const unsigned row = (1u << items_b.count) - 1;
      // For a leaf with itself: i before j.
      const unsigned half = (options_.is_one & (leaf_a == leaf_b)) ? 0x08ceu : 0xffffu;
      const unsigned wanted = row * 0x1111u & ((1u << 4 * items_a.count) - 1) & half;
      const auto place_b = hn::Add(hn::Set(d, items_b.first), hn::And(lane, hn::Set(d, 3)));
      for (std::size_t part = 0; part < leaf_parts; ++part) {
        const unsigned hit =
            wanted >> part * lanes & ~parted_items<at_end>(a.part[part], b, axis_limits_) & ((1u << lanes) - 1);
        const auto first = static_cast<std::uint32_t>(items_a.first + part * rows_at_once);
        const auto place_a = hn::Add(hn::Set(d, first), hn::ShiftRight<2>(lane));
        const std::uint8_t bytes[8] = {static_cast<std::uint8_t>(hit), static_cast<std::uint8_t>(hit >> 8)};
        const auto mask = hn::LoadMaskBits(d, bytes);
        hn::StoreU(hn::Compress(place_a, mask), d, places_.a + count_);
        hn::StoreU(hn::Compress(place_b, mask), d, places_.b + count_);
        count_ += hwy::PopCount(hit);
      }
    }
  }

  /// Makes pairs from the places found so far and keeps those that pass the remaining tests.
  void make_pairs() {
    a_.corners == 1 ? make_pairs_of<1>() : make_pairs_of<2>();
    count_ = 0;
    if (pair_count_ >= enough) hand_over();
  }

  template <std::size_t corners_a>
  HWY_NOINLINE void make_pairs_of() {
    static_assert(sizeof(SweptItem) == 16 && sizeof(motion::NumberedPair) == 24);
    const hn::FixedTag<std::uint32_t, 4> d;
    const hn::Half<decltype(d)> half;
    const auto is_one = hn::Eq(hn::Set(d, options_.is_one ? 1u : 0u), hn::Set(d, 1u));
    // Copied to locals, so that the compiler knows that the stores below do not change them.
    const SweptItem *const items_a = a_.items.data(), *const items_b = b_.items.data();
    const std::size_t first_new = pair_count_, places = count_;
    std::size_t end = first_new;
    const bool is_self = options_.is_self;
    // Branch-free, because branches would be mispredicted half of the time.
    for (std::size_t i = 0; i < places; ++i) {
      // The vertices, with the number last.
      const auto a = hn::Load(d, items_a[places_.a[i]].vertices.data());
      const auto b = hn::Load(d, items_b[places_.b[i]].vertices.data());
      const auto number_a = hn::Broadcast<3>(a), number_b = hn::Broadcast<3>(b);
      auto shares = hn::MaskFromVec(hn::Zero(d));
      motion::NumberedPair& pair = pairs_[end];
      if constexpr (corners_a == 1) {
        shares = hn::And(hn::Eq(hn::Broadcast<0>(a), b), hn::FirstN(d, 3));
        hn::StoreU(hn::IfThenElse(hn::FirstN(d, 1), a, hn::ShiftLeftLanes<1>(d, b)), d, pair.corners.data());
        hn::StoreU(hn::LowerHalf(half, hn::InterleaveLower(d, number_a, number_b)), half, pair.numbers.data());
      } else {
        shares = hn::And(hn::Or(hn::Eq(a, b), hn::Eq(a, hn::Shuffle2301(b))), hn::FirstN(d, 2));
        const auto swap = hn::And(hn::Gt(number_a, number_b), is_one);
        const auto first = hn::IfThenElse(swap, b, a), second = hn::IfThenElse(swap, a, b);
        hn::StoreU(hn::ConcatLowerLower(d, second, first), d, pair.corners.data());
        hn::StoreU(hn::UpperHalf(half, hn::InterleaveUpper(d, first, second)), half, pair.numbers.data());
      }
      end += (is_self & !hn::AllFalse(d, shares)) ? 0u : 1u;
    }
    const VertexHeights *const heights_a = heights_a_, *const heights_b = heights_b_;
    const ObliqueLimits limits = limits_;
    std::size_t kept = first_new;
    for (std::size_t i = first_new; i < end; ++i) {
      const bool is_parted = are_parted_obliquely<at_end, corners_a>(heights_a, heights_b, limits, pairs_[i].corners);
      pairs_[kept] = pairs_[i];
      kept += is_parted ? 0u : 1u;
    }
    pair_count_ = kept;
  }

  void hand_over() {
    if (pair_count_ > 0) sink_(pairs_, pair_count_);
    pair_count_ = 0;
  }

  static constexpr std::size_t most = 512;
  static constexpr std::size_t enough = 256;  // enough to process together, and still in the cache

  const SweptTree& a_;
  const SweptTree& b_;
  const WalkOptions& options_;
  const PairSink& sink_;
  const VertexHeights* heights_a_;
  const VertexHeights* heights_b_;
  ObliqueLimits limits_;
  AxisLimits axis_limits_;
  bool is_shifted_;
  std::uint64_t tests_ = 0;
  geometry::Lease<WaitingPairs> waiting_;
  NumberPairs& nodes_;
  NumberPairs& leaves_;
  std::size_t count_ = 0;
  struct {
    std::uint32_t a[most], b[most];
  } places_;
  std::size_t pair_count_ = 0;
  motion::NumberedPair pairs_[enough + most + 1];
};

std::uint64_t walk(const SweptItems& a, const SweptItems& b, const WalkOptions& options, const PairSink& sink,
                   std::span<const NodePair> roots) {
  if (options.at_end) return Walk<true>(a, b, options, sink).look(roots);
  return Walk<false>(a, b, options, sink).look(roots);
}

std::uint64_t walk_from_above(const SweptItems& a, const SweptItems& b, const WalkOptions& options, std::size_t wanted,
                              std::vector<NodePair>& rest, const PairSink& sink) {
  return Walk<true>(a, b, options, sink).look_from_above(wanted, rest);
}

}  // namespace whisker::deform::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whisker::deform {

HWY_EXPORT(walk);
HWY_EXPORT(walk_from_above);

std::uint64_t walk_pairs(const SweptItems& a, const SweptItems& b, const WalkOptions& options, const PairSink& sink,
                         std::span<const NodePair> nodes) {
  return HWY_DYNAMIC_DISPATCH(walk)(a, b, options, sink, nodes);
}

std::uint64_t begin_walk(const SweptItems& a, const SweptItems& b, const WalkOptions& options, std::size_t wanted,
                         std::vector<NodePair>& rest, const PairSink& sink) {
  return HWY_DYNAMIC_DISPATCH(walk_from_above)(a, b, options, wanted, rest, sink);
}

}  // namespace whisker::deform
#endif
