// Crossings of lines with planes, half-spaces, and convex polyhedra given as half-spaces.

#include "geometry/constants.hpp"
#include "geometry/ray_near.hpp"

namespace whisker::geometry {
namespace {

/// Along the line, normal·x - offset equals level + t slope.
template <class T>
struct Height {
  Rounded<T> level;
  Rounded<T> slope;
};

template <class T>
Height<T> height_along(const LinePath& path, const Vector3& normal, double offset) {
  Rounded<T> o[3];
  Rounded<T> d[3];
  for (int i = 0; i < 3; ++i) {
    o[i] = from_exact<T>(two_diff(path.origin[i], path.pose != nullptr ? path.pose->translation()[i] : 0.0));
    d[i] = from_exact<T>({path.direction[i], path.direction_tail[i]});
  }
  if (path.pose != nullptr) {
    turn_back(path.pose->rotation(), o);
    turn_back(path.pose->rotation(), d);
  }
  const Rounded<T> n[3] = {exactly<T>(normal[0]), exactly<T>(normal[1]), exactly<T>(normal[2])};
  return {n[0] * o[0] + n[1] * o[1] + n[2] * o[2] - exactly<T>(offset), n[0] * d[0] + n[1] * d[1] + n[2] * d[2]};
}

Expansion<12> exact_slope(const LinePath& path, const Vector3& n) {
  return exact_dot(n.data(), path.direction.data()) + exact_dot(n.data(), path.direction_tail.data());
}

Expansion<7> exact_level(const LinePath& path, const Vector3& n, double offset) {
  return grow(exact_dot(n.data(), path.origin.data()), -offset);
}

/// How a line meets the plane normal·x == offset.
struct Meeting {
  enum Kind { crosses, stays, unknown } kind = unknown;
  int slope_sign = 0;  ///< crosses: the sign of the height's change with t.
  Bounded t;           ///< crosses: the parameter of the crossing.
  int level_sign = 0;  ///< stays: the side, 0 if in the plane. unknown: the side at t = 0, or 0 if unknown too.
  double closest = 0;  ///< unknown with a known level: |t| of a crossing is at least this.
};

Meeting meeting(const LinePath& path, const Vector3& normal, double offset) {
  Meeting result;
  const auto cross_at = [&](const Bounded& t, bool rising) {
    result.kind = Meeting::crosses;
    result.slope_sign = rising ? 1 : -1;
    result.t = t;
  };
  const Height<double> quick = height_along<double>(path, normal, offset);
  if (quick.slope.positive() || quick.slope.negative()) {
    const Bounded t = bounded(-quick.level / quick.slope);
    const double length = largest_entry(path.direction);
    const double coordinate =
        std::max(largest_entry(path.origin), path.pose != nullptr ? largest_entry(path.pose->translation()) : 0.0);
    if ((t.upper - t.lower) * length <= 0x1p-42 * std::abs(t.value) * length + 0x1p-51 * coordinate) {
      cross_at(t, quick.slope.positive());
      return result;
    }
  }
  const Height<DoubleDouble> careful = height_along<DoubleDouble>(path, normal, offset);
  if (careful.slope.positive() || careful.slope.negative()) {
    cross_at(bounded(-careful.level / careful.slope), careful.slope.positive());
    return result;
  }
  if (path.pose == nullptr) {
    const Expansion<12> slope = exact_slope(path, normal);
    if (slope.sign() != 0) {
      const double estimate = slope.estimate();
      const Rounded<DoubleDouble> rounded{DoubleDouble(estimate), std::abs(estimate) * 0x1p-51};
      cross_at(bounded(-careful.level / rounded), slope.sign() > 0);
    } else {
      result.kind = Meeting::stays;
      result.level_sign = exact_level(path, normal, offset).sign();
    }
    return result;
  }
  const double steepest = careful.slope.upper_magnitude();
  if (careful.level.positive() || careful.level.negative()) {
    result.level_sign = careful.level.positive() ? 1 : -1;
    if (path.at_rest()) {
      result.kind = Meeting::stays;  // a single point, with a slope of exactly 0
      return result;
    }
    result.closest = 0.999 * (magnitude(careful.level.value) - careful.level.error) / steepest;
  }
  return result;
}

/// The part of the line where the height is <= 0.
Stretch half_space_stretch(const LinePath& path, const HalfSpace& side, int part) {
  const Meeting m = meeting(path, side.normal, side.offset);
  switch (m.kind) {
    case Meeting::crosses:
      return m.slope_sign > 0 ? Stretch{true, true, at(-infinity), m.t, part, part}
                              : Stretch{true, true, m.t, at(infinity), part, part};
    case Meeting::stays:
      return m.level_sign <= 0 ? whole_line(true) : nowhere();
    case Meeting::unknown:
      break;
  }
  // Parallel up to the rounding of the pose: a crossing, if any, is far away, in an unknown direction.
  if (m.level_sign < 0) {
    return {true, true, {-infinity, -infinity, -m.closest}, {m.closest, infinity, infinity}, part, part};
  }
  if (m.level_sign > 0)
    return {true, false, {-infinity, m.closest, infinity}, {-infinity, infinity, infinity}, part, part};
  return {true, false, {-infinity, -infinity, infinity}, {-infinity, infinity, infinity}, part, part};
}

}  // namespace

std::optional<LineCrossing> crossing(const LinePath& path, std::span<const HalfSpace> sides) {
  Stretch stretch = whole_line(true);
  for (std::size_t i = 0; i < sides.size(); ++i) {
    stretch = shared(stretch, half_space_stretch(path, sides[i], static_cast<int>(i)));
    if (!stretch.possible) return std::nullopt;
  }
  tidy(stretch);
  LineCrossing result = crossing_without_normals(stretch);
  const auto normal = [&](int part) -> Vector3 {
    if (part < 0) return Vector3::Zero();
    const Vector3& outward = sides[static_cast<std::size_t>(part)].normal;
    return unit_vector(path.pose != nullptr ? Vector3(path.pose->rotation() * outward) : outward);
  };
  if (result.enter > -infinity) result.enter_normal = normal(stretch.enter_part);
  if (result.exit < infinity) result.exit_normal = normal(stretch.exit_part);
  return result;
}

std::optional<RayHit> plane_hit(const Ray& ray, const LinePath& path, const Plane& plane, RayRange range) {
  if (!(range.lower <= range.upper)) return std::nullopt;
  const Meeting m = meeting(path, plane.normal, plane.offset);
  RayHit hit;
  Vector3 normal = unit_vector(path.pose != nullptr ? Vector3(path.pose->rotation() * plane.normal) : plane.normal);
  if (m.kind == Meeting::crosses) {
    if (m.t.upper < range.lower || m.t.lower > range.upper) return std::nullopt;
    if (m.t.lower < range.lower || m.t.upper > range.upper) {
      if (path.pose == nullptr) {
        // Compare the sign of the height at the end of the range with the slope.
        const Expansion<7> level = exact_level(path, plane.normal, plane.offset);
        const Expansion<12> slope = exact_slope(path, plane.normal);
        const auto height_sign_at = [&](double t) { return (level + slope * t).sign(); };
        if (m.t.lower < range.lower && height_sign_at(range.lower) * m.slope_sign > 0) return std::nullopt;
        if (m.t.upper > range.upper && height_sign_at(range.upper) * m.slope_sign < 0) return std::nullopt;
      } else {
        hit.certain = false;
      }
    }
    set_parameter(hit, m.t, range);
    if (m.slope_sign > 0) normal = -normal;
  } else {
    if (m.kind == Meeting::stays && m.level_sign != 0) return std::nullopt;
    if (m.kind == Meeting::unknown && range.upper < m.closest && range.lower > -m.closest) return std::nullopt;
    const double start = range.lower > -infinity ? range.lower : std::min(0.0, range.upper);
    hit.t = hit.t_lower = hit.t_upper = start;
    if (m.kind == Meeting::unknown) {
      hit.certain = false;
      hit.t_lower = range.lower;
      hit.t_upper = range.upper;
      if (m.closest > 0 && range.lower > -m.closest) hit.t = hit.t_lower = m.closest;
    }
  }
  hit.point = point_at(ray, hit.t);
  hit.normal = normal;
  return hit;
}

}  // namespace whisker::geometry
