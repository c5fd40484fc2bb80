#pragma once

/// \file
/// The queries on two shapes: do they touch, what are their contacts, how far apart are they, how deep do they overlap.
/// Also a ray cast against one shape.
///
///     const Shape box = Box{.size = {2, 2, 2}}, rod = Capsule{.radius = 0.25, .length = 4};
///     const Pose pose(Vector3(2, 0, 0));
///     const bool hit = touches(box, {rod, pose});               // a shape alone is in its own frame
///     const Distance gap = distance(box, {rod, pose});          // gap.lower <= true distance <= gap.upper
///     const Depth overlap = depth(box, {rod, pose});            // the rod moved by normal * upper is free
///     const Distance both = signed_distance(box, {rod, pose});  // positive apart, negative overlapping
///     if (const auto first = cast_ray({{5, 0, 0}, {-1, 0, 0}}, {rod, pose})) use(first->point, first->normal);
///
/// Points and directions are in the world frame, lengths in the user's unit. A query does not modify the shapes, so any
/// number of threads may run queries at once.
///
/// Numbers are returned as bounds [lower, upper] that contain the true value for the placed shapes. docs/guarantees.md
/// defines what that means exactly. A query that is not supported for a pair of shapes throws an Error instead of
/// guessing. `is_supported` tells beforehand whether a pair of shape kinds is supported. One condition is not visible
/// in the kinds: `depth` requires meshes to be solid(), including those inside a compound.
///
/// For many poses or pairs at once see batch.hpp, for many bodies world.hpp, for moving shapes first_contact.hpp.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <vector>

#include <whisker/pair_cache.hpp>
#include <whisker/pose.hpp>
#include <whisker/ray.hpp>
#include <whisker/result.hpp>
#include <whisker/shape.hpp>

namespace whisker {

/// A parameter type: a shape and its pose, written `{part, pose}`, or a shape alone for one in its own frame. It refers
/// to the shape and the pose of the caller, so do not store it, and do not return it from a function.
class Placed {
  // What the arguments made, if they were no Shape and no Pose that the caller has.
  std::optional<Shape> made_;
  std::optional<Pose> kept_;

 public:
  const Shape& shape;
  const Pose& pose;

  Placed(const Shape& shape_) : Placed(shape_, Pose()) {}
  Placed(const Shape& shape_, const Pose& pose_) : shape(shape_), pose(pose_) {}
  // `const`, for results of functions and conditions that are.
  Placed(const Shape& shape_, const Pose&& pose_) : kept_(pose_), shape(shape_), pose(*kept_) {}
  /// Takes anything that converts to a Shape: `touches(part, Sphere{1})`.
  template <class AnyShape>
  requires std::is_convertible_v<const AnyShape&, Shape> Placed(const AnyShape& shape_) : Placed(shape_, Pose()) {}
  template <class AnyShape>
  requires std::is_convertible_v<const AnyShape&, Shape> Placed(const AnyShape& shape_, const Pose& pose_)
      : made_(shape_), shape(*made_), pose(pose_) {}
  template <class AnyShape>
  requires std::is_convertible_v<const AnyShape&, Shape> Placed(const AnyShape& shape_, const Pose&& pose_)
      : made_(shape_), kept_(pose_), shape(*made_), pose(*kept_) {}

  Placed(const Placed&) = delete;
  Placed& operator=(const Placed&) = delete;
};

/// A query, for `is_supported`.
enum class Question { touches, distance, depth, signed_distance };

/// Whether a query is supported for two kinds of shapes, in either order. `touches` and `distance` support all pairs.
/// `depth` and `signed_distance` support all pairs except those with a height field, which has no inside (its ground(),
/// make/ground.hpp, has one), unless the field is rounded().
bool is_supported(Question question, ShapeKind a, ShapeKind b);

/// Whether a and b share a point. Borders belong to the shapes.
///
/// For segments, triangles and meshes, with each other and with planes and half-spaces, the answer is exact: true if
/// and only if the placed triangles share a point with each other, or with the plane. For every other pair it is true
/// unless the two are proven to be apart. If `cost` is given, the work is added to it. Throws an Error if the pair is
/// not supported.
bool touches(const Placed& a, const Placed& b, Cost* cost = nullptr);

struct TouchOptions {
  /// Warm start for a pair that is queried repeatedly while it moves. May be null; owned by the caller.
  PairCache* cache = nullptr;
};
/// The same with options.
bool touches(const Placed& a, const Placed& b, const TouchOptions& options, Cost* cost = nullptr);

/// Options of batches of yes/no queries (batch.hpp, mesh_queries.hpp, spheres/sphere_set_queries.hpp).
struct BatchOptions {
  /// The number of threads: 0 for all that oneTBB provides, 1 for only the calling thread, n for at most n. The answers
  /// do not depend on it.
  int threads = 0;
};

/// What kind of feature of a shape an answer refers to.
enum class FeatureKind : std::uint8_t {
  whole,     ///< The whole shape, or the whole part of a compound.
  triangle,  ///< A triangle of a mesh or height field: `id` is its number.
  sphere,    ///< A ball of a SphereSet or a sphere of a SphereBody: `id` is its number.
  vertex,    ///< A vertex of a polyhedron. Feature says how these are numbered.
  edge,      ///< An edge of a polyhedron.
  face,      ///< A face of a polyhedron.
};
/// A feature of a shape.
///
/// The vertices, edges and faces of polyhedra are numbered like this:
///
/// - ConvexHull: vertex i is vertices()[i], edge i is edges()[i], and face i is face(i), with the plane planes()[i]. A
///   flat hull has two faces, its sides. A segment has no face, only edge 0, and a point only vertex 0.
/// - Box: bit k of a vertex is set if it is on the positive side along axis k (0, 1, 2 for x, y, z). Edges along axis k
///   are 4k to 4k + 3: plus 1 if on the positive side of the first of the other two axes, plus 2 if on that of the
///   second. Faces are 2k on the negative side along axis k and 2k + 1 on the positive side.
/// - Triangle: corners a, b and c are 0, 1 and 2, edge i runs from corner i to the next one, and the face is 0.
/// - Segment: ends a and b are 0 and 1, the edge is 0.
///
/// They are in the shape's own frame, like vertices().
struct Feature {
  std::uint32_t part = 0;  ///< For a compound the number of the part, counted through nested compounds; otherwise 0.
  FeatureKind kind = FeatureKind::whole;
  std::uint32_t id = 0;  ///< The number of the feature, as `kind` defines it; 0 for a whole shape.

  friend bool operator==(const Feature&, const Feature&) = default;
};

/// Two features that touch, or are nearer than ContactOptions::margin.
struct Contact {
  Feature a;
  Feature b;
  /// For two triangles of meshes or height fields, their intersection up to rounding: twice the same point if they meet
  /// in one point, and a longest chord of their intersection if they are coplanar. The same for such a triangle and a
  /// Plane: the chord in which the plane cuts it, a longest edge if it lies in the plane, or twice the corner that
  /// touches. (`section` in mesh_queries.hpp joins these chords exactly.) For other pairs, among them triangles and
  /// half-spaces, twice one point that lies in both features. For features that do not touch
  /// (ContactOptions::margin), from the point of a that is closest to b to the point of b that is closest to a. World
  /// frame.
  Segment segment;
  /// Unit vector from a to b (ContactOptions::normals): the direction in which the feature of b is apart from that of a
  /// or, if they touch, in which it leaves it by the shortest translation. Both features are taken by themselves, so
  /// for two triangles that cross this is the direction of their own signed distance, not that in which the solids
  /// separate. World frame. Zero if there is no such direction.
  Vector3 normal = Vector3::Zero();
  /// The signed distance of the two features by themselves along `normal`: positive apart, negative if b's feature has
  /// to move this far along the normal until they no longer overlap, 0 if they only touch. It is the value() of that
  /// distance.
  double gap = 0;
};

struct ContactOptions {
  /// Stop after this many contacts.
  std::size_t max_count = std::numeric_limits<std::size_t>::max();
  /// Compute where the features intersect. If false, `Contact::segment` is left zero.
  bool segments = true;
  /// Compute `Contact::normal` and `Contact::gap`, which are left zero otherwise. Costs one signed distance of two
  /// features per contact.
  bool normals = false;
  /// Features that are nearer than this count as contacts too: all pairs of features except those that are proven to be
  /// farther apart. A length from 0 to `max_coordinate` (1e90); an infinite one is an Error.
  double margin = 0;
};

/// The result of `contacts`.
struct Contacts {
  std::vector<Contact> pairs;  ///< In an order that depends only on the shapes, and is the same on every machine.
  Stop stop = Stop::exact;     ///< `count` if there may be more than `max_count`.
  Cost cost;
};

/// Finds every pair of features of a and b that touch: triangles of meshes and height fields, and features of the parts
/// of compounds. Exact where `touches` is exact. A shape that lies inside a solid mesh without touching its surface
/// gives one contact between the two shapes as a whole. Throws an Error if the pair is not supported or the margin bad.
Contacts contacts(const Placed& a, const Placed& b, const ContactOptions& options = {});
/// The same, replacing the contents of `result` and reusing its memory.
void contacts(const Placed& a, const Placed& b, const ContactOptions& options, Contacts& result);

/// A curve along which two surfaces intersect.
struct Polyline {
  std::vector<Vector3> points;  ///< World frame.
  bool closed = false;          ///< Whether the last point is connected to the first one.
};

/// Joins the segments of contacts (ContactOptions::segments) end to end. O(n log n).
///
/// Two ends are merged if all their coordinates agree within `tolerance`. Ends more than 9/4 of the tolerance apart are
/// merged only through other ends between them. The default, any negative tolerance, is a few ulps of the largest
/// coordinate. A tolerance of 0 merges only equal doubles.
///
/// A curve ends where more than two segments meet, and a loop through such a point begins there. Segments that occur
/// twice count once. Contacts of coplanar triangles contribute chords, which do not bound anything. Contacts in a
/// single point are left out, unless there are no others: then each point is a polyline of one point. The same contacts
/// always give the same polylines.
///
/// Throws an Error if the tolerance is NaN or larger than `max_coordinate`, or if there are 2^31 contacts or more.
std::vector<Polyline> polylines(const Contacts& contacts, double tolerance = -1);

struct DistanceOptions {
  /// Stop when upper - lower is at most this, in the user's unit.
  double tolerance = 0;
  /// Distances larger than this are of no interest. The search stops once the distance is proven to be larger, and
  /// `upper` is then infinite.
  double upper_bound = std::numeric_limits<double>::infinity();
  /// Stop as soon as the distance is known to be at most this.
  double close_enough = -1;
  /// Stop after about this many pair tests (volumes and primitives), with the bounds reached so far.
  std::uint64_t budget = std::numeric_limits<std::uint64_t>::max();
  /// Warm start from the last query about this pair. May be null; owned by the caller. Must be null in a batch, because
  /// several threads cannot share a cache.
  PairCache* cache = nullptr;
  /// The number of threads of a batch (batch.hpp, World::closer_than): 0 for all that oneTBB provides, 1 for only the
  /// calling thread, n for at most n. A single query always runs on the calling thread.
  int threads = 0;
  /// Also find the vertices, edges and faces of polyhedra (Distance::feature_a). Changes nothing else in the result.
  /// For two hulls it takes about as long as their distance with a cache, 0.2 µs.
  bool features = false;
};

/// The result of `distance`, and of the queries for signed distances. If `upper` is infinite
/// (DistanceOptions::upper_bound), only `lower` is meaningful, not the points and features.
struct Distance {
  double lower = 0;  ///< The distance is at least this…
  double upper = 0;  ///< …and at most this.
  /// A point of a, up to rounding, that is closest to b. World frame. If convex shapes are equally close along an edge
  /// or over a face, it is in the middle of the part they share: the midpoint of an edge, the centroid of an area. For
  /// meshes and height fields it is in the middle of the part that the two closest triangles share.
  Vector3 point_a = Vector3::Zero();
  Vector3 point_b = Vector3::Zero();  ///< The matching point of b. The two points are `upper` apart, up to rounding.
  /// Unit vector from a to b; zero if they touch. It is the direction in which they are proven to be apart, and
  /// point_b - point_a is `normal * upper` up to rounding. With a cylinder, cone, ellipsoid or custom shape, whose
  /// bounds are not as close as that, the two differ by up to sqrt(2 upper (upper - lower)), sideways: often a
  /// ten-millionth of the distance.
  Vector3 normal = Vector3::Zero();
  /// The feature of a that point_a lies on, with the number of the part if a is a compound:
  ///
  /// - of a Mesh or HeightField a triangle, of a SphereSet a ball, of a SphereBody what sphere_body.hpp says;
  /// - of a polyhedron (ConvexHull, Box, Triangle, Segment) a vertex, edge or face, if DistanceOptions::features is
  ///   set and there is a normal; otherwise it is whole;
  /// - of a rounded shape (make/rounded.hpp) that of the inner shape on which the point lies without the radius;
  /// - every other shape is whole.
  ///
  /// Of a polyhedron it is the smallest feature that contains the point: a vertex before an edge before a face. Of the
  /// two sides of a flat one it is the side that faces the other shape. Points are rounded: a feature contains the
  /// point if it is closer to it than 2^-42 of the sizes of both shapes (from the origins of their frames) and of their
  /// distance, plus 2^-49 of the coordinates, and does not if it is farther than four times that. A face also contains
  /// points below it by `upper - lower` if the shapes are apart, and by what HullOptions::merge_distance has left
  /// uneven. If a search stopped so early that its point lies on no feature, the polyhedron is whole.
  Feature feature_a = {};
  Feature feature_b = {};  ///< The same for b and point_b.
  Stop stop = Stop::exact;
  Cost cost;

  /// The best single number within the bounds:
  ///
  /// - their middle if the caller had the search stop early (Stop::tolerance, Stop::budget); infinite if a bound is;
  /// - 0 for an exact answer whose bounds contain 0, so for shapes in contact;
  /// - a number with few digits if there is one between the bounds, so that shapes exactly 1 apart have the value 1. It
  ///   has at most 32 significant bits, and at least 12 fewer than the bounds agree in. (About one in 4,000 bounds
  ///   around other numbers contains such a number by accident.)
  /// - otherwise the distance of the two points where only rounding keeps the bounds apart, and else their middle.
  double value() const;
};

/// The distance between a and b; 0 if they touch. Throws an Error if the pair is not supported, if the tolerance or the
/// upper bound is NaN or negative, or if close_enough is NaN.
Distance distance(const Placed& a, const Placed& b, const DistanceOptions& options = {});

/// Whether the distance between a and b is at most `max_distance`. True unless they are proven to be farther apart;
/// shapes that touch are within any distance. If `cost` is given, the work is added to it. Throws an Error if the pair
/// is not supported, or `max_distance` is NaN or negative.
bool closer_than(const Placed& a, const Placed& b, double max_distance, Cost* cost = nullptr);
bool closer_than(const Placed& a, const Placed& b, double max_distance, const TouchOptions& options,
                 Cost* cost = nullptr);

struct DepthOptions {
  /// Stop when upper - lower is at most this, in the user's unit.
  double tolerance = 0;
  /// Stop after about this many tests (volumes, primitives, supports), with the bounds reached so far. Used for meshes,
  /// and for the pairs that use `cache`.
  std::uint64_t budget = std::numeric_limits<std::uint64_t>::max();
  /// Warm start from the last query about this pair. May be null; owned by the caller. Used if one shape is a cylinder,
  /// cone, ellipsoid, convex hull or custom shape, and the other is one of these or a sphere, capsule, box, segment or
  /// triangle.
  PairCache* cache = nullptr;
  /// The direction in which b should preferably leave a, for example against its velocity. World frame, any length;
  /// zero asks for the shortest way out. Of the ways out that exceed the shortest one by at most the fraction
  /// `hint_slack`, the one that agrees best with the hint is chosen; `lower` still bounds the shortest one. Must be
  /// finite. Used for the same pairs as `cache`.
  Vector3 hint = Vector3::Zero();
  /// See `hint`: 0.1 allows a way out that is 10 % longer than the shortest. Must be finite, and 0 or larger.
  double hint_slack = 0.1;
};

/// The result of `depth`: the penetration depth, the length of the shortest translation after which two shapes no
/// longer overlap.
struct Depth {
  double lower = 0;  ///< The depth is at least this…
  double upper = 0;  ///< …and at most this: b translated by `normal * upper` no longer overlaps a.
  /// Unit vector, pointing from a to b, along which b leaves a. World frame. Zero if the shapes do not overlap, and if
  /// no translation separates them (then `upper` is infinite).
  Vector3 normal = Vector3::Zero();
  /// The witness points of a and of b: the points, before any translation, at which the shapes touch last when b leaves
  /// along `normal`. World frame. point_a - point_b is `normal * upper` up to rounding. For convex shapes that is 2^-46
  /// of their sizes plus 2^-49 of the largest coordinate, plus the error that custom shapes declare; for others it is
  /// 2^-43, but 2^-42 for a ground, and 2^-33 for a ground and a cylinder, cone, ellipsoid or custom shape. If the
  /// shapes share an edge or a face, the points are in its middle, as those of `distance` are. Zero if there is no
  /// normal: see has_points().
  Vector3 point_a = Vector3::Zero();
  Vector3 point_b = Vector3::Zero();
  Stop stop = Stop::exact;
  Cost cost;

  /// The best single number within the bounds, chosen as Distance::value() does: 0 for an exact answer if the shapes
  /// are not proven to overlap, a number with few digits if there is one between the bounds, and otherwise their
  /// middle; infinite if a bound is.
  double value() const;
  /// Whether there is a way out, with a normal and two witness points.
  bool has_points() const { return normal != Vector3::Zero(); }
};

/// The penetration depth of a and b. It is 0 if they do not overlap or only touch, and infinite if no translation
/// separates them (a half-space and a plane that are not parallel).
///
/// **Convex shapes.** These are all shapes except grounds, compounds and meshes, and solid meshes that are
/// exactly convex in their own coordinates. For two of them the bounds converge to the true depth: up to rounding, or
/// to two millionths of the depth if one has a curved border (`Stop::exact`). For meshes that are round and overlap
/// deeply they converge to a fraction of a percent (`Stop::limit`).
///
/// **Other meshes.** The depth is found by a search. `upper` is the best translation found, verified, after which the
/// two just touch. `lower` is at least how deep the deepest corner of one lies in the other, counting the corners of a
/// box, of a hull of up to 256 vertices, or of a mesh. The true depth may be anywhere in between (`Stop::limit`).
/// Unlike other queries, this search allocates memory. A mesh that is not solid() has no inside to overlap and is an
/// Error.
///
/// **Height fields.** A height field is a surface, like a mesh that is not solid(): it has no inside to overlap and is
/// an Error. The ground below it, ground() in make/ground.hpp, is a solid: everything straight down from the surface,
/// without end, with vertical walls below the border of the grid. A shape in the ground has a depth even if it does not
/// touch the surface. It leaves the ground through the surface or through a wall, whichever is found to be nearer.
/// `lower` is what single points of the shape, and single triangles of the surface, prove.
///
/// **Compounds.** `lower` is the depth of the deepest pair of parts. `upper` is the length of a translation, verified,
/// that separates all parts. If the two bounds differ by more than rounding, `stop` is `Stop::limit`. This search
/// allocates memory as well.
///
/// Throws an Error if the pair is not supported, a mesh is not solid, the tolerance or `hint_slack` is NaN or negative,
/// or the hint or its slack is not finite.
Depth depth(const Placed& a, const Placed& b, const DepthOptions& options = {});

struct SignedDistanceOptions {
  /// Stop when upper - lower is at most this, in the user's unit. Whether the shapes touch is decided in any case.
  double tolerance = 0;
  /// Distances larger than this are of no interest, as in DistanceOptions.
  double upper_bound = std::numeric_limits<double>::infinity();
  /// Stop after about this many tests, with the bounds reached so far. Used for meshes and compounds, and for the depth
  /// of the pairs that use DepthOptions::budget.
  std::uint64_t budget = std::numeric_limits<std::uint64_t>::max();
  /// Warm start from the last query about this pair. May be null; owned by the caller. Must be null in a batch.
  PairCache* cache = nullptr;
  /// The number of threads of a batch (batch.hpp), as in DistanceOptions.
  int threads = 0;
  /// Also find the vertices, edges and faces of polyhedra, as in DistanceOptions.
  bool features = false;
};

/// How far apart two shapes are or how deep they overlap, in one query: the distance if they are apart, minus the
/// penetration depth if they overlap, 0 if they only touch. It costs about as much as `distance` for shapes that are
/// apart, and at most as much as `distance` and `depth` for others. (mesh_queries.hpp has the form for points.)
///
///     const Distance s = signed_distance(box, {rod, pose});
///     if (s.upper < 0) push_out(s.normal * -s.lower);       // b moved by this no longer overlaps a
///
/// **Bounds.** `lower` and `upper` bound the signed value. Both are 0 or larger if `touches` is false, and `lower` is 0
/// or smaller if it is true.
///
/// **Normal.** A unit vector from a to b whatever the sign: the direction from the closest point of a to that of b, or
/// the one in which b leaves a. Shapes that touch within rounding have one as well: a direction in which b moves away.
/// It is zero only if none is found: points in one place, shapes that no translation separates (a half-space and a
/// plane that are not parallel; `lower` is then -infinity, and the points are zero), and some shapes that are not
/// convex and touch on all sides.
///
/// **Points.** If the shapes are apart, point_b - point_a is `normal * upper` (see Distance::normal). If they overlap,
/// it is `normal * lower` (see Depth::point_a). If the bounds are equal up to rounding, this is `normal * value()`.
///
/// **Features.** What the points lie on, as Distance::feature_a describes it: triangles of meshes and height fields,
/// spheres of sets, vertices, edges and faces of polyhedra (SignedDistanceOptions::features), and parts of compounds. A
/// ground is a feature as a whole where it is left through the walls below its border.
///
/// **Height fields.** A height field is refused, as by `depth`. Its ground (make/ground.hpp) is a solid: a shape in the
/// ground has a negative value even if it does not touch the surface.
///
/// Throws an Error if `depth` does (the pair is not supported, or a mesh is not solid()), whether or not the shapes
/// overlap, and if the tolerance or the upper bound is NaN or negative.
Distance signed_distance(const Placed& a, const Placed& b, const SignedDistanceOptions& options = {});

/// The first point of the ray within `range` that belongs to the shape, or nothing if the ray misses it. The ray is in
/// the world frame. See ray.hpp for the fields of a hit. For a compound it is the first hit of any part, with bounds
/// that hold for all parts. Throws an Error if the target is a custom convex shape or a compound with one, if the ray
/// is not finite or has a coordinate beyond `max_coordinate`, or if an end of the range is NaN.
std::optional<RayHit> cast_ray(const Ray& ray, const Placed& target, const RayRange& range = {});

}  // namespace whisker
