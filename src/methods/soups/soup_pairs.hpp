#pragma once

// Pairs of triangles of two soups, many at once: do they touch, or can floats not tell?

#include <cstddef>
#include <cstdint>
#include <span>

#include <whisker/methods/soup_contacts.hpp>

#include "methods/soups/face_octree.hpp"

namespace whisker::methods::soups {

/// A soup's vertices, x y z, and triangles, one number after the other.
struct SoupData {
  const double* vertices;
  const std::uint32_t* triangles;
};

/// Of sixteen pairs, a bit for each. What is in neither is apart.
struct PairVerdicts {
  static constexpr std::size_t width = 16;
  std::uint16_t touch;
  std::uint16_t unsure;
};

/// One for each sixteen pairs, as many as there are.
void judge_pairs(const Soup& a, const Soup& b, std::span<const FacePair> pairs, PairVerdicts* verdicts);

}  // namespace whisker::methods::soups
