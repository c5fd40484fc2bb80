// Traversal of the tree of resting boxes. Compiled once per instruction set.

#include <bit>
#include <cstddef>
#include <cstdint>

#include "world/static_tree.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "world/static_tree_kernels.cpp"
#include <hwy/foreach_target.h>
// Must come after foreach_target.h:
#include <hwy/highway.h>

#include "simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::world::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<float, RestBlock::width>;
constexpr Tag tag;
constexpr std::size_t lanes = hn::MaxLanes(tag);

HWY_INLINE unsigned overlaps(const RestBlock& block, const float (&lower)[3], const float (&upper)[3]) {
  unsigned result = 0;
  for (std::size_t at = 0; at < RestBlock::width; at += lanes) {
    const auto along = [&](std::size_t k) HWY_ATTR {
      return hn::And(hn::Le(hn::Load(tag, block.lower[k] + at), hn::Set(tag, upper[k])),
                     hn::Le(hn::Set(tag, lower[k]), hn::Load(tag, block.upper[k] + at)));
    };
    result |= simd::HWY_NAMESPACE::mask_bits(tag, hn::And(hn::And(along(0), along(1)), along(2))) << at;
  }
  return result;
}

void walk(const std::vector<RestBlock>* levels, std::size_t count, PlaceSearch& search) {
  using Left = PlaceSearch::Left;
  Left* const left = search.left;
  std::size_t level = search.level, found = 0;
  if (search.state == PlaceSearch::State::fresh) {
    level = count - 1;
    left[level] = {0, overlaps(levels[level][0], search.lower, search.upper)};
    search.state = PlaceSearch::State::under_way;
  }
  while (found < PlaceSearch::most) {
    Left& here = left[level];
    if (here.bits == 0) {
      if (++level < count) continue;
      search.state = PlaceSearch::State::ended;
      break;
    }
    const std::uint32_t at = here.first + static_cast<std::uint32_t>(std::countr_zero(here.bits));
    here.bits &= here.bits - 1;
    if (level == 0) {
      search.found[found++] = at;
      continue;
    }
    --level;
    left[level] = {at * static_cast<std::uint32_t>(RestBlock::width),
                   overlaps(levels[level][at], search.lower, search.upper)};
  }
  search.level = level;
  search.count = found;
}

}  // namespace whisker::world::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whisker::world {

HWY_EXPORT(walk);

void find_places(std::span<const std::vector<RestBlock>> levels, PlaceSearch& search) {
  HWY_DYNAMIC_DISPATCH(walk)(levels.data(), levels.size(), search);
}

}  // namespace whisker::world
#endif
