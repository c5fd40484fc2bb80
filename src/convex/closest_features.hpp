#pragma once

// The closest features of two bounded cores, as points that can slide on the features, in double-double.

#include <array>
#include <cstddef>

#include "convex/certificate.hpp"
#include "geometry/fixed_list.hpp"

namespace whisker::convex {

/// A point on a vertex, an edge or a face of a core: base + u[0] direction[0] + u[1] direction[1].
struct FeaturePoint {
  Vector3dd base;
  int freedom = 0;  // 0 vertex (or a fixed point), 1 edge, 2 face
  std::array<Vector3dd, 2> direction;
  std::array<DoubleDouble, 2> u;
  std::array<double, 2> lower{};  // bounds of u; within them the point belongs to the core
  std::array<double, 2> upper{};
  bool is_triangle = false;  // also requires u[0] + u[1] <= 1

  Vector3dd point() const {
    Vector3dd p = base;
    for (int k = 0; k < freedom; ++k)
      p = p + direction[static_cast<std::size_t>(k)] * u[static_cast<std::size_t>(k)];
    return p;
  }
};

struct FeaturePair {
  FeaturePoint a;
  FeaturePoint b;
};

/// The closest features, found in plain doubles. Both shapes must be bounded and scaled, with a.core <= b.core.
FeaturePair find_closest_features(const SimpleShape& a, const SimpleShape& b);

/// Slides the two points to where the planes or lines of their features are closest, then clamps them to the features.
void refine(FeaturePair& pair);

/// All vertices, edges and faces of a core, at most 26 for a box. Parameters start in the middle.
using FeatureList = geometry::FixedList<FeaturePoint, 26>;
FeatureList list_features(const SimpleShape& shape);

/// Calls `visit(pair)` for all pairs of vertices, edges and faces that can be closest, each refined. Slow, but misses
/// nothing.
template <class Visit>
void visit_all_features(const SimpleShape& a, const SimpleShape& b, Visit&& visit) {
  const FeatureList features_a = list_features(a);
  const FeatureList features_b = list_features(b);
  for (const FeaturePoint& on_a : features_a) {
    for (const FeaturePoint& on_b : features_b) {
      if (on_a.freedom + on_b.freedom > 2) continue;
      FeaturePair pair{on_a, on_b};
      refine(pair);
      visit(pair);
    }
  }
}

}  // namespace whisker::convex
