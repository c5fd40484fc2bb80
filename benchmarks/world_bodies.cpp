// world/…: bodies with shapes, and which of them touch, frame by frame.

#include <cmath>
#include <memory>
#include <random>
#include <tbb/task_arena.h>

#include <Eigen/Geometry>

#include <whisker/make/make.hpp>
#include <whisker/queries.hpp>
#include <whisker/world.hpp>

#include "near_poses.hpp"
#include "world.hpp"

namespace whisker::bench {
namespace {

/// Bodies about 2 wide in a room, such that balls of radius 1 would fill `share` of its volume. A frame moves a body by
/// up to 0.1 along each axis and rotates it by up to 0.1 radians.
void add_frames(BodyScene& scene, std::size_t count, double share) {
  std::mt19937_64 random(2);
  const double room = std::cbrt(static_cast<double>(count) * 4.19 / share);
  std::vector<Pose> poses(count);
  std::vector<Matrix3> turns(count);
  std::vector<Vector3> velocities(count);
  for (std::size_t i = 0; i < count; ++i) {
    scene.kind_of.push_back(static_cast<std::uint32_t>(i % scene.kinds.size()));
    poses[i] = {random_rotation(random),
                Vector3(uniform(random, 0, room), uniform(random, 0, room), uniform(random, 0, room))};
    velocities[i] = Vector3(uniform(random, -0.1, 0.1), uniform(random, -0.1, 0.1), uniform(random, -0.1, 0.1));
    turns[i] = Eigen::AngleAxisd(uniform(random, 0, 0.1), random_direction(random)).toRotationMatrix();
  }
  for (int f = 0; f < 32; ++f) {
    scene.frames.push_back(poses);
    for (std::size_t i = 0; i < count; ++i) {
      poses[i].set_translation(poses[i].translation() + velocities[i]);
      poses[i].set_rotation(
          Eigen::Quaterniond(Matrix3(turns[i] * poses[i].rotation())).normalized().toRotationMatrix());
    }
  }
}

struct BodyWorld {
  World world;
  std::vector<BodyId> bodies;
  tbb::task_arena arena;

  BodyWorld(const BodyScene& scene, bool all_threads) : arena(all_threads ? tbb::task_arena::automatic : 1) {
    for (std::size_t i = 0; i < scene.kind_of.size(); ++i)
      bodies.push_back(world.add(scene.kinds[scene.kind_of[i]], scene.frames[0][i]));
  }
  void step(std::span<const Pose> poses) {
    arena.execute([&] {
      world.move(bodies, poses);
      world.update();
    });
  }
};

void bench_scene(Suite& suite, const BodyScene& scene) {
  std::vector<BodySystem> bodies;
  const auto add = [&](const char* name, bool all_threads) {
    auto world = std::make_shared<BodyWorld>(scene, all_threads);
    bodies.push_back({name, [world](std::span<const Pose> poses) { world->step(poses); },
                      [world] { return world->world.report().touching; }, all_threads});
    return world;
  };
  const auto world = add("whisker", false);
  add("whisker/threads", true);
  bodies.push_back(fcl_body_system(scene));

  std::vector<System> systems;
  std::vector<std::size_t> counts(bodies.size());
  for (std::size_t s = 0; s < bodies.size(); ++s) {
    ForthAndBack order(scene.frames.size());
    systems.push_back({bodies[s].name,
                       [&scene, order, step = bodies[s].step]() mutable { step(scene.frames[order.next()]); },
                       [&scene, &counts, s, step = bodies[s].step, touching = bodies[s].touching] {
                         step(scene.frames[0]);
                         return counts[s] = touching();
                       },
                       bodies[s].by_wall});
  }
  suite.measure({.name = scene.name, .calls = 1, .hit_rate = false, .seconds = suite.quick() ? 4.0 : 25.0}, systems);
  suite.note(std::to_string(world->world.report().pairs) + " pairs of boxes overlap");

  std::size_t truth = 0;
  for (std::size_t i = 0; i < scene.kind_of.size(); ++i) {
    const Placed a(scene.kinds[scene.kind_of[i]], scene.frames[0][i]);
    for (std::size_t j = i + 1; j < scene.kind_of.size(); ++j)
      truth += touches(a, Placed(scene.kinds[scene.kind_of[j]], scene.frames[0][j])) ? 1u : 0u;
  }
  for (std::size_t s = 0; s < bodies.size(); ++s) {
    if (counts[s] == truth) continue;
    const std::string text = bodies[s].name + " has " + std::to_string(counts[s]) +
                             " touching pairs; all pairs tested one by one by whisker are " + std::to_string(truth);
    if (bodies[s].name == "FCL") {
      suite.note(text);
    } else {
      suite.fail(text);
    }
  }
}

}  // namespace

void bench_bodies(Suite& suite) {
  if (suite.wants("world/spheres-1k")) {
    BodyScene scene;
    scene.name = "world/spheres-1k";
    scene.kinds = {Sphere{0.5}, Sphere{0.75}, Sphere{1}};
    scene.meshes.resize(scene.kinds.size());
    add_frames(scene, 1000, 0.1);
    bench_scene(suite, scene);
  }
  if (suite.wants("world/hulls-1k")) {
    BodyScene scene;
    scene.name = "world/hulls-1k";
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const MeshData data = make::random_hull({.points = 32, .radius_y = 0.8, .radius_z = 0.6, .seed = seed});
      scene.kinds.emplace_back(ConvexHull(data.vertices));
      scene.meshes.emplace_back();
    }
    add_frames(scene, 1000, 0.1);
    bench_scene(suite, scene);
  }
  if (suite.wants("world/meshes-200")) {
    BodyScene scene;
    scene.name = "world/meshes-200";
    const MeshData data = make::wrinkled_torus({.major = 0.7, .minor = 0.25, .around = 100, .across = 25});
    scene.kinds.emplace_back(Mesh(data));
    scene.meshes.push_back(data);
    add_frames(scene, 200, 0.1);
    bench_scene(suite, scene);
  }
}

}  // namespace whisker::bench
