// Describes where pairs of features touch and along which normal; compiled once per instruction set.

#include <algorithm>
#include <cstddef>

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

}  // namespace whisker::motion::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whisker::motion {

HWY_EXPORT(describe_all);
HWY_EXPORT(describe_one);

void describe_plainly(FeaturePairKind kind, const FeaturePairs& pairs, std::size_t count, const double* times,
                      Description* results) {
  HWY_DYNAMIC_DISPATCH(describe_all)(kind, pairs, count, times, results);
}
Description describe_plainly(FeaturePairKind kind, const FeaturePair& pair, double time) {
  Description result;
  HWY_DYNAMIC_DISPATCH(describe_one)(kind, pair, time, &result);
  return result;
}

}  // namespace whisker::motion
#endif
