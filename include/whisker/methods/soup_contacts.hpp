#pragma once

/// \file
/// Which triangles of triangle soups touch, without preprocessing and without keeping anything from frame to frame: for
/// meshes that deform in any way, break, and change their number of triangles (Kitamura, Smith, Takemura and Kishino
/// 1998).
///
///     SoupContactFinder finder;                         // reuses its memory, but none of the data in it
///     for (const MeshData& shards : frames) {
///       const Soup soups[] = {{shards.vertices, shards.triangles}, {wall.vertices, wall.triangles}};
///       for (const MeshTrianglePair& c : finder.find(soups).pairs)
///         respond(c.triangle_a, c.triangle_b);          // a triangle of shards and one of wall
///     }
///
/// There is no tree to build or refit. Only soups whose AABBs overlap are compared, and only their triangles within the
/// region of overlap. These triangles go through an octree of the region that exists only as lists on a stack. The few
/// pairs that share a leaf cell of the octree go to the exact predicate.
///
/// A tree is faster for a mesh that is queried often without changing, or that only bends: use Mesh, Mesh::moved and
/// `contacts`. For contacts between two frames use DeformingMesh.

#include <cstdint>
#include <span>

#include <whisker/detail/held.hpp>
#include <whisker/detail/meshes_contacts.hpp>
#include <whisker/mesh_data.hpp>
#include <whisker/vector.hpp>

namespace whisker::methods {

/// Triangles in the world frame, in memory of the caller that must stay valid during the call. They need not be closed,
/// connected, or free of duplicates. A degenerate triangle is treated as the segment or point that it is. Soups may
/// share their vertices. Larger polygons must be triangulated by the caller (the readers of io.hpp do this).
struct Soup {
  std::span<const Vector3> vertices;
  std::span<const Index3> triangles;  ///< May be empty; then the soup touches nothing.
};

/// How a triangle is tested against the region in which two soups overlap. All tests give the same contacts.
enum class RegionTest : std::uint8_t {
  bounds,    ///< By its AABB. The default, and usually the fastest.
  clipping,  ///< By clipping it with the sides of the region, as in the paper.
  exact,     ///< By separating axes, exactly.
};

/// Options of SoupContactFinder::find(). They change the cost, never the contacts.
struct SoupOptions {
  /// The value of `level` with which cells are halved as long as that pays off, judged by how many triangles of the two
  /// soups it separates.
  static constexpr int automatic_level = -1;
  static constexpr int max_level = 16;

  /// How fine the octree of a region is, from 0 to `max_level`: no side of a cell is longer than 2^-level of the
  /// region's longest side. However, a cell is not divided if it has only a few pairs, or if its halves would have more
  /// pairs than it has. With 0 the region is the only cell.
  int level = automatic_level;
  RegionTest region_test = RegionTest::bounds;
  /// The number of threads, used where there is enough work: 0 for all that oneTBB provides, 1 for the calling thread
  /// alone, n for at most n. A negative number is an Error.
  int threads = 0;
};

/// Counts of the steps before AABBs and triangles are compared pair by pair, which Cost counts.
struct SoupCounts {
  std::uint64_t soups = 0;         ///< Soups that have triangles.
  std::uint64_t regions = 0;       ///< Pairs of soups whose AABBs overlap.
  std::uint64_t faces = 0;         ///< Triangles of all soups that have a region.
  std::uint64_t faces_kept = 0;    ///< Those of `faces` that reach into the AABB around all regions of their soup.
  std::uint64_t region_faces = 0;  ///< Triangles in a region, summed over all regions.
  std::uint64_t cells = 0;         ///< Cells of the octrees that have triangles of both soups.

  friend bool operator==(const SoupCounts&, const SoupCounts&) = default;
};

/// The result: pairs of triangles of different soups in `pairs`; `mesh_a` and `mesh_b` are indices of soups. `adjacent`
/// stays empty. In `cost`, `volume_tests` counts the pairs of triangle AABBs compared in leaf cells, and
/// `primitive_tests` the pairs of triangles tested, whose AABBs overlap.
struct SoupContacts : MeshesContacts {
  SoupCounts counts;
};

/// Finds contacts and owns the working memory for it. One thread at a time may use a finder.
class SoupContactFinder {
 public:
  SoupContactFinder();

  /// All pairs of triangles of different soups that share a point, each once, sorted. Exact: as if every pair were
  /// tested with `touches_triangle_triangle`. The contacts and counts are the same on every processor and with any
  /// number of threads. The result belongs to the finder and is valid until the next call.
  ///
  /// On one thread, a call that needs no more memory than an earlier one allocates nothing. Throws an Error if a vertex
  /// is not finite or beyond `max_coordinate`, an index is out of range, or an option is out of range. Vertices without
  /// a triangle count toward a soup's AABB.
  const SoupContacts& find(std::span<const Soup> soups, const SoupOptions& options = {});

 private:
  struct Workspace;
  Held<"SoupContactFinder", Owned<Workspace>> workspace_;
};

/// The same with a temporary finder, for a single call.
SoupContacts triangle_contacts(std::span<const Soup> soups, const SoupOptions& options = {});

}  // namespace whisker::methods
