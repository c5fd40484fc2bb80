#pragma once

/// \file
/// Kdop: a convex polytope whose K faces are perpendicular to fixed directions, in opposite pairs (k-DOP; Klosowski,
/// Held, Mitchell, Sowizral, Zikan 1998).
///
///     Kdop<18> a = fit_kdop<18>(points), b = fit_kdop<18>(triangles);
///     if (!overlaps(a, b)) return;                              // proven apart
///     Interval d = distance_bounds(a, pose_a, b, pose_b);
///
/// K is 14, 18 or 26. (With K = 6 it would be an Aabb.) The rules that all bounding volumes follow, including rounding
/// and errors, are in geometry/volumes.hpp.

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

/// The directions of a Kdop<K>, one of each opposite pair: first the three axes, then for 14 and 26 the four space
/// diagonals of a cube, then for 18 and 26 the six diagonals of its faces.
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

/// All points x with lower[i] <= directions[i]·x <= upper[i] for every i, in real arithmetic. A default-constructed
/// Kdop is empty. The directions have entries -1, 0 and 1 and are not unit vectors, so a bound is a distance from the
/// origin times the length of its direction.
template <std::size_t K>
struct Kdop {
  static_assert(K == 14 || K == 18 || K == 26);
  static constexpr std::array<std::array<int, 3>, K / 2> directions = kdop_directions<K>();

  std::array<double, K / 2> lower = filled(std::numeric_limits<double>::infinity());
  std::array<double, K / 2> upper = filled(-std::numeric_limits<double>::infinity());

  /// Whether some lower bound exceeds its upper bound, or a bound is NaN.
  bool empty() const {
    for (std::size_t i = 0; i < K / 2; ++i) {
      if (!(lower[i] <= upper[i])) return true;
    }
    return false;
  }

 private:
  static constexpr std::array<double, K / 2> filled(double value) {
    std::array<double, K / 2> result{};
    result.fill(value);
    return result;
  }
};

/// The smallest Kdop around all points, or all triangles: each bound is the extreme of the points, rounded outward by
/// at most one ulp of each sum. Throws an Error if there is nothing to fit to, or a coordinate is not finite or beyond
/// `max_coordinate`.
template <std::size_t K>
Kdop<K> fit_kdop(std::span<const Vector3> points);
template <std::size_t K>
Kdop<K> fit_kdop(std::span<const Triangle> triangles);

/// The smallest Kdop around both. An empty one adds nothing.
template <std::size_t K>
Kdop<K> merge(const Kdop<K>& a, const Kdop<K>& b);
/// Every face moved outward by `length`, rounded outward; an empty Kdop stays empty. Throws an Error if the length is
/// negative or not finite.
template <std::size_t K>
Kdop<K> grow(const Kdop<K>& volume, double length);
/// A Kdop around the one moved by the pose. Unless the pose is a pure translation it is looser than a fit to the placed
/// points, because the faces rotate away from the fixed directions.
template <std::size_t K>
Kdop<K> place(const Pose& pose, const Kdop<K>& volume);
/// False only if the point is proven to lie outside.
template <std::size_t K>
bool contains(const Kdop<K>& volume, const Vector3& point);
/// The AABB given by the bounds along the three axes.
template <std::size_t K>
Aabb bounds(const Kdop<K>& volume);
/// The surface area of the AABB. The polytope's own surface is smaller.
template <std::size_t K>
double surface_area(const Kdop<K>& volume);

/// False only if the two are proven apart. In one frame the K/2 directions are tested; with poses, the directions of
/// both.
template <std::size_t K>
bool overlaps(const Kdop<K>& a, const Kdop<K>& b);
template <std::size_t K>
bool overlaps(const Kdop<K>& a, const Pose& pose_a, const Kdop<K>& b, const Pose& pose_b);
/// An interval that contains the distance of the two. The lower bound is the widest gap along one of the directions.
/// The upper bound is the distance of two points found inside, or, if none are found, the largest distance that the
/// bounding boxes allow. If one is empty, the result is [largest double, infinity].
template <std::size_t K>
Interval distance_bounds(const Kdop<K>& a, const Kdop<K>& b);
template <std::size_t K>
Interval distance_bounds(const Kdop<K>& a, const Pose& pose_a, const Kdop<K>& b, const Pose& pose_b);

}  // namespace whisker::methods
