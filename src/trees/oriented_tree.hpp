#pragma once

// The tree of a mesh: nodes with up to eight children whose boxes share one oriented frame, and leaves of up to four
// triangles.
//
// Everything that a search reads is float, in the tree's unit (a power of two, chosen so that the mesh is about 1 long)
// and relative to the node's own origin, which is double. So a part of a millimeter in a scene of kilometers is as
// precise as it would be alone. Boxes are rounded outward, so that they enclose the mesh's doubles. Corners of
// triangles are rounded to nearest.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/geometry/aabb.hpp>
#include <whisker/mesh_data.hpp>
#include <whisker/mesh_tree.hpp>

#include "simd/set_bits.hpp"
#include "trees/topology.hpp"

namespace whisker::trees {

/// A node. For a point x of the mesh in the tree's unit, its coordinate along axis i is u_i = axis i · (x - origin). A
/// child contains only points with |u_i - center[i]| <= half[i], in real numbers.
struct alignas(64) OrientedNode {
  static constexpr std::uint32_t leaf_bit = 0x80000000u;
  static constexpr std::uint32_t index_mask = 0x1FFFFFFFu;
  static constexpr int count_shift = 29;

  float center[3][8];
  float half[3][8];
  /// Inner child: its node. Leaf: leaf_bit, its number of triangles minus one from bit count_shift on, and its number
  /// in `leaves`.
  std::uint32_t child[8];
  double origin[4];  // the last is 0
  /// Perpendicular unit vectors, up to their rounding to float (2^-23). Axis i is column i, so that axes[j][i] is its
  /// component j. The last column is 0.
  float axes[3][4];
  /// No coordinate u of the node, and no coordinate of its leaves' corners along the mesh's axes, is larger.
  float radius;
  std::uint8_t valid;   // bit i: child i exists
  std::uint8_t leaves;  // bit i: child i is a leaf

  /// The children's numbers.
  simd::SetBits children() const { return simd::SetBits(valid); }
  bool is_leaf(std::integral auto i) const { return (leaves >> i & 1) != 0; }
  std::uint32_t index(std::integral auto i) const { return child[i] & index_mask; }
  std::uint32_t triangles(std::integral auto i) const { return (child[i] >> count_shift & 3u) + 1; }

  // As doubles.
  Vector3 origin_point() const { return {origin[0], origin[1], origin[2]}; }
  Vector3 axis(std::integral auto i) const {
    return Eigen::Vector3f(axes[0][i], axes[1][i], axes[2][i]).cast<double>();
  }
  /// The axes as columns.
  Matrix3 axis_matrix() const {
    Matrix3 columns;
    columns << axis(0), axis(1), axis(2);
    return columns;
  }
  Vector3 center_of(std::integral auto i) const {
    return Eigen::Vector3f(center[0][i], center[1][i], center[2][i]).cast<double>();
  }
  Vector3 half_of(std::integral auto i) const {
    return Eigen::Vector3f(half[0][i], half[1][i], half[2][i]).cast<double>();
  }
  /// The box of child i, along the node's axes.
  Aabb box_of(std::integral auto i) const { return {center_of(i) - half_of(i), center_of(i) + half_of(i)}; }
};
static_assert(sizeof(OrientedNode) == 320);

/// Up to four triangles. Unused slots repeat the last triangle. Corner c of triangle i is at [4 c + i], along the
/// mesh's axes, in the tree's unit, relative to the origin of the node above, rounded to nearest.
struct alignas(32) TriangleLeaf {
  float x[12];
  float y[12];
  float z[12];
  std::uint32_t id[4];
};
static_assert(sizeof(TriangleLeaf) == 160);

/// The corners in a node's leaves are off by half a float ulp in three coordinates, which is at most `corner_slack` of
/// the node's radius, and by underflow.
inline constexpr double corner_slack = 0x1p-23;
inline constexpr double smallest_slack = 0x1p-130;

struct OrientedTree {
  std::vector<OrientedNode> nodes;  // the root is nodes[0]; a node comes before its children
  std::vector<TriangleLeaf> leaves;
  double scale = 1;         // mesh coordinates times this are in the tree's unit
  std::size_t depth = 0;    // nodes on the longest path
  double coordinate = 0;    // the largest |coordinate| of the mesh, in its own unit
  bool is_aligned = false;  // all nodes have the mesh's own axes

  /// Gives all nodes the mesh's own axes.
  void set_aligned();
  /// Sets `coordinate` and `scale` for a mesh with these bounds: the power of two that makes it about 1 long.
  void set_scale(const Aabb& bounds);
};

/// Creates a tree of this shape. Its volumes and corners are not set yet.
OrientedTree lay_out(const Topology& topology);

std::vector<Aabb> triangle_boxes(std::span<const Vector3> vertices, std::span<const Index3> triangles, bool parallel);

OrientedTree build_oriented_tree(std::span<const Vector3> vertices, std::span<const Index3> triangles,
                                 const TreeOptions& options);

/// Fits the volumes of a tree to new positions of the same triangles.
void refit(OrientedTree& tree, std::span<const Vector3> vertices, std::span<const Index3> triangles, bool parallel);

}  // namespace whisker::trees
