#pragma once

// What a PairCache remembers: pair_cache.hpp says what the numbers are.

#include <memory>
#include <type_traits>
#include <utility>

#include <whisker/pair_cache.hpp>

#include "shapes/internals.hpp"

namespace whisker {

using PairMemory = std::remove_cvref_t<decltype(Internals::memory(std::declval<PairCache&>()))>;

inline PairMemory& memory_of(PairCache& cache) noexcept {
  return Internals::memory(cache);
}
inline const PairMemory& memory_of(const PairCache& cache) noexcept {
  return Internals::memory(cache);
}
/// Null of null.
inline PairMemory* memory_of(PairCache* cache) noexcept {
  return cache != nullptr ? &Internals::memory(*cache) : nullptr;
}

/// The surface on which the depth of two convex shapes was found; null if there is none.
inline std::unique_ptr<convex::WarmSurface>& warm_surface_of(PairCache& cache) noexcept {
  return Internals::surface(cache);
}

}  // namespace whisker
