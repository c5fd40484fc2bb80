#pragma once

/// \file
/// Wheels on terrain: how far each wheel has to be lowered or raised to stand on the ground.
///
/// One ray per wheel instead of a test of the car's mesh against the terrain's: cheaper, and it gives the distance.

#include <span>

#include <whisker/pose.hpp>
#include <whisker/vector.hpp>

namespace whisker {

class HeightField;

/// The ground under or over one point.
struct WheelContact {
  /// False: the full line through the point does not meet the terrain; the other fields mean nothing.
  bool found = false;
  /// center + t * down is on the terrain: t > 0 says how far to lower the wheel, t < 0 how far to raise it, in units of
  /// `down`. The crossing nearest to the center, by |t|; of two at the same |t|, the one with t > 0.
  double t = 0;
  double t_lower = 0;  ///< Bounds that contain the true t.
  double t_upper = 0;
  Vector3 point = Vector3::Zero();   ///< On the terrain.
  Vector3 normal = Vector3::Zero();  ///< Unit normal of the terrain there, against `down`.
};

/// For every center the terrain's nearest crossing with the line center + t * down, t of either sign, into `contacts`.
/// All in the frame of the field. Throws an Error if the spans differ in size, `down` is zero or not finite, or a
/// center is not finite.
void wheel_contacts(const HeightField& terrain, std::span<const Vector3> centers, const Vector3& down,
                    std::span<WheelContact> contacts);

/// The same with the terrain placed by a pose, centers and `down` in the world.
void wheel_contacts(const HeightField& terrain, const Pose& pose, std::span<const Vector3> centers, const Vector3& down,
                    std::span<WheelContact> contacts);

}  // namespace whisker
