#pragma once

// The frame in which boxes are compared: the frame of one of the two placed shapes, in which that shape's own boxes are
// tight.
//
// With (R, t) the frame's pose, a world point y has the coordinates R⁻¹ (y - t) in the frame, in real arithmetic. Boxes
// in the frame are grown by `error`, so that they contain the coordinates of the placed doubles. A length in the frame
// times `stretch` is at most the corresponding length in the world.

#include <limits>

#include <whisker/geometry/aabb.hpp>
#include <whisker/pose.hpp>

#include "convex/simple_convex.hpp"
#include "convex/simple_shape.hpp"
#include "geometry/inverse_rotation.hpp"
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
  double stretch = 1;  ///< A length in the frame times this is at most the length in the world.
  double bend = 0;     ///< A world ball of radius r lies, in the frame, inside a ball of radius r (1 + bend).

  explicit CullFrame(const Pose& pose) : rotation(pose.rotation()), origin(pose.translation()) {
    const geometry::InverseRotation back(rotation);
    inverse = back.matrix;
    stretch = 1 - back.bend;
    bend = 2 * back.bend;
  }

  /// A pose relative to the frame, up to rounding.
  Pose relative(const Pose& pose) const {
    return geometry::raw_pose(inverse * pose.rotation(), inverse * (pose.translation() - origin));
  }

  /// Bounds all rounding errors between a shape's own coordinates and its coordinates in the frame. `size` is the
  /// largest of the shape's own coordinates. place() rounds four times, the relative pose's entries carry about twenty
  /// roundings of numbers below 2, and the sum over a row is below 2 times the largest coordinate. 200 half-ulps of the
  /// sum below cover everything; 256 are used.
  double error(double size, const Pose& pose) const {
    return 0x1p-45 * (size + pose.translation().cwiseAbs().maxCoeff() + origin.cwiseAbs().maxCoeff()) +
           std::numeric_limits<double>::min();
  }

  /// Returns a box around a placed simple shape, which must be bounded.
  Aabb box_around(const convex::SimpleShape& shape) const {
    const double radius = shape.radius * (1 + bend) * (1 + 0x1p-50);
    Aabb box;
    if (shape.core == convex::SimpleShape::Core::box || shape.core == convex::SimpleShape::Core::convex) {
      const bool is_box = shape.core == convex::SimpleShape::Core::box;
      const Aabb local = is_box ? Aabb{-shape.box.size / 2, shape.box.size / 2} : shape.convex->bounds;
      box = geometry::placed_box(local, relative(shape.pose));
      grow(box, error(local.lower.cwiseAbs().cwiseMax(local.upper.cwiseAbs()).maxCoeff(), shape.pose) + radius);
      return box;
    }
    shape.each_corner([&](const Vector3& corner) { box.include(Vector3(inverse * (corner - origin))); });
    // The error also covers the corners' tails, which are at most half an ulp.
    grow(box, error(convex::magnitude(shape), {}) + radius);
    return box;
  }
};

}  // namespace whisker::mesh
