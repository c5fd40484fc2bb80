#pragma once

// What a SphereBody shares between its copies.

#include <array>
#include <cstdint>
#include <vector>

#include <whisker/spheres/sphere_body.hpp>

#include "geometry/check_index.hpp"
#include "shapes/internals.hpp"

namespace whisker {

/// Spheres by number, coordinate by coordinate: siblings follow each other, so that a few loads hold eight of them.
/// What kernels read has eight numbers more than there are spheres.
struct SphereBody::Storage {
  Mesh mesh;  ///< solid
  std::vector<double> x, y, z;
  std::vector<double> radius;
  /// At least the signed distance of the center from the surface, negative inside: the ball of that size about the
  /// center is in the solid; or the solid is no farther from the center than that.
  std::vector<double> height;
  std::vector<double> protrusion;
  std::vector<Vector3> foot;  ///< the point of the surface that is closest to the center, within rounding
  std::vector<std::uint32_t> first_child, child_count;
  /// Of each connected part of the mesh the vertices that reach farthest along the axes: if one of them is outside a
  /// solid whose surface the part does not touch, all of the part is.
  std::vector<std::array<Vector3, 6>> ends;
  /// No coordinate of a point of a sphere, radius or height is larger.
  double size = 0;

  explicit Storage(Mesh solid) : mesh(std::move(solid)) {}
  std::size_t count() const { return foot.size(); }
  void check_number(std::size_t i) const { geometry::check_index("sphere body: sphere", i, count()); }
  Vector3 center(std::size_t i) const { return {x[i], y[i], z[i]}; }
};

using SphereBodyStorage = StorageOf<SphereBody>;

}  // namespace whisker
