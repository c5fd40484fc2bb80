#pragma once

// How far a sphere sticks out of a solid.

#include <algorithm>

#include <whisker/geometry/bounding_sphere.hpp>
#include <whisker/mesh.hpp>
#include <whisker/mesh_queries.hpp>
#include <whisker/shape.hpp>
#include <whisker/spheres/sphere_tree.hpp>

#include "geometry/interval_inline.hpp"

namespace whisker::spheres {

/// Upper bound on the distance of any point of a ball from the solid, given an upper bound on the signed distance of
/// its center. If the center is inside, the solid contains the ball around the center that reaches the surface. If it
/// is outside, the solid is within that distance of the center. (Bradshaw's equation 5.1, with a sign for centers
/// outside.)
inline double protrusion(double radius, double height) {
  return std::max(0.0, geometry::add_up(radius, height));
}

class Solid {
 public:
  /// Throws an Error if the mesh is not a valid solid.
  explicit Solid(const Mesh& mesh) : mesh_(mesh.solid()), shape_(mesh_) {}

  const Mesh& mesh() const { return mesh_; }
  bool contains(const Vector3& point) const { return whisker::contains(shape_, point); }
  Distance signed_distance(const Vector3& point) const { return whisker::signed_distance(shape_, point); }
  /// Upper bound on the signed distance, which is negative inside.
  double height(const Vector3& point) const { return signed_distance(point).upper; }
  /// Upper bound on the distance of any point of the ball from the solid.
  double protrusion(const BoundingSphere& ball) const { return spheres::protrusion(ball.radius, height(ball.center)); }
  FittedSphere fitted(const BoundingSphere& ball) const { return {ball, protrusion(ball)}; }

 private:
  Mesh mesh_;
  Shape shape_;
};

}  // namespace whisker::spheres
