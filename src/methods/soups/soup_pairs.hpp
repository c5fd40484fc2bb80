#pragma once

// Tests many pairs of triangles of two soups at once in floats: whether they touch, or floats cannot decide.

#include <cstddef>
#include <cstdint>
#include <span>

#include <whisker/methods/soup_contacts.hpp>

#include "methods/soups/face_octree.hpp"

namespace whisker::methods::soups {

/// A soup's vertices, x y z, and triangles, as flat arrays.
struct SoupData {
  const double* vertices;
  const std::uint32_t* triangles;
};

/// The results for sixteen pairs, one bit each. A pair with neither bit is apart.
struct PairVerdicts {
  static constexpr std::size_t width = 16;
  std::uint16_t touch;
  std::uint16_t unsure;
};

/// Writes one PairVerdicts for every sixteen pairs, rounded up.
void judge_pairs(const Soup& a, const Soup& b, std::span<const FacePair> pairs, PairVerdicts* verdicts);

}  // namespace whisker::methods::soups
