#pragma once

/// \file
/// Reads and writes sphere trees as JSON and .sph files.
///
///     save_sphere_tree(build_sphere_tree(mesh), "bunny.json");
///     SphereTree tree = load_sphere_tree("bunny.json");            // the same tree, to the last bit
///     SphereTree other = load_sphere_tree("other.sph");            // from another program: without protrusions
///     find_protrusions(mesh, other);
///
/// The two formats differ in what they store:
///  - JSON stores the whole tree.
///  - .sph stores centers, radii and the parent-child relation, with a line for every possible child. It stores neither
///    protrusions nor the second spheres of a hybrid tree.
///
/// A file that cannot be read is an Error with its name, the line and the reason. Reading takes time and memory
/// proportional to the actual size of the file, whatever size the file claims to have.

#include <filesystem>
#include <string>
#include <string_view>

#include <whisker/spheres/sphere_tree.hpp>

namespace whisker {

/// Reads a tree from a .sph or .json file. The extension decides; its case does not matter. Another extension is an
/// Error.
SphereTree load_sphere_tree(const std::filesystem::path& path);
/// Writes a tree to a .sph or .json file, and replaces an existing file. Throws as check_sphere_tree does, and if the
/// file cannot be written or has another extension.
void save_sphere_tree(const SphereTree& tree, const std::filesystem::path& path);

/// Reads a tree from text in the format of the sphere-tree construction toolkit (.sph); see parse_sph in
/// sphere_set.hpp. `name` is the file name in error messages. A sphere with a negative radius is missing, and its
/// children must be missing too. Levels without a sphere are dropped. Protrusions are unknown and set to infinity;
/// find_protrusions computes them.
SphereTree parse_sph_tree(std::string_view text, std::string_view name);
/// Writes a tree in that format. Every node gets as many places for children as the node with the most children has;
/// its children fill the first places. Reading the text back gives the same tree except for the protrusions and the
/// second spheres of a hybrid tree. Throws as check_sphere_tree does, and an Error if the file would have more than
/// 10,000,000 lines; use JSON for such a tree.
std::string encode_sph_tree(const SphereTree& tree);

/// Reads a tree from JSON: {"nodes": [{"center": [x, y, z], "radius": r, "protrusion": s, "parent": p}, …]}. Other keys
/// are ignored. The root comes first and has no parent. The other nodes follow level by level, each with the number of
/// its parent: the children of the first node of a level come before those of the second, and so on. A missing
/// protrusion is infinite. The second spheres of a hybrid tree are "min_error": {"center": …, "radius": …,
/// "protrusion": …}.
SphereTree parse_sphere_tree_json(std::string_view text, std::string_view name);
/// Writes a tree in that format, one node per line. Reading it back gives the same tree to the last bit. Throws as
/// check_sphere_tree does.
std::string encode_sphere_tree_json(const SphereTree& tree);

/// Throws an Error that describes the fault if a tree is not valid: it has no node, a number is not finite (only a
/// protrusion may be infinite) or beyond `max_coordinate`, a radius or protrusion is negative, a level or child is not
/// where it belongs, or the number of `min_error` spheres differs from that of the nodes. The `first_child` of a leaf
/// is ignored.
void check_sphere_tree(const SphereTree& tree);

/// Computes the protrusion of every node, and of every `min_error` sphere, from the mesh that the tree was built for:
/// an upper bound on how far the sphere reaches out of the solid. Throws an Error if the mesh is not closed, or is
/// inside out.
void find_protrusions(const Mesh& mesh, SphereTree& tree);

}  // namespace whisker
