// Tests triangles of soups against each other in floats, sixteen pairs at a time. Most pairs are decided here; the rest
// go to the exact predicate.

#include <array>
#include <cstddef>
#include <cstdint>

#include "methods/soups/soup_pairs.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "methods/soups/soup_pairs_kernels.cpp"
#include <hwy/foreach_target.h>
// highway.h must come after foreach_target.h.
#include <hwy/highway.h>

#include "mesh/triangle_touch-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::methods::soups::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using TouchBatch = mesh::HWY_NAMESPACE::TouchBatch;

/// The corners of sixteen pairs, one row per coordinate.
struct Corners {
  static constexpr std::size_t width = TouchBatch::width;
  HWY_ALIGN double a[9][width];
  HWY_ALIGN double b[9][width];
};

HWY_INLINE void put(double (*to)[Corners::width], std::size_t lane, const SoupData& soup, std::uint32_t face) {
  const std::uint32_t* const t = soup.triangles + 3 * static_cast<std::size_t>(face);
  for (std::size_t corner = 0; corner < 3; ++corner) {
    const double* const p = soup.vertices + 3 * static_cast<std::size_t>(t[corner]);
    for (std::size_t k = 0; k < 3; ++k)
      to[3 * corner + k][lane] = p[k];
  }
}

/// Converts to floats relative to the first corner of a, in units of a power of two near the largest coordinate. The
/// error of the floats is at most slightly more than 2^-24 of that coordinate. This is a fourth of the slack, and less
/// than the batch assumes.
HWY_INLINE void fill(const Corners& corners, TouchBatch& batch) {
  const hn::CappedTag<double, Corners::width> d;
  const hn::Rebind<float, decltype(d)> narrow;
  const hn::RebindToUnsigned<decltype(d)> words;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  for (std::size_t i = 0; i < Corners::width; i += lanes) {
    hn::Vec<decltype(d)> from_a[15];
    auto largest = hn::Zero(d);
    for (std::size_t n = 0; n < 15; ++n) {
      const auto origin = hn::Load(d, corners.a[n % 3] + i);
      from_a[n] = hn::Sub(hn::Load(d, (n < 6 ? corners.a[n + 3] : corners.b[n - 6]) + i), origin);
      largest = hn::Max(largest, hn::Abs(from_a[n]));
    }
    const auto exponent = hn::And(hn::BitCast(words, largest), hn::Set(words, 0x7FF0000000000000u));
    const auto scale = hn::BitCast(d, hn::Sub(hn::Set(words, 0x7FE0000000000000u), exponent));
    for (std::size_t n = 0; n < 15; ++n) {
      const auto value = hn::DemoteTo(narrow, hn::Mul(from_a[n], scale));
      hn::StoreU(value, narrow, (n < 6 ? batch.a[n] : batch.b[n - 6]) + i);
    }
  }
}

void judge(const SoupData& a, const SoupData& b, const FacePair* pairs, std::size_t count, PairVerdicts* verdicts) {
  TouchBatch batch;
  Corners corners = {};
  for (float& slack : batch.slack)
    slack = 0x1p-21f;  // for coordinates below 2
  for (std::size_t first = 0; first < count; first += Corners::width) {
    batch.size = count - first < Corners::width ? count - first : Corners::width;
    for (std::size_t lane = 0; lane < batch.size; ++lane) {
      put(corners.a, lane, a, pairs[first + lane].a);
      put(corners.b, lane, b, pairs[first + lane].b);
    }
    fill(corners, batch);
    batch.test();
    verdicts[first / Corners::width] = {static_cast<std::uint16_t>(batch.touch),
                                        static_cast<std::uint16_t>(batch.unsure)};
  }
}

}  // namespace whisker::methods::soups::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whisker::methods::soups {

HWY_EXPORT(judge);

void judge_pairs(const Soup& a, const Soup& b, std::span<const FacePair> pairs, PairVerdicts* verdicts) {
  HWY_DYNAMIC_DISPATCH(judge)
  ({a.vertices.front().data(), a.triangles.front().data()}, {b.vertices.front().data(), b.triangles.front().data()},
   pairs.data(), pairs.size(), verdicts);
}

}  // namespace whisker::methods::soups
#endif
