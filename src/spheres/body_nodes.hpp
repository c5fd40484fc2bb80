#pragma once

// The memory for a body's spheres in world coordinates, reused when the body is placed again and again.

#include <optional>
#include <vector>

#include <whisker/spheres/sphere_body.hpp>

#include "shapes/sphere_body_storage.hpp"
#include "spheres/body_kernels.hpp"

namespace whisker::spheres {

class BodyNodes {
 public:
  /// Sets the body, without a pose.
  void set(const SphereBody& body);
  /// Places the body in a pose, which must be valid, and transforms its root. Earlier placements become invalid. The
  /// placement refers to this object and to the pose.
  PlacedNodes place(const Pose& pose);

  const SphereBody& body() const { return *body_; }

 private:
  std::optional<SphereBody> body_;
  std::vector<double> x_, y_, z_;
  std::vector<std::uint32_t> stamp_;
  std::uint32_t step_ = 0;
};

inline Vector3 world_center(const PlacedNodes& nodes, std::uint32_t i) {
  return {nodes.world_x[i], nodes.world_y[i], nodes.world_z[i]};
}

/// Bounds on the distance of two spheres in world coordinates, and of their contents, as in measure_children.
struct NodeBounds {
  double gap;
  double upper;
};
NodeBounds measure(const PlacedNodes& a, std::uint32_t i, const PlacedNodes& b, std::uint32_t j);

/// For two solids whose surfaces are disjoint: whether one of them, or a part of it, lies inside the other.
bool one_holds_other(const PlacedNodes& a, const PlacedNodes& b);

}  // namespace whisker::spheres
