#pragma once

/// \file
/// Mesh: an immutable triangle mesh as a shape, with its search tree.
///
///     const Mesh part = Mesh(data).solid();        // data is a MeshData; solid() needs a closed surface
///     const bool hit = touches({part, pose}, Sphere{.radius = 2});
///     const Mesh bent = part.moved(new_vertices);  // the same triangles; the tree is refitted, not rebuilt
///
/// io.hpp reads meshes from files, and make/make.hpp generates them. mesh_queries.hpp has more queries on meshes:
/// closest points, containment, signed distance. For a mesh that deforms in every frame, use DeformingMesh
/// (deforming_mesh.hpp).

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

/// A triangle mesh as a shape, in its own frame. Copies share their data, and any number of threads may use it. A mesh
/// that was moved from is empty (held.hpp). Spans that its functions return are valid as long as the mesh or a copy of
/// it lives.
///
/// A mesh is a *surface* unless made `solid()`. The difference matters where one shape lies inside the other: a small
/// closed mesh inside a large one does not touch the large one's surface, but it overlaps the solid. Any triangles are
/// accepted, including triangle soups: degenerate triangles take part as segments and points, and duplicates and unused
/// vertices are kept.
class Mesh {
 public:
  /// Builds the search tree: O(n log n). Throws an Error if a vertex is not finite or beyond `max_coordinate`, an index
  /// is out of range, or there is no triangle.
  explicit Mesh(MeshData data);
  /// The same with options for building the tree (mesh_tree.hpp). Also throws an Error if `tree.threads` is negative.
  explicit Mesh(MeshData data, const TreeOptions& tree);

  std::span<const Vector3> vertices() const;
  std::span<const Index3> triangles() const;
  std::size_t triangle_count() const { return triangles().size(); }
  /// The corners of a triangle. Throws an Error if there is no such triangle.
  Triangle triangle(std::size_t index) const;

  /// The same surface as the boundary of a solid; it shares the data of this mesh. Throws an Error that says what is
  /// open if the mesh is not closed, and one if it is inside out (its volume is negative). Closed means that every edge
  /// has exactly two triangles, which pass it in opposite directions; vertices at equal positions count as one, and
  /// triangles that then have fewer than three vertices do not count.
  Mesh solid() const;
  bool is_solid() const {
    static_cast<void>(*storage_);  // throws if the mesh was moved from
    return is_solid_;
  }
  /// Whether solid() would succeed. O(n log n).
  bool can_be_solid() const;

  /// The same triangles with moved vertices: `new_vertices[i]` is the new position of vertex i. The search tree keeps
  /// its structure and is refitted, on as many threads as it was built with. This is much cheaper than building a tree.
  /// All query results are those of a mesh built from the new data, but after a large deformation queries may cost
  /// more. If this mesh is a solid, the result is a solid only if it meets the conditions of solid(); `is_solid()`
  /// tells. Throws an Error if the number of vertices differs, and the Errors of the constructor.
  Mesh moved(std::span<const Vector3> new_vertices) const;

  /// Measures the quality of the search tree (mesh_tree.hpp). O(n log n).
  TreeReport tree_report() const;

  /// The smallest AABB around all triangles, in the mesh's frame.
  Aabb bounds() const;
  /// The total area of all triangles. O(n).
  double area() const;
  /// The enclosed volume of a solid; 0 for a surface. O(n).
  double volume() const;
  /// The center of volume of a solid, or the center of area of a surface. A solid whose volume is not above rounding
  /// error counts as a surface. If the area is 0, the mean of all triangles' corners. O(n).
  Vector3 centroid() const;

 private:
  friend struct Internals;
  struct Storage;
  /// From data that is known to be valid.
  Mesh(std::shared_ptr<const Storage> storage, bool is_solid);

  Held<"Mesh", std::shared_ptr<const Storage>> storage_;
  bool is_solid_ = false;
};

}  // namespace whisker
