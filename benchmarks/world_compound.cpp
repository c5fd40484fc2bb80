// touch/compound-…, closer/compound-…, distance/compound-…: one shape against forty parts that rest in place, as one
// Compound and as the bodies of a World. A compound must not cost more.

#include <algorithm>
#include <random>

#include <whisker/compound.hpp>
#include <whisker/make/make.hpp>
#include <whisker/queries.hpp>
#include <whisker/world.hpp>

#include "near_poses.hpp"
#include "world.hpp"

namespace whisker::bench {
namespace {

constexpr std::size_t part_count = 40;
constexpr double closer = 0.2;

Shape small_hull(std::uint64_t seed) {
  return ConvexHull(
      make::random_hull({.points = 24, .radius_x = 0.6, .radius_y = 0.5, .radius_z = 0.4, .seed = seed}).vertices);
}

/// The `i`-th of a mixture of shapes about 1 wide.
Shape mixed(std::size_t i) {
  switch (i % 4) {
    case 0:
      return Box{Vector3(1, 0.6, 0.4)};
    case 1:
      return Capsule{.radius = 0.25, .length = 0.8};
    case 2:
      return Sphere{0.5};
    default:
      return small_hull(i);
  }
}

struct Parts {
  std::string name;
  Shape (*make)(std::size_t);
};

/// The parts in a pose, as a compound and as a world.
struct Scene {
  Shape compound;
  Pose pose;
  World world;

  Scene(const std::vector<CompoundPart>& parts, const Pose& at)
      : compound(Compound(parts)), pose(at), world(WorldOptions{.threads = 1}) {
    for (const CompoundPart& part : parts)
      world.add(part.shape, compose(pose, part.pose), {.is_static = true});
    world.update();
  }
};

Pose random_pose(std::mt19937_64& random, double room) {
  return {random_rotation(random),
          Vector3(uniform(random, 0, room), uniform(random, 0, room), uniform(random, 0, room))};
}

/// Asks both about each of the poses of `probe`.
template <class OfCompound, class OfWorld>
void compare(Suite& suite, const std::string& name, const Scene& scene, const std::vector<Shape>& probes,
             const std::vector<Pose>& poses, const OfCompound& of_compound, const OfWorld& of_world) {
  if (!suite.wants(name)) return;
  std::vector<bool> said(poses.size()), said_world(poses.size());
  const auto count = [](const std::vector<bool>& answers) {
    return static_cast<std::size_t>(std::count(answers.begin(), answers.end(), true));
  };
  suite.measure({.name = name, .calls = poses.size()},
                {{"whisker",
                  [&] {
                    for (std::size_t i = 0; i < poses.size(); ++i)
                      said[i] = of_compound({scene.compound, scene.pose}, {probes[i % probes.size()], poses[i]});
                  },
                  [&] { return count(said); }},
                 {"whisker/World",
                  [&] {
                    for (std::size_t i = 0; i < poses.size(); ++i)
                      said_world[i] = of_world(scene.world, {probes[i % probes.size()], poses[i]});
                  },
                  [&] { return count(said_world); }}});
  if (said != said_world) suite.fail("the compound and the world differ");
}

bool touches_world(const World& world, const Placed& probe) {
  return !world.touching(probe).empty();
}

void bench_parts(Suite& suite, const Parts& kind) {
  std::mt19937_64 random(11);
  const double room = 5;  // in which about half of the probes touch something
  std::vector<CompoundPart> parts;
  for (std::size_t i = 0; i < part_count; ++i)
    parts.push_back({kind.make(i), random_pose(random, room)});
  const Scene scene(parts, {random_rotation(random), Vector3(1, 2, 3)});
  std::vector<Shape> probes;
  for (std::size_t i = 0; i < 4; ++i)
    probes.push_back(mixed(i));
  // Probes that touch, that are near, and that are far.
  std::vector<Pose> hit, near, far;
  for (std::size_t i = 0; std::min({hit.size(), near.size(), far.size()}) < 1000; ++i) {
    const Pose pose = compose(scene.pose, random_pose(random, room));
    const Pose away =
        compose(scene.pose, Pose(pose.rotation(), Vector3::Constant(room / 2) + 2 * room * random_direction(random)));
    // The i-th pose of a list is asked about with probe i % 4.
    std::vector<Pose>& list = touches({scene.compound, scene.pose}, {probes[hit.size() % 4], pose}) ? hit : near;
    const bool fits = &list == &hit || !touches({scene.compound, scene.pose}, {probes[near.size() % 4], pose});
    if (list.size() < 1000 && fits) list.push_back(pose);
    if (far.size() < 1000) far.push_back(away);
  }
  const auto ask = [&](const std::string& at, const std::vector<Pose>& poses) {
    const std::string end = "/compound-" + kind.name + "-" + at;
    compare(
        suite, "touch" + end, scene, probes, poses, [](const Placed& a, const Placed& b) { return touches(a, b); },
        touches_world);
    compare(
        suite, "closer" + end, scene, probes, poses,
        [](const Placed& a, const Placed& b) { return closer_than(a, b, closer); },
        [](const World& world, const Placed& probe) { return world.nearest(probe, closer).has_value(); });
    compare(
        suite, "distance" + end, scene, probes, poses,
        [](const Placed& a, const Placed& b) { return distance(a, b).lower > 1; },
        [](const World& world, const Placed& probe) {
          return world.nearest(probe, std::numeric_limits<double>::infinity())->distance.lower > 1;
        });
  };
  ask("hit", hit);
  ask("near", near);
  ask("far", far);
  // An arm of eight parts in a row. The world is asked about one part after the other, until one touches.
  std::vector<CompoundPart> links;
  for (std::size_t i = 0; i < 8; ++i)
    links.push_back({mixed(i), Pose(random_rotation(random), Vector3(static_cast<double>(i) * 0.6, 0, 0))});
  std::vector<Pose> at;
  for (std::size_t i = 0; i < 1000; ++i)
    at.push_back(compose(scene.pose, random_pose(random, 2 * room)));
  compare(
      suite, "touch/compound-" + kind.name + "-arm", scene, {Shape(Compound(links))}, at,
      [](const Placed& a, const Placed& b) { return touches(a, b); },
      [&](const World& world, const Placed& arm) {
        return std::any_of(links.begin(), links.end(), [&](const CompoundPart& link) {
          return touches_world(world, {link.shape, compose(arm.pose, link.pose)});
        });
      });
}

}  // namespace

void bench_compound(Suite& suite) {
  for (const Parts& kind :
       {Parts{"mixed", &mixed}, Parts{"boxes", [](std::size_t) { return Shape(Box{Vector3(1, 0.6, 0.4)}); }},
        Parts{"capsules", [](std::size_t) { return Shape(Capsule{.radius = 0.25, .length = 0.8}); }},
        Parts{"spheres", [](std::size_t) { return Shape(Sphere{0.5}); }},
        Parts{"hulls", [](std::size_t i) { return small_hull(i); }}})
    bench_parts(suite, kind);
}

}  // namespace whisker::bench
