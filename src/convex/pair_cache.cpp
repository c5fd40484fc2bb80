#include <utility>

#include <whisker/pair_cache.hpp>

#include "convex/convex_frame.hpp"

namespace whisker {

PairCache::PairCache() = default;
PairCache::~PairCache() = default;
PairCache::PairCache(PairCache&&) noexcept = default;
PairCache& PairCache::operator=(PairCache&&) noexcept = default;

PairCache::PairCache(const PairCache& other) {
  *this = other;
}

PairCache& PairCache::operator=(const PairCache& other) {
  if (this == &other) return *this;
  touching_a = other.touching_a;
  touching_b = other.touching_b;
  closest_a = other.closest_a;
  closest_b = other.closest_b;
  apart_along = other.apart_along;
  apart_a = other.apart_a;
  apart_b = other.apart_b;
  apart_misses = other.apart_misses;
  corner_count = other.corner_count;
  corners_a = other.corners_a;
  corners_b = other.corners_b;
  surface.reset();
  return *this;
}

void PairCache::exchange() {
  std::swap(touching_a, touching_b);
  std::swap(closest_a, closest_b);
  std::swap(corners_a, corners_b);
  apart_along = {};
  // The surface is as it is, but the bodies now come the other way round.
  if (surface != nullptr) surface->is_exchanged = !surface->is_exchanged;
}

}  // namespace whisker
