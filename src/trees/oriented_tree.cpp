#include "trees/oriented_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

#include "geometry/ordered_sums.hpp"
#include "geometry/threads.hpp"
#include "trees/chunks.hpp"
#include "trees/project_corners.hpp"

namespace whisker::trees {
namespace {

/// The weight of a piece of surface, its center, and its second moments about the center.
struct Moments {
  double weight = 0;
  Vector3 mean = Vector3::Zero();
  Matrix3 spread = Matrix3::Zero();
};

Moments joined(const Moments& a, const Moments& b) {
  if (a.weight == 0) return b;
  if (b.weight == 0) return a;
  Moments sum;
  sum.weight = a.weight + b.weight;
  const Vector3 between = b.mean - a.mean;
  const double part = b.weight / sum.weight;
  sum.mean = a.mean + part * between;
  sum.spread = a.spread + b.spread + (a.weight * part) * between * between.transpose();
  return sum;
}

// Area-weighted moments (Gottschalk, Lin, Manocha 1996, the third of their fits, on the surface itself). A small
// multiple of the squared edge lengths is added, so that triangles without area still count.
Moments moments_of(const Vector3& a, const Vector3& b, const Vector3& c) {
  Moments m;
  const Vector3 e = b - a;
  const Vector3 f = c - a;
  const double area = e.cross(f).norm() / 2;
  m.weight = area + 0x1p-20 * (e.squaredNorm() + f.squaredNorm()) + 0x1p-200;
  m.mean = a + (e + f) / 3;
  const Vector3 u = a - m.mean, v = b - m.mean, w = c - m.mean;
  m.spread = (m.weight / 12) * (u * u.transpose() + v * v.transpose() + w * w.transpose());
  return m;
}

/// The working data for filling a tree.
struct Fill {
  OrientedTree& tree;
  std::span<const Vector3> vertices;
  std::span<const Index3> triangles;
  bool parallel;

  struct LeafRange {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };
  std::vector<LeafCorners> corners{};  // of each leaf, in the tree's unit
  std::vector<Moments> leaf_moments{};
  std::vector<Moments> node_moments{};
  std::vector<LeafRange> ranges{};  // for each node: its leaves

  void gather() {
    corners.resize(tree.leaves.size());
    leaf_moments.resize(tree.leaves.size());
    for_all(tree.leaves.size(), parallel, [&](std::size_t k) {
      Moments sum;
      for (std::size_t i = 0; i < 4; ++i) {
        const std::uint32_t id = tree.leaves[k].id[i];
        std::array<Vector3, 3> corner;
        for (std::size_t c = 0; c < 3; ++c) {
          corner[c] = vertices[triangles[id][c]] * tree.scale;
          corners[k].x[4 * c + i] = corner[c][0];
          corners[k].y[4 * c + i] = corner[c][1];
          corners[k].z[4 * c + i] = corner[c][2];
        }
        if (i == 0 || id != tree.leaves[k].id[i - 1]) sum = joined(sum, moments_of(corner[0], corner[1], corner[2]));
      }
      leaf_moments[k] = sum;
    });
  }

  void sum_up() {
    node_moments.resize(tree.nodes.size());
    ranges.resize(tree.nodes.size());
    for (std::size_t n = tree.nodes.size(); n-- > 0;) {
      const OrientedNode& node = tree.nodes[n];
      LeafRange range{std::numeric_limits<std::uint32_t>::max(), 0};
      Moments sum;
      for (const unsigned i : node.children()) {
        const LeafRange child = child_range(node, i);
        range = {std::min(range.begin, child.begin), std::max(range.end, child.end)};
        sum = joined(sum, node.is_leaf(i) ? leaf_moments[node.index(i)] : node_moments[node.index(i)]);
      }
      ranges[n] = range;
      node_moments[n] = sum;
    }
  }

  LeafRange child_range(const OrientedNode& node, unsigned i) const {
    return node.is_leaf(i) ? LeafRange{node.index(i), node.index(i) + 1} : ranges[node.index(i)];
  }

  static void set_axes(OrientedNode& node, const Moments& moments) {
    Matrix3 axes = Matrix3::Identity();  // columns
    const double size = moments.spread.cwiseAbs().maxCoeff();
    if (size > 0) {
      Eigen::SelfAdjointEigenSolver<Matrix3> solver;
      solver.computeDirect(moments.spread / size);
      const Matrix3& found = solver.eigenvectors();
      // The closed form is inaccurate where eigenvalues are close. Any frame will do, but it must be orthogonal.
      if (found.allFinite() && found.col(2).norm() > 0.5) {
        const Vector3 x = found.col(2).normalized();
        Vector3 y = found.col(1) - found.col(1).dot(x) * x;
        if (y.norm() < 0.1) y = x.unitOrthogonal();
        y.normalize();
        y = (y - y.dot(x) * x).normalized();
        axes.col(0) = x;
        axes.col(1) = y;
        axes.col(2) = x.cross(y);
      }
    }
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        node.axes[j][i] = static_cast<float>(axes(j, i));
  }

  void fit(std::size_t n) {
    OrientedNode& node = tree.nodes[n];
    set_axes(node, node_moments[n]);
    const Matrix3 axes = node.axis_matrix();
    const Vector3& mean = node_moments[n].mean;
    std::array<Aabb, 8> reaches;
    Aabb all;
    for (const unsigned s : node.children()) {
      const LeafRange range = child_range(node, s);
      reaches[s] = project_corners(corners.data() + range.begin, corners.data() + range.end, axes, mean);
      all.include(reaches[s]);
    }
    // The middle of the node's box becomes its origin.
    const Vector3 middle = all.lower / 2 + all.upper / 2;
    const Vector3 origin = mean + middle[0] * axes.col(0) + middle[1] * axes.col(1) + middle[2] * axes.col(2);
    const Vector3 sizes = all.lower.cwiseAbs().cwiseMax(all.upper.cwiseAbs());
    const double size = sizes[0] + sizes[1] + sizes[2];
    const Vector3 shift =
        geometry::turned_back(axes, origin - mean);  // of the coordinates, from the mean to the origin
    std::copy_n(origin.data(), 3, node.origin);
    // The projections, the shift and the sums below carry about twenty roundings of numbers no larger than `size`. The
    // differences p - from and origin - from, which are no larger either, are each off by half an ulp.
    const double slack = 0x1p-46 * size + 0x1p-140;
    float radius = 0;
    for (std::size_t s = 0; s < 8; ++s) {
      const bool valid = (node.valid >> s & 1) != 0;
      for (int i = 0; i < 3; ++i) {
        if (!valid) {
          node.center[i][s] = 0;
          node.half[i][s] = -1;
          continue;
        }
        const double lower = reaches[s].lower[i] - shift[i] - slack;
        const double upper = reaches[s].upper[i] - shift[i] + slack;
        const float center = static_cast<float>(lower / 2 + upper / 2);
        const double half = std::max(upper - static_cast<double>(center), static_cast<double>(center) - lower);
        node.center[i][s] = center;
        node.half[i][s] = std::nextafter(static_cast<float>(half * (1 + 0x1p-50)), std::numeric_limits<float>::max());
        radius = std::max(radius, std::abs(center) + node.half[i][s]);
      }
    }
    for (const unsigned s : simd::SetBits(node.leaves))
      radius = std::max(radius, set_leaf(node, node.index(s)));
    node.radius = radius * (1 + 0x1p-20f);
  }

  float set_leaf(const OrientedNode& node, std::uint32_t k) {
    TriangleLeaf& leaf = tree.leaves[k];
    float largest = 0;
    for (std::size_t c = 0; c < 12; ++c) {
      leaf.x[c] = static_cast<float>(corners[k].x[c] - node.origin[0]);
      leaf.y[c] = static_cast<float>(corners[k].y[c] - node.origin[1]);
      leaf.z[c] = static_cast<float>(corners[k].z[c] - node.origin[2]);
      largest = std::max({largest, std::abs(leaf.x[c]), std::abs(leaf.y[c]), std::abs(leaf.z[c])});
    }
    return largest;
  }

  void run() {
    Aabb bounds;
    for (const TriangleLeaf& leaf : tree.leaves)
      for (const std::uint32_t id : leaf.id)
        for (const std::uint32_t v : triangles[id])
          bounds.include(vertices[v]);
    tree.set_scale(bounds);
    tree.is_aligned = false;
    gather();
    sum_up();
    for_all(tree.nodes.size(), parallel, [&](std::size_t n) { fit(n); });
  }
};

}  // namespace

OrientedTree lay_out(const Topology& topology) {
  OrientedTree tree;
  tree.nodes.resize(topology.nodes.size());
  std::vector<std::uint8_t> level(topology.nodes.size(), 1);
  for (std::size_t n = 0; n < topology.nodes.size(); ++n) {
    const Topology::Node& from = topology.nodes[n];
    OrientedNode& node = tree.nodes[n];
    node = OrientedNode{};
    tree.depth = std::max<std::size_t>(tree.depth, level[n]);
    for (std::size_t i = 0; i < from.size; ++i) {
      node.valid = static_cast<std::uint8_t>(node.valid | 1u << i);
      node.child[i] = from.child[i];  // of a leaf: its first item, until the leaves are numbered
      if (from.items[i] == 0) {
        level[from.child[i]] = static_cast<std::uint8_t>(level[n] + 1);
      } else {
        node.leaves = static_cast<std::uint8_t>(node.leaves | 1u << i);
      }
    }
  }
  // Leaves are numbered in the order of their items, so that the leaves of a subtree are contiguous.
  std::vector<std::uint32_t> leaf_at(topology.order.size(), 0);
  for (const Topology::Node& node : topology.nodes)
    for (std::size_t i = 0; i < node.size; ++i)
      if (node.items[i] != 0) leaf_at[node.child[i]] = node.items[i];
  std::uint32_t count = 0;
  for (std::size_t begin = 0; begin < leaf_at.size();) {
    const std::uint32_t items = leaf_at[begin];
    TriangleLeaf leaf{};
    for (std::size_t i = 0; i < 4; ++i)
      leaf.id[i] = topology.order[begin + std::min<std::size_t>(i, items - 1)];
    tree.leaves.push_back(leaf);
    leaf_at[begin] = OrientedNode::leaf_bit | (items - 1) << OrientedNode::count_shift | count++;
    begin += items;
  }
  for (OrientedNode& node : tree.nodes)
    for (const unsigned i : simd::SetBits(node.leaves))
      node.child[i] = leaf_at[node.child[i]];
  return tree;
}

std::vector<Aabb> triangle_boxes(std::span<const Vector3> vertices, std::span<const Index3> triangles, bool parallel) {
  std::vector<Aabb> boxes(triangles.size());
  for_all(boxes.size(), parallel, [&](std::size_t i) {
    for (const std::uint32_t v : triangles[i])
      boxes[i].include(vertices[v]);
  });
  return boxes;
}

void OrientedTree::set_scale(const Aabb& bounds) {
  coordinate = bounds.lower.cwiseAbs().cwiseMax(bounds.upper.cwiseAbs()).maxCoeff();
  const double size = (bounds.upper - bounds.lower).maxCoeff();
  const double measure = size > 0 ? size : coordinate;
  const int exponent = measure > 0 ? std::clamp(std::ilogb(measure), -500, 500) : 0;
  scale = std::ldexp(1.0, -exponent);
}

OrientedTree build_oriented_tree(std::span<const Vector3> vertices, std::span<const Index3> triangles,
                                 const TreeOptions& options) {
  OrientedTree tree;
  with_tasks("tree", options.threads, [&](bool parallel) {
    tree = lay_out(build_topology(triangle_boxes(vertices, triangles, parallel), options));
    Fill{tree, vertices, triangles, parallel}.run();
  });
  return tree;
}

void refit(OrientedTree& tree, std::span<const Vector3> vertices, std::span<const Index3> triangles, bool parallel) {
  Fill{tree, vertices, triangles, parallel}.run();
}

}  // namespace whisker::trees
