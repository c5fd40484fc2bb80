// Traverses a tree of triangles against itself. Compiled once per instruction set.

#include <algorithm>

#include <whisker/geometry/triangle_tests.hpp>

#include "deform/self_walk.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "deform/self_walk_kernels.cpp"
#include <hwy/foreach_target.h>
// Must come after foreach_target.h:
#include <hwy/highway.h>

#include "mesh/node_pair-inl.hpp"
#include "mesh/triangle_touch-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::deform::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace simd::HWY_NAMESPACE;
using namespace mesh::HWY_NAMESPACE;

using simd::SetBits;
using trees::OrientedNode;
using trees::TriangleLeaf;

void fit_leaf_boxes(const TriangleLeaf* leaves, std::size_t count, LeafBoxes* boxes) {
  const hn::FixedTag<float, 4> d;
  for (std::size_t k = 0; k < count; ++k) {
    const float* const corners[3] = {leaves[k].x, leaves[k].y, leaves[k].z};
    for (int axis = 0; axis < 3; ++axis) {
      const auto p = hn::Load(d, corners[axis]), q = hn::Load(d, corners[axis] + 4), r = hn::Load(d, corners[axis] + 8);
      hn::Store(hn::Min(p, hn::Min(q, r)), d, boxes[k].lower[axis]);
      hn::Store(hn::Max(p, hn::Max(q, r)), d, boxes[k].upper[axis]);
    }
  }
}

/// Sets the position of node b relative to node a when all axes are the mesh's own. Fields that only rotated frames
/// need are left unchanged.
HWY_INLINE void set_aligned_frame(const OrientedNode& a, const OrientedNode& b, NodeFrame& frame) {
  float far = 0;
  for (int k = 0; k < 3; ++k) {
    frame.offset[k] = static_cast<float>(b.origin[k] - a.origin[k]);
    far = std::max(far, std::abs(frame.offset[k]));
  }
  frame.reach = 2 * (a.radius + b.radius + far);
  // The ends of b's intervals are three sums, and the offset is rounded: they are off by 2^-24 of 3 b.radius + 3 far.
  // Those of a are off by 2^-24 a.radius. The slack is 8 times 2^-24 of the sum. Where the slack underflows, sums are
  // exact, and the boxes' padding of 2^-140 covers the rounding of the offset.
  frame.slack = 0x1p-22f * frame.reach;
  // The same as in set_frame(), although fewer roundings happen here: two, plus its own, in each corner of b.
  frame.leaf_slack = 0x1p-24f * (14 * b.radius + 7 * far + 8 * a.radius) * (1 + 0x1p-20f) + 0x1p-120f;
}

/// Tests which child boxes of two aligned nodes overlap: bit 8 j + i for child i of a and child j of b.
HWY_INLINE std::uint64_t overlap_aligned(const NodeFrame& frame, const OrientedNode& a, const OrientedNode& b,
                                         unsigned children_b) {
  const hn::CappedTag<float, 8> d;
  using V = hn::Vec<decltype(d)>;
  HWY_ALIGN float low_b[3][8], high_b[3][8];
  for (std::size_t h = 0; h < 8; h += hn::Lanes(d)) {
    for (int k = 0; k < 3; ++k) {
      const V center = hn::Add(hn::Load(d, b.center[k] + h), spread(d, &frame.offset[k]));
      const V half = hn::Add(hn::Load(d, b.half[k] + h), spread(d, &frame.slack));
      hn::Store(hn::Sub(center, half), d, low_b[k] + h);
      hn::Store(hn::Add(center, half), d, high_b[k] + h);
    }
  }
  std::uint64_t overlap = 0;
  for (std::size_t h = 0; h < 8; h += hn::Lanes(d)) {
    V low[3], high[3];
    for (int k = 0; k < 3; ++k) {
      const V center = hn::Load(d, a.center[k] + h), half = hn::Load(d, a.half[k] + h);
      low[k] = hn::Sub(center, half);
      high[k] = hn::Add(center, half);
    }
    for (const unsigned j : SetBits(children_b)) {
      // Intervals overlap if both differences are negative. Strict inequality suffices, because the slack has already
      // widened the intervals.
      const auto both = [&](int k) HWY_ATTR {
        return hn::And(hn::Sub(low[k], spread(d, &high_b[k][j])), hn::Sub(spread(d, &low_b[k][j]), high[k]));
      };
      const V signs = hn::And(both(0), hn::And(both(1), both(2)));
      overlap |= std::uint64_t{sign_bits(d, signs)} << (8 * j + h);
    }
  }
  return overlap;
}

/// Sets leaf b's corners relative to a's node.
HWY_INLINE void set_shifted_leaf(const NodeFrame& frame, const TriangleLeaf& leaf, LeafSide& out) {
  const hn::FixedTag<float, 4> d;
  const float* const corners[3] = {leaf.x, leaf.y, leaf.z};
  for (int k = 0; k < 3; ++k) {
    const auto shift = hn::Set(d, frame.offset[k]);
    for (std::size_t c = 0; c < 12; c += 4)
      hn::Store(hn::Add(hn::Load(d, corners[k] + c), shift), d, out.turned[k] + c);
  }
  use_turned(frame, leaf, out);
}

/// Which triangles of two leaves have overlapping boxes and share no vertex: bit 4 i + j for triangle i of a and j of
/// b.
HWY_INLINE unsigned overlapping_unconnected(const NodeFrame& frame, const LeafBoxes& a, const LeafBoxes& b,
                                            const std::uint32_t* vertices_a, const std::uint32_t* vertices_b) {
  const hn::CappedTag<float, 16> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  using V = hn::Vec<decltype(d)>;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  const V slack = hn::Set(d, 2 * frame.leaf_slack);
  unsigned meeting = 0;
  for (std::size_t g = 0; g < 16 / lanes; ++g) {
    const auto indices = hn::SetTableIndices(d, triangle_of_a + g * lanes);
    const auto of_a = [&](const float* p) HWY_ATTR { return hn::TableLookupLanes(hn::LoadDup128(d, p), indices); };
    const auto apart = [&](int k) HWY_ATTR {
      const V shift = hn::Set(d, frame.offset[k]);
      const V low = hn::Sub(hn::Add(hn::LoadDup128(d, b.lower[k]), shift), of_a(a.upper[k]));
      const V high = hn::Sub(of_a(a.lower[k]), hn::Add(hn::LoadDup128(d, b.upper[k]), shift));
      return hn::Max(low, high);
    };
    const V gap = hn::Max(apart(0), hn::Max(apart(1), apart(2)));
    auto out = hn::Gt(gap, slack);
    if (hn::AllTrue(d, out)) continue;
    const auto numbers_of_a = [&](std::size_t c) HWY_ATTR {
      return hn::TableLookupLanes(hn::LoadDup128(du, vertices_a + c),
                                  hn::SetTableIndices(du, triangle_of_a + g * lanes));
    };
    for (std::size_t c = 0; c < 12; c += 4) {
      const auto of = numbers_of_a(c);
      for (std::size_t e = 0; e < 12; e += 4)
        out = hn::Or(out, hn::RebindMask(d, hn::Eq(of, hn::LoadDup128(du, vertices_b + e))));
    }
    meeting |= mask_bits(d, hn::Not(out)) << (g * lanes);
  }
  return meeting;
}

/// For a leaf with itself: triangle i before j.
constexpr unsigned upper_triangle_mask = 0x08ce;
/// For a node with itself: child i before j.
constexpr std::uint64_t half_of_64 = 0x7F3F1F0F07030100;

template <bool Aligned>
class Walk {
 public:
  Walk(const SelfTree& tree, FoundPairs& found)
      : tree_(tree), nodes_(tree.tree.nodes.data()), leaves_(tree.tree.leaves.data()), found_(found) {
    if constexpr (!Aligned) {
      set_floats(mesh::TreePair(), floats_);
      // Node origins are points like any others; their difference is rounded in doubles.
      floats_.error = 0x1p-120f + static_cast<float>(0x1p-50 * tree.tree.coordinate * tree.tree.scale);
    }
  }
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;

  /// Tests one entry and appends the entries that follow from it to `entries`.
  void look(const SelfEntry& entry, std::vector<SelfEntry>& entries) {
    const bool is_same = entry.a == entry.b;
    const OrientedNode &a = nodes_[entry.a], &b = nodes_[entry.b];
    const unsigned children_a = entry.children_a & a.valid, children_b = entry.children_b & b.valid;
    std::uint64_t overlap = boxes_that_overlap(a, b, children_b) & as_columns(children_a) & as_rows(children_b);
    tests_ += static_cast<std::uint64_t>(__builtin_popcount(children_a) * __builtin_popcount(children_b));
    if (is_same) {
      overlap &= half_of_64;
      for (const unsigned i : SetBits(children_a & ~static_cast<unsigned>(a.leaves))) {
        const std::uint32_t child = a.child[i];
        if (tree_.is_smooth.empty() || tree_.is_smooth[child] == 0) entries.push_back({child, child, 0xFF, 0xFF});
      }
    }
    const std::uint64_t leaf_rows = as_rows(b.leaves), leaf_columns = as_columns(a.leaves);
    std::uint64_t pairs = overlap & leaf_rows & leaf_columns;
    if (is_same) pairs |= as_columns(a.leaves) & as_rows(a.leaves) & 0x8040201008040201u;
    if (pairs != 0) look_at_leaves(a, b, pairs, is_same);

    for (const unsigned bit : SetBits(overlap & ~leaf_rows & ~leaf_columns))
      entries.push_back({a.child[bit & 7], b.child[bit >> 3], 0xFF, 0xFF});
    each_mixed(
        overlap & (leaf_rows ^ leaf_columns), a, children_a, b, children_b,
        [&](unsigned j, unsigned leaves) HWY_ATTR {
          entries.push_back({entry.a, b.child[j], static_cast<std::uint8_t>(leaves), 0xFF});
        },
        [&](unsigned i, unsigned leaves) HWY_ATTR {
          entries.push_back({a.child[i], entry.b, 0xFF, static_cast<std::uint8_t>(leaves)});
        });
  }

  void finish() {
    flush();
    found_.cost.volume_tests += tests_;
    found_.cost.primitive_tests += triangle_tests_;
  }

 private:
  /// Sets the frame of the two nodes and returns which of their child boxes overlap, as overlap_boxes() does.
  HWY_INLINE std::uint64_t boxes_that_overlap(const OrientedNode& a, const OrientedNode& b, unsigned children_b) {
    if constexpr (Aligned) {
      set_aligned_frame(a, b, frame_);
      return overlap_aligned(frame_, a, b, children_b);
    } else {
      set_frame(floats_, a, b, frame_);
      intervals_of_b(floats_, frame_, b, intervals_);
      return overlap_boxes(frame_, a, intervals_, children_b);
    }
  }

  /// Tests the pairs of leaves of a and b in `pairs`: bit 8 j + i.
  HWY_NOINLINE void look_at_leaves(const OrientedNode& a, const OrientedNode& b, std::uint64_t pairs, bool is_same) {
    unsigned ready_a = 0, ready_b = 8;
    for (const unsigned bit : SetBits(pairs)) {
      const unsigned i = bit & 7, j = bit >> 3;
      const std::uint32_t leaf_a = a.index(i), leaf_b = b.index(j);
      unsigned wanted = triangle_mask(a.triangles(i), b.triangles(j));
      if (is_same && i == j) wanted &= upper_triangle_mask;
      triangle_tests_ += static_cast<std::uint64_t>(__builtin_popcount(wanted));
      wanted &= overlapping_unconnected(frame_, tree_.boxes[leaf_a], tree_.boxes[leaf_b], tree_.leaves[leaf_a].vertex,
                                        tree_.leaves[leaf_b].vertex);
      if (wanted == 0) continue;
      if (__builtin_popcount(wanted) <= few) {
        for (const unsigned lane : SetBits(wanted))
          add(leaves_[leaf_a], leaves_[leaf_b], lane);
        continue;
      }
      if (ready_b != j) set_shifted_leaf(frame_, leaves_[leaf_b], side_b_);
      ready_b = j;
      if ((ready_a >> i & 1) == 0) set_leaf_a(frame_, leaves_[leaf_a], sides_a_[i]);
      ready_a |= 1u << i;
      for (const unsigned lane : SetBits(crossing_planes(sides_a_[i], side_b_) & wanted))
        add(leaves_[leaf_a], leaves_[leaf_b], lane);
    }
  }

  /// Queues triangle lane / 4 of leaf a and lane % 4 of leaf b for the full triangle test.
  HWY_INLINE void add(const TriangleLeaf& a, const TriangleLeaf& b, unsigned lane) {
    batch_.add(a, lane / 4, b, lane % 4, frame_.leaf_slack, frame_.offset);
    if (batch_.size == TouchBatch::width) flush();
  }

  HWY_NOINLINE void flush() {
    if (batch_.size == 0) return;
    batch_.test();
    for (const unsigned k : SetBits(batch_.touch | batch_.unsure)) {
      const std::uint32_t p = batch_.id_a[k], q = batch_.id_b[k];
      if ((batch_.touch >> k & 1) == 0 && !touches_triangle_triangle(triangle(p), triangle(q))) continue;
      found_.pairs.push_back({std::min(p, q), std::max(p, q)});
    }
    batch_.size = 0;
  }

  Triangle triangle(std::uint32_t number) const {
    const Index3& t = tree_.triangles[number];
    return {tree_.vertices[t[0]], tree_.vertices[t[1]], tree_.vertices[t[2]]};
  }

  /// If two leaves have at most this many candidate pairs, they go directly to the full test, without first testing the
  /// triangles' planes four by four.
  static constexpr int few = 2;

  const SelfTree& tree_;
  const OrientedNode* nodes_;
  const TriangleLeaf* leaves_;
  FoundPairs& found_;
  std::uint64_t tests_ = 0, triangle_tests_ = 0;
  PairFloats floats_;
  NodeFrame frame_;
  Intervals intervals_;
  LeafSide sides_a_[8];
  LeafSide side_b_;
  TouchBatch batch_;
};

/// Calls look(walk) with a walk for the tree's kind of frames.
template <class Look>
HWY_INLINE void with_walk(const SelfTree& tree, FoundPairs& found, const Look& look) {
  const auto run = [&](auto&& walk) HWY_ATTR {
    look(walk);
    walk.finish();
  };
  tree.tree.is_aligned ? run(Walk<true>(tree, found)) : run(Walk<false>(tree, found));
}

void walk_all(const SelfTree& tree, std::vector<SelfEntry>& entries, FoundPairs& found) {
  with_walk(tree, found, [&](auto& walk) HWY_ATTR {
    while (!entries.empty() && !found.is_full()) {
      const SelfEntry entry = entries.back();
      entries.pop_back();
      walk.look(entry, entries);
    }
  });
}
void walk_until(const SelfTree& tree, std::vector<SelfEntry>& entries, std::size_t count, FoundPairs& found) {
  std::size_t first = 0;
  with_walk(tree, found, [&](auto& walk) HWY_ATTR {
    while (first < entries.size() && entries.size() - first < count && !found.is_full())
      walk.look(SelfEntry(entries[first++]), entries);
  });
  entries.erase(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(first));
}

}  // namespace whisker::deform::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whisker::deform {

HWY_EXPORT(fit_leaf_boxes);
HWY_EXPORT(walk_all);
HWY_EXPORT(walk_until);

void set_leaf_boxes(const trees::OrientedTree& tree, std::vector<LeafBoxes>& boxes) {
  boxes.resize(tree.leaves.size());
  HWY_DYNAMIC_DISPATCH(fit_leaf_boxes)(tree.leaves.data(), boxes.size(), boxes.data());
}

void look_at_all(const SelfTree& tree, std::vector<SelfEntry>& entries, FoundPairs& found) {
  HWY_DYNAMIC_DISPATCH(walk_all)(tree, entries, found);
}

void expand_until(const SelfTree& tree, std::vector<SelfEntry>& entries, std::size_t count, FoundPairs& found) {
  HWY_DYNAMIC_DISPATCH(walk_until)(tree, entries, count, found);
}

}  // namespace whisker::deform
#endif
