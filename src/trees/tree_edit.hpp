#pragma once

// Takes triangles out of an aligned tree and puts others in, without building it anew.

#include <cstdint>
#include <span>
#include <vector>

#include "trees/oriented_tree.hpp"

namespace whisker::trees {

/// The mesh's vertices and triangles are as they will be; the tree's boxes are from before, and are only a guide. When
/// all is done, `finish` lays it out as trees are, and then it is to be fitted. If it becomes deeper than a search can
/// go, as many triangles at one place make it, nothing more is done, and `finish` says so.
class TreeEditor {
 public:
  /// O(n): finds where each triangle is. `tree` is aligned and has been fitted.
  TreeEditor(OrientedTree& tree, std::span<const Vector3> vertices, std::span<const Index3> triangles,
             std::size_t old_triangle_count);

  /// Takes out a triangle of the tree; there is another one. O(1).
  void remove(std::uint32_t triangle);
  /// Triangle `from` of the tree has another number now. O(1).
  void renumber(std::uint32_t from, std::uint32_t to);
  /// Puts in a triangle where boxes grow least by it. O(depth).
  void add(std::uint32_t triangle);

  /// Nodes before their children, subtree by subtree, and none that nothing leads to. O(n). False if the tree is deeper
  /// than a search can go: then it has to be built anew.
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
  Aabb box_of(std::uint32_t triangle) const;
  Aabb box_of(std::span<const std::uint32_t> ids) const;

  OrientedTree& tree_;
  std::span<const Vector3> vertices_;
  std::span<const Index3> triangles_;
  std::vector<Place> place_of_node_, place_of_leaf_;
  std::vector<std::uint32_t> leaf_of_;  // by triangle
  bool is_too_deep_ = false;
};

}  // namespace whisker::trees
