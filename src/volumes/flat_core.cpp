#include "volumes/flat_core.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

#include <whisker/geometry/closest_points.hpp>

#include "geometry/closest_parameters.hpp"
#include "geometry/constants.hpp"
#include "geometry/place.hpp"
#include "geometry/raw_pose.hpp"
#include "geometry/unit_vector.hpp"
#include "volumes/measure.hpp"

namespace whisker::volumes {

namespace {

std::size_t index(int i) {
  return static_cast<std::size_t>(i);
}

// |R| |v| + |t|, summed over the coordinates.
double placed_size(const Pose& pose, const Vector3& sizes, bool with_translation) {
  double sum = with_translation ? sum_of_sizes(pose.translation()) : 0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j)
      sum += std::abs(pose.rotation()(i, j)) * std::abs(sizes[j]);
  }
  return sum;
}

struct Sized {
  double value = 0;
  double size = 0;  // the rounding error of `value` is relative to this
};

Sized sized_dot(const Vector3& a, const Vector3& b) {
  const double x = a[0] * b[0];
  const double y = a[1] * b[1];
  const double z = a[2] * b[2];
  return {(x + y) + z, (std::abs(x) + std::abs(y)) + std::abs(z)};
}

// The largest direction·(x - center).
Sized reach_of(const Core& core, const Vector3& direction) {
  Sized reach;
  for (int k = 0; k < core.arms; ++k) {
    const Sized along = sized_dot(direction, core.arm[index(k)]);
    reach.size += along.size;
    reach.value = core.is_triangle ? std::max(reach.value, along.value) : reach.value + std::abs(along.value);
  }
  return reach;
}

Core scaled(const Core& core, const Vector3& center, int exponent) {
  Core result = core;
  result.center = times_power(center, -exponent);
  for (Vector3& arm : result.arm)
    arm = times_power(arm, -exponent);
  return result;
}

PlacedBox box_of(const Core& core) {
  PlacedBox result;
  geometry::raw_translation(result.pose) = core.center;
  const Vector3 u = geometry::unit_vector(core.arm[0]);
  const Vector3 v = geometry::unit_vector(core.arm[1]);
  Vector3 second = geometry::unit_vector(v - u * u.dot(v));
  if (second.isZero(0)) second = geometry::perpendicular(u);
  geometry::raw_rotation(result.pose) << u, second, u.cross(second);
  for (int k = 0; k < core.arms; ++k)
    result.box.size[k] = 2 * norm_near(core.arm[index(k)]);
  return result;
}

template <class Visit>
auto with_shape(const Core& core, Visit&& visit) {
  const Vector3& c = core.center;
  if (core.is_triangle) return visit(Triangle{c, c + core.arm[0], c + core.arm[1]});
  if (core.arms == 0) return visit(c);
  if (core.arms == 1) return visit(Segment{c - core.arm[0], c + core.arm[0]});
  return visit(box_of(core));
}

// closest_points for either order of the arguments.
template <class A, class B>
ClosestPoints closest_either_way(const A& a, const B& b) {
  if constexpr (requires { closest_points(a, b); }) {
    return closest_points(a, b);
  } else {
    const ClosestPoints found = closest_points(b, a);
    return {found.point_b, found.point_a, found.distance};
  }
}

// The arm coefficients of a point of the core near `point`. In real arithmetic they always give a point of the core.
std::array<double, 3> parameters(const Core& core, const Vector3& point) {
  std::array<double, 3> result = {0, 0, 0};
  const Vector3 d = point - core.center;
  if (core.is_triangle) {
    const Vector3& e = core.arm[0];
    const Vector3& f = core.arm[1];
    const double ee = e.squaredNorm();
    const double ff = f.squaredNorm();
    const double ef = e.dot(f);
    const double determinant = ee * ff - ef * ef;
    double s = 0;
    double t = 0;
    if (determinant > 0x1p-40 * ee * ff) {
      // Solve twice: the second round corrects what the determinant of a thin triangle lost.
      for (int round = 0; round < 2; ++round) {
        const Vector3 rest = d - s * e - t * f;
        const double de = rest.dot(e);
        const double df = rest.dot(f);
        s += (de * ff - df * ef) / determinant;
        t += (df * ee - de * ef) / determinant;
      }
    } else {
      // The triangle is nearly a segment.
      const Vector3 weights = geometry::closest_point_triangle(d, {Vector3::Zero(), e, f}).weights;
      s = weights[1];
      t = weights[2];
    }
    s = std::clamp(std::isfinite(s) ? s : 0, 0.0, 1.0);
    t = std::clamp(std::isfinite(t) ? t : 0, 0.0, (1 - s) * (1 - 4 * unit_roundoff));
    return {s, t, 0};
  }
  for (int k = 0; k < core.arms; ++k) {
    const Vector3& arm = core.arm[index(k)];
    const double along = d.dot(arm) / arm.squaredNorm();
    result[index(k)] = std::clamp(std::isfinite(along) ? along : 0, -1.0, 1.0);
  }
  return result;
}

struct Residual {
  Vector3 vector = Vector3::Zero();
  double error = 0;  // Euclidean
};

void add_arms(Residual& residual, const Core& core, const std::array<double, 3>& s, double sign) {
  for (int k = 0; k < core.arms; ++k) {
    const Vector3 term = s[index(k)] * core.arm[index(k)];
    residual.vector += sign * term;
    residual.error += sum_of_sizes(term);
  }
}

}  // namespace

Core placed(const Pose& pose, const Core& core) {
  Core result = core;
  result.center = geometry::placed_point(pose, core.center);
  double size = placed_size(pose, core.center, true);
  for (int k = 0; k < core.arms; ++k) {
    result.arm[index(k)] = geometry::placed_direction(pose, core.arm[index(k)]);
    size += placed_size(pose, core.arm[index(k)], false);
  }
  // If the rotation is not exactly orthonormal, a ball becomes an ellipsoid. Its longest half-axis is at most
  // sqrt(1 + 3 skew) times the radius.
  const double skew = skew_of(pose.rotation());
  result.error = core.error * (1 + 3 * skew) + 2 * skew * core.radius + 8 * unit_roundoff * size + underflow;
  return result;
}

double place_rounding(const Pose& pose, const Vector3& largest) {
  return 8 * unit_roundoff * placed_size(pose, largest, true) + underflow;
}

Vector3 largest_coordinates(const Core& core) {
  Vector3 result = core.center.cwiseAbs();
  for (int k = 0; k < core.arms; ++k)
    result += core.arm[index(k)].cwiseAbs();
  return (result + Vector3::Constant(core.radius + core.error)) * (1 + 16 * unit_roundoff);
}

double gap_along(const Core& a, const Core& b, const Vector3& direction) {
  const Sized along = sized_dot(direction, b.center - a.center);
  const Sized of_a = reach_of(a, direction);
  const Sized of_b = reach_of(b, -direction);
  const double round = ((a.radius + b.radius) + (a.error + b.error)) * norm_up(direction);
  const double value = (along.value - (of_a.value + of_b.value)) - round;
  // Each term takes at most nine roundings, and the final sums four more.
  const double size = along.size + (of_a.size + of_b.size) + round;
  return value - (24 * unit_roundoff * size + underflow);
}

double distance_along(const Core& a, const Core& b, const Vector3& direction) {
  const double largest = largest_entry(direction);
  if (!(largest > 0)) return 0;
  const Vector3 w = times_power(direction, -exponent_of(largest));
  const double gap = gap_along(a, b, w);
  if (!(gap > 0)) return 0;
  return std::max(0.0, geometry::divide_down(gap, norm_up(w)));
}

Interval distance_bounds(const Core& a, const Core& b) {
  // Work in a frame around a's center, scaled to about 1, where plain doubles are most accurate.
  const Vector3 between = b.center - a.center;
  double largest = largest_entry(between);
  for (const Core* core : {&a, &b}) {
    for (int k = 0; k < core->arms; ++k)
      largest = std::max(largest, largest_entry(core->arm[index(k)]));
  }
  const int exponent = exponent_of(largest);
  const Core near_a = scaled(a, Vector3::Zero(), exponent);
  const Core near_b = scaled(b, between, exponent);
  const ClosestPoints found = with_shape(near_a, [&](const auto& shape_a) {
    return with_shape(near_b, [&](const auto& shape_b) { return closest_either_way(shape_a, shape_b); });
  });

  Residual residual{between, sum_of_sizes(between)};
  add_arms(residual, a, parameters(near_a, found.point_a), -1);
  add_arms(residual, b, parameters(near_b, found.point_b), 1);
  residual.error = 16 * unit_roundoff * residual.error + underflow;

  const double core_upper = (norm_up(residual.vector) + residual.error + (a.error + b.error)) * (1 + 8 * unit_roundoff);
  const double upper = std::max(0.0, geometry::add_up(core_upper, -geometry::add_down(a.radius, b.radius)));
  const double lower = distance_along(a, b, residual.vector);
  return {std::min(lower, upper), upper};
}

double core_distance_up(const Core& core, const Vector3& point) {
  Core target;
  target.center = point;
  Core source = core;
  source.radius = 0;
  return distance_bounds(target, source).upper;
}

}  // namespace whisker::volumes
