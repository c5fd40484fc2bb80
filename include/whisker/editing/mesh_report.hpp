#pragma once

/// \file
/// What is in a mesh, and what is wrong with it.
///
/// Whether triangles meet is decided by the position of their corners, not by vertex numbers: vertices with equal
/// coordinates count as one, so a soup that repeats its vertices in every triangle can still be closed. (0 and -0 are
/// equal; nothing is merged by nearness.) A triangle of which two corners coincide is *collapsed*: it has no place in
/// the surface, and edges, components and the Euler characteristic are counted without it. A triangle of three
/// different points on a line keeps its place: it may be what closes the gap between its neighbors.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <whisker/geometry/aabb.hpp>
#include <whisker/mesh_data.hpp>

namespace whisker {

/// Which way the triangles of a closed mesh face, judged by the sign of its volume.
enum class Facing {
  outward,    ///< Positive volume.
  inward,     ///< Negative volume: inside out.
  undecided,  ///< Not closed, or volume 0.
};

struct MeshReport {
  std::size_t triangles = 0;
  std::size_t vertices = 0;
  std::size_t used_vertices = 0;       ///< Vertex numbers that some triangle names.
  std::size_t unused_vertices = 0;     ///< The rest.
  std::size_t duplicate_vertices = 0;  ///< Vertices at the position of one with a lower number.
  Aabb bounds;                         ///< Of the vertices in use; empty without triangles.

  std::size_t edges = 0;               ///< Different pairs of positions that a triangle joins.
  std::size_t boundary_edges = 0;      ///< Edges of one triangle alone.
  std::size_t nonmanifold_edges = 0;   ///< Edges of more than two triangles.
  std::size_t inconsistent_edges = 0;  ///< Edges of two triangles that run along them in the same direction.
  bool closed = false;                 ///< See is_closed.
  /// Every edge is run along equally often in both directions. Then the winding number is an integer everywhere off the
  /// surface, and the volume is defined. A closed mesh is balanced; two closed solids that share an edge are balanced
  /// together, but not closed.
  bool balanced = false;
  bool consistent_orientation = false;  ///< No inconsistent edge.
  Facing facing = Facing::undecided;

  std::size_t degenerate_triangles = 0;  ///< Area exactly 0, decided without rounding; collapsed ones included.
  std::size_t collapsed_triangles = 0;   ///< Two or three corners at one position.
  std::size_t duplicate_triangles = 0;   ///< Triangles on the same three positions as one with a lower number.

  std::size_t connected_components = 0;  ///< Parts that share no position with each other.
  /// Positions in use - edges + triangles: 2 per component for closed surfaces without handles.
  std::int64_t euler_characteristic = 0;

  double area = 0;  ///< Of all triangles, in squared units.
  /// Enclosed, in cubed units, positive when triangles face outward. 0 unless balanced, and 0 if it is so small that
  /// the rounding of its sum could have made it.
  double volume = 0;

  /// One sentence for each thing out of the ordinary: what it is, how many, and what whisker does about it.
  std::vector<std::string> findings;
};

/// Looks the mesh over. Throws an Error if a vertex is not finite or an index out of range. O(n log n).
MeshReport inspect_mesh(const MeshData& mesh);

/// Whether the mesh bounds a solid: it has a triangle that is not collapsed, and every edge of such triangles is shared
/// by exactly two of them, in opposite directions. Corners are compared by position; collapsed triangles are passed
/// over, because the two sides of one lie on each other and cancel. Inside out is closed too. Throws as inspect_mesh
/// does; O(n log n), a fraction of inspect_mesh's time.
bool is_closed(const MeshData& mesh);

/// For each point, the lowest number of a point at the same position (0 and -0 are the same). Throws an Error if a
/// point is not finite. O(n log n) at worst.
std::vector<std::uint32_t> first_at_position(std::span<const Vector3> points);

}  // namespace whisker
