// The inner loops for testing boxes against resting ones. Compiled once per instruction set.

#include <cstddef>
#include <cstdint>

#include "simd/set_bits.hpp"
#include "world/static_columns.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "world/static_columns_kernels.cpp"
#include <hwy/foreach_target.h>
// Must come after foreach_target.h:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace whisker::world::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

std::uint64_t meet(const Column& column, const RestColumn& rest, const RestData& data, std::uint64_t most,
                   StaticPairScratch& memory) {
  static_assert(sizeof(StaticRows) == 64);
  const hn::CappedTag<std::uint8_t, 64> d;
  constexpr std::uint32_t lanes = static_cast<std::uint32_t>(hn::MaxLanes(d));
  constexpr std::uint32_t vectors = 64 / lanes;
  const hn::Repartition<std::uint32_t, decltype(d)> words;
  const auto size = static_cast<std::uint32_t>(column.boxes.size());
  const std::size_t x = column.axes.x, y = column.axes.y, z = column.axes.z;
  const RoughBox* HWY_RESTRICT box = column.boxes.data();
  const StaticRows* HWY_RESTRICT rows = data.rows.data() + rest.first / StaticRows::width;
  const std::uint32_t* HWY_RESTRICT table = data.table.data() + rest.table;
  const RoughBox* HWY_RESTRICT resting = data.boxes.data() + rest.first;
  const int shift = rest.bucket_shift;

  // Finds the range of candidates of each box and prefetches their rows.
  if (memory.windows.size() < size) memory.windows.resize(size);
  auto* HWY_RESTRICT windows = memory.windows.data();
  std::uint64_t compared = std::uint64_t{rest.longs} * size;
  for (std::uint32_t i = 0; i < size; ++i) {
    const std::uint32_t low = box[i].lower[x], from = low > data.reach ? low - data.reach : 0;
    const std::uint32_t begin = table[from >> shift], end = table[(box[i].upper[x] >> shift) + 1];
    windows[i] = {begin, end};
    compared += end - begin;
    __builtin_prefetch(rows + begin / StaticRows::width);
    __builtin_prefetch(rows + begin / StaticRows::width + 1);
  }
  memory.hit_count = 0;
  if (compared > most) return compared;

  // Arranges the four bounds of a box to match the layout of the rows.
  alignas(64) std::uint8_t from_word[64];
  for (std::size_t k = 0; k < 64; ++k)
    from_word[k] = static_cast<std::uint8_t>(k / StaticRows::width);
  hn::Vec<decltype(d)> order[vectors];
  for (std::size_t k = 0; k < vectors; ++k)
    order[k] = hn::Load(d, from_word + k * lanes);
  const RowMap map_y(column.begin_y, column.end_y), map_z(column.begin_z, column.end_z);
  std::size_t hits = 0;
  for (std::uint32_t i = 0; i < size; ++i) {
    const RoughBox& b = box[i];
    const std::uint32_t facing = map_y.of(b.upper[y]) | (255 - map_y.of(b.lower[y])) << 8 | map_z.of(b.upper[z]) << 16 |
                                 (255 - map_z.of(b.lower[z])) << 24;
    const auto bounds = hn::BitCast(d, hn::Set(words, facing));
    hn::Vec<decltype(d)> bound[vectors];
    for (std::size_t k = 0; k < vectors; ++k)
      bound[k] = hn::TableLookupBytes(bounds, order[k]);
    const auto [begin, end] = windows[i];
    const std::size_t room = hits + (end - begin) + rest.longs + StaticRows::width;
    if (memory.hits.size() < room) memory.hits.resize(2 * room + 1024);
    std::uint64_t* HWY_RESTRICT out = memory.hits.data();
    const auto look = [&](std::uint32_t first, std::uint32_t past) HWY_ATTR {
      for (std::uint32_t block = first / StaticRows::width; block * StaticRows::width < past; ++block) {
        const auto* const row = reinterpret_cast<const std::uint8_t*>(rows + block);
        auto at_most = hn::Eq(hn::Min(hn::Load(d, row), bound[0]), hn::Load(d, row));
        for (std::size_t k = 1; k < vectors; ++k) {
          const auto here = hn::Load(d, row + k * lanes);
          at_most = hn::And(at_most, hn::Eq(hn::Min(here, bound[k]), here));
        }
        alignas(8) std::uint8_t bytes[8] = {};
        hn::StoreMaskBits(d, at_most, bytes);
        std::uint64_t bit;
        __builtin_memcpy(&bit, bytes, 8);
        if (lanes == 64) bit &= bit >> 32;
        if (lanes >= 32) bit &= bit >> 16;
        bit &= 0xFFFF;
        const std::uint32_t at = block * StaticRows::width;
        if (at < first) bit &= ~std::uint64_t{0} << (first - at);
        if (past - at < StaticRows::width) bit &= (std::uint64_t{1} << (past - at)) - 1;
        for (const std::uint32_t k : simd::SetBits(bit)) {
          const std::uint32_t found = at + k;
          __builtin_prefetch(resting + found);
          out[hits++] = std::uint64_t{i} << 32 | (rest.first + found);
        }
      }
    };
    if (rest.longs > 0) look(0, rest.longs);
    look(begin, end);
  }
  memory.hit_count = hits;
  return compared;
}

}  // namespace whisker::world::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whisker::world {

HWY_EXPORT(meet);

std::uint64_t meet_column(const Column& column, const RestColumn& rest, const RestData& data, std::uint64_t most,
                          StaticPairScratch& memory) {
  return HWY_DYNAMIC_DISPATCH(meet)(column, rest, data, most, memory);
}

}  // namespace whisker::world
#endif
