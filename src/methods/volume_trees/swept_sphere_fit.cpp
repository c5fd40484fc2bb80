// Fits swept spheres around points and around each other. The input is a set of balls: points are balls of radius 0,
// and a swept sphere is the convex hull of the balls at its core's corners. The core is chosen in plain doubles. The
// radius with which it contains every ball is rounded up.

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <whisker/methods/swept_sphere.hpp>

#include "geometry/constants.hpp"
#include "geometry/least_of.hpp"
#include "methods/volume_trees/swept_core.hpp"
#include "volumes/box_frame.hpp"
#include "volumes/flat_core.hpp"
#include "volumes/measure.hpp"
#include "volumes/smallest_ball.hpp"

namespace whisker::methods {

using volumes::largest_entry;
using volumes::to_core;

namespace {

struct Balls {
  std::vector<Vector3> centers;
  std::vector<double> radii;
};

Balls points_as_balls(std::span<const Vector3> points, const char* what) {
  volumes::check_points(points, what);
  return {{points.begin(), points.end()}, std::vector<double>(points.size(), 0.0)};
}

// The radius with which the balls at the corners contain the volume.
template <class Volume>
double corner_radius(const Volume& volume) {
  return volume.radius;
}
double corner_radius(const RectangleSweptSphere& volume) {
  // The corners have four rounding errors each.
  const double size = volumes::sum_of_sizes(volume.center) + volumes::sum_of_sizes(volume.edge_u) +
                      volumes::sum_of_sizes(volume.edge_v);
  return geometry::add_up(volume.radius, 8 * unit_roundoff * size);
}

template <class Volume>
Balls both(const Volume& a, const Volume& b) {
  Balls balls;
  for (const Volume* volume : {&a, &b}) {
    for (const Vector3& corner : core_corners(*volume)) {
      balls.centers.push_back(corner);
      balls.radii.push_back(corner_radius(*volume));
    }
  }
  return balls;
}

// Gives the volume the smallest radius, rounded up, with which it contains all balls.
template <class Volume>
void set_radius(Volume& volume, const Balls& balls) {
  volume.radius = 0;
  const volumes::Core core = to_core(volume);
  for (std::size_t i = 0; i < balls.centers.size(); ++i) {
    const double reach = volumes::core_distance_up(core, balls.centers[i]);
    volume.radius = std::max(volume.radius, geometry::add_up(reach, balls.radii[i]));
  }
}

// The points in the frame of the covariance, relative to the center of their box.
struct Local {
  Vector3 middle = Vector3::Zero();
  Matrix3 axes;
  std::vector<Vector3> points;

  explicit Local(const Balls& balls) : axes(volumes::principal_axes(balls.centers)) {
    Aabb box;
    for (const Vector3& point : balls.centers)
      box.include(point);
    middle = box.lower / 2 + box.upper / 2;
    points.reserve(balls.centers.size());
    for (const Vector3& point : balls.centers)
      points.push_back(axes.transpose() * (point - middle));
  }
  Vector3 to_world(const Vector3& local) const { return middle + axes * local; }
};

struct Range {
  double lower = infinity;
  double upper = -infinity;

  void include(double low, double high) {
    lower = std::min(lower, low);
    upper = std::max(upper, high);
  }
  double middle() const { return lower / 2 + upper / 2; }
  double half() const { return std::max(0.0, upper / 2 - lower / 2); }
};

double leg(double hypotenuse, double other) {
  return hypotenuse > other ? std::sqrt((hypotenuse - other) * (hypotenuse + other)) : 0;
}

SegmentSweptSphere segment_around(const Balls& balls) {
  const Local local(balls);
  // The line passes through the center of the smallest circle around the points projected along it.
  std::vector<Vector3> seen = local.points;
  for (Vector3& point : seen)
    point[0] = 0;
  const Vector3 line = volumes::smallest_ball_center(seen);
  double radius = 0;
  for (std::size_t i = 0; i < seen.size(); ++i)
    radius = std::max(radius, volumes::norm_near(seen[i] - line) + balls.radii[i]);
  // The ends are as far inward as the round caps allow.
  Range ends;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const double cap = leg(radius - balls.radii[i], volumes::norm_near(seen[i] - line));
    ends.include(local.points[i][0] + cap, local.points[i][0] - cap);
  }
  if (ends.lower > ends.upper) ends.lower = ends.upper = ends.middle();
  SegmentSweptSphere result;
  result.core = {local.to_world({ends.lower, line[1], line[2]}), local.to_world({ends.upper, line[1], line[2]})};
  set_radius(result, balls);
  return result;
}

// Tries rectangles in the middle plane of the points and returns the one with the smallest surface area. The largest
// has the full size of the points projected along its normal. The smallest is just large enough that its round border
// contains the outermost points, if no two of these meet in a corner (Larsen, Gottschalk, Lin, Manocha 1999).
RectangleSweptSphere rectangle_around(const Balls& balls) {
  const Local local(balls);
  Range depth;
  for (std::size_t i = 0; i < local.points.size(); ++i)
    depth.include(local.points[i][2] - balls.radii[i], local.points[i][2] + balls.radii[i]);
  const double radius = depth.half();

  RectangleSweptSphere best;
  double best_area = infinity;
  for (const double share : {0.0, 0.5, 0.75, 1.0}) {
    Range u, v;
    for (std::size_t i = 0; i < local.points.size(); ++i) {
      const Vector3& at = local.points[i];
      const double border = share * leg(radius - balls.radii[i], std::abs(at[2] - depth.middle()));
      u.include(at[0] + border, at[0] - border);
      v.include(at[1] + border, at[1] - border);
    }
    RectangleSweptSphere result;
    result.center = local.to_world({u.middle(), v.middle(), depth.middle()});
    result.edge_u = u.half() * local.axes.col(0);
    result.edge_v = v.half() * local.axes.col(1);
    set_radius(result, balls);
    const double area = surface_area(result);
    if (share > 0 && !(area < best_area)) continue;
    best_area = area;
    best = result;
  }
  return best;
}

// Tries three triangles and returns the one with the smallest surface area: the triangle of three far points, the
// triangle with parallel sides that contains all points projected along its normal, and one in between.
TriangleSweptSphere triangle_around(const Balls& balls) {
  const Local local(balls);
  const auto farthest = [&](auto&& measure) {
    const auto nearness = [&](std::uint32_t i) { return -measure(local.points[i]); };
    return local.points[geometry::least_of(local.points.size(), nearness).number];
  };
  const Vector3 p = farthest([](const Vector3& x) { return -x[0]; });
  const Vector3 q = farthest([&](const Vector3& x) { return volumes::norm_near(x - p); });
  const Vector3 along = q - p;
  const Vector3 r =
      farthest([&](const Vector3& x) { return std::abs(along[0] * (x[1] - p[1]) - along[1] * (x[0] - p[0])); });

  // The smallest weight of each corner among the points, projected along the plane's normal.
  const Vector3 side = r - p;
  const double area = along[0] * side[1] - along[1] * side[0];
  Range depth;
  std::array<double, 3> least = {0, 0, 0};
  for (const Vector3& x : local.points) {
    depth.include(x[2], x[2]);
    if (area == 0) continue;
    const double of_q = ((x[0] - p[0]) * side[1] - (x[1] - p[1]) * side[0]) / area;
    const double of_r = (along[0] * (x[1] - p[1]) - along[1] * (x[0] - p[0])) / area;
    least = {std::min(least[0], 1 - of_q - of_r), std::min(least[1], of_q), std::min(least[2], of_r)};
  }

  TriangleSweptSphere best;
  double best_area = infinity;
  for (const double share : {0.0, 0.5, 1.0}) {
    const bool first = share == 0;  // the first triangle does not depend on the weights
    const double a = first ? 0 : share * least[0];
    const double b = first ? 0 : share * least[1];
    const double c = first ? 0 : share * least[2];
    const auto corner = [&](double of_p, double of_q, double of_r) {
      Vector3 at = of_p * p + of_q * q + of_r * r;
      if (!first) at[2] = depth.middle();
      return local.to_world(at);
    };
    TriangleSweptSphere result;
    result.core = {corner(1 - b - c, b, c), corner(a, 1 - a - c, c), corner(a, b, 1 - a - b)};
    const Triangle& core = result.core;
    const double largest = std::max({largest_entry(core.a), largest_entry(core.b), largest_entry(core.c)});
    if (!first && !(largest <= 4 * max_coordinate)) continue;
    set_radius(result, balls);
    const double surface = surface_area(result);
    if (!first && !(surface < best_area)) continue;
    best_area = surface;
    best = result;
  }
  return best;
}

}  // namespace

SegmentSweptSphere fit_segment_sphere(std::span<const Vector3> points) {
  return segment_around(points_as_balls(points, "fit_segment_sphere"));
}
SegmentSweptSphere fit_segment_sphere(std::span<const Triangle> triangles) {
  return fit_segment_sphere(std::span<const Vector3>(volumes::corners_of(triangles)));
}
SegmentSweptSphere merge(const SegmentSweptSphere& a, const SegmentSweptSphere& b) {
  return segment_around(both(a, b));
}

TriangleSweptSphere fit_triangle_sphere(std::span<const Vector3> points) {
  return triangle_around(points_as_balls(points, "fit_triangle_sphere"));
}
TriangleSweptSphere fit_triangle_sphere(std::span<const Triangle> triangles) {
  const std::vector<Vector3> corners = volumes::corners_of(triangles);
  volumes::check_points(corners, "fit_triangle_sphere");
  if (triangles.size() == 1) return {triangles[0], 0};
  return fit_triangle_sphere(std::span<const Vector3>(corners));
}
TriangleSweptSphere merge(const TriangleSweptSphere& a, const TriangleSweptSphere& b) {
  return triangle_around(both(a, b));
}

RectangleSweptSphere fit_rectangle_sphere(std::span<const Vector3> points) {
  return rectangle_around(points_as_balls(points, "fit_rectangle_sphere"));
}
RectangleSweptSphere fit_rectangle_sphere(std::span<const Triangle> triangles) {
  return fit_rectangle_sphere(std::span<const Vector3>(volumes::corners_of(triangles)));
}
RectangleSweptSphere merge(const RectangleSweptSphere& a, const RectangleSweptSphere& b) {
  return rectangle_around(both(a, b));
}

}  // namespace whisker::methods
