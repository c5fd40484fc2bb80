#pragma once

// The motion for the simulation experiment: twenty copies of a solid that fly together and collide, with friction.

#include <cstdint>
#include <vector>

#include <whisker/pose.hpp>

#include "spheretree.hpp"

namespace whisker::bench {

/// The thesis does not state these numbers. Lengths are in bounding radii, times in seconds.
struct MotionOptions {
  std::size_t bodies = 20;
  double launch_radius = 6;  ///< Bodies start on a sphere of this radius, with disjoint bounding balls,
  double speed = 2;          ///< and fly toward its center at this speed,
  double spread = 0.15;      ///< with an offset of up to this fraction of the launch radius,
  double spin = 2;           ///< and rotate at up to this many radians per second.
  double friction = 0.5;     ///< Coulomb's coefficient.
  double step = 0.02;
  std::size_t steps = 300;
  std::uint64_t seed = 1;
};

struct Frame {
  std::vector<Pose> poses;
  std::size_t touching = 0;  ///< Pairs of solids that share a point.
};

/// The poses of the bodies after each step. Contacts are vertices of one solid that lie in another, found exactly. Each
/// is pushed out toward the nearest surface point by impulses that do not pull and stay in the friction cone.
std::vector<Frame> record_motion(const Model& model, const MotionOptions& options);

}  // namespace whisker::bench
