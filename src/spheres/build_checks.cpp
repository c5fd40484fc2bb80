#include "spheres/build_checks.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <whisker/error.hpp>

#include "volumes/measure.hpp"

namespace whisker::spheres {

void check_range(const char* builder, const char* option, int value, int least, int most) {
  if (value >= least && value <= most) return;
  throw Error(std::string(builder) + ": " + option + " is " + std::to_string(value) + " but must be from " +
              std::to_string(least) + " to " + std::to_string(most));
}

void check_from_zero(const char* builder, const char* option, double value) {
  if (value >= 0 && std::isfinite(value)) return;
  throw Error(std::string(builder) + ": " + option + " must be a finite number, 0 or larger");
}

void check_balance(const char* builder, const SphereBalance& balance) {
  check_from_zero(builder, "balance.decay", balance.decay);
  check_from_zero(builder, "balance.slack", balance.slack);
  // Infinity is allowed: it means that only the slack is allowed.
  if (!(balance.slowness > 0)) throw Error(std::string(builder) + ": balance.slowness must be more than 0");
}

void check_size(const char* builder, const Mesh& mesh) {
  const Aabb box = mesh.bounds();
  const double largest = std::max(volumes::largest_entry(box.lower), volumes::largest_entry(box.upper));
  if (largest >= 1e-88 && largest <= 1e88) return;
  throw Error(std::string(builder) +
              ": the mesh's largest coordinate is not from 1e-88 to 1e88; use another unit of length");
}

void check_spheres(const char* what, std::span<const BoundingSphere> spheres) {
  for (std::size_t i = 0; i < spheres.size(); ++i) {
    const BoundingSphere& sphere = spheres[i];
    if (!sphere.center.allFinite() || !(sphere.radius >= 0) || !std::isfinite(sphere.radius)) {
      throw Error(std::string(what) + ": sphere " + std::to_string(i) +
                  " has a center or radius that is not finite, or a negative radius; remove it");
    }
  }
}

}  // namespace whisker::spheres
