#pragma once

/// \file
/// TetrahedralMesh: a soft body, that is, a volume of tetrahedra whose vertices move individually.
///
///     TetrahedralMesh body(make::tetrahedral_ball({.radius = 0.5}));
///     for (const std::vector<Vector3>& positions : frames) {
///       body.set_vertices(positions);
///       for (const Index3& t : body.border_triangles()) draw(positions[t[0]], positions[t[1]], positions[t[2]]);
///     }
///
/// tetrahedral_contacts.hpp finds where such bodies overlap each other or themselves, and tetrahedral_depths.hpp
/// computes how to separate them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/detail/held.hpp>
#include <whisker/mesh.hpp>
#include <whisker/mesh_data.hpp>
#include <whisker/vector.hpp>

namespace whisker {

/// A tetrahedron as four vertex indices, in any order.
using Index4 = std::array<std::uint32_t, 4>;

/// Vertices and the tetrahedra that connect them: plain data without any guarantee.
struct TetrahedralData {
  std::vector<Vector3> vertices;
  std::vector<Index4> tetrahedra;
};

/// Copies both from the caller's arrays (mesh_data.hpp). Throws an Error if a vertex number is negative or does not fit
/// into 32 bits.
TetrahedralData tetrahedral_data(const StridedPoints& vertices, const StridedIndices<4>& tetrahedra);

/// Options of a TetrahedralMesh.
struct TetrahedralMeshOptions {
  /// The number of threads for `set_vertices` and `border`: 0 for all that oneTBB provides, 1 for the calling thread
  /// alone, n for at most n. A negative number is an Error.
  int threads = 0;
};

/// A volume of tetrahedra. Its topology (which vertices belong together) is fixed, and its vertex positions are set
/// each frame. Copies share the topology. Queries are const, and may run on many threads while no thread calls
/// set_vertices().
///
/// A tetrahedron is the closed convex hull of its four corners, wherever they are. If it is inverted or flat (a
/// polygon, a segment, a point), it still consists of the points of that hull. The volume is the union of all
/// tetrahedra.
///
/// The topology is computed once. A face belongs to two tetrahedra (an inner face) or to one (a border face). Faces and
/// edges are numbered with the border first. Which side of the border is outside follows from how the tetrahedra are
/// connected, not from their positions: two tetrahedra that share a face are taken to lie on opposite sides of it, in
/// whatever order their corners are listed, and each part whose tetrahedra are connected through faces is taken to have
/// a positive volume at its initial positions. (If that volume is exactly 0, the first tetrahedron of the part is taken
/// as listed: with the corners a, b, c, d it is not inverted if orient3d(a, b, c, d) > 0.)
class TetrahedralMesh {
 public:
  /// Takes O(n log n). Throws an Error that names the offending item if the data is not a volume: there is no
  /// tetrahedron, a vertex is not finite or beyond `max_coordinate`, an index is out of range or repeated in one
  /// tetrahedron, two tetrahedra have the same corners, a face belongs to three or more tetrahedra, or tetrahedra that
  /// are connected through faces have no border or cannot be oriented consistently.
  explicit TetrahedralMesh(TetrahedralData data, const TetrahedralMeshOptions& options = {});

  /// Sets the positions of all vertices; O(n), without allocation after the first few calls. Throws an Error if a
  /// vertex is not finite or beyond `max_coordinate`, or if the number of vertices differs; then the mesh is unchanged.
  void set_vertices(std::span<const Vector3> vertices);

  /// The current positions. This span and all others stay valid while the object is not assigned to, moved from or
  /// destroyed.
  std::span<const Vector3> vertices() const;
  /// The tetrahedra as they were given.
  std::span<const Index4> tetrahedra() const;

  /// Every face once: first the border, counter-clockwise seen from outside, then the inner ones.
  std::span<const Index3> faces() const;
  /// The border faces: the first part of faces().
  std::span<const Index3> border_triangles() const;
  /// Every edge once: first those of border triangles, then the inner ones, both in ascending order.
  std::span<const Index2> edges() const;
  /// The edges of border triangles: the first part of edges().
  std::span<const Index2> border_edges() const;
  /// The vertices of border triangles, in ascending order.
  std::span<const std::uint32_t> border_vertices() const;
  /// The vertices that share an edge with this vertex, in ascending order. A vertex that belongs to no tetrahedron has
  /// none. Throws an Error if there is no such vertex.
  std::span<const std::uint32_t> neighbors(std::uint32_t vertex) const;

  /// The tetrahedra that are currently flat or inverted, in ascending order. A tetrahedron is inverted if its
  /// orientation differs from that of most tetrahedra connected to it through faces. (A body that is mirrored as a
  /// whole has none.)
  std::span<const std::uint32_t> inverted() const;
  /// Whether the point lies in the closed hull of the tetrahedron's corners. Exact. Throws an Error if there is no such
  /// tetrahedron, or if the point is not finite.
  bool contains(std::size_t tetrahedron, const Vector3& point) const;
  /// The border at the current positions, as a mesh for queries with other shapes. Vertices and triangles have the same
  /// numbers as here. The mesh is not made solid(), because that fails where the body is inverted or pinched. Takes
  /// O(n), the first time O(n log n).
  Mesh border() const;

 private:
  friend struct Internals;
  struct Storage;
  Held<"TetrahedralMesh", OwnedCopy<Storage>> storage_;
};

}  // namespace whisker
