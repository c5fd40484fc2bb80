#pragma once

// A body that is placed again and again: the memory for its spheres in the world.

#include <optional>
#include <vector>

#include <whisker/spheres/sphere_body.hpp>

#include "spheres/body_kernels.hpp"
#include "spheres/sphere_body_storage.hpp"

namespace whisker::spheres {

class BodyNodes {
 public:
  /// Takes the body, without a place.
  void set(const SphereBody& body);
  /// The body in a pose, which is known to be good, with its root in the world. What was placed before counts no more.
  /// The pointers hold until the next body, also when this is moved.
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

/// Bounds of the distance of two spheres that are in the world, and of what is in them: as measure_children gives them.
struct NodeBounds {
  double gap;
  double upper;
};
NodeBounds measure(const PlacedNodes& a, std::uint32_t i, const PlacedNodes& b, std::uint32_t j);

/// A body, its spheres in the world, and where it stands.
struct BodyInPlace {
  const PlacedNodes& nodes;
  const SphereBody& body;
  const Pose& pose;
};

/// Of two solids whose surfaces are apart: whether one, or a part of it, lies inside the other.
bool one_holds_other(const BodyInPlace& a, const BodyInPlace& b);

}  // namespace whisker::spheres
