#pragma once

// The suite `world`: many bodies at once, by whisker's broad phases and by those of Bullet, FCL and ODE. The scenes
// that its files share, and the peers, which live in files of their own.

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

/// Boxes that move. The frames are played forth and back, so that from one to the next every mover goes one step.
struct BoxScene {
  std::string name;
  std::vector<Aabb> boxes;                ///< where all are in frame 0
  std::vector<std::uint32_t> movers;      ///< ascending
  std::vector<std::vector<Aabb>> frames;  ///< of the movers
  Aabb bounds;                            ///< of all, in all frames
  bool is_coherent = true;                ///< boxes do not jump
};

/// A system that keeps the boxes of a scene. It starts with those of frame 0.
struct BoxSystem {
  std::string name;
  std::function<void(std::span<const Aabb>)> step;  ///< The movers go here; finds the pairs.
  std::function<std::size_t()> pairs;               ///< How many boxes overlap, after a step.
  bool by_wall = false;
};

/// The peers that can be expected to end with so many boxes; none where the peer was not there when the suite was
/// built.
std::vector<BoxSystem> bullet_box_systems(const BoxScene& scene);
std::vector<BoxSystem> fcl_box_systems(const BoxScene& scene);
std::vector<BoxSystem> ode_box_systems(const BoxScene& scene);

/// Bodies with shapes that move and turn, frame by frame, forth and back.
struct BodyScene {
  std::string name;
  std::vector<Shape> kinds;            ///< of which every body is one
  std::vector<MeshData> meshes;        ///< what those that are meshes were made of
  std::vector<std::uint32_t> kind_of;  ///< by body
  std::vector<std::vector<Pose>> frames;
};
struct BodySystem {
  std::string name;
  std::function<void(std::span<const Pose>)> step;  ///< All bodies go here; finds those that touch.
  std::function<std::size_t()> touching;            ///< How many pairs touch, after a step.
  bool by_wall = false;
};
/// FCL's tree of boxes, and its own test of every pair that it finds, ended at the first contact.
BodySystem fcl_body_system(const BodyScene& scene);

void bench_boxes(Suite& suite);
void bench_bodies(Suite& suite);

/// Which frame comes next if `count` are played forth and back: 0, 1, 2, 1, 0, 1…
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
