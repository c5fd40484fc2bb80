#pragma once

// One walk for two sets of things in trees: a placed mesh's triangles, or a single simple shape that is its own leaf.

#include <array>
#include <utility>

#include "convex/simple_shape.hpp"
#include "geometry/place.hpp"
#include "geometry/placed_box.hpp"
#include "mesh/mesh_queries.hpp"
#include "shapes/mesh_storage.hpp"

namespace whisker::mesh {

/// A placed mesh, seen as a tree of boxes with triangles in its leaves.
struct MeshSide {
  const Mesh::Storage& mesh;
  const Pose& pose;

  explicit MeshSide(const PlacedMesh& placed) : mesh(placed.mesh.storage()), pose(placed.pose) {}

  const trees::BoxTree::Node& node(std::uint32_t index) const { return mesh.tree.nodes[index]; }
  AxisBox box(std::uint32_t index) const { return geometry::placed_box(node(index).box, pose); }
  bool is_leaf(std::uint32_t index) const { return node(index).is_leaf(); }
  std::array<std::uint32_t, 2> children(std::uint32_t index) const {
    return {node(index).first, node(index).first + 1};
  }
  template <class Visit>
  void each_item(std::uint32_t index, Visit&& visit) const {
    for (std::uint32_t i = node(index).first; i < node(index).first + node(index).count; ++i) {
      const Index3& corners = mesh.data.triangles[mesh.tree.order[i]];
      const auto corner = [&](std::size_t k) { return geometry::placed_point(pose, mesh.data.vertices[corners[k]]); };
      visit(convex::simple_triangle({corner(0), corner(1), corner(2)}));
    }
  }
};

/// One simple shape: a tree of one leaf with one item.
struct SingleSide {
  const convex::SimpleShape& shape;
  AxisBox bounds;

  AxisBox box(std::uint32_t) const { return bounds; }
  bool is_leaf(std::uint32_t) const { return true; }
  std::array<std::uint32_t, 2> children(std::uint32_t) const { return {0, 0}; }
  template <class Visit>
  void each_item(std::uint32_t, Visit&& visit) const {
    visit(shape);
  }
};

/// Visits the pairs of items whose boxes `wanted(box_gap)` lets pass, nearest boxes first. `visit(item_a, item_b)`
/// returns true to end the walk.
template <class SideA, class SideB, class Wanted, class Visit>
void walk_pairs(const SideA& a, const SideB& b, Cost& cost, Wanted&& wanted, Visit&& visit) {
  struct Entry {
    std::uint32_t a;
    std::uint32_t b;
    double gap;
  };
  // Each step replaces one entry by two, and goes one level down on one side.
  std::array<Entry, 2 * (2 * trees::BoxTree::max_depth) + 2> stack;
  std::size_t size = 0;
  ++cost.volume_tests;
  stack[size++] = {0, 0, geometry::box_gap(a.box(0), b.box(0))};
  while (size > 0) {
    const Entry entry = stack[--size];
    if (!wanted(entry.gap)) continue;
    const bool leaf_a = a.is_leaf(entry.a);
    const bool leaf_b = b.is_leaf(entry.b);
    if (leaf_a && leaf_b) {
      bool done = false;
      a.each_item(entry.a, [&](const convex::SimpleShape& item_a) {
        b.each_item(entry.b, [&](const convex::SimpleShape& item_b) {
          if (!done) {
            ++cost.primitive_tests;
            done = visit(item_a, item_b);
          }
        });
      });
      if (done) return;
      continue;
    }
    const AxisBox box_a = a.box(entry.a);
    const AxisBox box_b = b.box(entry.b);
    const bool split_a =
        !leaf_a && (leaf_b || (box_a.upper - box_a.lower).squaredNorm() >= (box_b.upper - box_b.lower).squaredNorm());
    std::array<Entry, 2> next;
    for (std::size_t k = 0; k < 2; ++k) {
      ++cost.volume_tests;
      if (split_a) {
        const std::uint32_t child = a.children(entry.a)[k];
        next[k] = {child, entry.b, geometry::box_gap(a.box(child), box_b)};
      } else {
        const std::uint32_t child = b.children(entry.b)[k];
        next[k] = {entry.a, child, geometry::box_gap(box_a, b.box(child))};
      }
    }
    if (next[0].gap < next[1].gap) std::swap(next[0], next[1]);
    stack[size++] = next[0];
    stack[size++] = next[1];
  }
}

/// A box around a placed simple shape; infinite for half-spaces and planes.
AxisBox bounds_of(const convex::SimpleShape& shape);

}  // namespace whisker::mesh
