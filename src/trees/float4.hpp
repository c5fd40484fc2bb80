#pragma once

// Four floats that are added and compared at once, as GCC and Clang have them on every processor. The lanes are x, y, z
// and one that is along for the ride.

#include <cstdint>

namespace whisker::trees {

using Float4 = float __attribute__((vector_size(16)));
using Int4 = std::int32_t __attribute__((vector_size(16)));

inline Float4 all(float value) {
  return Float4{value, value, value, value};
}
inline Float4 least(Float4 a, Float4 b) {
  return a < b ? a : b;
}
inline Float4 greatest(Float4 a, Float4 b) {
  return a > b ? a : b;
}

/// Of a box with these edges, from their x, y and z: half its surface, when all edges are a little longer, so that
/// segments still differ by their length, and a point is not nothing. Boxes are about 1 across.
inline float half_surface(Float4 edges) {
  edges += all(1e-6f);
  return edges[0] * (edges[1] + edges[2]) + edges[1] * edges[2];
}

}  // namespace whisker::trees
