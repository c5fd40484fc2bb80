#pragma once

// What a SphereSet shares between its copies.

#include <cstdint>
#include <vector>

#include <whisker/spheres/sphere_set.hpp>

#include "shapes/internals.hpp"

namespace whisker {

struct SphereSet::Storage {
  /// Spheres are worked in groups of so many, one bit each of a word.
  static constexpr std::size_t group_size = 64;

  std::vector<double> x, y, z, radii;
  BoundingSphere ball;
  Aabb bounds;
  /// A ball around each group.
  std::vector<BoundingSphere> group_balls;
  /// Of each sphere one of a lower number in its group that overlaps it, or itself. (Where both are apart from a
  /// surface, they are on the same side of it.)
  std::vector<std::uint32_t> links;

  std::size_t group_count() const { return group_balls.size(); }
};

using SphereSetStorage = StorageOf<SphereSet>;

}  // namespace whisker
