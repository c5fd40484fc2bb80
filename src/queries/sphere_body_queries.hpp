#pragma once

// Queries of sphere bodies.

#include <whisker/queries.hpp>

namespace whisker::queries {

/// The distance of a placed shape from a point. The pose must be valid.
Distance distance_of_point(const Placed& placed, const Vector3& point);

/// The rows of the table for any shape and a body (queries/pair_rows.hpp).
struct AnyBody {
  static bool touches(const Placed& a, const Placed& b, PairCache* cache, Cost& cost);
  static void contacts(const Placed& a, const Placed& b, const ContactOptions& options, Contacts& result);
  static Distance distance(const Placed& a, const Placed& b, const DistanceOptions& options);
  static Depth depth(const Placed& a, const Placed& b, const DepthOptions& options);
};

}  // namespace whisker::queries
