// The tree of boxes: every item is in it once, every box encloses everything below it, and no input makes it deep.

#include "trees/box_tree.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "support/boxes.hpp"
#include "support/cases.hpp"

namespace whisker::trees {
namespace {

using test::box_between;
using test::cases;
using test::seeded;
using test::uniform;

bool encloses(const Aabb& outer, const Aabb& inner) {
  return outer.contains(inner.lower) && outer.contains(inner.upper);
}

struct Walk {
  std::vector<std::size_t> times_in_leaf;
  std::size_t deepest = 0;  // nodes on the longest path from the root
  std::size_t nodes = 0;
};

/// Traverses the tree from the root and checks it on the way. No recursion, because the tree may be deeper than it
/// claims.
Walk walk(const BoxTree& tree, const std::vector<Aabb>& boxes) {
  Walk result;
  result.times_in_leaf.assign(boxes.size(), 0);
  struct Entry {
    std::uint32_t node;
    std::size_t level;
  };
  std::vector<Entry> stack = {{0, 1}};
  while (!stack.empty()) {
    const Entry entry = stack.back();
    stack.pop_back();
    if (++result.nodes > tree.nodes.size()) {
      ADD_FAILURE() << "a node is reached twice";
      return result;
    }
    result.deepest = std::max(result.deepest, entry.level);
    const BoxTree::Node& node = tree.nodes.at(entry.node);
    Aabb exact;
    if (node.is_leaf()) {
      ++result.times_in_leaf.at(node.first);
      exact = boxes[node.first];
    } else {
      EXPECT_GE(node.count, 2u);
      EXPECT_LE(node.count, BoxTree::width);
      for (std::uint32_t child = node.first; child < node.first + node.count; ++child) {
        exact.include(tree.nodes.at(child).box);
        stack.push_back({child, entry.level + 1});
      }
    }
    if (!encloses(node.box, exact) || !encloses(exact, node.box)) {
      ADD_FAILURE() << "the box of node " << entry.node << " is not that of what is below it";
      return result;
    }
  }
  return result;
}

void expect_sound(const std::vector<Aabb>& boxes) {
  const BoxTree tree = build_box_tree(boxes);
  const Walk found = walk(tree, boxes);
  EXPECT_EQ(found.nodes, tree.nodes.size()) << "a node is not reached from the root";
  EXPECT_TRUE(std::all_of(found.times_in_leaf.begin(), found.times_in_leaf.end(), [](std::size_t n) { return n == 1; }))
      << "an item is not in exactly one leaf";
  EXPECT_LE(found.deepest, BoxTree::max_depth);
  // Halved three times at every level, down to groups of at most eight, and the leaves below these.
  const double levels = std::ceil(std::log2(std::max(1.0, static_cast<double>(boxes.size()) / 8)) / 3);
  EXPECT_LE(static_cast<double>(found.deepest), levels + 2);
}

std::vector<Aabb> random_boxes(std::mt19937_64& random, std::size_t count) {
  std::vector<Aabb> boxes;
  for (std::size_t i = 0; i < count; ++i) {
    const Vector3 at(uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1));
    const Vector3 size(uniform(random, 0, 0.1), uniform(random, 0, 0.1), uniform(random, 0, 0.1));
    boxes.push_back(box_between(at, at + size));
  }
  return boxes;
}

TEST(BoxTree, OfEverySmallCountHoldsEveryItemOnce) {
  auto random = seeded(41);
  for (std::size_t count = 1; count <= 300; ++count) {
    SCOPED_TRACE(count);
    expect_sound(random_boxes(random, count));
  }
}

TEST(BoxTree, OfManyRandomBoxesIsSound) {
  auto random = seeded(42);
  for (std::size_t i = 0; i < cases(3); ++i) {
    expect_sound(random_boxes(random, 40'000 + i));
  }
}

TEST(BoxTree, OfAMillionIdenticalBoxesIsShallow) {
  expect_sound(std::vector<Aabb>(1'000'000, box_between({1, 2, 3}, {4, 5, 6})));
}

TEST(BoxTree, OfAMillionIdenticalPointsIsShallow) {
  expect_sound(std::vector<Aabb>(1'000'000, box_between({0, 0, 0}, {0, 0, 0})));
}

TEST(BoxTree, OfSortedReversedAndNestedBoxesIsShallow) {
  const int count = 100'000;
  std::vector<Aabb> ascending, descending, nested, doubling;
  for (int i = 0; i < count; ++i) {
    ascending.push_back(box_between({double(i), 0, 0}, {i + 0.5, 0, 0}));
    descending.push_back(box_between({double(count - i), 0, 0}, {count - i + 0.5, 0, 0}));
    nested.push_back(box_between(Vector3::Constant(-1.0 - i), Vector3::Constant(1.0 + i)));
  }
  // Each item is twice as far out as the previous one, which makes a split at the middle of space deep.
  for (int i = -290; i < 290; ++i)
    doubling.push_back(box_between(Vector3::Constant(std::ldexp(1.0, i)), Vector3::Constant(std::ldexp(1.5, i))));
  expect_sound(ascending);
  expect_sound(descending);
  expect_sound(nested);
  expect_sound(doubling);
}

TEST(BoxTree, OfTheLargestAndTheSmallestCoordinatesIsSound) {
  auto random = seeded(43);
  std::vector<Aabb> boxes;
  for (int i = 0; i < 1000; ++i) {
    const double size = std::ldexp(1.0, static_cast<int>(uniform(random, -1070, 1000)));
    const Vector3 at = size * Vector3(uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1));
    boxes.push_back(box_between(at, -at));
    boxes.push_back(box_between(at, at));
  }
  boxes.push_back(box_between(Vector3::Constant(-std::numeric_limits<double>::max()),
                              Vector3::Constant(std::numeric_limits<double>::max())));
  expect_sound(boxes);
}

/// The items that visit_overlapping finds must be those that share a point with the box, and others that nearly do.
void expect_finds(const BoxTree& tree, const std::vector<Aabb>& boxes, const Aabb& box) {
  std::vector<std::uint32_t> in_order, found, truth;
  const auto note = [&](const BoxTree::Node& leaf) {
    const double slack = 0x1p-20 * std::max(leaf.box.lower.cwiseAbs().maxCoeff(), leaf.box.upper.cwiseAbs().maxCoeff());
    const Vector3 by = Vector3::Constant(slack);
    EXPECT_TRUE((Aabb{leaf.box.lower - by, leaf.box.upper + by}.overlaps(box)));
    in_order.push_back(leaf.first);
    if (leaf.box.overlaps(box)) found.push_back(leaf.first);
    return false;
  };
  const std::size_t tests = tree.visit_overlapping(box, note);
  EXPECT_GE(tests, found.size());
  std::sort(found.begin(), found.end());
  for (std::uint32_t i = 0; i < boxes.size(); ++i)
    if (boxes[i].overlaps(box)) truth.push_back(i);
  ASSERT_EQ(found, truth);
  if (truth.empty()) return;
  // Ended by the first one.
  std::vector<std::uint32_t> first;
  tree.visit_overlapping(box, [&](const BoxTree::Node& leaf) {
    first.push_back(leaf.first);
    return true;
  });
  EXPECT_EQ(first, std::vector<std::uint32_t>{in_order.front()});
}

TEST(BoxTree, FindsExactlyTheBoxesThatOverlap) {
  auto random = seeded(45);
  for (const std::size_t count : {1u, 2u, 4u, 5u, 9u, 40u, 700u}) {
    // Near the origin, far from it where floats are coarse, and beyond floats.
    for (const double at : {0.0, 1e6, -1e12, 1e60}) {
      std::vector<Aabb> boxes = random_boxes(random, count);
      const double size = std::max(1.0, std::abs(at) * 1e-9);
      for (Aabb& box : boxes) {
        box.lower = box.lower * size + Vector3::Constant(at);
        box.upper = box.upper * size + Vector3::Constant(at);
      }
      const BoxTree tree = build_box_tree(boxes);
      for (std::size_t i = 0; i < cases(30); ++i) {
        const Aabb& near = boxes[i % count];
        const Vector3 corner = near.upper + Vector3::Constant(size * uniform(random, 0, 0.5));
        ASSERT_NO_FATAL_FAILURE(expect_finds(tree, boxes, {near.upper, corner}));  // shares a corner
        const Vector3 beyond =
            near.upper.unaryExpr([](double x) { return std::nextafter(x, std::numeric_limits<double>::infinity()); });
        ASSERT_NO_FATAL_FAILURE(expect_finds(tree, boxes, {beyond, corner.cwiseMax(beyond)}));
        ASSERT_NO_FATAL_FAILURE(expect_finds(tree, boxes, {near.lower, near.lower}));
      }
      constexpr double infinity = std::numeric_limits<double>::infinity();
      ASSERT_NO_FATAL_FAILURE(expect_finds(tree, boxes, {Vector3::Constant(-infinity), Vector3::Constant(infinity)}));
      ASSERT_NO_FATAL_FAILURE(expect_finds(tree, boxes, {Vector3::Constant(1e70), Vector3::Constant(infinity)}));
    }
  }
}

TEST(BoxTree, IsTheSameForTheSameBoxes) {
  auto random = seeded(44);
  std::vector<Aabb> boxes = random_boxes(random, 5000);
  boxes.insert(boxes.end(), boxes.begin(), boxes.begin() + 1000);  // ties
  const BoxTree first = build_box_tree(boxes);
  const BoxTree second = build_box_tree(std::vector<Aabb>(boxes));
  ASSERT_EQ(first.nodes.size(), second.nodes.size());
  for (std::size_t i = 0; i < first.nodes.size(); ++i) {
    EXPECT_EQ(first.nodes[i].first, second.nodes[i].first);
    EXPECT_EQ(first.nodes[i].count, second.nodes[i].count);
    EXPECT_EQ(first.nodes[i].block, second.nodes[i].block);
    EXPECT_EQ(first.nodes[i].box.lower, second.nodes[i].box.lower);
    EXPECT_EQ(first.nodes[i].box.upper, second.nodes[i].box.upper);
  }
}

TEST(BoxTree, SplitsTiesByNumber) {
  const BoxTree tree = build_box_tree(std::vector<Aabb>(8, box_between({0, 0, 0}, {1, 1, 1})));
  ASSERT_EQ(tree.nodes.size(), 9u);
  ASSERT_EQ(tree.nodes[0].count, 8u);
  std::vector<std::uint32_t> left;
  for (std::uint32_t i = 0; i < 4; ++i)
    left.push_back(tree.nodes[tree.nodes[0].first + i].first);
  std::sort(left.begin(), left.end());
  EXPECT_EQ(left, (std::vector<std::uint32_t>{0, 1, 2, 3}));
}

}  // namespace
}  // namespace whisker::trees
