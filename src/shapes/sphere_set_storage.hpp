#pragma once

// The data that the copies of a SphereSet share.

#include <cstdint>
#include <vector>

#include <whisker/spheres/sphere_set.hpp>

#include "geometry/check_index.hpp"
#include "shapes/internals.hpp"

namespace whisker {

struct SphereSet::Storage {
  /// Spheres are processed in groups of this size, one bit of a word each.
  static constexpr std::size_t group_size = 64;

  std::vector<double> x, y, z, radii;
  BoundingSphere ball;
  Aabb bounds;
  /// A ball around each group.
  std::vector<BoundingSphere> group_balls;
  /// For each sphere, a sphere of its group with a lower index that overlaps it, or the sphere itself. (If both are
  /// apart from a surface, they are on the same side of it.)
  std::vector<std::uint32_t> links;

  std::size_t group_count() const { return group_balls.size(); }
  Vector3 center(std::size_t i) const { return {x[i], y[i], z[i]}; }
  /// Returns i, or throws an Error if there is no such ball.
  std::size_t checked(std::size_t i) const {
    geometry::check_index("sphere set: ball", i, x.size());
    return i;
  }
};

using SphereSetStorage = StorageOf<SphereSet>;

}  // namespace whisker
