#pragma once

/// \file
/// Which triangles of soups touch, with nothing worked out beforehand and nothing kept from frame to frame: for meshes
/// that deform in any way, break, and change the number of their triangles (Kitamura, Smith, Takemura and Kishino,
/// 1998).
///
///     SoupContactFinder finder;                         // its memory is used again, what was in it is not
///     for (;;) {
///       const Soup soups[] = {{shards.vertices, shards.triangles}, {wall.vertices, wall.triangles}};
///       for (const MeshTrianglePair& c : finder.find(soups).pairs) …   // triangle_a of shards, triangle_b of wall
///     }
///
/// There is no tree to build or to fit anew. Soups whose boxes overlap have their triangles compared with the region of
/// overlap; the triangles that are left go through an octree of that region which exists only as lists on a stack; the
/// few pairs that share a last cell of it are put to the exact predicate.
///
/// For a mesh that is asked about often without changing, or that only bends, a tree is faster: Mesh, Mesh::moved and
/// `contacts`. What happens between two frames is DeformingMesh's.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <whisker/detail/held.hpp>
#include <whisker/mesh_data.hpp>
#include <whisker/meshes_contacts.hpp>
#include <whisker/vector.hpp>

namespace whisker::methods {

/// Triangles in the world, in memory of the caller's that lives as long as the call. Nothing is promised: they need not
/// be closed, connected, or free of duplicates; a collapsed triangle is the segment or the point that it is. Soups may
/// share their vertices. Larger polygons are for the caller to cut into triangles (the readers of io.hpp do).
struct Soup {
  std::span<const Vector3> vertices;
  std::span<const Index3> triangles;  ///< Of a soup without any nothing touches.
};

/// How a triangle is compared with the region in which two soups overlap. All give the same contacts.
enum class RegionTest : std::uint8_t {
  bounds,    ///< By its box: what to take if in doubt.
  clipping,  ///< By cutting it with the region's sides, as in the paper.
  exact,     ///< By separating axes, exactly.
};

struct SoupOptions {
  /// Where cells are halved as long as that pays, by how many triangles of both soups it parts.
  static constexpr int automatic_level = -1;
  static constexpr int max_level = 16;

  /// How fine the octree of a region is: no cell's side is longer than 2^-level of the region's longest, but a cell is
  /// not divided that has a few pairs only, or whose halves would have more pairs than it has. 0: the region is the
  /// only cell. Changes the cost, never the answer.
  int level = automatic_level;
  RegionTest region_test = RegionTest::bounds;
  /// How many threads work, where there is enough to do: 0 all that oneTBB gives, 1 the calling thread alone, n at most
  /// n; negative is an Error.
  int threads = 0;
};

/// What was done, step by step, before boxes and triangles were compared, which Cost counts.
struct SoupCounts {
  std::uint64_t soups = 0;         ///< That have triangles, each with its box.
  std::uint64_t regions = 0;       ///< Pairs of soups whose boxes overlap.
  std::uint64_t faces = 0;         ///< Triangles of soups with a region,
  std::uint64_t faces_kept = 0;    ///< of which so many are within the box about all regions of their soup.
  std::uint64_t region_faces = 0;  ///< Triangles in a region, summed over the regions.
  std::uint64_t cells = 0;         ///< Of the octrees, with triangles of both soups.

  friend bool operator==(const SoupCounts&, const SoupCounts&) = default;
};

/// Pairs of triangles of different soups; there are no others, and nobody looks for `adjacent`. In `cost`,
/// `volume_tests` are pairs of triangles' boxes compared in last cells, `primitive_tests` pairs of triangles tested,
/// whose boxes overlap.
struct SoupContacts : MeshesContacts {
  SoupCounts counts;
};

/// Finds contacts, and owns the memory for it. Not for two threads at once.
class SoupContactFinder {
 public:
  SoupContactFinder();
  SoupContactFinder(SoupContactFinder&&) noexcept;
  SoupContactFinder& operator=(SoupContactFinder&&) noexcept;
  ~SoupContactFinder();

  /// All pairs of triangles of different soups that share a point, each once, sorted. Exact: as if every pair were put
  /// to `touches_triangle_triangle`. The same on every processor and with any number of threads, and so are the
  /// counts. The answer is the finder's, until the next call.
  ///
  /// On one thread nothing is allocated in a call that needs no more memory than an earlier one did. Throws an Error if
  /// a vertex is not finite or beyond `max_coordinate`, an index is out of range, or the level is not one. Vertices
  /// of no triangle count for a soup's box.
  const SoupContacts& find(std::span<const Soup> soups, const SoupOptions& options = {});

 private:
  struct Workspace;
  Held<"SoupContactFinder", std::unique_ptr<Workspace>> workspace_;
};

/// The same, once.
SoupContacts triangle_contacts(std::span<const Soup> soups, const SoupOptions& options = {});

}  // namespace whisker::methods
