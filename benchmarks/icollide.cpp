// The suite `icollide`: the experiment of Cohen, Lin, Manocha and Ponamgi (I-COLLIDE, 1995) with whisker's world.
// Convex hulls of random points on a sphere move and rotate in a box, with constant velocities. Two hulls that touch
// exchange their velocities, and walls reflect them. One parameter at a time is varied around the paper's defaults, and
// a frame's time is split into the boxes, the sort of sweep and prune, and the exact tests.

#include <array>
#include <cmath>
#include <random>
#include <tbb/task_arena.h>

#include <Eigen/Geometry>

#include <whisker/make/make.hpp>
#include <whisker/methods/broad_phases.hpp>
#include <whisker/queries.hpp>
#include <whisker/world.hpp>

#include "harness.hpp"
#include "near_poses.hpp"

namespace whisker::bench {
namespace {

/// The paper's defaults.
struct Parameters {
  std::size_t bodies = 1000;
  int faces = 36;
  double density = 1;       ///< percent of the box that the bodies fill
  double rotation = 10;     ///< degrees per frame
  double translation = 10;  ///< percent of the radius per frame
};

struct Variant {
  const char* name;
  BroadPhaseFactory broad_phase;
  BodyBoxKind boxes;
};
const std::array<Variant, 3> variants = {{
    {"cube", methods::sweep_and_prune(), BodyBoxKind::cube},
    {"tight", methods::sweep_and_prune(), BodyBoxKind::tight},
    {"automatic", {}, BodyBoxKind::tight},
}};

/// Milliseconds per frame, medians over the frames. Counts are means.
struct Outcome {
  double boxes = 0, sort = 0, tests = 0, all = 0;
  double near = 0;        ///< pairs whose boxes overlap
  double touching = 0;    ///< pairs that touch
  std::size_t begun = 0;  ///< touches that began, in all frames
  bool is_right = true;   ///< whether the touching pairs of the last frame match those of testing all pairs one by one
  bool is_disturbed = false;  ///< other programs disturbed nearly all frames: the parts are unreliable
};

/// Bodies in a box with a corner at the origin.
struct Bounce {
  World world;
  std::vector<Shape> shapes;
  std::vector<BodyId> ids;
  std::vector<Pose> poses;
  std::vector<Vector3> velocities;
  std::vector<Matrix3> turns;
  double room = 0;

  Bounce(const Parameters& with, const Variant& variant)
      : world({.broad_phase = variant.broad_phase, .boxes = variant.boxes}) {
    std::mt19937_64 random(7);
    double volume = 0;
    for (std::size_t i = 0; i < with.bodies; ++i) {
      const MeshData data = make::random_hull({.points = with.faces / 2 + 2, .seed = i + 1});
      const ConvexHull hull(data.vertices);
      volume += hull.volume();
      shapes.emplace_back(hull);
    }
    room = std::cbrt(volume / (with.density / 100));
    constexpr double degree = 3.14159265358979323846 / 180;
    for (std::size_t i = 0; i < with.bodies; ++i) {
      poses.push_back({random_rotation(random),
                       Vector3(uniform(random, 0, room), uniform(random, 0, room), uniform(random, 0, room))});
      velocities.push_back(with.translation / 100 * random_direction(random));  // the radius is 1
      turns.push_back(Eigen::AngleAxisd(with.rotation * degree, random_direction(random)).toRotationMatrix());
      ids.push_back(world.add(shapes[i], poses[i]));
    }
  }

  /// Moves the bodies. Not part of the measurement, as in the paper.
  void go() {
    for (std::size_t i = 0; i < poses.size(); ++i) {
      for (int axis = 0; axis < 3; ++axis) {
        const double at = poses[i].translation()[axis];
        double& speed = velocities[i][axis];
        if ((at < 0 && speed < 0) || (at > room && speed > 0)) speed = -speed;
      }
      poses[i].set_translation(poses[i].translation() + velocities[i]);
      poses[i].set_rotation(
          Eigen::Quaterniond(Matrix3(turns[i] * poses[i].rotation())).normalized().toRotationMatrix());
    }
    world.move(ids, poses);
  }
  /// Bodies that begin to touch exchange velocities. Returns the number of such pairs.
  std::size_t respond() {
    std::size_t begun = 0;
    for (const TouchEvent& event : world.events()) {
      if (event.change != TouchChange::began) continue;
      std::swap(velocities[event.pair.a.slot], velocities[event.pair.b.slot]);
      ++begun;
    }
    return begun;
  }
  bool is_right() const {
    std::vector<WorldPair> truth;
    for (std::size_t i = 0; i < ids.size(); ++i)
      for (std::size_t j = i + 1; j < ids.size(); ++j)
        if (touches({shapes[i], poses[i]}, {shapes[j], poses[j]})) truth.push_back({ids[i], ids[j]});
    return std::ranges::equal(truth, world.touching());
  }
};

Outcome run(const Parameters& with, const Variant& variant, std::size_t frames) {
  tbb::task_arena one(1);
  Outcome outcome;
  one.execute([&] {
    Bounce bounce(with, variant);
    struct Frame {
      double boxes, sort, tests, all;
    };
    std::vector<Frame> every, undisturbed;
    constexpr std::size_t warm_up = 5;
    for (std::size_t f = 0; f < warm_up + frames; ++f) {
      bounce.go();
      const double begin = wall_seconds(), begin_thread = thread_seconds();
      const UpdateReport& report = bounce.world.update();
      const double own = thread_seconds() - begin_thread, wall = wall_seconds() - begin;
      outcome.begun += bounce.respond();
      if (f < warm_up) continue;
      every.push_back({report.seconds_boxes, report.seconds_pairs, report.seconds_tests, own});
      if (wall < 1.03 * own + 3e-6) undisturbed.push_back(every.back());
      outcome.near += static_cast<double>(report.pairs) / static_cast<double>(frames);
      outcome.touching += static_cast<double>(report.touching) / static_cast<double>(frames);
    }
    // The parts are timed by wall time, so frames in which another program had the processor are excluded.
    outcome.is_disturbed = undisturbed.size() < 5;
    const std::vector<Frame>& counted = outcome.is_disturbed ? every : undisturbed;
    const auto middle = [&](double Frame::*part) {
      std::vector<double> values;
      for (const Frame& frame : counted)
        values.push_back(1e3 * frame.*part);
      return median(values);
    };
    outcome.boxes = middle(&Frame::boxes);
    outcome.sort = middle(&Frame::sort);
    outcome.tests = middle(&Frame::tests);
    outcome.all = middle(&Frame::all);
    outcome.is_right = bounce.is_right();
  });
  return outcome;
}

/// One parameter takes several values, the others keep their defaults.
struct Sweep {
  const char* name;
  const char* unit;
  std::vector<double> values;
  void (*set)(Parameters&, double);
  const char* paper;  ///< the paper's description of the curve
};

using Rows = std::vector<std::array<Outcome, variants.size()>>;

/// Prints a line of numbers under a table: the growth of each part from the first value to the last.
void note_growth(Suite& suite, const Sweep& sweep, const Rows& rows) {
  for (std::size_t v = 0; v < variants.size(); ++v) {
    const Outcome &first = rows.front()[v], &last = rows.back()[v];
    const auto times = [](double from, double to) { return from > 0 ? to / from : 0; };
    char text[200];
    std::snprintf(text, sizeof text, "%-10s last over first: boxes %.2f, sort %.2f, tests %.2f, all %.2f",
                  variants[v].name, times(first.boxes, last.boxes), times(first.sort, last.sort),
                  times(first.tests, last.tests), times(first.all, last.all));
    suite.note(text);
    if (std::string_view(sweep.name) == "bodies" && rows.size() > 1) {
      const std::size_t middle = rows.size() / 2;
      const double slope =
          std::log(last.all / rows[middle][v].all) / std::log(sweep.values.back() / sweep.values[middle]);
      std::snprintf(text, sizeof text, "%-10s from %g bodies on the time grows with their number to the power %.2f",
                    variants[v].name, sweep.values[middle], slope);
      suite.note(text);
    }
  }
}

void bench_sweep(Suite& suite, const Sweep& sweep) {
  const std::string prefix = std::string("icollide/") + sweep.name;
  if (!suite.wants(prefix)) return;
  const std::size_t frames = suite.quick() ? 30 : 200;
  std::printf("\n%s (%s): milliseconds a frame, one thread\n", prefix.c_str(), sweep.unit);
  std::printf("  %9s  %-10s %9s %9s %9s %9s   %9s %9s\n", sweep.name, "boxes", "update", "sort", "tests", "all", "near",
              "touching");
  Rows rows;
  for (const double value : sweep.values) {
    Parameters parameters;
    sweep.set(parameters, value);
    char number[32];
    std::snprintf(number, sizeof number, "%g", value);
    auto& row = rows.emplace_back();
    for (std::size_t v = 0; v < variants.size(); ++v) {
      row[v] = run(parameters, variants[v], frames);
      const Outcome& o = row[v];
      std::printf("  %9s  %-10s %9.4f %9.4f %9.4f %9.4f   %9.1f %9.2f%s\n", number, variants[v].name, o.boxes, o.sort,
                  o.tests, o.all, o.near, o.touching, o.is_disturbed ? "  (disturbed)" : "");
      std::fflush(stdout);
      const std::string name = prefix + "-" + number, system = std::string("whisker/") + variants[v].name;
      suite.record(name, system, "ms", o.all, o.begun);
      suite.record(name, system + "/update", "ms", o.boxes);
      suite.record(name, system + "/sort", "ms", o.sort);
      suite.record(name, system + "/tests", "ms", o.tests);
      if (!o.is_right)
        suite.fail(name + ", " + variants[v].name + ": the touching pairs differ from those of testing all pairs");
      if (o.begun != row[0].begun)
        suite.fail(name + ": " + variants[v].name + "'s collisions differ from those of cube");
    }
  }
  note_growth(suite, sweep, rows);
  suite.note(std::string("the paper: ") + sweep.paper);
}

}  // namespace
}  // namespace whisker::bench

int main(int argc, char** argv) {
  using namespace whisker::bench;
  Suite suite("icollide", argc, argv);
  if (suite.usage_error()) return 2;
  std::printf(
      "defaults: 1000 bodies of 36 faces, density 1 %%, rotation 10 degrees and translation 10 %% of the radius a\n"
      "frame. cube and tight: sweep and prune with both kinds of boxes; automatic: whisker's default, tight boxes\n");
  bench_sweep(suite, {"bodies",
                      "number",
                      {20, 50, 100, 200, 500, 1000, 1500, 2000},
                      [](Parameters& p, double value) { p.bodies = static_cast<std::size_t>(value); },
                      "nearly linear, with a small term of higher order, larger for tight boxes"});
  bench_sweep(suite, {"faces",
                      "of a body",
                      {8, 16, 36, 64, 128, 256, 512},
                      [](Parameters& p, double value) { p.faces = static_cast<int>(value); },
                      "tight: the update grows with the faces, the sort shrinks as bodies get rounder; cubes: nearly "
                      "constant"});
  bench_sweep(suite, {"density",
                      "per cent",
                      {0.1, 0.5, 1, 2, 5, 10},
                      [](Parameters& p, double value) { p.density = value; },
                      "the sort and the collisions grow with the density, collisions linearly"});
  bench_sweep(suite,
              {"rotation",
               "degrees a frame",
               {0, 1, 5, 10, 20, 45},
               [](Parameters& p, double value) { p.rotation = value; },
               "tight: grows much faster, by longer walks and more swaps; cubes: update and sort nearly constant"});
  bench_sweep(suite, {"translation",
                      "per cent of the radius a frame",
                      {1, 5, 10, 20, 50},
                      [](Parameters& p, double value) { p.translation = value; },
                      "no curve; more swaps are to be expected with both kinds of boxes"});
  return suite.finish();
}
