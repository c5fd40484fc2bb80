// Tests volumes in rigid motion, using their poses at the two ends of a time interval.
//
// S. Redon, A. Kheddar, S. Coquillart (2002) evaluate the separating axes of two boxes with intervals for the entries
// of both rotations. Each entry is then as loose as the whole interval, and sums of entries are even looser. Here each
// number that a test needs is a function f of time. Between times t0 and t1, f lies within (t1 - t0)²/8 max|f''| of the
// chord through its values at both ends. Sums of chords are chords, and a chord has its minimum at one of its ends. So
// if the volumes are separated at both ends, along an axis that moves with a box, by more than the sum of these
// remainders, they are separated at all times in between. Straight motions have no remainders.
//
// Second derivatives: A rotates with angular velocity w about a point that moves uniformly, B with W. C is the vector
// from A's point to B's, V = C', q and Q are the vectors from these points to the boxes' centers, D = C + Q - q is
// the vector between the centers, and d = W - w. An axis of A dotted with one of B changes by d · (b × a), and that by
// no more than |d| (|w| + |W|). In A's frame, D has the second derivative
//   w × (w × C) - 2 w × V + d × (W × Q) - w × (d × Q):
// it vanishes if both rotate together about the same axis. If B's point is far away, as for a small rotation, terms of
// this expression cancel. Then
//   W × (W × Q) - 2 w × (V + W × Q) + w × (w × (C + Q))
// is better. The smaller bound is used.

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Geometry>

#include <whisker/error.hpp>
#include <whisker/geometry/closest_points.hpp>
#include <whisker/methods/moving_volumes.hpp>

#include "geometry/constants.hpp"
#include "geometry/place.hpp"
#include "volumes/flat_core.hpp"
#include "volumes/measure.hpp"

namespace whisker::methods {
namespace {

using volumes::norm_up;

/// Covers the few rounding errors of a product of bounds.
constexpr double up = 1 + 0x1p-40;
constexpr double largest_skew = 1e-6;
/// The number of interval tests before a search gives up.
constexpr std::uint64_t max_looks = std::uint64_t{1} << 17;

/// The time-independent data of a volume and its motion.
struct Mover {
  const Motion* motion = nullptr;
  bool is_empty = false;
  bool is_ball = false;
  Vector3 center = Vector3::Zero();  // this and the axes are in the body's frame
  Matrix3 axes = Matrix3::Identity();
  Vector3 half = Vector3::Zero();
  double radius = 0;
  double halves = 0;  // the sum of `half`
  double reach = 0;   // maximum distance of a point from the center
  double fuzz = 0;    // error bound of center, axes, half and radius with respect to the given volume
  double skew = 0;    // of the axes at all times: upper bound on the entries of AᵀA - I

  Vector3 by = Vector3::Zero();
  Vector3 turn = Vector3::Zero();
  double angle = 0;                    // |turn|
  Vector3 unit = Vector3::UnitZ();     // the direction of `turn`
  Vector3 hub = Vector3::Zero();       // at time 0: of the points that move straight, the one nearest to the center
  double arm = 0;                      // distance of the center from the hub, at all times
  double hub_off = 0;                  // error bound of `hub`
  Matrix3 start_axes = axes;           // in the world, at time 0
  double start_far = 0, turn_far = 0;  // lengths that the rounding errors of poses are relative to
  double speed = 0;                    // |by|
};

/// A volume at one time, in the world.
struct At {
  Vector3 center = Vector3::Zero();
  Matrix3 axes = Matrix3::Identity();
  double off = 0;   // error bound of the center
  double tilt = 0;  // error bound of each axis
};

/// Two volumes at one time.
struct Moment {
  double t = 0;
  At a, b;
};

void check_lengths(bool is_right) {
  if (is_right) return;
  throw Error(
      "moving volumes: a volume has a number that is not finite or beyond 1e90, or a negative length; limit "
      "infinite volumes to a finite length");
}

bool in_range(const Vector3& v) {
  return v.allFinite() && volumes::largest_entry(v) <= max_coordinate;
}

void take(const BoundingSphere& ball, Mover& mover) {
  check_lengths(in_range(ball.center) && ball.radius >= 0 && ball.radius <= max_coordinate);
  mover.is_ball = true;
  mover.center = ball.center;
  mover.radius = ball.radius;
}

void take(const Obb& box, Mover& mover) {
  check_lengths(in_range(box.center) && in_range(box.half) && box.half.minCoeff() >= 0);
  mover.center = box.center;
  mover.axes = box.axes;
  mover.half = box.half;
  if (!(volumes::skew_of(box.axes) <= largest_skew)) {
    throw Error(
        "moving volumes: the oriented box's axes are not unit vectors at right angles (up to 1e-6); normalize them");
  }
}

void take(const Aabb& box, Mover& mover) {
  check_lengths(!box.lower.hasNaN() && !box.upper.hasNaN());
  mover.is_empty = box.empty();
  if (mover.is_empty) return;
  check_lengths(in_range(box.lower) && in_range(box.upper));
  mover.center = box.lower / 2 + box.upper / 2;
  for (int i = 0; i < 3; ++i) {
    if (box.lower[i] == box.upper[i]) continue;
    mover.half[i] = std::max(box.upper[i] - mover.center[i], mover.center[i] - box.lower[i]);
    mover.fuzz += 4 * unit_roundoff * (std::abs(box.lower[i]) + std::abs(box.upper[i])) + volumes::underflow;
  }
}

Mover mover_of(const BodyVolume& volume, const Motion& motion) {
  check(motion);
  if (std::holds_alternative<CustomMotion>(motion)) {
    throw Error(
        "moving volumes: the poses of a custom motion between two times are unknown; use a motion that is still, "
        "straight or turning");
  }
  Mover mover;
  mover.motion = &motion;
  std::visit([&](const auto& known) { take(known, mover); }, volume);

  const Pose& start = start_of(motion);
  mover.start_axes = start.rotation() * mover.axes;
  mover.skew = mover.start_axes.isIdentity(0) ? 0 : volumes::skew_of(mover.start_axes) + 16 * unit_roundoff;
  mover.fuzz += 2 * mover.skew * mover.radius;  // a ball becomes an ellipsoid if the rotation is not exactly
                                                // orthonormal
  mover.halves = mover.half.sum() * up;
  mover.reach = (norm_up(mover.half) * (1 + 2 * mover.skew) + mover.radius) * up;
  const double own = norm_up(mover.center);
  mover.start_far = norm_up(start.translation()) + own;
  mover.hub = geometry::placed_point(start, mover.center);
  if (const auto* straight = std::get_if<Straight>(&motion)) mover.by = straight->by;
  if (const auto* turning = std::get_if<Turning>(&motion)) {
    mover.by = turning->by;
    mover.angle = norm_up(turning->turn);
    mover.turn_far = norm_up(start.translation() - turning->center) + own;
    if (mover.angle > 0) {
      mover.turn = turning->turn;
      // Scale first, so that tiny rotations have an axis too.
      const Vector3 scaled = mover.turn / volumes::largest_entry(mover.turn);
      mover.unit = scaled / scaled.norm();
      const Vector3 way = mover.hub - turning->center;
      const Vector3 across = way - mover.unit * mover.unit.dot(way);
      mover.hub_off = 32 * unit_roundoff * (norm_up(way) + mover.start_far);
      mover.arm = norm_up(across) + mover.hub_off;
      mover.hub -= across;
    }
  }
  mover.speed = norm_up(mover.by);
  return mover;
}

At at(const Mover& mover, double t) {
  const Pose pose = pose_at(*mover.motion, t);
  At result;
  result.center = geometry::placed_point(pose, mover.center);
  result.axes = pose.rotation() * mover.axes;
  // About a dozen rounding errors of each length involved. The angle has an error of five roundings of its own size.
  const double turned = t * mover.angle;
  result.tilt = 64 * unit_roundoff + 16 * unit_roundoff * turned;
  result.off =
      (mover.fuzz + 64 * unit_roundoff * (mover.start_far + t * mover.speed + std::min(2.0, turned) * mover.turn_far) +
       16 * unit_roundoff * turned * mover.turn_far + volumes::underflow) *
      up;
  return result;
}

Moment moment(const Mover& a, const Mover& b, double t) {
  return {t, at(a, t), at(b, t)};
}

/// Lower bound on the distance of the origin from the segment between two points, measured along one direction.
double distance_of_segment(const Vector3& from, const Vector3& to) {
  const Vector3 way = to - from;
  const double squared = way.squaredNorm();
  const double s = squared > 0 ? std::clamp(-from.dot(way) / squared, 0.0, 1.0) : 0;
  const Vector3 nearest = from + s * way;
  const double size = norm_up(nearest);
  if (!(size > 0) || !std::isfinite(s)) return 0;
  const Vector3 direction = nearest / size;
  return std::min(direction.dot(from), direction.dot(to)) - 16 * unit_roundoff * (norm_up(from) + norm_up(to));
}

/// A test of two volumes over the time between two moments: the numbers that its steps share.
class Look {
 public:
  Look(const Mover& a, const Mover& b, const std::array<Moment, 2>& ends) : a_(a), b_(b) {
    for (std::size_t e = 0; e < 2; ++e) {
      const auto& [t, at_a, at_b] = ends[e];
      between_[e] = at_b.center - at_a.center;
      seen_a_[e] = at_a.axes.transpose() * between_[e];
      seen_b_[e] = at_b.axes.transpose() * between_[e];
      axes_[e] = at_a.axes.transpose() * at_b.axes;
      far_ = std::max(far_, norm_up(between_[e]));
      hubs_[e] = (b.hub + t * b.by) - (a.hub + t * a.by);
    }
    const double off = std::max(ends[0].a.off + ends[0].b.off, ends[1].a.off + ends[1].b.off);
    const double tilt_a = std::max(ends[0].a.tilt, ends[1].a.tilt);
    const double tilt_b = std::max(ends[0].b.tilt, ends[1].b.tilt);
    hubs_off_ = off + a.hub_off + b.hub_off +
                64 * unit_roundoff * (norm_up(a.hub) + norm_up(b.hub) + ends[1].t * (a.speed + b.speed));

    // The remainders of the chords.
    width_ = geometry::add_up(ends[1].t, -ends[0].t);
    const double bend = width_ * width_ / 8 * up;
    const double differ = norm_up(b.turn - a.turn) * up, both = a.angle + b.angle;
    const Vector3 velocity = b.by - a.by;
    const auto seen = [&](const Mover& from, const Mover& other, At Moment::*at_other) {
      const double swing = other.angle * other.angle * other.arm;
      if (!(from.angle > 0)) return swing;
      const auto across = [&](const std::array<Vector3, 2>& ways, double off_ways) {
        return std::max(norm_up(from.turn.cross(ways[0])), norm_up(from.turn.cross(ways[1]))) +
               from.angle * (off_ways + 16 * unit_roundoff * (norm_up(ways[0]) + norm_up(ways[1])));
      };
      const double along = norm_up(from.turn.cross(velocity)) + 16 * unit_roundoff * from.angle * (a.speed + b.speed);
      const double by_hubs = differ * both * other.arm + 2 * along + from.angle * across(hubs_, hubs_off_);
      std::array<Vector3, 2> arms;  // from the point about which `from` rotates to the other's center
      for (std::size_t e = 0; e < 2; ++e)
        arms[e] = (ends[e].*at_other).center - (from.hub + ends[e].t * from.by);
      const double by_center = swing + 2 * (along + from.angle * other.angle * other.arm) +
                               from.angle * (across(arms, hubs_off_) + from.angle * bend * swing);
      return std::min(by_hubs, by_center);
    };
    const double skews = (1 + 2 * a.skew) * (1 + 2 * b.skew) * up;
    rest_axes_ = (bend * differ * both + tilt_a + tilt_b + 16 * unit_roundoff) * skews;
    rest_a_ = (bend * seen(a, b, &Moment::b) + off + (tilt_a + 16 * unit_roundoff) * far_) * skews + volumes::underflow;
    rest_b_ = (bend * seen(b, a, &Moment::a) + off + (tilt_b + 16 * unit_roundoff) * far_) * skews + volumes::underflow;
    rest_world_ =
        (bend * (a.angle * a.angle * a.arm + b.angle * b.angle * b.arm) + off + 16 * unit_roundoff * far_) * up +
        volumes::underflow;
    round_ = 64 * unit_roundoff * (far_ + a.halves + b.halves) + volumes::underflow;
  }

  /// Whether the volumes are proven disjoint over the whole interval.
  bool parts() const {
    if (balls_part()) return true;
    // Chords are useless for large rotations.
    const bool is_far = width_ * std::max(a_.angle, b_.angle) > 0.5;
    if (is_far && (turning_axis_parts(a_) || turning_axis_parts(b_))) return true;
    if (a_.is_ball && b_.is_ball) return false;
    if (a_.is_ball) return box_and_ball_part(b_, seen_b_, rest_b_);
    if (b_.is_ball) return box_and_ball_part(a_, seen_a_, rest_a_);
    if (faces_part()) return true;
    // Use the frame of the volume with the smaller remainder.
    if (rest_a_ <= rest_b_) return edges_part(a_, b_, axes_, seen_a_, rest_a_);
    return edges_part(b_, a_, {axes_[0].transpose(), axes_[1].transpose()}, seen_b_, rest_b_);
  }

 private:
  bool balls_part() const {
    const double reach = a_.reach + b_.reach;
    const auto beyond = [&](double apart) { return apart * (1 - 16 * unit_roundoff) > reach; };
    // In the world's frame, in a's and in b's.
    if (beyond(distance_of_segment(between_[0], between_[1]) - rest_world_)) return true;
    if (a_.angle > 0 && beyond((distance_of_segment(seen_a_[0], seen_a_[1]) - rest_a_) * (1 - 2 * a_.skew)))
      return true;
    if (b_.angle > 0 && beyond((distance_of_segment(seen_b_[0], seen_b_[1]) - rest_b_) * (1 - 2 * b_.skew)))
      return true;
    // For any rotation angle: each center is on a sphere around a point that moves straight.
    const double arms = a_.arm + b_.arm;
    if (!(arms > 0)) return false;
    if (beyond(distance_of_segment(hubs_[0], hubs_[1]) - arms * up - hubs_off_)) return true;
    // Or one sphere is inside the other.
    const double apart = std::max(norm_up(hubs_[0]), norm_up(hubs_[1]));
    return beyond(std::abs(a_.arm - b_.arm) - 64 * unit_roundoff * arms - apart * up - hubs_off_);
  }

  /// Compares the extents along the rotation axis of one volume. They do not depend on the angle.
  bool turning_axis_parts(const Mover& mover) const {
    if (!(mover.angle > 0)) return false;
    const Vector3& axis = mover.unit;
    const double way0 = axis.dot(hubs_[0]), way1 = axis.dot(hubs_[1]);
    if ((way0 > 0) != (way1 > 0)) return false;
    double gap = std::min(std::abs(way0), std::abs(way1)) - hubs_off_ -
                 16 * unit_roundoff * (norm_up(hubs_[0]) + norm_up(hubs_[1]));
    for (const Mover* each : {&a_, &b_}) {
      const double along = axis.dot(each->unit);
      // The component of this axis perpendicular to the rotation axis of `each`.
      const double across = each->angle > 0 ? norm_up(axis - along * each->unit) + 16 * unit_roundoff : 0;
      gap -= across * each->arm + each->radius + each->fuzz;
      for (int i = 0; i < 3; ++i) {
        const Vector3 side = each->start_axes.col(i);
        const double part = each->angle > 0 ? std::abs(along * each->unit.dot(side)) +
                                                  across * norm_up(side - each->unit * each->unit.dot(side))
                                            : std::abs(axis.dot(side));
        gap -= each->half[i] * (part + 64 * unit_roundoff);
      }
    }
    return gap > 64 * unit_roundoff * (a_.arm + b_.arm + a_.reach + b_.reach) + round_;
  }

  bool box_and_ball_part(const Mover& box, const std::array<Vector3, 2>& seen, double rest) const {
    const double radius = a_.radius + b_.radius;
    const auto parts_along = [&](const Vector3& direction) {
      const double ahead = std::min(direction.dot(seen[0]), direction.dot(seen[1]));
      const double size = norm_up(direction);
      const double box_reach = direction.cwiseAbs().dot(box.half) + 2 * box.skew * size * box.halves;
      return ahead - box_reach >
             ((radius + rest) * (1 + 2 * box.skew) * up + round_ + 8 * unit_roundoff * radius) * size;
    };
    for (int i = 0; i < 3; ++i) {
      if (parts_along(Vector3::Unit(i)) || parts_along(-Vector3::Unit(i))) return true;
    }
    // The ball's center passes a corner or an edge.
    const Segment way{seen[0], seen[1]};
    const ClosestPoints near = closest_points(way, PlacedBox{{2 * box.half}, {}});
    const Vector3 direction = near.point_a - near.point_b;
    const double size = direction.norm();
    return size > 0 && parts_along(direction / size);
  }

  /// Tests the face axes of both boxes.
  bool faces_part() const {
    for (int i = 0; i < 3; ++i) {
      double gap_a = HUGE_VAL, gap_b = HUGE_VAL;
      for (std::size_t e = 0; e < 2; ++e) {
        gap_a = std::min(gap_a, std::abs(seen_a_[e][i]) - axes_[e].row(i).cwiseAbs().dot(b_.half.transpose()));
        gap_b = std::min(gap_b, std::abs(seen_b_[e][i]) - axes_[e].col(i).cwiseAbs().dot(a_.half));
      }
      const auto same_side = [&](const std::array<Vector3, 2>& seen) { return (seen[0][i] > 0) == (seen[1][i] > 0); };
      if (same_side(seen_a_) && gap_a > a_.half[i] + rest_a_ + rest_axes_ * b_.halves + a_.skew * a_.halves + round_)
        return true;
      if (same_side(seen_b_) && gap_b > b_.half[i] + rest_b_ + rest_axes_ * a_.halves + b_.skew * b_.halves + round_)
        return true;
    }
    return false;
  }

  /// Tests the axes L = m₁ a₂ - m₂ a₁ with mₖ = aₖ · b. For orthogonal axes, L is the cross product of an edge of a and
  /// an edge b of b. L is defined as that sum, so a skew of the axes is no error of L, but an error of an axis's
  /// component along L. That error is less than 11 times the skews (from each product of two entries of `axes`, with an
  /// error of twice the skews each, in place of one entry).
  bool edges_part(const Mover& a, const Mover& b, const std::array<Matrix3, 2>& axes,
                  const std::array<Vector3, 2>& seen, double rest_seen) const {
    const Vector3 way = (seen[1] - seen[0]) / 2;
    for (int i = 0; i < 3; ++i) {
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
      const auto most = [&](int k) { return std::max(std::abs(seen[0][k]), std::abs(seen[1][k])) + rest_seen; };
      const double rest = rest_axes_ * (most(i1) + most(i2) + a.halves + b.halves) + 2.01 * rest_seen +
                          12 * (a.skew + b.skew) * (a.halves + b.halves) + 2 * round_;
      for (int j = 0; j < 3; ++j) {
        const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
        std::array<double, 2> along, extent;
        for (std::size_t e = 0; e < 2; ++e) {
          const Matrix3& m = axes[e];
          along[e] = m(i1, j) * seen[e][i2] - m(i2, j) * seen[e][i1];
          extent[e] = (a.half[i1] * std::abs(m(i2, j)) + a.half[i2] * std::abs(m(i1, j))) +
                      (b.half[j1] * std::abs(m(i, j2)) + b.half[j2] * std::abs(m(i, j1)));
        }
        if ((along[0] > 0) != (along[1] > 0)) continue;
        // The product of two chords lies below its own chord by this much.
        const double sag =
            ((axes[1](i1, j) - axes[0](i1, j)) / 2) * way[i2] - ((axes[1](i2, j) - axes[0](i2, j)) / 2) * way[i1];
        const double gap = std::min(std::abs(along[0]) - extent[0], std::abs(along[1]) - extent[1]);
        if (gap > rest + std::max(0.0, along[0] > 0 ? sag : -sag)) return true;
      }
    }
    return false;
  }

  const Mover& a_;
  const Mover& b_;
  double width_ = 0;
  std::array<Vector3, 2> between_, hubs_;   // from a to b: between the centers, and between the points about which they
                                            // rotate
  std::array<Vector3, 2> seen_a_, seen_b_;  // between_ in a's axes, and in b's
  std::array<Matrix3, 2> axes_;             // a's axes dotted with b's
  double far_ = 0, hubs_off_ = 0;
  // Bounds on how far the numbers above may be from their chords at any time, rounding included.
  double rest_world_ = 0, rest_a_ = 0, rest_b_ = 0, rest_axes_ = 0;
  double round_ = 0;
};

/// Whether the volumes provably share a point: a point of a and of a rounded box inscribed in b, or the reverse.
bool prove_touch(const Mover& a, const Mover& b, const Moment& moment) {
  const At &at_a = moment.a, &at_b = moment.b;
  const double error = at_a.off + at_b.off + 2 * (at_a.tilt * a.halves + at_b.tilt * b.halves);
  const double size = norm_up(at_b.center - at_a.center) + a.reach + b.reach;
  const double margin = 8 * (error + 64 * unit_roundoff * size);
  const auto core = [](const Mover& mover, const At& at, double less) {
    volumes::Core result;
    result.center = at.center;
    result.radius = mover.radius + less;
    result.error = at.off + 2 * at.tilt * mover.halves;
    const double shorter = less * (1 + 4 * mover.skew) * up;
    for (int i = 0; i < 3; ++i) {
      const Vector3 arm = std::max(0.0, mover.half[i] - shorter) * at.axes.col(i);
      result.add_arm(arm, 4 * unit_roundoff * volumes::sum_of_sizes(arm));
    }
    return result;
  };
  const auto touch = [&](double less_a, double less_b) {
    return volumes::distance_bounds(core(a, at_a, less_a), core(b, at_b, less_b)).upper == 0;
  };
  if (a.radius + b.radius > margin && touch(0, 0)) return true;
  if (!b.is_ball && b.half.minCoeff() > 2 * margin && touch(0, margin)) return true;
  return !a.is_ball && a.half.minCoeff() > 2 * margin && touch(margin, 0);
}

}  // namespace

bool may_touch(const BodyVolume& a, const Motion& motion_a, const BodyVolume& b, const Motion& motion_b,
               const Interval& t) {
  if (!(t.lower >= 0) || !(t.upper <= 1) || !(t.lower <= t.upper))
    throw Error("moving volumes: the time must be an interval within [0, 1]");
  const Mover mover_a = mover_of(a, motion_a), mover_b = mover_of(b, motion_b);
  if (mover_a.is_empty || mover_b.is_empty) return false;
  return !Look(mover_a, mover_b, {moment(mover_a, mover_b, t.lower), moment(mover_a, mover_b, t.upper)}).parts();
}

Impact first_touch(const BodyVolume& a, const Motion& motion_a, const BodyVolume& b, const Motion& motion_b,
                   const ImpactOptions& options) {
  const Mover mover_a = mover_of(a, motion_a), mover_b = mover_of(b, motion_b);
  Impact times;
  if (mover_a.is_empty || mover_b.is_empty) return times;
  std::array<Moment, 2> ends = {moment(mover_a, mover_b, 0), {}};
  if (prove_touch(mover_a, mover_b, ends[0])) {
    times.status = ImpactStatus::touching_at_start;
    times.time = times.time_lower = times.time_upper = 0;
    return times;
  }

  // The ends of the remaining intervals, the next one last. They come from repeatedly halving 1, so the capacity is
  // bounded by the exponents and digits of doubles.
  std::array<double, 1200> ends_left;
  std::size_t left = 1;
  ends_left[0] = 1;
  times.stop = Stop::exact;
  while (left > 0) {
    const double from = ends[0].t, to = ends_left[left - 1];
    if (times.cost.volume_tests >= options.budget) {
      times.stop = Stop::budget;
      break;
    }
    if (times.cost.volume_tests >= max_looks) {
      times.stop = Stop::limit;
      break;
    }
    ++times.cost.volume_tests;
    ends[1] = moment(mover_a, mover_b, to);
    if (Look(mover_a, mover_b, ends).parts()) {
      ends[0] = ends[1];
      --left;
      continue;
    }
    if (to - from <= options.tolerance && prove_touch(mover_a, mover_b, ends[1])) {
      times.status = ImpactStatus::touch;
      times.time = from + (to - from) / 2;
      times.time_lower = from;
      times.time_upper = to;
      times.stop = Stop::tolerance;
      return times;
    }
    const double middle = from + (to - from) / 2;
    if (to - from <= 4 * unit_roundoff * to || !(from < middle && middle < to) || left == ends_left.size()) break;
    ends_left[left++] = middle;
  }
  if (left == 0) return times;  // disjoint

  // Find a later time at which they certainly touch, with increasing step size.
  const double from = ends[0].t;
  times.status = ImpactStatus::touch;
  times.time_lower = from;
  times.certain = false;
  const double first = std::max(ends_left[left - 1] - from, 4 * unit_roundoff * from);
  for (double later = first; from < 1; later *= 2) {
    const double to = std::min(1.0, from + later);
    if (prove_touch(mover_a, mover_b, moment(mover_a, mover_b, to))) {
      times.time_upper = to;
      times.certain = true;
      break;
    }
    if (to == 1) break;
  }
  times.time = times.certain ? from + (times.time_upper - from) / 2 : from;
  if (times.stop == Stop::exact) {
    const double open = times.time_upper - times.time_lower;
    if (times.certain && open <= options.tolerance)
      times.stop = Stop::tolerance;
    else if (!times.certain || open > 0x1p-30 * times.time_upper)
      times.stop = Stop::limit;
  }
  return times;
}

}  // namespace whisker::methods
