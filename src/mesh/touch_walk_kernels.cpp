// The traversal of two trees for triangles that touch or are near each other, compiled once per instruction set.

#include <type_traits>

#include "mesh/touch_walk.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mesh/touch_walk_kernels.cpp"
#include <hwy/foreach_target.h>
// Must come after foreach_target.h:
#include <hwy/highway.h>

#include "mesh/node_pair-inl.hpp"
#include "mesh/triangle_distance-inl.hpp"
#include "mesh/triangle_touch-inl.hpp"

#ifndef WHISKER_TOUCH_WALK_ONCE
#define WHISKER_TOUCH_WALK_ONCE
namespace whisker::mesh {

/// Two nodes still to be visited, and which of their children to test.
struct WalkEntry {
  std::uint32_t a;
  std::uint32_t b;
  std::uint8_t mask_a;
  std::uint8_t mask_b;
  float key;  // squared distance of centers
};

/// The memory that a traversal needs, reused between queries.
inline std::vector<WalkEntry>& walk_stack() {
  thread_local std::vector<WalkEntry> stack(4096);
  return stack;
}

}  // namespace whisker::mesh
#endif

HWY_BEFORE_NAMESPACE();
namespace whisker::mesh::HWY_NAMESPACE {

/// Triangles that may be within a margin of each other. Floats never prove that they are.
struct NearBatch : TriangleBatch {
  float margin;         // in a's unit, up to max_margin
  float square;         // of the margin
  unsigned touch = 0;   // stays 0
  unsigned unsure = 0;  // not proven to be farther apart

  void set_margin(double length) {
    // A direction has unit length up to 2^-20 or so. Squares below 2^-120 may underflow to 0.
    margin = static_cast<float>(length * (1 + 0x1p-16));
    square = HWY_MAX(margin * margin * (1 + 0x1p-20f), 0x1p-120f);
  }
  void test() {
    measure();
    unsure = 0;
    for (std::size_t i = 0; i < size; ++i)
      unsure |= static_cast<unsigned>(lower[i] < square) << i;
  }
  /// Moves the bounds of a leaf's planes so that only corners beyond the margin count as separated.
  ///
  /// The bound is at least 16 S m (m + 4 D), see set_planes(), and the normals are off by less than 16 S m.
  HWY_INLINE void widen(const NodeFrame& frame, LeafSide& leaf) const {
    const hn::CappedTag<float, 4> d;
    using V = hn::Vec<decltype(d)>;
    const Lanes3<V> n = load3(d, leaf.normal);
    const V largest = hn::Max(largest_size(n), hn::Set(d, min_volume));
    const Lanes3<V> unit = n * hn::Div(hn::Set(d, 1.0f), largest);
    const V bound = hn::Load(d, leaf.bound);
    const V length = hn::MulAdd(largest, hn::Sqrt(fused_dot(unit, unit)), hn::Div(bound, hn::Set(d, 4 * frame.reach)));
    hn::Store(hn::MulAdd(length, hn::Set(d, margin * (1 + 0x1p-16f)), bound), d, leaf.bound);
  }
};

/// The working data of a visit of two nodes, in one struct so that all parts are addressed from one register.
template <class Batch>
struct Workspace {
  PairFloats floats;
  NodeFrame frame;
  Intervals intervals;
  LeafSide sides_a[8];
  LeafSide side_b;
  Batch batch;
};

/// Traverses both trees. Calls `pairs(batch)` for triangles that touch or may touch; with a NearBatch, for those that
/// may be within its margin. `pairs` returns true to end the traversal.
template <bool Nearest, class Batch, class Pairs>
HWY_INLINE bool walk(const TreePair& pair, Workspace<Batch>* HWY_RESTRICT work, Cost& cost, Pairs&& pairs) {
  constexpr bool has_margin = std::is_same_v<Batch, NearBatch>;
  set_floats(pair, work->floats);
  work->batch.size = 0;
  std::vector<WalkEntry>& stack = walk_stack();
  std::size_t size = 0;
  stack[size++] = {0, 0, 0xFF, 0xFF, 0};
  std::uint64_t tests = 0;
  std::uint64_t triangle_tests = 0;
  std::uint64_t updates = 0;
  const OrientedNode* const nodes_a = pair.a.tree->nodes.data();
  const OrientedNode* const nodes_b = pair.b.tree->nodes.data();
  const TriangleLeaf* const leaves_a = pair.a.tree->leaves.data();
  const TriangleLeaf* const leaves_b = pair.b.tree->leaves.data();
  const auto flush = [&]() HWY_ATTR {
    work->batch.test();
    const bool end = (work->batch.touch | work->batch.unsure) != 0 && pairs(work->batch);
    work->batch.size = 0;
    return end;
  };
  const auto finish = [&](bool ended) {
    cost.volume_tests += tests;
    cost.primitive_tests += triangle_tests;
    cost.volume_updates += updates;
    return ended;
  };
  while (size > 0) {
    const WalkEntry entry = stack[--size];
    const OrientedNode& a = nodes_a[entry.a];
    const OrientedNode& b = nodes_b[entry.b];
    const unsigned mask_a = entry.mask_a & a.valid;
    const unsigned mask_b = entry.mask_b & b.valid;
    set_frame(work->floats, a, b, work->frame);
    if constexpr (has_margin) work->frame.slack += work->batch.margin;
    intervals_of_b(work->floats, work->frame, b, work->intervals);
    const std::uint64_t overlap =
        overlap_boxes(work->frame, a, work->intervals, mask_b) & as_columns(mask_a) & as_rows(mask_b);
    tests += static_cast<std::uint64_t>(__builtin_popcount(mask_a) * __builtin_popcount(mask_b));
    updates += static_cast<std::uint64_t>(__builtin_popcount(mask_b));
    if (overlap == 0) continue;

    const std::uint64_t leaf_rows = as_rows(b.leaves), leaf_columns = as_columns(a.leaves);
    if (const std::uint64_t leaves = overlap & leaf_rows & leaf_columns; leaves != 0) {
      unsigned ready_a = 0;
      unsigned ready_b = 8;
      for (const unsigned bit : SetBits(leaves)) {
        const unsigned i = bit & 7, j = bit >> 3;
        const TriangleLeaf& leaf_a = leaves_a[a.index(i)];
        const TriangleLeaf& leaf_b = leaves_b[b.index(j)];
        if (ready_b != j) {
          set_leaf_b(work->floats, work->frame, leaf_b, work->side_b);
          if constexpr (has_margin) work->batch.widen(work->frame, work->side_b);
        }
        ready_b = j;
        if ((ready_a >> i & 1) == 0) {
          set_leaf_a(work->frame, leaf_a, work->sides_a[i]);
          if constexpr (has_margin) work->batch.widen(work->frame, work->sides_a[i]);
        }
        ready_a |= 1u << i;
        const unsigned wanted = triangle_mask(a.triangles(i), b.triangles(j));
        triangle_tests += static_cast<std::uint64_t>(__builtin_popcount(wanted));
        const LeafSide& side_a = work->sides_a[i];
        for (const unsigned lane : SetBits(crossing_planes(side_a, work->side_b) & wanted)) {
          work->batch.add(side_a, lane / 4, work->side_b, lane % 4, work->frame.leaf_slack);
          if (work->batch.size == Batch::width && flush()) return finish(true);
        }
      }
      // If a single pair is wanted, it is tested at once.
      if (Nearest && work->batch.size != 0 && flush()) return finish(true);
    }

    if (stack.size() < size + 64) stack.resize(2 * stack.size() + 64);
    WalkEntry* const base = stack.data() + size;
    WalkEntry* top = base;
    const auto key = [&](unsigned i, unsigned j)
                         HWY_ATTR { return Nearest ? center_distance(a, i, work->intervals, j) : 0.0f; };
    for (const unsigned bit : SetBits(overlap & ~leaf_rows & ~leaf_columns)) {
      const unsigned i = bit & 7, j = bit >> 3;
      *top++ = {a.child[i], b.child[j], 0xFF, 0xFF, key(i, j)};
    }
    each_mixed(
        overlap & (leaf_rows ^ leaf_columns), a, mask_a, b, mask_b,
        [&](unsigned j, unsigned leaves) HWY_ATTR {
          *top++ = {entry.a, b.child[j], static_cast<std::uint8_t>(leaves), 0xFF, key(*SetBits(leaves), j)};
        },
        [&](unsigned i, unsigned leaves) HWY_ATTR {
          *top++ = {a.child[i], entry.b, 0xFF, static_cast<std::uint8_t>(leaves), key(i, *SetBits(leaves))};
        });
    if (Nearest && top - base > 1) {
      WalkEntry* nearest = base;
      for (WalkEntry* i = base + 1; i < top; ++i)
        nearest = i->key < nearest->key ? i : nearest;
      std::swap(*nearest, top[-1]);
    }
    size += static_cast<std::size_t>(top - base);
  }
  return finish(work->batch.size != 0 && flush());
}

template <class Batch>
Workspace<Batch>& workspace() {
  thread_local Workspace<Batch> work;
  return work;
}

bool find_touching_target(const TreePair& pair, Cost& cost, TrianglePair& found) {
  return walk<true>(pair, &workspace<TouchBatch>(), cost, [&](const TouchBatch& batch) {
    for (unsigned rest = batch.touch | batch.unsure; rest != 0; rest &= rest - 1) {
      const int k = __builtin_ctz(batch.touch != 0 ? batch.touch : rest);
      found = {batch.id_a[k], batch.id_b[k]};
      if (batch.touch != 0 || triangles_touch(pair, found.a, found.b)) return true;
    }
    return false;
  });
}

bool find_all_touching_target(const TreePair& pair, std::size_t limit, Cost& cost, std::vector<TrianglePair>& found) {
  std::size_t left = limit;
  return !walk<false>(pair, &workspace<TouchBatch>(), cost, [&](const TouchBatch& batch) {
    for (const unsigned k : SetBits(batch.touch | batch.unsure)) {
      const TrianglePair ids = {batch.id_a[k], batch.id_b[k]};
      if ((batch.touch >> k & 1) == 0 && !triangles_touch(pair, ids.a, ids.b)) continue;
      if (left == 0) return true;
      --left;
      found.push_back(ids);
    }
    return false;
  });
}

bool any_near_target(const TreePair& pair, double margin, Cost& cost, const NearPairVisit& visit) {
  Workspace<NearBatch>& work = workspace<NearBatch>();
  work.batch.set_margin(margin);
  return walk<false>(pair, &work, cost, [&](const NearBatch& batch) {
    for (const unsigned k : SetBits(batch.unsure))
      if (visit(TrianglePair{batch.id_a[k], batch.id_b[k]})) return true;
    return false;
  });
}

}  // namespace whisker::mesh::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whisker::mesh {

HWY_EXPORT(find_touching_target);
HWY_EXPORT(find_all_touching_target);
HWY_EXPORT(any_near_target);

bool find_touching(const TreePair& pair, Cost& cost, TrianglePair& found) {
  return HWY_DYNAMIC_DISPATCH(find_touching_target)(pair, cost, found);
}

bool find_all_touching(const TreePair& pair, std::size_t limit, Cost& cost, std::vector<TrianglePair>& found) {
  return HWY_DYNAMIC_DISPATCH(find_all_touching_target)(pair, limit, cost, found);
}

bool any_near(const TreePair& pair, double margin, Cost& cost, const NearPairVisit& visit) {
  return HWY_DYNAMIC_DISPATCH(any_near_target)(pair, margin, cost, visit);
}

}  // namespace whisker::mesh
#endif
