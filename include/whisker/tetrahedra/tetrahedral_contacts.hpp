#pragma once

/// \file
/// Where volumes of tetrahedra overlap each other or themselves: exact, by spatial hashing.
///
///     std::vector<TetrahedralMesh> bodies = …;
///     TetrahedralContactFinder finder;
///     TetrahedralContacts contacts;                       // both are kept from frame to frame
///     for (;;) {
///       for (…) bodies[i].set_vertices(…);
///       finder.find(bodies, contacts);
///       for (const VertexContact& c : contacts.vertices) …  // vertex c.vertex of bodies[c.mesh] is in a tetrahedron
///     }
///
/// Vertices in tetrahedra are found as by Teschner, Heidelberger, Müller, Pomeranets and Gross ("Optimized Spatial
/// Hashing for Collision Detection of Deformable Objects", 2003). What that misses, edges that cross with no vertex
/// inside, is found as edges that touch faces.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <whisker/detail/held.hpp>
#include <whisker/result.hpp>
#include <whisker/tetrahedra/tetrahedral_mesh.hpp>

namespace whisker {

/// A vertex of one mesh lies in a tetrahedron of another, or of the same, border included.
struct VertexContact {
  std::uint32_t mesh = 0;  ///< whose vertex
  std::uint32_t other = 0;
  std::uint32_t vertex = 0;
  std::uint32_t tetrahedron = 0;  ///< of `other`

  bool operator==(const VertexContact&) const = default;
};

/// An edge of one mesh touches a face of another, or of the same.
struct EdgeContact {
  std::uint32_t mesh = 0;  ///< whose edge
  std::uint32_t other = 0;
  std::uint32_t edge = 0;  ///< in its mesh's edges()
  std::uint32_t face = 0;  ///< in the other's faces()

  bool operator==(const EdgeContact&) const = default;
};

struct TetrahedralContactOptions {
  /// Whether contacts of a mesh with itself are looked for.
  bool self = true;
  /// Whether edges are looked at. Without them only vertices in tetrahedra are found.
  bool edges = true;
  /// At most so many contacts of vertices, and so many of edges, are found: a body that has collapsed to a point has as
  /// many as there are pairs.
  std::size_t max_count = 10'000'000;
  /// How many threads work: 0 all that oneTBB gives, 1 the calling thread alone, n at most n; negative is an Error. The
  /// answer is the same.
  int threads = 0;
};

/// What a search did beside the tests that Cost counts; these numbers do not depend on the clock or the number of
/// threads either.
struct TetrahedralContactCounts {
  std::uint64_t levels = 0;   ///< cell sizes in use
  std::uint64_t entries = 0;  ///< things put into cells
  std::uint64_t cells = 0;    ///< cells looked into
};

/// What was found. Both lists are in ascending order of their members as listed, each pair once.
///
/// `vertices` holds every pair of a vertex and a tetrahedron that has it in its closed hull, but for the tetrahedron's
/// own corners. (A vertex of another mesh in the same place as a corner counts, and so does another vertex of the same
/// mesh.) Vertices of no tetrahedron do not count.
///
/// `edges` holds every pair of an edge and a surface face that share a point, but for those of one mesh that share a
/// vertex. Surface faces are the border, and at present also the faces of tetrahedra that are flat or inside out
/// (`TetrahedralMesh::inverted`). The edge is one of a surface face, or one with an end in `vertices`: these are the
/// edges along which depth is measured (tetrahedral_depths.hpp).
///
/// Both are exact about the vertices as they are. From this follows, as proven in docs/deforming.md:
///  - Two meshes share a point if and only if there is a contact of the two.
///  - A mesh with no `inverted` tetrahedron has a contact with itself if and only if two of its tetrahedra share a
///    point outside of the hull of the corners that they share. This asks that the tetrahedra at each vertex and at
///    each edge hang together by faces, and that those at an inner edge go round it once.
struct TetrahedralContacts {
  std::vector<VertexContact> vertices;
  std::vector<EdgeContact> edges;
  /// `count` if there are more than `max_count` of one of them: then the list holds some that there are, the same each
  /// time.
  Stop stop = Stop::exact;
  /// `volume_tests`: boxes compared with what was in a cell; `primitive_tests`: pairs put to the exact test.
  Cost cost;
  TetrahedralContactCounts counts;

  bool empty() const { return vertices.empty() && edges.empty(); }
};

/// Finds contacts, and keeps the memory it needs for that from one time to the next: after a few frames nothing is
/// allocated. One thread at a time may use it.
///
/// Cells are chosen by itself: about as large as the usual tetrahedron, and four times as large, sixteen times…, or as
/// small, for those that need it, so that one tetrahedron looks into few cells, whatever its size. For n tetrahedra and
/// vertices in L such levels a search costs about n L and what is found.
class TetrahedralContactFinder {
 public:
  TetrahedralContactFinder();
  TetrahedralContactFinder(TetrahedralContactFinder&&) noexcept;
  TetrahedralContactFinder& operator=(TetrahedralContactFinder&&) noexcept;
  ~TetrahedralContactFinder();

  /// All contacts of these meshes with each other and with themselves; `contacts` is cleared first and its memory used
  /// again. The same answer on every processor and any number of threads. Throws an Error only if all of them together
  /// have more than 2^32 - 2 vertices, tetrahedra, faces or edges.
  void find(std::span<const TetrahedralMesh> meshes, TetrahedralContacts& contacts);
  void find(std::span<const TetrahedralMesh> meshes, const TetrahedralContactOptions& options,
            TetrahedralContacts& contacts);

 private:
  struct Scratch;
  Held<"TetrahedralContactFinder", std::unique_ptr<Scratch>> scratch_;
};

}  // namespace whisker
