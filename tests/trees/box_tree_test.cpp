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
      EXPECT_LE(node.count, BoxTree::leaf_size);
      for (std::uint32_t i = node.first; i < node.first + node.count; ++i) {
        const std::uint32_t item = tree.order.at(i);
        ++result.times_in_leaf.at(item);
        exact.include(boxes[item]);
      }
    } else {
      for (std::uint32_t child = node.first; child < node.first + 2; ++child) {
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
  EXPECT_EQ(tree.order.size(), boxes.size());
  EXPECT_TRUE(std::all_of(found.times_in_leaf.begin(), found.times_in_leaf.end(), [](std::size_t n) { return n == 1; }))
      << "an item is not in exactly one leaf";
  EXPECT_LE(found.deepest, BoxTree::max_depth);
  // Halved at every level, down to leaves of at most four.
  const double levels = std::ceil(std::log2(std::max(1.0, static_cast<double>(boxes.size()) / 4)));
  EXPECT_LE(static_cast<double>(found.deepest), levels + 1);
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

TEST(BoxTree, IsTheSameForTheSameBoxes) {
  auto random = seeded(44);
  std::vector<Aabb> boxes = random_boxes(random, 5000);
  boxes.insert(boxes.end(), boxes.begin(), boxes.begin() + 1000);  // ties
  const BoxTree first = build_box_tree(boxes);
  const BoxTree second = build_box_tree(std::vector<Aabb>(boxes));
  EXPECT_EQ(first.order, second.order);
  ASSERT_EQ(first.nodes.size(), second.nodes.size());
  for (std::size_t i = 0; i < first.nodes.size(); ++i) {
    EXPECT_EQ(first.nodes[i].first, second.nodes[i].first);
    EXPECT_EQ(first.nodes[i].count, second.nodes[i].count);
    EXPECT_EQ(first.nodes[i].box.lower, second.nodes[i].box.lower);
    EXPECT_EQ(first.nodes[i].box.upper, second.nodes[i].box.upper);
  }
}

TEST(BoxTree, SplitsTiesByNumber) {
  const BoxTree tree = build_box_tree(std::vector<Aabb>(8, box_between({0, 0, 0}, {1, 1, 1})));
  ASSERT_EQ(tree.nodes.size(), 3u);
  std::vector<std::uint32_t> left(tree.order.begin() + tree.nodes[1].first,
                                  tree.order.begin() + tree.nodes[1].first + tree.nodes[1].count);
  std::sort(left.begin(), left.end());
  EXPECT_EQ(left, (std::vector<std::uint32_t>{0, 1, 2, 3}));
}

}  // namespace
}  // namespace whisker::trees
