#pragma once

/// \file
/// SphereSet: a rigid body made of balls, as motion planners use them. It is a shape like any other.
///
///     const SphereSet robot(centers, radii);                     // in the robot's frame
///     bool hit = touches(room, {robot, pose});
///     Distance d = distance(room, {robot, pose});                // d.feature_b.id is the closest ball
///     touches(room, robot, poses, answers);                      // many poses, on all cores
///
/// Ball i of a placed set is the Sphere of the given radius with its center at place(pose, center i), which is a
/// computation of doubles with four roundings per coordinate. A set's answers are those that its balls give
/// individually (queries.hpp):
///
///  - `touches` is true unless every ball is proven apart. Against a mesh all balls traverse its tree together.
///  - `distance` is that of the closest ball: the one whose distance has the least upper bound, on a tie the one with
///    the lowest number. Its feature has the kind `sphere` and the number of the ball; the points and the normal belong
///    to it. The other feature is the one closest to that ball. Of the options, `upper_bound` is used.
///  - `contacts` lists the contacts of each ball.
///  - `depth` is that of a Compound of the balls, and allocates.
///
/// The answers are the same on every processor. Queries allocate nothing, except where the other shape's own queries do
/// (queries.hpp). spheres/sphere_set_queries.hpp tells the first touching ball and the clearance of each ball.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <whisker/detail/held.hpp>
#include <whisker/geometry/aabb.hpp>
#include <whisker/geometry/bounding_sphere.hpp>
#include <whisker/vector.hpp>

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
