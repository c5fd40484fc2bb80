#include <whisker/error.hpp>
#include <whisker/mesh.hpp>
#include <whisker/spheres/sphere_tree.hpp>

#include "geometry/threads.hpp"
#include "spheres/build_checks.hpp"
#include "spheres/builders.hpp"

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

}  // namespace

SphereTree build_sphere_tree(const Mesh& mesh, const SphereTreeOptions& options) {
  SphereTree tree;
  with_threads("build_sphere_tree", options.threads, [&] { tree = build_by_method(mesh, options); });
  return tree;
}

}  // namespace whisker
