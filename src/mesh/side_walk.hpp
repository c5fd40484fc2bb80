#pragma once

// One traversal for two sides of any kind: a side is anything that is a tree of boxes with items in its leaves.
//
// A Side has
//   Node                                  a position in its tree, with a `box` around all of its items
//   max_waiting                           how many nodes can wait at most while the traversal descends along one path
//   Node root() const
//   bool is_leaf(const Node&) const
//   void each_child(const Node&, visit) const    visit(child)
//   void each_item(const Node&, visit) const     visit(item)
//   double gap(const Aabb& box, const Node&) const   a lower bound on the distance, in the world, between the items
//                                                in a box of the other side and those of the node; 0 if unknown
// The boxes of both sides are in one common frame, which may be any frame. Only `gap` knows lengths in the world.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <whisker/geometry/aabb.hpp>
#include <whisker/result.hpp>

#include "geometry/constants.hpp"

namespace whisker::mesh {

/// Visits the pairs of leaves that `wanted(gap)` accepts, nearest first. `visit(node_a, node_b, gap)` returns true to
/// end the traversal. The traversal also ends once `cost` has grown by `budget` tests.
///
/// Returns a lower bound on the distance of all pairs that were wanted but not completely visited: infinite if there
/// are none.
template <class SideA, class SideB, class Wanted, class Visit>
double walk_sides(const SideA& a, const SideB& b, Cost& cost, std::uint64_t budget, Wanted&& wanted, Visit&& visit) {
  struct Entry {
    typename SideA::Node a;
    typename SideB::Node b;
    double gap;
  };
  constexpr std::size_t max_children = 8;
  const std::uint64_t begin = cost.volume_tests + cost.primitive_tests;
  std::array<Entry, SideA::max_waiting + SideB::max_waiting + 1> stack;
  std::size_t size = 0;
  {
    const auto root_a = a.root();
    const auto root_b = b.root();
    ++cost.volume_tests;
    stack[size++] = {root_a, root_b, b.gap(root_a.box, root_b)};
  }
  bool done = false;
  while (size > 0 && !done) {
    const Entry entry = stack[--size];
    if (!wanted(entry.gap)) continue;
    if (cost.volume_tests + cost.primitive_tests - begin >= budget) {
      ++size;  // it stays on the stack
      break;
    }
    const bool leaf_a = a.is_leaf(entry.a);
    const bool leaf_b = b.is_leaf(entry.b);
    if (leaf_a && leaf_b) {
      done = visit(entry.a, entry.b, entry.gap);
      if (done) ++size;
      continue;
    }
    const auto extent = [](const Aabb& box) { return (box.upper - box.lower).maxCoeff(); };
    const bool split_a = !leaf_a && (leaf_b || extent(entry.a.box) >= extent(entry.b.box));
    std::array<Entry, max_children> next;
    std::size_t count = 0;
    // The nearest child is put last, so that it is taken first. Among equals, the first one is.
    const auto add = [&](const Entry& child) {
      if (!wanted(child.gap)) return;
      std::size_t at = count++;
      for (; at > 0 && next[at - 1].gap <= child.gap; --at)
        next[at] = next[at - 1];
      next[at] = child;
    };
    if (split_a) {
      a.each_child(entry.a, [&](const auto& child) {
        ++cost.volume_tests;
        add({child, entry.b, b.gap(child.box, entry.b)});
      });
    } else {
      b.each_child(entry.b, [&](const auto& child) {
        ++cost.volume_tests;
        add({entry.a, child, b.gap(entry.a.box, child)});
      });
    }
    for (std::size_t i = 0; i < count; ++i)
      stack[size++] = next[i];
  }
  double left = infinity;
  for (std::size_t i = 0; i < size; ++i)
    if (wanted(stack[i].gap)) left = std::min(left, stack[i].gap);
  return left;
}

/// Calls `visit(item_a, item_b)`, counted as a primitive test, for all pairs of items whose boxes may be `within` this
/// distance, until it returns true. Returns whether it did.
template <class SideA, class SideB, class Visit>
bool any_near_items(const SideA& a, const SideB& b, Cost& cost, Visit&& visit, double within = 0) {
  bool done = false;
  walk_sides(
      a, b, cost, no_budget, [within](double gap) { return gap <= within; },
      [&](const auto& node_a, const auto& node_b, double) {
        a.each_item(node_a, [&](const auto& item_a) {
          b.each_item(node_b, [&](const auto& item_b) {
            if (done) return;
            ++cost.primitive_tests;
            done = visit(item_a, item_b);
          });
        });
        return done;
      });
  return done;
}

}  // namespace whisker::mesh
