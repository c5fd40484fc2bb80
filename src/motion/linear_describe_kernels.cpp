// Describes where pairs of features touch and along which normal; compiled once per instruction set.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "motion/feature_impacts.hpp"
#include "motion/linear_contact.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "motion/linear_describe_kernels.cpp"
#include <hwy/foreach_target.h>
// Must come after foreach_target.h:
#include <hwy/highway.h>

#include "motion/linear_describe-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::motion::HWY_NAMESPACE {

template <FeaturePairKind kind>
void describe_all_of(const FeaturePairs& pairs, std::size_t count, const double* times, Description* results) {
  const hn::CappedTag<double, 8> d;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  const PairsOfVertices<kind> of_vertices = {pairs};
  for (std::size_t first = 0; first < count; first += lanes)
    describe_some<kind>(d, of_vertices, first, std::min(lanes, count - first), times, results);
}
void describe_all(FeaturePairKind kind, const FeaturePairs& pairs, std::size_t count, const double* times,
                  Description* results) {
  kind == FeaturePairKind::point_triangle
      ? describe_all_of<FeaturePairKind::point_triangle>(pairs, count, times, results)
      : describe_all_of<FeaturePairKind::segment_segment>(pairs, count, times, results);
}
void describe_one(FeaturePairKind kind, const FeaturePair& pair, double time, Description* result) {
  const hn::CappedTag<double, 1> d;
  const PairByPointers one = {pair};
  kind == FeaturePairKind::point_triangle
      ? describe_some<FeaturePairKind::point_triangle>(d, one, 0, 1, &time, result)
      : describe_some<FeaturePairKind::segment_segment>(d, one, 0, 1, &time, result);
}

void copy_to_all(const FeatureImpact& impact, std::span<FeatureImpact> results) {
  const hn::CappedTag<std::uint8_t, 32> d;
  constexpr std::size_t step = hn::MaxLanes(d), last = sizeof(FeatureImpact) - step;
  std::uint8_t from[sizeof impact];  // nobody else's, so that it stays in registers
  std::memcpy(from, &impact, sizeof impact);
  for (FeatureImpact& result : results) {
    auto* const to = reinterpret_cast<std::uint8_t*>(&result);
    for (std::size_t k = 0; k < last; k += step)
      hn::StoreU(hn::LoadU(d, from + k), d, to + k);
    hn::StoreU(hn::LoadU(d, from + last), d, to + last);
  }
}

}  // namespace whisker::motion::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whisker::motion {

HWY_EXPORT(describe_all);
HWY_EXPORT(describe_one);
HWY_EXPORT(copy_to_all);

void describe_plainly(FeaturePairKind kind, const FeaturePairs& pairs, std::size_t count, const double* times,
                      Description* results) {
  HWY_DYNAMIC_DISPATCH(describe_all)(kind, pairs, count, times, results);
}
Description describe_plainly(FeaturePairKind kind, const FeaturePair& pair, double time) {
  Description result;
  HWY_DYNAMIC_DISPATCH(describe_one)(kind, pair, time, &result);
  return result;
}

void set_apart(std::span<FeatureImpact> results) {
  HWY_DYNAMIC_DISPATCH(copy_to_all)(apart_impact(), results);
}

}  // namespace whisker::motion
#endif
