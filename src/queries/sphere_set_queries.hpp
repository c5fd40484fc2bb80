#pragma once

// Queries of sets of spheres against one placed shape, which batches query many times.

#include <algorithm>
#include <optional>
#include <span>

#include <whisker/queries.hpp>
#include <whisker/spheres/sphere_set_queries.hpp>

#include "geometry/constants.hpp"
#include "queries/witness.hpp"
#include "spheres/sphere_set_bounds.hpp"
#include "spheres/sphere_set_mesh.hpp"

namespace whisker::queries {

/// The closest sphere of b, or pair of spheres, so far, and a lower bound over all that were measured.
struct ClosestSphere {
  Distance best;
  std::uint32_t sphere_a = SphereSet::none;
  std::uint32_t sphere_b = SphereSet::none;
  double lower = infinity;
  Cost cost;

  ClosestSphere() { best.upper = infinity; }

  /// Ties go to the lowest numbers, whatever the order of the calls. `of_a` is `none` if a is not a set.
  void consider(const Distance& found, std::uint32_t of_a, std::uint32_t of_b) {
    lower = std::min(lower, found.lower);
    const bool is_first = of_b < sphere_b || (of_b == sphere_b && of_a < sphere_a);
    if (found.upper < best.upper || (found.upper == best.upper && is_first)) {
      best = found;
      sphere_a = of_a;
      sphere_b = of_b;
    }
  }

  Distance result(double upper_bound);
};

/// A placed shape against which sets of spheres are queried, with everything that is computed only once. Poses must be
/// valid. Keeps references to the shape and its pose. Any number of threads may query it.
class SphereObstacle {
 public:
  explicit SphereObstacle(const Placed& placed);

  bool touches(const SphereSet& set, const Pose& pose, Cost& cost) const;
  /// The number of the first sphere that touches or, if `any`, of any sphere that does.
  std::uint32_t first_touching(const SphereSet& set, const Pose& pose, bool any, Cost& cost) const;
  Distance distance(const SphereSet& set, const Pose& pose, const DistanceOptions& options) const;
  void clearances(const SphereSet& set, const Pose& pose, const DistanceOptions& options,
                  std::span<Interval> answers) const;

 private:
  /// The first member of a group that touches, by its number in the group; 64 if none does.
  std::uint32_t first_touching(const spheres::PlacedGroup& group, const BoundingSphere& ball, bool any,
                               Cost& cost) const;
  /// Returns the members of a group among which the closest are, without those beyond `limit`. The group must not
  /// touch. `limit` is set to a bound on their distance.
  spheres::Members closest(const spheres::PlacedGroup& group, const BoundingSphere& ball, double& limit,
                           Cost& cost) const;
  /// For a shape that is neither a mesh nor a compound.
  Interval clearance_of(const Vector3& center, double radius) const;
  void mesh_clearances(const spheres::PlacedGroup& group, const BoundingSphere& ball, double limit,
                       Interval* answers) const;
  void group_clearances(const SphereSet& set, std::size_t g, const Pose& pose, double limit, Interval* answers) const;

  const Placed& placed_;
  spheres::GapBounds bounds_;
  std::optional<spheres::MeshSide> mesh_;
};

/// The rows of the table for any shape and a set, and for two sets (queries/pair_rows.hpp).
struct AnySpheres {
  static bool touches(const Placed& a, const Placed& b, PairCache* cache, Cost& cost);
  static void contacts(const Placed& a, const Placed& b, const ContactOptions& options, Contacts& result);
  static Distance distance(const Placed& a, const Placed& b, const DistanceOptions& options);
  static Depth depth(const Placed& a, const Placed& b, const DepthOptions& options) {
    return depth_on(a, b, options, nullptr);
  }
  /// The same with the features on which the points lie, if `on` is not null.
  static Depth depth_on(const Placed& a, const Placed& b, const DepthOptions& options, Features* on);
};
struct SpheresSpheres : AnySpheres {
  static bool touches(const Placed& a, const Placed& b, PairCache* cache, Cost& cost);
  static Distance distance(const Placed& a, const Placed& b, const DistanceOptions& options);
};

/// Batches: b in many poses. The sizes and options are valid.
void touches_in_poses(const Placed& a, const SphereSet& b, std::span<const Pose> poses_b, int threads,
                      std::span<bool> answers);
void distance_in_poses(const Placed& a, const SphereSet& b, std::span<const Pose> poses_b,
                       const DistanceOptions& options, std::span<Distance> answers);

}  // namespace whisker::queries
