#pragma once

// The triangles about each vertex of a mesh, and which of them may touch elsewhere than at the vertex and edges that
// they share.
//
// A fan is the chain of triangles about a vertex v, each sharing an edge with the next: v with the ring of vertices
// r_0, r_1, …; a closed fan ends where it begins. With d_j = r_j - v and n_j = d_j × d_(j+1), let some N have
// n_j · N > 0 for all j. Seen along N all triangles then turn the same way about v, and if they turn by less than a
// full circle, or by just one where the fan is closed, no two of them meet but in v and in the edge that neighbors
// share; so it is in space. How far they turn is seen from the sides of d_0 on which the d_j lie, as they come: first
// all on the left, then all on the right.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/mesh_data.hpp>
#include <whisker/self_contacts.hpp>
#include <whisker/vector.hpp>

namespace whisker::deform {

/// The triangles that have each vertex, in ascending order; one that has it twice is there twice.
class TrianglesOfVertices {
 public:
  TrianglesOfVertices() = default;
  TrianglesOfVertices(std::span<const Index3> triangles, std::size_t vertex_count);
  std::span<const std::uint32_t> operator[](std::uint32_t vertex) const {
    return {numbers_.data() + first_[vertex], numbers_.data() + first_[vertex + 1]};
  }

 private:
  std::vector<std::uint32_t> first_, numbers_;
};

struct Fans {
  /// Fans of the same kind: ring vertex r of fan i is rings[first_ring + r * size + i].
  struct Group {
    std::uint32_t first = 0;  ///< of its fans in `centers`
    std::uint32_t size = 0;   ///< how many they are
    std::uint32_t ring = 0;   ///< vertices of each one's ring; r_0 counts once, also where the fan is closed
    bool is_closed = false;
    std::size_t first_ring = 0;
  };
  std::vector<Group> groups;
  std::vector<std::uint32_t> centers;  ///< vertices
  std::vector<std::uint32_t> rings;
  /// Vertices whose triangles are no such chain, or very many.
  std::vector<std::uint32_t> irregular;
  TrianglesOfVertices triangles;
};
Fans make_fans(std::span<const Index3> triangles, std::size_t vertex_count);

/// Adds the centers of those of some fans of a group, given by their numbers in it, of which some triangles may touch
/// elsewhere than they must. `scale` is a power of two that makes the mesh about 1 long.
void find_doubtful(const Fans& fans, const Fans::Group& group, std::span<const std::uint32_t> numbers,
                   std::span<const Vector3> vertices, double scale, std::vector<std::uint32_t>& doubtful);

/// Adds the pairs of triangles of which `vertex` is the first vertex that they share and that touch elsewhere than in
/// what they share, while there are not more than `limit`. Exact. Returns how many were looked at.
std::size_t find_adjacent(const Fans& fans, std::uint32_t vertex, std::span<const Vector3> vertices,
                          std::span<const Index3> triangles, double scale, std::vector<TrianglePair>& found,
                          std::size_t limit);

/// Whether two triangles with a vertex in common, and with an area, touch elsewhere than in what they share: exact.
bool touch_elsewhere(const Index3& a, const Index3& b, std::span<const Vector3> vertices);

}  // namespace whisker::deform
