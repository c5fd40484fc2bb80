#pragma once

// Argument checks and stopping criteria of the sphere builders.

#include <span>

#include <whisker/mesh.hpp>
#include <whisker/spheres/sphere_tree.hpp>

namespace whisker::spheres {

/// These functions throw an Error that names the builder, and the option or what is wrong with the mesh.
void check_range(const char* builder, const char* option, int value, int least, int most);
void check_from_zero(const char* builder, const char* option, double value);
void check_balance(const char* builder, const SphereBalance& balance);
/// The largest coordinate must be from 1e-88 to 1e88. Squared lengths then do not underflow, and the spheres stay
/// within max_coordinate.
void check_size(const char* builder, const Mesh& mesh);

/// Throws an Error that begins with `what` if a sphere is not finite or has a negative radius.
void check_spheres(const char* what, std::span<const BoundingSphere> spheres);

/// The maximum number of levels when a target protrusion is set.
inline constexpr int max_levels = 10;

inline int level_limit(const SphereTreeOptions& options) {
  return options.protrusion > 0 ? max_levels : options.depth;
}

/// A node that protrudes by at most this much is a leaf.
inline double leaf_error(const SphereTreeOptions& options, double root_radius) {
  return options.protrusion > 0 ? options.protrusion : options.good_enough * root_radius;
}

}  // namespace whisker::spheres
