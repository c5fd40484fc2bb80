#pragma once

/// \file
/// SphereSet: a body made of balls, as motion planners use them, and its questions against everything else.
///
///     const SphereSet robot(centers, radii);                     // in the robot's frame
///     bool hit = touches(room, {robot, pose});
///     Distance d = distance(room, {robot, pose});                // d.feature_b.id is the ball that is closest
///     touches(room, robot, poses, answers);                      // many poses, all cores
///
/// Ball i of a placed set has the center place(pose, center i), four roundings of doubles, and the radius as given; it
/// is the Sphere of that radius in that place. What a set answers is what its balls answer one by one (queries.hpp):
/// `touches` is true unless every ball is proven apart, and the bounds of a distance contain the truth about these
/// balls. The same answers on every processor.
///
/// The other shape comes first, as the one that does not move in batches.
/// Nothing is allocated by a question, but where the other shape's own questions do (queries.hpp).

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

/// A set of balls in the body's frame. An immutable value: copies share their data, and any number of threads may use
/// it. Balls keep the numbers in which they are given.
class SphereSet {
 public:
  /// The number of no sphere.
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  /// Throws an Error that names the sphere if a number is not finite or beyond `max_coordinate`, or a radius is
  /// negative; and one if there is no sphere, or not as many radii as centers. A radius of 0 is a point.
  /// O(n), with n² within groups of 64.
  SphereSet(std::span<const Vector3> centers, std::span<const double> radii);

  std::size_t size() const;
  /// These throw an Error if there is no such ball.
  Vector3 center(std::size_t i) const;
  double radius(std::size_t i) const;

  /// All centers, coordinate by coordinate, and all radii.
  std::span<const double> x() const;
  std::span<const double> y() const;
  std::span<const double> z() const;
  std::span<const double> radii() const;

  /// A ball around all balls, in the body's frame, rounding included; not the smallest one.
  BoundingSphere ball() const;
  /// The box around all balls, in the body's frame, rounding included.
  Aabb bounds() const;

 private:
  friend struct Internals;
  struct Storage;
  Held<"SphereSet", std::shared_ptr<const Storage>> storage_;
};

/// A set and where it stands: `{robot, pose}`, or a set alone for one in its own frame. A parameter type: it refers to
/// the set, so it is not to be stored.
struct PlacedSpheres {
  const SphereSet& set;
  Pose pose;

  PlacedSpheres(const SphereSet& set_, const Pose& pose_ = {}) : set(set_), pose(pose_) {}
};

/// Does a ball of b share a point with a? True unless every ball is proven apart. Where `cost` is given, the work is
/// added to it.
///
/// Against a mesh all balls go down its tree together; one that lies inside a solid mesh touches it.
bool touches(const Placed& a, const PlacedSpheres& b, Cost* cost = nullptr);
/// Does a ball of b share a point with one of a?
bool touches(const PlacedSpheres& a, const PlacedSpheres& b, Cost* cost = nullptr);

/// The ball of b with the lowest number of those that touch a, as `touches` says of it alone; nothing if none does.
std::optional<std::uint32_t> first_touching(const Placed& a, const PlacedSpheres& b, Cost* cost = nullptr);

struct SphereDistanceOptions {
  /// A distance beyond this is of no interest: once that is proven, the answer is a lower bound that is larger, an
  /// infinite upper one, and no sphere: both features are whole.
  double upper_bound = std::numeric_limits<double>::infinity();
  /// Of a batch: how many threads work; 0 all that oneTBB gives, 1 the calling thread alone, n at most n.
  int threads = 0;
};

/// The distance of b's closest ball from a; 0 if they touch.
///
/// `feature_b` has the kind `sphere`; its `id` is the number of the ball of b that is closest, by the upper bound of
/// its own distance: of equals the one with the lowest number. `point_b` and `normal` are those of this ball.
/// `feature_a` is what of a that ball is closest to (a triangle, a part of a compound); of two sets, the ball of a: of
/// several that are equally close to the ball of b, the one with the lowest number.
Distance distance(const Placed& a, const PlacedSpheres& b, const SphereDistanceOptions& options = {});
Distance distance(const PlacedSpheres& a, const PlacedSpheres& b, const SphereDistanceOptions& options = {});

/// The signed clearance of each ball of b from a, one answer each: how far its center is from a, less its radius. The
/// center counts as minus how deep it lies where it is inside: of a solid mesh and of every convex shape. A surface
/// (a mesh that is not solid, a height field, a plane, a triangle) has no inside: there the least that a clearance can
/// be is minus the radius. Of a compound, the least over its parts.
///
/// A clearance beyond `options.upper_bound` is answered by a lower bound that is larger, with an infinite upper one.
/// Throws an Error if there is not room for exactly b.set.size() answers.
void clearances(const Placed& a, const PlacedSpheres& b, std::span<Interval> answers);
void clearances(const Placed& a, const PlacedSpheres& b, const SphereDistanceOptions& options,
                std::span<Interval> answers);

// Batches: b in many poses, over all cores, or as many as `threads` in the options says, into the caller's memory. As
// in batch.hpp: answer i is what the single call gives for pose i, bit for bit, whatever the number of threads; poses
// are checked before the first question, the Error names the first bad one, and nothing is written then. An Error too
// if the spans do not fit or `threads` is negative.

void touches(const Placed& a, const SphereSet& b, std::span<const Pose> poses_b, std::span<bool> answers);
void touches(const Placed& a, const SphereSet& b, std::span<const Pose> poses_b, const BatchOptions& options,
             std::span<bool> answers);
/// `SphereSet::none` where none touches.
void first_touching(const Placed& a, const SphereSet& b, std::span<const Pose> poses_b,
                    std::span<std::uint32_t> answers);
void first_touching(const Placed& a, const SphereSet& b, std::span<const Pose> poses_b, const BatchOptions& options,
                    std::span<std::uint32_t> answers);
void distance(const Placed& a, const SphereSet& b, std::span<const Pose> poses_b, std::span<Distance> answers);
void distance(const Placed& a, const SphereSet& b, std::span<const Pose> poses_b, const SphereDistanceOptions& options,
              std::span<Distance> answers);
/// b.size() answers a pose, pose after pose.
void clearances(const Placed& a, const SphereSet& b, std::span<const Pose> poses_b, std::span<Interval> answers);
void clearances(const Placed& a, const SphereSet& b, std::span<const Pose> poses_b,
                const SphereDistanceOptions& options, std::span<Interval> answers);

// Files. `name` stands for the file in messages, which have line and reason.

/// What of a tree of spheres becomes a set.
struct SphReadOptions {
  /// The level, 0 for the root: its spheres, and those above it that have no children. Beyond the last: the last.
  std::size_t level = std::numeric_limits<std::size_t>::max();
};

/// A set from text in the form of the sphere-tree construction toolkit (.sph): the number of levels and of children a
/// sphere has, then a line for each sphere, level by level, "x y z radius" and perhaps more numbers, which are not
/// looked at. The children of sphere N are N B + 1 to N B + B, with B the number of children; a negative radius is a
/// sphere that is not there.
SphereSet parse_sph(std::string_view text, std::string_view name, const SphReadOptions& options = {});
SphereSet load_sph(const std::filesystem::path& path, const SphReadOptions& options = {});
/// Two levels: a ball around all, and the set; read back it is the same to the last bit.
std::string encode_sph(const SphereSet& set);
void save_sph(const SphereSet& set, const std::filesystem::path& path);

/// A set from JSON: {"spheres": [{"center": [x, y, z], "radius": r}, …]}, where other keys are passed over.
SphereSet parse_sphere_json(std::string_view text, std::string_view name);
/// The same, one sphere a line; read back it is the same to the last bit.
std::string encode_sphere_json(const SphereSet& set);

}  // namespace whisker
