#pragma once

/// \file
/// Reading and writing single meshes: STL, OBJ, PLY and OFF, by whisker's own code, in double; and meshes saved with
/// their search tree.
///
/// | format | read | written | precision |
/// | --- | --- | --- | --- |
/// | STL | text, binary | text, binary | text: double; binary: float, by the format |
/// | OBJ | text | text | double |
/// | PLY | text, binary (both byte orders) | text, binary little endian | double |
/// | OFF | text, binary (big endian, as Geomview defines it) | text | text: double; binary: float, by the format |
///
/// Text is written with the shortest digits that read back to the same double. Reading does not depend on the locale.
///
/// Accepted, and told in the ReadReport: polygons with more than three corners (cut into triangles), faces with fewer
/// (left out), degenerate and duplicate triangles and unused vertices (kept), normals, texture coordinates, colors and
/// materials (left out). An Error, always: a file that is missing, unreadable, empty, cut short, without triangles or
/// not of its format; a vertex that is not finite; an index without a vertex; a count that disagrees with the bytes
/// that are there (checked before any memory is taken for it). Its message is one line with the file, the line (text)
/// or the byte offset from 0 (binary), the reason, and what to do.
///
/// Cost: the file is read into memory once; time and memory are linear in its size. For scenes of several parts and for
/// glTF, COLLADA and other formats see scene.hpp.

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

namespace whisker {

enum class MeshFormat { stl, obj, ply, off };

/// "STL", "OBJ", "PLY" or "OFF".
std::string_view to_string(MeshFormat format);

/// The format that a file's extension names, in any case (`.STL`); nothing for any other extension.
std::optional<MeshFormat> format_of_extension(const std::filesystem::path& path);

/// A run of consecutive triangles under one name: an OBJ group or object, a solid of a text STL.
struct TriangleGroup {
  std::string name;  ///< May be empty, and may occur again: a file can come back to a group.
  std::size_t first_triangle = 0;
  std::size_t triangle_count = 0;
};

/// Something that a file holds and a MeshData does not.
struct IgnoredElement {
  std::string what;  ///< Such as "normals" or "texture coordinates".
  std::size_t count = 0;
};

/// What was in a file besides the mesh, and what was done to make the mesh of it.
struct ReadReport {
  MeshFormat format = MeshFormat::stl;
  bool binary = false;
  std::size_t polygons_triangulated = 0;  ///< Faces with more than three corners.
  /// Of these, the ones without a proper cut, because they cross themselves or have no area: cut as a fan from the
  /// first corner.
  std::size_t polygons_not_simple = 0;
  std::size_t short_polygons_ignored = 0;  ///< Faces with fewer than three corners.
  /// STL repeats a vertex in every triangle that uses it. Equal positions are made one vertex; this many were dropped.
  std::size_t vertices_merged = 0;
  std::vector<IgnoredElement> ignored;  ///< One entry for each kind.
  /// Where the file names its groups: runs that cover all triangles in order. Groups without triangles are left out.
  std::vector<TriangleGroup> groups;
};

/// Reads a mesh file. Throws an Error.
///
/// The format is found from the content first: a PLY or OFF begins with its name; a file of exactly 84 + 50 n bytes,
/// where n stands at byte 80, is a binary STL even if it begins with "solid"; any other file that begins with "solid"
/// is a text STL. Where the content does not tell, the extension does (an OBJ has no mark of its own).
///
/// A polygon is cut in the coordinate plane that shows it largest: convex ones as a fan, others by clipping ears with
/// exact orientation tests. Where that finds no way, the polygon is cut as a fan and counted; a polygon of very many
/// corners that would take too long is an Error.
MeshData read_mesh(const std::filesystem::path& path, ReadReport* report = nullptr);

/// Reads a mesh file as a shape: read_mesh, then Mesh. Call solid() on the result if it is the border of a solid.
Mesh load_mesh(const std::filesystem::path& path);

/// Reads a mesh from memory. `name` stands for the file in messages.
MeshData read_mesh(std::span<const std::byte> bytes, MeshFormat format, std::string_view name,
                   ReadReport* report = nullptr);

struct WriteOptions {
  /// The format; where not given, the path's extension says it.
  std::optional<MeshFormat> format = {};
  /// Binary is for STL (float, by the format) and PLY (double, little endian) alone; an Error with the others.
  bool binary = false;
};

/// Writes a mesh file, replacing what was there. Throws an Error if the mesh has no triangle, an index without a vertex
/// or a vertex that is not finite (in binary STL: as a float), or if the file cannot be written.
///
/// OBJ, PLY and OFF keep vertices and triangles as they are, numbers and order; STL keeps the triangles' corners only.
void write_mesh(const std::filesystem::path& path, const MeshData& mesh, const WriteOptions& options = {});

/// The bytes that write_mesh writes.
std::string encode_mesh(const MeshData& mesh, MeshFormat format, bool binary = false);

// ---- meshes saved with their search tree, to be loaded without building it again
//
//     save_mesh(part, "part.whisker");
//     Shape again = load_saved_mesh("part.whisker");   // the same mesh, the same tree, the same answers
//
// The file holds vertices and triangles bit for bit, which triangles and nodes belong under which node of the tree, and
// whether the mesh is a solid. The boxes of the tree are not in it: they are fitted when it is loaded, so that no file,
// damaged or made up, can bring boxes that miss something. It is binary, little endian on every machine, with a version
// and a checksum.

/// Writes the file, replacing what was there. Throws an Error if it cannot be written.
void save_mesh(const Mesh& mesh, const std::filesystem::path& path);

/// Reads a file that save_mesh wrote. Throws an Error with the file and the reason if it is missing or unreadable, not
/// such a file, from a newer whisker, cut short, longer than it says, damaged (by its checksum), or if what it says
/// does not hold together: a number that is not finite, an index out of range, a tree that is not one or does not hold
/// every triangle once, an open mesh that calls itself a solid. Counts are checked against the bytes that are there
/// before memory is taken.
Mesh load_saved_mesh(const std::filesystem::path& path);

/// The bytes that save_mesh writes.
std::string encode_saved_mesh(const Mesh& mesh);

/// A mesh from such bytes. `name` stands for the file in messages.
Mesh decode_saved_mesh(std::span<const std::byte> bytes, std::string_view name);

}  // namespace whisker
