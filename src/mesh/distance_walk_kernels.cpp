// The traversal of two trees for their distance, compiled once per instruction set.

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "mesh/distance_walk.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mesh/distance_walk_kernels.cpp"
#include <hwy/foreach_target.h>
// Must come after foreach_target.h:
#include <hwy/highway.h>

#include "mesh/node_pair-inl.hpp"
#include "mesh/triangle_distance-inl.hpp"

#ifndef WHISKER_DISTANCE_WALK_ONCE
#define WHISKER_DISTANCE_WALK_ONCE
namespace whisker::mesh {

/// Two nodes still to be visited, and which of their children to test.
struct DistanceEntry {
  std::uint32_t a;
  std::uint32_t b;
  std::uint8_t mask_a;
  std::uint8_t mask_b;
  float bound;         // lower bound of the squared distance
  std::uint32_t next;  // next entry in the same bucket
};

/// Entries ordered by their bounds: 64 buckets, each a stack. The entries of a bucket are nearer than those of the next
/// one. Within a bucket the last entry in is the first out, which keeps the traversal going down. A heap orders entries
/// better, but costs more than the better order saves.
class BucketQueue {
 public:
  static constexpr std::uint32_t none = 0xFFFFFFFF;

  void clear(float reach) {
    pool_.clear();
    free_ = none;
    used_ = 0;
    set_reach(reach);
  }
  bool empty() const { return used_ == 0; }
  float reach() const { return reach_; }
  void push(const DistanceEntry& entry) {
    std::uint32_t index = free_;
    if (index != none) {
      free_ = pool_[index].next;
      pool_[index] = entry;
    } else {
      index = static_cast<std::uint32_t>(pool_.size());
      pool_.push_back(entry);
    }
    link(index);
  }
  DistanceEntry pop() {
    const int bucket = std::countr_zero(used_);
    const std::uint32_t index = head_[bucket];
    const DistanceEntry entry = pool_[index];
    head_[bucket] = entry.next;
    if (entry.next == none) used_ &= used_ - 1;
    pool_[index].next = free_;
    free_ = index;
    return entry;
  }
  /// Redistributes the entries over buckets for distances up to `reach`.
  void spread(float reach) {
    std::uint32_t all = none;
    while (used_ != 0) {
      const int bucket = std::countr_zero(used_);
      std::uint32_t index = head_[bucket];
      while (index != none) {
        const std::uint32_t next = pool_[index].next;
        pool_[index].next = all;
        all = index;
        index = next;
      }
      used_ &= used_ - 1;
    }
    set_reach(reach);
    // Restores last in, first out: `all` lists the entries in the reverse of the order in which they would have come
    // out.
    while (all != none) {
      const std::uint32_t next = pool_[all].next;
      link(all);
      all = next;
    }
  }
  /// The least bound of all entries; infinite if there are none.
  float least() const {
    float least = std::numeric_limits<float>::infinity();
    if (used_ == 0) return least;
    for (std::uint32_t index = head_[std::countr_zero(used_)]; index != none; index = pool_[index].next)
      least = std::min(least, pool_[index].bound);
    return least;
  }

 private:
  void set_reach(float reach) {
    reach_ = reach;
    factor_ = reach > 0 ? 64 / reach : 0;
  }
  void link(std::uint32_t index) {
    const float place = std::sqrt(pool_[index].bound) * factor_;
    const int bucket = place < 63 ? static_cast<int>(place) : 63;
    pool_[index].next = (used_ >> bucket & 1) != 0 ? head_[bucket] : none;
    head_[bucket] = index;
    used_ |= std::uint64_t{1} << bucket;
  }

  std::vector<DistanceEntry> pool_;
  std::uint32_t head_[64];
  std::uint32_t free_ = none;
  std::uint64_t used_ = 0;
  float reach_ = 0;
  float factor_ = 0;
};

inline BucketQueue& distance_queue() {
  thread_local BucketQueue queue;
  return queue;
}

}  // namespace whisker::mesh
#endif

HWY_BEFORE_NAMESPACE();
namespace whisker::mesh::HWY_NAMESPACE {

struct DistanceSearch {
  const TreePair& pair;
  const DistanceGoal& goal;
  Cost& cost;
  std::vector<CloseTriangles>& close;
  PairFloats floats;
  float best;            // squared; some pair is no farther apart than this, or it is goal.upper
  float prune;           // squared; pairs that are not nearer than this are skipped
  bool found = false;    // a pair nearer than goal.upper was found
  bool crowded = false;  // more pairs may be the closest than can be kept
  CloseTriangles nearest{};
  std::size_t tidy_at = 64;
  Direction direction{};  // between the closest points so far
  TriangleBatch batch{};

  /// Squares below this may underflow to 0 in floats, and no bound is less than 0.
  static constexpr float min_square = 0x1p-120f;
  static constexpr std::size_t max_kept = std::size_t{1} << 16;

  void set_best(float value) {
    best = HWY_MAX(value, min_square);
    prune = crowded ? best * (1 - 0x1p-8f) : best;
    if (found && goal.tolerance > 0) {
      const float length = std::sqrt(best) - static_cast<float>(goal.tolerance) * (1 - 0x1p-20f);
      prune = length > 0 ? HWY_MIN(prune, length * length * (1 - 0x1p-20f)) : 0;
    }
  }

  /// Drops the pairs that can no longer be the closest.
  void tidy() {
    const auto forget = [&] {
      close.erase(std::remove_if(close.begin(), close.end(), [&](const CloseTriangles& c) { return c.lower >= prune; }),
                  close.end());
    };
    forget();
    if (close.size() >= max_kept && !crowded) {
      crowded = true;
      set_best(best);
      forget();
    }
    tidy_at = HWY_MAX(std::size_t{64}, 2 * close.size());
  }

  /// Measures the triangles waiting in the batch and keeps the pairs that may be the closest.
  void measure() {
    if (batch.size == 0) return;
    batch.measure();
    cost.primitive_tests += batch.size;
    for (std::size_t i = 0; i < batch.size; ++i) {
      if (batch.upper[i] < best) {
        found = true;
        nearest = {batch.id_a[i], batch.id_b[i], batch.lower[i]};
        set_best(batch.upper[i]);
        for (int k = 0; k < 3; ++k)
          direction.v[k] = batch.normal[k][i];
        direction.v[3] = 0;
      }
    }
    for (std::size_t i = 0; i < batch.size; ++i) {
      if (batch.lower[i] < prune) close.push_back({batch.id_a[i], batch.id_b[i], batch.lower[i]});
    }
    batch.size = 0;
    if (close.size() >= tidy_at) tidy();
  }

  /// Two leaves: adds the pairs of triangles that no direction separates far enough to the batch of pairs to measure.
  HWY_INLINE void add_leaves(const NodeFrame& frame, const LeafSide& a, const LeafSide& b, unsigned wanted) {
    for (const unsigned lane : SetBits(near_triangles(a, b, direction, frame.leaf_slack, prune, wanted))) {
      batch.add(a, lane / 4, b, lane % 4, frame.leaf_slack);
      if (batch.size == TriangleBatch::width) measure();
    }
  }

  DistanceWalk run() {
    BucketQueue& queue = distance_queue();
    const OrientedNode* const nodes_a = pair.a.tree->nodes.data();
    const OrientedNode* const nodes_b = pair.b.tree->nodes.data();
    const TriangleLeaf* const leaves_a = pair.a.tree->leaves.data();
    const TriangleLeaf* const leaves_b = pair.b.tree->leaves.data();
    constexpr float infinite = std::numeric_limits<float>::infinity();
    set_floats(pair, floats);
    for (std::size_t k = 0; k < 3; ++k)
      direction.v[k] = static_cast<float>(goal.direction[k]);
    direction.v[3] = 0;
    NodeFrame frame;
    Intervals intervals;
    LeafSide sides_a[8];
    LeafSide side_b;
    HWY_ALIGN float bounds[64];
    set_frame(floats, nodes_a[0], nodes_b[0], frame);
    // No two points of the meshes are farther apart than this, since all points lie in the root boxes.
    float far = 6 * (nodes_a[0].radius + floats.ratio * nodes_b[0].radius);
    for (int k = 0; k < 3; ++k)
      far += std::abs(frame.offset[k]);
    far *= 2;  // so that the first measured pair is nearer despite rounding
    const double upper = goal.upper * (1 + 0x1p-20);
    set_best(upper < static_cast<double>(far) ? static_cast<float>(upper) * static_cast<float>(upper) * (1 + 0x1p-20f)
                                              : far * far);
    queue.clear(std::sqrt(best));
    queue.push({0, 0, 0xFF, 0xFF, 0, BucketQueue::none});
    Stop stop = Stop::exact;
    const std::uint64_t begin = cost.volume_tests + cost.primitive_tests;
    const float enough = goal.enough >= 0 ? static_cast<float>(goal.enough * goal.enough * (1 - 0x1p-20)) : -1;
    while (!queue.empty()) {
      if (found && best <= enough) {
        stop = Stop::tolerance;
        break;
      }
      if (cost.volume_tests + cost.primitive_tests - begin >= goal.budget) {
        stop = Stop::budget;
        break;
      }
      const DistanceEntry entry = queue.pop();
      if (entry.bound >= prune) continue;
      const OrientedNode& a = nodes_a[entry.a];
      const OrientedNode& b = nodes_b[entry.b];
      const unsigned mask_a = entry.mask_a & a.valid;
      const unsigned mask_b = entry.mask_b & b.valid;
      set_frame(floats, a, b, frame);
      intervals_of_b(floats, frame, b, intervals);
      const std::uint64_t near =
          near_boxes(floats, frame, a, b, intervals, direction, mask_b, prune, bounds) & as_columns(mask_a);
      cost.volume_tests += static_cast<std::uint64_t>(__builtin_popcount(mask_a) * __builtin_popcount(mask_b));
      cost.volume_updates += static_cast<std::uint64_t>(__builtin_popcount(mask_b));
      if (near == 0) continue;

      const std::uint64_t leaf_rows = as_rows(b.leaves), leaf_columns = as_columns(a.leaves);
      unsigned ready_a = 0;
      unsigned ready_b = 8;
      for (const unsigned bit : SetBits(near & leaf_rows & leaf_columns)) {
        const unsigned i = bit & 7, j = bit >> 3;
        if (bounds[bit] >= prune) continue;
        const TriangleLeaf& leaf_a = leaves_a[a.index(i)];
        const TriangleLeaf& leaf_b = leaves_b[b.index(j)];
        if (ready_b != j) set_leaf_b(floats, frame, leaf_b, side_b);
        ready_b = j;
        if ((ready_a >> i & 1) == 0) set_leaf_a(frame, leaf_a, sides_a[i]);
        ready_a |= 1u << i;
        add_leaves(frame, sides_a[i], side_b, triangle_mask(a.triangles(i), b.triangles(j)));
      }
      if (batch.size >= TriangleBatch::width / 2) measure();

      const auto push = [&](std::uint32_t child_a, std::uint32_t child_b, unsigned m_a, unsigned m_b, float bound) {
        queue.push({child_a, child_b, static_cast<std::uint8_t>(m_a), static_cast<std::uint8_t>(m_b), bound,
                    BucketQueue::none});
      };
      // The pair with the nearest centers is pushed last, so that it comes out first among equals.
      std::uint64_t inner = near & ~leaf_rows & ~leaf_columns;
      if (inner != 0) {
        float first_key = infinite;
        unsigned first = 0;
        for (const unsigned bit : SetBits(inner)) {
          const float key = center_distance(a, bit & 7, intervals, bit >> 3);
          if (key < first_key) {
            first_key = key;
            first = bit;
          }
        }
        for (const unsigned bit : SetBits(inner & ~(std::uint64_t{1} << first)))
          push(a.child[bit & 7], b.child[bit >> 3], 0xFF, 0xFF, bounds[bit]);
        push(a.child[first & 7], b.child[first >> 3], 0xFF, 0xFF, bounds[first]);
      }
      const auto least_bound = [&](unsigned first, unsigned step, unsigned leaves) HWY_ATTR {
        float bound = infinite;
        for (const unsigned k : SetBits(leaves))
          bound = HWY_MIN(bound, bounds[first + step * k]);
        return bound;
      };
      each_mixed(
          near & (leaf_rows ^ leaf_columns), a, mask_a, b, mask_b,
          [&](unsigned j, unsigned leaves)
              HWY_ATTR { push(entry.a, b.child[j], leaves, 0xFF, least_bound(8 * j, 1, leaves)); },
          [&](unsigned i, unsigned leaves)
              HWY_ATTR { push(a.child[i], entry.b, 0xFF, leaves, least_bound(i, 8, leaves)); });
      // Once the best distance is far below the range of the buckets, the buckets are too wide to order anything.
      if (best < queue.reach() * queue.reach() * 0.0625f) queue.spread(std::sqrt(best));
    }
    measure();
    // No pair that was skipped is nearer than the current `prune`.
    if (stop == Stop::exact && prune < best) stop = crowded ? Stop::limit : Stop::tolerance;
    return {.lower = std::sqrt(static_cast<double>(HWY_MIN(prune, queue.least()))) * (1 - 0x1p-50),
            .upper = std::sqrt(static_cast<double>(best)),
            .found = found,
            .nearest = nearest,
            .stop = stop};
  }
};

DistanceWalk find_closest_target(const TreePair& pair, const DistanceGoal& goal, Cost& cost,
                                 std::vector<CloseTriangles>& close) {
  return DistanceSearch{pair, goal, cost, close, {}, 0, 0}.run();
}

}  // namespace whisker::mesh::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whisker::mesh {

HWY_EXPORT(find_closest_target);

DistanceWalk find_closest(const TreePair& pair, const DistanceGoal& goal, Cost& cost,
                          std::vector<CloseTriangles>& close) {
  return HWY_DYNAMIC_DISPATCH(find_closest_target)(pair, goal, cost, close);
}

}  // namespace whisker::mesh
#endif
