// The bounce box of I-COLLIDE (Cohen, Lin, Manocha and Ponamgi 1995): rotating convex bodies fly through a box and
// bounce off each other and off the walls. Writes a web page that plays the motion.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include <whisker/convex_hull.hpp>
#include <whisker/make/make.hpp>
#include <whisker/world.hpp>
#include <whisker/world/contact_schedule.hpp>

#include "playground/arguments.hpp"
#include "playground/bouncing.hpp"
#include "playground/page.hpp"

namespace wk = whisker;

int main(int count, char** values) {
  const playground::Arguments arguments =
      playground::read_arguments(count, values, {.output = "bounce_box.html", .frames = 300, .bodies = 200});
  const double seconds = 1.0 / 30;  // of a frame

  // Bodies of radius 1 at the centers of the cells of a grid, which fills the room. The bodies fill about an eighth of
  // it.
  const int per_side = static_cast<int>(std::ceil(std::cbrt(arguments.bodies)));
  const double cell = 3.2;
  wk::Aabb room;
  room.include(wk::Vector3::Constant(0));
  room.include(wk::Vector3::Constant(per_side * cell));

  wk::World world;
  playground::Recording recording{
      .title = "Bounce box", .note = "Convex hulls of random points on a sphere.", .view = room, .outlines_view = true};
  std::vector<playground::Flyer> flyers;
  std::mt19937_64 random(1);
  const auto between = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53;
  };
  const auto any_vector = [&](double largest) {
    return wk::Vector3(between(-largest, largest), between(-largest, largest), between(-largest, largest));
  };
  const std::uint32_t colors[] = {0x6f8fb8, 0x7fa3a8, 0x8d87b5, 0x93a1b5, 0x6b9c95};
  for (int i = 0; i < arguments.bodies; ++i) {
    const wk::MeshData points = wk::make::random_hull({.points = 24, .seed = static_cast<std::uint64_t>(i) + 1});
    const wk::Vector3 place(i % per_side + 0.5, i / per_side % per_side + 0.5, i / per_side / per_side + 0.5);
    playground::Flyer flyer;
    flyer.pose = wk::Pose(place * cell);
    flyer.velocity = any_vector(4);
    flyer.spin = any_vector(2);
    flyer.id = world.add(wk::ConvexHull(points.vertices), flyer.pose, {.user = flyers.size()});
    recording.watch(world, flyer.id, {.color = colors[i % 5]});
    flyers.push_back(flyer);
  }

  // The schedule tests a pair only when it could touch. It needs to know how each body moves.
  wk::ContactSchedule schedule(world);
  const auto promise = [&](const playground::Flyer& flyer) {
    schedule.set_limits(flyer.id, {.velocity = flyer.velocity, .spin = flyer.spin.norm()});
  };
  for (const playground::Flyer& flyer : flyers)
    promise(flyer);

  const double energy_before = playground::energy(flyers);
  std::size_t tested = 0, touching = 0, looked_at = 0;
  for (int frame = 0; frame < arguments.frames; ++frame) {
    if (frame > 0) {
      for (playground::Flyer& flyer : flyers) {
        flyer.pose = playground::moved(flyer.pose, flyer.velocity, flyer.spin, seconds);
        world.move(flyer.id, flyer.pose);
      }
    }
    const wk::UpdateReport& report = world.update();
    tested += report.tested;
    touching += report.touching;

    const auto scheduled = schedule.advance(frame * seconds);
    if (!std::ranges::equal(scheduled, world.touching())) {
      std::printf("the schedule and the world disagree in frame %d\n", frame);
      return 1;
    }
    looked_at += schedule.looked_at();

    recording.capture(world);
    for (const std::size_t changed : playground::bounce(world, flyers, room))
      promise(flyers[changed]);
  }

  const double frames = arguments.frames;
  std::printf("%d bodies, %d frames; a frame has %zu pairs, of which on average\n", arguments.bodies, arguments.frames,
              schedule.pairs());
  std::printf("  %.1f are tested by the world, whose boxes overlap\n", static_cast<double>(tested) / frames);
  std::printf("  %.1f are tested by the schedule (%.1f %%)\n", static_cast<double>(looked_at) / frames,
              100 * static_cast<double>(looked_at) / std::max(1.0, frames * static_cast<double>(schedule.pairs())));
  std::printf("  %.1f touch\n", static_cast<double>(touching) / frames);
  std::printf("energy: %.3f at first, %.3f at last\n", energy_before, playground::energy(flyers));
  playground::write_page(arguments.output, recording);
  playground::report_page(arguments.output);
}
