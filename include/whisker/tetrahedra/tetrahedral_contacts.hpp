#pragma once

/// \file
/// Where tetrahedral meshes overlap each other or themselves: exact, by spatial hashing.
///
///     std::vector<TetrahedralMesh> bodies;
///     bodies.emplace_back(make::tetrahedral_box());
///     bodies.emplace_back(make::tetrahedral_ball({.radius = 0.5}));
///     TetrahedralContactFinder finder;
///     TetrahedralContacts contacts;  // keep both from frame to frame
///     for (const std::vector<Vector3>& positions : frames) {
///       bodies[1].set_vertices(positions);
///       finder.find(bodies, contacts);
///       for (const VertexContact& c : contacts.vertices) respond(bodies[c.mesh], c.vertex);  // lies in the other body
///     }
///
/// Vertices in tetrahedra are found as in Teschner, Heidelberger, Müller, Pomeranets and Gross ("Optimized Spatial
/// Hashing for Collision Detection of Deformable Objects", 2003). That method misses edges that cross another body
/// without a vertex inside it. Here these are found as edges that touch faces. tetrahedral_depths.hpp computes
/// penetration depths from the contacts.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/detail/held.hpp>
#include <whisker/result.hpp>
#include <whisker/tetrahedra/tetrahedral_mesh.hpp>

namespace whisker {

/// A vertex of one mesh lies in a tetrahedron of another mesh, or of the same mesh, boundary included.
struct VertexContact {
  std::uint32_t mesh = 0;         ///< The index of the mesh that has the vertex.
  std::uint32_t other = 0;        ///< The index of the mesh that has the tetrahedron.
  std::uint32_t vertex = 0;       ///< In vertices() of `mesh`.
  std::uint32_t tetrahedron = 0;  ///< In tetrahedra() of `other`.

  bool operator==(const VertexContact&) const = default;
};

/// An edge of one mesh touches a face of another mesh, or of the same mesh.
struct EdgeContact {
  std::uint32_t mesh = 0;   ///< The index of the mesh that has the edge.
  std::uint32_t other = 0;  ///< The index of the mesh that has the face.
  std::uint32_t edge = 0;   ///< In edges() of `mesh`.
  std::uint32_t face = 0;   ///< In faces() of `other`.

  bool operator==(const EdgeContact&) const = default;
};

/// Options of TetrahedralContactFinder::find().
struct TetrahedralContactOptions {
  /// Whether to search for contacts of a mesh with itself.
  bool self = true;
  /// Whether to search for edge contacts. Otherwise only vertices in tetrahedra are found.
  bool edges = true;
  /// The largest number of vertex contacts, and also of edge contacts. A limit is needed because a body that has
  /// collapsed to a point has as many contacts as there are pairs.
  std::size_t max_count = 10'000'000;
  /// The number of threads: 0 for all that oneTBB provides, 1 for the calling thread alone, n for at most n. A negative
  /// number is an Error. The result does not depend on it.
  int threads = 0;
};

/// What a search did in addition to the tests that Cost counts. Like those, these counts depend neither on timing nor
/// on the number of threads.
struct TetrahedralContactCounts {
  std::uint64_t levels = 0;   ///< Cell sizes in use.
  std::uint64_t entries = 0;  ///< Entries put into cells.
  std::uint64_t cells = 0;    ///< Cells searched.
};

/// The result of a search. In both lists each pair occurs once, sorted in ascending order by the members in the order
/// of their declaration.
///
/// `vertices` has every pair of a vertex and a tetrahedron whose closed hull contains the vertex, except the
/// tetrahedron's own corners. (A vertex of another mesh at the same position as a corner counts, and so does another
/// vertex of the same mesh.) Vertices that belong to no tetrahedron are ignored.
///
/// `edges` has pairs of an edge and a surface face that share a point, except pairs of one mesh that share a vertex.
/// Surface faces are the border faces and, in addition, the faces of tetrahedra that are currently flat or inverted
/// (`TetrahedralMesh::inverted`). All such pairs are listed whose edge belongs to a surface face or has an end in
/// `vertices`; the latter are the edges along which depth is measured (tetrahedral_depths.hpp).
///
/// Both lists are exact for the current vertex positions. It follows, as docs/deforming.md proves:
///  - Two meshes share a point if and only if there is a contact between them.
///  - A mesh without `inverted` tetrahedra has a contact with itself if and only if two of its tetrahedra share a point
///    outside the hull of the corners that they share. This requires that the tetrahedra around each vertex and around
///    each edge are connected through faces, and that the tetrahedra around an interior edge go around it exactly once.
struct TetrahedralContacts {
  std::vector<VertexContact> vertices;
  std::vector<EdgeContact> edges;
  /// `count` if one of the lists would have more than `max_count` entries. Then that list has `max_count` of them at
  /// most, the same ones each time.
  Stop stop = Stop::exact;
  /// `volume_tests` counts the AABBs compared with the entries of a cell, `primitive_tests` the pairs tested exactly.
  Cost cost;
  TetrahedralContactCounts counts;

  /// Whether there is no contact.
  bool empty() const { return vertices.empty() && edges.empty(); }
};

/// Finds contacts, and owns the working memory for it: after a few frames nothing is allocated. One thread at a time
/// may use a finder.
///
/// The cell sizes are chosen automatically: about the size of a typical tetrahedron, and 4, 16, … times larger or
/// smaller for tetrahedra that need it, so that every tetrahedron searches few cells, whatever its size. For n
/// tetrahedra and vertices in L such levels, a search costs about n L plus the number of contacts.
class TetrahedralContactFinder {
 public:
  TetrahedralContactFinder();

  /// Finds all contacts of these meshes with each other and with themselves. `contacts` is cleared first, and its
  /// memory is reused. The result is the same on every processor and with any number of threads. Throws an Error if all
  /// meshes together have more than 2^32 - 2 vertices, tetrahedra, faces or edges, or if the number of threads is
  /// negative.
  void find(std::span<const TetrahedralMesh> meshes, TetrahedralContacts& contacts);
  void find(std::span<const TetrahedralMesh> meshes, const TetrahedralContactOptions& options,
            TetrahedralContacts& contacts);

 private:
  struct Scratch;
  Held<"TetrahedralContactFinder", Owned<Scratch>> scratch_;
};

}  // namespace whisker
