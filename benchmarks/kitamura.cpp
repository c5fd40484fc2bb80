// The suite `kitamura`: the paper's experiments K1 to K6, and two of our own: which level is best, and a breaking mesh.

#include "kitamura.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>

#include <Eigen/Geometry>

#include <whisker/make/make.hpp>
#include <whisker/queries.hpp>

#include "near_poses.hpp"

namespace whisker::bench {
namespace {

Matrix3 turn(double degrees, const Vector3& axis) {
  return Eigen::AngleAxisd(degrees * std::numbers::pi / 180, axis.normalized()).toRotationMatrix();
}

std::vector<SoupPair> pairs_of(const Answer& answer) {
  std::vector<SoupPair> pairs = answer.pairs;
  for (const MeshTrianglePair& c : answer.contacts)
    pairs.emplace_back(c.mesh_a, c.mesh_b);
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

// --- running a scene ---------------------------------------------------------------------------------------------

/// Times of a method, in milliseconds.
struct Times {
  double last = 0;             ///< the last cycle
  double mean = 0;             ///< over all cycles
  double mean_touching = 0;    ///< over cycles with contacts
  std::vector<double> cycles;  ///< each cycle
};
struct Outcome {
  std::vector<Times> methods;
  double update = 0;  ///< placing the vertices, per cycle, mean
  std::size_t cycles = 0;
  std::size_t touching_cycles = 0;
  std::size_t contacts = 0;  ///< in all cycles
  std::vector<SoupPair> last_pairs;
};

/// How bodies respond to contacts. Gets the cycle's contacts.
using Respond = std::function<void(Scene&, const Answer&)>;

/// Runs a scene for the given number of cycles, round after round from its start. A time is the median over the rounds.
/// If requested, stops after a cycle with contacts. The first method provides the contacts and is the reference for the
/// others.
Outcome run(Suite& suite, const std::string& name, const std::function<Scene()>& make_scene, std::size_t cycles,
            bool stops_at_touch, const std::vector<Method>& methods, std::size_t rounds, const Respond& respond = {}) {
  Outcome outcome;
  outcome.methods.resize(methods.size());
  std::vector<std::vector<std::vector<double>>> samples(methods.size());  // method, cycle, round
  std::vector<double> updates;
  std::mt19937_64 random(1);
  std::vector<std::size_t> order(methods.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t round = 0; round < rounds; ++round) {
    Scene scene = make_scene();
    for (const Method& method : methods)
      method.prepare(scene);
    if (round == 0) outcome.cycles = outcome.touching_cycles = outcome.contacts = 0;
    std::vector<bool> touches_in;
    std::size_t contacts = 0;
    for (std::size_t cycle = 0; cycle < cycles; ++cycle) {
      const double before = thread_seconds();
      scene.advance();
      updates.push_back(1e3 * (thread_seconds() - before));
      std::vector<double> seconds(methods.size());
      // In random order, because each method leaves something in the cache for the next.
      std::shuffle(order.begin(), order.end(), random);
      for (const std::size_t m : order) {
        const double begin = thread_seconds();
        methods[m].look(scene.frame());
        seconds[m] = thread_seconds() - begin;
      }
      const Answer truth = methods[0].answer();
      const std::vector<SoupPair> true_pairs = pairs_of(truth);
      for (std::size_t m = 0; m < methods.size(); ++m) {
        if (round == 0) samples[m].emplace_back();
        samples[m][cycle].push_back(1e3 * seconds[m]);
        const Answer answer = methods[m].answer();
        const bool agrees =
            methods[m].gives_contacts ? answer.contacts == truth.contacts : pairs_of(answer) == true_pairs;
        if (!agrees)
          suite.fail(name + ", cycle " + std::to_string(scene.cycle()) + ": " + methods[m].name + " disagrees with " +
                     methods[0].name);
      }
      touches_in.push_back(!true_pairs.empty());
      contacts += truth.contacts.size();
      outcome.last_pairs = true_pairs;
      if (respond) respond(scene, truth);
      if (stops_at_touch && !true_pairs.empty()) break;
    }
    if (round + 1 < rounds) continue;
    outcome.cycles = touches_in.size();
    outcome.touching_cycles = static_cast<std::size_t>(std::count(touches_in.begin(), touches_in.end(), true));
    outcome.contacts = contacts;
    for (std::size_t m = 0; m < methods.size(); ++m) {
      Times& times = outcome.methods[m];
      double touching = 0, all = 0;
      for (std::size_t cycle = 0; cycle < touches_in.size(); ++cycle) {
        const double time = median(samples[m][cycle]);
        times.cycles.push_back(time);
        all += time;
        if (touches_in[cycle]) touching += time;
      }
      times.last = times.cycles.back();
      times.mean = all / static_cast<double>(outcome.cycles);
      times.mean_touching = outcome.touching_cycles > 0 ? touching / static_cast<double>(outcome.touching_cycles) : 0;
    }
  }
  outcome.update = median(updates);
  for (std::size_t m = 0; m < methods.size(); ++m) {
    suite.record(name + "/last", methods[m].name, "ms", outcome.methods[m].last, outcome.contacts);
    suite.record(name + "/mean", methods[m].name, "ms", outcome.methods[m].mean, outcome.contacts);
  }
  suite.record(name + "/update", "placing the vertices", "ms", outcome.update);
  return outcome;
}

void heading(const std::string& text) {
  std::printf("\n%s\n", text.c_str());
}

void print_times(const std::string& label, const std::vector<Method>& methods, const Outcome& o) {
  std::printf("  %-12s %4zu cycles, %zu with contacts, %zu contacts; placing the vertices %.1f us a cycle\n",
              label.c_str(), o.cycles, o.touching_cycles, o.contacts, 1e3 * o.update);
  for (std::size_t m = 0; m < methods.size(); ++m) {
    const Times& t = o.methods[m];
    std::printf("    %-26s last %8.1f us (%7.2f x)   mean %8.1f us (%7.2f x)", methods[m].name.c_str(), 1e3 * t.last,
                t.last / o.methods[0].last, 1e3 * t.mean, t.mean / o.methods[0].mean);
    if (o.touching_cycles > 1) std::printf("   with contacts %8.1f us", 1e3 * t.mean_touching);
    std::printf("\n");
  }
  std::fflush(stdout);
}

Method ours() {
  return soup_method("whisker", {.threads = 1});
}
Method ours_at_level_6() {
  return soup_method("whisker/level 6", {.level = 6, .threads = 1});
}

// --- K1: two spheres approach ------------------------------------------------------------------------------------

constexpr int last_cycle_k1 = 72;

/// Two rotating spheres that approach each other and first touch in cycle 72.
Scene two_spheres(int faces) {
  constexpr double radius = 0.1, speed = 0.003;
  const MeshData mesh = sphere_mesh(faces, radius);
  for (std::uint64_t seed = 1;; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<Actor> actors(2);
    for (Actor& actor : actors) {
      actor.mesh = mesh;
      actor.pose.set_rotation(random_rotation(random));
      actor.spin = turn(4, random_direction(random));
    }
    actors[0].velocity = {speed, 0, 0};
    actors[1].velocity = {-speed, 0, 0};
    // Their rotations in that cycle, and the positions at which they touch then.
    std::vector<Actor> then = actors;
    for (Actor& actor : then)
      for (int i = 0; i < last_cycle_k1; ++i)
        actor.pose.set_rotation(
            Eigen::Quaterniond(Matrix3(actor.spin * actor.pose.rotation())).normalized().toRotationMatrix());
    const Shape shape = Mesh(mesh);
    double apart = 2.1 * radius, touching = 0;
    while (apart - touching > 1e-9) {
      const double middle = (apart + touching) / 2;
      const bool touch = touches({shape, Pose(then[0].pose.rotation(), Vector3::Zero())},
                                 {shape, Pose(then[1].pose.rotation(), Vector3(middle, 0, 0))});
      (touch ? touching : apart) = middle;
    }
    const double gap = touching - 0.3 * speed + 2 * speed * last_cycle_k1;
    actors[0].pose.set_translation({0.5 - gap / 2, 0.5, 0.5});
    actors[1].pose.set_translation({0.5 + gap / 2, 0.5, 0.5});
    Scene scene(actors), trial(actors);
    methods::SoupContactFinder finder;
    while (trial.cycle() < last_cycle_k1 - 1 && finder.find(trial.frame().soups).pairs.empty())
      trial.advance();
    if (!finder.find(trial.frame().soups).pairs.empty()) continue;  // too early
    trial.advance();
    if (!finder.find(trial.frame().soups).pairs.empty()) return scene;
  }
}

void bench_k1(Suite& suite) {
  const std::map<int, double> paper = {{168, 11}, {528, 16}, {960, 24}, {3968, 70}};
  std::vector<double> counts, lasts;
  for (const int faces : sphere_faces) {
    const std::string name = "kitamura/two-spheres-" + std::to_string(faces);
    if (!suite.wants(name)) continue;
    if (counts.empty()) heading("K1: two spheres approach, with a turn, and touch in cycle 72");
    std::vector<Method> methods = {ours(),        ours_at_level_6(),   refitted_trees(),
                                   rigid_trees(), separating_planes(), sweep_and_march()};
    if (faces <= 1000) methods.push_back(naive_method());
    const Outcome o = run(
        suite, name, [&] { return two_spheres(faces); }, last_cycle_k1, true, methods, suite.quick() ? 3 : 9);
    print_times(std::to_string(faces) + " faces", methods, o);
    if (o.cycles != last_cycle_k1) suite.fail(name + ": they touch in another cycle");
    if (paper.contains(faces))
      std::printf("    the paper, with placing the vertices: %g ms; ours: %.4f ms\n", paper.at(faces),
                  o.methods[0].last + o.update);
    counts.push_back(faces);
    lasts.push_back(o.methods[0].last + o.update);
  }
  if (counts.size() < 3) return;
  // A line through the last two points, for the paper's claim of 5936 faces in 100 ms.
  const std::size_t n = counts.size();
  const double slope = (lasts[n - 1] - lasts[n - 2]) / (counts[n - 1] - counts[n - 2]);
  const double within = counts[n - 1] + (100 - lasts[n - 1]) / slope;
  std::printf("  %.3g microseconds a face and sphere; in 100 ms, by a straight line: %.0f faces (the paper: 5936)\n",
              1e3 * slope, within);
}

// --- K2: shuttles ------------------------------------------------------------------------------------------------

/// Bodies with the same mesh at random positions in the cube, with at least `gap` radii between their bounding balls.
Scene flying(const MeshData& mesh, std::size_t count, double speed, double degrees, std::uint64_t seed,
             double gap = 0) {
  std::mt19937_64 random(seed);
  double radius = 0;
  for (const Vector3& v : mesh.vertices)
    radius = std::max(radius, v.norm());
  std::vector<Actor> actors;
  while (actors.size() < count) {
    Actor actor;
    actor.mesh = mesh;
    actor.pose.set_rotation(random_rotation(random));
    Vector3 at;
    for (int k = 0; k < 3; ++k)
      at[k] = uniform(random, radius, 1 - radius);
    actor.pose.set_translation(at);
    actor.velocity = speed * random_direction(random);
    actor.spin = turn(degrees, random_direction(random));
    const bool is_free = std::none_of(actors.begin(), actors.end(), [&](const Actor& other) {
      return (other.pose.translation() - actor.pose.translation()).norm() < (2 + gap) * radius;
    });
    if (is_free) actors.push_back(actor);
  }
  return Scene(actors);
}

void bench_k2(Suite& suite) {
  const std::string name = "kitamura/shuttles";
  if (!suite.wants(name)) return;
  heading("K2: 15 shuttles of 528 faces until two touch, and these two alone");
  const auto all = [] { return flying(shuttle_mesh(0.13), 15, 0.004, 3, 5); };
  const std::vector<Method> methods = {ours(), ours_at_level_6(), refitted_trees(), rigid_trees(), naive_method()};
  const std::size_t rounds = suite.quick() ? 3 : 9;
  const Outcome o = run(suite, name + "-15", all, 2000, true, methods, rounds);
  print_times("15 shuttles", methods, o);
  if (o.last_pairs.size() != 1) {
    suite.note("more than two touch at once, or none");
    return;
  }
  const auto two = [&] {
    const Scene scene = all();
    return Scene({scene.actors()[o.last_pairs[0].first], scene.actors()[o.last_pairs[0].second]});
  };
  const Outcome alone = run(suite, name + "-2", two, 2000, true, methods, rounds);
  print_times("2 of them", methods, alone);
  if (alone.cycles != o.cycles) suite.fail(name + ": the two alone touch in another cycle");
  std::printf("  15 over 2, last cycle with placing the vertices: %.2f (the paper: 31 ms over 16 ms, 1.94)\n",
              (o.methods[0].last + o.update) / (alone.methods[0].last + alone.update));
}

// --- K3: deforming bodies that push each other ---------------------------------------------------------------------

void bench_k3(Suite& suite) {
  const std::string name = "kitamura/interactive";
  if (!suite.wants(name)) return;
  heading("K3: Venus, a shuttle, two hands that close and a sphere with waves, 800 cycles");
  const auto make_scene = [] {
    std::mt19937_64 random(3);
    std::vector<Actor> actors;
    const auto add = [&](const MeshData& mesh, double x, double y, double z, double speed) -> Actor& {
      Actor actor;
      actor.mesh = mesh;
      actor.pose = Pose(random_rotation(random), Vector3(x, y, z));
      actor.velocity = speed * random_direction(random);
      actor.spin = turn(1.5, random_direction(random));
      actors.push_back(actor);
      return actors.back();
    };
    add(venus_mesh(0.2), 0.5, 0.5, 0.5, 0.002);
    add(shuttle_mesh(0.15), 0.2, 0.3, 0.7, 0.004);
    for (const double x : {0.2, 0.8}) {
      Actor& hand = add(hand_mesh(0.12), x, 0.75, 0.3, 0.006);
      hand.bend = [open = hand.mesh](int cycle, MeshData& mesh) { bend_hand(open, cycle, mesh); };
    }
    Actor& ball = add(sphere_mesh(528, 0.1), 0.75, 0.25, 0.7, 0.004);
    ball.bend = [round = ball.mesh](int cycle, MeshData& mesh) { wave_sphere(round, cycle, mesh); };
    return Scene(actors);
  };
  // Touching bodies move away from each other, along the mean normal of the touching faces.
  const Respond respond = [](Scene& scene, const Answer& answer) {
    std::map<SoupPair, Vector3> normals;
    for (const MeshTrianglePair& c : answer.contacts) {
      const auto normal = [&](std::uint32_t soup, std::uint32_t face) {
        const methods::Soup& s = scene.frame().soups[soup];
        const Index3& t = s.triangles[face];
        return Vector3((s.vertices[t[1]] - s.vertices[t[0]]).cross(s.vertices[t[2]] - s.vertices[t[0]]));
      };
      auto [at, is_new] = normals.try_emplace({c.mesh_a, c.mesh_b}, Vector3::Zero());
      at->second += normal(c.mesh_a, c.triangle_a) - normal(c.mesh_b, c.triangle_b);
    }
    for (const auto& [pair, sum] : normals) {
      if (sum.norm() == 0) continue;
      const Vector3 n = sum.normalized();
      Vector3 &a = scene.actors()[pair.first].velocity, &b = scene.actors()[pair.second].velocity;
      if ((a - b).dot(n) <= 0) continue;
      const double along_a = a.dot(n), along_b = b.dot(n);
      a += (along_b - along_a) * n;
      b += (along_a - along_b) * n;
    }
  };
  const std::vector<Method> methods = {ours(), ours_at_level_6(), refitted_trees(), new_trees(), naive_method()};
  const Outcome o =
      run(suite, name, make_scene, suite.quick() ? 200 : 800, false, methods, suite.quick() ? 1 : 3, respond);
  print_times("5 bodies", methods, o);
  std::printf("  mean of all cycles %.4f ms (the paper: 11.5 ms, rarely above 5 ms without contacts)\n",
              o.methods[0].mean);
}

// --- K4: compared with separating planes -------------------------------------------------------------------------

void bench_k4(Suite& suite) {
  const std::map<int, std::pair<double, double>> paper = {
      {10, {16, 10}}, {20, {21, 35}}, {30, {22, 76}}, {40, {41, 140}}};
  bool is_first = true;
  for (const auto& [count, times] : paper) {
    const std::string name = "kitamura/planes-" + std::to_string(count);
    if (!suite.wants(name)) continue;
    if (is_first) heading("K4: spheres of 528 faces until two touch, beside separating planes that are kept");
    is_first = false;
    const auto make_scene = [number = count] {
      return flying(sphere_mesh(528, 0.05), static_cast<std::size_t>(number), 0.001, 5, 14, 0.7);
    };
    const std::vector<Method> methods = {ours(), ours_at_level_6(), separating_planes(), sweep_and_march(),
                                         refitted_trees()};
    const Outcome o = run(suite, name, make_scene, 1000, true, methods, suite.quick() ? 3 : 9);
    print_times(std::to_string(count) + " spheres", methods, o);
    std::printf("    planes over ours, last cycle: %.2f (the paper: %g ms over %g ms, %.2f)\n",
                o.methods[2].last / o.methods[0].last, times.second, times.first, times.second / times.first);
  }
}

// --- K5: compared with persistent octrees ------------------------------------------------------------------------

void bench_k5(Suite& suite) {
  const std::string name = "kitamura/octrees";
  if (!suite.wants(name)) return;
  heading("K5: a sphere, a shuttle, a chair and Venus, beside octrees that are kept; boxes first overlap in cycle 17");
  const double speed = 0.005;
  const auto scene_with_gap = [speed](double gap) {
    std::vector<Actor> actors(4);
    actors[0].mesh = sphere_mesh(120, 0.06);
    actors[0].pose.set_translation({0.5, 0.92, 0.92});
    actors[0].velocity = {0.001, -0.0005, 0};
    actors[1].mesh = shuttle_mesh(0.16);
    actors[1].pose = Pose(turn(30, {1, 2, 3}), Vector3(0.5 - gap / 2, 0.5, 0.45));
    actors[1].velocity = {speed, 0, 0};
    actors[1].spin = turn(1, {0, 1, 1});
    actors[2].mesh = chair_mesh(0.1);
    actors[2].pose.set_translation({0.5, 0.12, 0.12});
    actors[2].velocity = {0, 0.001, 0.0005};
    actors[3].mesh = venus_mesh(0.22);
    actors[3].pose = Pose(turn(70, {3, 1, 2}), Vector3(0.5 + gap / 2, 0.5, 0.5));
    actors[3].velocity = {-speed, 0, 0};
    actors[3].spin = turn(1, {1, 0, -1});
    Scene scene(actors);
    scene.has_walls = false;
    return scene;
  };
  // Move closer, starting from far away, until the boxes overlap in that cycle.
  double gap = 0.55;
  const auto first_overlap = [&] {
    Scene scene = scene_with_gap(gap);
    methods::SoupContactFinder finder;
    do {
      scene.advance();
    } while (finder.find(scene.frame().soups).counts.regions == 0 && scene.cycle() < 500);
    return scene.cycle();
  };
  while (first_overlap() > 17)
    gap -= 0.5 * speed;
  const auto make_scene = [&] { return scene_with_gap(gap); };
  const std::vector<Method> methods = {ours(),           ours_at_level_6(), octree_update(),
                                       refitted_trees(), rigid_trees(),     naive_method()};
  const Outcome o = run(suite, name, make_scene, 500, true, methods, suite.quick() ? 3 : 9);
  print_times("4 bodies", methods, o);
  if (first_overlap() != 17) suite.fail(name + ": boxes first overlap in another cycle");
  std::size_t slower = 0;
  for (std::size_t cycle = 17; cycle < o.cycles; ++cycle)
    slower += o.methods[0].cycles[cycle] > o.methods[2].cycles[cycle] ? 1u : 0u;
  std::printf(
      "  octree update over ours, last cycle: %.1f (the paper: 161 ms over 11 ms, 14.6); of the %zu cycles after 17 it "
      "is faster\n  than ours in %zu (the paper: in none)\n",
      o.methods[2].last / o.methods[0].last, o.cycles - 17, slower);
}

// --- K6: compared with I-COLLIDE ---------------------------------------------------------------------------------

void bench_k6(Suite& suite) {
  constexpr int counts[] = {48, 80, 168, 360, 528, 728, 960};
  bool is_first = true;
  for (const int faces : counts) {
    const std::string name = "kitamura/icollide-" + std::to_string(faces);
    if (!suite.wants(name)) continue;
    if (is_first)
      heading("K6: 15 spheres that take 5 % of a cube and exchange velocities, 1000 cycles, beside sweep and march");
    is_first = false;
    const double radius = std::cbrt(0.05 * 3 / (15 * 4 * std::numbers::pi));
    const auto make_scene = [&] { return flying(sphere_mesh(faces, radius), 15, 0.05 * radius, 10, 21); };
    std::vector<SoupPair> before;
    const Respond respond = [&](Scene& scene, const Answer& answer) {
      const std::vector<SoupPair> pairs = pairs_of(answer);
      if (scene.cycle() == 1) before.clear();
      for (const SoupPair& pair : pairs)
        if (!std::binary_search(before.begin(), before.end(), pair))
          std::swap(scene.actors()[pair.first].velocity, scene.actors()[pair.second].velocity);
      before = pairs;
    };
    const std::vector<Method> methods = {ours(), ours_at_level_6(), sweep_and_march(), refitted_trees(), rigid_trees()};
    const Outcome o =
        run(suite, name, make_scene, suite.quick() ? 200 : 1000, false, methods, suite.quick() ? 1 : 3, respond);
    print_times(std::to_string(faces) + " faces", methods, o);
    for (std::size_t m = 0; m < methods.size(); ++m)
      suite.record(name + "/touching", methods[m].name, "ms", o.methods[m].mean_touching, o.touching_cycles);
    const auto slowest = [&](std::size_t m) {
      return *std::max_element(o.methods[m].cycles.begin(), o.methods[m].cycles.end());
    };
    std::printf("    slowest cycle: ours %.1f us, sweep and march %.1f us\n", 1e3 * slowest(0), 1e3 * slowest(2));
  }
  if (!is_first)
    std::printf(
        "  the paper: I-COLLIDE is much faster without contacts; with contacts theirs is faster from some 168 faces "
        "on\n");
}

// --- our own: levels, and a breaking mesh ------------------------------------------------------------------------

void bench_levels(Suite& suite) {
  struct Model {
    std::string name;
    Scene scene;
  };
  std::vector<Model> models;
  const auto two = [](const MeshData& a, const MeshData& b, const Vector3& by) {
    std::vector<Actor> actors(2);
    actors[0].mesh = a;
    actors[1].mesh = b;
    actors[1].pose.set_translation(by);
    Scene scene(actors);
    scene.has_walls = false;
    return scene;
  };
  const MeshData ball = make::icosphere({.subdivisions = 5});
  models.push_back({"balls-just-meeting", two(ball, ball, Vector3(1.99, 0.02, 0))});
  models.push_back({"balls-half-in", two(ball, ball, Vector3(1, 0.1, 0.05))});
  models.push_back({"tori", two(make::wrinkled_torus(), make::wrinkled_torus({.seed = 2}), Vector3(0.4, 0.3, 0.1))});
  models.push_back({"cloth-on-ball", two(make::cloth_sheet({.columns = 100, .rows = 100, .size_x = 2, .size_y = 2}),
                                         ball, Vector3(0, 0, -0.99))});
  bool is_first = true;
  for (Model& model : models) {
    const std::string name = "levels/" + model.name;
    if (!suite.wants(name)) continue;
    if (is_first) heading("Which level is best (one frame)");
    is_first = false;
    struct Variant {
      std::string name;
      methods::SoupOptions options;
    };
    std::vector<Variant> variants = {{"whisker", {.threads = 1}},
                                     {"whisker/clipping", {.region_test = methods::RegionTest::clipping, .threads = 1}},
                                     {"whisker/exact", {.region_test = methods::RegionTest::exact, .threads = 1}}};
    for (int level = 0; level <= 8; ++level)
      variants.push_back({"whisker/level " + std::to_string(level), {.level = level, .threads = 1}});
    std::vector<methods::SoupContactFinder> finders(variants.size());
    std::vector<std::size_t> found(variants.size());
    std::vector<System> systems;
    for (std::size_t v = 0; v < variants.size(); ++v)
      systems.push_back(
          {variants[v].name,
           [&, v] { found[v] = finders[v].find(model.scene.frame().soups, variants[v].options).pairs.size(); },
           [&, v] { return found[v]; }});
    for (Method method : {refitted_trees(), new_trees()}) {
      method.prepare(model.scene);
      systems.push_back({method.name, [method, &model] { method.look(model.scene.frame()); },
                         [method] { return method.answer().contacts.size(); }});
    }
    suite.measure({.name = name, .hit_rate = false, .seconds = suite.quick() ? 3.0 : 20.0, .all_threads = true},
                  systems);
    for (const System& system : systems)
      if (system.answers() != found[0]) suite.fail(name + ": " + system.name + " finds a different number of contacts");
    const methods::SoupContacts& last = finders[0].find(model.scene.frame().soups, variants[0].options);
    const methods::SoupCounts& c = last.counts;
    suite.note(std::to_string(c.faces) + " faces, " + std::to_string(c.faces_kept) + " kept, " +
               std::to_string(c.cells) + " cells, " + std::to_string(last.cost.volume_tests) + " boxes compared, " +
               std::to_string(last.cost.primitive_tests) + " pairs of triangles tested");
  }
}

/// A ball that breaks into triangles, which fly through a wall. The number of triangles changes from frame to frame.
void bench_breaking(Suite& suite) {
  const std::string name = "breaking/ball-20480";
  if (!suite.wants(name)) return;
  const MeshData ball = make::icosphere({.subdivisions = 5}),
                 wall = make::box({.size_x = 0.5, .size_y = 6, .size_z = 6, .subdivisions = 40});
  std::mt19937_64 random(9);
  struct Step {
    MeshData shards, wall;
    std::vector<methods::Soup> soups() const {
      return {{shards.vertices, shards.triangles}, {wall.vertices, wall.triangles}};
    }
  };
  std::vector<Step> steps(suite.quick() ? 5 : 10);
  for (std::size_t s = 0; s < steps.size(); ++s) {
    Step& step = steps[s];
    step.wall = wall;
    const double t = 0.1 * static_cast<double>(s + 1);
    for (const Index3& face : ball.triangles) {
      if (uniform(random, 0, 1) < 0.2 * t) continue;  // lost
      const auto first = static_cast<std::uint32_t>(step.shards.vertices.size());
      const Vector3 fly = t * (ball.vertices[face[0]] + 0.2 * random_direction(random)) + Vector3(-1.5 + t, 0, 0);
      for (const std::uint32_t v : face)
        step.shards.vertices.push_back(ball.vertices[v] + fly);
      step.shards.triangles.push_back({first, first + 1, first + 2});
    }
  }
  methods::SoupContactFinder finder;
  std::size_t found = 0, built = 0;
  Contacts scratch;
  suite.measure({.name = name, .calls = steps.size(), .hit_rate = false, .seconds = 20, .all_threads = true},
                {{"whisker",
                  [&] {
                    found = 0;
                    for (const Step& step : steps)
                      found += finder.find(step.soups(), {.threads = 1}).pairs.size();
                  },
                  [&] { return found; }},
                 {"whisker/trees, built",
                  [&] {
                    built = 0;
                    for (const Step& step : steps) {
                      const Shape a = Mesh(step.shards), b = Mesh(step.wall);
                      contacts({a}, {b}, {.segments = false}, scratch);
                      built += scratch.pairs.size();
                    }
                  },
                  [&] { return built; }}});
  if (found != built) suite.fail(name + ": the contacts differ from those of the trees");
}

}  // namespace
}  // namespace whisker::bench

int main(int argc, char** argv) {
  using namespace whisker::bench;
  Suite suite("kitamura", argc, argv);
  if (suite.usage_error()) return 2;
  bench_k1(suite);
  bench_k2(suite);
  bench_k3(suite);
  bench_k4(suite);
  bench_k5(suite);
  bench_k6(suite);
  bench_levels(suite);
  bench_breaking(suite);
  return suite.finish();
}
