#pragma once

// The distance of a point and a triangle, or of two segments, with proven bounds: many pairs at once in doubles, and
// one by one, to the last bit, where doubles do not tell. Plain structs, for code that is compiled once per instruction
// set.
//
// Both are about a polygon whose corners are differences of theirs (motion/linear_contact.hpp): how far is it from the
// origin? Any point of it gives an upper bound; along any direction its nearest corner gives a lower one. So the answer
// is proven, however the point and the direction were found.

#include <cstddef>
#include <cstdint>

#include <whisker/vector.hpp>

#include "motion/linear_contact.hpp"

namespace whisker::deform {

/// Of one pair.
struct NearDistance {
  double lower = 0;
  double upper = 0;
  /// The shares of the pair's corners in the closest points; of a corner that has no part in it exactly 0.
  double weights[4] = {};
  Vector3 normal = Vector3::Zero();  ///< unit, from the first feature to the second
};

/// Of some.
struct alignas(64) NearDistances {
  static constexpr std::size_t most = 64;

  double lower[most];
  double upper[most];
  double weights[4][most];
  double normal[3][most];
  /// The bounds are about as tight as doubles allow, and the rest is good to as much; if not, the bounds hold all the
  /// same.
  bool is_tight[most];
};

/// Of pairs given by numbers of vertices, at the end of the step; `most` of them at most. The same numbers with every
/// instruction set.
void measure_near(motion::FeaturePairKind kind, const motion::FeaturePairs& pairs, std::size_t count,
                  NearDistances& result);

/// One pair, with all care: corners as FeaturePair has them. If the two touch, both bounds are 0; if they do not, the
/// upper one is not.
NearDistance measure_near_carefully(motion::FeaturePairKind kind, const Vector3 (&corners)[4]);

}  // namespace whisker::deform
