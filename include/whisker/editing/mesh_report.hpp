#pragma once

/// \file
/// Inspects a triangle mesh: counts, topology and defects.
///
///     const MeshReport report = inspect_mesh(read_mesh("part.stl"));
///     std::printf("%zu triangles, %s\n", report.triangles, report.closed ? "closed" : "open");
///     for (const std::string& finding : report.findings) std::puts(finding.c_str());
///
/// Whether triangles are connected is determined by the positions of their corners, not by vertex numbers. Vertices
/// with equal coordinates count as one, so a soup that repeats its vertices in every triangle can still be closed. (0
/// and -0 are equal. Nothing is merged by proximity.)
///
/// A triangle with two corners at the same position is *collapsed*. It is not part of the surface: edges, components
/// and the Euler characteristic are counted without it. A triangle with three different corners on a line is part of
/// the surface, because it may close the gap between its neighbors.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <whisker/geometry/aabb.hpp>
#include <whisker/mesh_data.hpp>

namespace whisker {

/// The orientation of the triangles of a closed mesh, determined by the sign of its volume.
enum class Facing {
  outward,    ///< Positive volume.
  inward,     ///< Negative volume: inside out.
  undecided,  ///< Not closed, or volume 0.
};

/// The result of inspect_mesh.
struct MeshReport {
  std::size_t triangles = 0;
  std::size_t vertices = 0;
  std::size_t used_vertices = 0;       ///< Vertices that some triangle uses.
  std::size_t unused_vertices = 0;     ///< Vertices that no triangle uses.
  std::size_t duplicate_vertices = 0;  ///< Vertices at the position of a vertex with a lower number.
  Aabb bounds;                         ///< Of the vertices in use; empty if there are no triangles.

  std::size_t edges = 0;               ///< Distinct pairs of positions that are a side of a triangle.
  std::size_t boundary_edges = 0;      ///< Edges of only one triangle.
  std::size_t nonmanifold_edges = 0;   ///< Edges of more than two triangles.
  std::size_t inconsistent_edges = 0;  ///< Edges that two triangles traverse in the same direction.
  bool closed = false;                 ///< See is_closed.
  /// Whether every edge is traversed equally often in both directions. If so, the winding number is an integer
  /// everywhere off the surface, and the volume is defined. A closed mesh is balanced. Two closed solids that share an
  /// edge are together balanced, but not closed.
  bool balanced = false;
  bool consistent_orientation = false;  ///< Whether there is no inconsistent edge.
  Facing facing = Facing::undecided;

  std::size_t degenerate_triangles = 0;  ///< Triangles of zero area, decided exactly; includes collapsed ones.
  std::size_t collapsed_triangles = 0;   ///< Triangles with two or three corners at one position.
  std::size_t duplicate_triangles = 0;   ///< Triangles with the same corners as one with a lower number.

  std::size_t connected_components = 0;  ///< Parts of the surface that share no position with each other.
  /// Positions in use - edges + triangles. It is 2 per component for closed surfaces without handles.
  std::int64_t euler_characteristic = 0;

  double area = 0;  ///< The area of all triangles, in squared units.
  /// The enclosed volume, in cubed units, positive if the triangles face outward. 0 if the mesh is not balanced, or if
  /// the volume does not exceed the rounding error of its sum.
  double volume = 0;

  /// One sentence for each anomaly: what it is, how many there are, and how whisker treats it.
  std::vector<std::string> findings;
};

/// Inspects a mesh. Throws an Error if a vertex is not finite or an index is out of range. O(n log n).
MeshReport inspect_mesh(const MeshData& mesh);

/// Whether the mesh bounds a solid: it has a triangle that is not collapsed, and every edge of such triangles is shared
/// by exactly two of them, in opposite directions. Corners are compared by position. Collapsed triangles are ignored,
/// because their two sides coincide and cancel. A mesh that is inside out is closed too. Throws the Errors of
/// inspect_mesh. O(n log n), in a fraction of inspect_mesh's time.
bool is_closed(const MeshData& mesh);

/// For each point, the lowest index of a point at the same position (0 and -0 are the same). Throws an Error if a point
/// is not finite. O(n log n) in the worst case.
std::vector<std::uint32_t> first_at_position(std::span<const Vector3> points);

}  // namespace whisker
