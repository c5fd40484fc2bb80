#pragma once

// The inverse of a pose's rotation, which may be off a rotation by as much as Pose allows.

#include <whisker/vector.hpp>

namespace whisker::geometry {

struct InverseRotation {
  Matrix3 matrix;
  /// A bound on the norm of RᵀR - I, rounding included. R scales lengths by at most the square root of 1 plus this, and
  /// by at least the square root of 1 minus this.
  double bend;

  explicit InverseRotation(const Matrix3& rotation) {
    if (rotation == Matrix3::Identity()) {
      matrix = rotation;
      bend = 0x1p-48;
      return;
    }
    // One Newton step from the transpose. The result is accurate to rounding for every allowed rotation: the transpose
    // is off by at most 1e-9, so the result is off by 1e-18.
    const Matrix3 product = rotation.transpose() * rotation;
    matrix = (2 * Matrix3::Identity() - product) * rotation.transpose();
    bend = (product - Matrix3::Identity()).cwiseAbs().sum() + 0x1p-48;
  }
};

}  // namespace whisker::geometry
