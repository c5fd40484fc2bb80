#pragma once

// Do the convex hulls of two point sets share a point? Computed without rounding, and fast unless the hulls are within
// rounding of contact: GJK in double suggests a separating plane or a common point, which rationals verify. If neither
// is verified, linear programming in rationals decides.

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>

#include <whisker/pose.hpp>
#include <whisker/vector.hpp>

#include "support/baselines/gjk.hpp"
#include "support/baselines/linear_program.hpp"

namespace whisker::baselines {

using ExactNumber =
    boost::multiprecision::number<boost::multiprecision::cpp_rational_backend, boost::multiprecision::et_off>;
using ExactPoints = std::vector<Point<ExactNumber>>;

/// The placed points pose.rotation() * v + pose.translation(), not rounded.
inline ExactPoints exactly_placed(std::span<const Vector3> points, const Pose& pose) {
  ExactPoints result;
  result.reserve(points.size());
  for (const Vector3& v : points) {
    Point<ExactNumber> p;
    for (int row = 0; row < 3; ++row) {
      ExactNumber sum(pose.translation()[row]);
      for (int column = 0; column < 3; ++column)
        sum += ExactNumber(pose.rotation()(row, column)) * ExactNumber(v[column]);
      p[static_cast<std::size_t>(row)] = sum;
    }
    result.push_back(p);
  }
  return result;
}

namespace exact {

inline ExactNumber dot(const Point<ExactNumber>& p, const Point<ExactNumber>& q) {
  return p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
}

/// Whether a plane with this normal separates the points, with a below and b above.
inline bool parts(const Point<ExactNumber>& normal, const ExactPoints& a, const ExactPoints& b) {
  ExactNumber highest = dot(normal, a[0]);
  for (const Point<ExactNumber>& p : a)
    highest = std::max(highest, dot(normal, p));
  return std::all_of(b.begin(), b.end(), [&](const Point<ExactNumber>& p) { return dot(normal, p) > highest; });
}

/// Six times the signed volume of the tetrahedron of the origin and three points.
inline ExactNumber volume(const Point<ExactNumber>& p, const Point<ExactNumber>& q, const Point<ExactNumber>& r) {
  return p[0] * (q[1] * r[2] - q[2] * r[1]) + p[1] * (q[2] * r[0] - q[0] * r[2]) + p[2] * (q[0] * r[1] - q[1] * r[0]);
}

/// Whether the origin is in the tetrahedron of the differences that the simplex names.
inline bool holds_origin(const GjkStart& simplex, const ExactPoints& a, const ExactPoints& b) {
  if (simplex.count != 4) return false;
  std::array<Point<ExactNumber>, 4> w;
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t axis = 0; axis < 3; ++axis)
      w[i][axis] = a[simplex.a[i]][axis] - b[simplex.b[i]][axis];
  // The origin is inside if, for every face, it is on the same side as the opposite corner.
  const std::array<ExactNumber, 4> sides = {volume(w[1], w[3], w[2]), volume(w[0], w[2], w[3]),
                                            volume(w[0], w[3], w[1]), volume(w[0], w[1], w[2])};
  const bool all_up = std::all_of(sides.begin(), sides.end(), [](const ExactNumber& s) { return s > 0; });
  const bool all_down = std::all_of(sides.begin(), sides.end(), [](const ExactNumber& s) { return s < 0; });
  return all_up || all_down;
}

}  // namespace exact

inline bool exactly_touch(const ExactPoints& a, const ExactPoints& b) {
  const auto rounded = [](const ExactPoints& points) {
    std::vector<Vector3> result;
    for (const Point<ExactNumber>& p : points)
      result.push_back({p[0].convert_to<double>(), p[1].convert_to<double>(), p[2].convert_to<double>()});
    return result;
  };
  const std::vector<Vector3> rounded_a = rounded(a), rounded_b = rounded(b);
  GjkStart simplex;
  const GjkAnswer guess = gjk(ScannedPoints{rounded_a}, ScannedPoints{rounded_b}, {}, &simplex);
  const Vector3 normal = guess.point_b - guess.point_a;
  if (!guess.touching && exact::parts({normal[0], normal[1], normal[2]}, a, b)) return false;
  if (guess.touching && exact::holds_origin(simplex, a, b)) return true;
  return PlaneFinder<ExactNumber>().find(a, b).gap <= 0;
}

}  // namespace whisker::baselines
