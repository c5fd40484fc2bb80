// Crossings of lines with boxes, by three pairs of planes (Kay and Kajiya, "Ray Tracing Complex Scenes", 1986).

#include <type_traits>

#include "geometry/constants.hpp"
#include "geometry/ray_near.hpp"

namespace whisker::geometry {
namespace {

/// (plane - o) / d. The plane may be an infinite bound of the box.
template <class T>
Bounded plane_parameter(double plane, double o, Rounded<T> d) {
  if (std::abs(plane) == infinity) return at((plane > 0) == d.positive() ? infinity : -infinity);
  if constexpr (std::is_same_v<T, double>) {
    if (d.error == 0) {
      // Two roundings.
      const double t = (plane - o) / d.value;
      const double slack = std::abs(t) * 0x1p-51 + std::numeric_limits<double>::denorm_min();
      return {t - slack, t, t + slack};
    }
  }
  return bounded((exactly<T>(plane) - exactly<T>(o)) / d);
}

/// The part of the line where lower <= o + t d <= upper, for one coordinate. The difference and the quotient are each
/// rounded once, so the result is accurate to its last digits for any origin.
template <class T>
Stretch between_planes(double lower, double upper, double o, Rounded<T> d, int part) {
  if (d.exactly_zero()) return lower <= o && o <= upper ? whole_line(true) : nowhere();
  const Bounded at_lower = plane_parameter(lower, o, d);
  const Bounded at_upper = plane_parameter(upper, o, d);
  const bool upward = d.positive();
  return {true,
          true,
          upward ? at_lower : at_upper,
          upward ? at_upper : at_lower,
          upward ? -part : part,
          upward ? part : -part};
}

template <class T>
Stretch aabb_stretch(const LinePath& path, const Vector3& lower, const Vector3& upper) {
  Stretch all = whole_line(true);
  for (int i = 0; i < 3 && all.possible; ++i) {
    const Rounded<T> d = from_exact<T>({path.direction[i], path.direction_tail[i]});
    all = shared(all, between_planes(lower[i], upper[i], path.origin[i], d, i + 1));
  }
  return all;
}

/// The outward normal of face ±(axis + 1), in the box's frame.
Vector3 face_normal(int part) {
  Vector3 normal = Vector3::Zero();
  if (part != 0) normal[std::abs(part) - 1] = part > 0 ? 1 : -1;
  return normal;
}

std::optional<LineCrossing> axis_crossing(const LinePath& path, const Vector3& lower, const Vector3& upper) {
  if (!(lower.array() <= upper.array()).all()) return std::nullopt;
  Stretch stretch = aabb_stretch<double>(path, lower, upper);
  if (!stretch.possible) return std::nullopt;
  if (!stretch.certain || path.direction_tail != Vector3::Zero()) {
    stretch = aabb_stretch<DoubleDouble>(path, lower, upper);
    if (!stretch.possible) return std::nullopt;
  }
  tidy(stretch);
  LineCrossing result = crossing_without_normals(stretch);
  if (result.enter > -infinity) result.enter_normal = face_normal(stretch.enter_part);
  // The hit of a box that is unbounded backward along the line is its exit.
  const bool needs_exit_normal = path.exit_normal || result.enter == -infinity;
  if (needs_exit_normal && result.exit < infinity) result.exit_normal = face_normal(stretch.exit_part);
  return result;
}

}  // namespace

std::optional<LineCrossing> crossing(const LinePath& path, const Aabb& box) {
  return axis_crossing(path, box.lower, box.upper);
}

std::optional<LineCrossing> crossing(const LinePath& path, const Box& box) {
  const Vector3 half = box.size / 2;
  if (path.pose == nullptr) return axis_crossing(path, -half, half);
  return bounded_crossing(
      path, half[0] + half[1] + half[2],
      [&](const auto& line, const NearFrame& frame) {
        Stretch all = whole_line(true);
        for (int i = 0; i < 3 && all.possible; ++i) {
          Stretch slab = slab_stretch(line.origin[i], line.direction[i], half[i] * frame.length_scale, line.reach);
          const bool upward = leading(line.direction[i].value) > 0;
          slab.enter_part = upward ? -(i + 1) : i + 1;
          slab.exit_part = -slab.enter_part;
          all = shared(all, slab);
        }
        return all;
      },
      [](int part, const Vector3&, const Vector3&, bool, const NearFrame&) -> Vector3 { return face_normal(part); });
}

}  // namespace whisker::geometry
