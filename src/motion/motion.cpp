#include <cmath>
#include <string>

#include <Eigen/Geometry>

#include <whisker/error.hpp>
#include <whisker/motion.hpp>

#include "geometry/raw_pose.hpp"
#include "geometry/safe_norm.hpp"
#include "motion/motion_bounds.hpp"

namespace whisker {
namespace {

constexpr double max_radians = 1e9;

/// A rotation about a unit vector.
struct Turn {
  Vector3 axis = Vector3::UnitZ();
  double sine = 0;
  double rest = 0;  // 1 - cosine, without cancellation
};
Turn turn_by(const Vector3& v) {
  const double angle = geometry::safe_norm(v);
  if (!(angle > 0)) return {};
  const double half = std::sin(angle / 2);
  return {v / angle, std::sin(angle), 2 * half * half};
}

/// The rotated vector minus the vector itself (Rodrigues 1840): as small as the angle.
Vector3 change_of(const Turn& turn, const Vector3& x) {
  const Vector3 beside = turn.axis.cross(x);
  return turn.sine * beside + turn.rest * turn.axis.cross(beside);
}

Matrix3 rotation_by(const Turn& turn) {
  const Vector3& axis = turn.axis;
  Matrix3 r;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      r(i, j) = turn.rest * axis[i] * axis[j] + (i == j ? 1 - turn.rest : 0);
  r(0, 1) -= turn.sine * axis[2];
  r(1, 0) += turn.sine * axis[2];
  r(0, 2) += turn.sine * axis[1];
  r(2, 0) -= turn.sine * axis[1];
  r(1, 2) -= turn.sine * axis[0];
  r(2, 1) += turn.sine * axis[0];
  return r;
}

/// The vector v, with |v| at most π, that rotates by r: from the largest component of the quaternion (Shepperd 1978).
Vector3 rotation_vector(const Matrix3& r) {
  const double trace = r.trace();
  double w;
  Vector3 v;
  int largest = 0;
  for (int i = 1; i < 3; ++i)
    if (r(i, i) > r(largest, largest)) largest = i;
  if (trace > r(largest, largest)) {
    w = 1 + trace;
    v = {r(2, 1) - r(1, 2), r(0, 2) - r(2, 0), r(1, 0) - r(0, 1)};
  } else {
    const int i = largest, j = (i + 1) % 3, k = (i + 2) % 3;
    v[i] = 1 + r(i, i) - r(j, j) - r(k, k);
    v[j] = r(j, i) + r(i, j);
    v[k] = r(k, i) + r(i, k);
    w = r(k, j) - r(j, k);
  }
  if (w < 0) {
    w = -w;
    v = -v;
  }
  const double length = geometry::safe_norm(v);
  if (!(length > 0)) return Vector3::Zero();
  return v * (2 * std::atan2(length, w) / length);
}

void check_vector(const char* what, const Vector3& v) {
  if (!v.allFinite()) throw Error(std::string("motion: ") + what + " has a coordinate that is NaN or infinite");
  if (v.cwiseAbs().maxCoeff() > max_coordinate)
    throw Error(std::string("motion: ") + what + " has a coordinate beyond 1e90; use another unit of length");
}

}  // namespace

Pose motion::pose_of(const CustomMotion& motion, double t) {
  if (!motion.pose) throw Error("motion: a custom motion needs its function `pose`");
  try {
    return motion.pose(t);
  } catch (const Error& error) {
    throw Error("motion: `pose` of a custom motion returned an invalid pose at time " + std::to_string(t) + ": " +
                error.what());
  }
}

double motion::way_of(const CustomMotion& motion, double from, double to, double reach) {
  const double way = motion.way(from, to, reach);
  if (!(way >= 0)) [[unlikely]] {
    throw Error("motion: `way` of a custom motion returned " + std::to_string(way) + " from time " +
                std::to_string(from) + " to " + std::to_string(to) + "; it must return a length, 0 or larger");
  }
  return way;
}

const Pose& start_of(const Motion& motion) {
  if (const auto* still = std::get_if<Still>(&motion)) return still->pose;
  if (const auto* straight = std::get_if<Straight>(&motion)) return straight->start;
  if (const auto* turning = std::get_if<Turning>(&motion)) return turning->start;
  return std::get<CustomMotion>(motion).start;
}

Pose pose_at(const Motion& motion, double t) {
  if (!std::isfinite(t)) throw Error("motion: the time is NaN or infinite; it must be from 0 to 1");
  if (t == 0) return start_of(motion);
  if (const auto* still = std::get_if<Still>(&motion)) return still->pose;
  if (const auto* straight = std::get_if<Straight>(&motion))
    return geometry::raw_pose(straight->start.rotation(), straight->start.translation() + t * straight->by);
  if (const auto* custom = std::get_if<CustomMotion>(&motion)) return motion::pose_of(*custom, t);
  const auto& turning = std::get<Turning>(motion);
  const Turn turn = turn_by(t * turning.turn);
  // The center of a small turn may be far away, but the change that it causes is small.
  const Vector3 arm = turning.start.translation() - turning.center;
  return geometry::raw_pose(rotation_by(turn) * turning.start.rotation(),
                            turning.start.translation() + (t * turning.by + change_of(turn, arm)));
}

void check(const Motion& motion) {
  if (const auto* straight = std::get_if<Straight>(&motion)) check_vector("`by`", straight->by);
  if (const auto* turning = std::get_if<Turning>(&motion)) {
    check_vector("`center`", turning->center);
    check_vector("`by`", turning->by);
    check_vector("`turn`", turning->turn);
    if (turning->turn.norm() > max_radians)
      throw Error("motion: `turn` is beyond 1e9 radians, where the angle is lost to rounding; split the motion");
  }
  if (const auto* custom = std::get_if<CustomMotion>(&motion)) {
    if (!custom->pose || !custom->way) throw Error("motion: a custom motion needs both functions, `pose` and `way`");
    if (!(custom->error >= 0) || !(custom->error <= max_coordinate))
      throw Error("motion: `error` must be a length, 0 or larger");
  }
}

Turning turning(const Pose& from, const Pose& to, const Vector3& center) {
  check_vector("`center`", center);
  Turning result;
  result.start = from;
  result.center = place(from, center);
  result.by = place(to, center) - result.center;
  result.turn = rotation_vector(to.rotation() * from.rotation().transpose());
  return result;
}

Turning screw(const Pose& from, const Pose& to) {
  Turning result = turning(from, to);
  const double angle = result.turn.norm();
  // A point on the screw axis (Chasles 1830): the part of the displacement between the origins that is perpendicular to
  // the axis is the chord of an arc around it. With hardly any turn the axis is far away, and the motion is practically
  // straight.
  if (!(angle > 1e-12)) return result;
  const Vector3 axis = result.turn / angle;
  const Vector3 along = axis * axis.dot(result.by), across = result.by - along;
  const Vector3 arm = across / 2 + axis.cross(across) / (2 * std::tan(angle / 2));
  result.center = from.translation() + arm;
  result.by = along;
  return result;
}

Turning turning_with_velocity(const Pose& start, const Vector3& center, const Vector3& velocity,
                              const Vector3& angular_velocity, double duration) {
  if (!(duration >= 0) || !std::isfinite(duration)) throw Error("motion: the duration must be a time, 0 or larger");
  Turning result{start, center, velocity * duration, angular_velocity * duration};
  check(Motion(result));
  return result;
}

}  // namespace whisker
