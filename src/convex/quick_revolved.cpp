// The nearest point of a cylinder or cone lies in the plane through the axis and the point, so it is found in two
// dimensions. Its distance is an upper bound. The supporting plane in that direction gives the lower bound, computed
// from the shape as it is placed: a rotation that is a little off costs accuracy, not truth. Inside, the nearest side
// gives the way out, and the size by which the rotation is off bounds how much nearer another may be.

#include "convex/quick_revolved.hpp"

#include <algorithm>
#include <cmath>

#include "convex/exchange.hpp"
#include "convex/vec3.hpp"
#include "geometry/constants.hpp"

namespace whisker::convex {
namespace {

/// Shapes closer to contact than this, as a part of the width of the bounds, are left to others.
constexpr double close_enough = 0x1p-36;

/// A cylinder or cone around the z axis of its frame, from -half to half. A cone's tip is at half.
struct Revolved {
  bool is_cone;
  double radius, half;
  Vec3 axes[3];
};

/// A point in the plane through the axis: the distance from the axis, and the height.
struct Profile {
  double across, along;
};

/// The nearest point of the profile, if the point is outside; otherwise `depth` is the distance of the border, and the
/// profile's point the nearest one there.
Profile nearest_in(const Revolved& r, const Profile& p, double& depth) {
  depth = 0;
  if (!r.is_cone) {
    const Profile inner{std::min(p.across, r.radius), std::clamp(p.along, -r.half, r.half)};
    if (inner.across < p.across || inner.along != p.along) return inner;
    const double to_side = r.radius - p.across, to_cap = r.half - std::abs(p.along);
    depth = std::min(to_side, to_cap);
    return to_side < to_cap ? Profile{r.radius, p.along} : Profile{p.across, std::copysign(r.half, p.along)};
  }
  // The slanted side, from the rim to the tip.
  const double dx = -r.radius, dz = 2 * r.half, square = dx * dx + dz * dz;
  const double s = square > 0 ? ((p.across - r.radius) * dx + (p.along + r.half) * dz) / square : 0;
  const double at = std::clamp(s, 0.0, 1.0);
  const Profile on_side{r.radius + at * dx, at * dz - r.half};
  const double beyond = (p.across - r.radius) * dz - (p.along + r.half) * dx;  // times the length of the side
  if (beyond > 0) {
    if (s > 0) return on_side;
    return {std::min(p.across, r.radius), -r.half};  // the rim, or below the base
  }
  if (p.along < -r.half) return {std::min(p.across, r.radius), -r.half};
  const double to_side = square > 0 ? -beyond / std::sqrt(square) : 0, to_base = p.along + r.half;
  depth = std::min(to_side, to_base);
  return to_side < to_base ? on_side : Profile{p.across, -r.half};
}

/// How far the shape extends from its center along a direction, times the direction's length.
double extent_along(const Revolved& r, const Vec3& direction) {
  const double x = dot(direction, r.axes[0]), y = dot(direction, r.axes[1]), z = dot(direction, r.axes[2]);
  const double rim = r.radius * std::sqrt(x * x + y * y);
  return r.is_cone ? std::max(z * r.half, rim - z * r.half) : rim + std::abs(z) * r.half;
}

/// How far RᵀR is from the identity, at most.
double skew_of(const Revolved& r) {
  double skew = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j)
      skew = std::max(skew, std::abs(dot(r.axes[i], r.axes[j]) - (i == j ? 1 : 0)));
  return skew + 8 * unit_roundoff;
}

bool set_revolved(const Placed& placed, Revolved& r) {
  if (const auto* const cylinder = placed.shape.as<Cylinder>()) {
    r.is_cone = false;
    r.radius = cylinder->radius;
    r.half = cylinder->length / 2;
  } else if (const auto* const cone = placed.shape.as<Cone>()) {
    r.is_cone = true;
    r.radius = cone->radius;
    r.half = cone->length / 2;
  } else {
    return false;
  }
  for (int i = 0; i < 3; ++i)
    r.axes[i] = to_vec3(placed.pose.rotation().col(i));
  return true;
}

/// The first is the sphere.
Quick find_ordered(const Placed& ball, const Placed& other, Distance& result, Depth* deep) {
  const auto* const sphere = ball.shape.as<Sphere>();
  Revolved r;
  if (sphere == nullptr || !set_revolved(other, r)) return Quick::unknown;
  const double radius = sphere->radius;
  const Vec3 center = to_vec3(other.pose.translation()), from = to_vec3(ball.pose.translation()) - center;
  const double size = ((std::abs(from.x) + std::abs(from.y)) + std::abs(from.z)) + 2 * (r.radius + r.half) + radius;
  if (!(size > 0x1p-300 && size < 0x1p300)) return Quick::unknown;
  // Of the sums of a few products here, at most about a dozen roundings.
  const double error = 16 * unit_roundoff * size;

  const Vec3 local{dot(from, r.axes[0]), dot(from, r.axes[1]), dot(from, r.axes[2])};
  const double across = std::sqrt(local.x * local.x + local.y * local.y);
  double inside;
  const Profile nearest = nearest_in(r, {across, local.z}, inside);
  const bool is_off_axis = across > 0x1p-450;  // otherwise its square has underflowed, or nearly so
  const double part = is_off_axis ? nearest.across / across : 0;
  const Vec3 radial = r.axes[0] * local.x + r.axes[1] * local.y;
  // Where the center lies on the axis, every direction across it is as good.
  const Vec3 arm = (is_off_axis ? radial * part : r.axes[0] * nearest.across) + r.axes[2] * nearest.along;
  const Vec3 on_surface = center + arm, out = inside > 0 ? arm - from : from - arm;
  const double length = norm(out);
  result.cost.primitive_tests = 1;
  if (!(length > 0x1p-20 * size)) return Quick::unknown;
  const Vec3 normal = out * (1 / length);
  const double extent = extent_along(r, normal), along = dot(normal, from);
  // From the surface to the center: negative inside. There R⁻¹ takes the center to `local` up to 5 skew of its length,
  // and lengths shrink by 2 skew at most.
  double lower = (along - extent) - error, upper = length + error;
  if (inside > 0) {
    const double skew = skew_of(r);
    upper = error - (inside * (1 - 2 * skew) - 5 * skew * size);
  }
  lower -= radius;
  upper -= radius;
  const double nearest_bound = std::min(std::abs(lower), std::abs(upper));
  if (!(upper - lower <= std::min(8 * error, close_enough * nearest_bound))) return Quick::unknown;
  const auto set = [&](auto& found, double least, double most) {
    found.lower = least;
    found.upper = most;
    found.normal = to_vector3(-normal);  // from the sphere
    found.point_a = to_vector3(center + from - normal * radius);
    found.point_b = to_vector3(on_surface);
  };
  if (lower > 0) {
    set(result, lower, upper);
    return Quick::alone;
  }
  if (!(upper < 0)) return Quick::unknown;
  if (deep != nullptr) {
    set(*deep, -upper, -lower);
  } else {
    // A point of the shape that is nearer to the center than the sphere's surface.
    result.point_a = result.point_b = inside > 0 ? ball.pose.translation() : to_vector3(on_surface);
  }
  return Quick::alone;
}

}  // namespace

Quick find_quick_revolved(const Placed& a, const Placed& b, Distance& result, Depth* deep) {
  if (a.shape.kind() == ShapeKind::sphere) return find_ordered(a, b, result, deep);
  const Quick quick = find_ordered(b, a, result, deep);
  if (quick != Quick::unknown) {
    exchange(result);
    if (deep != nullptr) exchange(*deep);
  }
  return quick;
}

}  // namespace whisker::convex
