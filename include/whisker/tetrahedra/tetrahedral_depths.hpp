#pragma once

/// \file
/// Penetration depths of soft bodies: how deep vertices lie in other tetrahedral meshes, and in which direction they
/// leave.
///
///     TetrahedralDepthFinder depths;                       // kept from frame to frame, as the other two are
///     std::vector<VertexDepth> found;
///     finder.find(bodies, contacts);                       // tetrahedral_contacts.hpp
///     depths.find(bodies, contacts, found);
///     for (const VertexDepth& d : found)
///       push(bodies[d.mesh], d.vertex, stiffness * d.depth * d.normal);
///
/// The direction to the nearest surface point is a poor choice for separating bodies: it jumps to another side from one
/// vertex to the next, and beyond the middle of a body it points through to the far side. Heidelberger, Teschner,
/// Keiser, Müller and Gross ("Consistent Penetration Depth Estimation for Deformable Collision Response", 2004) measure
/// depth and direction where edges leave the other body, and propagate both inward from there.

#include <cstdint>
#include <span>
#include <vector>

#include <whisker/detail/held.hpp>
#include <whisker/tetrahedra/tetrahedral_contacts.hpp>

namespace whisker {

/// Where a vertex's depth and normal come from.
enum class DepthSource : std::uint8_t {
  edges,      ///< From its edges that leave the other body.
  neighbors,  ///< From neighbors in the same body that already have a depth.
  surface,    ///< From the nearest point of the other body's border, because propagation did not reach the vertex, or
              ///< because DepthMode::nearest was chosen.
  none,       ///< Propagation did not reach the vertex, and the other body is its own body: depth and normal are 0.
};

/// How deep one vertex lies in one other body.
struct VertexDepth {
  std::uint32_t mesh = 0;    ///< The index of the mesh that has the vertex.
  std::uint32_t other = 0;   ///< The index of the mesh that contains the vertex.
  std::uint32_t vertex = 0;  ///< In vertices() of `mesh`.
  DepthSource source = DepthSource::none;
  /// How far to move the vertex along `normal`; 0 or larger. An estimate, except with the source `surface`, where it is
  /// the distance to the nearest surface point, up to rounding.
  double depth = 0;
  /// Unit vector along which the vertex leaves the other body; zero with the source `none`.
  Vector3 normal = Vector3::Zero();
  /// With the option `bounds`, a certified lower bound: no shorter translation, in any direction, takes the vertex out
  /// of the other body in its current position. 0 where no bound is known: for a body with itself, and where the other
  /// body has `inverted` tetrahedra.
  double lower = 0;
};

/// How depths are computed.
enum class DepthMode : std::uint8_t {
  consistent,  ///< As in Heidelberger et al. 2004.
  nearest,     ///< From the nearest point of the other body's border, for each vertex independently. For a body with
               ///< itself there is no depth (DepthSource::none).
};

/// Options of TetrahedralDepthFinder::find().
struct TetrahedralDepthOptions {
  DepthMode mode = DepthMode::consistent;
  /// Whether to compute `VertexDepth::lower`, which costs one distance query per vertex.
  bool bounds = false;
  /// The number of threads: 0 for all that oneTBB provides, 1 for the calling thread alone, n for at most n. A negative
  /// number is an Error. The result does not depend on it.
  int threads = 0;
};

/// Finds depths, and owns the working memory for it. After a few frames nothing is allocated, except when the nearest
/// border point of a body is needed: then the tree of that border is refitted. One thread at a time may use a finder.
///
/// Every vertex in a tetrahedron of another mesh, or of its own mesh, gets one result per such mesh. Let p be a vertex
/// in body B, and q a neighbor of p that is not in B. The edge from p to q leaves B for the last time in a point x of a
/// face with unit normal n, oriented so that the edge runs outward. Then
///
///     depth(p) = Σ w (x - p)·n / Σ w,   normal(p) ∥ Σ w n,   w = 1/|x - p|²,
///
/// over all such edges of p. From there depths propagate from vertex to vertex, ring by ring. A vertex takes its depth
/// from all neighbors p' that got theirs in earlier rings:
///
///     depth(p) = Σ w ((p' - p)·normal(p') + depth(p')) / Σ w,
///     normal(p) ∥ Σ w normal(p'),   w = 1/|p' - p|².
///
/// A negative depth is replaced by 0. A vertex whose normals cancel waits for the next ring. Vertices that no ring
/// reaches, for instance because their body is entirely inside another one, get the nearest point of the other body's
/// border.
///
/// These results are certain: which vertices are listed; that every edge from p to a neighbor outside another body
/// touches that body's surface (a point x is missing only if all faces that the edge touches have no area or contain
/// the edge in their plane); and `lower`. If all normals agree, p moved by depth · normal lies on the weighted mean of
/// the planes. It is not certain that such a move takes a vertex or a body out: the depth is an estimate, designed to
/// be smooth.
class TetrahedralDepthFinder {
 public:
  TetrahedralDepthFinder();

  /// Computes the depths. `contacts` must be the result of a TetrahedralContactFinder for the same meshes at their
  /// current positions, including edges. `depths` is cleared first, and its memory is reused; it is sorted by mesh,
  /// other and vertex. The result is the same on every processor and with any number of threads. Throws an Error if the
  /// contacts name a mesh, vertex, edge or face that does not exist, or if the number of threads is negative.
  void find(std::span<const TetrahedralMesh> meshes, const TetrahedralContacts& contacts,
            std::vector<VertexDepth>& depths);
  void find(std::span<const TetrahedralMesh> meshes, const TetrahedralContacts& contacts,
            const TetrahedralDepthOptions& options, std::vector<VertexDepth>& depths);

 private:
  struct Scratch;
  Held<"TetrahedralDepthFinder", Owned<Scratch>> scratch_;
};

}  // namespace whisker
