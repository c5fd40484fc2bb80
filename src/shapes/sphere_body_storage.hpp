#pragma once

// The data that the copies of a SphereBody share.

#include <array>
#include <cstdint>
#include <vector>

#include <whisker/spheres/sphere_body.hpp>

#include "geometry/check_index.hpp"
#include "shapes/internals.hpp"

namespace whisker {

/// Spheres by index, one array per coordinate. Siblings are consecutive, so that a few loads fetch eight of them.
struct SphereBody::Storage {
  /// Arrays that kernels read have this many more elements than there are spheres.
  static constexpr std::size_t lane_padding = 8;

  Mesh mesh;  ///< solid
  std::vector<double> x, y, z;
  std::vector<double> radius;
  /// Upper bound on the signed distance of the center from the surface, negative inside. If negative, the ball of that
  /// radius around the center is in the solid. Otherwise the solid is within that distance of the center.
  std::vector<double> height;
  std::vector<double> protrusion;
  std::vector<Vector3> foot;  ///< the surface point closest to the center, up to rounding
  std::vector<std::uint32_t> first_child, child_count;
  /// For each connected part of the mesh, the vertices that are extreme along the axes. If one of them is outside a
  /// solid whose surface the part does not touch, the whole part is outside.
  std::vector<std::array<Vector3, 6>> ends;
  /// Upper bound on the coordinates of points of the spheres, the radii and the heights.
  double size = 0;

  explicit Storage(Mesh solid) : mesh(std::move(solid)) {}
  std::size_t count() const { return foot.size(); }
  /// Returns i, or throws an Error if there is no such sphere.
  std::size_t checked(std::size_t i) const {
    geometry::check_index("sphere body: sphere", i, count());
    return i;
  }
  Vector3 center(std::size_t i) const { return {x[i], y[i], z[i]}; }
};

using SphereBodyStorage = StorageOf<SphereBody>;

}  // namespace whisker
