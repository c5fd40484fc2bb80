#pragma once

// Traverses the pairs of parts of a compound and another shape whose boxes are near, nearest first.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <new>
#include <type_traits>

#include <whisker/queries.hpp>

#include "convex/simple_shape.hpp"
#include "geometry/constants.hpp"
#include "geometry/place.hpp"
#include "geometry/placed_box.hpp"
#include "geometry/raw_pose.hpp"
#include "mesh/cull_frame.hpp"
#include "mesh/walk_side_kinds.hpp"
#include "queries/table.hpp"
#include "shapes/compound_storage.hpp"
#include "shapes/kind_traits.hpp"

namespace whisker::queries {

/// For traversals that visit what may touch: what is apart needs no gap.
struct OnlyTouching {
  bool operator()(double gap) const { return gap == 0; }
};

/// Bounds InverseRotation::bend of every pose. Boxes that are larger by this share cost nothing, and so the poses need
/// not be examined.
inline constexpr double max_bend = 10 * Pose::rotation_tolerance;

/// Bounds how far the points of a compound's bounded parts, placed part by part, are off the points of the compound in
/// its own frame placed as a whole.
inline double placing_error(const CompoundStorage& compound, const Pose& pose) {
  // compose() places a part level by level. At each level the result is off the true position by about thirty
  // half-ulps of the lengths involved. Also, a sphere keeps its radius where the rotation is not quite orthonormal, and
  // compose() may replace a rotation by the nearest one.
  return static_cast<double>(compound.nesting) *
         (0x1p-46 * pose.translation().cwiseAbs().maxCoeff() + 4 * max_bend * compound.reach);
}

/// The frame of a placed compound, in which the boxes of its parts are tight: a world point y has the coordinates
/// Rᵀ (y - t) there. Unlike in a CullFrame, the transpose stands for the inverse.
struct PartFrame {
  const Pose& pose;

  Vector3 placed(const Vector3& point) const { return pose.rotation().transpose() * (point - pose.translation()); }
  Pose relative(const Pose& other) const {
    Matrix3 rotation;  // column by column, which the compiler does better than Eigen's product
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        rotation(i, j) = pose.rotation().col(i).dot(other.rotation().col(j));
    return geometry::raw_pose(rotation, placed(other.translation()));
  }
  /// Bounds how far a point of a shape, none of whose coordinates is larger than `size`, is off in this frame if it is
  /// placed by the relative pose instead of by the other pose and the frame. Twice what CullFrame::error allows, and
  /// balls are bent.
  double error(double size, const Pose& other) const {
    return 0x1p-44 * (size + other.translation().cwiseAbs().maxCoeff() + pose.translation().cwiseAbs().maxCoeff()) +
           2 * max_bend * size + std::numeric_limits<double>::min();
  }
  /// A lower bound on the gap in the world of two boxes of this frame; infinite if only touching boxes are of interest.
  template <class Wanted>
  double gap(const Aabb& a, const Aabb& b) const {
    if constexpr (std::is_same_v<Wanted, OnlyTouching>) {
      return trees::may_overlap(a, b) ? 0 : infinity;
    } else {
      return geometry::box_gap(a, b) * (1 - max_bend);
    }
  }
};

/// Bounds how much larger the boxes of a compound's bounded parts would have to be to contain the parts as they are
/// placed in the world.
inline double part_box_error(const CompoundStorage& compound, const Pose& pose) {
  // A component in the frame is at most the length in the world, which is at most √3 times a component's error.
  return 2 * placing_error(compound, pose) + max_bend * compound.reach;
}

/// The bounded parts of a placed compound in its frame. The other side adds `error`, their part_box_error, to its own
/// boxes.
struct PartSide {
  const CompoundStorage& compound;
  PartFrame frame;
  double error;

  PartSide(const CompoundStorage& storage, const Pose& pose)
      : compound(storage), frame{pose}, error(part_box_error(storage, pose)) {}
  const trees::BoxTree::Node& node(std::uint32_t index) const { return compound.tree.nodes[index]; }
};

// The other sides: nodes are numbered, the root is 0. `gap<Wanted>(box, index)` is a lower bound on the distance in the
// world between the parts in a box of the PartSide and those of the node.

/// Whether the ball and the box share a point, up to rounding that `ball_of_shape` and the growth of the box cover.
inline bool meets(const PartBall& ball, const Aabb& box) {
  const Vector3 apart = (box.lower - ball.center).cwiseMax(ball.center - box.upper).cwiseMax(0.0);
  return !(apart.squaredNorm() > ball.radius * ball.radius);
}

/// One bounded shape.
struct WholeSide {
  static constexpr bool is_single = true;

  const PartSide& other;
  const Placed& placed;
  PartBall ball;  // in the frame, grown by `error`
  double error;
  Aabb box;  // empty until it is needed

  WholeSide(const PartSide& parts, const Placed& shape)
      : other(parts), placed(shape), ball(ball_of_shape(shape.shape)) {
    // No coordinate of the shape is larger than this.
    const double size = ball.center.cwiseAbs().maxCoeff() + ball.radius;
    const Vector3 center =
        ball.center.isZero(0) ? placed.pose.translation() : geometry::placed_point(placed.pose, ball.center);
    error = other.error + other.frame.error(size, placed.pose);
    ball.center = other.frame.placed(center);
    ball.radius = ball.radius * (1 + 0x1p-40) + 2 * error;
  }
  void find_box() {
    box = placed.shape.bounds(other.frame.relative(placed.pose));
    mesh::grow(box, error);
  }
  template <class Wanted>
  double gap(const Aabb& part, std::uint32_t) {
    if (box.empty()) find_box();
    return other.frame.gap<Wanted>(part, box);
  }
  /// Whether it may touch a part with this box and this ball.
  bool may_touch(const Aabb& part, const PartBall& part_ball) {
    const double reach = ball.radius + part_ball.radius;
    if ((ball.center - part_ball.center).squaredNorm() > reach * reach || !meets(ball, part)) return false;
    if (box.empty()) find_box();
    return trees::may_overlap(part, box) && meets(part_ball, box);
  }
};

/// A half-space or plane.
struct UnboundedSide {
  static constexpr bool is_single = true;

  const convex::SimpleShape shape;
  mesh::FlatSide flat;
  double error;

  UnboundedSide(const PartSide& other, const Shape& placed, const Pose& pose)
      : shape(convex::place_simple(placed, pose)), flat(shape, mesh::CullFrame(other.frame.pose)), error(other.error) {}
  template <class Wanted>
  double gap(Aabb box, std::uint32_t) const {
    mesh::grow(box, error);
    return flat.gap(box, {});
  }
};

/// A shape without a box, which is near everything.
struct EverywhereSide {
  static constexpr bool is_single = true;

  template <class Wanted>
  double gap(const Aabb&, std::uint32_t) const {
    return 0;
  }
};

/// The bounded parts of another placed compound. Their boxes are computed when needed, and the latest are kept.
class OtherPartSide {
 public:
  static constexpr bool is_single = false;

  OtherPartSide(const PartSide& other, const CompoundStorage& compound, const Pose& pose)
      : frame_(other.frame), compound_(compound), relative_(frame_.relative(pose)) {
    error_ = other.error + 2 * (placing_error(compound, pose) + frame_.error(compound.reach, pose));
    holds_.fill(no_node);
  }
  const trees::BoxTree::Node& node(std::uint32_t index) const { return compound_.tree.nodes[index]; }
  const Aabb& box(std::uint32_t index) {
    const std::size_t at = index % kept;
    if (holds_[at] != index) {
      holds_[at] = index;
      new (&boxes_[at]) Aabb(placed_box(node(index)));
    }
    return boxes_[at].box;
  }
  template <class Wanted>
  double gap(const Aabb& other, std::uint32_t index) {
    return frame_.gap<Wanted>(other, box(index));
  }

 private:
  static constexpr std::size_t kept = 64;
  static constexpr std::uint32_t no_node = 0xFFFFFFFF;
  union Room {
    Room() {}  // filled when needed
    Aabb box;
  };

  Aabb placed_box(const trees::BoxTree::Node& node) const {
    const CompoundPart* const part = node.is_leaf() ? &compound_.parts[compound_.bounded[node.first]] : nullptr;
    Aabb box;
    if (part != nullptr && part->shape.as<Compound>() == nullptr) {
      box = part->shape.bounds(
          geometry::raw_pose(relative_.rotation() * part->pose.rotation(),
                             relative_.rotation() * part->pose.translation() + relative_.translation()));
    } else {
      box = geometry::placed_box(node.box, relative_);
    }
    mesh::grow(box, error_);
    return box;
  }

  const PartFrame& frame_;
  const CompoundStorage& compound_;
  Pose relative_;
  double error_;
  std::array<std::uint32_t, kept> holds_;
  std::array<Room, kept> boxes_;
};

/// Two nodes, one of each side.
struct NodePair {
  std::uint32_t a, b;
};

/// Calls `add(pair)` for what is below a pair of nodes, last child first. Returns false for a pair of parts.
template <class SideB, class Add>
bool split_pair(const PartSide& a, SideB& b, const NodePair& pair, const Add& add) {
  const trees::BoxTree::Node& node_a = a.node(pair.a);
  bool splits_a = !node_a.is_leaf();
  if constexpr (!SideB::is_single) {
    const trees::BoxTree::Node& node_b = b.node(pair.b);
    const auto extent = [](const Aabb& box) { return (box.upper - box.lower).maxCoeff(); };
    if (!node_b.is_leaf()) splits_a = splits_a && extent(node_a.box) >= extent(b.box(pair.b));
    if (!splits_a) {
      for (std::uint32_t i = node_b.count; i-- > 0;)
        add(NodePair{pair.a, node_b.first + i});
      return !node_b.is_leaf();
    }
  }
  if (!splits_a) return false;
  for (std::uint32_t i = node_a.count; i-- > 0;)
    add(NodePair{node_a.first + i, pair.b});
  return true;
}

/// How much a stack can grow below a pair: by the children of one node per level.
template <class SideB>
inline constexpr std::size_t most_below = trees::BoxTree::max_depth* trees::BoxTree::width*(SideB::is_single ? 1 : 2);

/// Visits the parts of `a` that may touch `b`. `visit(pair, gap)` returns true to end the traversal.
template <class Visit>
double walk_trees(const PartSide& a, WholeSide& b, Cost& cost, std::uint64_t, OnlyTouching&, Visit&& visit) {
  const trees::BoxTree& tree = a.compound.tree;
  const Vector3 reach = Vector3::Constant(b.ball.radius);
  const Aabb around{b.ball.center - reach, b.ball.center + reach};
  cost.volume_tests += tree.visit_overlapping(around, [&](const trees::BoxTree::Node& leaf) {
    return b.may_touch(leaf.box, a.compound.balls[leaf.first]) &&
           visit(NodePair{static_cast<std::uint32_t>(&leaf - tree.nodes.data()), 0}, 0.0);
  });
  return infinity;
}

/// The same for any other side.
template <class SideB, class Visit>
double walk_trees(const PartSide& a, SideB& b, Cost& cost, std::uint64_t, OnlyTouching&, Visit&& visit) {
  std::array<NodePair, 1 + most_below<SideB>> stack;
  std::size_t size = 0;
  const auto add = [&](const NodePair& pair) {
    ++cost.volume_tests;
    stack[size] = pair;
    size += b.template gap<OnlyTouching>(a.node(pair.a).box, pair.b) == 0 ? 1u : 0u;
  };
  add({0, 0});
  while (size > 0) {
    const NodePair pair = stack[--size];
    if (!split_pair(a, b, pair, add) && visit(pair, 0.0)) return 0;
  }
  return infinity;
}

/// Visits the pairs of a part of `a` and one of `b` that `wanted(gap)` accepts, nearest first; `wanted` must accept
/// every gap that is smaller than one it accepts. `visit(pair, gap)` returns true to end the traversal. The traversal
/// also ends once `cost` has grown by `budget` tests.
///
/// Returns a lower bound on the distance of all pairs that were wanted but not visited; infinite if there are none.
template <class SideB, class Wanted, class Visit>
double walk_trees(const PartSide& a, SideB& b, Cost& cost, std::uint64_t budget, Wanted& wanted, Visit&& visit) {
  struct Entry {
    double gap;
    NodePair pair;
  };
  // The nearest pair is next, as long as few are waiting. If there are more, the last one is, so that the stack cannot
  // overflow.
  constexpr std::size_t few = 64;
  std::array<Entry, few + most_below<SideB>> stack;
  std::size_t size = 0, above = 0;
  const std::uint64_t begin = cost.volume_tests + cost.primitive_tests;
  // Among equally near pairs, the last one added is next.
  const auto add = [&](const NodePair& pair) {
    ++cost.volume_tests;
    const double gap = b.template gap<Wanted>(a.node(pair.a).box, pair.b);
    if (!wanted(gap)) return;
    std::size_t at = size++;
    for (; at > above && stack[at - 1].gap < gap; --at)
      stack[at] = stack[at - 1];
    stack[at] = {gap, pair};
  };
  add({0, 0});
  while (size > 0) {
    std::size_t at = size - 1;
    const bool is_nearest = size <= few;
    if (is_nearest) {
      for (std::size_t i = at; stack[at].gap > 0 && i-- > 0;)
        if (stack[i].gap < stack[at].gap) at = i;
    }
    const Entry entry = stack[at];
    const bool is_wanted = wanted(entry.gap);
    if (!is_wanted && is_nearest) return infinity;  // nor is any other
    if (is_wanted && cost.volume_tests + cost.primitive_tests - begin >= budget) break;
    std::copy(stack.begin() + at + 1, stack.begin() + size, stack.begin() + at);
    above = --size;
    if (is_wanted && !split_pair(a, b, entry.pair, add) && visit(entry.pair, entry.gap)) break;
  }
  double left = infinity;
  for (std::size_t i = 0; i < size; ++i)
    if (wanted(stack[i].gap)) left = std::min(left, stack[i].gap);
  return left;
}

/// Whether some part is of a kind that a user added. The built-in kinds have all algorithms except some depths.
inline bool has_added_kinds(const Placed& a, const Placed& b) {
  return (kinds_of(a.shape) | kinds_of(b.shape)) >> shape_kind_count != 0;
}

/// Throws the Error for the first pair of the parts' kinds for which `has(algorithms)` is false.
template <class Has>
void require_pairs(const char* question, const Placed& a, const Placed& b, Has&& has) {
  const std::uint32_t kinds_a = kinds_of(a.shape);
  const std::uint32_t kinds_b = kinds_of(b.shape);
  for (std::uint32_t rest_a = kinds_a; rest_a != 0; rest_a &= rest_a - 1) {
    const auto kind_a = static_cast<ShapeKind>(std::countr_zero(rest_a));
    for (std::uint32_t rest_b = kinds_b; rest_b != 0; rest_b &= rest_b - 1) {
      const auto kind_b = static_cast<ShapeKind>(std::countr_zero(rest_b));
      if (!has(algorithms(kind_a, kind_b))) throw_unsupported_parts(question, a, kind_a, b, kind_b);
    }
  }
}

/// A part of a compound, or a whole shape, and the number at which its features begin.
struct Part {
  const Placed& placed;
  std::uint32_t first_number = 0;
};
/// The same with a pose of its own.
struct OwnPart {
  Placed placed;
  std::uint32_t first_number = 0;

  operator Part() const { return {placed, first_number}; }
};

inline OwnPart part_of(const Placed& compound, std::uint32_t index) {
  const CompoundStorage& storage = storage_of(*compound.shape.as<Compound>());
  const CompoundPart& part = storage.parts[index];
  return {Placed(part.shape, compose(compound.pose, part.pose)), storage.first_number[index]};
}

/// Visits the pairs of parts that `wanted(gap)` accepts, where `a` is a compound and `b` is any shape: a part of a
/// against a part of b, or against b as a whole. Nested compounds are parts. `visit(part_a, part_b, gap)` returns true
/// to end the traversal. The traversal also ends once `cost` has grown by `budget`.
///
/// Returns a lower bound on the distance of all pairs that were wanted but not visited; infinite if there are none.
template <class Wanted, class Visit>
double walk_parts(const Placed& a, const Placed& b, Cost& cost, std::uint64_t budget, Wanted&& wanted, Visit&& visit) {
  const CompoundStorage& storage_a = storage_of(*a.shape.as<Compound>());
  const std::uint64_t begin = cost.volume_tests + cost.primitive_tests;
  const auto budget_left = [&] {
    const std::uint64_t spent = cost.volume_tests + cost.primitive_tests - begin;
    return spent < budget ? budget - spent : 0;
  };
  bool done = false;
  double left = infinity;
  // Unbounded parts are near everything.
  for (const std::uint32_t index : storage_a.unbounded) {
    if (!wanted(0)) break;
    if (done || budget_left() == 0) return 0;
    done = visit(part_of(a, index), Part{b, 0}, 0.0);
  }
  if (storage_a.bounded.empty()) return left;

  const PartSide side_a(storage_a, a.pose);
  // The bounded parts of a against a side with parts of b.
  const auto walk = [&](auto&& side_b, const auto& part_b) {
    if (done || budget_left() == 0) {
      left = 0;
      return;
    }
    const auto meet = [&](const NodePair& pair, double gap) {
      return done = visit(part_of(a, storage_a.bounded[side_a.node(pair.a).first]), part_b(pair.b), gap);
    };
    left = std::min(left, walk_trees(side_a, side_b, cost, budget_left(), wanted, meet));
  };
  const auto against = [&](const Part& other) {
    const auto only = [&](std::uint32_t) -> const Part& { return other; };
    const Placed& placed = other.placed;
    if (convex::is_simple(placed.shape.kind()) && placed.shape.is_unbounded()) {
      walk(UnboundedSide(side_a, placed.shape, placed.pose), only);
    } else if (placed.shape.is_unbounded() || placed.shape.as<Compound>() != nullptr) {
      walk(EverywhereSide(), only);  // a ground, a rounded plane, or a compound with unbounded parts
    } else {
      walk(WholeSide(side_a, placed), only);
    }
  };
  const auto* compound_b = b.shape.as<Compound>();
  if (compound_b == nullptr) {
    against(Part{b, 0});
    return left;
  }
  const CompoundStorage& storage_b = storage_of(*compound_b);
  for (const std::uint32_t index : storage_b.unbounded)
    against(part_of(b, index));
  if (storage_b.bounded.empty()) return left;
  walk(OtherPartSide(side_a, storage_b, b.pose),
       [&](std::uint32_t node) { return part_of(b, storage_b.bounded[storage_b.tree.nodes[node].first]); });
  return left;
}

}  // namespace whisker::queries
