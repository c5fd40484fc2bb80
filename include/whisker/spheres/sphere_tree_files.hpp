#pragma once

/// \file
/// Sphere trees in files.
///
///     save_sphere_tree(build_sphere_tree(mesh), "bunny.json");
///     SphereTree tree = load_sphere_tree("bunny.json");            // the same tree, to the last bit
///     SphereTree other = load_sphere_tree("other.sph");            // of another program: without protrusions
///     find_protrusions(mesh, other);
///
/// | | holds | does not hold |
/// | --- | --- | --- |
/// | JSON | all of a tree | |
/// | .sph | centers, radii, who is whose child; a line for every place of a child | protrusions, a hybrid's second
/// spheres |
///
/// A file is refused with an Error that has its name, the line and the reason. Reading takes time and memory in
/// proportion to the file, whatever it says of its size.

#include <filesystem>
#include <string>
#include <string_view>

#include <whisker/spheres/sphere_tree.hpp>

namespace whisker {

/// A tree from a file: .sph or .json, by its extension in any case.
SphereTree load_sphere_tree(const std::filesystem::path& path);
/// Writes a file, replacing what was there.
void save_sphere_tree(const SphereTree& tree, const std::filesystem::path& path);

/// A tree from text in the form of the sphere-tree construction toolkit (.sph), as parse_sph has it; `name` stands for
/// the file in messages. A sphere with a negative radius is not there, and nor may its children be. Levels without a
/// sphere are left out. Stand-offs are not known, and so infinite; find_protrusions finds them.
SphereTree parse_sph_tree(std::string_view text, std::string_view name);
/// The children of a node come first in the places for them, of which there are as many as the node with the most
/// children has. Read back, the tree is the same but for the protrusions, and for the second spheres of a hybrid tree.
/// Throws an Error if the tree is not one (as check_sphere_tree finds), or its file would have more than 10,000,000
/// lines: such a tree is for JSON.
std::string encode_sph_tree(const SphereTree& tree);

/// A tree from JSON: {"nodes": [{"center": [x, y, z], "radius": r, "protrusion": s, "parent": p}, …]}, where other keys
/// are passed over. The root comes first and has no parent; then level by level, the children of the first node of a
/// level before those of the second, with the number of their parent. A protrusion that is not there is infinite. The
/// second spheres of a hybrid tree are "min_error": {"center": …, "radius": …, "protrusion": …}.
SphereTree parse_sphere_tree_json(std::string_view text, std::string_view name);
/// The same, one node a line; read back it is the same to the last bit. Throws as check_sphere_tree does.
std::string encode_sphere_tree_json(const SphereTree& tree);

/// Throws an Error that says what is wrong with a tree: no node, a number that is not finite (a protrusion may be
/// infinite) or beyond `max_coordinate`, a negative radius or protrusion, a level or a child that is not where it
/// belongs. The `first_child` of a leaf is not looked at.
void check_sphere_tree(const SphereTree& tree);

/// Finds the protrusion of every node from the mesh that the tree was built for: how far its sphere reaches out of the
/// solid at most. Throws an Error if the mesh is not closed, or inside out.
void find_protrusions(const Mesh& mesh, SphereTree& tree);

}  // namespace whisker
