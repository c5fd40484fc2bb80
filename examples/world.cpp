// Bodies in a world: what touches, what began and ended, what is near a point.

#include <cstdio>

#include <whisker/world.hpp>
#include <whisker/world/contact_schedule.hpp>

namespace wk = whisker;

int main() {
  wk::World world;
  world.add(wk::HalfSpace{{0, 0, 1}, 0}, {}, {.is_static = true});  // the floor, z <= 0
  const wk::BodyId ball = world.add(wk::Sphere{0.5}, wk::Pose(wk::Vector3(0, 0, 2)));
  const wk::BodyId crate = world.add(wk::Box{{1, 1, 1}}, wk::Pose(wk::Vector3(3, 0, 0.75)));

  // The ball falls onto the floor and rises again.
  for (const double height : {1.2, 0.5, 0.4, 0.9}) {
    world.move(ball, wk::Pose(wk::Vector3(0, 0, height)));
    world.update();
    for (const wk::TouchEvent& event : world.events()) {
      const char* const what = event.change == wk::TouchChange::began   ? "begins to touch"
                               : event.change == wk::TouchChange::stays ? "still touches"
                                                                        : "has left";
      std::printf("height %.1f: body %u %s body %u\n", height, event.pair.b.slot, what, event.pair.a.slot);
    }
  }

  for (const wk::PairDistance& close : world.closer_than(0.5))
    std::printf("bodies %u and %u are %.2f apart\n", close.pair.a.slot, close.pair.b.slot, close.distance.value());
  if (const auto nearest = world.nearest({wk::Sphere{0.1}, wk::Pose(wk::Vector3(2, 0, 3))}))
    std::printf("nearest to the probe: body %u, %.3f away\n", nearest->body.slot, nearest->distance.value());
  if (const auto hit = world.cast_ray({{-5, 0, 0.8}, {1, 0, 0}}))
    std::printf("the ray hits body %u at t = %.3f\n", hit->body.slot, hit->hit.t);
  const wk::BodyTranslation push[] = {{ball, {4, 0, 0}}};
  for (const wk::PairImpact& met : world.first_contacts(push).hits)
    std::printf("pushed, the ball meets body %u at time %.4f\n", met.pair.b.slot, met.impact.time);

  // Only pairs that could touch are tested.
  wk::ContactSchedule schedule(world);
  schedule.set_limits(ball, {.velocity = {1, 0, 0}});
  std::size_t looked = 0, pairs = 0;
  for (int frame = 0; frame < 100; ++frame) {
    world.move(ball, wk::Pose(wk::Vector3(0.01 * frame, 0, 0.9)));
    schedule.advance(0.01 * frame);
    looked += schedule.looked_at();
    pairs += schedule.pairs();
  }
  std::printf("the schedule tested %zu of %zu pairs\n", looked, pairs);
  return world.contains(crate) ? 0 : 1;
}
