#pragma once

// Seeded hulls and poses, in families that each stress a different difficulty.

#include <cmath>
#include <vector>

#include <whisker/convex_hull.hpp>
#include <whisker/pose.hpp>

#include "support/random_shapes.hpp"

namespace whisker::test {

using Generator = std::mt19937_64;

/// `count` points on an ellipsoid.
inline ConvexHull ellipsoid_hull(Generator& random, int count, const Vector3& axes) {
  std::vector<Vector3> points;
  for (int i = 0; i < count; ++i)
    points.push_back(scenes::unit_vector(random).cwiseProduct(axes));
  return ConvexHull(points);
}

inline ConvexHull box_hull(const Vector3& size) {
  std::vector<Vector3> points;
  for (const double x : {-0.5, 0.5}) {
    for (const double y : {-0.5, 0.5}) {
      for (const double z : {-0.5, 0.5})
        points.push_back(Vector3(x, y, z).cwiseProduct(size));
    }
  }
  return ConvexHull(points);
}

/// A regular polygon in z = 0, or a prism over it. Its caps are exactly planar, its sides nearly so because of
/// rounding.
inline ConvexHull prism_hull(int sides, double radius, double height) {
  std::vector<Vector3> points;
  for (int i = 0; i < sides; ++i) {
    const double angle = 6.283185307179586 * i / sides;
    const double x = radius * std::cos(angle), y = radius * std::sin(angle);
    points.emplace_back(x, y, -height / 2);
    if (height > 0) points.emplace_back(x, y, height / 2);
  }
  return ConvexHull(points);
}

/// Small integer coordinates: flat hulls, parallel and coplanar faces, exact contact.
inline ConvexHull quantised_hull(Generator& random, int half_width, int count) {
  std::vector<Vector3> points;
  for (int i = 0; i < count; ++i)
    points.push_back(scenes::integer_vector(random, half_width));
  return ConvexHull(points);
}

inline ConvexHull any_hull(Generator& random) {
  const auto axis = [&] { return uniform(random, 0.1, 1); };
  switch (whole(random, 0, 9)) {
    case 0:
      return box_hull({axis(), axis(), axis()});
    case 1:  // needle
      return ellipsoid_hull(random, whole(random, 4, 16), {1, 1e-3, 1e-3});
    case 2:  // plate
      return ellipsoid_hull(random, whole(random, 4, 16), {1, 1, 1e-4});
    case 3:
      return prism_hull(whole(random, 3, 12), axis(), axis());
    case 4:  // flat
      return prism_hull(whole(random, 3, 12), axis(), 0);
    case 5:  // segment
      return ConvexHull(std::vector<Vector3>{random_vector(random, 1), random_vector(random, 1)});
    case 6:  // point
      return ConvexHull(std::vector<Vector3>{random_vector(random, 1)});
    case 7:
      return quantised_hull(random, 2, whole(random, 1, 12));
    default:
      return ellipsoid_hull(random, whole(random, 4, 40), {axis(), axis(), axis()});
  }
}

}  // namespace whisker::test
