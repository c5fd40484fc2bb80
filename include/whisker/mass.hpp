#pragma once

/// \file
/// Volume, center of mass and inertia tensor of a shape, with proven bounds: what a rigid-body solver needs of a body.
///
///     const MassProperties part = mass_properties(shape).with_density(7850);  // or with_mass(2.5)
///     const Matrix3 tensor = middle(part.inertia());                          // about the center, in the shape's axes
///     const PrincipalAxes axes = principal_axes(part);                        // a diagonal tensor in axes.pose
///     const MassProperties world = part.placed(pose);
///     const double error = width(part.mass);                                  // every number has its bounds
///
/// All numbers are intervals that contain the exact value for the doubles that the shape was made from (π included).
/// Those of primitives are a few ulps wide, those of hulls, meshes and rounded convex shapes less than 1e-12 of the
/// size, unless they are extremely thin (docs/guide.md). Rounded meshes and custom shapes have no formula; for these
/// MassOptions says how tight the bounds shall be. `middle` (geometry/interval.hpp) gives the value to calculate with.

#include <cstddef>
#include <span>

#include <whisker/geometry/interval.hpp>
#include <whisker/pose.hpp>
#include <whisker/vector.hpp>

namespace whisker {

class Shape;

/// A rigid body as its mass sees it. The lengths are in the user's unit; the unit of mass follows from the density.
struct MassProperties {
  Interval volume;
  /// The volume times the density, or what `with_mass` was given.
  Interval mass;
  /// The center of mass, in the body's frame.
  IntervalVector3 center;
  /// The mean of (x - center)(x - center)ᵀ over the mass, in the axes of the body's frame, in length². Symmetric. The
  /// inertia tensor follows from it and from the mass, and unlike that tensor it is within the range of doubles for
  /// bodies of every size that has a volume.
  IntervalMatrix3 covariance;

  /// The inertia tensor about the center, in the axes of the body's frame, in mass · length²: the integral of
  /// (d·d) 1 - d dᵀ with d = x - center. Symmetric; the products of inertia off the diagonal have the minus sign. An
  /// entry beyond the range of doubles is unbounded; `with_mass(1)` brings it back.
  IntervalMatrix3 inertia() const;
  /// The same about another point, given in the body's frame (the parallel axis theorem).
  IntervalMatrix3 inertia_about(const Vector3& point) const;

  /// The same body with another density or mass. Both throw an Error if the number is not positive and finite.
  MassProperties with_density(double density) const;
  MassProperties with_mass(double mass) const;

  /// The same body in the world frame: the point x with its mass goes to rotation · x + translation, in real numbers,
  /// with the matrix as it is. (A pose's rotation may be off from a true one by 1e-9, and so the inertia; the mass and
  /// the volume stay.)
  MassProperties placed(const Pose& pose) const;
};

/// When to stop where there is no formula: for custom convex shapes, and for rounded meshes that are not convex solids.
struct MassOptions {
  /// Stop when the bounds of the volume differ by at most this fraction of it. The bounds of center and inertia are
  /// then up to ten times as far apart, relative to the shape's size. Positive; below 1e-6, rounding decides.
  double tolerance = 1e-3;
  /// Stop after this many cubes of space, or calls of a support function, with the bounds reached so far. For a mesh, a
  /// tolerance of 1e-3 takes 10⁴ to 10⁶.
  std::size_t max_steps = 1'000'000;
};

/// The mass properties of a bounded shape with an inside, of density 1, in the shape's frame.
///
///  - SphereSet, Compound: the sum of the balls or parts. As in Shape::volume(), what overlaps counts for each of them.
///    Parts with a volume of exactly 0 weigh nothing. For parts of different densities, use `combined`.
///  - A solid Mesh that overlaps itself counts everywhere as often as its surface winds around. A ConvexHull with
///    merged faces is bounded by its polygons, each cut as a fan from its first vertex.
///  - A rounded convex shape (make/rounded.hpp): by Steiner's formula, with bounds below 1e-12 of the size, for all
///    kinds but custom ones. Segments, triangles and flat shapes have a mass once they are rounded. A rounded
///    ConvexHull or convex solid Mesh is that of the vertices' exact convex hull.
///  - A rounded HeightField, or Mesh that is not convex or not solid: bounds that `options` narrows, by an octree. Each
///    point counts once, however often the surface winds around it.
///  - A CustomConvex, rounded or not: bounds that `options` narrows, from two polyhedra with the shape between them,
///    and from the error that the support function declares.
///
/// O(n) in triangles, faces, balls or parts, and O(n log n) for rounded hulls; a nested compound is measured once,
/// wherever it occurs. Throws an Error for shapes without an inside (plane, segment, triangle, height field, mesh that
/// is not solid), for unbounded shapes (half-space, ground, rounded plane) and registered kinds that do not provide it,
/// also as parts of a compound. Throws an Error if the volume is 0, too close to 0 for the precision of the
/// computation, or below the range of doubles, and if an option is NaN or not positive.
MassProperties mass_properties(const Shape& shape, const MassOptions& options = {});

/// Several bodies as one, all given in the same frame: volumes and masses add up. Throws an Error if there is none, or
/// one whose mass is not positive.
MassProperties combined(std::span<const MassProperties> bodies);

/// The frame in which the inertia tensor is diagonal.
struct PrincipalAxes {
  /// The principal moments about the center in ascending order, for the body's mass. Interval i contains the exact
  /// moment i.
  IntervalVector3 moments;
  /// The principal frame in the body's frame: the columns of the rotation are the axes of the moments, and the
  /// translation is the middle of `center`. Where moments are equal, any such axes. The largest coordinate of the first
  /// and second axis is positive, and the third completes a right-handed frame.
  Pose pose;
};

/// The principal moments and axes. Throws an Error if the center is beyond `max_coordinate`.
PrincipalAxes principal_axes(const MassProperties& body);

}  // namespace whisker
