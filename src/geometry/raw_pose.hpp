#pragma once

// Poses that are made without a check. They hold either numbers that come from other poses, for which the check would
// cost time and could fail only by a rounding, or frames that are not rotations at all but are passed to functions for
// poses. They never leave the library unless they are rigid.

#include <whisker/pose.hpp>

namespace whisker {

struct detail::PoseAccess {
  static Pose make(const Matrix3& rotation, const Vector3& translation) {
    Pose pose;
    pose.rotation_ = rotation;
    pose.translation_ = translation;
    return pose;
  }
  static Matrix3& rotation(Pose& pose) { return pose.rotation_; }
  static Vector3& translation(Pose& pose) { return pose.translation_; }
};

namespace geometry {

inline Pose raw_pose(const Matrix3& rotation, const Vector3& translation) {
  return whisker::detail::PoseAccess::make(rotation, translation);
}
inline Pose raw_pose(const Vector3& translation) {
  return whisker::detail::PoseAccess::make(Matrix3::Identity(), translation);
}
inline Matrix3& raw_rotation(Pose& pose) {
  return whisker::detail::PoseAccess::rotation(pose);
}
inline Vector3& raw_translation(Pose& pose) {
  return whisker::detail::PoseAccess::translation(pose);
}

}  // namespace geometry
}  // namespace whisker
