#pragma once

// Removes triangles from an aligned tree and adds others, without rebuilding it.

#include <cstdint>
#include <span>
#include <vector>

#include "trees/oriented_tree.hpp"

namespace whisker::trees {

/// The mesh's vertices and triangles are those after the edit. The tree's boxes are those from before the edit and
/// serve only as a guide. At the end, `finish` restores the usual layout, and then the tree must be fitted. If the tree
/// becomes deeper than a search can go, for example because many triangles are in one place, all further edits do
/// nothing, and `finish` reports it.
class TreeEditor {
 public:
  /// O(n): finds where each triangle is. `tree` must be aligned and fitted.
  TreeEditor(OrientedTree& tree, std::span<const Vector3> vertices, std::span<const Index3> triangles,
             std::size_t old_triangle_count);

  /// Removes a triangle from the tree, which must contain at least one other. O(1).
  void remove(std::uint32_t triangle);
  /// Changes the number of a triangle in the tree. O(1).
  void renumber(std::uint32_t from, std::uint32_t to);
  /// Adds a triangle where boxes grow least. O(depth).
  void add(std::uint32_t triangle);

  /// Orders nodes before their children, subtree by subtree, and drops unreachable ones. O(n). Returns false if the
  /// tree is deeper than a search can go. It must then be rebuilt.
  bool finish();

 private:
  struct Place {
    std::uint32_t node = 0;
    std::uint32_t slot = 0;
  };
  std::size_t size_of(std::uint32_t leaf) const;
  void set_leaf(std::uint32_t leaf, std::span<const std::uint32_t> ids);
  void remove_child(Place place);
  void move_child(Place from, Place to);
  void set_child_leaf(Place place, std::uint32_t leaf, std::span<const std::uint32_t> ids);
  void set_box(Place place, const Aabb& box);
  /// The box in the tree's unit, relative to the node's origin.
  Aabb relative_to(const OrientedNode& node, const Aabb& box) const;
  Aabb box_of(std::span<const std::uint32_t> ids) const;

  OrientedTree& tree_;
  std::span<const Vector3> vertices_;
  std::span<const Index3> triangles_;
  std::vector<Place> place_of_node_, place_of_leaf_;
  std::vector<std::uint32_t> leaf_of_;  // by triangle
  bool is_too_deep_ = false;
};

}  // namespace whisker::trees
