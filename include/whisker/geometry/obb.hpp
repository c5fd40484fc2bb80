#pragma once

/// \file
/// Obb: a box with axes of its own (OBB), its fits, and its test by separating axes (Gottschalk, Lin, Manocha
/// 1996). A half-length may be 0 (rectangle, segment, point) or infinite (slab, fat ray, plane).
///
/// What all bounding volumes have in common stands in volumes.hpp.

#include <array>
#include <span>

#include <whisker/geometry/aabb.hpp>
#include <whisker/geometry/interval.hpp>
#include <whisker/pose.hpp>
#include <whisker/primitives.hpp>
#include <whisker/vector.hpp>

namespace whisker {

/// All center + u₀ axes.col(0) + u₁ axes.col(1) + u₂ axes.col(2) with |uᵢ| <= half[i], in real arithmetic.
///
/// The stored axes are unit vectors at right angles only up to rounding, so the set is strictly a parallelepiped; every
/// function here means that set. Boxes that whisker makes have AᵀA within 1e-15 of the identity. Where a caller brings
/// axes, `grow`, `merge` and `place` throw an Error if AᵀA is off by more than 1e-6; the other functions work for any.
///
/// An infinite half[i] lets uᵢ be any number. `place` turns an infinite axis as place_direction does and takes the
/// rounded axis for the true one: at infinity there is no room for a rounding error.
struct Obb {
  Matrix3 axes = Matrix3::Identity();
  Vector3 center = Vector3::Zero();
  Vector3 half = Vector3::Zero();
};

/// Which points the axes are fitted to; they are the eigenvectors of a covariance, and all points decide the lengths.
enum class BoxFit {
  vertices,       ///< The given points, each once (of triangles: corners as often as they are given).
  hull_vertices,  ///< The corners of the convex hull: points inside do not count. O(n log n).
  hull_area,      ///< The hull's surface, as if evenly covered with points: nor does how densely its corners lie.
};

/// A box around all points. Points in one plane, on one line or in one place are fitted there: a flat hull gives its
/// own plane and the axes of its polygon, a segment its direction, a point the world's axes.
Obb fit_obb(std::span<const Vector3> points, BoxFit fit = BoxFit::hull_area);
Obb fit_obb(std::span<const Triangle> triangles, BoxFit fit = BoxFit::hull_area);
/// The box with these axes (unit vectors at right angles, up to 1e-6, else Error) around all points.
Obb fit_obb(std::span<const Vector3> points, const Matrix3& axes);

/// The smallest, by surface, of three boxes around both: with a's axes, b's, and axes fitted to all sixteen corners.
Obb merge(const Obb& a, const Obb& b);
Obb grow(const Obb& volume, double length);
Obb place(const Pose& pose, const Obb& volume);
bool contains(const Obb& volume, const Vector3& point);
Aabb bounds(const Obb& volume);
double surface_area(const Obb& volume);

/// By the 15 separating axes: face normals and products of edges. For boxes of finite size also complete: what is apart
/// by more than rounding is found apart.
///
/// An infinite length is separated only along an axis that is exactly at right angles to it, which for a product of two
/// axes is known without rounding; a third infinite axis must lie in their plane exactly (its determinant is zero).
bool overlaps(const Obb& a, const Obb& b);
bool overlaps(const Obb& a, const Pose& pose_a, const Obb& b, const Pose& pose_b);
/// With infinite lengths the lower bound comes from the 15 axes alone, and may be far below the distance.
Interval distance_bounds(const Obb& a, const Obb& b);
Interval distance_bounds(const Obb& a, const Pose& pose_a, const Obb& b, const Pose& pose_b);

/// The inside of a camera's view: what lies in all six half-spaces. Normals need not be unit vectors.
struct Frustum {
  std::array<HalfSpace, 6> planes;
};

/// How a box stands to a frustum.
enum class FrustumSide {
  outside,  ///< Proven to be beyond one of the planes.
  inside,   ///< Proven to be within all of them.
  unknown,  ///< It crosses a plane, or is outside only for several planes together, or too close to tell.
};

FrustumSide classify(const Obb& volume, const Frustum& frustum);
/// Not outside.
bool overlaps(const Obb& volume, const Frustum& frustum);

}  // namespace whisker
