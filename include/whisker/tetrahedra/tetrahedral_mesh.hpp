#pragma once

/// \file
/// Soft bodies: volumes of tetrahedra whose vertices move on their own.
///
///     TetrahedralMesh body(make::tetrahedral_ball({.radius = 0.5}));
///     for (;;) {
///       body.set_vertices(next());                 // where they are now
///       for (const Index3& t : body.border_triangles()) draw(t);
///     }
///
/// Which of several such bodies overlap, or one itself, is found with tetrahedral_contacts.hpp, and how to get them
/// apart with tetrahedral_depths.hpp.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <whisker/detail/held.hpp>
#include <whisker/mesh.hpp>
#include <whisker/mesh_data.hpp>
#include <whisker/vector.hpp>

namespace whisker {

/// A tetrahedron as four vertex numbers, in any order.
using Index4 = std::array<std::uint32_t, 4>;

/// Vertices and the tetrahedra that join them: plain data, of which nothing is promised.
struct TetrahedralData {
  std::vector<Vector3> vertices;
  std::vector<Index4> tetrahedra;
};

struct TetrahedralMeshOptions {
  /// How many threads `set_vertices` works with: 0 all that oneTBB gives, 1 the calling thread alone, n at most n;
  /// negative is an Error.
  int threads = 0;
};

/// A volume of tetrahedra as it is at present: which vertices belong together stays, where they are is set each frame.
/// Copies share what stays. Questions are const, and may be asked from many threads while nobody sets vertices.
///
/// A tetrahedron is the closed convex hull of its four corners, wherever they are: turned inside out or flat (a
/// polygon, a segment, a point) it holds what lies in that hull. The volume is the union of all of them.
///
/// What stays is found once. A face belongs to two tetrahedra (an inner face) or to one: these are the border. Faces
/// and edges are numbered border first. Which side of the border is out follows from how the tetrahedra hang together,
/// not from where they are: two that share a face are taken to lie on both sides of it, whatever the order in which
/// their corners are listed, and the volume of all that hang together by faces to be positive as they were made. (If it
/// is exactly 0, the first of them is taken as listed: its first three corners turn left seen from the outside of the
/// fourth, that is orient3d(a, b, c, d) > 0 when it is the right way round.)
class TetrahedralMesh {
 public:
  /// O(n log n). Throws an Error that names the thing if there is no tetrahedron, a vertex is not finite or beyond
  /// `max_coordinate`, an index is out of range or repeated in one tetrahedron, two tetrahedra have the same
  /// corners, a face belongs to three or more, or tetrahedra that hang together by faces have no border or cannot be
  /// put the same way round: none of these is a volume.
  explicit TetrahedralMesh(TetrahedralData data, const TetrahedralMeshOptions& options = {});
  TetrahedralMesh(const TetrahedralMesh& other);
  TetrahedralMesh(TetrahedralMesh&&) noexcept;
  TetrahedralMesh& operator=(const TetrahedralMesh& other);
  TetrahedralMesh& operator=(TetrahedralMesh&&) noexcept;
  ~TetrahedralMesh();

  /// Where all vertices are now. O(n), without allocation after the first few. Throws an Error if one is
  /// not finite or beyond `max_coordinate`, or there are not as many as before; the mesh is then as it was.
  void set_vertices(std::span<const Vector3> vertices);

  std::span<const Vector3> vertices() const;
  /// As they were given.
  std::span<const Index4> tetrahedra() const;

  /// Every face once: first the border, counter-clockwise seen from outside, then the inner ones.
  std::span<const Index3> faces() const;
  std::span<const Index3> border_triangles() const;
  /// Every edge once: first those of border triangles, then the inner ones, both in ascending order.
  std::span<const Index2> edges() const;
  std::span<const Index2> border_edges() const;
  /// The vertices of border triangles, in ascending order.
  std::span<const std::uint32_t> border_vertices() const;
  /// The vertices that share an edge with this one, in ascending order; none for a vertex of no tetrahedron. Throws an
  /// Error if there is no such vertex.
  std::span<const std::uint32_t> neighbors(std::uint32_t vertex) const;

  /// The tetrahedra that are flat at present, or inside out: turned otherwise than most of those that hang together
  /// with them by faces. (A body that is mirrored as a whole has none.) In ascending order.
  std::span<const std::uint32_t> inverted() const;
  /// Is the point in the closed hull of the tetrahedron's corners? Exact. Throws an Error if there is no such
  /// tetrahedron, or the point is not finite.
  bool contains(std::size_t tetrahedron, const Vector3& point) const;
  /// The border as it is at present, for queries with other shapes. Its vertices and triangles are numbered as here; it
  /// is not made solid(), which fails where the body is turned inside out or pinched. O(n), the first time O(n log n).
  Mesh border() const;

 private:
  friend struct Internals;
  struct Storage;
  Held<"TetrahedralMesh", std::unique_ptr<Storage>> storage_;
};

}  // namespace whisker
