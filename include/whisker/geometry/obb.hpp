#pragma once

/// \file
/// Obb: an oriented bounding box, its fits, and its overlap test by separating axes (Gottschalk, Lin, Manocha 1996).
///
///     Obb box = fit_obb(points);
///     Obb other = fit_obb(triangles, BoxFit::vertices);                  // faster, often larger
///     if (!overlaps(box, pose_a, other, pose_b)) return;                 // proven apart
///     if (classify(box, camera_frustum) == FrustumSide::outside) return; // not visible
///
/// A half-length may be 0 (rectangle, segment, point) or infinite (infinite bar, slab, plane). The rules that all
/// bounding volumes follow, including rounding and errors, are in volumes.hpp.

#include <array>
#include <span>

#include <whisker/geometry/aabb.hpp>
#include <whisker/geometry/interval.hpp>
#include <whisker/pose.hpp>
#include <whisker/primitives.hpp>
#include <whisker/vector.hpp>

namespace whisker {

/// All points center + u₀ axes.col(0) + u₁ axes.col(1) + u₂ axes.col(2) with |uᵢ| <= half[i], in real arithmetic.
///
/// The stored axes are orthonormal only up to rounding, so strictly the set is a parallelepiped. Every function here
/// means that set. For boxes that whisker makes, AᵀA (A is `axes`) differs from the identity by at most 1e-15. For axes
/// that a caller supplies, `grow`, `merge` and `place` throw an Error if AᵀA differs from the identity by more than
/// 1e-6. The other functions accept any axes.
///
/// An infinite half[i] lets uᵢ be any number. `place` rotates an infinite axis as place_direction does and takes the
/// rounded axis as the true one: no half-length could absorb a rounding error at infinity.
struct Obb {
  Matrix3 axes = Matrix3::Identity();  ///< The unit directions of the edges, as columns.
  Vector3 center = Vector3::Zero();
  Vector3 half = Vector3::Zero();  ///< Half the edge lengths along the axes; 0 or larger, may be infinite.
};

/// What the axes are fitted to. The axes are the eigenvectors of a covariance matrix of the following points. The
/// lengths always follow from all given points.
enum class BoxFit {
  vertices,       ///< The given points, each once (the corners of triangles as often as they are given).
  hull_vertices,  ///< The vertices of the convex hull, so that interior points have no influence. O(n log n).
  hull_area,      ///< The hull's surface, evenly weighted, so that the density of its vertices has no influence either.
                  ///< O(n log n).
};

/// A box around all points, or all triangles. With the two hull fits, degenerate input is fitted in its own plane or
/// line: a flat hull gives its plane and the axes of its polygon, a segment gives its direction, and a point gives the
/// world axes. Throws an Error if there is nothing to fit to, or a coordinate is not finite or beyond `max_coordinate`.
Obb fit_obb(std::span<const Vector3> points, BoxFit fit = BoxFit::hull_area);
Obb fit_obb(std::span<const Triangle> triangles, BoxFit fit = BoxFit::hull_area);
/// The box with the given axes around all points. Throws an Error also if the axes are not unit vectors at right angles
/// (AᵀA within 1e-6 of the identity).
Obb fit_obb(std::span<const Vector3> points, const Matrix3& axes);

/// A box around both: the one of smallest surface among the box with a's axes, the box with b's axes, and, if both
/// boxes are finite, the box with axes fitted to all sixteen corners.
Obb merge(const Obb& a, const Obb& b);
/// The box with all half-lengths increased by `length`, rounded up. Throws an Error also if the length is negative or
/// not finite.
Obb grow(const Obb& volume, double length);
/// The box moved by the pose. Its half-lengths grow by the rounding error of the move.
Obb place(const Pose& pose, const Obb& volume);
/// False only if the point is proven to lie outside.
bool contains(const Obb& volume, const Vector3& point);
/// An AABB that encloses the box.
Aabb bounds(const Obb& volume);
/// In plain double arithmetic; infinite if a face is.
double surface_area(const Obb& volume);

/// Tests the 15 separating axes: face normals and cross products of edges. False only if the boxes are proven apart.
/// For boxes of finite size the test is also complete: boxes that are apart by more than rounding are found apart.
///
/// An infinite box is proven apart only along an axis that is exactly perpendicular to its infinite edges. For the
/// cross product of two box axes and these two axes themselves, that holds by construction, without rounding. A third
/// infinite axis must lie exactly in their plane (an exact determinant is zero).
bool overlaps(const Obb& a, const Obb& b);
bool overlaps(const Obb& a, const Pose& pose_a, const Obb& b, const Pose& pose_b);
/// An interval that contains the distance of the boxes, which is 0 if they meet. If a length is infinite, the lower
/// bound comes from the 15 axes alone and may be far below the distance.
Interval distance_bounds(const Obb& a, const Obb& b);
Interval distance_bounds(const Obb& a, const Pose& pose_a, const Obb& b, const Pose& pose_b);

/// The view volume of a camera: the intersection of six half-spaces. Normals point outward and need not be unit
/// vectors.
struct Frustum {
  std::array<HalfSpace, 6> planes;
};

/// Where a box lies relative to a frustum.
enum class FrustumSide {
  outside,  ///< Proven to lie beyond one of the planes.
  inside,   ///< Proven to lie within all six half-spaces.
  unknown,  ///< The box crosses a plane, is outside only with respect to several planes together, or is too close to a
            ///< plane to tell.
};

/// Compares the box with each plane of the frustum by itself; both in one frame.
FrustumSide classify(const Obb& volume, const Frustum& frustum);
/// Whether the box may be visible: classify() does not return `outside`.
bool overlaps(const Obb& volume, const Frustum& frustum);

}  // namespace whisker
