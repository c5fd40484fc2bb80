// Twelve solids drift to the center and push each other away, with a fixed budget of operations per frame. What is
// undecided when the budget is used up is answered by coarser spheres, with an error bound.

#include <cmath>
#include <cstdio>
#include <vector>

#include <Eigen/Geometry>

#include <whisker/whisker.hpp>

namespace wk = whisker;

namespace {

wk::Pose pose_of(const wk::Vector3& place, double angle, const wk::Vector3& axis) {
  return {Eigen::AngleAxisd(angle, axis).toRotationMatrix(), place};
}

}  // namespace

int main() {
  const wk::Mesh mesh(wk::make::s_shape({.along = 8, .across = 8}));
  const wk::SphereBody body(wk::build_sphere_tree(mesh, {.method = wk::SphereTreeMethod::merge, .pieces = 1000}), mesh);
  std::printf("%zu spheres, root radius %.2f\n", body.size(), body.sphere(0).radius);

  // An interruptible query: its bounds converge to the distance of the solids.
  wk::SphereQuery query(body, {body, wk::Pose(wk::Vector3(2.6, 0.4, 0.9))});
  while (query.advance({.budget = 200}, {.exact = false}) == wk::Stop::budget)
    std::printf("%5llu operations: the distance is in [%.3f, %.3f]\n",
                static_cast<unsigned long long>(query.operations()), query.lower(), query.upper());
  query.advance();
  std::printf("by the triangles:  it is %.6f\n", query.upper());

  // A world, with a budget for each frame.
  constexpr int count = 12;
  constexpr std::uint64_t operations = 3000;
  wk::SphereWorld world;
  std::vector<wk::BodyId> ids;
  std::vector<wk::Vector3> places;
  for (int i = 0; i < count; ++i) {
    const double height = 1 - (2 * i + 1.0) / count, around = 2.4 * i, flat = std::sqrt(1 - height * height);
    places.push_back(9 * wk::Vector3(flat * std::cos(around), flat * std::sin(around), height));
    ids.push_back(world.add(body));
  }
  // Pairs near the center have the highest priority.
  world.set_priority([&](const wk::SpherePair& pair) {
    return places[pair.a.slot].norm() + places[pair.b.slot].norm() < 8 ? 1.0 : 0.0;
  });

  std::vector<wk::SphereContact> few;
  for (int frame = 0; frame <= 60; ++frame) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      places[i] *= 0.97;
      world.move(ids[i], pose_of(places[i], 0.05 * frame + static_cast<double>(i), wk::Vector3::UnitZ()));
    }
    world.begin_step();
    world.advance({.budget = operations});
    const wk::SphereFrame known = world.collect(wk::OpenSpheres::repulsion);
    if (known.operations() > operations) return 1;
    for (const wk::SpherePair& pair : world.pairs()) {
      wk::reduce_contacts(world.contacts(pair), 4, few);
      for (const wk::SphereContact& contact : few) {
        const wk::Vector3 push = 0.05 * contact.depth * contact.normal;
        places[pair.a.slot] -= push;
        places[pair.b.slot] += push;
      }
    }
    if (frame % 10 != 0) continue;
    std::printf("frame %2d: %2zu pairs, %2zu touch, %2zu undecided; %5zu contacts with an error of at most %.3f\n",
                frame, known.pairs, known.touching_pairs, known.open_pairs, known.contacts, known.worst_error);
  }
  return 0;
}
