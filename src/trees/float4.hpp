#pragma once

// Four floats that are added and compared at once, by the vector extension of GCC and Clang, which exists on every
// processor. The lanes are x, y, z and a spare lane.

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

/// Half the surface of a box with these edges (x, y and z), with all edges slightly lengthened, so that segments still
/// differ by their length and a point does not have a surface of zero. Boxes are about 1 across.
inline float half_surface(Float4 edges) {
  edges += all(1e-6f);
  return edges[0] * (edges[1] + edges[2]) + edges[1] * edges[2];
}

}  // namespace whisker::trees
