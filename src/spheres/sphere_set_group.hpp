#pragma once

// A group of at most 64 spheres of a set, transformed to the world.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "convex/simple_shape.hpp"
#include "geometry/place.hpp"
#include "shapes/sphere_set_storage.hpp"

namespace whisker::spheres {

/// A set of spheres of a group, as the bits of a word.
using Members = std::uint64_t;

struct PlacedGroup {
  static constexpr std::size_t size = SphereSetStorage::group_size;

  std::size_t first = 0;  ///< index in the set of the group's first sphere
  std::size_t count = 0;
  double x[size], y[size], z[size];  ///< centers as place() computes them
  const double* radii = nullptr;
  const std::uint32_t* links = nullptr;  ///< indices in the set
  /// Upper bound on the absolute coordinates of the centers.
  double coordinate = 0;

  PlacedGroup(const SphereSet& set, std::size_t group, const Pose& pose) {
    const SphereSetStorage& s = storage_of(set);
    first = group * size;
    count = std::min(size, s.x.size() - first);
    radii = s.radii.data() + first;
    links = s.links.data() + first;
    const double *const from_x = s.x.data() + first, *const from_y = s.y.data() + first,
                        *const from_z = s.z.data() + first;
    const double* const r = pose.rotation().data();  // column by column
    const double* const t = pose.translation().data();
    double largest = 0;
    for (std::size_t i = 0; i < count; ++i) {
      // The same operations as in place().
      const double px = ((r[0] * from_x[i] + r[3] * from_y[i]) + r[6] * from_z[i]) + t[0];
      const double py = ((r[1] * from_x[i] + r[4] * from_y[i]) + r[7] * from_z[i]) + t[1];
      const double pz = ((r[2] * from_x[i] + r[5] * from_y[i]) + r[8] * from_z[i]) + t[2];
      x[i] = px;
      y[i] = py;
      z[i] = pz;
      largest = std::max(largest, std::max(std::abs(px), std::max(std::abs(py), std::abs(pz))));
    }
    coordinate = largest;
  }

  Vector3 center(std::size_t i) const { return {x[i], y[i], z[i]}; }
  convex::SimpleShape sphere(std::size_t i) const { return convex::simple_point(center(i), radii[i]); }
  Members all() const { return count == size ? ~Members{0} : (Members{1} << count) - 1; }
};

/// A ball around the placed spheres, given the ball `local` around the unplaced spheres. Rounding is included.
///
/// A rotation stretches by less than 2e-9. place() rounds four times, with numbers below twice the sum of coordinates.
inline BoundingSphere placed_ball(const BoundingSphere& local, const Pose& pose) {
  const double size = local.center.cwiseAbs().maxCoeff() + local.radius + pose.translation().cwiseAbs().maxCoeff();
  return {geometry::placed_point(pose, local.center), local.radius * (1 + 0x1p-28) + 0x1p-47 * size};
}

}  // namespace whisker::spheres
