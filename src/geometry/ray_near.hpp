#pragma once

// A line relative to a bounded shape: in the shape's own frame, starting near the point of the line that is closest to
// the shape's center, and scaled by powers of two so that the shape and the direction have a size of about one.
//
// Because of this start, a far-away origin costs no digits: the new origin o + t0 d - c is evaluated with exact
// products and sums, so its error is relative to itself, not to o. The scaling keeps squares and fourth powers in
// range.

#include <bit>
#include <cmath>
#include <cstdint>

#include "geometry/constants.hpp"
#include "geometry/ray_path.hpp"
#include "geometry/ray_rounded.hpp"
#include "geometry/vector_size.hpp"

namespace whisker::geometry {

/// 2^-e for the e with 2^e <= |a| < 2^(e+1), clamped to 2^±900. 1 for 0.
inline double inverse_power_of_two(double a) {
  if (a == 0) return 1;
  const auto biased = static_cast<int>((std::bit_cast<std::uint64_t>(a) >> 52) & 0x7ff);
  const int exponent = std::clamp(1023 - biased, -900, 900);
  return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52);
}

/// Sets the parameter of a hit and its bounds, clamped to the range.
inline void set_parameter(RayHit& hit, const Bounded& t, RayRange range) {
  hit.t = std::clamp(t.value, range.lower, range.upper);
  hit.t_lower = std::clamp(t.lower, range.lower, range.upper);
  hit.t_upper = std::clamp(t.upper, range.lower, range.upper);
}

inline LineCrossing crossing_without_normals(const Stretch& stretch) {
  return {.enter = stretch.enter.value,
          .enter_lower = stretch.enter.lower,
          .enter_upper = stretch.enter.upper,
          .exit = stretch.exit.value,
          .exit_lower = stretch.exit.lower,
          .exit_upper = stretch.exit.upper,
          .certain = stretch.certain};
}

/// The shift and scale of the line: t = start + t_scale * (the near line's parameter).
struct NearFrame {
  double start = 0;
  double t_scale = 1;
  double length_scale = 1;     ///< Factor from lengths of the shape to the near line's lengths. A power of two.
  double direction_scale = 1;  ///< The same for the direction.
  double radius = 0;           ///< The shape's bounding radius, scaled.
};

template <class T>
struct NearLine {
  Rounded<T> origin[3];
  Rounded<T> direction[3];
  /// All points of the shape have near parameters within ±reach.
  double reach = 0;

  static Rounded<T> number(double value) { return exactly<T>(value); }
};

/// Chooses start and scales for a shape within `radius` of its center. Returns false if the line is proven to miss that
/// ball.
bool near_frame(const LinePath& path, double radius, NearFrame& frame);

/// The near line in T.
template <class T>
NearLine<T> near_line(const LinePath& path, const NearFrame& frame);

/// Transforms a world vector with errors into the frame that the rotation R turns into the world: R⁻¹ v.
void turn_back(const Matrix3& rotation, Rounded<double> (&vector)[3]);
void turn_back(const Matrix3& rotation, Rounded<DoubleDouble> (&vector)[3]);

/// True if the bounds are as tight as ray.hpp promises, so that no second pass in double-double is needed.
inline bool tight(const Bounded& t, const NearFrame& frame, double reach) {
  if (!(t.lower > -infinity && t.upper < infinity)) return t.lower == t.upper;
  const double allowed = 0x1p-42 * std::abs(frame.start + frame.t_scale * t.value) + 0x1p-52 * (frame.t_scale * reach);
  return frame.t_scale * (t.upper - t.lower) <= allowed;
}

/// The crossing of a bounded shape, from its stretch in near parameters. `normal_of(part, point, direction, entering,
/// frame)` returns an outward vector in the shape's frame.
template <class StretchOf, class NormalOf>
std::optional<LineCrossing> bounded_crossing(const LinePath& path, double radius, StretchOf stretch_of,
                                             NormalOf normal_of) {
  if (path.at_rest()) {
    // The path is a point. It is in the shape if and only if a line through it, in any direction, is in the shape
    // there. The line starts at the point itself, so that a point just outside is detected to the last digit.
    const LinePath through{path.origin, Vector3::UnitX(), Vector3::Zero(), path.pose, false};
    NearFrame at_point;
    if (!near_frame(through, radius, at_point)) return std::nullopt;
    at_point.start = 0;
    Stretch stretch = stretch_of(near_line<DoubleDouble>(through, at_point), at_point);
    if (!stretch.possible) return std::nullopt;
    tidy(stretch);
    if (stretch.enter.lower > 0 || stretch.exit.upper < 0) return std::nullopt;
    const bool certain = stretch.certain && stretch.enter.upper <= 0 && stretch.exit.lower >= 0;
    return crossing_without_normals(whole_line(certain));
  }

  NearFrame frame;
  if (!near_frame(path, radius, frame)) return std::nullopt;
  const NearLine<double> line = near_line<double>(path, frame);
  Stretch stretch = stretch_of(line, frame);
  if (!stretch.possible) return std::nullopt;
  tidy(stretch);
  if (!stretch.certain || !tight(stretch.enter, frame, line.reach) || !tight(stretch.exit, frame, line.reach)) {
    stretch = stretch_of(near_line<DoubleDouble>(path, frame), frame);
    if (!stretch.possible) return std::nullopt;
    tidy(stretch);
  }

  const auto total = [&](const Bounded& t) -> Bounded {
    const auto at = [&](double near) { return frame.start + frame.t_scale * near; };
    return {below(at(t.lower)), at(t.value), above(at(t.upper))};
  };
  LineCrossing result =
      crossing_without_normals({true, stretch.certain, total(stretch.enter), total(stretch.exit), 0, 0});

  const Vector3 origin{line.origin[0].value, line.origin[1].value, line.origin[2].value};
  const Vector3 direction{line.direction[0].value, line.direction[1].value, line.direction[2].value};
  const auto normal = [&](const Bounded& t, int part, bool entering) -> Vector3 {
    Vector3 outward = normal_of(part, Vector3(origin + t.value * direction), direction, entering, frame);
    // The shape has no area there: use the side that the line is on.
    if (outward.squaredNorm() == 0) outward = entering ? -direction : direction;
    if (path.pose != nullptr) outward = path.pose->rotation() * outward;
    return unit_vector(outward);
  };
  result.enter_normal = normal(stretch.enter, stretch.enter_part, true);
  if (path.exit_normal) result.exit_normal = normal(stretch.exit, stretch.exit_part, false);
  return result;
}

/// The part of the line where |origin + t direction| <= half_length, in one coordinate.
template <class T>
Stretch slab_stretch(Rounded<T> origin, Rounded<T> direction, double half_length, double reach) {
  const Rounded<T> top = exactly<T>(half_length) - origin;     // >= 0 inside
  const Rounded<T> bottom = exactly<T>(half_length) + origin;  // >= 0 inside
  if (direction.positive() || direction.negative()) {
    const Bounded high = bounded(top / direction);
    const Bounded low = bounded(-bottom / direction);
    const bool upward = direction.positive();
    return {true, true, upward ? low : high, upward ? high : low, 0, 0};
  }
  // Parallel, exactly or nearly: within the reach the coordinate hardly changes.
  const double drift = direction.exactly_zero() ? 0 : inflated(direction.upper_magnitude() * reach);
  const Rounded<T> lowest{top.value, inflated(top.error + drift)};
  const Rounded<T> highest{bottom.value, inflated(bottom.error + drift)};
  if (lowest.negative() || highest.negative()) return nowhere();
  const bool inside = leading(lowest.value) >= lowest.error && leading(highest.value) >= highest.error;
  if (inside || drift == 0) return whole_line(inside);
  return {true, false, {-reach, -reach, reach}, {-reach, reach, reach}, 0, 0};
}

extern template NearLine<double> near_line<double>(const LinePath&, const NearFrame&);
extern template NearLine<DoubleDouble> near_line<DoubleDouble>(const LinePath&, const NearFrame&);

}  // namespace whisker::geometry
