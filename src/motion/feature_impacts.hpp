#pragma once

// First contacts of many pairs of moving features, which may lie anywhere in memory.

#include <cstddef>
#include <span>

#include <whisker/geometry/moving_features.hpp>

#include "geometry/function_ref.hpp"
#include "motion/linear_contact.hpp"

namespace whisker::motion {

/// Throws an Error if an option is invalid.
void check(const FeatureImpactOptions& options);

/// The result for a pair that does not touch.
inline FeatureImpact apart_impact() {
  FeatureImpact impact;
  impact.cost.primitive_tests = 1;
  return impact;
}

/// Sets all to it. A compiler that copies them member by member makes this a large part of a batch.
void set_apart(std::span<FeatureImpact> results);

/// The time between two bounds at which a contact is described.
inline double middle(double lower, double upper) {
  return lower + (upper - lower) / 2;
}

struct ImpactRequest {
  bool is_checked = false;   ///< as in LinearOptions
  bool is_described = true;  ///< whether normal, weights and point are set
};

/// Calls take(number, impact) for each pair that touches, in any order. The pairs are of a point and a triangle, or of
/// two segments.
void for_each_impact(FeaturePairKind kind, const FeaturePairs& pairs, std::size_t count,
                     const FeatureImpactOptions& options, const ImpactRequest& request,
                     geometry::FunctionRef<void(std::size_t number, const FeatureImpact& impact)> take);

/// Sets the normals, weights and points of impacts that were found without a description. The pairs are given by vertex
/// numbers. The times of the impacts must be set.
void describe(FeaturePairKind kind, const FeaturePairs& pairs, const FeatureImpactOptions& options,
              std::span<FeatureImpact> impacts);

}  // namespace whisker::motion
