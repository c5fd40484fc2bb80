#pragma once

/// \file
/// SphereSet: a rigid body made of balls, as motion planners use them, and its queries against all shapes.
///
///     const SphereSet robot(centers, radii);                     // in the robot's frame
///     bool hit = touches(room, {robot, pose});
///     Distance d = distance(room, {robot, pose});                // d.feature_b.id is the closest ball
///     touches(room, robot, poses, answers);                      // many poses, on all cores
///
/// Ball i of a placed set is the Sphere of the given radius with its center at place(pose, center i), which is a
/// computation of doubles with four roundings per coordinate. A set's answers are those that its balls give
/// individually (queries.hpp): `touches` is true unless every ball is proven apart, and distance bounds contain the
/// true distance of these balls. The answers are the same on every processor.
///
/// The other shape is always the first argument, since it is the one that stays in place in batches. Queries allocate
/// nothing, except where the other shape's own queries do (queries.hpp).

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <whisker/detail/held.hpp>
#include <whisker/geometry/aabb.hpp>
#include <whisker/geometry/bounding_sphere.hpp>
#include <whisker/geometry/interval.hpp>
#include <whisker/queries.hpp>

namespace whisker {

/// A set of balls in the body's frame. Immutable: copies share their data, and any number of threads may use it. Balls
/// are numbered in the order in which they are given.
class SphereSet {
 public:
  /// The number of no ball.
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  /// Copies the centers and radii. A radius of 0 is a point. Takes O(n) time, quadratic only within groups of 64.
  /// Throws an Error that names the sphere if a number is not finite or beyond `max_coordinate` or a radius is
  /// negative, and an Error if there is no sphere or the spans differ in size.
  SphereSet(std::span<const Vector3> centers, std::span<const double> radii);

  /// The number of balls.
  std::size_t size() const;
  /// The center and the radius of a ball, as given. Both throw an Error if there is no such ball.
  Vector3 center(std::size_t i) const;
  double radius(std::size_t i) const;

  /// All centers, one coordinate at a time, and all radii. The spans stay valid as long as this object or a copy
  /// exists.
  std::span<const double> x() const;
  std::span<const double> y() const;
  std::span<const double> z() const;
  std::span<const double> radii() const;

  /// A ball around all balls, in the body's frame, rounded outward. Not the smallest one.
  BoundingSphere ball() const;
  /// An AABB around all balls, in the body's frame, rounded outward.
  Aabb bounds() const;

 private:
  friend struct Internals;
  struct Storage;
  Held<"SphereSet", std::shared_ptr<const Storage>> storage_;
};

/// A set and its pose: `{robot, pose}`, or a set alone, which is at the identity. A parameter type: it refers to the
/// set, so do not store it.
struct PlacedSpheres {
  const SphereSet& set;
  Pose pose;

  PlacedSpheres(const SphereSet& set_, const Pose& pose_ = {}) : set(set_), pose(pose_) {}
};

/// Whether a ball of b shares a point with a. True unless every ball is proven apart. A ball inside a solid mesh
/// touches it. Against a mesh all balls traverse its tree together. If `cost` is given, the work is added to it.
bool touches(const Placed& a, const PlacedSpheres& b, Cost* cost = nullptr);
/// Whether a ball of b shares a point with a ball of a. True unless all pairs are proven apart.
bool touches(const PlacedSpheres& a, const PlacedSpheres& b, Cost* cost = nullptr);

/// The lowest number of a ball of b for which `touches` with a is true; nothing if there is none.
std::optional<std::uint32_t> first_touching(const Placed& a, const PlacedSpheres& b, Cost* cost = nullptr);

/// Options of distance() and clearances().
struct SphereDistanceOptions {
  /// Stop once the distance is proven to be larger than this; 0 or larger. The result is then a lower bound above this,
  /// an infinite upper bound, and no sphere: both features are of kind `whole`.
  double upper_bound = std::numeric_limits<double>::infinity();
  /// The number of threads of a batch: 0 for all that oneTBB provides, 1 for the calling thread alone, n for at most n.
  int threads = 0;
};

/// The distance of a from the closest ball of b; 0 if they touch.
///
/// `feature_b` has the kind `sphere`, and its `id` is the number of the closest ball of b: the one whose distance has
/// the least upper bound, on a tie the one with the lowest number. `point_b` and `normal` belong to this ball.
/// `feature_a` is the feature of a that is closest to that ball (a triangle, a part of a compound). For two sets it is
/// the ball of a that is closest to the ball of b, on a tie the one with the lowest number. Throws an Error if
/// `upper_bound` is negative or NaN.
Distance distance(const Placed& a, const PlacedSpheres& b, const SphereDistanceOptions& options = {});
Distance distance(const PlacedSpheres& a, const PlacedSpheres& b, const SphereDistanceOptions& options = {});

/// Writes the signed clearance of each ball of b from a: the signed distance of the ball's center from a, minus its
/// radius. Where the center is inside a, its signed distance is minus its depth. Solid meshes and all convex shapes
/// have an inside. Surfaces (a mesh that is not solid, a height field, a plane, a triangle) have none, so there a
/// clearance is at least minus the radius. For a compound it is the least over its parts.
///
/// If a clearance is beyond `options.upper_bound`, the answer is a lower bound above it, with an infinite upper bound.
/// Throws an Error if `answers` does not have exactly b.set.size() entries, or if `upper_bound` is negative or NaN.
void clearances(const Placed& a, const PlacedSpheres& b, std::span<Interval> answers);
void clearances(const Placed& a, const PlacedSpheres& b, const SphereDistanceOptions& options,
                std::span<Interval> answers);

// Batches: b in many poses, on all cores or on as many threads as the options allow, into the caller's memory. As in
// batch.hpp, answer i is what the single call gives for pose i, bit for bit, whatever the number of threads. Sizes and
// options are checked before the first query: if the spans do not fit or `threads` is negative, an Error is thrown and
// nothing is written.

/// touches() for each pose.
void touches(const Placed& a, const SphereSet& b, std::span<const Pose> poses_b, std::span<bool> answers);
void touches(const Placed& a, const SphereSet& b, std::span<const Pose> poses_b, const BatchOptions& options,
             std::span<bool> answers);
/// first_touching() for each pose; `SphereSet::none` where no ball touches.
void first_touching(const Placed& a, const SphereSet& b, std::span<const Pose> poses_b,
                    std::span<std::uint32_t> answers);
void first_touching(const Placed& a, const SphereSet& b, std::span<const Pose> poses_b, const BatchOptions& options,
                    std::span<std::uint32_t> answers);
/// distance() for each pose.
void distance(const Placed& a, const SphereSet& b, std::span<const Pose> poses_b, std::span<Distance> answers);
void distance(const Placed& a, const SphereSet& b, std::span<const Pose> poses_b, const SphereDistanceOptions& options,
              std::span<Distance> answers);
/// clearances() for each pose: b.size() answers per pose, pose after pose.
void clearances(const Placed& a, const SphereSet& b, std::span<const Pose> poses_b, std::span<Interval> answers);
void clearances(const Placed& a, const SphereSet& b, std::span<const Pose> poses_b,
                const SphereDistanceOptions& options, std::span<Interval> answers);

// Files. `name` is the file name in error messages. All readers throw an Error with the name, the line and the reason.

/// Which spheres of a sphere tree become the set.
struct SphReadOptions {
  /// The level whose spheres are taken, 0 for the root, together with the spheres above it that have no children. A
  /// number beyond the last level means the last level.
  std::size_t level = std::numeric_limits<std::size_t>::max();
};

/// Reads a set from text in the format of the sphere-tree construction toolkit (.sph). The text begins with the number
/// of levels and the number B of children per sphere. Then a line "x y z radius" follows for each sphere, level by
/// level. More numbers on a line are ignored. The children of sphere N are the spheres B·N + 1 to B·N + B. A negative
/// radius marks a missing sphere.
SphereSet parse_sph(std::string_view text, std::string_view name, const SphReadOptions& options = {});
SphereSet load_sph(const std::filesystem::path& path, const SphReadOptions& options = {});
/// Writes a set in that format, with two levels: a ball around all balls, and the set. Reading it back gives the same
/// set to the last bit.
std::string encode_sph(const SphereSet& set);
void save_sph(const SphereSet& set, const std::filesystem::path& path);

/// Reads a set from JSON: {"spheres": [{"center": [x, y, z], "radius": r}, …]}. Other keys are ignored.
SphereSet parse_sphere_json(std::string_view text, std::string_view name);
/// Writes a set in that format, one sphere per line. Reading it back gives the same set to the last bit.
std::string encode_sphere_json(const SphereSet& set);

}  // namespace whisker
