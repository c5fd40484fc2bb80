#pragma once

// Twenty copies of a solid that fly together and collide, with friction: the motion that all trees are asked about.

#include <cstdint>
#include <vector>

#include <whisker/pose.hpp>

#include "spheretree.hpp"

namespace whisker::bench {

/// The thesis states none of these numbers. Lengths are in bounding radii, times in seconds.
struct MotionOptions {
  std::size_t bodies = 20;
  double launch_radius = 6;  ///< Bodies begin on a sphere of this radius, with their bounding balls apart…
  double speed = 2;          ///< …and fly toward its middle at this speed,
  double spread = 0.15;      ///< off by up to this part of the launch radius,
  double spin = 2;           ///< and turn by up to so many radians a second.
  double friction = 0.5;     ///< Coulomb's coefficient.
  double step = 0.02;
  std::size_t steps = 300;
  std::uint64_t seed = 1;
};

struct Frame {
  std::vector<Pose> poses;
  std::size_t touching = 0;  ///< Pairs of solids that share a point.
};

/// Where the bodies are after each step. Contacts are vertices of one solid that lie in another, found exactly; each is
/// pushed out toward the nearest point of the surface by impulses, which do not pull and stay in the cone of friction.
std::vector<Frame> record_motion(const Model& model, const MotionOptions& options);

}  // namespace whisker::bench
