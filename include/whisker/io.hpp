#pragma once

/// \file
/// Reads and writes single meshes: STL, OBJ, PLY and OFF files. Saves and loads shapes of every kind.
///
///     const Mesh part = load_mesh("part.stl").solid();    // a shape
///     ReadReport report;
///     const MeshData data = read_mesh("scan.ply", &report);
///     write_mesh("scan.stl", data, {.binary = true});
///     save_shape(part, "part.whisker");                   // loads again without building the tree
///     const Shape again = load_shape("part.whisker");     // the same shape, the same answers
///
/// | format | read | written | precision |
/// | --- | --- | --- | --- |
/// | STL | text, binary | text, binary | text: double; binary: float, by the format |
/// | OBJ | text | text | double |
/// | PLY | text, binary (both byte orders) | text, binary little endian | double |
/// | OFF | text, binary (big endian, as Geomview defines it) | text | text: double; binary: float, by the format |
///
/// whisker reads and writes these formats with its own code. Text is written with the shortest digits that read back to
/// the same double. Reading does not depend on the locale.
///
/// The following is accepted and listed in the ReadReport: polygons with more than three corners (cut into triangles),
/// faces with fewer (dropped), and normals, texture coordinates, colors and materials (dropped). Degenerate and
/// duplicate triangles and unused vertices are kept.
///
/// The following is always an Error: a file that is missing, unreadable, empty, truncated, without triangles or not of
/// its format; a vertex that is not finite; an index without a vertex; a count that disagrees with the number of bytes
/// present (checked before memory is allocated for it). The message is one line with the file, the line (text) or the
/// byte offset from 0 (binary), the reason, and what to do.
///
/// Cost: the file is read into memory once. Time and memory are linear in its size. For scenes of several parts, and
/// for glTF, COLLADA and other formats, see scene.hpp.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <whisker/mesh.hpp>
#include <whisker/mesh_data.hpp>
#include <whisker/shape.hpp>

namespace whisker {

enum class MeshFormat { stl, obj, ply, off };

/// "STL", "OBJ", "PLY" or "OFF".
std::string_view to_string(MeshFormat format);

/// The format that a file's extension names, in upper or lower case (`.STL`); empty for any other extension.
std::optional<MeshFormat> format_of_extension(const std::filesystem::path& path);

/// A run of consecutive triangles under one name: an OBJ group or object, a solid of a text STL.
struct TriangleGroup {
  std::string name;  ///< May be empty, and may occur several times: a file can return to a group.
  std::size_t first_triangle = 0;
  std::size_t triangle_count = 0;
};

/// Something that a file contains but a MeshData does not.
struct IgnoredElement {
  std::string what;  ///< For example "normals" or "texture coordinates".
  std::size_t count = 0;
};

/// What a file contains besides the mesh, and how its faces were converted to triangles.
struct ReadReport {
  MeshFormat format = MeshFormat::stl;
  bool binary = false;
  std::size_t polygons_triangulated = 0;  ///< Faces with more than three corners.
  /// How many of these have no proper triangulation, because they cross themselves or have no area. They are cut as a
  /// fan from the first corner.
  std::size_t polygons_not_simple = 0;
  std::size_t short_polygons_ignored = 0;  ///< Faces with fewer than three corners.
  /// How many vertices were merged away. STL repeats a vertex in every triangle that uses it; equal positions become
  /// one vertex.
  std::size_t vertices_merged = 0;
  std::vector<IgnoredElement> ignored;  ///< One entry for each kind.
  /// If the file names groups: runs that cover all triangles in order. Groups without triangles are left out.
  std::vector<TriangleGroup> groups;
};

/// Reads a mesh file. Fills `report`, if given. Throws an Error, as described above.
///
/// The format is determined from the content first. A PLY or OFF file begins with its name. A file of exactly 84 + 50 n
/// bytes, where n is the number at byte 80, is a binary STL, even if it begins with "solid". Any other file that begins
/// with "solid" is a text STL. If the content does not decide, the extension does (an OBJ file has no signature).
///
/// A polygon is triangulated in the coordinate plane in which its projection is largest: a convex polygon as a fan, any
/// other by ear clipping with exact orientation tests. If ear clipping finds no solution, the polygon is cut as a fan
/// and counted in the report. A polygon with so many corners that clipping would take too long is an Error.
MeshData read_mesh(const std::filesystem::path& path, ReadReport* report = nullptr);

/// Reads a mesh file as a shape: read_mesh, then Mesh. Throws the Errors of both. The result is a surface; call solid()
/// on it if it is the boundary of a solid.
Mesh load_mesh(const std::filesystem::path& path);

/// Reads a mesh from memory. `name` is used in messages in place of a file name.
MeshData read_mesh(std::span<const std::byte> bytes, MeshFormat format, std::string_view name,
                   ReadReport* report = nullptr);

struct WriteOptions {
  /// The format. If empty, the path's extension determines it; an extension that names none is an Error.
  std::optional<MeshFormat> format = {};
  /// Write binary. Only STL (float, by the format) and PLY (double, little endian) have a binary form here; with the
  /// other formats this is an Error.
  bool binary = false;
};

/// Writes a mesh file, replacing an existing one. Throws an Error if the mesh has no triangle, an index without a
/// vertex or a vertex that is not finite (for binary STL: not finite as a float), or if the file cannot be written.
///
/// OBJ, PLY and OFF preserve the vertices and triangles, with their numbering and order. STL preserves only the
/// triangles' corners.
void write_mesh(const std::filesystem::path& path, const MeshData& mesh, const WriteOptions& options = {});

/// Returns the bytes that write_mesh writes. Throws the same Errors about the mesh.
std::string encode_mesh(const MeshData& mesh, MeshFormat format, bool binary = false);

// ---- saved shapes, to be loaded without building them again
//
//     save_shape(robot, "robot.whisker");
//     Shape again = load_shape("robot.whisker");   // the same shape, the same answers, to the last bit
//
// A file contains one shape of any kind, except for a CustomConvex and for kinds that are not built in, whose functions
// no file can contain. Numbers are stored bit for bit. What shapes share is stored once and shared again after loading:
// the compounds, meshes, hulls and so on that occur several times in nested compounds.
//
// A mesh is stored with the structure of its search tree (the triangles and nodes below each node), but without the
// tree's boxes. They are fitted when the file is loaded. Everything else that follows from the shape is computed again
// as well: the faces of a hull, the pyramid of a height field, the distances of a sphere body from its mesh. So no
// file, whether damaged or forged, can introduce boxes that miss something. (What a SphereBody trusts is trusted here
// too: that the spheres cover what they stand for.)
//
// The file is binary, little endian on every machine, with a version and a checksum against accidental damage.

/// Writes the file, replacing an existing one. Throws an Error if it cannot be written; if the shape, or a part of it,
/// is a CustomConvex or of a kind that is not built in; or if it is a compound that takes too long to make
/// again: its parts have more than 1e9 balls of sphere sets, counted in each place where they occur.
void save_shape(const Shape& shape, const std::filesystem::path& path);

/// Reads a file that save_shape wrote. Throws an Error with the file and the reason if the file is missing or
/// unreadable, not such a file, from a newer whisker, truncated, longer than it states, or damaged (by its checksum);
/// or if its content is inconsistent: a number that the shape's constructor refuses, an index out of range, a part that
/// is not stored before the compound that contains it, a tree that is not a tree or does not contain every triangle
/// once, an open mesh that is marked as a solid. Counts are checked against the number of bytes present before memory
/// is allocated.
Shape load_shape(const std::filesystem::path& path);

/// Returns the bytes that save_shape writes.
std::string encode_shape(const Shape& shape);

/// Makes a shape from such bytes. `name` is used in messages in place of a file name. Throws the Errors of load_shape
/// about the content.
Shape decode_shape(std::span<const std::byte> bytes, std::string_view name);

/// The same four for a mesh. Loading a file that contains another shape is an Error.
void save_mesh(const Mesh& mesh, const std::filesystem::path& path);
Mesh load_saved_mesh(const std::filesystem::path& path);
std::string encode_saved_mesh(const Mesh& mesh);
Mesh decode_saved_mesh(std::span<const std::byte> bytes, std::string_view name);

}  // namespace whisker
