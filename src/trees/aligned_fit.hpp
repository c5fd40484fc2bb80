#pragma once

// Fitting an oriented tree whose frames are all the mesh's own axes: for meshes that deform, where it is done at every
// step and has to be quick.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trees/oriented_tree.hpp"

namespace whisker::trees {

/// The vertices of a leaf's triangles: corner c of triangle i is vertex[4 c + i], as in TriangleLeaf.
struct LeafVertices {
  std::uint32_t vertex[12];
};
std::vector<LeafVertices> leaf_vertices(const OrientedTree& tree, std::span<const Index3> triangles);

/// About all that is below a node, relative to its origin, in the tree's unit.
struct alignas(16) NodeBounds {
  float lower[4];  ///< the last means nothing
  float upper[4];  ///< the last is an eighth of the surface area of its children's boxes
};

/// Subtrees that lie together, [first, end) of the nodes, and can be fitted at the same time; the nodes of none of them
/// are fitted after them, from the last to the first.
struct FitPlan {
  struct Part {
    std::uint32_t first;
    std::uint32_t end;
  };
  std::vector<Part> parts;
  std::vector<std::uint32_t> rest;  // in ascending order
};
FitPlan plan_fit(const OrientedTree& tree);

/// Fits the tree to the vertices: axes, origins, boxes and corners. `bounds` are those of all vertices in use, finite.
/// No coordinate is off by more than its rounding to float, whatever the place of the mesh: a node's origin is one of
/// its vertices. Sets `node_bounds` for each node.
void fit_aligned(OrientedTree& tree, std::span<const Vector3> vertices, std::span<const LeafVertices> leaves,
                 const Aabb& bounds, const FitPlan& plan, bool parallel, std::vector<NodeBounds>& node_bounds);

/// The surface areas of all children's boxes over that of the whole: about how many of them a search looks at.
double surface_cost(std::span<const NodeBounds> node_bounds);

}  // namespace whisker::trees
