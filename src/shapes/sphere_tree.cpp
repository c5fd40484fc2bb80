#include <algorithm>
#include <limits>
#include <string>

#include <whisker/error.hpp>
#include <whisker/spheres/sphere_tree.hpp>
#include <whisker/spheres/sphere_tree_files.hpp>

#include "geometry/lists.hpp"
#include "shapes/sphere_data.hpp"

namespace whisker {

namespace {

// A tree may come from any source, so its arrays may be inconsistent.
void check_levels(const SphereTree& tree) {
  const std::vector<std::uint32_t>& begin = tree.level_begin;
  const bool fits = begin.size() >= 2 && begin.front() == 0 && begin.back() == tree.nodes.size() &&
                    std::is_sorted(begin.begin(), begin.end());
  if (!fits) {
    throw Error(
        "SphereTree: level_begin does not match the nodes; it must contain the index at which each level begins, "
        "starting with 0, and end with the number of nodes");
  }
}

}  // namespace

std::vector<std::uint32_t> SphereTree::cut(int level) const {
  if (level < 0) throw Error("SphereTree: level " + std::to_string(level) + " is negative; the root is level 0");
  std::vector<std::uint32_t> result;
  if (nodes.empty()) return result;
  check_levels(*this);
  const int last = std::min(level, depth());
  for (std::uint32_t i = 0; i < level_begin[static_cast<std::size_t>(last) + 1]; ++i) {
    if (i >= level_begin[static_cast<std::size_t>(last)] || nodes[i].child_count == 0) result.push_back(i);
  }
  return result;
}

std::vector<BoundingSphere> SphereTree::spheres(int level) const {
  return geometry::mapped(cut(level), [&](std::uint32_t i) { return nodes[i].sphere; });
}

double SphereTree::protrusion(int level) const {
  double worst = 0;
  for (const std::uint32_t i : cut(level))
    worst = std::max(worst, nodes[i].protrusion);
  return worst;
}

SphereTree SphereTree::min_error_tree() const {
  if (min_error.size() > nodes.size()) {
    throw Error("SphereTree: " + std::to_string(min_error.size()) + " min_error spheres for " +
                std::to_string(nodes.size()) + " nodes; give one for each node, or none");
  }
  SphereTree result = *this;
  for (std::size_t i = 0; i < min_error.size(); ++i) {
    result.nodes[i].sphere = min_error[i].sphere;
    result.nodes[i].protrusion = min_error[i].protrusion;
  }
  result.min_error.clear();
  return result;
}

void shapes::append_node(SphereTree& tree, SphereTreeNode node) {
  const auto number = static_cast<std::uint32_t>(tree.nodes.size());
  if (number == 0) {
    tree.level_begin = {0, 1};
  } else {
    SphereTreeNode& parent = tree.nodes[node.parent];
    if (parent.child_count == 0) parent.first_child = number;
    ++parent.child_count;
    // The first child of a node on the last level starts a new level.
    if (node.parent >= tree.level_begin[tree.level_begin.size() - 2]) tree.level_begin.push_back(number);
    tree.level_begin.back() = number + 1;
  }
  tree.nodes.push_back(node);
}

void check_sphere_tree(const SphereTree& tree) {
  if (tree.nodes.empty()) throw Error("sphere tree: it has no nodes");
  if (tree.nodes.size() >= std::numeric_limits<std::uint32_t>::max())
    throw Error("sphere tree: it has too many nodes (2³² - 1 or more)");
  if (!tree.min_error.empty() && tree.min_error.size() != tree.nodes.size())
    throw Error("sphere tree: it has " + std::to_string(tree.nodes.size()) + " nodes, but " +
                std::to_string(tree.min_error.size()) + " min_error spheres");
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const SphereTreeNode& node = tree.nodes[i];
    const auto require = [&](bool holds, const char* what) {
      if (!holds) throw Error("sphere tree: node " + std::to_string(i) + " " + what);
    };
    const auto check = [&](const BoundingSphere& sphere, double protrusion) {
      const char* const fault = shapes::fault_of(sphere);
      require(fault == nullptr, fault);
      require(protrusion >= 0, "has a protrusion that is negative or not a number");
    };
    check(node.sphere, node.protrusion);
    if (!tree.min_error.empty()) check(tree.min_error[i].sphere, tree.min_error[i].protrusion);
    if (i > 0) {
      require(node.parent < i, "has a parent that does not come before it");
      require(node.parent >= tree.nodes[i - 1].parent,
              "has a smaller parent than the node before it; nodes must be in the order of their parents");
    }
  }
  // If the parents are in order, everything else follows from them.
  SphereTree made;
  made.nodes.reserve(tree.nodes.size());
  for (const SphereTreeNode& node : tree.nodes)
    shapes::append_node(made, {.sphere = node.sphere, .protrusion = node.protrusion, .parent = node.parent});
  if (made.level_begin != tree.level_begin)
    throw Error("sphere tree: level_begin does not match the parents of the nodes");
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const bool same = tree.nodes[i].child_count == made.nodes[i].child_count &&
                      (tree.nodes[i].child_count == 0 || tree.nodes[i].first_child == made.nodes[i].first_child);
    if (!same)
      throw Error("sphere tree: node " + std::to_string(i) + " has children that do not refer to it as their parent");
  }
}

}  // namespace whisker
