#include <whisker/methods/sphere_builders.hpp>
#include <whisker/spheres/sphere_set.hpp>

#include "methods/spheres/grid_tree.hpp"
#include "methods/spheres/hubbard.hpp"
#include "methods/spheres/region_methods.hpp"
#include "spheres/builders.hpp"

namespace whisker::methods {

namespace {

/// Builds trees with a function.
template <SphereTree build(const Solid& solid, const SphereTreeOptions& options)>
class TreeFunction final : public SphereBuilder {
  SphereTree build_tree(const Mesh& solid, const SphereTreeOptions& options) const override {
    return build(Solid(solid), options);
  }
};

/// Builds trees and sets with a region method.
template <spheres::RegionMethod::Find find, bool needs_axis>
class RegionBuilder final : public SphereBuilder {
  static constexpr spheres::RegionMethod method = {.find = find, .needs_axis = needs_axis};
  SphereTree build_tree(const Mesh& solid, const SphereTreeOptions& options) const override {
    return spheres::build_tree(Solid(solid), options, method);
  }
  SphereSet build_set(const Mesh& solid, int max_count, const SphereSetOptions& options) const override {
    return spheres::build_set(Solid(solid), max_count, options, method);
  }
};

}  // namespace

std::shared_ptr<const SphereBuilder> grid_builder() {
  return std::make_shared<TreeFunction<build_grid_tree>>();
}
std::shared_ptr<const SphereBuilder> hybrid_builder() {
  return std::make_shared<TreeFunction<build_hybrid_tree>>();
}
std::shared_ptr<const SphereBuilder> hubbard_builder() {
  return std::make_shared<TreeFunction<build_hubbard>>();
}
std::shared_ptr<const SphereBuilder> burst_builder() {
  return std::make_shared<RegionBuilder<burst_spheres, true>>();
}
std::shared_ptr<const SphereBuilder> spawn_builder() {
  return std::make_shared<RegionBuilder<spawn_spheres, false>>();
}

}  // namespace whisker::methods
