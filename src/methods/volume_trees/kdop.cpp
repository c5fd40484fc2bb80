#include <algorithm>
#include <cmath>
#include <optional>

#include <whisker/geometry/volumes.hpp>
#include <whisker/methods/kdop.hpp>

#include "geometry/constants.hpp"
#include "geometry/place.hpp"
#include "methods/volume_trees/kdop_support.hpp"
#include "volumes/flat_core.hpp"
#include "volumes/measure.hpp"

namespace whisker::methods {

using volume_trees::LocalDop;
using volumes::underflow;

namespace {

// direction·point, rounded down and up.
Interval along(const std::array<int, 3>& direction, const Vector3& point) {
  Interval sum(0.0);
  for (std::size_t k = 0; k < 3; ++k) {
    if (direction[k] == 0) continue;
    const double term = direction[k] * point[static_cast<int>(k)];
    sum = geometry::add(sum, Interval(term));
  }
  return sum;
}

int squared_length(const std::array<int, 3>& d) {
  return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

double length_up(const std::array<int, 3>& d) {
  return geometry::sqrt_up(squared_length(d));
}

Vector3 to_vector(const std::array<int, 3>& d) {
  return {static_cast<double>(d[0]), static_cast<double>(d[1]), static_cast<double>(d[2])};
}

// A k-DOP in the world.
template <std::size_t K>
struct PlacedDop {
  const Kdop<K>& dop;
  const Pose& pose;
  LocalDop<K> local;
  Vector3 middle;  // in the world
  double error;    // of the middle, and of any other placed point

  PlacedDop(const Kdop<K>& dop_, const Pose& pose_)
      : dop(dop_),
        pose(pose_),
        local(dop_),
        middle(geometry::placed_point(pose_, local.middle)),
        error(volumes::place_rounding(pose_, local.largest())) {}

  // Upper bound on direction·(x - middle) for all placed x. The direction rotated back has an error of 4 roundings of
  // its length, which may be √3 times its largest entry.
  double support(const Vector3& direction) const {
    const double size = volumes::norm_up(direction);
    return local.support(geometry::turned_back(pose.rotation(), direction)) +
           (16 * unit_roundoff * size * local.extent + error * size * (1 + 4 * unit_roundoff));
  }
};

template <std::size_t K>
double gap_along(const PlacedDop<K>& a, const PlacedDop<K>& b, const Vector3& w) {
  const Vector3 between = b.middle - a.middle;
  const double reach = a.support(w) + b.support(-w);
  const double size = w.cwiseAbs().dot(between.cwiseAbs()) + std::abs(reach);
  return w.dot(between) - reach - (16 * unit_roundoff * size + underflow);
}

// The widest gap along the directions of both k-DOPs, divided by the length of its direction.
template <std::size_t K>
double widest_gap(const PlacedDop<K>& a, const PlacedDop<K>& b, bool any_will_do) {
  double widest = 0;
  for (const Pose* pose : {&a.pose, &b.pose}) {
    for (const std::array<int, 3>& d : Kdop<K>::directions) {
      const Vector3 w = geometry::placed_direction(*pose, to_vector(d));
      for (const double sign : {1.0, -1.0}) {
        const double gap = gap_along<K>(a, b, sign * w);
        if (!(gap > 0)) continue;
        widest = std::max(widest, geometry::divide_down(gap, volumes::norm_up(w)));
        if (any_will_do && widest > 0) return widest;
      }
    }
  }
  return widest;
}

template <std::size_t K>
bool certainly_contains(const Kdop<K>& dop, const Vector3& point) {
  for (std::size_t i = 0; i < K / 2; ++i) {
    const Interval at = along(Kdop<K>::directions[i], point);
    if (!(dop.lower[i] <= at.lower && at.upper <= dop.upper[i])) return false;
  }
  return true;
}

// Finds a point inside near `start`, by projecting onto one slab after the other, each slightly narrowed.
template <std::size_t K>
std::optional<Vector3> point_inside(const Kdop<K>& dop, const Vector3& start) {
  constexpr int max_rounds = 60;
  constexpr double margin = 0x1p-10;
  Vector3 x = start;
  for (int round = 0; round < max_rounds; ++round) {
    if (certainly_contains(dop, x)) return x;
    for (std::size_t i = 0; i < K / 2; ++i) {
      const Vector3 d = to_vector(Kdop<K>::directions[i]);
      const double at = d.dot(x);
      const double inset = margin * (dop.upper[i] - dop.lower[i]);
      const double to = std::clamp(at, dop.lower[i] + inset, std::max(dop.lower[i] + inset, dop.upper[i] - inset));
      if (to != at) x += ((to - at) / squared_length(Kdop<K>::directions[i])) * d;
    }
  }
  return {};
}

template <std::size_t K>
double upper_distance(const PlacedDop<K>& a, const PlacedDop<K>& b) {
  const Vector3 between = b.middle - a.middle;
  // Start with the largest possible distance of any two points, for non-empty sets.
  double best =
      (volumes::norm_up(between) + (a.local.extent + b.local.extent) + (a.error + b.error)) * (1 + 8 * unit_roundoff);
  Vector3 target = a.middle;  // in the world
  for (int round = 0; round < 8; ++round) {
    const bool for_a = round % 2 == 1;
    const PlacedDop<K>& side = for_a ? a : b;
    const Vector3 local = side.local.middle + geometry::turned_back(side.pose.rotation(), target - side.middle);
    const std::optional<Vector3> found = point_inside(side.dop, local);
    if (!found) break;
    const Vector3 placed = geometry::placed_point(side.pose, *found);
    if (round > 0) {
      const double apart = volumes::distance_up(placed, target);
      best = std::min(best, (apart + (a.error + b.error)) * (1 + 8 * unit_roundoff));
    }
    target = placed;
  }
  return best;
}

}  // namespace

template <std::size_t K>
Kdop<K> fit_kdop(std::span<const Vector3> points) {
  volumes::check_points(points, "fit_kdop");
  Kdop<K> dop;
  for (const Vector3& point : points) {
    for (std::size_t i = 0; i < K / 2; ++i) {
      const Interval at = along(Kdop<K>::directions[i], point);
      dop.lower[i] = std::min(dop.lower[i], at.lower);
      dop.upper[i] = std::max(dop.upper[i], at.upper);
    }
  }
  return dop;
}

template <std::size_t K>
Kdop<K> fit_kdop(std::span<const Triangle> triangles) {
  return fit_kdop<K>(std::span<const Vector3>(volumes::corners_of(triangles)));
}

template <std::size_t K>
Kdop<K> merge(const Kdop<K>& a, const Kdop<K>& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  Kdop<K> dop;
  for (std::size_t i = 0; i < K / 2; ++i) {
    dop.lower[i] = std::min(a.lower[i], b.lower[i]);
    dop.upper[i] = std::max(a.upper[i], b.upper[i]);
  }
  return dop;
}

template <std::size_t K>
Kdop<K> grow(const Kdop<K>& volume, double length) {
  volumes::check_length(length, "grow");
  if (volume.empty()) return volume;
  Kdop<K> dop;
  for (std::size_t i = 0; i < K / 2; ++i) {
    const double by = geometry::multiply_up(length, length_up(Kdop<K>::directions[i]));
    dop.lower[i] = geometry::add_down(volume.lower[i], -by);
    dop.upper[i] = geometry::add_up(volume.upper[i], by);
  }
  return dop;
}

template <std::size_t K>
Kdop<K> place(const Pose& pose, const Kdop<K>& volume) {
  if (volume.empty()) return volume;
  const PlacedDop<K> placed(volume, pose);
  Kdop<K> dop;
  for (std::size_t i = 0; i < K / 2; ++i) {
    const Vector3 w = to_vector(Kdop<K>::directions[i]);
    const Interval at = along(Kdop<K>::directions[i], placed.middle);
    // Twice the error: support() includes it once for the middle, and this adds it for any point as place() rounds it.
    const double error = geometry::next_up(2 * placed.error);
    dop.upper[i] = geometry::add_up(at.upper, geometry::add_up(placed.support(w), error));
    dop.lower[i] = geometry::add_down(at.lower, -geometry::add_up(placed.support(-w), error));
  }
  return dop;
}

template <std::size_t K>
bool contains(const Kdop<K>& volume, const Vector3& point) {
  for (std::size_t i = 0; i < K / 2; ++i) {
    const Interval at = along(Kdop<K>::directions[i], point);
    if (!(volume.lower[i] <= at.upper && at.lower <= volume.upper[i])) return false;
  }
  return true;
}

template <std::size_t K>
Aabb bounds(const Kdop<K>& volume) {
  Aabb box;
  if (volume.empty()) return box;
  box.lower = {volume.lower[0], volume.lower[1], volume.lower[2]};
  box.upper = {volume.upper[0], volume.upper[1], volume.upper[2]};
  return box;
}

template <std::size_t K>
double surface_area(const Kdop<K>& volume) {
  return whisker::surface_area(bounds(volume));
}

template <std::size_t K>
bool overlaps(const Kdop<K>& a, const Kdop<K>& b) {
  for (std::size_t i = 0; i < K / 2; ++i) {
    if (!(a.lower[i] <= b.upper[i] && b.lower[i] <= a.upper[i])) return false;
  }
  return !a.empty() && !b.empty();
}

template <std::size_t K>
bool overlaps(const Kdop<K>& a, const Pose& pose_a, const Kdop<K>& b, const Pose& pose_b) {
  if (a.empty() || b.empty()) return false;
  return widest_gap<K>({a, pose_a}, {b, pose_b}, true) == 0;
}

template <std::size_t K>
Interval distance_bounds(const Kdop<K>& a, const Kdop<K>& b) {
  if (a.empty() || b.empty()) return volumes::beyond_every_double();
  double lower = 0;
  for (std::size_t i = 0; i < K / 2; ++i) {
    const double gap =
        std::max(geometry::add_down(b.lower[i], -a.upper[i]), geometry::add_down(a.lower[i], -b.upper[i]));
    if (gap > 0) lower = std::max(lower, geometry::divide_down(gap, length_up(Kdop<K>::directions[i])));
  }
  const Pose still;
  const double upper = upper_distance<K>({a, still}, {b, still});
  return {std::min(lower, upper), upper};
}

template <std::size_t K>
Interval distance_bounds(const Kdop<K>& a, const Pose& pose_a, const Kdop<K>& b, const Pose& pose_b) {
  if (a.empty() || b.empty()) return volumes::beyond_every_double();
  const PlacedDop<K> placed_a(a, pose_a);
  const PlacedDop<K> placed_b(b, pose_b);
  const double upper = upper_distance<K>(placed_a, placed_b);
  return {std::min(widest_gap<K>(placed_a, placed_b, false), upper), upper};
}

#define WHISKER_KDOP(K)                                                             \
  template Kdop<K> fit_kdop<K>(std::span<const Vector3>);                           \
  template Kdop<K> fit_kdop<K>(std::span<const Triangle>);                          \
  template Kdop<K> merge(const Kdop<K>&, const Kdop<K>&);                           \
  template Kdop<K> grow(const Kdop<K>&, double);                                    \
  template Kdop<K> place(const Pose&, const Kdop<K>&);                              \
  template bool contains(const Kdop<K>&, const Vector3&);                           \
  template Aabb bounds(const Kdop<K>&);                                             \
  template double surface_area(const Kdop<K>&);                                     \
  template bool overlaps(const Kdop<K>&, const Kdop<K>&);                           \
  template bool overlaps(const Kdop<K>&, const Pose&, const Kdop<K>&, const Pose&); \
  template Interval distance_bounds(const Kdop<K>&, const Kdop<K>&);                \
  template Interval distance_bounds(const Kdop<K>&, const Pose&, const Kdop<K>&, const Pose&);

WHISKER_KDOP(14)
WHISKER_KDOP(18)
WHISKER_KDOP(26)
#undef WHISKER_KDOP

}  // namespace whisker::methods
