#pragma once

/// \file
/// The questions: do two shapes touch, how far apart are they, how deep do they overlap, what does a ray hit.
///
/// Every query reads two placed shapes and writes a result; it changes nothing, and may run on any number of threads.
/// Numbers come as bounds [lower, upper] that contain the truth about the placed shapes (docs/guarantees.md says what
/// exactly is meant). A pair of shapes that a question cannot answer is an Error at once, never a guess:
/// `is_supported` tells beforehand, but for what is not in the kinds: `depth` needs meshes that are solid(), also as
/// parts of a compound.

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

/// A shape and where it stands: `{part, pose}`, or a shape alone for one in its own frame. A parameter type: it refers
/// to the shape, so it is not to be stored.
class Placed {
  std::optional<Shape> made_;  // from a shape that was not a Shape yet

 public:
  const Shape& shape;
  Pose pose;

  Placed(const Shape& shape_, const Pose& pose_ = {}) : shape(shape_), pose(pose_) {}
  /// From any shape: `touches(part, Sphere{1})`.
  template <class AnyShape>
  requires std::is_convertible_v<const AnyShape&, Shape> Placed(const AnyShape& shape_, const Pose& pose_ = {})
      : made_(shape_), shape(*made_), pose(pose_) {}

  Placed(const Placed&) = delete;
  Placed& operator=(const Placed&) = delete;
};

enum class Question { touches, distance, depth };

/// Whether `question` can be asked of this pair of kinds of shapes, in either order. All pairs have `touches` and
/// `distance`; `depth` all but two height fields, and a compound and a height field.
bool is_supported(Question question, ShapeKind a, ShapeKind b);

/// Do a and b share a point? Borders belong to the shapes.
///
/// Exact for segments, triangles and meshes: false means that the placed triangles share no point, true that they do.
/// For every other pair true unless proven apart. Where `cost` is given, the work is added to it.
/// Throws an Error if the pair is not supported.
bool touches(const Placed& a, const Placed& b, Cost* cost = nullptr);

struct TouchOptions {
  /// For a pair that is asked again and again while it moves: start where its last query ended.
  PairCache* cache = nullptr;
};
bool touches(const Placed& a, const Placed& b, const TouchOptions& options, Cost* cost = nullptr);

/// Of yes/no questions that are asked about many at once (batch.hpp, mesh_queries.hpp, spheres/sphere_set.hpp).
struct BatchOptions {
  /// How many threads work: 0 all that oneTBB gives, 1 the calling thread alone, n at most n. The answers are the same.
  int threads = 0;
};

/// What of a shape an answer is about.
enum class FeatureKind : std::uint8_t {
  whole,     ///< The shape, or that part of a compound, as a whole.
  triangle,  ///< A triangle of a mesh or height field: `id` is its number.
  sphere,    ///< A ball of a SphereSet or a sphere of a SphereBody: `id` is its number.
  vertex,    ///< A vertex of a ConvexHull: `id` is its index in vertices().
  edge,      ///< An edge of a ConvexHull: `id` is its index in edges().
  face,      ///< A face of a ConvexHull: `id` is its number.
};
struct Feature {
  std::uint32_t part = 0;  ///< Of a compound the part's number, counted through nested compounds; else 0.
  FeatureKind kind = FeatureKind::whole;
  std::uint32_t id = 0;  ///< Its number, as the kind says; 0 for a whole shape.

  friend bool operator==(const Feature&, const Feature&) = default;
};

/// Two features that touch.
struct Contact {
  Feature a;
  Feature b;
  /// Two triangles: where they intersect, up to rounding; twice the same point if they meet in one; of two in one plane
  /// a longest chord of what they share. Other pairs: twice one point that is in both. World frame.
  Segment segment;
};

struct ContactOptions {
  /// Stop after so many.
  std::size_t max_count = std::numeric_limits<std::size_t>::max();
  /// Work out where the features intersect; without, `Contact::segment` is left zero.
  bool segments = true;
};

struct Contacts {
  /// In an order that depends on the shapes alone, the same on every machine.
  std::vector<Contact> pairs;
  Stop stop = Stop::exact;  ///< `count` if there may be more than `max_count`.
  Cost cost;
};

/// Every pair of features of a and b that touch: of meshes and height fields their triangles, of compounds their parts'
/// features. Exact where `touches` is. A shape that lies inside a solid mesh without touching its surface gives one
/// contact of the two wholes.
Contacts contacts(const Placed& a, const Placed& b, const ContactOptions& options = {});
/// The same into memory that is used again.
void contacts(const Placed& a, const Placed& b, const ContactOptions& options, Contacts& result);

/// A curve along which two surfaces intersect.
struct Polyline {
  std::vector<Vector3> points;  ///< World frame.
  bool closed = false;          ///< The last point is joined to the first one.
};

/// The segments of contacts (ContactOptions::segments), joined end to end. O(n log n).
///
/// Ends are one where every coordinate agrees up to `tolerance`; ends more than 9/4 of it apart are not, but through
/// others between them. The default is a few units in the last place of the largest coordinate; 0 asks for equal
/// doubles. A curve ends where more than two segments meet; a loop through such a point begins there. Segments that are
/// there twice count once. Of faces in one plane the segments are chords, which bound nothing. Points are left out,
/// unless there are points alone: then each is a polyline of one. The same contacts give the same polylines.
std::vector<Polyline> polylines(const Contacts& contacts, double tolerance = -1);

struct DistanceOptions {
  /// Stop when upper - lower is at most this, in the user's unit.
  double tolerance = 0;
  /// A distance beyond this is of no interest: the search stops once it is proven, with upper infinite.
  double upper_bound = std::numeric_limits<double>::infinity();
  /// Stop as soon as the distance is known to be at most this.
  double close_enough = -1;
  /// Stop after about so many pair tests (volumes and primitives), with the bounds reached so far.
  std::uint64_t budget = std::numeric_limits<std::uint64_t>::max();
  /// Start where the last query of this pair ended. Not of a batch: a cache is not for several threads.
  PairCache* cache = nullptr;
  /// Of a batch (batch.hpp, World::closer_than): how many threads work; 0 all that oneTBB gives, 1 the calling thread
  /// alone, n at most n. A single question is always answered on the calling thread.
  int threads = 0;
};

/// How far apart two shapes are.
struct Distance {
  double lower = 0;  ///< The distance is at least this…
  double upper = 0;  ///< …and at most this.
  /// A point of a, within rounding, that is closest to b; world frame. Where convex shapes are as close all over an
  /// edge or a face, the middle of what they share: of an edge, or of an area its centroid. Of meshes and height fields
  /// the middle of what the two triangles share.
  Vector3 point_a = Vector3::Zero();
  Vector3 point_b = Vector3::Zero();  ///< Its partner on b. The two are `upper` apart, within rounding.
  Vector3 normal = Vector3::Zero();   ///< Unit vector from a to b; zero where they touch.
  Feature feature_a;                  ///< What of a point_a lies on.
  Feature feature_b;
  Stop stop = Stop::exact;
  Cost cost;

  double value() const { return middle_of(lower, upper); }
};

/// The distance of a and b; 0 if they touch.
Distance distance(const Placed& a, const Placed& b, const DistanceOptions& options = {});

/// Are a and b closer than `max_distance`, or exactly so far apart? True unless proven farther; touching shapes are
/// closer than anything.
bool closer_than(const Placed& a, const Placed& b, double max_distance, Cost* cost = nullptr);
bool closer_than(const Placed& a, const Placed& b, double max_distance, const TouchOptions& options,
                 Cost* cost = nullptr);

struct DepthOptions {
  /// Stop when upper - lower is at most this, in the user's unit.
  double tolerance = 0;
  /// Stop after about so many tests (volumes, primitives, supports), with the bounds reached so far. Heeded by meshes,
  /// and as `cache` and `hint` are.
  std::uint64_t budget = std::numeric_limits<std::uint64_t>::max();
  /// Start where the last query of this pair ended. Heeded where a cylinder, cone, ellipsoid, convex hull or custom
  /// shape meets one of these, or a sphere, capsule, box, segment or triangle.
  PairCache* cache = nullptr;
  /// Where b should leave to, of any length: against its velocity, say. Of the ways out that are longer than the
  /// shortest by no more than `hint_slack` of it, the one that goes there best is taken; `lower` still bounds the
  /// shortest. Zero: the shortest way. Heeded as `cache` is. Both must be finite, and the slack 0 or larger.
  Vector3 hint = Vector3::Zero();
  double hint_slack = 0.1;
};

/// How deep two shapes overlap: the length of the shortest translation after which they overlap no more.
struct Depth {
  double lower = 0;  ///< The depth is at least this…
  double upper = 0;  ///< …and at most this: b moved by `normal * upper` overlaps a no more.
  /// Unit vector along which b leaves a; from a to b. Zero where they do not overlap, and where nothing parts them
  /// (`upper` is infinite).
  Vector3 normal = Vector3::Zero();
  /// A point of a, world frame, and its partner on b: the two points where the shapes touch last when b leaves, before
  /// it has moved. point_a - point_b is `normal * upper`, within rounding: with convex shapes 2^-46 of their sizes
  /// and 2^-49 of the largest coordinate, and what shapes of the user's own declare; with others 2^-43. Where an edge
  /// or a face is shared they are in its middle, as those of `distance` are. Zero where there is no normal:
  /// has_points().
  Vector3 point_a = Vector3::Zero();
  Vector3 point_b = Vector3::Zero();
  Stop stop = Stop::exact;
  Cost cost;

  double value() const { return middle_of(lower, upper); }
  /// Whether there is a way out, with its two points.
  bool has_points() const { return normal != Vector3::Zero(); }
};

/// The depth of a and b; 0 if they do not overlap or only touch. Infinite where no translation parts them (a half-space
/// and a plane that are not parallel). A mesh that is not solid() has no inside to overlap: an Error.
///
/// A height field, which is a surface in all other questions, is here the ground below it: everything straight down
/// from its surface, without end, between upright walls below the border of the grid. So a shape that is under the
/// surface has a depth though the two do not touch; it leaves the ground through the surface or through a wall,
/// whichever is nearer. Two height fields have none, nor has a compound with one.
///
/// Of a compound `lower` is the depth of its deepest pair of parts, and `upper` a translation, verified, that parts all
/// of them; unless the two agree `stop` is `Stop::limit`. That search allocates memory as well.
///
/// Where both are convex (all shapes but height fields, compounds and meshes, and of these the solid ones that are
/// exactly convex in their own coordinates) the bounds close in on the depth: up to rounding, or to two millionths of
/// the depth where one has a curved border (`Stop::exact`), or, for meshes that are round and deep in each other, to a
/// fraction of a percent (`Stop::limit`). The depth of other meshes is a search: `upper` is the best translation found,
/// verified, after which the two just touch, and `lower` is at least how deep the deepest corner of one lies in the
/// other (corners of a box, a hull of up to 256 vertices or a mesh); between them the truth may lie anywhere
/// (`Stop::limit`). Unlike other queries, that search allocates memory.
///
/// Throws an Error if the pair is not supported, the tolerance is NaN or negative, or
/// the hint or its slack is not as it must be.
Depth depth(const Placed& a, const Placed& b, const DepthOptions& options = {});

/// The first point of the ray within `range` that belongs to the shape, or nothing. See ray.hpp for what a hit holds.
/// At a compound: the first hit of its parts, with bounds that hold for all of them. Throws an Error if the target is a
/// custom convex shape or a compound with one, if the ray is not finite or beyond
/// `max_coordinate`, or if an end of the range is NaN.
std::optional<RayHit> cast_ray(const Ray& ray, const Placed& target, const RayRange& range = {});

}  // namespace whisker
