#pragma once

// What the fuzz targets of sphere files do with their input. Ordinary tests use it to replay the corpus.

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include <whisker/error.hpp>
#include <whisker/spheres/sphere_set.hpp>
#include <whisker/spheres/sphere_tree_files.hpp>

#include "fuzz/fuzz_mesh.hpp"

namespace whisker::test {

inline bool same_spheres(const SphereSet& a, const SphereSet& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a.center(i) != b.center(i) || a.radius(i) != b.radius(i)) return false;
  return true;
}

/// Whether two trees have the same nodes and levels and, with `with_protrusions`, the same protrusions.
inline bool same_tree(const SphereTree& a, const SphereTree& b, bool with_protrusions) {
  if (a.level_begin != b.level_begin || a.nodes.size() != b.nodes.size()) return false;
  for (std::size_t i = 0; i < a.nodes.size(); ++i) {
    const SphereTreeNode &m = a.nodes[i], &n = b.nodes[i];
    if (m.sphere.center != n.sphere.center || m.sphere.radius != n.sphere.radius || m.parent != n.parent ||
        m.child_count != n.child_count || (m.child_count > 0 && m.first_child != n.first_child) ||
        (with_protrusions && m.protrusion != n.protrusion))
      return false;
  }
  if (!with_protrusions) return true;
  return std::ranges::equal(a.min_error, b.min_error, [](const FittedSphere& m, const FittedSphere& n) {
    return m.sphere.center == n.sphere.center && m.sphere.radius == n.sphere.radius && m.protrusion == n.protrusion;
  });
}

/// Runs `read`, which may refuse its text with an Error of one line. Returns whether the text was accepted.
template <class Read>
bool read_or_refuse(const Read& read) {
  try {
    read();
    return true;
  } catch (const Error& error) {
    const std::string message = error.what();
    require(message.starts_with("fuzz:"), "the message names the file");
    require(message.find('\n') == std::string::npos, "the message is one line");
    return false;
  }
}

/// Reads .sph text as a tree and as a set. If it is accepted, it must be the same after being written and read. Returns
/// whether it is a tree.
inline bool read_hostile_sph(std::string_view text) {
  SphereTree tree;
  const bool is_tree = read_or_refuse([&] { tree = parse_sph_tree(text, "fuzz"); });
  read_or_refuse([&] {
    const SphereSet set = parse_sph(text, "fuzz");
    require(same_spheres(parse_sph(encode_sph(set), "written"), set), "writing and reading keeps the set");
    if (is_tree) require(set.size() == tree.cut(tree.depth()).size(), "the set is the tree's last level");
  });
  if (!is_tree) return false;
  check_sphere_tree(tree);
  require(same_tree(parse_sphere_tree_json(encode_sphere_tree_json(tree), "written"), tree, true),
          "writing and reading JSON keeps the tree");
  // Written as .sph, a tree with one long and one wide part would be a large file.
  if (tree.nodes.size() < 1000 && tree.depth() < 4)
    require(same_tree(parse_sph_tree(encode_sph_tree(tree), "written"), tree, true),
            "writing and reading keeps the tree");
  return true;
}

/// The same for JSON, for trees and sets. Returns whether it is either.
inline bool read_hostile_sphere_json(std::string_view text) {
  const bool is_set = read_or_refuse([&] {
    const SphereSet set = parse_sphere_json(text, "fuzz");
    require(same_spheres(parse_sphere_json(encode_sphere_json(set), "written"), set),
            "writing and reading keeps the set");
  });
  const bool is_tree = read_or_refuse([&] {
    const SphereTree tree = parse_sphere_tree_json(text, "fuzz");
    check_sphere_tree(tree);
    require(same_tree(parse_sphere_tree_json(encode_sphere_tree_json(tree), "written"), tree, true),
            "writing and reading keeps the tree");
    if (tree.nodes.size() < 1000 && tree.depth() < 4)
      require(same_tree(parse_sph_tree(encode_sph_tree(tree), "written"), tree, false),
              "writing and reading .sph keeps the tree but for its protrusions");
  });
  return is_set || is_tree;
}

}  // namespace whisker::test
