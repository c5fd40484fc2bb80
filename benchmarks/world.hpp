#pragma once

// The suite `world`: many bodies at once, by whisker's broad phases and by those of Bullet, FCL and ODE. Declares the
// scenes that its files share, and the peers, which have files of their own.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <whisker/convex_hull.hpp>
#include <whisker/geometry/aabb.hpp>
#include <whisker/mesh_data.hpp>
#include <whisker/pose.hpp>
#include <whisker/shape.hpp>

#include "harness.hpp"

namespace whisker::bench {

/// Moving boxes. The frames are played forward and backward, so that every mover moves by one step between frames.
struct BoxScene {
  std::string name;
  std::vector<Aabb> boxes;                ///< all boxes in frame 0
  std::vector<std::uint32_t> movers;      ///< ascending
  std::vector<std::vector<Aabb>> frames;  ///< of the movers
  Aabb bounds;                            ///< of all boxes, in all frames
  bool is_coherent = true;                ///< boxes do not jump
};

/// A system that stores the boxes of a scene. It starts with those of frame 0.
struct BoxSystem {
  std::string name;
  std::function<void(std::span<const Aabb>)> step;  ///< Moves the movers to these boxes and finds the pairs.
  std::function<std::size_t()> pairs;               ///< The number of overlapping pairs after a step.
  bool by_wall = false;
};

/// The peers that can be expected to finish with this many boxes. Empty if the peer was not available when the suite
/// was built.
std::vector<BoxSystem> bullet_box_systems(const BoxScene& scene);
std::vector<BoxSystem> fcl_box_systems(const BoxScene& scene);
std::vector<BoxSystem> ode_box_systems(const BoxScene& scene);

/// Bodies with shapes that move and rotate, frame by frame, forward and backward.
struct BodyScene {
  std::string name;
  std::vector<Shape> kinds;            ///< the distinct shapes of the bodies
  std::vector<MeshData> meshes;        ///< the data of those that are meshes
  std::vector<std::uint32_t> kind_of;  ///< by body
  std::vector<std::vector<Pose>> frames;
};
struct BodySystem {
  std::string name;
  std::function<void(std::span<const Pose>)> step;  ///< Moves all bodies to these poses and finds the touching pairs.
  std::function<std::size_t()> touching;            ///< The number of touching pairs after a step.
  bool by_wall = false;
};
/// FCL's tree of boxes, with FCL's own test of every pair that it finds, stopped at the first contact.
BodySystem fcl_body_system(const BodyScene& scene);

void bench_boxes(Suite& suite);
void bench_bodies(Suite& suite);
void bench_compound(Suite& suite);

/// The order of frames when `count` frames are played forward and backward: 0, 1, 2, 1, 0, 1…
class ForthAndBack {
 public:
  explicit ForthAndBack(std::size_t count) : count_(count) {}
  std::size_t next() {
    if (count_ < 2) return 0;
    at_ = (at_ + 1) % (2 * count_ - 2);
    return at_ < count_ ? at_ : 2 * count_ - 2 - at_;
  }

 private:
  std::size_t count_;
  std::size_t at_ = 0;
};

}  // namespace whisker::bench
