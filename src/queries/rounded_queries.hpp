#pragma once

// The table's algorithms for rounded shapes (whisker/make/rounded.hpp). Two rounded convex shapes need none of their
// own: to the convex engine they are bodies with a radius.

#include <optional>

#include <whisker/queries.hpp>

#include "queries/witness.hpp"

namespace whisker::queries {

/// The rows (queries/pair_rows.hpp) for a pair of which at least one shape is rounded, from those of the shapes without
/// their radii. Neither is a compound.
struct RoundedAny {
  static bool touches(const Placed& a, const Placed& b, PairCache* cache, Cost& cost);
  static void contacts(const Placed& a, const Placed& b, const ContactOptions& options, Contacts& result);
  static Distance distance(const Placed& a, const Placed& b, const DistanceOptions& options);

  /// If the shapes without radii are a distance d apart, a translation must bring them r - d farther apart, where r is
  /// the sum of the radii. If they overlap, it must first separate them, and then bring them r apart. So the depth is
  /// at least their depth plus r. (For convex shapes it is that.) The upper bound is the best translation that was
  /// found and verified.
  static Depth depth(const Placed& a, const Placed& b, const DepthOptions& options) {
    return depth_on(a, b, options, nullptr);
  }
  /// If `on` is not null, it is set to the features of the inner shapes below the points.
  static Depth depth_on(const Placed& a, const Placed& b, const DepthOptions& options, Features* on);
};

std::optional<RayHit> cast_ray_rounded_convex(const Ray& ray, const Placed& target, const RayRange& range);
std::optional<RayHit> cast_ray_rounded_plane(const Ray& ray, const Placed& target, const RayRange& range);
/// Whether a ray can be cast at it: of a mesh, a height field or a ground.
bool has_rays(const Shape& rounded_surface);
std::optional<RayHit> cast_ray_rounded_surface(const Ray& ray, const Placed& target, const RayRange& range);

}  // namespace whisker::queries
