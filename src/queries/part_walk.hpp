#pragma once

// Traverses the pairs of parts of a compound and another shape whose boxes are near, nearest first.

#include <algorithm>
#include <cstdint>
#include <utility>

#include <whisker/queries.hpp>

#include "convex/simple_shape.hpp"
#include "geometry/constants.hpp"
#include "geometry/placed_box.hpp"
#include "mesh/cull_frame.hpp"
#include "mesh/side_walk.hpp"
#include "mesh/walk_side_kinds.hpp"
#include "queries/table.hpp"
#include "shapes/compound_storage.hpp"
#include "shapes/kind_traits.hpp"

namespace whisker::queries {

/// The bounded parts of a placed compound, as a side of mesh::walk_sides in the world's frame. An item is the index of
/// a part.
struct PartSide {
  struct Node {
    Aabb box;
    std::uint32_t index = 0;
  };
  static constexpr std::size_t max_waiting = trees::BoxTree::max_depth;

  const CompoundStorage& compound;
  const Pose& pose;
  double error = 0;

  PartSide(const Compound& c, const Pose& placed) : compound(storage_of(c)), pose(placed) {
    // compose() places a part level by level. At each level the result is off the true position by about thirty
    // half-ulps of the lengths involved. Also, a sphere keeps its radius where the rotation is not quite orthonormal.
    const double size = compound.reach + pose.translation().cwiseAbs().maxCoeff();
    error = 0x1p-46 * static_cast<double>(compound.nesting) * size + mesh::CullFrame(pose).bend * compound.reach;
  }
  Node node(std::uint32_t index) const {
    Node result{geometry::placed_box(compound.tree.nodes[index].box, pose), index};
    mesh::grow(result.box, error);
    return result;
  }
  Node root() const { return node(0); }
  bool is_leaf(const Node& n) const { return compound.tree.nodes[n.index].is_leaf(); }
  template <class Visit>
  void each_child(const Node& n, Visit&& visit) const {
    visit(node(compound.tree.nodes[n.index].first));
    visit(node(compound.tree.nodes[n.index].first + 1));
  }
  template <class Visit>
  void each_item(const Node& n, Visit&& visit) const {
    const trees::BoxTree::Node& leaf = compound.tree.nodes[n.index];
    for (std::uint32_t i = leaf.first; i < leaf.first + leaf.count; ++i)
      visit(compound.bounded[compound.tree.order[i]]);
  }
  double gap(const Aabb& box, const Node& n) const { return geometry::box_gap(box, n.box); }
};

/// One shape with a world box. An infinite box is near everything.
struct WholeSide {
  struct Node {
    Aabb box;
  };
  static constexpr std::size_t max_waiting = 0;

  Node bounds;

  Node root() const { return bounds; }
  bool is_leaf(const Node&) const { return true; }
  template <class Visit>
  void each_child(const Node&, Visit&&) const {}
  double gap(const Aabb& box, const Node& n) const { return geometry::box_gap(box, n.box); }
};

/// Throws the Error for the first pair of the parts' kinds for which `has(algorithms)` is false.
template <class Has>
void require_pairs(const char* question, const Placed& a, const Placed& b, Has&& has) {
  const std::uint32_t kinds_a = kinds_of(a.shape);
  const std::uint32_t kinds_b = kinds_of(b.shape);
  for (std::size_t i = 0; i < shapes::kind_count(); ++i) {
    if ((kinds_a >> i & 1) == 0) continue;
    for (std::size_t j = 0; j < shapes::kind_count(); ++j) {
      if ((kinds_b >> j & 1) == 0) continue;
      if (!has(algorithms(static_cast<ShapeKind>(i), static_cast<ShapeKind>(j))))
        throw_unsupported_parts(question, a, static_cast<ShapeKind>(i), b, static_cast<ShapeKind>(j));
    }
  }
}

/// A part of a compound, or a whole shape, and the number at which its features begin.
struct Part {
  const Shape& shape;
  Pose pose;
  std::uint32_t first_number = 0;

  Placed placed() const { return {shape, pose}; }
};

inline Part part_of(const Placed& compound, std::uint32_t index) {
  const CompoundStorage& storage = storage_of(*compound.shape.as<Compound>());
  const CompoundPart& part = storage.parts[index];
  return {part.shape, compose(compound.pose, part.pose), storage.first_number[index]};
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
    done = visit(part_of(a, index), Part{b.shape, b.pose, 0}, 0.0);
  }
  if (storage_a.bounded.empty()) return left;

  const PartSide side_a(*a.shape.as<Compound>(), a.pose);
  // The bounded parts of a against a side with parts of b: visit_parts(node, visit) visits those of a node.
  const auto walk = [&](const auto& side_b, const auto& visit_parts) {
    if (done || budget_left() == 0) {
      left = 0;
      return;
    }
    const auto meet = [&](const auto& node_a, const auto& node_b, double gap) {
      side_a.each_item(node_a, [&](std::uint32_t index) {
        visit_parts(node_b, [&](const auto& other) {
          if (!done && wanted(gap)) done = visit(part_of(a, index), other(), gap);
        });
      });
      return done;
    };
    left = std::min(left, mesh::walk_sides(side_a, side_b, cost, budget_left(), wanted, meet));
  };
  const auto against = [&](const Part& other) {
    const auto only = [&](const auto&, const auto& take) { take([&]() -> const Part& { return other; }); };
    if (!shapes::traits_of(other.shape).is_bounded) {
      const convex::SimpleShape flat = convex::place_simple(other.shape, other.pose);
      return walk(mesh::FlatSide(flat, mesh::CullFrame(Pose())), only);
    }
    Aabb box;
    if (other.shape.as<Compound>() != nullptr) {
      std::swap(box.lower, box.upper);  // unbounded: the empty box turned inside out is all of space
    } else {
      box = other.shape.bounds(other.pose);
    }
    walk(WholeSide{{box}}, only);
  };
  const auto* compound_b = b.shape.as<Compound>();
  if (compound_b == nullptr) {
    against(Part{b.shape, b.pose, 0});
    return left;
  }
  const CompoundStorage& storage_b = storage_of(*compound_b);
  for (const std::uint32_t index : storage_b.unbounded)
    against(part_of(b, index));
  if (storage_b.bounded.empty()) return left;
  const PartSide side_b(*compound_b, b.pose);
  walk(side_b, [&](const PartSide::Node& node, const auto& take) {
    side_b.each_item(node, [&](std::uint32_t index) { take([&] { return part_of(b, index); }); });
  });
  return left;
}

}  // namespace whisker::queries
