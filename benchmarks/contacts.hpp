#pragma once

// The suite `contacts`: the contact points of many bodies for a solver, frame by frame, by World::manifolds and by
// Bullet.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <whisker/convex_hull.hpp>
#include <whisker/mesh_data.hpp>
#include <whisker/pose.hpp>

#include "harness.hpp"

namespace whisker::bench {

/// Hulls that rest on a mesh and move a little from frame to frame. The frames are played forward and backward.
struct ContactScene {
  std::string name;
  MeshData ground;
  std::vector<ConvexHull> kinds;
  std::vector<std::uint32_t> kind_of;     ///< by body
  std::vector<std::vector<Pose>> frames;  ///< of the bodies
  double margin = 0;                      ///< points with a gap up to this are found
};

/// What a system has found.
struct ContactCount {
  std::size_t points = 0;    ///< with a gap up to the margin
  std::size_t grounded = 0;  ///< hulls that touch or overlap the ground
  std::size_t pairs = 0;     ///< pairs of hulls that touch or overlap
};

struct ContactSystem {
  std::string name;
  std::function<void(std::span<const Pose>)> step;  ///< Moves all hulls to these poses and finds the points.
  std::function<ContactCount()> count;              ///< After a step.
  bool by_wall = false;
};

/// Empty if Bullet was not available when the suite was built.
std::vector<ContactSystem> bullet_contact_systems(const ContactScene& scene);

}  // namespace whisker::bench
