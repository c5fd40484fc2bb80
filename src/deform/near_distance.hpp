#pragma once

// The distance between a point and a triangle, or between two segments, with proven bounds: for many pairs at once in
// doubles, and for single pairs, accurate to the last bit, where doubles are not enough. Plain structs, for code that
// is compiled once per instruction set.
//
// Both problems ask for the distance from the origin to a polygon whose corners are differences of the features'
// corners (motion/linear_contact.hpp). Any point of the polygon gives an upper bound. Along any direction, the
// polygon's nearest corner gives a lower bound. So the result is proven, no matter how the point and the direction were
// found.

#include <array>
#include <cstddef>

#include <whisker/vector.hpp>

#include "motion/linear_contact.hpp"

namespace whisker::deform {

/// The distance of one pair.
struct NearDistance {
  double lower = 0;
  double upper = 0;
  /// The weights of the pair's corners in the closest points. Exactly 0 for a corner that does not contribute.
  std::array<double, 4> weights = {};
  Vector3 normal = Vector3::Zero();  ///< unit, from the first feature to the second
};

/// The distances of several pairs.
struct alignas(64) NearDistances {
  static constexpr std::size_t most = 64;

  double lower[most];
  double upper[most];
  double weights[4][most];
  double normal[3][most];
  /// Whether the bounds are about as tight as doubles allow, and the weights and the normal equally accurate. If false,
  /// the bounds still hold.
  bool is_tight[most];

  NearDistance at(std::size_t i) const {
    return {lower[i],
            upper[i],
            {weights[0][i], weights[1][i], weights[2][i], weights[3][i]},
            {normal[0][i], normal[1][i], normal[2][i]}};
  }
};

/// Measures pairs that are given by vertex numbers, at the end of the step. `count` must not exceed `most`. Results are
/// identical for every instruction set.
void measure_near(motion::FeaturePairKind kind, const motion::FeaturePairs& pairs, std::size_t count,
                  NearDistances& result);

/// Measures one pair with full accuracy, with corners ordered as in FeaturePair. If the two features touch, both bounds
/// are 0. If they do not touch, the upper bound is not 0.
NearDistance measure_near_carefully(motion::FeaturePairKind kind, const Vector3 (&corners)[4]);

}  // namespace whisker::deform
