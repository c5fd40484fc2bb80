// ODE's side of the suite `world`, in double: its spaces.

#include "world.hpp"

#ifdef WHISKER_BENCH_ODE
#include <cmath>
#include <memory>
#include <ode/ode.h>

#include "ode_session.hpp"
#endif

namespace whisker::bench {

#ifdef WHISKER_BENCH_ODE

namespace {

void count_pair(void* count, dGeomID, dGeomID) {
  ++*static_cast<std::size_t*>(count);
}

struct Boxes {
  dSpaceID space;
  std::vector<dGeomID> movers;
  std::size_t found = 0;

  Boxes(const BoxScene& scene, dSpaceID in) : space(in) {
    std::vector<dGeomID> all;
    for (const Aabb& box : scene.boxes) {
      const Vector3 sides = box.upper - box.lower;
      all.push_back(dCreateBox(space, sides[0], sides[1], sides[2]));
      place(all.back(), box);
    }
    for (const std::uint32_t i : scene.movers)
      movers.push_back(all[i]);
  }
  ~Boxes() { dSpaceDestroy(space); }
  Boxes(const Boxes&) = delete;
  Boxes& operator=(const Boxes&) = delete;

  static void place(dGeomID geometry, const Aabb& box) {
    const Vector3 middle = 0.5 * (box.lower + box.upper);
    dGeomSetPosition(geometry, middle[0], middle[1], middle[2]);
  }
  void step(std::span<const Aabb> boxes) {
    for (std::size_t i = 0; i < movers.size(); ++i)
      place(movers[i], boxes[i]);
    found = 0;
    dSpaceCollide(space, &found, count_pair);
  }
};

BoxSystem system_of(std::string name, const BoxScene& scene, dSpaceID space) {
  auto boxes = std::make_shared<Boxes>(scene, space);
  return {std::move(name), [boxes](std::span<const Aabb> next) { boxes->step(next); },
          [boxes] { return boxes->found; }};
}

}  // namespace

std::vector<BoxSystem> ode_box_systems(const BoxScene& scene) {
  std::vector<BoxSystem> result;
  if (scene.boxes.size() > 100'000) return result;
  start_ode();
  // Cells from the size of the smallest box to that of the largest. Larger boxes are tested against all.
  double smallest = HUGE_VAL, largest = 0;
  for (const Aabb& box : scene.boxes) {
    const double size = (box.upper - box.lower).maxCoeff();
    smallest = std::min(smallest, size);
    largest = std::max(largest, size);
  }
  if (scene.boxes.size() <= 10'000) {  // with more boxes its table is crowded, and a frame takes seconds
    const dSpaceID hash = dHashSpaceCreate(nullptr);
    dHashSpaceSetLevels(hash, static_cast<int>(std::floor(std::log2(smallest))),
                        static_cast<int>(std::ceil(std::log2(largest))));
    result.push_back(system_of("ODE/hash", scene, hash));
  }
  result.push_back(system_of("ODE/sweep-and-prune", scene, dSweepAndPruneSpaceCreate(nullptr, dSAP_AXES_XYZ)));
  if (scene.boxes.size() <= 10'000) {
    const Vector3 middle = 0.5 * (scene.bounds.lower + scene.bounds.upper);
    const Vector3 half = 0.5 * (scene.bounds.upper - scene.bounds.lower);
    const dVector3 center = {middle[0], middle[1], middle[2], 0}, extents = {half[0], half[1], half[2], 0};
    result.push_back(system_of("ODE/quadtree", scene, dQuadTreeSpaceCreate(nullptr, center, extents, 6)));
  }
  return result;
}

#else

std::vector<BoxSystem> ode_box_systems(const BoxScene&) {
  return {};
}

#endif

}  // namespace whisker::bench
