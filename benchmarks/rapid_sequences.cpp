// Moving sequences, after the paper's: a motion is recorded once, then all touching pairs are found for every step.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <numbers>

#include <Eigen/Geometry>

#include <whisker/make/make.hpp>
#include <whisker/mesh.hpp>
#include <whisker/queries.hpp>

#include "rapid.hpp"

namespace whisker::bench {
namespace {

Matrix3 turn(double angle, const Vector3& axis) {
  return Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
}

/// A moving object in a static environment.
struct Sequence {
  std::string name;
  MeshData environment;
  MeshData object;
  std::vector<Pose> poses;  ///< Of the object.
  std::string paper;        ///< What the paper reports about its own sequence.
};

/// A body that falls, spins and bounces.
struct Motion {
  Pose start;
  Vector3 spin;                                    ///< Radians per second.
  std::function<Vector3(const Vector3&)> gravity;  ///< At a position.
  double radius = 1;                               ///< Of a ball with about the object's inertia.
  double push = 0;                                 ///< The distance per step that a body is moved out of contact.
  double restitution = 0.5;
  double seconds_per_step = 0.01;
};

/// Records the motion. Every contact in turn gets the impulse that reverses its normal velocity. The normal is that of
/// the environment's triangle. The physics is not accurate: the motion is only lively, seeded and always near contact.
std::vector<Pose> record(const MeshData& environment_data, const Shape& environment, const Shape& object,
                         const Motion& motion, std::size_t steps) {
  const double inertia = 0.4 * motion.radius * motion.radius;  // of a ball of mass 1
  Vector3 position = motion.start.translation(), velocity = Vector3::Zero(), spin = motion.spin;
  Matrix3 rotation = motion.start.rotation();
  std::vector<Pose> poses;
  Contacts found;
  bool touched_before = false;
  while (poses.size() < steps) {
    const double dt = motion.seconds_per_step;
    velocity += dt * motion.gravity(position);
    const auto after = [&](double seconds) {
      const Matrix3 turned = spin.norm() > 0 ? Matrix3(turn(seconds * spin.norm(), spin) * rotation) : rotation;
      return Pose(Eigen::Quaterniond(turned).normalized().matrix(), position + seconds * velocity);
    };
    double apart = 0, end = dt;
    if (!touched_before && touches(environment, {object, after(dt)})) {
      // The step that makes contact ends shortly after it, so that a bouncing body is still at the surface.
      for (int i = 0; i < 3; ++i) {
        const double half = (apart + end) / 2;
        (touches(environment, {object, after(half)}) ? end : apart) = half;
      }
    }
    poses.push_back(after(end));
    position = poses.back().translation();
    rotation = poses.back().rotation();
    contacts(environment, {object, poses.back()}, {}, found);
    touched_before = !found.pairs.empty();
    Vector3 out = Vector3::Zero();
    for (const Contact& contact : found.pairs) {
      const Index3& corners = environment_data.triangles[contact.a.id];
      const Vector3& corner = environment_data.vertices[corners[0]];
      const Vector3 normal = (environment_data.vertices[corners[1]] - corner)
                                 .cross(environment_data.vertices[corners[2]] - corner)
                                 .normalized();
      const Vector3 arm = (contact.segment.a + contact.segment.b) / 2 - position;
      const double approach = (velocity + spin.cross(arm)).dot(normal);
      out += normal;
      if (approach >= 0) continue;
      const double impulse = -(1 + motion.restitution) * approach / (1 + arm.cross(normal).squaredNorm() / inertia);
      velocity += impulse * normal;
      spin += impulse / inertia * arm.cross(normal);
    }
    if (out.norm() > 0) position += motion.push * out.normalized();
  }
  return poses;
}

Sequence pipes_sequence(std::size_t steps) {
  Sequence s{.name = "pipes",
             // Sparse enough for the copy to fall between them.
             .environment = make::pipes(
                 {.count = 5, .spacing = 2.4, .radius = 0.15, .wander = 0.15, .segments = 24, .stretches = 39}),
             .object = {},
             .poses = {},
             .paper =
                 "the paper (pipes, 143,690 and 143,690 triangles, 4008 steps; SGI Reality Engine, 90 MHz R8000): "
                 "6.0 contacts, 425 box tests, 17.9 triangle tests, 4.2 ms a step"};
  s.object = scaled(s.environment, 1.0 / 15);
  Motion motion;
  motion.start = Pose(turn(0.7, {1, 2, 3}), {6.7, 5.4, 4.4});
  motion.spin = {1, -0.6, 1.2};
  motion.gravity = [](const Vector3& place_of_center) { return Vector3(-1 * place_of_center.normalized()); };
  motion.radius = 0.5;
  motion.push = 0.0002;
  motion.restitution = 0.3;
  motion.seconds_per_step = 0.005;
  s.poses = record(s.environment, Mesh(s.environment), Mesh(s.object), motion, steps);
  return s;
}

Sequence torus_sequence(std::size_t steps) {
  Sequence s{.name = "torus",
             .environment = make::terrain({.columns = 218,
                                           .rows = 218,
                                           .height = 0.4,
                                           .dimples = 40,
                                           .spikes = 60,
                                           .spike_height = 1.2,
                                           .spike_radius = 0.3}),
             .object = make::wrinkled_torus(),
             .poses = {},
             .paper =
                 "the paper (torus, 98,000 and 20,000 triangles, 1298 steps; SGI Reality Engine, 90 MHz R8000): "
                 "1.7 contacts, 813 box tests, 5.4 triangle tests, 6.9 ms a step"};
  append(s.environment,
         scaled(make::cone({.radius = 0.8, .length = 4, .slices = 48, .stacks = 31}), 1, Pose(Vector3(0, 0, 1.8))));
  Motion motion;
  motion.start = Pose(turn(0.3, {1, 0.4, 0}), {0.05, -0.1, 3.2});
  motion.spin = {0.2, -0.3, 3};
  motion.gravity = [](const Vector3&) { return Vector3(0, 0, -1); };
  motion.radius = 1.2;
  motion.push = 0.0005;
  motion.seconds_per_step = 0.005;
  s.poses = record(s.environment, Mesh(s.environment), Mesh(s.object), motion, steps);
  return s;
}

/// A long cylinder that lies between two rows of rollers, rotating and sliding, with a slightly varying depth.
Sequence torpedo_sequence(std::size_t steps) {
  constexpr double torpedo_radius = 0.5, roller_radius = 0.3;
  Sequence s{.name = "torpedo",
             .environment = scaled(make::box({.size_x = 6.4, .size_y = 2, .size_z = 0.2, .subdivisions = 3}), 1,
                                   Pose(Vector3(0, 0, -1.2))),
             .object = make::cylinder({.radius = torpedo_radius, .length = 6, .slices = 45, .stacks = 52}),
             .poses = {},
             .paper =
                 "the paper (torpedo on a pivot, 44,921 and 4,780 triangles; SGI Reality Engine, 200 MHz R4400): "
                 "about 100 ms a step; its counts are not reported"};
  const Matrix3 lying = turn(std::numbers::pi / 2, {0, 1, 0});  // the axis along x
  const double slant = std::numbers::pi / 4;
  for (const double side : {-1.0, 1.0}) {
    for (int i = 0; i < 4; ++i) {
      const Vector3 center(1.5 * i - 2.25, side * (torpedo_radius + roller_radius) * std::sin(slant),
                           -(torpedo_radius + roller_radius) * std::cos(slant));
      append(s.environment, scaled(make::cylinder({.radius = roller_radius, .length = 1.2, .slices = 56, .stacks = 49}),
                                   1, Pose(lying, center)));
    }
  }
  for (std::size_t i = 0; i < steps; ++i) {
    const double t = static_cast<double>(i) / 500;
    const double deep = 0.002 + 0.001 * std::sin(40 * t);  // the facets of the rollers deviate by up to 0.0012
    s.poses.emplace_back(turn(2 * t, {1, 0, 0}) * lying, Vector3(0.3 * std::sin(5 * t), 0, -deep));
  }
  return s;
}

void print_line(Suite& suite, const std::string& name, const Cost& cost, std::size_t pairs, std::size_t steps) {
  const double n = static_cast<double>(steps);
  char text[200];
  std::snprintf(text, sizeof text, "%-22s %6zu steps: %8.1f contacts, %9.1f volume tests, %8.1f triangle tests a step",
                name.c_str(), steps, static_cast<double>(pairs) / n, static_cast<double>(cost.volume_tests) / n,
                static_cast<double>(cost.primitive_tests) / n);
  suite.note(text);
}

void bench_sequence(Suite& suite, const Sequence& s) {
  const std::string name = "sequence/" + s.name;
  const Shape environment = Mesh(s.environment), object = Mesh(s.object);
  // The quick run uses every tenth step of the whole motion.
  std::vector<Pose> poses;
  for (std::size_t i = 0; i < s.poses.size(); i += suite.quick() ? 10u : 1u)
    poses.push_back(s.poses[i]);

  std::vector<std::size_t> pairs(poses.size()), without_segments(poses.size());
  std::vector<std::uint8_t> touching(poses.size());
  Contacts found, ids;
  Cost cost;
  const auto ask_contacts = [&](const ContactOptions& options, Contacts& into, std::vector<std::size_t>& counts) {
    for (std::size_t i = 0; i < poses.size(); ++i) {
      contacts(environment, {object, poses[i]}, options, into);
      counts[i] = into.pairs.size();
    }
  };
  const auto sum = [](const auto& counts) {
    std::size_t result = 0;
    for (const auto count : counts)
      result += count;
    return result;
  };
  suite.measure({.name = name, .calls = poses.size(), .hit_rate = false, .seconds = suite.quick() ? 2.0 : 20.0},
                {{"whisker", [&] { ask_contacts({}, found, pairs); }, [&] { return sum(pairs); }},
                 {"whisker/ids", [&] { ask_contacts({.segments = false}, ids, without_segments); },
                  [&] { return sum(without_segments); }},
                 {"whisker/touch",
                  [&] {
                    for (std::size_t i = 0; i < poses.size(); ++i)
                      touching[i] = touches(environment, {object, poses[i]});
                  },
                  [&] { return sum(touching); }}});
  char sizes[120];
  std::snprintf(sizes, sizeof sizes, "%zu and %zu triangles, %zu of %zu steps touch", s.environment.triangles.size(),
                s.object.triangles.size(), sum(touching), poses.size());
  suite.note(sizes);
  for (std::size_t i = 0; i < poses.size(); ++i) {
    if ((pairs[i] > 0) != (touching[i] != 0) || pairs[i] != without_segments[i])
      suite.fail(name + ": contacts and touches differ at step " + std::to_string(i));
    contacts(environment, {object, poses[i]}, {.segments = false}, ids);
    cost.volume_tests += ids.cost.volume_tests;
    cost.primitive_tests += ids.cost.primitive_tests;
  }
  print_line(suite, "Mesh", cost, sum(pairs), poses.size());
  const auto record_counts = [&](const std::string& system, const Cost& of, std::size_t steps) {
    const double n = static_cast<double>(steps);
    suite.record(name + "/volume", system, "tests a step", static_cast<double>(of.volume_tests) / n, steps);
    suite.record(name + "/triangle", system, "tests a step", static_cast<double>(of.primitive_tests) / n, steps);
  };
  record_counts("whisker", cost, poses.size());

  // A tree with one oriented box per child, like the paper's except for its eight children per node, on some of the
  // steps.
  const methods::VolumeTree environment_tree(s.environment), object_tree(s.object);
  Cost tree_cost;
  std::size_t tree_pairs = 0, tree_steps = 0;
  for (std::size_t i = 0; i < poses.size(); i += suite.quick() ? 4u : 10u) {
    const std::size_t count = methods::triangle_contacts(environment_tree, {}, object_tree, poses[i], &tree_cost).size();
    if (count != pairs[i]) suite.fail(name + ": OBB and Mesh differ at step " + std::to_string(i));
    tree_pairs += count;
    ++tree_steps;
  }
  print_line(suite, "VolumeTree of OBB", tree_cost, tree_pairs, tree_steps);
  record_counts("VolumeTree of OBB", tree_cost, tree_steps);
  suite.note(s.paper);
}

}  // namespace

void bench_sequences(Suite& suite) {
  const bool pipes = suite.wants("sequence/pipes"), torus = suite.wants("sequence/torus"),
             torpedo = suite.wants("sequence/torpedo");
  if (pipes || torus || torpedo)
    heading("sequence: all touching pairs of triangles, step by step of a recorded motion");
  if (pipes) bench_sequence(suite, pipes_sequence(4008));
  if (torus) bench_sequence(suite, torus_sequence(1298));
  if (torpedo) bench_sequence(suite, torpedo_sequence(1000));
}

}  // namespace whisker::bench
