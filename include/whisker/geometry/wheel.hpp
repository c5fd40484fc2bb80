#pragma once

/// \file
/// Wheels on terrain: how far each wheel has to be lowered or raised to stand on the ground.
///
///     const std::array<Vector3, 4> centers = {{{1, 1, 2}, {4, 1, 2}, {1, 3, 2}, {4, 3, 2}}};
///     std::array<WheelContact, 4> contacts;
///     wheel_contacts(terrain, centers, {0, 0, -1}, contacts);
///     for (const WheelContact& c : contacts)
///       if (c.found) suspend(c.t, c.normal);  // the ground is c.t below the center
///
/// This casts rays per wheel instead of testing the car's mesh against the terrain's: it is cheaper, and it gives the
/// distance.

#include <span>

#include <whisker/pose.hpp>
#include <whisker/vector.hpp>

namespace whisker {

class HeightField;

/// The ground below or above one wheel center.
struct WheelContact {
  /// Whether the line through the center along `down` meets the terrain. If not, the other fields mean nothing.
  bool found = false;
  /// The point center + t * down is on the terrain. A positive t is how far to lower the wheel, a negative t how far to
  /// raise it, as a multiple of `down`. Of several crossings, the one with the smallest |t|; of two with the same |t|,
  /// the one with t > 0.
  double t = 0;
  double t_lower = 0;                ///< The true t is at least this…
  double t_upper = 0;                ///< …and at most this.
  Vector3 point = Vector3::Zero();   ///< The point on the terrain, in the frame of the centers.
  Vector3 normal = Vector3::Zero();  ///< Unit normal of the terrain at `point`, pointing against `down`.
};

/// For every center, writes the terrain's nearest crossing with the line center + t * down, t of either sign, to
/// `contacts`. Everything is in the frame of the height field. Throws an Error if the spans differ in size, `down` is
/// zero or not finite, or a center is not finite.
void wheel_contacts(const HeightField& terrain, std::span<const Vector3> centers, const Vector3& down,
                    std::span<WheelContact> contacts);

/// The same with the terrain placed by a pose; centers, `down` and contacts are in the world frame.
void wheel_contacts(const HeightField& terrain, const Pose& pose, std::span<const Vector3> centers, const Vector3& down,
                    std::span<WheelContact> contacts);

}  // namespace whisker
