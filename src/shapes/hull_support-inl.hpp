// Finds the farthest vertex of a convex hull along a direction.
// Compiled once per instruction set: included from files that Highway compiles for each of its targets.
//
// Heights are computed as (dx x + dy y) + dz z with every operation rounded, so results are identical on all targets.

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "shapes/hull_support.hpp"

#if defined(WHISKER_HULL_SUPPORT_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHISKER_HULL_SUPPORT_INL
#undef WHISKER_HULL_SUPPORT_INL
#else
#define WHISKER_HULL_SUPPORT_INL
#endif

#include <hwy/highway.h>

#include "simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace simd::HWY_NAMESPACE;

using SupportTag = hn::CappedTag<double, 8>;
using SupportVector = hn::Vec<SupportTag>;

/// The heights of one vector of vertices, starting at `x`, `y`, `z`.
HWY_INLINE SupportVector support_heights(const double* x, const double* y, const double* z, SupportVector dx,
                                         SupportVector dy, SupportVector dz) {
  const SupportTag d;
  return dot3(dx, dy, dz, hn::Load(d, x), hn::Load(d, y), hn::Load(d, z));
}

/// The maximum in each lane, by pairwise reduction.
template <std::size_t Count>
HWY_INLINE SupportVector largest_of(const SupportVector* vectors) {
  if constexpr (Count == 1) {
    return vectors[0];
  } else {
    return hn::Max(largest_of<Count / 2>(vectors), largest_of<Count - Count / 2>(vectors + Count / 2));
  }
}

/// scan_support() for 8 Blocks vertices, with all heights in registers.
template <std::uint32_t Blocks>
HWY_INLINE std::uint32_t scan_blocks(const double* x, const double* y, const double* z, double dx, double dy,
                                     double dz) {
  const SupportTag d;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  constexpr std::size_t vectors = 8 * Blocks / lanes;
  const SupportVector vx = hn::Set(d, dx), vy = hn::Set(d, dy), vz = hn::Set(d, dz);
  SupportVector height[vectors];
  for (std::size_t k = 0; k < vectors; ++k) {
    height[k] = support_heights(x + k * lanes, y + k * lanes, z + k * lanes, vx, vy, vz);
  }
  const SupportVector best = hn::MaxOfLanes(d, largest_of<vectors>(height));
  std::uint64_t equal = 0;
  for (std::size_t k = 0; k < vectors; ++k)
    equal |= std::uint64_t{mask_bits(d, hn::Eq(height[k], best))} << (k * lanes);
  return static_cast<std::uint32_t>(hwy::Num0BitsBelowLS1Bit_Nonzero64(equal));
}

/// scan_support() for any number of vertices.
HWY_INLINE std::uint32_t scan_many(const double* x, const double* y, const double* z, std::uint32_t padded, double dx,
                                   double dy, double dz) {
  const SupportTag d;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  const SupportVector vx = hn::Set(d, dx), vy = hn::Set(d, dy), vz = hn::Set(d, dz);
  constexpr std::size_t step = 8 / lanes;  // vectors in flight, each with its best height and position
  constexpr std::size_t chains = step < 2 ? 2 : step;
  SupportVector best[chains], where[chains];  // an index is exact in a double
  for (std::size_t c = 0; c < chains; ++c) {
    best[c] = hn::Set(d, -HUGE_VAL);
    where[c] = hn::Zero(d);
  }
  const SupportVector iota = hn::Iota(d, 0);
  std::size_t i = 0;
  const auto look = [&](std::size_t c, std::size_t at) HWY_ATTR {
    const SupportVector h = support_heights(x + at, y + at, z + at, vx, vy, vz);
    where[c] = hn::IfThenElse(hn::Gt(h, best[c]), hn::Set(d, static_cast<double>(at)), where[c]);
    best[c] = hn::Max(h, best[c]);
  };
  for (; i + chains * lanes <= padded; i += chains * lanes) {
    for (std::size_t c = 0; c < chains; ++c)
      look(c, i + c * lanes);
  }
  for (; i < padded; i += lanes)
    look(0, i);
  SupportVector all = best[0];
  for (std::size_t c = 1; c < chains; ++c)
    all = hn::Max(all, best[c]);
  all = hn::MaxOfLanes(d, all);
  SupportVector lowest = hn::Set(d, HUGE_VAL);
  for (std::size_t c = 0; c < chains; ++c) {
    lowest = hn::Min(lowest, hn::IfThenElse(hn::Eq(best[c], all), hn::Add(where[c], iota), hn::Set(d, HUGE_VAL)));
  }
  return static_cast<std::uint32_t>(hn::GetLane(hn::MinOfLanes(d, lowest)));
}

/// Returns the lowest index among the vertices whose height is the largest. `padded` is a multiple of 8, and the arrays
/// are aligned to 64 bytes.
HWY_INLINE std::uint32_t scan_support(const double* x, const double* y, const double* z, std::uint32_t padded,
                                      double dx, double dy, double dz) {
  switch (padded / 8) {
    case 1:
      return scan_blocks<1>(x, y, z, dx, dy, dz);
    case 2:
      return scan_blocks<2>(x, y, z, dx, dy, dz);
    case 3:
      return scan_blocks<3>(x, y, z, dx, dy, dz);
    case 4:
      return scan_blocks<4>(x, y, z, dx, dy, dz);
    case 5:
      return scan_blocks<5>(x, y, z, dx, dy, dz);
    case 6:
      return scan_blocks<6>(x, y, z, dx, dy, dz);
    case 7:
      return scan_blocks<7>(x, y, z, dx, dy, dz);
    case 8:
      return scan_blocks<8>(x, y, z, dx, dy, dz);
    default:
      return scan_many(x, y, z, padded, dx, dy, dz);
  }
}

/// The cell of a direction. Its coordinates are off by less than 2^-13 of themselves, which the cells' lists allow for.
HWY_INLINE std::size_t support_cell(const HullSupport& table, double dx, double dy, double dz) {
  const double ax = std::abs(dx), ay = std::abs(dy), az = std::abs(dz);
  const double sum = (ax * table.weight[0] + ay * table.weight[1]) + az * table.weight[2];
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  const __m128d size = _mm_set_sd(sum);
  const double inverse = _mm_cvtsd_f64(_mm_rcp14_sd(size, size));
#else
  const double inverse = 1 / sum;
#endif
  const std::int64_t grid = table.grid;
  const std::int64_t square = static_cast<std::int64_t>((ax * table.scale[0]) * inverse) * grid +
                              static_cast<std::int64_t>((ay * table.scale[1]) * inverse);
  const auto sign = [](double value) HWY_ATTR { return std::bit_cast<std::int64_t>(value) >> 63; };  // -1 or 0
  const std::int64_t squares = grid * (grid + 1);
  const std::int64_t below = sign(dz);
  const std::int64_t quadrant = (sign(dx) & squares) + (sign(dy) & (2 * squares));
  return static_cast<std::size_t>((square ^ below) + ((below & squares) + quadrant));
}

/// The highest of eight vertices, the first one on a tie, and its height.
///
/// Computes heights one by one and selects with masks: gathering the vertices into lanes takes longer, and branches
/// would be mispredicted every other time.
template <class Index>
HWY_INLINE std::uint32_t highest_of_eight(const SupportVertex* vertices, const Index* eight, double dx, double dy,
                                          double dz, double& height) {
  const auto at = [&](int k) HWY_ATTR {
    const SupportVertex& v = vertices[eight[k]];
    return (dx * v.x + dy * v.y) + dz * v.z;
  };
  const auto larger = [](double a, double b) HWY_ATTR { return b > a ? b : a; };
  const auto choose = [](bool second, std::uint32_t a, std::uint32_t b)
                          HWY_ATTR { return a ^ ((a ^ b) & (0u - static_cast<std::uint32_t>(second))); };
  const double h0 = at(0), h1 = at(1), h2 = at(2), h3 = at(3), h4 = at(4), h5 = at(5), h6 = at(6), h7 = at(7);
  const double h01 = larger(h0, h1), h23 = larger(h2, h3), h45 = larger(h4, h5), h67 = larger(h6, h7);
  const double h03 = larger(h01, h23), h47 = larger(h45, h67);
  const std::uint32_t v01 = choose(h1 > h0, eight[0], eight[1]), v23 = choose(h3 > h2, eight[2], eight[3]),
                      v45 = choose(h5 > h4, eight[4], eight[5]), v67 = choose(h7 > h6, eight[6], eight[7]);
  height = larger(h03, h47);
  return choose(h47 > h03, choose(h23 > h01, v01, v23), choose(h67 > h45, v45, v67));
}

/// The highest vertex of a crowded cell. (Not inlined, because it is rare and long.)
inline HWY_NOINLINE std::uint32_t crowd_support(const HullSupport& table, const SupportCrowd& crowd, double dx,
                                                double dy, double dz) {
  const SupportVertex* const vertices = table.vertices;
  const std::uint32_t* eight = table.crowds + crowd.begin;
  if (crowd.eights >= SupportCrowd::large) {
    const std::uint32_t padded = 8 * crowd.eights;
    const double* const x = table.crowd_coordinates + std::size_t{8} * crowd.coordinates;
    return eight[scan_support(x, x + padded, x + 2 * std::size_t{padded}, padded, dx, dy, dz)];
  }
  double height;
  std::uint32_t best = highest_of_eight(vertices, eight, dx, dy, dz, height);
  for (std::uint32_t k = 1; k < crowd.eights; ++k) {
    eight += 8;
    double next_height;
    const std::uint32_t next = highest_of_eight(vertices, eight, dx, dy, dz, next_height);
    best = next_height > height ? next : best;
    height = next_height > height ? next_height : height;
  }
  return best;
}

template <class Index>
HWY_INLINE std::uint32_t cell_support_in(const HullSupport& table, const SupportCell<Index>* cells, double dx,
                                         double dy, double dz) {
  const SupportCell<Index>& cell = cells[support_cell(table, dx, dy, dz)];
  if (HWY_UNLIKELY(cell.is_crowded())) return crowd_support(table, cell.crowd(), dx, dy, dz);
  double height;
  return highest_of_eight(table.vertices, cell.vertex, dx, dy, dz, height);
}

/// scan_support() by means of the cells; returns the same vertex. The direction must be finite and not zero, with its
/// largest coordinate between 1e-150 and 1e150.
HWY_INLINE std::uint32_t cell_support(const HullSupport& table, double dx, double dy, double dz) {
  if (HWY_LIKELY(table.cells != nullptr)) return cell_support_in(table, table.cells, dx, dy, dz);
  return cell_support_in(table, table.wide_cells, dx, dy, dz);
}

}  // namespace whisker::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
