// Crossings of lines with spheres, capsules, cylinders, cones and ellipsoids.

#include "geometry/constants.hpp"
#include "geometry/ray_ball.hpp"
#include "geometry/ray_near.hpp"

namespace whisker::geometry {
namespace {

constexpr int side_part = 1;
constexpr int cap_part = 2;

Stretch numbered(Stretch stretch, int part) {
  stretch.enter_part = stretch.exit_part = part;
  return stretch;
}

template <class T>
Stretch infinite_cylinder_stretch(const NearLine<T>& line, double radius) {
  const Rounded<T> o[3] = {line.origin[0], line.origin[1], exactly<T>(0)};
  const Rounded<T> d[3] = {line.direction[0], line.direction[1], exactly<T>(0)};
  return numbered(ball_stretch(o, d, exactly<T>(radius), line.reach), side_part);
}

template <class T>
Stretch cylinder_stretch(const NearLine<T>& line, double radius, double half_length) {
  const Stretch caps = numbered(slab_stretch(line.origin[2], line.direction[2], half_length, line.reach), cap_part);
  if (!caps.possible) return caps;
  return shared(infinite_cylinder_stretch(line, radius), caps);
}

template <class T>
Stretch capsule_stretch(const NearLine<T>& line, double radius, double half_length) {
  const Stretch side = infinite_cylinder_stretch(line, radius);
  if (!side.possible) return side;
  const Stretch caps = slab_stretch(line.origin[2], line.direction[2], half_length, line.reach);
  const Stretch body = shared(side, caps);
  if (body.certain && side.enter.lower > caps.enter.upper && side.exit.upper < caps.exit.lower) return body;
  const Rounded<T> half = exactly<T>(half_length);
  const Rounded<T> top[3] = {line.origin[0], line.origin[1], line.origin[2] - half};
  const Rounded<T> bottom[3] = {line.origin[0], line.origin[1], line.origin[2] + half};
  return united(body, united(ball_stretch(top, line.direction, exactly<T>(radius), line.reach),
                             ball_stretch(bottom, line.direction, exactly<T>(radius), line.reach)));
}

/// The solid between apex and base: with w the distance below the apex plane, length² (x² + y²) <= radius² w² and
/// 0 <= w <= length. Both dimensions must be positive.
template <class T>
Stretch cone_stretch(const NearLine<T>& line, double radius, double length) {
  const Stretch caps = numbered(slab_stretch(line.origin[2], line.direction[2], length / 2, line.reach), cap_part);
  if (!caps.possible) return caps;
  const Rounded<T> ox = line.origin[0], oy = line.origin[1];
  const Rounded<T> dx = line.direction[0], dy = line.direction[1];
  const Rounded<T> ow = exactly<T>(length / 2) - line.origin[2];
  const Rounded<T> dw = -line.direction[2];
  const Rounded<T> l2 = exactly<T>(length) * exactly<T>(length);
  const Rounded<T> r2 = exactly<T>(radius) * exactly<T>(radius);
  const Rounded<T> a = l2 * (dx * dx + dy * dy) - r2 * (dw * dw);
  const Rounded<T> b = l2 * (ox * dx + oy * dy) - r2 * (ow * dw);
  const Rounded<T> c = l2 * (ox * ox + oy * oy) - r2 * (ow * ow);
  // b² - a c by Lagrange's identity for the form diag(l², l², -r²).
  const Rounded<T> x = oy * dw - ow * dy;
  const Rounded<T> y = ow * dx - ox * dw;
  const Rounded<T> z = ox * dy - oy * dx;
  const Rounded<T> disc = l2 * (r2 * (x * x + y * y) - l2 * (z * z));

  Stretch side;
  if (a.positive()) {
    // The line is flatter than the side: the stretch is in one of the two nappes, and the slab 0 <= w <= length keeps
    // the right one.
    side = between_roots(a, b, c, disc);
  } else {
    // The line is as steep as the side or steeper: it is in the lower nappe from one root on, in the direction of
    // growing w. With `inward` = -b if w grows with t, and b if it shrinks, that root is
    // ±(inward - root) / a = ±c / (inward + root). disc is never negative here.
    const Rounded<T> root = root_of(disc);
    const bool downward = leading(dw.value) >= 0;
    const Rounded<T> inward = downward ? -b : b;
    const Rounded<T> sum = inward + root;
    const Rounded<T> difference = inward - root;
    // The largest |a t| within the reach. A root with a larger numerator is outside the reach.
    const double within_reach = 1.001 * inflated(a.upper_magnitude() * line.reach);
    const auto exceeds = [&](Rounded<T> number) {
      return magnitude(number.value) * 0.999 - number.error > within_reach;
    };
    if (a.negative() || (sum.positive() && exceeds(sum))) {
      Rounded<T> boundary = c / sum;
      const Rounded<T> other = a.negative() ? difference / a : Rounded<T>{T(0), infinity};
      if (other.error < boundary.error) boundary = other;
      const Bounded t = bounded(downward ? boundary : -boundary);
      side = {true, true, downward ? t : at(-infinity), downward ? at(infinity) : t, 0, 0};
    } else if (difference.negative() && exceeds(difference)) {
      return nowhere();  // Parallel to the side, and outside within the reach.
    } else {
      // Along the side and through the apex, up to rounding: nothing is known within the reach.
      side = {true, false, {-line.reach, -line.reach, line.reach}, {-line.reach, line.reach, line.reach}, 0, 0};
    }
  }
  return shared(numbered(side, side_part), caps);
}

/// An outward vector at a point on the side of a cylinder.
Vector3 radial(const Vector3& point) {
  return {point[0], point[1], 0};
}

Vector3 along_z(double z, const Vector3& direction, bool entering) {
  if (z != 0) return {0, 0, z};
  return {0, 0, (direction[2] < 0) == entering ? 1.0 : -1.0};
}

}  // namespace

std::optional<LineCrossing> crossing(const LinePath& path, const Sphere& sphere) {
  return bounded_crossing(
      path, sphere.radius,
      [&](const auto& line, const NearFrame& frame) {
        return ball_stretch(line.origin, line.direction, line.number(sphere.radius * frame.length_scale), line.reach);
      },
      [&](int, const Vector3& point, const Vector3&, bool, const NearFrame&) -> Vector3 {
        return sphere.radius > 0 ? point : Vector3::Zero();
      });
}

std::optional<LineCrossing> crossing(const LinePath& path, const Capsule& capsule) {
  return bounded_crossing(
      path, capsule.radius + capsule.length / 2,
      [&](const auto& line, const NearFrame& frame) {
        return capsule_stretch(line, capsule.radius * frame.length_scale, capsule.length / 2 * frame.length_scale);
      },
      [&](int, const Vector3& point, const Vector3&, bool, const NearFrame& frame) -> Vector3 {
        const double half = capsule.length / 2 * frame.length_scale;
        return capsule.radius > 0 ? Vector3(point[0], point[1], point[2] - std::clamp(point[2], -half, half))
                                  : Vector3::Zero();
      });
}

std::optional<LineCrossing> crossing(const LinePath& path, const Cylinder& cylinder) {
  return bounded_crossing(
      path, cylinder.radius + cylinder.length / 2,
      [&](const auto& line, const NearFrame& frame) {
        return cylinder_stretch(line, cylinder.radius * frame.length_scale, cylinder.length / 2 * frame.length_scale);
      },
      [&](int part, const Vector3& point, const Vector3& direction, bool entering, const NearFrame&) -> Vector3 {
        if (cylinder.radius == 0) return Vector3::Zero();
        // A disc has two faces, and both meet the line at the same point.
        if (cylinder.length == 0) return along_z(0, direction, entering);
        return part == cap_part ? along_z(point[2], direction, entering) : radial(point);
      });
}

std::optional<LineCrossing> crossing(const LinePath& path, const Cone& cone) {
  // Without length the cone is a disc, and without radius a segment, like the cylinder.
  if (cone.length == 0 || cone.radius == 0) return crossing(path, Cylinder{cone.radius, cone.length});
  return bounded_crossing(
      path, cone.radius + cone.length / 2,
      [&](const auto& line, const NearFrame& frame) {
        return cone_stretch(line, cone.radius * frame.length_scale, cone.length * frame.length_scale);
      },
      [&](int part, const Vector3& point, const Vector3& direction, bool entering, const NearFrame& frame) -> Vector3 {
        // The slab's upper end is the apex plane, which only touches the cone.
        if (part == cap_part) return {0, 0, point[2] < 0 ? -1.0 : 1.0};
        const double slope = cone.length / cone.radius;
        const auto side_normal = [slope](double x, double y) -> Vector3 {
          const double distance = std::hypot(x, y);
          return distance == 0 ? Vector3::UnitZ() : Vector3(x * slope / distance, y * slope / distance, 1);
        };
        const Vector3 normal = side_normal(point[0], point[1]);
        // At the apex x and y are rounding errors. If their normal is on the wrong side of the line, the apex's normal
        // that faces the line most replaces it.
        const bool is_apex = std::hypot(point[0], point[1]) <= 0x1p-40 * cone.radius * frame.length_scale;
        const double sign = entering ? -1 : 1;
        return is_apex && sign * normal.dot(direction) < 0 ? side_normal(sign * direction[0], sign * direction[1])
                                                           : normal;
      });
}

std::optional<LineCrossing> crossing(const LinePath& path, const Ellipsoid& ellipsoid) {
  const Vector3& radii = ellipsoid.radii;
  return bounded_crossing(
      path, radii.maxCoeff(),
      [&](const auto& line, const NearFrame& frame) {
        // In units of the radii, the ellipsoid is the unit ball. An axis of radius 0 gives a plane instead.
        auto scaled = line;
        Stretch flat = whole_line(true);
        for (int i = 0; i < 3; ++i) {
          const auto radius = line.number(radii[i] * frame.length_scale);
          if (radii[i] > 0) {
            scaled.origin[i] = line.origin[i] / radius;
            scaled.direction[i] = line.direction[i] / radius;
          } else {
            flat = shared(flat, numbered(slab_stretch(line.origin[i], line.direction[i], 0.0, line.reach), i + 1));
            scaled.origin[i] = scaled.direction[i] = radius;
          }
        }
        if (!flat.possible) return flat;
        return shared(flat, ball_stretch(scaled.origin, scaled.direction, line.number(1), line.reach));
      },
      [&](int, const Vector3& point, const Vector3& direction, bool entering, const NearFrame& frame) -> Vector3 {
        int flat_axes = 0;
        int flat_axis = 0;
        Vector3 gradient = Vector3::Zero();
        for (int i = 0; i < 3; ++i) {
          if (radii[i] > 0) {
            const double radius = radii[i] * frame.length_scale;
            gradient[i] = (point[i] / radius) * (radii.minCoeff() / radii[i]);
          } else {
            ++flat_axes;
            flat_axis = i;
          }
        }
        if (flat_axes == 0) return gradient;
        if (flat_axes > 1) return Vector3::Zero();
        Vector3 face = Vector3::Zero();
        face[flat_axis] = (direction[flat_axis] < 0) == entering ? 1.0 : -1.0;
        return face;
      });
}

}  // namespace whisker::geometry
