#pragma once

/// \file
/// The contact manifold of two convex shapes: a handful of points over which a solver can spread the force between
/// them.
///
/// Where `distance` and `depth` give one pair of points, a box that lies on a table touches it with a whole face. The
/// manifold is the common part of the two faces that look at each other, as up to eight points with names that last
/// from frame to frame.

#include <array>
#include <cstdint>
#include <span>

#include <whisker/queries.hpp>

namespace whisker {

/// A pair of points of the manifold. World frame.
struct ManifoldPoint {
  Vector3 point_a = Vector3::Zero();  ///< A point on a.
  Vector3 point_b = Vector3::Zero();  ///< Its partner on b.
  /// How far b is from a here, along the manifold's normal: normal · (point_b - point_a). Negative: they overlap.
  double gap = 0;
  /// The name of the features that made the point: those of a in the upper half, those of b in the lower half (0 inside
  /// a face; else a corner or an edge, by its number). No two points of a manifold have the same, and a point that
  /// moves with its features keeps it: impulses can be carried over from frame to frame. It does not depend on which of
  /// the two shapes' faces was clipped; with the shapes exchanged the halves are exchanged.
  std::uint64_t id = 0;
};

/// Where two convex shapes touch, nearly touch or overlap.
struct ContactManifold {
  static constexpr std::uint32_t max_points = 8;

  Vector3 normal = Vector3::Zero();  ///< Unit vector from a to b; zero if there are no points.
  std::array<ManifoldPoint, max_points> storage{};
  std::uint32_t count = 0;  ///< So many of them are used.
  /// The separation of the shapes, their distance or, negative, their depth, is at least `lower` and at most `upper`.
  double lower = 0;
  double upper = 0;
  Cost cost;

  /// Of three and more the corners of a convex polygon, in order around the normal.
  std::span<const ManifoldPoint> points() const { return {storage.data(), count}; }
};

struct ManifoldOptions {
  /// Points with a gap up to this are reported, in the user's unit: 0 gives shapes that touch or overlap (up to
  /// rounding), more also what is about to touch.
  double margin = 0;
  /// In radians, up to 0.5. A face that is off the normal by no more than this can carry a manifold; where no face is,
  /// two edges that cross touch in one point. Edges count as parallel within a tenth of it.
  double max_angle = 0.05;
  /// Start where the last query of this pair ended.
  PairCache* cache = nullptr;
};

/// The contact manifold of two bounded convex shapes, or of one and a half-space or plane.
///
/// The normal is that of the distance or of the depth; the faces that look along it are clipped against each other, and
/// what is within the margin is reduced to eight points: the deepest (points that are less deep by no more than a
/// quarter of the margin, 1/4096 of the smaller face at most, count as equally deep), and those that span the largest
/// area. There is at least one point whenever the shapes touch or are closer than the margin, and none when they are
/// farther apart.
///
/// Spheres, ellipsoids, custom shapes, and everything that touches with a corner or with crossing edges, touch in one
/// point, which is that of `distance` or `depth`: its two points lie one behind the other along the normal; capsules
/// and the sides of cylinders and cones in up to two. A disc is a polygon inscribed in its circle, with eight corners
/// fixed in its body and more where the other face's border crosses its rim. Faces of a hull that are in one plane up
/// to rounding are one (more with HullOptions::merge_distance); of one with more than 32 corners up to 17, spread over
/// all directions, stand for it, found in logarithmic time. Points closer together than 1/4096 of the smaller face
/// count as one, and one that is so close to the line between its neighbors is left out.
///
/// Allocates nothing of its own: what distance() and depth() do not, it does not. Throws an Error if an option
/// is out of range, both shapes are unbounded, or one is a mesh, height field or compound:
/// these may touch in many places, which contacts() lists.
ContactManifold contact_manifold(const Placed& a, const Placed& b, const ManifoldOptions& options = {});

}  // namespace whisker
