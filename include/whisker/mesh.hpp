#pragma once

/// \file
/// Mesh: an immutable triangle mesh that queries work on, with its search tree.

#include <cstddef>
#include <memory>
#include <span>

#include <whisker/detail/held.hpp>
#include <whisker/geometry/aabb.hpp>
#include <whisker/mesh_data.hpp>
#include <whisker/primitives.hpp>

namespace whisker {

struct TreeOptions;
struct TreeReport;

/// A triangle mesh as a shape. Copies share their data; any number of threads may use it. One that was moved from is
/// empty (held.hpp).
///
/// A mesh is a *surface* unless made `solid()`. The two mean different things where one shape lies inside the other:
/// a small closed mesh inside a large one does not touch the large one's surface, but it overlaps the solid.
/// Soups are welcome: degenerate triangles take part as segments and points, duplicates and unused vertices are kept.
class Mesh {
 public:
  /// Throws an Error if a vertex is not finite or beyond `max_coordinate`, an index is out of range, or there is no
  /// triangle. Builds the search tree: O(n log n).
  explicit Mesh(MeshData data);
  /// The same with a tree that is built otherwise (mesh_tree.hpp).
  explicit Mesh(MeshData data, const TreeOptions& tree);

  std::span<const Vector3> vertices() const;
  std::span<const Index3> triangles() const;
  std::size_t triangle_count() const { return triangles().size(); }
  /// Throws an Error if there is no such triangle.
  Triangle triangle(std::size_t index) const;

  /// The same surface as the border of a solid. Throws an Error that says what is open if the mesh is not closed, and
  /// one if it is inside out (negative volume).
  Mesh solid() const;
  bool is_solid() const {
    static_cast<void>(*storage_);  // of one that was moved from nothing is known
    return is_solid_;
  }
  /// Whether solid() would succeed.
  bool can_be_solid() const;

  /// The same triangles with their vertices moved: `new_vertices[i]` is where vertex i is now. Its search tree is this
  /// one's, fitted anew, which is much cheaper than building one; all answers are those of a mesh built from the new
  /// data, but after a large deformation they may cost more. Throws an Error if the number of vertices differs, and
  /// those of the constructor. On as many threads as it was built with. Of a solid the result is a solid only if it is
  /// closed and not inside out still, as solid() asks; `is_solid()` tells.
  Mesh moved(std::span<const Vector3> new_vertices) const;

  /// How good the search tree is (mesh_tree.hpp). O(n log n).
  TreeReport tree_report() const;

  Aabb bounds() const;
  /// Area of all triangles.
  double area() const;
  /// Enclosed volume of a solid; 0 for a surface.
  double volume() const;
  /// Center of volume of a solid; center of area of a surface (of the vertices in use, where the area is 0).
  Vector3 centroid() const;

 private:
  friend struct Internals;
  struct Storage;
  /// Of what is known to be right.
  Mesh(std::shared_ptr<const Storage> storage, bool is_solid);

  Held<"Mesh", std::shared_ptr<const Storage>> storage_;
  bool is_solid_ = false;
};

}  // namespace whisker
