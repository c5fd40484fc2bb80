#include <utility>

#include <whisker/pair_cache.hpp>

#include "convex/convex_frame.hpp"

namespace whisker {

PairCache::PairCache() = default;
PairCache::~PairCache() = default;
PairCache::PairCache(PairCache&&) noexcept = default;
PairCache& PairCache::operator=(PairCache&&) noexcept = default;

PairCache::PairCache(const PairCache& other) : memory_(other.memory_) {}

PairCache& PairCache::operator=(const PairCache& other) {
  if (this == &other) return *this;
  memory_ = other.memory_;
  surface_.reset();
  return *this;
}

void PairCache::exchange() {
  std::swap(memory_.touching_a, memory_.touching_b);
  std::swap(memory_.closest_a, memory_.closest_b);
  std::swap(memory_.corners_a, memory_.corners_b);
  memory_.apart_along = {};
  // The surface itself does not change, but the bodies come in the other order.
  if (surface_ != nullptr) surface_->is_exchanged = !surface_->is_exchanged;
}

}  // namespace whisker
