// First contacts of moving polygons with the origin, of one or of many. Compiled once per instruction set.

#include <cstddef>

#include "motion/linear_contact.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "motion/linear_contact_kernels.cpp"
#include <hwy/foreach_target.h>
// Must come after foreach_target.h:
#include <hwy/highway.h>

#include "motion/linear_batch-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::motion::HWY_NAMESPACE {

LinearOutcome one_contact_of(FeaturePairKind kind, const FeaturePair& pair, const LinearOptions& options,
                             LinearPolygon& polygon, LinearAnswer& answer) {
  switch (kind) {
    case FeaturePairKind::point_point:
      return one_contact<FeaturePairKind::point_point>(pair, options, polygon, answer);
    case FeaturePairKind::point_segment:
      return one_contact<FeaturePairKind::point_segment>(pair, options, polygon, answer);
    case FeaturePairKind::point_triangle:
      return one_contact<FeaturePairKind::point_triangle>(pair, options, polygon, answer);
    default:
      return one_contact<FeaturePairKind::segment_segment>(pair, options, polygon, answer);
  }
}

template <FeaturePairKind kind>
bool many_contacts(const FeaturePairs& pairs, std::size_t count, const LinearOptions& options, const LinearSink& sink) {
  if (pairs.rows != nullptr) return Batch<kind, PairsInRows<kind>>({pairs.rows}, options, sink).look(count);
  return Batch<kind, PairsOfVertices<kind>>({pairs}, options, sink).look(count);
}

bool many_contacts_of(FeaturePairKind kind, const FeaturePairs& pairs, std::size_t count, const LinearOptions& options,
                      const LinearSink& sink) {
  return kind == FeaturePairKind::point_triangle
             ? many_contacts<FeaturePairKind::point_triangle>(pairs, count, options, sink)
             : many_contacts<FeaturePairKind::segment_segment>(pairs, count, options, sink);
}

void polygon_of(FeaturePairKind kind, const FeaturePair& pair, const LinearOptions& options, LinearPolygon& polygon) {
  kind == FeaturePairKind::point_triangle
      ? set_polygon<FeaturePairKind::point_triangle>(rows_of<FeaturePairKind::point_triangle>(pair), options, polygon)
      : set_polygon<FeaturePairKind::segment_segment>(rows_of<FeaturePairKind::segment_segment>(pair), options,
                                                      polygon);
}

template <int count>
void set_coefficients(const LinearPolygon& polygon, double from, double to, LinearCoefficients& result) {
  const hn::CappedTag<double, 1> d;
  const auto seen = look<false>(d, for_all<count>(d, polygon), hn::Set(d, from), hn::Set(d, to));
  for (int i = 0; i < 4; ++i)
    result.cubic[i] = hn::GetLane(seen.c[i]);
  result.axis = hn::AllTrue(d, seen.is_x) ? 0 : (hn::AllTrue(d, seen.is_xy) ? 1 : 2);
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < 3; ++k)
      result.quadratic[i][k] = hn::GetLane(seen.q[i][k]);
}
void all_coefficients(const LinearPolygon& polygon, double from, double to, LinearCoefficients& result) {
  polygon.count == 3 ? set_coefficients<3>(polygon, from, to, result) : set_coefficients<4>(polygon, from, to, result);
}

}  // namespace whisker::motion::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whisker::motion {

HWY_EXPORT(one_contact_of);
HWY_EXPORT(many_contacts_of);
HWY_EXPORT(polygon_of);
HWY_EXPORT(all_coefficients);

LinearOutcome first_contact_of(FeaturePairKind kind, const FeaturePair& pair, const LinearOptions& options,
                               LinearPolygon& polygon, LinearAnswer& answer) {
  return HWY_DYNAMIC_DISPATCH(one_contact_of)(kind, pair, options, polygon, answer);
}

bool first_contacts_of(FeaturePairKind kind, const FeaturePairs& pairs, std::size_t count, const LinearOptions& options,
                       const LinearSink& sink) {
  return HWY_DYNAMIC_DISPATCH(many_contacts_of)(kind, pairs, count, options, sink);
}

void set_polygon_of(FeaturePairKind kind, const FeaturePair& pair, const LinearOptions& options,
                    LinearPolygon& polygon) {
  HWY_DYNAMIC_DISPATCH(polygon_of)(kind, pair, options, polygon);
}

LinearCoefficients coefficients_of(const LinearPolygon& polygon, double from, double to) {
  LinearCoefficients result{};
  HWY_DYNAMIC_DISPATCH(all_coefficients)(polygon, from, to, result);
  return result;
}

}  // namespace whisker::motion
#endif
