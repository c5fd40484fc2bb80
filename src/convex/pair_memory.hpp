#pragma once

// Access to what a PairCache remembers. pair_cache.hpp explains the numbers.

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
/// Null if `cache` is null.
inline PairMemory* memory_of(PairCache* cache) noexcept {
  return cache != nullptr ? &Internals::memory(*cache) : nullptr;
}

/// The surface on which the depth of two convex shapes was found. Null if there is none.
inline std::unique_ptr<convex::WarmSurface>& warm_surface_of(PairCache& cache) noexcept {
  return Internals::surface(cache);
}
inline const convex::WarmSurface* warm_surface_of(const PairCache& cache) noexcept {
  return Internals::surface(cache).get();
}

}  // namespace whisker
