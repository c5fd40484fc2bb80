#pragma once

// The best of several candidates.

#include <cstddef>
#include <cstdint>

#include "geometry/constants.hpp"

namespace whisker::geometry {

struct Least {
  std::uint32_t number = 0;  ///< 0 if no value is below infinity
  double value = infinity;
};

/// The number below `count` for which `value(number)` is least, and that value. A tie goes to the lower number.
template <class Value>
Least least_of(std::size_t count, const Value& value) {
  Least least;
  for (std::uint32_t i = 0; i < count; ++i) {
    const double other = value(i);
    if (other < least.value) least = {i, other};
  }
  return least;
}

}  // namespace whisker::geometry
