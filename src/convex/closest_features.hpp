#pragma once

// The closest features of two bounded cores, as points that can slide on them, in double-double.

#include <array>

#include "convex/certificate.hpp"

namespace whisker::convex {

/// A point on a vertex, an edge or a face of a core: base + u[0] direction[0] + u[1] direction[1].
struct FeaturePoint {
  Vector3dd base;
  int freedom = 0;  // 0 vertex (or a fixed point), 1 edge, 2 face
  std::array<Vector3dd, 2> direction;
  std::array<DoubleDouble, 2> u;
  std::array<double, 2> lower{};  // bounds of u: within them the point belongs to the core
  std::array<double, 2> upper{};
  bool is_triangle = false;  // u[0] + u[1] <= 1 as well

  Vector3dd point() const {
    Vector3dd p = base;
    for (int k = 0; k < freedom; ++k) p = p + direction[static_cast<std::size_t>(k)] * u[static_cast<std::size_t>(k)];
    return p;
  }
};

struct FeaturePair {
  FeaturePoint a;
  FeaturePoint b;
};

/// The closest features as plain doubles see them. Both shapes bounded, scaled, a.core <= b.core.
FeaturePair find_closest_features(const SimpleShape& a, const SimpleShape& b);

/// Slides the two points to where their features' planes or lines are closest, and back into the features.
void refine(FeaturePair& pair);

/// The closest pair among all vertices, edges and faces, each refined: slow, and blind to nothing.
FeaturePair search_all_features(const SimpleShape& a, const SimpleShape& b);

}  // namespace whisker::convex
