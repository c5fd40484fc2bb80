#pragma once

// The triangles around each vertex of a mesh, and which of them may touch somewhere other than at the vertex and edges
// that they share.
//
// A fan is the chain of triangles around a vertex v in which each triangle shares an edge with the next. It is given by
// v and the ring of vertices r_0, r_1, …; a closed fan ends where it begins. Let d_j = r_j - v and n_j = d_j × d_(j+1),
// and suppose that some N has n_j · N > 0 for all j. Then, projected along N, all triangles turn the same way around v.
// If their total turn is less than a full circle, or exactly one full circle for a closed fan, no two projected
// triangles intersect except in v and in the edge that neighbors share. The same then holds in space. The total turn
// follows from the sides of d_0 on which the d_j lie, in order: first all on the left, then all on the right.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/mesh_data.hpp>
#include <whisker/self_contacts.hpp>
#include <whisker/vector.hpp>

#include "geometry/grouped.hpp"

namespace whisker::deform {

/// The triangles that contain each vertex, in ascending order. A triangle that has the vertex twice is listed twice.
using TrianglesOfVertices = geometry::Grouped<std::uint32_t>;
TrianglesOfVertices triangles_of_vertices(std::span<const Index3> triangles, std::size_t vertex_count);

struct Fans {
  /// Fans with the same ring size and closedness. Ring vertex r of fan i is rings[first_ring + r * size + i].
  struct Group {
    std::uint32_t first = 0;  ///< index of its first fan in `centers`
    std::uint32_t size = 0;   ///< number of fans
    std::uint32_t ring = 0;   ///< vertices in each fan's ring; r_0 counts once, even if the fan is closed
    bool is_closed = false;
    std::size_t first_ring = 0;
  };
  std::vector<Group> groups;
  std::vector<std::uint32_t> centers;  ///< the center vertex of each fan
  std::vector<std::uint32_t> rings;
  /// Vertices whose triangles do not form a single chain, or that have very many triangles.
  std::vector<std::uint32_t> irregular;
  TrianglesOfVertices triangles;
};
Fans make_fans(std::span<const Index3> triangles, std::size_t vertex_count);

/// Tests the fans of a group that are given by their numbers within the group. Appends to `doubtful` the center of
/// every fan in which some triangles may touch somewhere other than in what they share. `scale` is a power of two that
/// makes the mesh about 1 long.
void find_doubtful(const Fans& fans, const Fans::Group& group, std::span<const std::uint32_t> numbers,
                   std::span<const Vector3> vertices, double scale, std::vector<std::uint32_t>& doubtful);

/// Considers the pairs of triangles whose first shared vertex is `vertex`. Appends those that touch somewhere other
/// than in what they share, until there are more than `limit`. Exact. Returns the number of pairs tested.
std::size_t find_adjacent(const Fans& fans, std::uint32_t vertex, std::span<const Vector3> vertices,
                          std::span<const Index3> triangles, double scale, std::vector<TrianglePair>& found,
                          std::size_t limit);

/// Whether two triangles that share a vertex, and both have an area, touch somewhere other than in what they share.
/// Exact.
bool touch_elsewhere(const Index3& a, const Index3& b, std::span<const Vector3> vertices);

}  // namespace whisker::deform
