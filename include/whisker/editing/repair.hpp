#pragma once

/// \file
/// Making a closed mesh of one with holes, doubled triangles and triangles that face the wrong way.
///
///     MeshRepair repair = repair_mesh(read_mesh("scan.obj"));
///     for (const std::string& line : repair.done) std::puts(line.c_str());   // "5 holes filled with 213 triangles"
///     Mesh solid = Mesh(repair.mesh).solid();                               // throws if something is left
///
/// In this order:
///  1. Vertices at one position become one vertex (nothing is merged by nearness). Triangles of which two corners
///     coincide then go. Those without area but with three different corners stay: they may close a gap.
///  2. Of triangles on the same three vertices one stays. Two back to back of which neighbors hang on both sides of a
///     common border (a wall between two solids, a fin) both go. A pair that hangs on nothing is a closed sheet and
///     stays.
///  3. Neighbors are made to face the same way, as most of each connected patch do.
///  4. Holes are filled: each loop of border edges is cut into triangles of the smallest area, without new vertices
///     where that works, and without a third triangle at any edge. Nothing looks at whether the new triangles cross
///     others; self_contacts does.
///  5. What is closed is turned to face outward. A part inside another one keeps facing as it did relative to it, so
///     that a cavity stays one.
///  6. Vertices that no triangle uses go.
///
/// What this does not mend is left as it is and told in `after`: edges of more than two triangles, surfaces with one
/// side only, triangles that cross each other. A mesh that needs nothing comes back as it was, and a repaired mesh
/// comes back from a second repair unchanged.

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include <whisker/editing/mesh_report.hpp>
#include <whisker/mesh_data.hpp>

namespace whisker {

struct RepairOptions {
  /// A hole with more border edges than this stays open; with 0 every one does. For surfaces whose outer border is
  /// meant to be there.
  std::size_t max_hole_edges = std::numeric_limits<std::size_t>::max();
};

struct MeshRepair {
  /// The triangles in their order, then those that fill holes; vertices in the order of the first of each, then those
  /// that fills needed. Empty if nothing is left.
  MeshData mesh;

  std::size_t vertices_merged = 0;     ///< At the position of one with a lower number.
  std::size_t vertices_removed = 0;    ///< Of the rest, those that no triangle uses.
  std::size_t collapsed_removed = 0;   ///< Triangles with two or three corners at one position.
  std::size_t duplicates_removed = 0;  ///< Triangles on the same three vertices as another.
  std::size_t triangles_turned = 0;    ///< Of those that stayed.
  std::size_t holes_filled = 0;
  std::size_t holes_left = 0;         ///< Loops longer than the option allows.
  std::size_t border_edges_left = 0;  ///< Those of `holes_left`, and those that are in no loop.
  std::size_t triangles_added = 0;    ///< In holes.
  std::size_t vertices_added = 0;     ///< In holes that could not be filled without.

  MeshReport before;  ///< What was wrong.
  MeshReport after;   ///< What is left.

  /// A sentence for each thing that was done; empty if nothing was.
  std::vector<std::string> done;
};

/// Repairs a mesh. Throws an Error if a vertex is not finite or an index out of range.
///
/// O(n log n), and O(m³) for a hole of m edges up to 300; longer ones are cut by ear clipping as polygons, or where
/// they cross themselves from every side, ear by ear by the shortest edge until 300 are left.
MeshRepair repair_mesh(const MeshData& mesh, const RepairOptions& options = {});

}  // namespace whisker
