#pragma once

// Validation of spheres that a caller supplies.

#include <cmath>
#include <cstddef>
#include <span>
#include <string>

#include <whisker/error.hpp>
#include <whisker/geometry/bounding_sphere.hpp>

namespace whisker::spheres {

/// Throws an Error that begins with `what` if a sphere is not finite or has a negative radius.
inline void check_spheres(std::span<const BoundingSphere> spheres, const char* what) {
  for (std::size_t i = 0; i < spheres.size(); ++i) {
    const BoundingSphere& sphere = spheres[i];
    if (!sphere.center.allFinite() || !(sphere.radius >= 0) || !std::isfinite(sphere.radius)) {
      throw Error(std::string(what) + ": sphere " + std::to_string(i) +
                  " has a center or radius that is not finite, or a negative radius; remove it");
    }
  }
}

}  // namespace whisker::spheres
