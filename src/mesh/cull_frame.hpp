#pragma once

// The frame in which boxes are compared: that of one of the two placed shapes, where its own boxes are tight.
//
// With (R, t) the frame's pose, a point y of the world has the coordinates R⁻¹ (y - t) in it, in real numbers. Boxes in
// the frame are grown by `error`, so that they hold the coordinates of the placed doubles; a length in the frame times
// `stretch` is no longer than the one in the world.

#include <cmath>
#include <limits>

#include <whisker/geometry/aabb.hpp>
#include <whisker/pose.hpp>

#include "convex/simple_convex.hpp"
#include "convex/simple_shape.hpp"
#include "geometry/placed_box.hpp"
#include "geometry/raw_pose.hpp"

namespace whisker::mesh {

inline void grow(Aabb& box, double by) {
  box.lower -= Vector3::Constant(by);
  box.upper += Vector3::Constant(by);
}

struct CullFrame {
  Matrix3 rotation;
  Matrix3 inverse;
  Vector3 origin;
  double stretch = 1;  ///< Lengths in the frame times this are at most the world's.
  double bend = 0;     ///< A ball of the world is in the frame within one that is larger by this part of its radius.

  explicit CullFrame(const Pose& pose) : rotation(pose.rotation()), origin(pose.translation()) {
    // One Newton step from the transpose: right to rounding for any rotation that is allowed (off by 1e-9, so by 1e-18
    // after it).
    const Matrix3 product = pose.rotation().transpose() * pose.rotation();
    inverse = (2 * Matrix3::Identity() - product) * pose.rotation().transpose();
    // R stretches by at most the square root of 1 plus the norm of RᵀR - I, and shrinks as little.
    bend = (product - Matrix3::Identity()).cwiseAbs().sum() + 0x1p-48;
    stretch = 1 - bend;
    bend *= 2;
  }

  /// How a pose looks in the frame, up to rounding.
  Pose relative(const Pose& pose) const {
    return geometry::raw_pose(inverse * pose.rotation(), inverse * (pose.translation() - origin));
  }

  /// A bound of all roundings between a shape's own coordinates and those in the frame, `size` being the largest of the
  /// shape's own coordinates. place() rounds four times, the relative pose's entries carry some twenty roundings of
  /// numbers below 2, and a sum over a row is below 2 times the largest coordinate: 200 half-ulps of the sum below
  /// cover everything; 256 are taken.
  double error(double size, const Pose& pose) const {
    return 0x1p-45 * (size + pose.translation().cwiseAbs().maxCoeff() + origin.cwiseAbs().maxCoeff()) +
           std::numeric_limits<double>::min();
  }

  /// A box around a placed simple shape that is bounded.
  Aabb box_around(const convex::SimpleShape& shape) const {
    if (shape.core == convex::SimpleShape::Core::box) {
      Aabb local;
      local.lower = -shape.box.size / 2;
      local.upper = shape.box.size / 2;
      Aabb box = geometry::placed_box(local, relative(shape.pose));
      grow(box, error(local.upper.maxCoeff(), shape.pose) + radius_around(shape));
      return box;
    }
    if (shape.core == convex::SimpleShape::Core::convex) {
      const Aabb& local = shape.convex->bounds;
      Aabb box = geometry::placed_box(local, relative(shape.pose));
      grow(box, error(local.lower.cwiseAbs().cwiseMax(local.upper.cwiseAbs()).maxCoeff(), shape.pose));
      return box;
    }
    Aabb box;
    const auto include = [&](const Vector3& corner) { box.include(Vector3(inverse * (corner - origin))); };
    include(shape.corners.a);
    if (shape.corner_count() >= 2) include(shape.corners.b);
    if (shape.corner_count() >= 3) include(shape.corners.c);
    // What the corners' tails hold is within the error too: half a last bit.
    grow(box, error(convex::magnitude(shape), {}) + radius_around(shape));
    return box;
  }

 private:
  double radius_around(const convex::SimpleShape& shape) const { return shape.radius * (1 + bend) * (1 + 0x1p-50); }
};

}  // namespace whisker::mesh
