#pragma once

/// \file
/// Kdop: a convex polytope whose K faces look in fixed directions, in pairs (k-DOP; Klosowski, Held, Mitchell,
/// Sowizral, Zikan 1998). K is 14, 18 or 26; with 6 it would be an Aabb.
///
/// What all bounding volumes have in common stands in volumes.hpp.

#include <array>
#include <cstddef>
#include <limits>
#include <span>

#include <whisker/geometry/aabb.hpp>
#include <whisker/geometry/interval.hpp>
#include <whisker/pose.hpp>
#include <whisker/primitives.hpp>
#include <whisker/vector.hpp>

namespace whisker::methods {

/// The directions of a Kdop<K>, one of each opposite pair. First the three axes; then for 14 and 26 the four diagonals
/// of a cube; then for 18 and 26 the six of its faces.
template <std::size_t K>
constexpr std::array<std::array<int, 3>, K / 2> kdop_directions() {
  constexpr std::array<std::array<int, 3>, 13> all = {{{1, 0, 0},
                                                       {0, 1, 0},
                                                       {0, 0, 1},
                                                       {1, 1, 1},
                                                       {1, 1, -1},
                                                       {1, -1, 1},
                                                       {1, -1, -1},
                                                       {1, 1, 0},
                                                       {1, -1, 0},
                                                       {1, 0, 1},
                                                       {1, 0, -1},
                                                       {0, 1, 1},
                                                       {0, 1, -1}}};
  std::array<std::array<int, 3>, K / 2> result{};
  for (std::size_t i = 0; i < K / 2; ++i)
    result[i] = all[K == 18 && i >= 3 ? i + 4 : i];
  return result;
}

/// All x with lower[i] <= directions[i]·x <= upper[i] for every i, in real arithmetic. Made without arguments it is
/// empty. The directions have entries -1, 0 and 1 and are not unit vectors: the bounds are in their measure.
template <std::size_t K>
struct Kdop {
  static_assert(K == 14 || K == 18 || K == 26);
  static constexpr std::array<std::array<int, 3>, K / 2> directions = kdop_directions<K>();

  std::array<double, K / 2> lower = filled(std::numeric_limits<double>::infinity());
  std::array<double, K / 2> upper = filled(-std::numeric_limits<double>::infinity());

  bool empty() const {
    for (std::size_t i = 0; i < K / 2; ++i) {
      if (!(lower[i] <= upper[i])) return true;
    }
    return false;
  }

 private:
  static constexpr std::array<double, K / 2> filled(double value) {
    std::array<double, K / 2> result{};
    for (double& entry : result)
      entry = value;
    return result;
  }
};

/// Each bound is the points' extreme, rounded outward by at most one unit in the last place of each sum.
template <std::size_t K>
Kdop<K> fit_kdop(std::span<const Vector3> points);
template <std::size_t K>
Kdop<K> fit_kdop(std::span<const Triangle> triangles);

template <std::size_t K>
Kdop<K> merge(const Kdop<K>& a, const Kdop<K>& b);
template <std::size_t K>
Kdop<K> grow(const Kdop<K>& volume, double length);
/// Looser than a fit to placed points, unless the pose only translates: the faces turn away from the fixed directions.
template <std::size_t K>
Kdop<K> place(const Pose& pose, const Kdop<K>& volume);
template <std::size_t K>
bool contains(const Kdop<K>& volume, const Vector3& point);
template <std::size_t K>
Aabb bounds(const Kdop<K>& volume);
/// Of its bounding box: the polytope's own is smaller.
template <std::size_t K>
double surface_area(const Kdop<K>& volume);

/// In one frame: by the K/2 directions. In two: by those of both.
template <std::size_t K>
bool overlaps(const Kdop<K>& a, const Kdop<K>& b);
template <std::size_t K>
bool overlaps(const Kdop<K>& a, const Pose& pose_a, const Kdop<K>& b, const Pose& pose_b);
/// The lower bound is the widest gap along a direction; the upper bound is between two points that are found inside, or
/// the farthest that the bounding boxes allow where none is found.
template <std::size_t K>
Interval distance_bounds(const Kdop<K>& a, const Kdop<K>& b);
template <std::size_t K>
Interval distance_bounds(const Kdop<K>& a, const Pose& pose_a, const Kdop<K>& b, const Pose& pose_b);

}  // namespace whisker::methods
