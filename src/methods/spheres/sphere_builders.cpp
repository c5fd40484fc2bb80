#include <whisker/methods/sphere_builders.hpp>
#include <whisker/spheres/sphere_set.hpp>

#include "methods/spheres/grid_tree.hpp"
#include "methods/spheres/hubbard.hpp"
#include "methods/spheres/region_methods.hpp"
#include "spheres/builders.hpp"

namespace whisker::methods {

namespace {

/// Builds trees with a function.
class TreeFunction final : public SphereBuilder {
 public:
  using Build = SphereTree(const Solid& solid, const SphereTreeOptions& options);

  explicit TreeFunction(Build* build) : build_(build) {}

  SphereTree build_tree(const Mesh& solid, const SphereTreeOptions& options) const override {
    return build_(Solid(solid), options);
  }

 private:
  Build* build_;
};

/// Builds trees and sets with a region method.
class RegionBuilder final : public SphereBuilder {
 public:
  explicit RegionBuilder(const spheres::RegionMethod& method) : method_(method) {}

  SphereTree build_tree(const Mesh& solid, const SphereTreeOptions& options) const override {
    return spheres::build_tree(Solid(solid), options, method_);
  }
  SphereSet build_set(const Mesh& solid, int max_count, const SphereSetOptions& options) const override {
    return spheres::build_set(Solid(solid), max_count, options, method_);
  }

 private:
  spheres::RegionMethod method_;
};

}  // namespace

std::shared_ptr<const SphereBuilder> grid_builder() {
  return std::make_shared<TreeFunction>(build_grid_tree);
}
std::shared_ptr<const SphereBuilder> hybrid_builder() {
  return std::make_shared<TreeFunction>(build_hybrid_tree);
}
std::shared_ptr<const SphereBuilder> hubbard_builder() {
  return std::make_shared<TreeFunction>(build_hubbard);
}
std::shared_ptr<const SphereBuilder> burst_builder() {
  return std::make_shared<RegionBuilder>(spheres::RegionMethod{.find = burst_spheres});
}
std::shared_ptr<const SphereBuilder> spawn_builder() {
  return std::make_shared<RegionBuilder>(spheres::RegionMethod{.find = spawn_spheres, .needs_axis = false});
}

}  // namespace whisker::methods
