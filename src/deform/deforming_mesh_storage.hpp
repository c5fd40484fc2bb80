#pragma once

// The internal storage of a DeformingMesh. Each tree is built by the first query that needs it and refitted at every
// step from then on.

#include <cstdint>
#include <memory>
#include <vector>

#include <whisker/deforming_mesh.hpp>

#include "deform/fans.hpp"
#include "deform/self_walk.hpp"
#include "deform/smooth_patches.hpp"
#include "deform/swept_tree.hpp"
#include "shapes/internals.hpp"
#include "shapes/lazily.hpp"
#include "shapes/mesh_storage.hpp"
#include "trees/aligned_fit.hpp"

namespace whisker {

namespace deform {

/// The data for queries about a whole step, from `start` to `end`.
struct SweptParts {
  // The vertices that belong to a triangle, in the order of their tree, so that vertices that are close in space are
  // close in memory. All three trees number vertices in this order. `order` maps each to the user's number.
  std::vector<std::uint32_t> order;
  std::vector<motion::MovingVertex> vertices;
  Vector3 origin = Vector3::Zero();  // boxes and heights are relative to this point
  std::vector<FloatBoxes> vertex_boxes;
  Heights heights;
  SweptTree vertex_tree;
  SweptTree edge_tree;
  SweptTree triangle_tree;
};

/// The mesh at the end of its step, with a tree whose node frames are aligned with the mesh's own axes.
struct StillParts {
  std::shared_ptr<MeshStorage> now;
  /// A second copy with the same triangles and the same tree, used in alternation while a caller holds a snapshot. May
  /// be null.
  std::shared_ptr<MeshStorage> spare;
  std::vector<std::uint32_t> used;  ///< the vertices that belong to a triangle
  std::vector<trees::LeafVertices> leaves;
  trees::FitPlan plan;
  std::vector<trees::NodeBounds> node_bounds;
  double built_cost = 0;   ///< trees::surface_cost of the tree when it was built
  bool has_moved = false;  ///< Whether the tree has been refitted to a step other than the one that it was built for.
};

/// Applies the edit of a mesh to its tree. `vertices` and `triangles` are those after the edit. Returns false if the
/// tree must be rebuilt.
bool edit_tree(const MeshEdit& edit, std::span<const Vector3> vertices, std::span<const Index3> triangles,
               std::size_t old_triangle_count, trees::OrientedTree& tree);

}  // namespace deform

struct DeformingMesh::Storage {
  std::vector<Vector3> start;
  std::vector<Vector3> end;
  std::vector<Index3> triangles;
  DeformingMeshOptions options;

  const std::vector<Index2>& edges() const;
  /// The three edges of each triangle: from its first corner to its second, second to third, third to first.
  const std::vector<Index3>& triangle_edges() const;
  const deform::SweptParts& swept() const;
  const deform::StillParts& still() const;
  // Additional data for self-contact queries.
  const std::vector<deform::LeafBoxes>& leaf_boxes() const;
  const deform::Fans& fans() const;
  const deform::NodeContours& contours() const;

  /// Updates everything that has been built to the current step. If that fails, for example for lack of memory, the
  /// trees are dropped and rebuilt when they are next needed.
  void refit();
  void rebuild();
  double tree_growth() const;
  /// Handles a change of the triangles: drops everything derived from the old ones. Only `still`, if it has been built,
  /// is updated in place.
  void take_edit(const MeshEdit& edit, std::size_t old_triangle_count);

 private:
  /// Runs `change`. If it throws, drops the trees and everything that depends on them.
  template <class Change>
  void change_trees(const Change& change);

  shapes::Lazily<std::vector<Index2>> edges_;
  shapes::Lazily<std::vector<Index3>> triangle_edges_;
  shapes::Lazily<deform::SweptParts> swept_;
  shapes::Lazily<deform::StillParts> still_;
  shapes::Lazily<std::vector<deform::LeafBoxes>> leaf_boxes_;
  shapes::Lazily<deform::Fans> fans_;
  shapes::Lazily<deform::NodeContours> contours_;
};

using DeformingMeshStorage = StorageOf<DeformingMesh>;

}  // namespace whisker
