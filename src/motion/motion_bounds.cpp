#include "motion/motion_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <whisker/error.hpp>

#include "geometry/constants.hpp"
#include "geometry/safe_norm.hpp"

namespace whisker::motion {
namespace {

/// A rotation lengthens vectors by less than this fraction: no entry of RᵀR is off by more than the tolerance, so
/// squared lengths are off by at most three times that.
constexpr double max_stretch = 2 * Pose::rotation_tolerance;

/// An upper bound on the distance of the box's points from `from`.
double farthest(const Aabb& box, const Vector3& from) {
  const Vector3 arm = (box.lower - from).cwiseAbs().cwiseMax((box.upper - from).cwiseAbs());
  return geometry::safe_norm(arm) * (1 + 8 * unit_roundoff);
}

void refuse_unbounded(bool is_bounded, ShapeKind kind) {
  if (is_bounded) return;
  throw Error("first_contact: a " + std::string(name(kind)) +
              " that turns has points that are infinitely fast; let the other shape turn instead");
}

}  // namespace

MotionBounds::MotionBounds(const Shape& shape, const Motion& motion) : custom(std::get_if<CustomMotion>(&motion)) {
  const Aabb bounds = shape.bounds();
  const bool is_bounded = bounds.lower.allFinite() && bounds.upper.allFinite();
  const Pose& start = start_of(motion);
  const double size = is_bounded ? farthest(bounds, Vector3::Zero()) : 0;
  double far = geometry::safe_norm(start.translation()) + size;
  const Vector3 middle =
      is_bounded ? Vector3(bounds.lower + (bounds.upper - bounds.lower) / 2) : Vector3(Vector3::Zero());
  Vector3 center = place(start, middle);
  double radius = is_bounded ? farthest(bounds, middle) * (1 + max_stretch) : 0;
  if (const auto* straight = std::get_if<Straight>(&motion)) {
    velocity = straight->by;
    far += geometry::safe_norm(straight->by);
  }
  if (const auto* turn = std::get_if<Turning>(&motion)) {
    velocity = turn->by;
    const double angle = geometry::safe_norm(turn->turn) * (1 + 8 * unit_roundoff);
    if (angle > 0) {
      refuse_unbounded(is_bounded, shape.kind());
      // The center of the turn in the shape's frame, and how far the shape's points are from it. A rotation that is off
      // by its tolerance does not map the center exactly back to where it was.
      const Vector3 own_center = start.rotation().transpose() * (turn->center - start.translation());
      const Vector3 off = place(start, own_center) - turn->center;
      const double arm =
          farthest(bounds, own_center) * (1 + max_stretch) + geometry::safe_norm(off) * (1 + 8 * unit_roundoff) +
          32 * unit_roundoff * (geometry::safe_norm(turn->center) + geometry::safe_norm(start.translation()));
      center = turn->center;
      radius = arm;
      turning = angle * arm * (1 + 8 * unit_roundoff);
      // The angle is rounded as well, at the end of the turn in proportion to its size.
      error += 8 * unit_roundoff * turning;
      far += std::min(2.0, angle) * arm;
    }
    far += geometry::safe_norm(turn->by);
  }
  if (custom != nullptr) {
    refuse_unbounded(is_bounded, shape.kind());
    reach = size;
    far += way_of(*custom, 0, 1, reach);
    error += custom->error;
  }
  error += 64 * unit_roundoff * far;
  has_ball = is_bounded && custom == nullptr;
  // The end position is rounded.
  ball = {center, center + velocity, radius + error};
}

}  // namespace whisker::motion

namespace whisker {

Aabb swept_bounds(const Shape& shape, const Motion& motion) {
  check(motion);
  const motion::MotionBounds bounds(shape, motion);
  // The bounds at the start, enlarged by what turns and custom motions may add, and extended along the displacement.
  Aabb box = shape.bounds(start_of(motion));
  double wider = bounds.turning + bounds.error;
  if (bounds.custom != nullptr) wider += motion::way_of(*bounds.custom, 0, 1, bounds.reach);
  wider *= 1 + 0x1p-50;
  if (std::isnan(wider)) wider = HUGE_VAL;  // the path length is unknown
  for (int k = 0; k < 3; ++k) {
    box.lower[k] += std::min(0.0, bounds.velocity[k]) - wider;
    box.upper[k] += std::max(0.0, bounds.velocity[k]) + wider;
    // A ball around the center is tighter where the shape turns far.
    if (bounds.has_ball) {
      const MovingSphere& ball = bounds.ball;
      box.lower[k] = std::max(box.lower[k], std::min(ball.start[k], ball.end[k]) - ball.radius);
      box.upper[k] = std::min(box.upper[k], std::max(ball.start[k], ball.end[k]) + ball.radius);
    }
    box.lower[k] -= 4 * 0x1p-53 * std::abs(box.lower[k]);
    box.upper[k] += 4 * 0x1p-53 * std::abs(box.upper[k]);
  }
  return box;
}

}  // namespace whisker
