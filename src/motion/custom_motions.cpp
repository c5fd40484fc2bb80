// Custom motions built from turnings (with_pace, with_even_half_tangent, through), and pose_over: bounds on the poses
// of a motion over a time interval.

#include <algorithm>
#include <cmath>
#include <string>

#include <whisker/error.hpp>
#include <whisker/motion.hpp>

#include "geometry/constants.hpp"
#include "geometry/raw_pose.hpp"
#include "geometry/safe_norm.hpp"

namespace whisker {
namespace {

/// How fast a point within `reach` of the shape's origin moves, and how far its position may be off.
struct Speeds {
  double by = 0, turn = 0, arm = 0, far = 0;

  explicit Speeds(const Turning& motion)
      : by(geometry::safe_norm(motion.by) * (1 + 8 * unit_roundoff)),
        turn(geometry::safe_norm(motion.turn) * (1 + 8 * unit_roundoff)),
        arm(geometry::safe_norm(motion.start.translation() - motion.center) * (1 + 8 * unit_roundoff)),
        far(geometry::safe_norm(motion.start.translation()) + by + std::min(2.0, turn) * arm) {}

  double turned(double reach) const {
    return (arm + reach * (1 + 2 * Pose::rotation_tolerance)) * (1 + 8 * unit_roundoff);
  }
  double error() const { return 64 * unit_roundoff * (far + turn * arm); }
};

/// A pace may decrease by this much, which is what rounding does to a pace that stands still.
constexpr double max_back = 1e-9;

double pace_at(const std::function<double(double t)>& pace, double t) {
  const double share = pace(t);
  if (!std::isfinite(share)) throw Error("motion: the pace at time " + std::to_string(t) + " is NaN or infinite");
  return share;
}

}  // namespace

CustomMotion with_pace(const Turning& motion, std::function<double(double t)> pace) {
  check(Motion(motion));
  if (!pace) throw Error("motion: with_pace needs a function");
  const Speeds speeds(motion);
  CustomMotion result;
  result.start = motion.start;
  result.pose = [motion, pace](double t) { return pose_at(motion, pace_at(pace, t)); };
  result.way = [speeds, pace](double from, double to, double reach) {
    const double on = pace_at(pace, to) - pace_at(pace, from);
    if (on < -max_back)
      throw Error("motion: the pace decreases; it must go from 0 at time 0 to 1 at time 1 and never decrease");
    const double much = std::max(0.0, on) + 4 * unit_roundoff;
    return (speeds.by + speeds.turn * speeds.turned(reach)) * much;
  };
  result.error = speeds.error();
  return result;
}

CustomMotion with_even_half_tangent(const Turning& motion) {
  check(Motion(motion));
  const Speeds speeds(motion);
  const double angle = geometry::safe_norm(motion.turn);
  if (!(angle < 3.14))
    throw Error("motion: with_even_half_tangent supports only turns of less than π; split the motion");
  if (!(angle > 0)) return with_pace(motion, [](double t) { return t; });
  const double tangent = std::tan(angle / 2);
  // The fraction of the angle that has been turned by time t.
  const auto share = [tangent, angle](double t) {
    return t == 1 ? 1 : std::min(1.0, 2 * std::atan(t * tangent) / angle);
  };
  CustomMotion result;
  result.start = motion.start;
  result.pose = [motion, share](double t) {
    if (t == 0) return motion.start;
    // The turn at its own pace, then the translation of the center at its pace.
    Turning turn = motion;
    turn.by = Vector3::Zero();
    Pose pose = pose_at(turn, share(t));
    geometry::raw_translation(pose) += t * motion.by;
    return pose;
  };
  result.way = [speeds, share](double from, double to, double reach) {
    const double turned = std::max(0.0, share(to) - share(from)) + 8 * unit_roundoff;
    return speeds.by * (to - from) + speeds.turn * speeds.turned(reach) * turned;
  };
  result.error = speeds.error();
  return result;
}

CustomMotion through(const Pose& from, const Pose& middle, const Pose& to) {
  const Turning first = screw(from, middle), second = screw(middle, to);
  const Speeds slow(first), fast(second);
  CustomMotion result;
  result.start = from;
  result.pose = [first, second](double t) {
    return t < 0.5 ? pose_at(first, 2 * t) : pose_at(second, std::min(1.0, 2 * t - 1));
  };
  result.way = [slow, fast](double begin, double end, double reach) {
    const double before = std::max(0.0, std::min(end, 0.5) - std::min(begin, 0.5));
    const double after = std::max(0.0, std::max(end, 0.5) - std::max(begin, 0.5));
    return 2 * before * (slow.by + slow.turn * slow.turned(reach)) +
           2 * after * (fast.by + fast.turn * fast.turned(reach));
  };
  // In the middle one motion ends where the other begins, up to rounding.
  result.error = 2 * (slow.error() + fast.error());
  return result;
}

Interval sinusoid(double b, double c, const Interval& t) {
  const auto at = [&](double angle) { return Interval(b) * cos(Interval(angle)) + Interval(c) * sin(Interval(angle)); };
  Interval range = hull(at(t.lower), at(t.upper));
  const Interval crest = sqrt(square(Interval(b)) + square(Interval(c)));
  // Crests are at phase + 2πk, troughs half a turn later. A crest or trough counts if it may be in the interval.
  constexpr double pi = 3.14159265358979323846;
  const double phase = std::atan2(c, b);
  const auto may_hold = [&](double place) {
    const double turns = (t.lower - place) / (2 * pi);
    const double slack = 1e-14 * (1 + std::abs(t.lower) + std::abs(t.upper));
    const double next = place + 2 * pi * std::ceil(turns - slack);
    return next <= t.upper + slack;
  };
  if (may_hold(phase)) range.upper = std::max(range.upper, crest.upper);
  if (may_hold(phase + pi)) range.lower = std::min(range.lower, -crest.upper);
  // The range never exceeds the crest.
  range.upper = std::min(range.upper, crest.upper);
  range.lower = std::max(range.lower, -crest.upper);
  return range;
}

PoseInterval pose_over(const Motion& motion, const Interval& t) {
  check(motion);
  if (std::holds_alternative<CustomMotion>(motion))
    throw Error("motion: pose_over: not supported for a custom motion, whose poses between two times are unknown");
  if (!(t.lower >= 0) || !(t.upper <= 1)) throw Error("motion: pose_over: the time must be within [0, 1]");
  const Pose& start = start_of(motion);
  PoseInterval result{start.rotation(), start.translation()};
  if (const auto* straight = std::get_if<Straight>(&motion))
    result.translation = result.translation + IntervalVector3(straight->by) * t;
  const auto* turning = std::get_if<Turning>(&motion);
  if (turning == nullptr) return result;

  // R(t) x = (k·x) k + cos (x - (k·x) k) + sin (k × x), for each column of the rotation and for the arm. Each entry is
  // a + b cos + c sin, with b and c as intervals that are a few roundings wide.
  const double length = geometry::safe_norm(turning->turn);
  const Interval angle = norm(IntervalVector3(turning->turn)) * t;
  const IntervalVector3 unit =
      length > 0 ? IntervalVector3(turning->turn) * (Interval(1) / norm(IntervalVector3(turning->turn)))
                 : IntervalVector3(Vector3::UnitZ());
  const auto turned = [&](const IntervalVector3& x) {
    const IntervalVector3 along = unit * dot(unit, x), across = x - along, beside = cross(unit, x);
    IntervalVector3 y;
    for (std::size_t i = 0; i < 3; ++i) {
      const double b = middle(across[i]), c = middle(beside[i]);
      // An error of b or c changes the result by at most as much.
      const double off = width(across[i]) + width(beside[i]);
      y[i] = along[i] + sinusoid(b, c, angle) + Interval(-off, off);
    }
    return y;
  };
  for (std::size_t column = 0; column < 3; ++column) {
    const auto k = static_cast<Eigen::Index>(column);
    const IntervalVector3 y = turned(IntervalVector3(Vector3(start.rotation().col(k))));
    for (std::size_t row = 0; row < 3; ++row)
      result.rotation(row, column) = y[row];
  }
  const IntervalVector3 arm = IntervalVector3(start.translation()) - IntervalVector3(turning->center);
  result.translation = IntervalVector3(turning->center) + IntervalVector3(turning->by) * t + turned(arm);
  return result;
}

}  // namespace whisker
