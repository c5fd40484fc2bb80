#pragma once

// The table's algorithms for compounds and sphere bodies, and that for contact manifolds.

#include <whisker/contact_manifold.hpp>
#include <whisker/queries.hpp>

#include "queries/witness.hpp"

namespace whisker::queries {

/// The rows (queries/pair_rows.hpp) for compounds against everything: the union of the parts' results. Each pair of
/// parts is queried through the table, so a compound supports what its parts support. A tree of the parts' boxes culls
/// distant pairs.
///
/// `a` is a compound, `b` is anything that the table has, compounds included. Throws an Error that names the two kinds,
/// before any work, if a part of a and b, or a part of b, are a pair for which the query has no algorithm.
struct CompoundAny {
  static bool touches(const Placed& a, const Placed& b, PairCache* cache, Cost& cost);

  /// Features are numbered as described in compound.hpp.
  static void contacts(const Placed& a, const Placed& b, const ContactOptions& options, Contacts& result);

  static Distance distance(const Placed& a, const Placed& b, const DistanceOptions& options);

  /// Lower bound: the deepest pair of parts. Upper bound: the best translation that was found and verified, along the
  /// directions in which pairs of parts separate and along the axes. Height fields are not supported: they are surfaces
  /// here.
  static Depth depth(const Placed& a, const Placed& b, const DepthOptions& options) {
    return depth_on(a, b, options, nullptr);
  }
  /// The same with the features on which the points lie, if `on` is not null.
  static Depth depth_on(const Placed& a, const Placed& b, const DepthOptions& options, Features* on);
};

/// The rows for any shape and a sphere body.
struct AnyBody {
  static bool touches(const Placed& a, const Placed& b, PairCache* cache, Cost& cost);
  static void contacts(const Placed& a, const Placed& b, const ContactOptions& options, Contacts& result);
  static Distance distance(const Placed& a, const Placed& b, const DistanceOptions& options);
  static Depth depth(const Placed& a, const Placed& b, const DepthOptions& options);
  static Distance signed_distance(const Placed& a, const Placed& b, const SignedDistanceOptions& options);
};

/// The distance of a placed shape from a ball. The pose must be valid.
Distance distance_of_ball(const Placed& placed, const Vector3& center, double radius = 0);

/// The manifold of two convex shapes, at least one of them bounded.
ContactManifold manifold_convex(const Placed& a, const Placed& b, const ManifoldOptions& options);

}  // namespace whisker::queries
