#pragma once

// The kinds of sides for `walk_sides`: the pyramid of a height field, the tree of a mesh, and single shapes. Items are
// placed triangles and simple shapes, in the world. Boxes are in a CullFrame.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include <whisker/error.hpp>
#include <whisker/height_field.hpp>

#include "convex/simple_shape.hpp"
#include "geometry/place.hpp"
#include "geometry/placed_box.hpp"
#include "mesh/cull_frame.hpp"
#include "mesh/mesh_queries.hpp"
#include "shapes/mesh_storage.hpp"

namespace whisker::mesh {

struct PlacedField {
  const HeightField& field;
  const Pose& pose;
};

inline convex::SimpleShape triangle_item(const Pose& pose, const Triangle& local, std::uint32_t number) {
  convex::SimpleShape item = convex::simple_triangle(geometry::placed_triangle(pose, local));
  item.number = number;
  return item;
}

/// A block of a height field's pyramid.
struct FieldBlock {
  int level;
  std::size_t i;
  std::size_t j;
};

inline FieldBlock whole_field(const HeightField& field) {
  return {field.levels() - 1, 0, 0};
}

/// In the field's own frame.
inline Aabb box_of_block(const HeightField& field, const FieldBlock& block) {
  const HeightField::Range heights = field.block_range(block.level, block.i, block.j);
  const auto corner = [&](std::size_t i, std::size_t j, double height) {
    return Vector3(static_cast<double>(std::min(i << block.level, field.columns() - 1)) * field.spacing_x(),
                   static_cast<double>(std::min(j << block.level, field.rows() - 1)) * field.spacing_y(), height);
  };
  return {corner(block.i, block.j, heights.lowest), corner(block.i + 1, block.j + 1, heights.highest)};
}

/// Visits the blocks of the next level in a block that is not a cell.
template <class Visit>
void each_part(const HeightField& field, const FieldBlock& block, Visit&& visit) {
  const int level = block.level - 1;
  const std::size_t columns = field.block_columns(level), rows = field.block_rows(level);
  for (std::size_t j = 2 * block.j; j < std::min(2 * block.j + 2, rows); ++j)
    for (std::size_t i = 2 * block.i; i < std::min(2 * block.i + 2, columns); ++i)
      visit(FieldBlock{level, i, j});
}

/// The first of a cell's two triangles.
inline std::size_t first_triangle(const HeightField& field, std::size_t i, std::size_t j) {
  return 2 * (j * (field.columns() - 1) + i);
}

/// A number of steps in a grid, rounded down, but at least `least` and at most `most`.
inline std::size_t clamped_steps(double steps, std::size_t least, std::size_t most) {
  return steps > static_cast<double>(least) ? std::min(static_cast<std::size_t>(std::min(steps, 1e18)), most) : least;
}

/// The largest absolute coordinate of the field in its own frame.
inline double largest_coordinate(const HeightField& field) {
  const Aabb bounds = field.bounds();
  return bounds.lower.cwiseAbs().cwiseMax(bounds.upper.cwiseAbs()).maxCoeff();
}

/// What placed sets of triangles have in common.
struct PlacedSide {
  const Pose& pose;
  const CullFrame& frame;
  Pose relative;
  double error;

  /// No coordinate of the set is larger than `size`.
  PlacedSide(const Pose& pose_, const CullFrame& cull_frame, double size)
      : pose(pose_), frame(cull_frame), relative(frame.relative(pose)), error(frame.error(size, pose)) {}

  Aabb placed(const Aabb& local) const {
    Aabb box = geometry::placed_box(local, relative);
    grow(box, error);
    return box;
  }
  double gap(const Aabb& box, const auto& node) const { return geometry::box_gap(box, node.box) * frame.stretch; }
};

/// The blocks of a height field's pyramid, down to single cells of two triangles. Throws an Error if there are too many
/// triangles to number them.
struct FieldSide : PlacedSide {
  struct Node {
    Aabb box;
    FieldBlock block{};
  };
  static constexpr std::size_t max_waiting = 3 * 33;  // as many levels as a triangle's number has bits

  const HeightField& field;

  FieldSide(const PlacedField& set, const CullFrame& cull_frame)
      : PlacedSide(set.pose, cull_frame, largest_coordinate(set.field)), field(set.field) {
    if (field.triangle_count() > std::numeric_limits<std::uint32_t>::max()) {
      throw Error("height field: " + std::to_string(field.triangle_count()) +
                  " triangles are more than contacts can number (2^32 - 1); cut it into several fields");
    }
  }

  Node node(const FieldBlock& block) const { return {placed(box_of_block(field, block)), block}; }

  Node root() const { return node(whole_field(field)); }
  bool is_leaf(const Node& n) const { return n.block.level == 0; }
  template <class Visit>
  void each_child(const Node& n, Visit&& visit) const {
    each_part(field, n.block, [&](const FieldBlock& part) { visit(node(part)); });
  }
  convex::SimpleShape item(std::size_t number) const {
    return triangle_item(pose, field.triangle(number), static_cast<std::uint32_t>(number));
  }
  template <class Visit>
  void each_item(const Node& n, Visit&& visit) const {
    const std::size_t first = first_triangle(field, n.block.i, n.block.j);
    visit(item(first));
    visit(item(first + 1));
  }
  std::size_t item_count() const { return field.triangle_count(); }

  /// The triangle at a point of the field's own frame, or the nearest one in the grid.
  std::size_t triangle_near(const Vector3& local) const {
    return first_triangle(field, clamped_steps(local[0] / field.spacing_x(), 0, field.columns() - 2),
                          clamped_steps(local[1] / field.spacing_y(), 0, field.rows() - 2));
  }
};

/// The triangles of a mesh in its oriented tree.
struct SurfaceSide : PlacedSide {
  struct Node {
    Aabb box;
    std::uint32_t index = 0;      // of a node, or of a leaf
    std::uint32_t triangles = 0;  // of a leaf; 0 for an inner node
  };
  static constexpr std::size_t max_waiting = 7 * 48;  // Topology::max_depth

  const Mesh& mesh;
  const trees::OrientedTree& tree;

  SurfaceSide(const PlacedMesh& set, const CullFrame& cull_frame)
      : PlacedSide(set.pose, cull_frame, storage_of(set.mesh).oriented.coordinate),
        mesh(set.mesh),
        tree(storage_of(set.mesh).oriented) {}

  Node root() const { return {placed(mesh.bounds()), 0, 0}; }
  bool is_leaf(const Node& n) const { return n.triangles != 0; }
  template <class Visit>
  void each_child(const Node& n, Visit&& visit) const {
    const trees::OrientedNode& node = tree.nodes[n.index];
    const Matrix3 turned = relative.rotation() * node.axis_matrix();
    const Vector3 placed_origin = relative.rotation() * (node.origin_point() / tree.scale) + relative.translation();
    for (const unsigned s : node.children()) {
      const Vector3 center = node.center_of(s), half = node.half_of(s);
      // The axes are orthogonal only up to 2^-23, so a point differs from axes * u by less than 2^-20 |u|.
      const double skew = 0x1p-19 * (center.lpNorm<1>() + half.lpNorm<1>());
      const Vector3 middle = placed_origin + turned * (center / tree.scale);
      const Vector3 reach = turned.cwiseAbs() * (half / tree.scale) + Vector3::Constant(2 * skew / tree.scale + error);
      visit(Node{{middle - reach, middle + reach}, node.index(s), node.is_leaf(s) ? node.triangles(s) : 0});
    }
  }
  convex::SimpleShape item(std::size_t number) const {
    return triangle_item(pose, mesh.triangle(number), static_cast<std::uint32_t>(number));
  }
  template <class Visit>
  void each_item(const Node& n, Visit&& visit) const {
    for (std::uint32_t k = 0; k < n.triangles; ++k)
      visit(item(tree.leaves[n.index].id[k]));
  }
  std::size_t item_count() const { return mesh.triangle_count(); }
};

/// What single shapes have in common: they are a tree of one leaf with one item.
struct SingleLeaf {
  struct Node {
    Aabb box;
  };
  static constexpr std::size_t max_waiting = 0;

  const convex::SimpleShape& shape;

  bool is_leaf(const Node&) const { return true; }
  template <class Visit>
  void each_child(const Node&, Visit&&) const {}
  const convex::SimpleShape& item(std::size_t) const { return shape; }
  template <class Visit>
  void each_item(const Node&, Visit&& visit) const {
    visit(shape);
  }
  std::size_t item_count() const { return 1; }
};

/// One bounded simple shape.
struct BoundedSide : SingleLeaf {
  Node bounds;
  double stretch;

  BoundedSide(const convex::SimpleShape& simple, const CullFrame& frame)
      : SingleLeaf{simple}, bounds{frame.box_around(simple)}, stretch(frame.stretch) {}
  Node root() const { return bounds; }
  double gap(const Aabb& box, const Node& n) const { return geometry::box_gap(box, n.box) * stretch; }
};

/// A half-space or plane. Its gap to a box is measured along its normal.
struct FlatSide : SingleLeaf {
  Vector3 normal;  // in the frame: normal · u - offset is positive above
  double offset = 0;
  double length = 1;       // of the normal in the world
  double offset_size = 0;  // sum of the absolute terms of the offset

  FlatSide(const convex::SimpleShape& simple, const CullFrame& frame) : SingleLeaf{simple} {
    // The points y = R u + t with m·(y - t_b) <= offset are those with (Rᵀm)·u <= offset - m·(t - t_b).
    const double steep = std::ldexp(1.0, std::min(1000, -std::ilogb(simple.normal.cwiseAbs().maxCoeff())));
    const Vector3 m = simple.normal * steep;
    const Vector3 between = frame.origin - simple.pose.translation();
    normal = frame.rotation.transpose() * m;
    offset = simple.offset * steep - m.dot(between);
    length = m.norm();
    offset_size = std::abs(simple.offset * steep) +
                  m.cwiseAbs().dot(frame.origin.cwiseAbs() + simple.pose.translation().cwiseAbs());
  }
  Node root() const { return {}; }
  double gap(const Aabb& box, const Node&) const {
    const Vector3 center = box.lower / 2 + box.upper / 2;
    const Vector3 half = box.upper / 2 - box.lower / 2;
    const double middle = normal.dot(center) - offset;
    const double reach = normal.cwiseAbs().dot(half);
    // About twenty roundings of terms that sum up to this. The normal's length is between 1 and 4.
    const double size = offset_size + 4 * (center.cwiseAbs() + half).sum();
    const double slack = 0x1p-46 * size + std::numeric_limits<double>::min();
    const double above = middle - reach - slack;
    const double below = shape.core == convex::SimpleShape::Core::plane ? -middle - reach - slack : 0;
    const double apart = std::max(above, below);
    return apart > 0 ? apart / length * (1 - 0x1p-50) : 0;
  }
};

}  // namespace whisker::mesh
