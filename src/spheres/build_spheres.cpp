// Checks what a sphere tree or a set of spheres is to be built from, and builds it with the method that is asked for.

#include <algorithm>

#include <whisker/error.hpp>
#include <whisker/mesh.hpp>
#include <whisker/spheres/sphere_set.hpp>
#include <whisker/spheres/sphere_tree.hpp>

#include "geometry/threads.hpp"
#include "spheres/build_checks.hpp"
#include "spheres/builders.hpp"

namespace whisker {

namespace {

/// Checks the options that trees and sets share, and the mesh.
template <class Options>
void check_common(const char* what, const Mesh& mesh, const Options& options) {
  spheres::check_range(what, "samples", options.samples, 16, 1'000'000);
  spheres::check_range(what, "pieces", options.pieces, 16, 10'000'000);
  spheres::check_from_zero(what, "protrusion", options.protrusion);
  spheres::check_size(what, mesh);
}

void check_options(const char* what, const SphereTreeOptions& options) {
  spheres::check_range(what, "depth", options.depth, 1, 10);
  spheres::check_range(what, "branching", options.branching, 2, 64);
  spheres::check_from_zero(what, "good_enough", options.good_enough);
  if (options.optimize) {
    spheres::check_range(what, "optimize.rounds", options.optimize->rounds, 1, 100);
    spheres::check_from_zero(what, "optimize.worst_weight", options.optimize->worst_weight);
    spheres::check_from_zero(what, "optimize.mean_square_weight", options.optimize->mean_square_weight);
  }
  if (options.balance) spheres::check_balance(what, *options.balance);
}

bool is_region_method(SphereTreeMethod method) {
  using enum SphereTreeMethod;
  return method == merge || method == expand || method == combined;
}

SphereTree build_by_method(const Mesh& mesh, const SphereTreeOptions& options) {
  constexpr const char* what = "build_sphere_tree";
  check_options(what, options);
  check_common(what, mesh, options);
  const spheres::Solid solid(mesh);
  if (options.builder != nullptr) return options.builder->build_tree(solid.mesh(), options);
  if (is_region_method(options.method)) return spheres::build_tree(solid, options, {.method = options.method});
  if (options.method != SphereTreeMethod::octree && options.method != SphereTreeMethod::solid_octree)
    throw Error("build_sphere_tree: the method is not a value of SphereTreeMethod");
  SphereTree tree = spheres::build_octree(solid, options);
  if (options.progress) options.progress(1, 1);
  return tree;
}

}  // namespace

SphereTree build_sphere_tree(const Mesh& mesh, const SphereTreeOptions& options) {
  return with_threads("build_sphere_tree", options.threads, [&] { return build_by_method(mesh, options); });
}

SphereSet SphereBuilder::build_set(const Mesh&, int, const SphereSetOptions&) const {
  throw Error("build_sphere_set: this builder builds trees, not sets; use another builder, or none");
}

SphereSet build_sphere_set(const Mesh& mesh, int max_count, const SphereSetOptions& options) {
  constexpr const char* what = "build_sphere_set";
  check_threads(what, options.threads);
  spheres::check_range(what, "max_count", max_count, 1, 10'000);
  if (options.builder == nullptr && !is_region_method(options.method))
    throw Error("build_sphere_set: the method must be merge, expand or combined");
  check_common(what, mesh, options);
  const spheres::Solid solid(mesh);
  return with_threads(what, options.threads, [&] {
    return options.builder != nullptr ? options.builder->build_set(solid.mesh(), max_count, options)
                                      : spheres::build_set(solid, max_count, options, {.method = options.method});
  });
}

double protrusion(const SphereSet& set, const Mesh& solid) {
  const spheres::Solid checked(solid);
  double worst = 0;
  for (std::size_t i = 0; i < set.size(); ++i)
    worst = std::max(worst, checked.protrusion({set.center(i), set.radius(i)}));
  return worst;
}

}  // namespace whisker
