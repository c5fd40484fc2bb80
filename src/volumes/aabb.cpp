#include <algorithm>

#include <whisker/geometry/volumes.hpp>

#include "geometry/constants.hpp"
#include "geometry/placed_box.hpp"
#include "volumes/measure.hpp"
#include "volumes/to_core.hpp"

namespace whisker {

namespace {

bool is_finite(const Aabb& box) {
  return box.lower.allFinite() && box.upper.allFinite();
}

// The same set as an OBB. Larger only along an axis where just one of the two bounds is infinite.
Obb to_oriented(const Aabb& box) {
  Obb result;
  for (int i = 0; i < 3; ++i) {
    if (!std::isfinite(box.lower[i]) || !std::isfinite(box.upper[i])) {
      result.half[i] = infinity;
      continue;
    }
    result.center[i] = box.lower[i] / 2 + box.upper[i] / 2;
    result.half[i] =
        std::max(geometry::add_up(box.upper[i], -result.center[i]), geometry::add_up(result.center[i], -box.lower[i]));
  }
  return result;
}

}  // namespace

Aabb fit_aabb(std::span<const Vector3> points) {
  volumes::check_points(points, "fit_aabb");
  Aabb box;
  for (const Vector3& point : points)
    box.include(point);
  return box;
}

Aabb fit_aabb(std::span<const Triangle> triangles) {
  return fit_aabb(std::span<const Vector3>(volumes::corners_of(triangles)));
}

Aabb merge(const Aabb& a, const Aabb& b) {
  Aabb box = a;
  box.include(b);
  return box;
}

Aabb grow(const Aabb& volume, double length) {
  volumes::check_length(length, "grow");
  if (volume.empty()) return volume;
  Aabb box;
  for (int i = 0; i < 3; ++i) {
    box.lower[i] = geometry::add_down(volume.lower[i], -length);
    box.upper[i] = geometry::add_up(volume.upper[i], length);
  }
  return box;
}

Aabb place(const Pose& pose, const Aabb& volume) {
  return volume.empty() ? volume : geometry::placed_box(volume, pose);
}

bool contains(const Aabb& volume, const Vector3& point) {
  return volume.contains(point);
}

Aabb bounds(const Aabb& volume) {
  return volume;
}

double surface_area(const Aabb& volume) {
  if (volume.empty()) return 0;
  const Vector3 size = volume.upper - volume.lower;
  return 2 * (size[0] * size[1] + size[1] * size[2] + size[2] * size[0]);
}

bool overlaps(const Aabb& a, const Aabb& b) {
  return a.overlaps(b);
}

bool overlaps(const Aabb& a, const Pose& pose_a, const Aabb& b, const Pose& pose_b) {
  if (a.empty() || b.empty()) return false;
  return overlaps(to_oriented(a), pose_a, to_oriented(b), pose_b);
}

Interval distance_bounds(const Aabb& a, const Aabb& b) {
  if (a.empty() || b.empty()) return volumes::beyond_every_double();
  Vector3 least;
  Vector3 most;
  for (int i = 0; i < 3; ++i) {
    least[i] =
        std::max({0.0, geometry::add_down(a.lower[i], -b.upper[i]), geometry::add_down(b.lower[i], -a.upper[i])});
    most[i] = std::max({0.0, geometry::add_up(a.lower[i], -b.upper[i]), geometry::add_up(b.lower[i], -a.upper[i])});
  }
  return {volumes::norm_down(least), volumes::norm_up(most)};
}

Interval distance_bounds(const Aabb& a, const Pose& pose_a, const Aabb& b, const Pose& pose_b) {
  if (a.empty() || b.empty()) return volumes::beyond_every_double();
  if (is_finite(a) && is_finite(b)) {
    return volumes::distance_bounds(volumes::placed(pose_a, volumes::to_core(a)),
                                    volumes::placed(pose_b, volumes::to_core(b)));
  }
  return {distance_bounds(to_oriented(a), pose_a, to_oriented(b), pose_b).lower, infinity};
}

}  // namespace whisker
