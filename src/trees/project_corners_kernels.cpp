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

void reach(const LeafCorners* begin, const LeafCorners* end, const double (&axis)[3][3], const double (&from)[3],
           Reaches& result) {
  const hn::CappedTag<double, 4> d;
  using V = hn::Vec<decltype(d)>;
  const V big = hn::Set(d, 1e300);
  V low0 = big, low1 = big, low2 = big;
  V high0 = hn::Neg(big), high1 = high0, high2 = high0;
  const Lanes3<V> start = set3(d, from);
  for (const LeafCorners* leaf = begin; leaf != end; ++leaf) {
    for (std::size_t k = 0; k < 12; k += hn::Lanes(d)) {
      const Lanes3<V> p = load3(d, leaf->x + k, leaf->y + k, leaf->z + k) - start;
      const V u0 = fused_dot(set3(d, axis[0]), p), u1 = fused_dot(set3(d, axis[1]), p),
              u2 = fused_dot(set3(d, axis[2]), p);
      low0 = hn::Min(low0, u0), high0 = hn::Max(high0, u0);
      low1 = hn::Min(low1, u1), high1 = hn::Max(high1, u1);
      low2 = hn::Min(low2, u2), high2 = hn::Max(high2, u2);
    }
  }
  const auto least = [&](V v) HWY_ATTR { return hn::GetLane(hn::MinOfLanes(d, v)); };
  const auto most = [&](V v) HWY_ATTR { return hn::GetLane(hn::MaxOfLanes(d, v)); };
  result = {{least(low0), least(low1), least(low2)}, {most(high0), most(high1), most(high2)}};
}

}  // namespace whisker::trees::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whisker::trees {

HWY_EXPORT(reach);

Reaches project_corners(const LeafCorners* begin, const LeafCorners* end, const double (&axis)[3][3],
                        const double (&from)[3]) {
  Reaches result;
  HWY_DYNAMIC_DISPATCH(reach)(begin, end, axis, from, result);
  return result;
}

}  // namespace whisker::trees
#endif
