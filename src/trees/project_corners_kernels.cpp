// Projects corners of triangles on directions; compiled once per instruction set.

#include "trees/project_corners.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "trees/project_corners_kernels.cpp"
#include <hwy/foreach_target.h>
// Must come after foreach_target.h:
#include <hwy/highway.h>

#include "simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::trees::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace simd::HWY_NAMESPACE;

/// `axes` are three vectors, one after the other. `lower` and `upper` get three numbers each.
void reach(const LeafCorners* begin, const LeafCorners* end, const double* axes, const double* from, double* lower,
           double* upper) {
  const hn::CappedTag<double, 4> d;
  using V = hn::Vec<decltype(d)>;
  const V big = hn::Set(d, 1e300);
  V low0 = big, low1 = big, low2 = big;
  V high0 = hn::Neg(big), high1 = high0, high2 = high0;
  const Lanes3<V> start = set3(d, from);
  for (const LeafCorners* leaf = begin; leaf != end; ++leaf) {
    for (std::size_t k = 0; k < 12; k += hn::Lanes(d)) {
      const Lanes3<V> p = load3(d, leaf->x + k, leaf->y + k, leaf->z + k) - start;
      const V u0 = fused_dot(set3(d, axes), p), u1 = fused_dot(set3(d, axes + 3), p),
              u2 = fused_dot(set3(d, axes + 6), p);
      low0 = hn::Min(low0, u0), high0 = hn::Max(high0, u0);
      low1 = hn::Min(low1, u1), high1 = hn::Max(high1, u1);
      low2 = hn::Min(low2, u2), high2 = hn::Max(high2, u2);
    }
  }
  const V low[3] = {low0, low1, low2}, high[3] = {high0, high1, high2};
  for (int i = 0; i < 3; ++i) {
    lower[i] = hn::GetLane(hn::MinOfLanes(d, low[i]));
    upper[i] = hn::GetLane(hn::MaxOfLanes(d, high[i]));
  }
}

}  // namespace whisker::trees::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whisker::trees {

HWY_EXPORT(reach);

Aabb project_corners(const LeafCorners* begin, const LeafCorners* end, const Matrix3& axes, const Vector3& from) {
  Aabb result;
  HWY_DYNAMIC_DISPATCH(reach)(begin, end, axes.data(), from.data(), result.lower.data(), result.upper.data());
  return result;
}

}  // namespace whisker::trees
#endif
