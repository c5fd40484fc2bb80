#pragma once

/// \file
/// Meshes saved with their search tree, to be loaded without building it again.
///
///     save_mesh(part, "part.whisker");
///     Shape again = load_saved_mesh("part.whisker");   // the same mesh, the same tree, the same answers
///
/// The file holds vertices and triangles bit for bit, which triangles and nodes belong under which node of the tree,
/// and whether the mesh is a solid. The boxes of the tree are not in it: they are fitted when it is loaded, so that no
/// file, damaged or made up, can bring boxes that miss something. It is binary, little endian on every machine, with a
/// version and a checksum. For files that other programs read see io.hpp.

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include <whisker/mesh.hpp>

namespace whisker {

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
