#include "trees/oriented_report.hpp"

#include <algorithm>
#include <array>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <whisker/geometry/closest_points.hpp>

#include "geometry/constants.hpp"

namespace whisker::trees {
namespace {

/// Half the surface of a box.
double half_surface(const Vector3& half) {
  return 4 * (half.x() * (half.y() + half.z()) + half.y() * half.z());
}

/// Finds the distance of a point from the nearest triangle, if it is less than `best`.
struct Nearest {
  const OrientedTree& tree;
  Vector3 point;
  double best;

  void look_at_child(const OrientedNode& node, unsigned i) {
    if (!node.is_leaf(i)) return look_at_node(node.index(i));
    const TriangleLeaf& leaf = tree.leaves[node.index(i)];
    const Vector3 local = point - node.origin_point();
    for (std::size_t t = 0; t < node.triangles(i); ++t) {
      const auto corner = [&](std::size_t c) {
        return Vector3(Eigen::Vector3f(leaf.x[4 * c + t], leaf.y[4 * c + t], leaf.z[4 * c + t]).cast<double>());
      };
      best = std::min(best, closest_points(local, Triangle{corner(0), corner(1), corner(2)}).distance);
    }
  }

  void look_at_node(std::uint32_t n) {
    const OrientedNode& node = tree.nodes[n];
    const Vector3 u = node.axis_matrix().transpose() * (point - node.origin_point());
    std::array<std::pair<double, unsigned>, 8> order;
    order.fill({infinity, 8});  // slots without a child go last
    for (const unsigned i : node.children())
      order[i] = {((u - node.center_of(i)).cwiseAbs() - node.half_of(i)).cwiseMax(0.0).norm(), i};
    std::sort(order.begin(), order.end());
    for (std::size_t k = 0; k < 8 && order[k].second < 8 && order[k].first < best; ++k)
      look_at_child(node, order[k].second);
  }
};

/// The looseness of one box. TreeLevel::looseness is the mean of these values.
double looseness_of(const OrientedTree& tree, const OrientedNode& node, unsigned i) {
  const Matrix3 axes = node.axis_matrix();
  const Vector3 center = node.center_of(i), half = node.half_of(i);
  const double diagonal = 2 * half.norm();
  if (!(diagonal > 0)) return 0;
  double farthest = 0;
  for (int corner = 0; corner < 8; ++corner) {
    const Vector3 signs(corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1);
    const Vector3 at = node.origin_point() + axes * (center + half.cwiseProduct(signs));
    Nearest nearest{tree, at, infinity};
    nearest.look_at_child(node, i);
    farthest = std::max(farthest, nearest.best);
  }
  return farthest / diagonal;
}

}  // namespace

TreeReport report_tree(const OrientedTree& tree) {
  TreeReport report;
  report.nodes = tree.nodes.size();
  report.leaves = tree.leaves.size();
  report.depth = tree.depth;
  report.bytes = tree.nodes.size() * sizeof(OrientedNode) + tree.leaves.size() * sizeof(TriangleLeaf);
  report.levels.resize(tree.depth);

  std::vector<std::array<double, 8>> looseness(tree.nodes.size());
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, tree.nodes.size(), 16), [&](const auto& range) {
    for (std::size_t n = range.begin(); n < range.end(); ++n)
      for (const unsigned i : tree.nodes[n].children())
        looseness[n][i] = looseness_of(tree, tree.nodes[n], i);
  });

  std::vector<std::size_t> level(tree.nodes.size(), 0);
  std::size_t children = 0;
  double surface = 0;
  for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
    const OrientedNode& node = tree.nodes[n];
    for (const unsigned i : node.children()) {
      ++children;
      if (node.is_leaf(i)) {
        report.triangles += node.triangles(i);
      } else {
        level[node.index(i)] = level[n] + 1;
      }
      const Vector3 half = node.half_of(i);
      surface += half_surface(half);
      TreeLevel& mine = report.levels[level[n]];
      ++mine.boxes;
      mine.mean_diagonal += 2 * half.norm() / tree.scale;
      mine.looseness += looseness[n][i];
    }
  }
  for (TreeLevel& mine : report.levels) {
    mine.mean_diagonal /= static_cast<double>(mine.boxes);
    mine.looseness /= static_cast<double>(mine.boxes);
  }

  const OrientedNode& root = tree.nodes.front();
  Aabb all;
  for (const unsigned i : root.children())
    all.include(root.box_of(i));
  const double whole = half_surface((all.upper - all.lower) / 2);
  report.surface_cost = whole > 0 ? surface / whole : 0;
  report.mean_children = static_cast<double>(children) / static_cast<double>(report.nodes);
  report.leaf_fill = static_cast<double>(report.triangles) / static_cast<double>(4 * report.leaves);
  report.bytes_per_triangle = static_cast<double>(report.bytes) / static_cast<double>(report.triangles);
  return report;
}

}  // namespace whisker::trees
