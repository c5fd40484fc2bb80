#pragma once

/// \file
/// Two triangles by their numbers.

#include <compare>
#include <cstdint>

namespace whisker {

/// A triangle of one mesh and one of another, or two of the same mesh.
struct TrianglePair {
  std::uint32_t a = 0;
  std::uint32_t b = 0;

  auto operator<=>(const TrianglePair&) const = default;
};

}  // namespace whisker
