#pragma once

// The table that selects the algorithms for a kind of shape and for a pair of kinds: the only place that knows all
// pairs. queries/pair_rows.hpp has what is needed to add rows to it.

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include <whisker/contact_manifold.hpp>
#include <whisker/first_contact.hpp>
#include <whisker/queries.hpp>
#include <whisker/ray.hpp>

#include "shapes/kind_traits.hpp"

namespace whisker::queries {

/// The algorithms of one ordered pair of kinds; null where there is none. Options and motions are valid.
struct PairAlgorithms {
  bool (*touches)(const Placed& a, const Placed& b, PairCache* cache, Cost& cost) = nullptr;
  /// Adds to `result`, up to the limit in `options`.
  void (*contacts)(const Placed& a, const Placed& b, const ContactOptions& options, Contacts& result) = nullptr;
  Distance (*distance)(const Placed& a, const Placed& b, const DistanceOptions& options) = nullptr;
  Depth (*depth)(const Placed& a, const Placed& b, const DepthOptions& options) = nullptr;
  Distance (*signed_distance)(const Placed& a, const Placed& b, const SignedDistanceOptions& options) = nullptr;
  ContactManifold (*manifold)(const Placed& a, const Placed& b, const ManifoldOptions& options) = nullptr;
  /// Adds to `manifolds` (queries/manifold_rows.hpp).
  void (*manifolds)(const Placed& a, const Placed& b, const ManifoldOptions& options,
                    std::vector<ContactManifold>& manifolds) = nullptr;
  MotionImpact (*first_contact)(const Moving& a, const Moving& b, const ImpactOptions& options) = nullptr;
  bool (*touches_during)(const Moving& a, const Moving& b, Cost& cost) = nullptr;
  /// Whether batches answer several such pairs at once (convex/convex_batch.hpp).
  bool is_for_lanes = false;
};

using PairTable = std::array<std::array<PairAlgorithms, shapes::max_kinds>, shapes::max_kinds>;
extern PairTable pair_table;

inline const PairAlgorithms& algorithms(ShapeKind a, ShapeKind b) {
  return pair_table[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
}
inline const PairAlgorithms& algorithms(const Shape& a, const Shape& b) {
  return algorithms(a.kind(), b.kind());
}

/// The algorithm for a ray and one kind, null if there is none: the table's column for rays, in cast_ray.cpp. The ray
/// and the range are valid.
using CastRay = std::optional<RayHit> (*)(const Ray& ray, const Placed& target, const RayRange& range);
CastRay ray_algorithm(ShapeKind kind);
/// Whether a ray can be cast at all parts of a shape. Does not visit the parts, unless kinds were registered.
bool all_take_rays(const Shape& shape);

/// Set the algorithms of registered kinds (shapes/kind_traits.hpp). Call them before the first query.
void set_algorithms(ShapeKind a, ShapeKind b, const PairAlgorithms& rows);
void set_ray_algorithm(ShapeKind kind, CastRay cast);

/// Throws the Error for a pair for which `question` ("distance"…) has no algorithm.
[[noreturn]] void refuse(const char* question, const Placed& a, const Placed& b);
/// The same for a part of kind `part_a` of a and a part of kind `part_b` of b.
[[noreturn]] void throw_unsupported_parts(const char* question, const Placed& a, ShapeKind part_a, const Placed& b,
                                          ShapeKind part_b);

}  // namespace whisker::queries
