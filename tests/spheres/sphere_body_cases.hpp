#pragma once

// Solids with their sphere trees, and pairs of them in difficult poses.

#include <stdexcept>
#include <string>
#include <vector>

#include <whisker/make/make.hpp>
#include <whisker/spheres/sphere_contacts.hpp>
#include <whisker/spheres/sphere_query.hpp>
#include <whisker/spheres/sphere_tree.hpp>

#include "spheres/sphere_methods.hpp"
#include "support/cases.hpp"
#include "support/mesh_cases.hpp"

namespace whisker::test {

struct NamedBody {
  std::string name;
  SphereBody body;
};

inline SphereBody body_of(const MeshData& data, const SphereMethod& method = SphereMethod::grid, int depth = 2) {
  const Mesh mesh(data);
  return {
      build_sphere_tree(
          mesh, {.method = method.method, .builder = method.builder, .depth = depth, .samples = 120, .pieces = 400}),
      mesh};
}

/// The distance that the spheres alone prove.
inline Distance distance_by_spheres(const Placed& a, const Placed& b) {
  SphereQuery query(a, b);
  const Stop stop = query.advance({}, {.exact = false});
  Distance result = query.result();
  result.stop = stop;
  return result;
}

/// Some are convex, some not. One has two parts, one a part inside another, one a cavity, and one has no interior at
/// all.
inline const std::vector<NamedBody>& sphere_bodies() {
  static const std::vector<NamedBody> bodies = [] {
    const MeshData ball = make::icosphere({.subdivisions = 2});
    const MeshData speck = scaled(make::box(), 0.05);
    MeshData shell = joined(ball, reversed(scaled(ball, 0.75)));
    const MeshData sheet{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0.5}}, {{0, 1, 2}, {0, 2, 1}}};
    return std::vector<NamedBody>{
        {"ball", body_of(ball, SphereMethod::octree)},
        {"s", body_of(scaled(make::s_shape({.along = 8, .across = 8}), 0.5), SphereMethod::merge)},
        {"torus", body_of(unit(make::torus({.around = 16, .across = 8})))},
        {"solid octree", body_of(unit(make::block()), SphereMethod::solid_octree, 3)},
        {"speck", body_of(speck)},
        {"two parts", body_of(joined(speck, moved(speck, {1.5, 0, 0})))},
        {"nested", body_of(joined(ball, moved(speck, {0.1, 0.2, 0})))},
        {"shell", body_of(shell, SphereMethod::octree, 3)},
        {"sheet", body_of(sheet)},
    };
  }();
  return bodies;
}

inline const SphereBody& sphere_body(const std::string& name) {
  for (const NamedBody& body : sphere_bodies())
    if (body.name == name) return body.body;
  throw std::out_of_range(name);
}

struct BodyPair {
  const NamedBody* a;
  const NamedBody* b;
  Pose pose_a, pose_b;

  std::string show() const { return a->name + " " + test::show(pose_a) + ", " + b->name + " " + test::show(pose_b); }
  /// The true distance of the two solids.
  Distance truth() const { return distance({a->body.mesh(), pose_a}, {b->body.mesh(), pose_b}); }
};

/// Apart, near, deep in each other, one inside the other, at the same place, far from the origin, and with a rotation
/// that is nearly as inexact as allowed.
inline BodyPair random_body_pair(Random& random, std::size_t i) {
  const std::vector<NamedBody>& bodies = sphere_bodies();
  BodyPair pair{&bodies[i % bodies.size()], &bodies[i / bodies.size() % bodies.size()], random_pose(random, 0.3),
                random_pose(random, 0.3)};
  switch (i % 7) {
    case 0:
      pair.pose_b = random_pose(random, 3);
      break;
    case 1:
      pair.pose_b = random_pose(random, 1.5);
      break;
    case 2:
      pair.pose_b.set_translation(pair.pose_a.translation());
      break;
    case 3:
      pair.pose_b = pair.pose_a;
      break;
    case 4: {
      const Vector3 far(1e6, -3e5, 2e6);
      pair.pose_a.set_translation(pair.pose_a.translation() + far);
      pair.pose_b.set_translation(pair.pose_b.translation() + far);
      break;
    }
    case 5:
      pair.pose_b.set_rotation(pair.pose_b.rotation() * (1 + 4e-10));
      break;
    default: {
      // Moved along the line of their closest points until they nearly touch.
      pair.pose_b.set_translation(pair.pose_b.translation() + Vector3(2.5, 0.3, -0.2));
      const Distance apart = pair.truth();
      pair.pose_b.set_translation(pair.pose_b.translation() - apart.normal * apart.lower * uniform(random, 0.99, 1.0));
      break;
    }
  }
  return pair;
}

}  // namespace whisker::test
