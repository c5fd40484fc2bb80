#pragma once

/// \file
/// How deep vertices lie in other volumes of tetrahedra, and which way is out.
///
///     finder.find(bodies, contacts);
///     depths.find(bodies, contacts, found);
///     for (const VertexDepth& d : found)
///       push(bodies[d.mesh], d.vertex, stiffness * d.depth * d.normal);
///
/// The way to the nearest point of a surface is no good answer for a body: from one vertex to the next it jumps to
/// another side, and past the middle it points through. Heidelberger, Teschner, Keiser, Müller and Gross ("Consistent
/// Penetration Depth Estimation for Deformable Collision Response", 2004) measure where edges leave the other body and
/// carry depth and direction inward from there.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <whisker/detail/held.hpp>
#include <whisker/tetrahedra/tetrahedral_contacts.hpp>

namespace whisker {

/// Where a vertex's depth and normal come from.
enum class DepthSource : std::uint8_t {
  edges,      ///< from its edges that leave the other body
  neighbors,  ///< from neighbors in the same body that have theirs
  surface,    ///< the nearest point of the other's border: nothing else reached it, or that was asked for
  none,       ///< nothing reached it, and the other body is its own: depth and normal are 0
};

struct VertexDepth {
  std::uint32_t mesh = 0;  ///< whose vertex
  std::uint32_t other = 0;
  std::uint32_t vertex = 0;
  DepthSource source = DepthSource::none;
  /// How far to go along `normal`; 0 or larger. An estimate, but for `surface`, where it is the distance, rounded.
  double depth = 0;
  /// Unit vector along which the vertex leaves the other body; zero with `none`.
  Vector3 normal = Vector3::Zero();
  /// Certified, if asked for: no shorter way than this, in any direction, takes the vertex out of the other body as it
  /// stands. 0 where that is not known: for a body with itself, and where the other has `inverted` tetrahedra.
  double lower = 0;
};

enum class DepthMode : std::uint8_t {
  consistent,  ///< as Heidelberger et al. 2004
  nearest,     ///< the nearest point of the other's border for each vertex by itself; none for a body with itself
};

struct TetrahedralDepthOptions {
  DepthMode mode = DepthMode::consistent;
  /// Whether `lower` is found. It costs a distance query per vertex.
  bool bounds = false;
  /// How many threads work: 0 all that oneTBB gives, 1 the calling thread alone, n at most n; negative is an Error. The
  /// answer is the same.
  int threads = 0;
};

/// Finds depths, and keeps the memory it needs for that from one time to the next. Allocates nothing after a few
/// frames, but where the border of a body is asked for its nearest point: then it fits that border's tree anew. One
/// thread at a time may use it.
///
/// Every vertex in a tetrahedron of another mesh, or of its own, gets one answer per such mesh. With p a vertex in body
/// B and q one of its neighbors that is not, the edge from p to q leaves B, the last time in a point x of a face with
/// the unit normal n, taken so that the edge runs outward. Then
///
///     depth(p) = Σ w (x - p)·n / Σ w,   normal(p) ∥ Σ w n,   w = 1/|x - p|²,
///
/// over all such edges of p. From there depths go from vertex to vertex, ring by ring, each from all neighbors p' that
/// have theirs from the rings before:
///
///     depth(p) = Σ w ((p' - p)·normal(p') + depth(p')) / Σ w,
///     normal(p) ∥ Σ w normal(p'),   w = 1/|p' - p|².
///
/// A sum below 0 counts as 0; a vertex whose normals cancel waits for the next ring. What no ring reaches, of a body
/// that is wholly inside another, say, gets the nearest point of the other's border.
///
/// What is certain: which vertices are listed, that every edge of p to a neighbor outside of another body touches its
/// surface (there is no x only if all faces that it touches have no area, or the edge in their plane), and `lower`. If
/// all normals agree, p moved by depth·normal is on the weighted mean of the planes. That a move takes a vertex or a
/// body out is not certain: it is an estimate, made to be smooth.
class TetrahedralDepthFinder {
 public:
  TetrahedralDepthFinder();
  TetrahedralDepthFinder(TetrahedralDepthFinder&&) noexcept;
  TetrahedralDepthFinder& operator=(TetrahedralDepthFinder&&) noexcept;
  ~TetrahedralDepthFinder();

  /// `contacts` are those that a TetrahedralContactFinder found of the same meshes where they are now, with edges.
  /// Throws an Error if they name a mesh, vertex, edge or face that is not there. `depths` is cleared first and its
  /// memory used again; it is in ascending order of mesh, other and vertex. The same answer on every processor and any
  /// number of threads.
  void find(std::span<const TetrahedralMesh> meshes, const TetrahedralContacts& contacts,
            std::vector<VertexDepth>& depths);
  void find(std::span<const TetrahedralMesh> meshes, const TetrahedralContacts& contacts,
            const TetrahedralDepthOptions& options, std::vector<VertexDepth>& depths);

 private:
  struct Scratch;
  Held<"TetrahedralDepthFinder", std::unique_ptr<Scratch>> scratch_;
};

}  // namespace whisker
