#pragma once

// The internal storage of a DeformingMesh: its vertices and triangles, and what is derived from them. A query that
// first needs a derived part makes it. From then on, a table says what each change of the mesh does to the part.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
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

/// The two sides of a search for pairs of features: the vertices of one mesh and the triangles of the other, or the
/// edges of both.
struct FeatureSides {
  FeatureSides(const SweptParts& a, const SweptParts& b, FeatureHitKind kind)
      : is_edges(kind == FeatureHitKind::edge_edge),
        first(kind == FeatureHitKind::face_vertex ? b : a),
        second(kind == FeatureHitKind::face_vertex ? a : b) {}

  SweptItems items_a() const { return {is_edges ? first.edge_tree : first.vertex_tree, first.heights}; }
  SweptItems items_b() const { return {is_edges ? second.edge_tree : second.triangle_tree, second.heights}; }
  motion::FeaturePairKind pair_kind() const {
    return is_edges ? motion::FeaturePairKind::segment_segment : motion::FeaturePairKind::point_triangle;
  }
  motion::FeaturePairs pairs_of(const motion::NumberedPair* pairs) const {
    return {.numbered = pairs, .vertices_a = first.vertices.data(), .vertices_b = second.vertices.data()};
  }

  bool is_edges;
  const SweptParts& first;
  const SweptParts& second;
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

enum class MeshChange : std::uint8_t {
  step,     ///< the vertices have moved
  rebuild,  ///< the snapshot tree is built anew
  edit,     ///< the triangles have changed
  failure,  ///< another change ended with an exception and may have left trees that fit nothing
};

/// What a change does to a part that has been made.
enum class Effect : std::uint8_t {
  keep,    ///< it stays valid
  update,  ///< the change itself brings it up to date
  drop,    ///< the next query that needs it makes it again
};

/// A part that is derived from a mesh, and the effect of each change on it.
template <class T, Effect on_step, Effect on_rebuild, Effect on_edit, Effect on_failure>
class Derived {
 public:
  template <class Make>
  const T& get(const Make& make) const {
    return value_.get(make);
  }
  /// The part, or null if it has not been made.
  const T* made() const { return value_.made(); }
  /// The part, if it has been made and the change updates it, else null.
  T* to_update(MeshChange change) { return effect_of(change) == Effect::update ? value_.made() : nullptr; }
  void drop_by(MeshChange change) {
    if (effect_of(change) == Effect::drop) value_.drop();
  }

 private:
  static Effect effect_of(MeshChange change) {
    return std::array{on_step, on_rebuild, on_edit, on_failure}[static_cast<std::size_t>(change)];
  }

  shapes::Lazily<T> value_;
};

/// Everything that is derived from a mesh. A part may be made from parts before it, and then has at least their
/// effects.
struct DerivedParts {
  using enum Effect;
  // With the effects of a step, a rebuild, an edit and a failure:
  Derived<std::vector<Index2>, keep, keep, drop, keep> edges;
  Derived<std::vector<Index3>, keep, keep, drop, keep> triangle_edges;
  Derived<Fans, keep, keep, drop, keep> fans;
  Derived<SweptParts, update, keep, drop, drop> swept;
  Derived<StillParts, update, update, update, drop> still;
  Derived<NodeContours, keep, drop, drop, drop> contours;
  Derived<std::vector<LeafBoxes>, update, update, drop, drop> leaf_boxes;

  void drop_by(MeshChange change) {
    std::apply([&](auto&... part) { (part.drop_by(change), ...); },
               std::tie(edges, triangle_edges, fans, swept, still, contours, leaf_boxes));
  }
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
  deform::DerivedParts derived;

  const std::vector<Index2>& edges() const;
  /// The three edges of each triangle: from its first corner to its second, second to third, third to first.
  const std::vector<Index3>& triangle_edges() const;
  const deform::SweptParts& swept() const;
  const deform::StillParts& still() const;
  // Additional data for self-contact queries.
  const deform::Fans& fans() const;
  const deform::NodeContours& contours() const;
  const std::vector<deform::LeafBoxes>& leaf_boxes() const;

  double tree_growth() const;
  /// Must follow each change of `start`, `end` and `triangles`; `rebuild` is a change by itself. `edit` is needed for
  /// edits only. A step or an edit that makes the snapshot tree too bad becomes a rebuild. If the change fails, for
  /// example for lack of memory, the mesh still answers correctly.
  void take(deform::MeshChange change, const MeshEdit& edit = {}, std::size_t old_triangle_count = 0);
};

using DeformingMeshStorage = StorageOf<DeformingMesh>;

}  // namespace whisker
