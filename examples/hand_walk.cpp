// A hand moves through a kitchen: many static bodies, and a hand of several convex parts that moves among them. The
// parts are in a layer that does not collide with itself, so they may overlap at the joints. Writes a web page that
// plays the motion.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <set>
#include <vector>

#include <Eigen/Geometry>

#include <whisker/convex_hull.hpp>
#include <whisker/make/make.hpp>
#include <whisker/world.hpp>

#include "playground/arguments.hpp"
#include "playground/page.hpp"

namespace wk = whisker;

namespace {

constexpr double pi = 3.14159265358979323846;

// Layers of the world.
constexpr std::uint32_t furniture_layer = 1;
constexpr std::uint32_t hand_layer = 2;

// Colors.
constexpr std::uint32_t wall = 0x3c434e, wood = 0x8a6f52, dark_wood = 0x6b5644, white = 0xa9afb8, metal = 0x7f8894,
                        glass = 0x5f8f88, red = 0x8f5a5a, bread = 0xa98a5c, skin = 0xe8dccd;

Eigen::Matrix3d turn(double angle, const Eigen::Vector3d& axis) {
  return Eigen::AngleAxisd(angle, axis).toRotationMatrix();
}

// Puts furniture into the room. Lengths are in meters, z is up.
class Kitchen {
 public:
  Kitchen(wk::World& world, playground::Recording& recording) : world_(world), recording_(recording) {
    box({4, 3, 0.1}, {0, 0, -0.05}, wall);     // floor
    box({4, 0.1, 1.6}, {0, 1.55, 0.8}, wall);  // walls
    box({0.1, 3.2, 1.6}, {-2.05, 0.05, 0.8}, wall);

    // The counter along the wall, with a sink made of four sides, a stove, and objects on it.
    box({2.6, 0.6, 0.82}, {-0.4, 1.2, 0.43}, dark_wood);
    box({2.64, 0.64, 0.06}, {-0.4, 1.19, 0.87}, white);
    for (const double x : {-1.3, -0.9}) {
      for (const double y : {1.05, 1.35})
        cylinder(0.1, 0.02, {x, y, 0.91}, metal);
    }
    cylinder(0.12, 0.16, {-1.3, 1.35, 1.0}, metal);  // pots
    cylinder(0.09, 0.1, {-0.9, 1.05, 0.97}, red);
    for (const double side : {-1.0, 1.0}) {
      box({0.02, 0.4, 0.12}, {-0.25 + 0.25 * side, 1.2, 0.96}, metal);
      box({0.48, 0.02, 0.12}, {-0.25, 1.2 + 0.19 * side, 0.96}, metal);
    }
    for (int i = 0; i < 4; ++i) {
      const double x = 0.3 + 0.14 * i;
      cylinder(0.04, 0.2, {x, 1.36, 1.0}, glass);  // bottles
      add(wk::Cone{.radius = 0.04, .length = 0.1}, wk::Pose(wk::Vector3(x, 1.36, 1.15)), glass);
    }
    box({0.6, 0.6, 1.5}, {1.3, 1.18, 0.75}, white);    // fridge
    box({0.03, 0.04, 0.5}, {1.08, 0.86, 1.0}, metal);  // its handle
    box({1.6, 0.25, 0.03}, {-0.9, 1.37, 1.4}, wood);   // shelf
    for (int i = 0; i < 6; ++i)
      cylinder(0.05, 0.09, {-1.55 + 0.25 * i, 1.37, 1.46}, i % 2 == 0 ? red : white);

    // The table, set for a meal.
    box({1.2, 0.8, 0.04}, {0.3, -0.3, 0.72}, wood);
    for (const double x : {-0.22, 0.82}) {
      for (const double y : {-0.62, 0.02})
        cylinder(0.03, 0.7, {x, y, 0.35}, dark_wood);
    }
    for (const double x : {-0.1, 0.7}) {
      cylinder(0.12, 0.02, {x, -0.3, 0.75}, white);  // plates and glasses
      cylinder(0.035, 0.12, {x, -0.08, 0.8}, glass);
    }
    add(wk::Mesh(wk::make::torus({.major = 0.11, .minor = 0.045, .around = 40, .across = 16})),
        wk::Pose(wk::Vector3(0.3, -0.3, 0.785)), bread);
    for (int i = 0; i < 3; ++i)
      add(wk::Sphere{0.045}, wk::Pose(wk::Vector3(0.22 + 0.1 * i, -0.52 + 0.02 * i, 0.785)), red);

    const wk::Shape chair = wk::Mesh(wk::make::chair());
    add(chair, wk::Pose(wk::Vector3(0.3, 0.35, 0)), wood);
    add(chair, wk::Pose(turn(pi, Eigen::Vector3d::UnitZ()), {0.1, -0.95, 0}), wood);
    add(chair, wk::Pose(turn(-pi / 2 - 0.4, Eigen::Vector3d::UnitZ()), {1.25, -0.35, 0}), wood);

    // A lamp above it.
    cylinder(0.008, 0.5, {0.3, -0.3, 1.55}, metal);
    add(wk::Cone{.radius = 0.2, .length = 0.18}, wk::Pose(wk::Vector3(0.3, -0.3, 1.25)), red);

    // A plant in a corner.
    cylinder(0.14, 0.28, {-1.7, -0.9, 0.14}, dark_wood);
    add(wk::Mesh(wk::make::wrinkled_torus({.major = 0.16, .minor = 0.1, .around = 60, .across = 24, .seed = 3})),
        wk::Pose(wk::Vector3(-1.7, -0.9, 0.42)), glass);
  }

 private:
  void add(const wk::Shape& shape, const wk::Pose& pose, std::uint32_t color) {
    const wk::BodyId id = world_.add(shape, pose, {.is_static = true, .layers = furniture_layer});
    recording_.watch(world_, id, {.color = color});
  }
  void box(const wk::Vector3& size, const wk::Vector3& center, std::uint32_t color) {
    add(wk::Box{size}, wk::Pose(center), color);
  }
  void cylinder(double radius, double length, const wk::Vector3& center, std::uint32_t color) {
    add(wk::Cylinder{.radius = radius, .length = length}, wk::Pose(center), color);
  }

  wk::World& world_;
  playground::Recording& recording_;
};

// A palm, four fingers with two joints each and a thumb, at twice the natural size for visibility. It points along x of
// its frame, with its back up.
class Hand {
 public:
  Hand(wk::World& world, playground::Recording& recording) : world_(world) {
    // Narrower at the wrist.
    std::vector<wk::Vector3> palm;
    for (const double z : {-0.025, 0.025}) {
      for (const double y : {-1.0, 1.0}) {
        palm.emplace_back(-0.1, 0.055 * y, z);
        palm.emplace_back(0.06, 0.085 * y, z);
        palm.emplace_back(0.08, 0.07 * y, z);
      }
    }
    add(wk::ConvexHull(palm), recording);
    for (int finger = 0; finger < 5; ++finger) {
      for (int joint = 0; joint < 2; ++joint)
        add(wk::Capsule{.radius = radius, .length = length(finger, joint)}, recording);
    }
  }

  /// Moves all parts. `curl` is the angle of each joint in radians.
  void move(const wk::Pose& hand, double curl) {
    std::vector<wk::Pose> poses = {hand};
    for (int finger = 0; finger < 5; ++finger) {
      const bool is_thumb = finger == 4;
      const double y = is_thumb ? 0.075 : -0.066 + 0.044 * finger;
      const double yaw = is_thumb ? 0.8 : 0.08 * (finger - 1.5);
      wk::Pose joint_pose(turn(yaw, Eigen::Vector3d::UnitZ()), {is_thumb ? -0.03 : 0.075, y, 0});
      for (int joint = 0; joint < 2; ++joint) {
        // Bend at the near end. The capsule's axis is z of its own frame.
        const double reach = length(finger, joint);
        joint_pose = wk::compose(joint_pose, wk::Pose(turn(curl, Eigen::Vector3d::UnitY()), wk::Vector3::Zero()));
        const wk::Pose middle(turn(pi / 2, Eigen::Vector3d::UnitY()), {reach / 2, 0, 0});
        poses.push_back(wk::compose(hand, wk::compose(joint_pose, middle)));
        joint_pose = wk::compose(joint_pose, wk::Pose(wk::Vector3(reach, 0, 0)));
      }
    }
    world_.move(parts_, poses);
  }

 private:
  static constexpr double radius = 0.018;
  static double length(int finger, int joint) {
    const double lengths[5] = {0.06, 0.075, 0.08, 0.07, 0.06};
    return lengths[finger] * (joint == 0 ? 1.0 : 0.8);
  }
  void add(const wk::Shape& shape, playground::Recording& recording) {
    parts_.push_back(world_.add(shape, {}, {.layers = hand_layer, .meets = furniture_layer}));
    recording.watch(world_, parts_.back(), {.color = skin});
  }

  wk::World& world_;
  std::vector<wk::BodyId> parts_;
};

// A smooth path through the given points (Catmull and Rom 1974), with `at` from 0 to 1.
wk::Vector3 along(const std::vector<wk::Vector3>& places, double at) {
  const auto last = static_cast<int>(places.size()) - 1;
  const double whole = std::clamp(at, 0.0, 1.0) * last;
  const int first = std::min(static_cast<int>(whole), last - 1);
  const double t = whole - first;
  const auto place = [&](int i) { return places[static_cast<std::size_t>(std::clamp(i, 0, last))]; };
  const wk::Vector3 a = place(first - 1), b = place(first), c = place(first + 1), d = place(first + 2);
  return 0.5 * (2 * b + t * (c - a) + t * t * (2 * a - 5 * b + 4 * c - d) + t * t * t * (3 * b - a - 3 * c + d));
}

}  // namespace

int main(int count, char** values) {
  const playground::Arguments arguments =
      playground::read_arguments(count, values, {.output = "hand_walk.html", .frames = 480, .bodies = 0});

  wk::World world;
  playground::Recording recording{.title = "A hand in the kitchen",
                                  .note = "Eleven convex parts move through a room that stands still."};
  recording.view.emplace();
  recording.view->include(wk::Vector3(-1.6, -1.2, 0));
  recording.view->include(wk::Vector3(1.6, 1.5, 1.4));
  const Kitchen kitchen(world, recording);
  Hand hand(world, recording);

  // In over a chair, across the table, up to the lamp, along the counter, past the shelf, out by the plant.
  const std::vector<wk::Vector3> way = {
      {1.7, -1.1, 1.0},   {1.2, -0.4, 0.85},  {0.75, -0.25, 0.82}, {0.35, -0.35, 0.84},
      {-0.1, -0.3, 0.8},  {-0.1, 0.1, 1.0},   {0.25, -0.2, 1.2},   {0.3, 0.4, 0.9},
      {0.75, 1.1, 1.05},  {0.4, 1.3, 1.0},    {-0.2, 1.2, 1.0},    {-0.8, 1.05, 1.0},
      {-1.2, 1.25, 1.05}, {-1.3, 1.25, 1.45}, {-1.5, 0.4, 1.0},    {-1.65, -0.7, 0.55}};
  std::set<wk::BodyId> touched;
  std::size_t tested = 0, began = 0, touching = 0;
  for (int frame = 0; frame < arguments.frames; ++frame) {
    const double at = arguments.frames > 1 ? static_cast<double>(frame) / (arguments.frames - 1) : 0;
    const wk::Vector3 place = along(way, at);
    const wk::Vector3 ahead = along(way, at + 0.03) - along(way, at - 0.03);
    const double heading = std::atan2(ahead.y(), ahead.x());
    const Eigen::Matrix3d rotation =
        turn(heading, Eigen::Vector3d::UnitZ()) * turn(0.3 * std::sin(12 * at), Eigen::Vector3d::UnitX());
    hand.move({rotation, place}, 0.35 + 0.3 * std::sin(40 * at));

    const wk::UpdateReport& report = world.update();
    tested += report.tested;
    touching += report.touching;
    for (const wk::TouchEvent& event : world.events()) {
      if (event.change != wk::TouchChange::began) continue;
      ++began;
      // The furniture was added first, so it is body a.
      touched.insert(event.pair.a);
    }
    recording.capture(world);
  }

  std::printf("%zu bodies, %d frames; in a frame %.1f pairs are tested on average, and %.1f touch\n", world.size(),
              arguments.frames, static_cast<double>(tested) / arguments.frames,
              static_cast<double>(touching) / arguments.frames);
  std::printf("the hand touched %zu things; %zu times a part began to touch one\n", touched.size(), began);
  playground::write_page(arguments.output, recording);
  playground::report_page(arguments.output);
}
