#pragma once

/// \file
/// Repairs meshes: turns one with holes, duplicate triangles and inconsistent orientation into a closed mesh.
///
///     MeshRepair repair = repair_mesh(read_mesh("scan.obj"));
///     for (const std::string& line : repair.done) std::puts(line.c_str());  // "1 hole filled with 2 triangles"
///     Mesh solid = Mesh(repair.mesh).solid();                               // throws if it is still not closed
///
/// The steps, in this order:
///  1. Vertices at the same position are merged (nothing is merged by proximity). Triangles that then have two equal
///     corners are removed. Triangles without area but with three different corners stay, because they may close a gap.
///  2. Of triangles with the same three vertices and the same orientation, one stays. Pairs with opposite orientations
///     (back to back) form sheets, connected by shared edges. If a sheet is attached to other triangles, and to an even
///     number of them at each edge (a wall between two solids, a fin), it is removed. If it is attached to an odd
///     number at some edge, one triangle of each pair stays. A single pair that is attached to nothing is a closed
///     surface, and both stay. In a larger sheet that is attached to nothing, one triangle of each pair stays.
///  3. Neighbors are oriented consistently: each connected patch gets the orientation of its majority.
///  4. Holes are filled: each loop of border edges is triangulated with the smallest area, without new vertices where
///     possible, and without giving any edge a third triangle. Whether new triangles intersect others is not checked;
///     use self_contacts for that.
///  5. Closed parts are turned to face outward. A part inside another one keeps its orientation relative to that one,
///     so that a cavity stays a cavity.
///  6. Vertices that no triangle uses are removed.
///
/// Defects that this does not repair are left alone and reported in `after`: edges of more than two triangles,
/// one-sided surfaces, triangles that intersect each other. A mesh that needs no repair is returned unchanged, and
/// repairing a repaired mesh again changes nothing.

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include <whisker/editing/mesh_report.hpp>
#include <whisker/mesh_data.hpp>

namespace whisker {

struct RepairOptions {
  /// Holes with more border edges than this stay open; with 0, all do. For surfaces that are meant to have an outer
  /// border.
  std::size_t max_hole_edges = std::numeric_limits<std::size_t>::max();
};

/// The result of repair_mesh.
struct MeshRepair {
  /// The repaired mesh: the remaining triangles in their original order, followed by those that fill holes. Vertices
  /// are in the order of their first occurrence, followed by new ones in filled holes. Empty if no triangle is left.
  MeshData mesh;

  std::size_t vertices_merged = 0;     ///< Vertices at the position of one with a lower number.
  std::size_t vertices_removed = 0;    ///< Other vertices, which no triangle uses.
  std::size_t collapsed_removed = 0;   ///< Triangles with two or three corners at one position.
  std::size_t duplicates_removed = 0;  ///< Triangles with the same three vertices as another.
  std::size_t triangles_turned = 0;    ///< Remaining triangles whose orientation was reversed.
  std::size_t holes_filled = 0;
  std::size_t holes_left = 0;         ///< Loops that stay open, usually because of max_hole_edges.
  std::size_t border_edges_left = 0;  ///< The edges of `holes_left`, and those in no loop.
  std::size_t triangles_added = 0;    ///< Triangles that fill holes.
  std::size_t vertices_added = 0;     ///< New vertices, in holes that needed one.

  MeshReport before;  ///< The report of the original mesh.
  MeshReport after;   ///< The report of the repaired mesh, with the remaining defects.

  /// One sentence for each thing that was done; empty if nothing was.
  std::vector<std::string> done;
};

/// Repairs a mesh. Throws an Error if a vertex is not finite or an index is out of range.
///
/// O(n log n), plus O(m³) for a hole of m edges, up to 300. Longer holes are projected onto the coordinate plane in
/// which their area is largest and triangulated by ear clipping. If that fails, because the projection crosses itself,
/// ears are cut off one by one, the one with the shortest new edge first, until 300 edges are left.
MeshRepair repair_mesh(const MeshData& mesh, const RepairOptions& options = {});

}  // namespace whisker
