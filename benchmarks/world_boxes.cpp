// broad…: bodies that are only AABBs, and which of them overlap, frame by frame.

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <tbb/task_arena.h>

#include <whisker/methods/broad_phases.hpp>
#include <whisker/world.hpp>

#include "near_poses.hpp"
#include "world.hpp"
#include "world/box_pairs.hpp"

namespace whisker::bench {
namespace {

/// The parameters of a scene. The boxes' half sides are from 0.25 to 0.75, and steps are up to 0.1 along each axis.
struct SceneOptions {
  std::string name;
  std::size_t count = 10'000;
  double moving = 1;            ///< the share of boxes that move
  double pairs_per_box = 0.49;  ///< approximately, for evenly distributed boxes
  enum class Kind { even, teleport, far, huge, clusters, sizes, flat } kind = Kind::even;
};

/// A moving box. It is reflected at the walls.
struct Mover {
  Vector3 middle, half, velocity;
};

BoxScene make_scene(const SceneOptions& options) {
  using Kind = SceneOptions::Kind;
  std::mt19937_64 random(1);
  const auto count = static_cast<double>(options.count);
  // Two boxes of mean half side 0.5 overlap if their centers are less than 1 apart along each axis.
  Vector3 room = Vector3::Constant(std::cbrt(8 * count / (2 * options.pairs_per_box)));
  if (options.kind == Kind::flat) room = Vector3(std::sqrt(4 * count), std::sqrt(4 * count), 1);
  if (options.kind == Kind::sizes) room *= 4;
  const auto anywhere = [&] {
    return Vector3(uniform(random, 0, room[0]), uniform(random, 0, room[1]), uniform(random, 0, room[2]));
  };
  const auto within = [&](double low, double high) {
    return Vector3(uniform(random, low, high), uniform(random, low, high), uniform(random, low, high));
  };
  std::vector<Vector3> clusters;
  if (options.kind == Kind::clusters) {
    for (std::size_t i = 0; i < options.count / 1000; ++i)
      clusters.push_back(10 * anywhere());
  }

  std::vector<Mover> movers(options.count);
  for (Mover& mover : movers) {
    mover.middle = anywhere();
    mover.half = within(0.25, 0.75);
    mover.velocity = within(-0.1, 0.1);
    if (options.kind == Kind::sizes) mover.half = Vector3::Constant(0.01 * std::pow(1000, uniform(random, 0, 1)));
    if (!clusters.empty()) {
      const double side = std::cbrt(8 * 1000 / (2 * options.pairs_per_box));
      mover.middle = clusters[random() % clusters.size()] + within(0, side);
    }
  }
  if (options.kind == Kind::far) movers[0].middle = Vector3(1e6, 1e6, 1e6);
  if (options.kind == Kind::huge) {
    movers[0].middle = 0.5 * room;
    movers[0].half = room;
  }

  BoxScene scene;
  scene.name = options.name;
  scene.is_coherent = options.kind != Kind::teleport;
  const auto box_of = [](const Mover& m) { return Aabb{m.middle - m.half, m.middle + m.half}; };
  for (const Mover& mover : movers) {
    scene.boxes.push_back(box_of(mover));
    scene.bounds.include(scene.boxes.back());
  }
  for (std::uint32_t i = 0; i < movers.size(); ++i)
    if (options.moving >= 1 || uniform(random, 0, 1) < options.moving) scene.movers.push_back(i);

  // As many frames as fit into a fixed amount of memory.
  const std::size_t frames = std::clamp<std::size_t>(2'000'000 / std::max<std::size_t>(scene.movers.size(), 1), 5, 64);
  const bool has_walls = clusters.empty();
  for (std::size_t f = 0; f < frames; ++f) {
    std::vector<Aabb>& frame = scene.frames.emplace_back();
    for (const std::uint32_t i : scene.movers) {
      frame.push_back(box_of(movers[i]));
      scene.bounds.include(frame.back());
      Mover& m = movers[i];
      if (options.kind == Kind::teleport) {
        m.middle = anywhere();
        continue;
      }
      const bool is_inside = (m.middle.array() <= room.array()).all();  // false for the far one
      for (int axis = 0; axis < 3 && has_walls && is_inside; ++axis) {
        const double next = m.middle[axis] + m.velocity[axis];
        if (next < 0 || next > room[axis]) m.velocity[axis] = -m.velocity[axis];
      }
      m.middle += m.velocity;
    }
  }
  return scene;
}

/// One of whisker's broad phases.
struct Variant {
  const char* name;
  BroadPhaseFactory broad_phase;
  std::size_t max_boxes;
  bool is_for_teleports;
  bool all_threads = false;
};
constexpr std::size_t any_number = std::numeric_limits<std::size_t>::max();
const Variant variants[] = {
    {"whisker", {}, any_number, true},
    {"whisker/threads", {}, any_number, true, true},
    {"whisker/column-sweep", column_sweep(), any_number, true},
    {"whisker/static-and-moving", static_and_moving(), any_number, true},
    {"whisker/sweep-and-prune", methods::sweep_and_prune(), 100'000, true},
    {"whisker/hashed-grid", methods::hashed_grid(), any_number, true},
};

/// A world of boxes, and the threads that it may use.
struct BoxWorld {
  World world;
  std::vector<BodyId> movers;
  tbb::task_arena arena;

  BoxWorld(const BoxScene& scene, const Variant& variant)
      : world({.broad_phase = variant.broad_phase, .tests_shapes = false}),
        arena(variant.all_threads ? tbb::task_arena::automatic : 1) {
    std::vector<BodyId> all;
    for (const Aabb& box : scene.boxes)
      all.push_back(world.add_box(box));
    for (const std::uint32_t i : scene.movers)
      movers.push_back(all[i]);
    arena.execute([&] { world.update(); });
  }
  void step(std::span<const Aabb> boxes) {
    arena.execute([&] {
      world.move_boxes(movers, boxes);
      world.update();
    });
  }
  std::vector<PairKey> pairs() const {
    std::vector<PairKey> result;
    for (const WorldPair& pair : world.touching())
      result.push_back(pair_key(pair.a.slot, pair.b.slot));
    return result;
  }
};

/// Compares each box with all others. The result is ascending.
std::vector<PairKey> brute_force(std::span<const Aabb> boxes) {
  std::vector<PairKey> result;
  for (std::uint32_t i = 0; i < boxes.size(); ++i)
    for (std::uint32_t j = i + 1; j < boxes.size(); ++j)
      if (world::overlap(boxes[i], boxes[j])) result.push_back(pair_key(i, j));
  return result;
}

void bench_scene(Suite& suite, const SceneOptions& options) {
  if (!suite.wants(options.name)) return;
  const BoxScene scene = make_scene(options);
  std::vector<std::shared_ptr<BoxWorld>> worlds;
  std::vector<BoxSystem> boxed;
  for (const Variant& variant : variants) {
    if (options.count > variant.max_boxes || !(scene.is_coherent || variant.is_for_teleports)) continue;
    auto world = std::make_shared<BoxWorld>(scene, variant);
    worlds.push_back(world);
    boxed.push_back({variant.name, [world](std::span<const Aabb> next) { world->step(next); },
                     [world] { return world->world.report().touching; }, variant.all_threads});
  }
  for (auto* peers : {bullet_box_systems, fcl_box_systems, ode_box_systems})
    for (BoxSystem& peer : peers(scene))
      boxed.push_back(std::move(peer));

  std::vector<System> systems;
  std::vector<std::size_t> counts(boxed.size());
  for (std::size_t s = 0; s < boxed.size(); ++s) {
    // Let systems that settle over several frames do so before timing starts.
    ForthAndBack order(scene.frames.size());
    const double begin = thread_seconds();
    for (int i = 0; i < 32 && thread_seconds() - begin < (suite.quick() ? 0.3 : 2.0); ++i)
      boxed[s].step(scene.frames[order.next()]);
    systems.push_back({boxed[s].name,
                       [&scene, order, step = boxed[s].step]() mutable { step(scene.frames[order.next()]); },
                       [&scene, &counts, s, step = boxed[s].step, pairs = boxed[s].pairs] {
                         step(scene.frames[0]);
                         return counts[s] = pairs();
                       },
                       boxed[s].by_wall});
  }
  suite.measure({.name = options.name, .calls = 1, .hit_rate = false, .seconds = suite.quick() ? 2.5 : 25.0}, systems);

  // All systems are in frame 0 here. For whisker the pairs themselves are compared, for peers their number.
  const bool is_small = options.count <= 10'000;
  const std::vector<PairKey> truth = is_small ? brute_force(scene.boxes) : worlds[0]->pairs();
  for (std::size_t w = 0; w < worlds.size(); ++w) {
    if (worlds[w]->pairs() != truth)
      suite.fail("the pairs of " + boxed[w].name + " are not those of " + (is_small ? "brute force" : boxed[0].name));
  }
  for (std::size_t s = worlds.size(); s < boxed.size(); ++s) {
    if (counts[s] == truth.size()) continue;
    const auto more = static_cast<long long>(counts[s]) - static_cast<long long>(truth.size());
    suite.note(boxed[s].name + ": " + (more > 0 ? "+" : "") + std::to_string(more) + " pairs" +
               (is_small ? " by brute force" : " by whisker"));
  }
}

}  // namespace

void bench_boxes(Suite& suite) {
  using Kind = SceneOptions::Kind;
  bench_scene(suite, {.name = "broad/1k", .count = 1'000});
  bench_scene(suite, {.name = "broad/10k"});
  bench_scene(suite, {.name = "broad/100k", .count = 100'000});
  bench_scene(suite, {.name = "broad/1M", .count = 1'000'000});
  for (const auto& [size, count] : {std::pair{"10k", 10'000u}, {"100k", 100'000u}, {"1M", 1'000'000u}}) {
    bench_scene(suite, {.name = std::string("broad-part/") + size + "-10", .count = count, .moving = 0.1});
    bench_scene(suite, {.name = std::string("broad-part/") + size + "-1", .count = count, .moving = 0.01});
  }
  bench_scene(suite, {.name = "broad-teleport/10k", .kind = Kind::teleport});
  bench_scene(suite, {.name = "broad-dense/10k", .pairs_per_box = 5});
  bench_scene(suite, {.name = "broad-sparse/10k", .pairs_per_box = 0.05});
  bench_scene(suite, {.name = "broad-far/10k", .kind = Kind::far});
  bench_scene(suite, {.name = "broad-huge/10k", .kind = Kind::huge});
  bench_scene(suite, {.name = "broad-cluster/100k", .count = 100'000, .kind = Kind::clusters});
  bench_scene(suite, {.name = "broad-sizes/10k", .kind = Kind::sizes});
  bench_scene(suite, {.name = "broad-flat/10k", .kind = Kind::flat});
}

}  // namespace whisker::bench
