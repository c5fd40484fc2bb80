#pragma once

// Fits an oriented tree whose node frames are all the mesh's own axes. Used for meshes that deform, where the fit runs
// at every step and has to be fast.

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

/// Bounds of everything below a node, relative to the node's origin, in the tree's unit.
struct alignas(16) NodeBounds {
  float lower[4];  ///< the fourth is unused
  float upper[4];  ///< the fourth is an eighth of the surface area of the children's boxes
};

/// `parts` are subtrees that are contiguous ranges [first, end) of the nodes and can be fitted in parallel. `rest` are
/// all other nodes. They are fitted afterward, from the last to the first.
struct FitPlan {
  struct Part {
    std::uint32_t first;
    std::uint32_t end;
  };
  std::vector<Part> parts;
  std::vector<std::uint32_t> rest;  // in ascending order
};
FitPlan plan_fit(const OrientedTree& tree);

/// Fits the tree to the vertices: axes, origins, boxes and corners. `bounds` are the bounds of all vertices in use, and
/// must be finite. No coordinate is off by more than its rounding to float, wherever the mesh is, because a node's
/// origin is one of its vertices. Sets `node_bounds` for each node.
void fit_aligned(OrientedTree& tree, std::span<const Vector3> vertices, std::span<const LeafVertices> leaves,
                 const Aabb& bounds, const FitPlan& plan, bool parallel, std::vector<NodeBounds>& node_bounds);

/// The surface area of all children's boxes over that of the whole: about how many boxes a search tests.
double surface_cost(std::span<const NodeBounds> node_bounds);

}  // namespace whisker::trees
