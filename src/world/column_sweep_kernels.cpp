// The inner loops of the column sweep. Compiled once per instruction set.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "simd/set_bits.hpp"
#include "world/column_sweep.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "world/column_sweep_kernels.cpp"
#include <hwy/foreach_target.h>
// Must come after foreach_target.h:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace whisker::world::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

static_assert(sizeof(Aabb) == 6 * sizeof(double));

void rough_boxes(const double* boxes, const std::uint32_t* numbers, std::size_t count, std::size_t all,
                 const RoughMap& map, RoughBox* out) {
  // The six bounds of a box are contiguous and fill six of eight lanes. The other two lanes are unused.
  const hn::CappedTag<double, 8> d;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  constexpr std::size_t vectors = 8 / lanes;
  const hn::Rebind<std::int32_t, decltype(d)> ints;
  const hn::Rebind<std::uint16_t, decltype(d)> shorts;
  alignas(64) double base_row[8] = {}, scale_row[8] = {};
  for (std::size_t k = 0; k < 6; ++k) {
    base_row[k] = map.base[k % 3];
    scale_row[k] = map.scale[k % 3];
  }
  hn::Vec<decltype(d)> base[vectors], scale[vectors];
  for (std::size_t k = 0; k < vectors; ++k) {
    base[k] = hn::Load(d, base_row + k * lanes);
    scale[k] = hn::Load(d, scale_row + k * lanes);
  }
  const auto zero = hn::Zero(d), most = hn::Set(d, 65535.0);
  constexpr std::size_t ahead = 16;  // prefetch distance in boxes; selected boxes may be far apart in memory
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t number = numbers[i];
    const double* from = boxes + 6 * number;
    if (i + ahead < count) __builtin_prefetch(boxes + 6 * std::size_t{numbers[i + ahead]});
    alignas(64) double copy[8];
    if (HWY_UNLIKELY(number + 1 == all)) {  // eight doubles would reach past the end
      for (std::size_t k = 0; k < 8; ++k)
        copy[k] = k < 6 ? from[k] : 0;
      from = copy;
    }
    alignas(16) std::uint16_t row[8];
    for (std::size_t k = 0; k < vectors; ++k) {
      const auto x = hn::Mul(hn::Sub(hn::LoadU(d, from + k * lanes), base[k]), scale[k]);
      const auto cut = hn::DemoteTo(ints, hn::Min(hn::Max(x, zero), most));
      hn::StoreU(hn::DemoteTo(shorts, cut), shorts, row + k * lanes);
    }
    RoughBox& box = out[i];
    for (std::size_t k = 0; k < 3; ++k) {
      box.lower[k] = row[k];
      box.upper[k] = row[3 + k];
    }
    box.number = static_cast<std::uint32_t>(number);
  }
}

template <class V>
HWY_INLINE auto is_at_most(V a, V b) {
  return hn::Eq(hn::Min(a, b), a);
}

// Builds the bucket table of a column and compares each box with its candidates.
std::uint64_t sweep(const Column& column, std::uint64_t most, ColumnMemory& memory) {
  const hn::CappedTag<std::uint8_t, 64> d;
  constexpr std::uint32_t lanes = static_cast<std::uint32_t>(hn::MaxLanes(d));
  const auto size = static_cast<std::uint32_t>(column.boxes.size());
  const std::size_t x = column.axes.x, y = column.axes.y, z = column.axes.z;

  // Sorts into buckets along x, about as many as there are boxes.
  const int bits = std::clamp(static_cast<int>(std::bit_width(size)), 4, 14);
  const int shift = 16 - bits;
  const std::size_t buckets = std::size_t{1} << bits;
  memory.bucket_end.assign(buckets + 1, 0);
  std::uint32_t* HWY_RESTRICT end = memory.bucket_end.data();
  const RoughBox* HWY_RESTRICT from = column.boxes.data();
  for (std::uint32_t i = 0; i < size; ++i)
    ++end[(from[i].lower[x] >> shift) + 1];
  for (std::size_t b = 1; b <= buckets; ++b)
    end[b] += end[b - 1];
  // At this point end[b] is where bucket b begins. Filling the bucket advances it to where the bucket ends.
  if (memory.boxes.size() < size) memory.boxes.resize(size);
  for (auto* row : {&memory.lower_y, &memory.upper_y, &memory.lower_z, &memory.upper_z})
    if (row->size() < size + 64) row->resize(size + 64);
  RoughBox* HWY_RESTRICT box = memory.boxes.data();
  std::uint8_t* HWY_RESTRICT ly = memory.lower_y.data();
  std::uint8_t* HWY_RESTRICT uy = memory.upper_y.data();
  std::uint8_t* HWY_RESTRICT lz = memory.lower_z.data();
  std::uint8_t* HWY_RESTRICT uz = memory.upper_z.data();
  // Rounds to 8 bits within the column by a monotone map: a box's six bounds at once, with two unused lanes.
  const hn::FixedTag<std::uint16_t, 8> d16;
  const hn::FixedTag<std::int16_t, 8> i16;
  const hn::FixedTag<std::uint8_t, 8> d8;
  alignas(16) std::uint16_t begin_row[8] = {}, last_row[8] = {}, scale_row[8] = {};
  const auto set_row = [&](std::size_t axis, std::uint32_t begin, std::uint32_t past) {
    for (const std::size_t k : {axis, axis + 3}) {
      begin_row[k] = static_cast<std::uint16_t>(begin);
      last_row[k] = static_cast<std::uint16_t>(past - 1);
      scale_row[k] = static_cast<std::uint16_t>(std::min(65535u, (256u << 16) / (past - begin)));
    }
  };
  set_row(y, column.begin_y, column.end_y);
  set_row(z, column.begin_z, column.end_z);
  const auto begins = hn::Load(d16, begin_row), lasts = hn::Load(d16, last_row), scales = hn::Load(d16, scale_row);
  const std::size_t at_y = 8 * y, at_z = 8 * z, to_upper = 24;  // bits
  for (std::uint32_t i = 0; i < size; ++i) {
    const auto row = hn::LoadU(d16, reinterpret_cast<const std::uint16_t*>(from + i));
    const std::uint32_t at = end[from[i].lower[x] >> shift]++;
    hn::StoreU(row, d16, reinterpret_cast<std::uint16_t*>(box + at));
    const auto cut = hn::Sub(hn::Min(hn::Max(row, begins), lasts), begins);
    const auto narrow = hn::DemoteTo(d8, hn::BitCast(i16, hn::MulHigh(cut, scales)));
    const std::uint64_t bytes = hn::GetLane(hn::BitCast(hn::FixedTag<std::uint64_t, 1>(), narrow));
    ly[at] = static_cast<std::uint8_t>(bytes >> at_y);
    uy[at] = static_cast<std::uint8_t>(bytes >> (at_y + to_upper));
    lz[at] = static_cast<std::uint8_t>(bytes >> at_z);
    uz[at] = static_cast<std::uint8_t>(bytes >> (at_z + to_upper));
  }

  std::uint64_t compared = 0;
  for (std::uint32_t p = 0; p < size; ++p)
    compared += end[box[p].upper[x] >> shift] - p - 1;
  memory.hit_count = 0;
  if (compared > most) return compared;
  std::size_t hits = 0;
  for (std::uint32_t p = 0; p < size; ++p) {
    const std::uint32_t last = end[box[p].upper[x] >> shift];
    const auto ply = hn::Set(d, ly[p]), puy = hn::Set(d, uy[p]), plz = hn::Set(d, lz[p]), puz = hn::Set(d, uz[p]);
    if (memory.hits.size() < hits + (last - p)) memory.hits.resize(2 * (hits + (last - p)) + 1024);
    std::uint64_t* HWY_RESTRICT out = memory.hits.data();
    for (std::uint32_t j = p + 1; j < last; j += lanes) {
      const auto in_y = hn::And(is_at_most(hn::LoadU(d, ly + j), puy), is_at_most(ply, hn::LoadU(d, uy + j)));
      const auto in_z = hn::And(is_at_most(hn::LoadU(d, lz + j), puz), is_at_most(plz, hn::LoadU(d, uz + j)));
      alignas(8) std::uint8_t bytes[8] = {};
      hn::StoreMaskBits(d, hn::And(in_y, in_z), bytes);
      std::uint64_t bit;
      __builtin_memcpy(&bit, bytes, 8);
      if (last - j < 64) bit &= (std::uint64_t{1} << (last - j)) - 1;
      for (const std::uint32_t k : simd::SetBits(bit))
        out[hits++] = std::uint64_t{p} << 32 | (j + k);
    }
  }
  memory.hit_count = hits;
  return compared;
}

}  // namespace whisker::world::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whisker::world {

HWY_EXPORT(rough_boxes);
HWY_EXPORT(sweep);

void make_rough(std::span<const Aabb> boxes, std::span<const std::uint32_t> numbers, const RoughMap& map,
                RoughBox* out) {
  if (numbers.empty()) return;
  HWY_DYNAMIC_DISPATCH(rough_boxes)
  (boxes[0].lower.data(), numbers.data(), numbers.size(), boxes.size(), map, out);
}
std::uint64_t sweep_column(const Column& column, std::uint64_t most, ColumnMemory& memory) {
  return HWY_DYNAMIC_DISPATCH(sweep)(column, most, memory);
}

}  // namespace whisker::world
#endif
