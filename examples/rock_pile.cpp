// Rocks fall onto a floor, push each other and come to rest in a heap. Writes a web page that plays the motion.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <vector>

#include <Eigen/Geometry>

#include <whisker/convex_hull.hpp>
#include <whisker/make/make.hpp>

#include "playground/arguments.hpp"
#include "playground/page.hpp"
#include "playground/pile.hpp"

namespace wk = whisker;

int main(int count, char** values) {
  const playground::Arguments arguments =
      playground::read_arguments(count, values, {.output = "rock_pile.html", .frames = 360, .bodies = 60});
  const int steps_per_frame = 4;
  const double seconds = 1.0 / 30 / steps_per_frame;  // of a step

  playground::Recording recording{.title = "Rock pile", .note = "Irregular hulls fall and come to rest."};
  recording.view.emplace();
  recording.view->include(wk::Vector3(-2.2, -2.2, 0));
  recording.view->include(wk::Vector3(2.2, 2.2, 2.2));

  playground::Pile pile;
  recording.watch(pile.world(), pile.floor(), wk::make::box({.size_x = 14, .size_y = 14, .size_z = 1e-3}),
                  {.color = 0x3b424d, .shows_touch = false});

  // Start one above the other, so that they land one after the other.
  std::mt19937_64 random(7);
  const auto between = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53;
  };
  const std::uint32_t colors[] = {0x8a8578, 0x9a948a, 0x77756f, 0xa39a86, 0x827b74};
  double height = 0.6;
  for (int i = 0; i < arguments.bodies; ++i) {
    const wk::MeshData points = wk::make::random_hull({.points = 18,
                                                       .radius_x = between(0.2, 0.38),
                                                       .radius_y = between(0.18, 0.3),
                                                       .radius_z = between(0.15, 0.26),
                                                       .seed = static_cast<std::uint64_t>(i) + 1});
    const Eigen::Quaterniond turn(between(-1, 1), between(-1, 1), between(-1, 1), between(-1, 1));
    const wk::Pose pose(turn.normalized().toRotationMatrix(), {between(-0.5, 0.5), between(-0.5, 0.5), height});
    const std::size_t rock = pile.add(playground::centered(wk::ConvexHull(points.vertices)), pose);
    recording.watch(pile.world(), pile.rocks()[rock].id, {.color = colors[i % 5]});
    height += 0.75;
  }

  for (int frame = 0; frame < arguments.frames; ++frame) {
    for (int step = 0; step < steps_per_frame; ++step)
      pile.step(seconds);
    recording.capture(pile.world());
  }

  double lowest = std::numeric_limits<double>::infinity(), highest = 0, fastest = 0;
  for (const playground::Rock& rock : pile.rocks()) {
    const wk::Aabb box = pile.world().box(rock.id);
    lowest = std::min(lowest, box.lower.z());
    highest = std::max(highest, box.upper.z());
    fastest = std::max(fastest, rock.velocity.norm());
  }
  std::printf("%d rocks after %d frames: %zu at rest, the fastest at %.3f m/s; from %.4f m to %.2f m above the floor\n",
              arguments.bodies, arguments.frames, pile.asleep(), fastest, lowest, highest);
  std::printf("%zu pairs touch\n", pile.world().touching().size());
  playground::write_page(arguments.output, recording);
  playground::report_page(arguments.output);
}
