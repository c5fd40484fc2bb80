// The topology of the tree: every item is in one leaf, every node has one parent, the result is the same on any number
// of threads, and no input makes the tree deep.

#include "trees/topology.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <tbb/global_control.h>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/make/make.hpp>
#include <whisker/mesh_tree.hpp>

#include "support/boxes.hpp"
#include "support/cases.hpp"
#include "support/topology_report.hpp"

namespace whisker::trees {
namespace {

using test::box_between;
using test::cases;
using test::seeded;
using test::uniform;

constexpr std::array<Split, 5> splits{Split::surface_area, Split::mean, Split::median, Split::morton, Split::bottom_up};

std::string name(Split split) {
  constexpr std::array<const char*, 5> names{"surface_area", "mean", "median", "morton", "bottom_up"};
  return names[static_cast<std::size_t>(split)];
}

Aabb point_box(double x, double y, double z) {
  return box_between({x, y, z}, {x, y, z});
}

std::vector<Aabb> boxes_of(const MeshData& mesh) {
  std::vector<Aabb> boxes;
  for (const Index3& triangle : mesh.triangles) {
    Aabb box;
    for (const std::uint32_t vertex : triangle)
      box.include(mesh.vertices[vertex]);
    boxes.push_back(box);
  }
  return boxes;
}

std::vector<Aabb> random_boxes(std::mt19937_64& random, std::size_t count, double size) {
  std::vector<Aabb> boxes;
  for (std::size_t i = 0; i < count; ++i) {
    const Vector3 corner(uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1));
    const Vector3 edges(uniform(random, 0, size), uniform(random, 0, size), uniform(random, 0, size));
    boxes.push_back(box_between(corner, corner + edges));
  }
  return boxes;
}

/// Checks everything that a topology guarantees, except quality.
void expect_sound(const Topology& topology, std::size_t items) {
  ASSERT_FALSE(topology.nodes.empty());
  ASSERT_EQ(topology.order.size(), items);
  std::vector<bool> seen(items, false);
  for (const std::uint32_t item : topology.order) {
    ASSERT_LT(item, items);
    ASSERT_FALSE(seen[item]) << "item " << item << " is twice in the order";
    seen[item] = true;
  }

  // Depth first from the root, with children in order: nodes and leaves must come in the order in which they are
  // stored, which also proves that each occurs once. No recursion, because the tree may be deeper than it claims.
  struct Waiting {
    std::uint32_t node;
    std::size_t depth;
    std::size_t next;
  };
  std::size_t nodes = 1;
  std::size_t leaf_items = 0;
  std::vector<Waiting> path{{0, 1, 0}};
  while (!path.empty()) {
    Waiting& at = path.back();
    const Topology::Node& node = topology.nodes[at.node];
    if (at.next == 0) {
      ASSERT_GE(node.size, items > Topology::leaf_size ? 2 : 1);
      ASSERT_LE(node.size, Topology::width);
      ASSERT_LE(path.size(), Topology::max_depth);
    }
    if (at.next == node.size) {
      path.pop_back();
      continue;
    }
    const std::size_t k = at.next++;
    if (node.items[k] == 0) {
      ASSERT_EQ(node.child[k], nodes);
      ASSERT_LT(node.child[k], topology.nodes.size());
      ++nodes;
      path.push_back({node.child[k], at.depth + 1, 0});
    } else {
      ASSERT_LE(node.items[k], Topology::leaf_size);
      ASSERT_EQ(node.child[k], leaf_items);
      leaf_items += node.items[k];
    }
  }
  ASSERT_EQ(nodes, topology.nodes.size());
  ASSERT_EQ(leaf_items, items);
}

bool same(const Topology& a, const Topology& b) {
  return a.order == b.order && std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(),
                                          [](const Topology::Node& left, const Topology::Node& right) {
                                            return left.child == right.child && left.items == right.items &&
                                                   left.size == right.size;
                                          });
}

TEST(Topology, EveryCountUpToAHundredHasEachItemInOneLeaf) {
  std::mt19937_64 random = seeded(301);
  for (const Split split : splits) {
    for (std::size_t count = 1; count <= 100; ++count) {
      SCOPED_TRACE(name(split) + " " + std::to_string(count));
      const Topology topology = build_topology(random_boxes(random, count, 0.3), {.split = split});
      ASSERT_NO_FATAL_FAILURE(expect_sound(topology, count));
    }
  }
}

TEST(Topology, RandomSetsOfAllSizesAndScalesAreSound) {
  std::mt19937_64 random = seeded(302);
  for (std::size_t round = 0; round < cases(60); ++round) {
    const auto count = static_cast<std::size_t>(std::exp(uniform(random, 0, std::log(20000.0))));
    const double scale = std::pow(10.0, uniform(random, -90, 90));
    std::vector<Aabb> boxes = random_boxes(random, count, uniform(random, 0, 0.5));
    const Vector3 shift(uniform(random, -2, 2), 0, uniform(random, -1e6, 1e6));
    for (Aabb& box : boxes) {
      box.lower = (box.lower + shift) * scale;
      box.upper = (box.upper + shift) * scale;
    }
    for (const Split split : splits) {
      SCOPED_TRACE(name(split) + " " + std::to_string(count) + " at scale " + std::to_string(std::log10(scale)));
      ASSERT_NO_FATAL_FAILURE(expect_sound(build_topology(boxes, {.split = split}), count));
    }
  }
}

TEST(Topology, TheSameTreeOnOneThreadAndOnMany) {
  const std::vector<Aabb> boxes = boxes_of(make::wrinkled_torus({.around = 600, .across = 100}));
  for (const Split split : splits) {
    SCOPED_TRACE(name(split));
    const Topology alone = build_topology(boxes, {.split = split, .threads = 1});
    ASSERT_NO_FATAL_FAILURE(expect_sound(alone, boxes.size()));
    for (const std::size_t threads : {std::size_t{1}, std::size_t{2}, std::size_t{8}}) {
      const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
      EXPECT_TRUE(same(alone, build_topology(boxes, {.split = split}))) << threads << " threads";
    }
  }
}

/// Sets that make a naive split deep, or give it nothing to split by.
std::vector<std::vector<Aabb>> adversaries(std::size_t count) {
  const auto number = [](std::size_t i) { return static_cast<double>(i); };
  std::vector<std::vector<Aabb>> sets(8);
  for (std::size_t i = 0; i < count; ++i) {
    const double part = number(i) / number(count);
    // Points in a geometric series from 1e-90 to 1e90, on one axis and on all.
    const double power = std::pow(10.0, -90 + 180 * part);
    sets[0].push_back(point_box(power, 0, 0));
    sets[1].push_back(point_box(power, -power, power));
    // Concentric boxes, each inside the next.
    sets[2].push_back(box_between({-power, -power, -power}, {power, power, power}));
    // Boxes with a common corner, each inside the next.
    sets[3].push_back(box_between({0, 0, 0}, {power, power, power}));
    // All at one point except one.
    sets[4].push_back(i == 0 ? point_box(1e90, 0, 0) : point_box(1, 2, 3));
    // Halves of halves: each on its own side of every middle.
    sets[5].push_back(point_box(std::ldexp(1.0, -static_cast<int>(i % 1074)), 0, 0));
    // Denormals.
    sets[6].push_back(point_box(number(i % 50) * std::numeric_limits<double>::denorm_min(), 0,
                                number(i % 7) * std::numeric_limits<double>::denorm_min()));
    // Smaller and smaller steps above 1, down to its last bit.
    sets[7].push_back(point_box(1 + std::ldexp(1.0, -static_cast<int>(i % 53)), 0, 0));
  }
  return sets;
}

TEST(Topology, NoInputMakesItDeep) {
  for (const std::size_t count : {std::size_t{7}, std::size_t{600}, std::size_t{20000}}) {
    const std::vector<std::vector<Aabb>> sets = adversaries(count);
    for (std::size_t set = 0; set < sets.size(); ++set) {
      for (const Split split : splits) {
        SCOPED_TRACE(name(split) + ", set " + std::to_string(set) + ", items " + std::to_string(count));
        ASSERT_NO_FATAL_FAILURE(expect_sound(build_topology(sets[set], {.split = split}), count));
      }
    }
  }
}

TEST(Topology, TheLargestNumbersOverflowNothing) {
  constexpr double largest = std::numeric_limits<double>::max();
  std::vector<Aabb> boxes;
  for (int i = 0; i < 100; ++i) {
    const double x = largest * (2 * i / 99.0 - 1);
    boxes.push_back(point_box(x, -x, largest));
  }
  for (const Split split : splits) {
    SCOPED_TRACE(name(split));
    const Topology topology = build_topology(boxes, {.split = split});
    ASSERT_NO_FATAL_FAILURE(expect_sound(topology, boxes.size()));
    // The points are on a line, so every leaf is a contiguous run of them.
    for (const Topology::Node& node : topology.nodes) {
      for (std::size_t k = 0; k < node.size; ++k) {
        if (node.items[k] == 0) continue;
        const auto first = topology.order.begin() + node.child[k];
        const auto [low, high] = std::minmax_element(first, first + node.items[k]);
        EXPECT_EQ(*high - *low, node.items[k] - 1u);
      }
    }
  }
}

TEST(Topology, AMillionItemsInOnePointFillTheLeavesOfAFlatTree) {
  const std::size_t count = std::min<std::size_t>(cases(1'000'000), 1'000'000);  // fewer under sanitizers, never more
  const std::vector<Aabb> boxes(count, point_box(0.1, 0.2, 0.3));
  for (const Split split : splits) {
    SCOPED_TRACE(name(split));
    const Topology topology = build_topology(boxes, {.split = split});
    ASSERT_NO_FATAL_FAILURE(expect_sound(topology, count));
    const TopologyReport report = report_topology(topology, boxes);
    EXPECT_EQ(report.leaves, (count + Topology::leaf_size - 1) / Topology::leaf_size);
    EXPECT_LE(static_cast<double>(report.depth), std::log2(static_cast<double>(count)) / 2);
  }
}

TEST(Topology, SmallFeaturesOfALargeSceneAreToldApart) {
  // Two grids of points, a billion of their steps apart: no leaf may contain points of both, nor points of one that are
  // far apart.
  constexpr int side = 20;
  std::vector<Aabb> boxes;
  for (const double at : {0.0, 1.0}) {
    for (int i = 0; i < side * side * side; ++i) {
      boxes.push_back(point_box(at + 1e-9 * (i % side), at + 1e-9 * (i / side % side), at + 1e-9 * (i / side / side)));
    }
  }
  for (const Split split : {Split::surface_area, Split::mean, Split::median, Split::morton}) {
    SCOPED_TRACE(name(split));
    const Topology topology = build_topology(boxes, {.split = split});
    double sum = 0;
    std::size_t leaves = 0;
    for (const Topology::Node& node : topology.nodes) {
      for (std::size_t k = 0; k < node.size; ++k) {
        if (node.items[k] == 0) continue;
        Aabb leaf;
        for (std::size_t i = 0; i < node.items[k]; ++i)
          leaf.include(boxes[topology.order[node.child[k] + i]]);
        const double extent = (leaf.upper - leaf.lower).maxCoeff();
        EXPECT_LT(extent, 0.5);
        sum += extent;
        ++leaves;
      }
    }
    EXPECT_LT(sum / static_cast<double>(leaves), 3.5e-9);
  }
}

TEST(Topology, BySurfaceAreaIsBestAndLeavesAreFull) {
  const std::array<MeshData, 5> meshes{make::wrinkled_torus(), make::gear({.teeth = 60, .bore = 5}),
                                       make::pipes({.count = 4}), make::terrain({.columns = 80, .spikes = 9}),
                                       make::icosphere({.subdivisions = 5})};
  for (const MeshData& mesh : meshes) {
    const std::vector<Aabb> boxes = boxes_of(mesh);
    SCOPED_TRACE(boxes.size());
    std::array<TopologyReport, splits.size()> reports;
    for (std::size_t i = 0; i < splits.size(); ++i) {
      reports[i] = report_topology(build_topology(boxes, {.split = splits[i]}), boxes);
      // A bottom-up build prefers near neighbors to full leaves.
      EXPECT_GT(reports[i].leaf_fill, splits[i] == Split::bottom_up ? 0.7 : 0.9) << name(splits[i]);
      EXPECT_GT(reports[i].mean_children, 5) << name(splits[i]);
    }
    for (std::size_t i = 1; i < splits.size(); ++i) {
      EXPECT_LE(reports[0].surface_cost, reports[i].surface_cost) << name(splits[i]);
    }
  }
}

TEST(TopologyReport, CountsATreeThatIsKnown) {
  // Nine unit cubes in a row, in the halves 4 + (4 + 1).
  std::vector<Aabb> boxes;
  for (int i = 0; i < 9; ++i) {
    const double x = i;
    boxes.push_back(box_between({x, 0, 0}, {x + 1, 1, 1}));
  }
  Topology topology;
  topology.nodes.resize(2);
  topology.nodes[0] = {.child = {0, 1}, .items = {4, 0}, .size = 2};
  topology.nodes[1] = {.child = {4, 8}, .items = {4, 1}, .size = 2};
  topology.order = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  const TopologyReport report = report_topology(topology, boxes);
  EXPECT_EQ(report.nodes, 2u);
  EXPECT_EQ(report.leaves, 3u);
  EXPECT_EQ(report.depth, 2u);
  // Half surfaces of 1 × 1 × n: 2n + 1. Root 19, node 11, leaves 9, 9 and 3.
  EXPECT_DOUBLE_EQ(report.surface_cost, (19.0 + 11 + 9 + 9 + 3) / 19);
  EXPECT_DOUBLE_EQ(report.leaf_fill, 0.75);
  EXPECT_DOUBLE_EQ(report.mean_children, 2);
}

}  // namespace
}  // namespace whisker::trees
