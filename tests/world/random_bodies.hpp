#pragma once

// Random bodies for worlds.

#include <random>
#include <vector>

#include <Eigen/Geometry>

#include <whisker/whisker.hpp>
#include <whisker/world.hpp>

#include "support/random_vectors.hpp"

namespace whisker::test {

inline Shape random_hull(std::mt19937_64& random) {
  std::vector<Vector3> points;
  for (int i = 0; i < 12; ++i)
    points.push_back(random_vector(random, 0.5));
  return ConvexHull(points);
}

inline Shape random_shape(std::mt19937_64& random) {
  switch (random() % 7) {
    case 0:
      return Sphere{uniform(random, 0.1, 0.6)};
    case 1:
      return Capsule{uniform(random, 0.1, 0.3), uniform(random, 0.1, 1)};
    case 2:
      return Box{{uniform(random, 0.1, 1), uniform(random, 0.1, 1), uniform(random, 0.1, 1)}};
    case 3:
      return Cylinder{uniform(random, 0.1, 0.5), uniform(random, 0.1, 1)};
    case 4:
      return Mesh(make::icosphere({.radius = uniform(random, 0.2, 0.5), .subdivisions = 1}));
    default:
      return random_hull(random);
  }
}

inline WorldPair pair_of(BodyId a, BodyId b) {
  return a < b ? WorldPair{a, b} : WorldPair{b, a};
}

inline std::vector<WorldPair> to_vector(std::span<const WorldPair> pairs) {
  return {pairs.begin(), pairs.end()};
}

}  // namespace whisker::test
