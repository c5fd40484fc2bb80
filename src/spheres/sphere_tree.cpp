#include <algorithm>
#include <string>

#include <whisker/error.hpp>
#include <whisker/mesh.hpp>
#include <whisker/spheres/sphere_tree.hpp>

#include "geometry/threads.hpp"
#include "spheres/build_checks.hpp"
#include "spheres/octree.hpp"
#include "spheres/protrusion.hpp"
#include "spheres/tree_builder.hpp"

namespace whisker {

namespace {

void check_options(const char* what, const SphereTreeOptions& options) {
  spheres::check_range(what, "depth", options.depth, 1, 10);
  spheres::check_range(what, "branching", options.branching, 2, 64);
  spheres::check_range(what, "samples", options.samples, 16, 1'000'000);
  spheres::check_range(what, "pieces", options.pieces, 16, 10'000'000);
  spheres::check_from_zero(what, "good_enough", options.good_enough);
  spheres::check_from_zero(what, "protrusion", options.protrusion);
  if (options.optimize) {
    spheres::check_range(what, "optimize.rounds", options.optimize->rounds, 1, 100);
    spheres::check_from_zero(what, "optimize.worst_weight", options.optimize->worst_weight);
    spheres::check_from_zero(what, "optimize.mean_square_weight", options.optimize->mean_square_weight);
  }
  if (options.balance) spheres::check_balance(what, *options.balance);
}

SphereTree build_by_method(const Mesh& mesh, const SphereTreeOptions& options) {
  constexpr const char* what = "build_sphere_tree";
  check_options(what, options);
  spheres::check_size(what, mesh);
  const spheres::Solid solid(mesh);
  if (options.builder != nullptr) return options.builder->build_tree(solid.mesh(), options);
  switch (options.method) {
    case SphereTreeMethod::octree:
    case SphereTreeMethod::solid_octree: {
      SphereTree tree = spheres::build_octree(solid, options);
      if (options.progress) options.progress(1, 1);
      return tree;
    }
    case SphereTreeMethod::merge:
    case SphereTreeMethod::expand:
    case SphereTreeMethod::combined:
      return spheres::build_tree(solid, options, {.method = options.method});
  }
  throw Error("build_sphere_tree: the method is not a value of SphereTreeMethod");
}

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

SphereTree build_sphere_tree(const Mesh& mesh, const SphereTreeOptions& options) {
  SphereTree tree;
  with_threads("build_sphere_tree", options.threads, [&] { tree = build_by_method(mesh, options); });
  return tree;
}

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
  std::vector<BoundingSphere> result;
  for (const std::uint32_t i : cut(level))
    result.push_back(nodes[i].sphere);
  return result;
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

}  // namespace whisker
