// The traversal of a tree along a ray, compiled once per instruction set.

#include <bit>
#include <cmath>

#include "geometry/ordered_sums.hpp"
#include "mesh/ray_walk.hpp"
#include "trees/topology.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mesh/ray_walk_kernels.cpp"
#include <hwy/foreach_target.h>
// Must come after foreach_target.h:
#include <hwy/highway.h>

#include "geometry/constants.hpp"
#include "simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::mesh::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace simd::HWY_NAMESPACE;

using trees::OrientedNode;
using trees::TriangleLeaf;

// No multiply-add anywhere in the kernels, so that every instruction set rounds the same way.

/// Smaller steps along an axis are replaced by this one: over any length that matters, this moves the line by less than
/// rounding does.
constexpr double smallest_step = 0x1p-60;

/// Computes where the line enters the children's boxes. Returns which of them it passes within its range up to `upper`.
HWY_INLINE unsigned enter_children(const RayQuery& query, double upper, const OrientedNode& node,
                                   double* HWY_RESTRICT enter) {
  const hn::CappedTag<double, 8> d;
  const hn::Rebind<float, decltype(d)> df;
  using V = hn::Vec<decltype(d)>;
  const double away[3] = {query.origin[0] - node.origin[0], query.origin[1] - node.origin[1],
                          query.origin[2] - node.origin[2]};
  // Along the node's three axes at once; a fourth that is zero fills the lanes.
  alignas(32) double start[4], inverse[4], size[4];
  const hn::CappedTag<double, 4> axes;
  const hn::Rebind<float, decltype(axes)> axes_f;
  for (std::size_t i = 0; i < 4; i += hn::Lanes(axes)) {
    const auto along = [&](const double* v) HWY_ATTR {
      const auto term = [&](std::size_t j) HWY_ATTR {
        return hn::Mul(hn::PromoteTo(axes, hn::LoadU(axes_f, node.axes[j] + i)), hn::Set(axes, v[j]));
      };
      return hn::Add(hn::Add(term(0), term(1)), term(2));
    };
    const auto step = along(query.direction), least = hn::Set(axes, smallest_step);
    const auto inverse_step = hn::Div(hn::Set(axes, 1.0), hn::IfThenElse(hn::Lt(hn::Abs(step), least), least, step));
    hn::Store(along(away), axes, start + i);
    hn::Store(inverse_step, axes, inverse + i);
    hn::Store(hn::Abs(inverse_step), axes, size + i);
  }
  const V error = hn::Set(d, query.error);
  unsigned passes = 0;
  for (std::size_t h = 0; h < 8; h += hn::Lanes(d)) {
    V first = hn::Set(d, query.lower), last = hn::Set(d, upper);
    for (int i = 0; i < 3; ++i) {
      const V center = hn::PromoteTo(d, hn::LoadU(df, node.center[i] + h));
      const V half = hn::Add(hn::PromoteTo(d, hn::LoadU(df, node.half[i] + h)), error);
      const V middle = hn::Mul(hn::Sub(center, hn::Set(d, start[i])), hn::Set(d, inverse[i]));
      const V reach = hn::Mul(half, hn::Set(d, size[i]));
      first = hn::Max(first, hn::Sub(middle, reach));
      last = hn::Min(last, hn::Add(middle, reach));
    }
    hn::Store(first, d, enter + h);
    passes |= mask_bits(d, hn::Le(first, last)) << h;
  }
  return passes & node.valid;
}

/// Which of the eight children come after child i. Among equals, those with a larger number do.
HWY_INLINE unsigned later(const double* HWY_RESTRICT enter, unsigned i) {
  const hn::CappedTag<double, 8> d;
  const auto here = hn::Set(d, enter[i]);
  unsigned larger = 0;
  unsigned equal = 0;
  for (std::size_t h = 0; h < 8; h += hn::Lanes(d)) {
    const auto other = hn::Load(d, enter + h);
    larger |= mask_bits(d, hn::Gt(other, here)) << h;
    equal |= mask_bits(d, hn::Eq(other, here)) << h;
  }
  return larger | (equal & ~((2u << i) - 1));
}

/// Which of a leaf's four triangles the line may hit. In the projection along the line, the line is a point. It misses
/// a triangle if it is on different sides of two of the triangle's edges.
HWY_INLINE unsigned passes_triangles(const RayQuery& query, const OrientedNode& node, const TriangleLeaf& leaf) {
  const hn::CappedTag<double, 4> d;
  using V = hn::Vec<decltype(d)>;
  double away[3] = {query.origin[0] - node.origin[0], query.origin[1] - node.origin[1],
                    query.origin[2] - node.origin[2]};
  // Measured from the point of the line that is nearest to the node's origin, all numbers are of the node's size.
  const double back = geometry::dot(away, query.direction);
  for (int i = 0; i < 3; ++i)
    away[i] -= back * query.direction[i];
  const V from_x = hn::Set(d, geometry::dot(query.across[0], away)),
          from_y = hn::Set(d, geometry::dot(query.across[1], away));
  const V slack =
      hn::Set(d, query.error + trees::corner_slack * static_cast<double>(node.radius) + trees::smallest_slack);
  unsigned passes = 0;
  for (std::size_t h = 0; h < 4; h += hn::Lanes(d)) {
    V x[3], y[3];
    V largest = hn::Zero(d);
    for (std::size_t c = 0; c < 3; ++c) {
      const Lanes3<V> p = promote3(d, leaf.x + 4 * c + h, leaf.y + 4 * c + h, leaf.z + 4 * c + h);
      x[c] = hn::Sub(dot(set3(d, query.across[0]), p), from_x);
      y[c] = hn::Sub(dot(set3(d, query.across[1]), p), from_y);
      largest = hn::Max(largest, hn::Max(hn::Abs(x[c]), hn::Abs(y[c])));
    }
    const auto side = [&](std::size_t i, std::size_t j)
                          HWY_ATTR { return hn::Sub(hn::Mul(x[i], y[j]), hn::Mul(x[j], y[i])); };
    const V s0 = side(0, 1), s1 = side(1, 2), s2 = side(2, 0);
    // Each of the four factors is off by the slack, which is larger than the products' own rounding error.
    const V bound = hn::Mul(slack, hn::Add(hn::Mul(hn::Set(d, 5.0), largest), hn::Mul(hn::Set(d, 4.0), slack)));
    const V low = hn::Min(s0, hn::Min(s1, s2)), high = hn::Max(s0, hn::Max(s1, s2));
    const auto misses = hn::And(hn::Lt(low, hn::Neg(bound)), hn::Gt(high, bound));
    passes |= mask_bits(d, hn::Not(misses)) << h;
  }
  return passes;
}

/// A line on its way through the tree.
struct Line {
  const RayQuery* query;
  double upper;
  std::size_t number;  ///< of the query, where there are several
  std::size_t size;
  WaitingChild stack[trees::Topology::max_waiting];

  void begin(const RayQuery& from, std::size_t at) {
    query = &from;
    upper = from.upper;
    number = at;
    size = 1;
    stack[0] = {from.lower, 0, 0};
  }
};

struct Counts {
  std::uint64_t volumes = 0, triangles = 0;

  void add_to(Cost& cost) const {
    cost.volume_tests += volumes;
    cost.primitive_tests += triangles;
  }
};

/// Visits the node or leaf that the line enters next.
template <class Visit>
HWY_INLINE void step(Line& line, Counts& counts, const Visit& visit) {
  const RayQuery& query = *line.query;
  const WaitingChild entry = line.stack[--line.size];
  if (entry.key > line.upper) return;
  const OrientedNode* const nodes = query.tree->nodes.data();
  if ((entry.child & OrientedNode::leaf_bit) != 0) {
    const TriangleLeaf& leaf = query.tree->leaves[entry.child & OrientedNode::index_mask];
    const unsigned count = (entry.child >> OrientedNode::count_shift & 3u) + 1;
    counts.triangles += count;
    for (const unsigned i : simd::SetBits(passes_triangles(query, nodes[entry.above], leaf) & ((1u << count) - 1))) {
      line.upper = visit(leaf.id[i]);
      if (line.upper == -infinity) {
        line.size = 0;
        return;
      }
    }
    return;
  }
  const OrientedNode& node = nodes[entry.child];
  counts.volumes += static_cast<std::uint64_t>(__builtin_popcount(node.valid));
  HWY_ALIGN double enter[8];
  const unsigned wanted = enter_children(query, line.upper, node, enter);
  if ((wanted & (wanted - 1)) == 0) {
    // None or one, of which no order has to be found.
    if (wanted != 0) {
      const auto i = static_cast<unsigned>(std::countr_zero(wanted));
      line.stack[line.size++] = {enter[i], entry.child, node.child[i]};
    }
    return;
  }
  // The first child goes on top: each child is placed above those that come later.
  for (const unsigned i : simd::SetBits(wanted)) {
    const unsigned below = later(enter, i) & wanted;
    line.stack[line.size + static_cast<std::size_t>(__builtin_popcount(below))] = {enter[i], entry.child,
                                                                                   node.child[i]};
  }
  line.size += static_cast<std::size_t>(__builtin_popcount(wanted));
}

void walk_target(const RayQuery& query, Cost& cost, const RayVisit& visit) {
  Line line;
  line.begin(query, 0);
  Counts counts;
  while (line.size > 0)
    step(line, counts, visit);
  counts.add_to(cost);
}

/// How many lines are under way at once. A step takes what the previous one of the same line has found, so it cannot
/// begin earlier; those of other lines can.
constexpr std::size_t lines_at_once = 6;

void walk_targets(std::span<const RayQuery> queries, Cost& cost, const RaysVisit& visit) {
  Line lines[lines_at_once];
  Line* under_way[lines_at_once];
  std::size_t count = 0, next = 0;
  for (; count < lines_at_once && next < queries.size(); ++count, ++next) {
    under_way[count] = &lines[count];
    lines[count].begin(queries[next], next);
  }
  Counts counts;
  while (count > 0) {
    for (std::size_t i = 0; i < count;) {
      Line& line = *under_way[i];
      step(line, counts, [&](std::uint32_t triangle) HWY_ATTR { return visit(line.number, triangle); });
      if (line.size > 0) {
        ++i;
      } else if (next < queries.size()) {
        line.begin(queries[next], next);
        ++next;
        ++i;
      } else {
        under_way[i] = under_way[--count];
      }
    }
  }
  counts.add_to(cost);
}

}  // namespace whisker::mesh::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whisker::mesh {

HWY_EXPORT(walk_target);

HWY_EXPORT(walk_targets);

void walk_ray(const RayQuery& query, Cost& cost, const RayVisit& visit) {
  HWY_DYNAMIC_DISPATCH(walk_target)(query, cost, visit);
}

void walk_rays(std::span<const RayQuery> queries, Cost& cost, const RaysVisit& visit) {
  HWY_DYNAMIC_DISPATCH(walk_targets)(queries, cost, visit);
}

}  // namespace whisker::mesh
#endif
