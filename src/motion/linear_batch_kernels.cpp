// The first contacts of many moving polygons with the origin, compiled once per instruction set.

#include <cstddef>

#include "motion/linear_contact.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "motion/linear_batch_kernels.cpp"
#include <hwy/foreach_target.h>
// Must come after foreach_target.h:
#include <hwy/highway.h>

#include "motion/linear_batch-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::motion::HWY_NAMESPACE {

template <FeaturePairKind kind>
bool many_contacts(const FeaturePairs& pairs, std::size_t count, const LinearOptions& options, const LinearSink& sink) {
  if (pairs.rows != nullptr) {
    const PairsInRows<kind> in_rows = {pairs.rows};
    return Batch<kind, PairsInRows<kind>>(in_rows, options, sink).look(count);
  }
  const PairsOfVertices<kind> of_vertices = {pairs};
  return Batch<kind, PairsOfVertices<kind>>(of_vertices, options, sink).look(count);
}

bool many_contacts_of(FeaturePairKind kind, const FeaturePairs& pairs, std::size_t count, const LinearOptions& options,
                      const LinearSink& sink) {
  return kind == FeaturePairKind::point_triangle
             ? many_contacts<FeaturePairKind::point_triangle>(pairs, count, options, sink)
             : many_contacts<FeaturePairKind::segment_segment>(pairs, count, options, sink);
}

}  // namespace whisker::motion::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whisker::motion {

HWY_EXPORT(many_contacts_of);

bool first_contacts_of(FeaturePairKind kind, const FeaturePairs& pairs, std::size_t count, const LinearOptions& options,
                       const LinearSink& sink) {
  return HWY_DYNAMIC_DISPATCH(many_contacts_of)(kind, pairs, count, options, sink);
}

}  // namespace whisker::motion
#endif
