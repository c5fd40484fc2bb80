#pragma once

// The explicit Minkowski difference of two polytopes: the hull of all differences of their corners. The distance of the
// polytopes is the distance of the origin from it, and their depth is the distance of the origin to its boundary.
//
// The hull has O(nm) input points, so this is for small polytopes. It is an oracle that shares nothing with GJK and
// EPA.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include <whisker/geometry/closest_points.hpp>
#include <whisker/geometry/hull.hpp>
#include <whisker/primitives.hpp>
#include <whisker/vector.hpp>

namespace whisker::baselines {

struct DifferenceAnswer {
  bool touching = false;
  double distance = 0;
  double depth = 0;                     ///< 0 where the difference is flat.
  Vector3 direction = Vector3::Zero();  ///< Unit: the direction in which b leaves a. Zero if they do not overlap.
};

/// The hull of a - b for all corners a and b.
inline HullData minkowski_difference(std::span<const Vector3> a, std::span<const Vector3> b) {
  std::vector<Vector3> points;
  points.reserve(a.size() * b.size());
  for (const Vector3& of_a : a)
    for (const Vector3& of_b : b)
      points.push_back(of_a - of_b);
  return convex_hull(points);
}

/// The distance of the origin from the difference, or its depth inside.
inline DifferenceAnswer origin_in(const HullData& difference) {
  DifferenceAnswer answer;
  const std::vector<Vector3>& v = difference.vertices;
  if (difference.dimension == 3) {
    answer.touching = true;
    answer.depth = std::numeric_limits<double>::infinity();
    for (std::size_t f = 0; f < difference.face_count(); ++f) {
      // Uses the face's own plane, because the hull's planes are moved outward.
      const Vector3 normal = difference.planes[f].normal;
      double offset = -std::numeric_limits<double>::infinity();
      for (const std::uint32_t corner : difference.face(f))
        offset = std::max(offset, normal.dot(v[corner]));
      if (offset < 0) answer.touching = false;
      if (offset < answer.depth) {
        answer.depth = offset;
        answer.direction = normal;
      }
    }
    if (answer.touching) return answer;
    answer.depth = 0;
    answer.direction = Vector3::Zero();
  }
  const Vector3 origin = Vector3::Zero();
  double least = v[0].norm();
  if (difference.dimension == 1) least = closest_points(origin, Segment{v[0], v[1]}).distance;
  for (std::size_t f = 0; f < difference.face_count(); ++f) {
    const std::span<const std::uint32_t> face = difference.face(f);
    for (std::size_t i = 2; i < face.size(); ++i)
      least = std::min(least, closest_points(origin, Triangle{v[face[0]], v[face[i - 1]], v[face[i]]}).distance);
  }
  answer.distance = least;
  if (least == 0) answer.touching = true;
  return answer;
}

inline DifferenceAnswer compare_by_difference(std::span<const Vector3> a, std::span<const Vector3> b) {
  return origin_in(minkowski_difference(a, b));
}

}  // namespace whisker::baselines
