#pragma once

// Sets of spheres against one placed shape, which batches ask many times.

#include <optional>
#include <span>

#include <whisker/spheres/sphere_set.hpp>

#include "spheres/sphere_set_bounds.hpp"
#include "spheres/sphere_set_mesh.hpp"

namespace whisker::queries {

/// A placed shape that sets of spheres are asked against, with what is worked out once. Poses are known to be good. It
/// refers to the shape and its pose. Any number of threads may ask.
class SphereObstacle {
 public:
  explicit SphereObstacle(const Placed& placed);

  bool touches(const SphereSet& set, const Pose& pose, Cost& cost) const;
  std::uint32_t first_touching(const SphereSet& set, const Pose& pose, Cost& cost) const;
  Distance distance(const SphereSet& set, const Pose& pose, const SphereDistanceOptions& options) const;
  void clearances(const SphereSet& set, const Pose& pose, const SphereDistanceOptions& options,
                  std::span<Interval> answers) const;

 private:
  std::uint32_t first_touching(const SphereSet& set, const Pose& pose, bool any, Cost& cost) const;
  /// Of one group, by its numbers in it; 64 if none.
  std::uint32_t first_touching(const spheres::PlacedGroup& group, const BoundingSphere& ball, bool any,
                               Cost& cost) const;
  /// Members among which the closest are, of a group that does not touch; those beyond `limit` are left out. `limit`
  /// becomes a bound of their distance.
  spheres::Members closest(const spheres::PlacedGroup& group, const BoundingSphere& ball, double& limit,
                           Cost& cost) const;
  Distance distance_of(const Vector3& center, double radius) const;
  /// Of a shape that is no mesh and no compound.
  Interval clearance_of(const Vector3& center, double radius) const;
  void mesh_clearances(const spheres::PlacedGroup& group, const BoundingSphere& ball, double limit,
                       Interval* answers) const;
  void group_clearances(const SphereSet& set, std::size_t g, const Pose& pose, double limit, Interval* answers) const;

  const Placed& placed_;
  spheres::GapBounds bounds_;
  std::optional<spheres::MeshSide> mesh_;
};

/// Throws if the options are not good.
void check(const char* question, const SphereDistanceOptions& options);

}  // namespace whisker::queries
