#pragma once

// What a DeformingMesh keeps. Trees are built when the first question that needs them is asked, and fitted at every
// step from then on.

#include <cstdint>
#include <vector>

#include <whisker/deforming_mesh.hpp>

#include "deform/lazily.hpp"
#include "deform/swept_tree.hpp"

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

}  // namespace deform

struct DeformingMesh::Storage {
  std::vector<Vector3> start;
  std::vector<Vector3> end;
  std::vector<Index3> triangles;

  const std::vector<Index2>& edges() const;
  /// The edges of each triangle: from its first corner to the second, and so on.
  const std::vector<Index3>& triangle_edges() const;
  const deform::SweptParts& swept() const;

  /// What was made fits the step again.
  void refit();

 private:
  deform::Lazily<std::vector<Index2>> edges_;
  deform::Lazily<std::vector<Index3>> triangle_edges_;
  deform::Lazily<deform::SweptParts> swept_;
};

}  // namespace whisker
