// The speed of building and querying trees and sets.

#include <algorithm>
#include <cstdio>
#include <random>
#include <vector>

#include <whisker/queries.hpp>
#include <whisker/spheres/sphere_set.hpp>
#include <whisker/spheres/sphere_world.hpp>

#include "harness.hpp"
#include "near_poses.hpp"
#include "spheretree.hpp"
#include "spheretree_motion.hpp"

namespace whisker::bench {

namespace {

/// The time of a build on all cores: wall time, and processor time of all cores together.
struct BuildTime {
  double wall = 0, processors = 0;
};

/// Medians over the rounds.
template <class Build>
BuildTime time_of(const Build& build, int rounds) {
  std::vector<double> wall, processors;
  for (int i = 0; i < rounds; ++i) {
    const double begin = wall_seconds(), begin_work = process_seconds();
    build();
    wall.push_back(wall_seconds() - begin);
    processors.push_back(process_seconds() - begin_work);
  }
  return {median(wall), median(processors)};
}

void report_build(Suite& suite, const std::string& name, const BuildTime& time, double goal, std::size_t spheres) {
  std::printf("\n%s\n  %.2f s on all cores, %.2f s of processors, %zu spheres (goal: %g s)\n", name.c_str(), time.wall,
              time.processors, spheres, goal);
  std::fflush(stdout);
  suite.record(name, "whisker", "s", time.wall, spheres);
  suite.record(name + "-work", "whisker", "s", time.processors, spheres);
}

/// Queries 64 balls against the whole bunny, one pose at a time, in collision-free poses.
void free_poses(Suite& suite, const Model& bunny, const SphereSet& set) {
  const std::string name = "touch-set/bunny-64-spheres";
  if (!suite.wants(name)) return;
  std::mt19937_64 random(3);
  const Shape shape(bunny.mesh);
  const Vector3 center = middle(bunny.data);
  const BoundingSphere ball = set.ball();
  std::vector<Pose> poses;
  std::size_t tried = 0;
  while (poses.size() < 1000) {
    // The set, which approximates a copy of the bunny, is next to the bunny: its center is within two radii.
    Pose pose(random_rotation(random), Vector3::Zero());
    const Vector3 where = center + uniform(random, 0, 2) * bunny.radius * random_direction(random);
    pose.set_translation(where - pose.rotation() * ball.center);
    ++tried;
    if (!touches(shape, {set, pose})) poses.push_back(pose);
  }
  std::size_t hits = 0;
  suite.measure({.name = name, .calls = poses.size()}, {{"whisker",
                                                         [&] {
                                                           hits = 0;
                                                           for (const Pose& pose : poses)
                                                             hits += touches(shape, {set, pose});
                                                         },
                                                         [&] { return hits; }}});
  suite.note("free poses, " + std::to_string(poses.size()) + " of " + std::to_string(tried) +
             " tried (goal: 5 us a pose)");
  if (hits != 0) suite.fail(name + ": a free pose touches");
}

/// All pairs of twenty bodies, down to the last level, in the frames of the simulation in which solids touch.
void full_depth(Suite& suite, const Model& model) {
  const std::string name = "frame/20-" + model.name;
  if (!suite.wants(name)) return;
  std::vector<Frame> frames = record_motion(model, {});
  std::erase_if(frames, [](const Frame& frame) { return frame.touching == 0; });
  const SphereTree& tree = tree_of(model, "combined");
  const SphereBody body(tree, model.mesh);
  SphereWorld world;
  std::vector<BodyId> ids;
  for (const Pose& pose : frames.front().poses)
    ids.push_back(world.add(body, pose));
  std::size_t contacts = 0, operations = 0;
  double slowest = 0;
  suite.measure({.name = name, .calls = frames.size(), .hit_rate = false},
                {{"whisker",
                  [&] {
                    contacts = operations = 0;
                    slowest = 0;
                    for (const Frame& frame : frames) {
                      const double begin = thread_seconds();
                      for (std::size_t i = 0; i < ids.size(); ++i)
                        world.move(ids[i], frame.poses[i]);
                      world.begin_step();
                      world.advance();
                      const SphereFrame known = world.collect();
                      slowest = std::max(slowest, thread_seconds() - begin);
                      contacts += known.contacts;
                      operations += known.operations();
                    }
                  },
                  [&] { return contacts; }}});
  char line[200];
  std::snprintf(
      line, sizeof line,
      "%zu spheres a body, %zu frames, %.0f operations and %.0f contacts a frame; the slowest %.2f ms (goal: 1 ms)",
      tree.nodes.size(), frames.size(), static_cast<double>(operations) / static_cast<double>(frames.size()),
      static_cast<double>(contacts) / static_cast<double>(frames.size()), 1e3 * slowest);
  suite.note(line);
}

}  // namespace

void bench_speed(Suite& suite) {
  const int rounds = suite.quick() ? 1 : 3;
  if (const std::string name = "build/combined-bunny"; suite.wants(name)) {
    if (const Model* bunny = find_model("bunny")) {
      SphereTree tree;
      const BuildTime time =
          time_of([&] { tree = build_sphere_tree(bunny->mesh, {.depth = 3, .branching = 8, .pieces = 5000}); }, rounds);
      report_build(suite, name, time, 10, tree.nodes.size());
    }
  }
  const bool wants_set = suite.wants("build/set64-whole-bunny") || suite.wants("touch-set/bunny-64-spheres");
  if (const Model* bunny = wants_set ? whole_bunny() : nullptr) {
    std::optional<SphereSet> set;
    const BuildTime time = time_of([&] { set = build_sphere_set(bunny->mesh, 64); }, rounds);
    report_build(suite, "build/set64-whole-bunny", time, 20, set->size());
    free_poses(suite, *bunny, *set);
  }
  for (const char* name : {"bunny", "s-shape"}) {
    if (!suite.wants(std::string("frame/20-") + name)) continue;
    if (const Model* model = find_model(name)) full_depth(suite, *model);
  }
}

}  // namespace whisker::bench
