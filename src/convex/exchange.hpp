#pragma once

// Results of a pair with its two shapes exchanged.

#include <utility>

#include <whisker/queries.hpp>

namespace whisker {

inline void exchange(Distance& result) {
  std::swap(result.point_a, result.point_b);
  std::swap(result.feature_a, result.feature_b);
  result.normal = -result.normal;
}

inline void exchange(Depth& result) {
  std::swap(result.point_a, result.point_b);
  result.normal = -result.normal;
}

}  // namespace whisker
