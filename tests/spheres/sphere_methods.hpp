#pragma once

// All methods that build a sphere tree, of the library and of whisker::methods, by name.

#include <memory>
#include <string>

#include <whisker/methods/sphere_builders.hpp>
#include <whisker/spheres/sphere_tree.hpp>

namespace whisker::test {

struct SphereMethod {
  std::string name;
  SphereTreeMethod method = SphereTreeMethod::combined;
  std::shared_ptr<const SphereBuilder> builder = {};

  friend bool operator==(const SphereMethod& a, const SphereMethod& b) { return a.name == b.name; }

  static const SphereMethod octree, solid_octree, grid, hybrid, hubbard, merge, burst, expand, spawn, combined;
};

inline const SphereMethod SphereMethod::octree{"octree", SphereTreeMethod::octree};
inline const SphereMethod SphereMethod::solid_octree{"solid octree", SphereTreeMethod::solid_octree};
inline const SphereMethod SphereMethod::grid{.name = "grid", .builder = methods::grid_builder()};
inline const SphereMethod SphereMethod::hybrid{.name = "hybrid", .builder = methods::hybrid_builder()};
inline const SphereMethod SphereMethod::hubbard{.name = "hubbard", .builder = methods::hubbard_builder()};
inline const SphereMethod SphereMethod::merge{"merge", SphereTreeMethod::merge};
inline const SphereMethod SphereMethod::burst{.name = "burst", .builder = methods::burst_builder()};
inline const SphereMethod SphereMethod::expand{"expand", SphereTreeMethod::expand};
inline const SphereMethod SphereMethod::spawn{.name = "spawn", .builder = methods::spawn_builder()};
inline const SphereMethod SphereMethod::combined{"combined", SphereTreeMethod::combined};

}  // namespace whisker::test
