#pragma once

// What the shapes made of spheres share: SphereSet, SphereBody and SphereTree.

#include <span>

#include <whisker/spheres/sphere_set.hpp>
#include <whisker/spheres/sphere_tree.hpp>

namespace whisker::shapes {

/// What is wrong with a sphere, as the end of a sentence: a number that is not finite or beyond `max_coordinate`, or a
/// negative radius. Null if nothing is wrong.
const char* fault_of(const BoundingSphere& sphere);

/// A set of these spheres. Throws as its constructor does.
SphereSet set_of(std::span<const BoundingSphere> spheres);

/// Appends a node to a tree: the root, or a child of `node.parent`, and updates the parent and the levels. The parents
/// of successive nodes must be in ascending order.
void append_node(SphereTree& tree, SphereTreeNode node);

}  // namespace whisker::shapes
