#pragma once

// What a DeformingMesh keeps. Trees are built when the first question that needs them is asked, and fitted at every
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

/// What questions about a step from `start` to `end` work with.
struct SweptParts {
  // The vertices that are in a triangle, in another order: that of their tree, so that what is near in space is near in
  // memory. The trees count them so.
  std::vector<std::uint32_t> order;
  std::vector<motion::MovingVertex> vertices;
  Vector3 origin = Vector3::Zero();  // boxes and heights are about it
  std::vector<FloatBoxes> vertex_boxes;
  Heights heights;
  SweptTree vertex_tree;
  SweptTree edge_tree;
  SweptTree triangle_tree;
};

/// The mesh at the end of its step, with a tree whose frames are the mesh's own axes.
struct StillParts {
  std::shared_ptr<MeshStorage> now;
  /// Another one of the same triangles and the same tree, used in turns while somebody holds a snapshot; may be null.
  std::shared_ptr<MeshStorage> spare;
  std::vector<std::uint32_t> used;  ///< vertices of triangles
  std::vector<trees::LeafVertices> leaves;
  trees::FitPlan plan;
  std::vector<trees::NodeBounds> node_bounds;
  double built_cost = 0;   ///< of the tree as it was built: trees::surface_cost
  bool has_moved = false;  ///< The tree was fitted to another step than the one that it was first built for.
};

/// The edit of a mesh, done to its tree; vertices and triangles are as they are after it. False if the tree has to be
/// built anew.
bool edit_tree(const MeshEdit& edit, std::span<const Vector3> vertices, std::span<const Index3> triangles,
               std::size_t old_triangle_count, trees::OrientedTree& tree);

}  // namespace deform

struct DeformingMesh::Storage {
  std::vector<Vector3> start;
  std::vector<Vector3> end;
  std::vector<Index3> triangles;
  DeformingMeshOptions options;

  const std::vector<Index2>& edges() const;
  /// The edges of each triangle: from its first corner to the second, and so on.
  const std::vector<Index3>& triangle_edges() const;
  const deform::SweptParts& swept() const;
  const deform::StillParts& still() const;
  // What looking for contacts of the mesh with itself needs besides.
  const std::vector<deform::LeafBoxes>& leaf_boxes() const;
  const deform::Fans& fans() const;
  const deform::NodeContours& contours() const;

  /// What was made fits the step again. If that fails, for want of memory, it is made anew when it is next needed.
  void refit();
  void rebuild();
  double tree_growth() const;
  /// What was made belongs to other triangles now; `still` only, if it was made, goes on.
  void take_edit(const MeshEdit& edit, std::size_t old_triangle_count);

 private:
  /// Does it; where it throws, the trees and what belongs to them are dropped.
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
