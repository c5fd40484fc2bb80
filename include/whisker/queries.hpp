#pragma once

/// \file
/// The questions: do two shapes touch, how far apart are they, how deep do they overlap, what does a ray hit.
///
/// Every query reads two placed shapes and writes a result; it changes nothing, and may run on any number of threads.
/// Numbers come as bounds [lower, upper] that contain the truth about the placed shapes (docs/guarantees.md says what
/// exactly is meant). A pair of shapes that a question cannot answer is an Error at once, never a guess:
/// `is_supported` tells beforehand, but for one thing that is not in the kinds: `depth` needs meshes that are solid().

#include <limits>
#include <optional>
#include <type_traits>

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

/// Whether `question` can be asked of this pair of kinds of shapes, in either order.
bool is_supported(Question question, ShapeKind a, ShapeKind b);

/// Do a and b share a point? Borders belong to the shapes.
///
/// Exact for segments, triangles and meshes: false means that the placed triangles share no point, true that they do.
/// For every other pair true unless proven apart. Where `cost` is given, the work is added to it.
/// Throws an Error if a pose is not rigid and finite or the pair is not supported.
bool touches(const Placed& a, const Placed& b, Cost* cost = nullptr);

struct DistanceOptions {
  /// Meshes: stop when upper - lower is at most this, in the user's unit.
  double tolerance = 0;
};

/// How far apart two shapes are.
struct Distance {
  double lower = 0;                   ///< The distance is at least this…
  double upper = 0;                   ///< …and at most this.
  Vector3 point_a = Vector3::Zero();  ///< A point of a, within rounding, that is closest to b; world frame.
  Vector3 point_b = Vector3::Zero();  ///< Its partner on b. The two are `upper` apart, within rounding.
  Vector3 normal = Vector3::Zero();   ///< Unit vector from a to b; zero where they touch.
  Stop stop = Stop::exact;
  Cost cost;

  double value() const { return lower == upper ? lower : lower + (upper - lower) / 2; }
};

/// The distance of a and b; 0 if they touch.
Distance distance(const Placed& a, const Placed& b, const DistanceOptions& options = {});

/// How deep two shapes overlap: the length of the shortest translation after which they overlap no more.
struct Depth {
  double lower = 0;                     ///< The depth is at least this…
  double upper = 0;                     ///< …and at most this: b moved by `direction * upper` overlaps a no more.
  Vector3 direction = Vector3::Zero();  ///< Unit vector along which b leaves a; zero where they do not overlap.
  Vector3 point_a = Vector3::Zero();    ///< The point of a that lies deepest in b along `direction`; world frame.
  Vector3 point_b = Vector3::Zero();    ///< The point of b that lies deepest in a.
  Stop stop = Stop::exact;
  Cost cost;

  double value() const { return lower == upper ? lower : lower + (upper - lower) / 2; }
};

/// The depth of a and b; 0 if they do not overlap or only touch. Infinite where no translation parts them (a half-space
/// and a plane that are not parallel). A mesh that is not solid() has no inside to overlap: an Error.
Depth depth(const Placed& a, const Placed& b);

/// The first point of the ray within `range` that belongs to the shape, or nothing. See ray.hpp for what a hit holds.
/// At a compound: the first hit of its parts, with bounds that hold for all of them. Throws an Error if the target is a
/// custom convex shape or a compound with one, if the pose is not rigid and finite, if the ray is not finite or beyond
/// `largest_coordinate`, or if an end of the range is NaN.
std::optional<RayHit> cast_ray(const Ray& ray, const Placed& target, const RayRange& range = {});

}  // namespace whisker
