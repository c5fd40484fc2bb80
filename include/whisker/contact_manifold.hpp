#pragma once

/// \file
/// Contact manifolds: the places where two shapes touch, each with a normal and up to eight points, over which a solver
/// can spread the contact force.
///
///     PairCache cache;  // one per pair, kept from frame to frame
///     const ContactManifold manifold = contact_manifold({box, pose}, table, {.margin = 0.01, .cache = &cache});
///     for (const ManifoldPoint& point : manifold.points())
///       add_contact(point.id, point.point_a, manifold.normal, point.gap);
///
/// `distance` and `depth` return a single pair of points, but a box that lies on a table touches it with a whole face.
/// The manifold is the intersection of the two faces that face each other, given as up to eight points. Each point has
/// an id that persists from frame to frame.
///
/// Two convex shapes touch in one place: contact_manifold() returns it. Meshes, height fields, compounds and sets of
/// spheres may touch in several: contact_manifolds() returns one manifold for each, for every pair of kinds. A World
/// finds those of all its pairs at once (World::manifolds).
///
///     ManifoldMemory memory;  // one per pair: points that stay where they are keep their ids
///     std::vector<ContactManifold> places;
///     contact_manifolds({crate, pose}, terrain, {.margin = 0.01, .memory = &memory}, places);

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/queries.hpp>

namespace whisker {

/// A pair of opposite points of the manifold. World frame.
struct ManifoldPoint {
  Vector3 point_a = Vector3::Zero();  ///< A point on a.
  Vector3 point_b = Vector3::Zero();  ///< The opposite point on b.
  /// The signed distance from a to b at this point, along the manifold's normal: normal · (point_b - point_a). Negative
  /// where the shapes overlap.
  double gap = 0;
  /// Identifies the two features that produced the point: the feature of a in the upper 32 bits, the feature of b in
  /// the lower 32 bits. Each half is 0 inside a face or on a curved surface; otherwise it encodes the number of a
  /// corner or an edge. Ids are unique within a manifold, and a point that moves along with its features keeps its id,
  /// so that impulses can be carried over from frame to frame. The id does not depend on which shape's face was
  /// clipped. Exchanging the two shapes exchanges the two halves.
  std::uint64_t id = 0;
};

/// Where two shapes touch, nearly touch or overlap: one place, with one normal.
struct ContactManifold {
  static constexpr std::uint32_t max_points = 8;  ///< The capacity of `storage`.

  Vector3 normal = Vector3::Zero();  ///< Unit vector from a to b, in the world frame. Zero if there are no points.
  std::array<ManifoldPoint, max_points> storage{};  ///< The first `count` elements are the points; see points().
  std::uint32_t count = 0;                          ///< The number of points.
  /// The signed separation of the shapes is at least `lower` and at most `upper`: it is their distance or, if they
  /// overlap, their penetration depth with a negative sign. Also set if there are no points.
  ///
  /// For a shape that is not convex: that of the features at the deepest point, its gap up to rounding.
  double lower = 0;
  double upper = 0;
  /// The features at the deepest point: the parts of compounds, the triangles of meshes and height fields, the balls of
  /// sphere sets. Whole for two convex shapes.
  Feature feature_a = {};
  Feature feature_b = {};
  Cost cost;

  /// The points. Three or more are the corners of a convex polygon, in order around the normal. The span refers to this
  /// object's `storage`.
  std::span<const ManifoldPoint> points() const { return {storage.data(), count}; }
};

/// The points of the last query about a pair of shapes, so that those of the next one keep their ids. Owned by the
/// caller, one per pair; copies are independent. Two threads must not use the same one at once.
struct ManifoldMemory {
  /// A point of the last query.
  struct Point {
    Vector3 in_a = Vector3::Zero();  ///< Its point on a, in the frame of a.
    Vector3 in_b = Vector3::Zero();  ///< Its point on b, in the frame of b.
    std::uint64_t id = 0;
  };
  std::vector<Point> points;
  std::uint64_t next_id = 1;  ///< The id of the next point that is new.
};

struct ManifoldOptions {
  /// Points with a gap up to this are reported. A length in the user's unit, from 0 to `max_coordinate`. With 0, only
  /// shapes that touch or overlap (up to rounding) have points; with more, shapes that are about to touch have them as
  /// well.
  double margin = 0;
  /// A face whose normal deviates from the contact normal by at most this angle can carry a manifold. In radians, from
  /// 0 to 0.5. Where neither shape has such a face, two crossing edges touch in one point. Edges count as parallel if
  /// the angle between them is at most a tenth of this.
  double max_angle = 0.05;
  /// Warm start: begin where the last query of this pair ended. May be null. The caller owns the cache.
  PairCache* cache = nullptr;
  /// If given, points keep the ids of the last query with this memory, and ids are plain numbers without the meaning
  /// that ManifoldPoint::id describes. A point gets the id of the nearest earlier point that has moved by less than 2 %
  /// of the smaller shape's size in both shapes' frames; a point without one gets an id that the memory has not used
  /// before. May be null. The caller owns the memory.
  ManifoldMemory* memory = nullptr;
};

/// Computes the contact manifold of two bounded convex shapes, or of a bounded convex shape and a half-space or plane.
///
/// The normal is that of the distance or, if the shapes overlap, that of the depth. The two faces that face along the
/// normal are clipped against each other. The points whose gap is within the margin are then reduced to eight: the
/// deepest one, and those that span the largest area. Points count as equally deep if their depths differ by no more
/// than a quarter of the margin and no more than 1/4096 of the smaller face. There is at least one point whenever the
/// shapes touch or are closer than the margin, and none when they are farther apart.
///
/// How many points to expect:
/// - Spheres, ellipsoids and custom shapes touch in one point, and so does every contact at a corner or between
///   crossing edges. That point is the pair that `distance` or `depth` returns; its two points lie on a line along the
///   normal.
/// - Capsules and the sides of cylinders and cones touch in up to two points.
/// - A disc (the cap of a cylinder, the base of a cone) is replaced by a polygon inscribed in its circle. The polygon
///   has eight corners that are fixed in the body, and more where the border of the other face crosses the rim.
/// - Faces of a hull that are coplanar up to rounding count as one face (HullOptions::merge_distance merges more). A
///   hull face with more than 32 corners is represented by up to 17 of its corners, spread over all directions and
///   found in logarithmic time.
///
/// Points closer together than 1/4096 of the smaller face are merged into one. A point that is within this distance of
/// the line between its neighbors is dropped.
///
/// Allocates no memory beyond what distance() and depth() allocate. Throws an Error if an option is out of range, if
/// both shapes are unbounded, or if one is not convex: contact_manifolds() is for those.
ContactManifold contact_manifold(const Placed& a, const Placed& b, const ManifoldOptions& options = {});

/// Computes the manifolds of two shapes of any kind, one for each place and direction in which they touch. For two
/// convex shapes there is at most one, that of contact_manifold().
///
/// **A convex shape and a mesh or height field.** Every triangle within the margin is clipped against the face of the
/// shape that it faces. Triangles whose normals differ by at most `max_angle` form one place, whose normal is that at
/// the deepest point; its points are reduced to the corners of their hull and those that are deeper than what the
/// corners span there (which come last if they are inside), and then to eight. A shape touches an edge or a corner of
/// the surface only where the surface bends outward, or ends: edges between triangles that are flush, or that form a
/// valley, are not felt, so a box slides over a flat mesh as over a plane.
///
/// A solid mesh is touched from outside: triangles that the middle of the shape is behind do not count. If no other
/// gives a point, there is one manifold, that of the depth. So is a ground (make/ground.hpp): from above. A mesh
/// that is not solid, and a height field, are touched from the side on which the middle of the shape is.
///
/// **Two surfaces.** Each pair of triangles that cross or are within the margin touches along the normal of one of the
/// two, or across two of their edges: the direction in which they overlap least, of those that both surfaces feel
/// there. Pairs whose triangles are neighbors on both surfaces form a region, and the points of a region form places in
/// the same way, by their normals: each foot of a table has its own. Points that do not touch yet are joined up to an
/// angle of 0.25. Of a mesh that is sunk into another by more than the margin, triangles far inside have no partner and
/// give no points. Triangles of a surface that is not solid face the middle of the other one or, where that is beside
/// them, the side from which their corners are counter-clockwise.
///
/// **Compounds, sphere sets and sphere bodies.** The manifolds of their parts and balls; those of balls are joined
/// where their normals differ by at most `max_angle`.
///
/// There is at least one point whenever the shapes touch or are closer than the margin, and none when they are farther
/// apart. The manifolds are in an order that depends only on the shapes. Throws the Errors of contact_manifold(), and
/// an Error if a part has an unbounded partner that is unbounded too.
void contact_manifolds(const Placed& a, const Placed& b, const ManifoldOptions& options,
                       std::vector<ContactManifold>& manifolds);
inline std::vector<ContactManifold> contact_manifolds(const Placed& a, const Placed& b,
                                                      const ManifoldOptions& options = {}) {
  std::vector<ContactManifold> manifolds;
  contact_manifolds(a, b, options, manifolds);
  return manifolds;
}

}  // namespace whisker
