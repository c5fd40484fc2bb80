#pragma once

// What the builders of spheres refuse, and when they end.

#include <whisker/mesh.hpp>
#include <whisker/spheres/sphere_tree.hpp>

namespace whisker::spheres {

/// Throw an Error that names the builder, and the option or what is wrong with the mesh.
void check_range(const char* builder, const char* option, int value, int least, int most);
void check_from_zero(const char* builder, const char* option, double value);
void check_balance(const char* builder, const SphereBalance& balance);
/// The largest coordinate must be from 1e-88 to 1e88: squares of lengths do not vanish then, and the spheres are within
/// max_coordinate.
void check_size(const char* builder, const Mesh& mesh);

/// With a target, levels are added up to this many.
inline constexpr int max_levels = 10;

inline int level_limit(const SphereTreeOptions& options) {
  return options.protrusion > 0 ? max_levels : options.depth;
}

/// A node that stands off no more is a leaf.
inline double leaf_error(const SphereTreeOptions& options, double root_radius) {
  return options.protrusion > 0 ? options.protrusion : options.good_enough * root_radius;
}

}  // namespace whisker::spheres
