// Projects corners of triangles on directions; compiled once per instruction set.

#include "trees/project_corners.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "trees/project_corners_kernels.cpp"
#include <hwy/foreach_target.h>
// Must come after foreach_target.h:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace whisker::trees::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void reach(const LeafCorners* begin, const LeafCorners* end, const double (&axis)[3][3], const double (&from)[3],
           Reaches& result) {
  const hn::CappedTag<double, 4> d;
  using V = hn::Vec<decltype(d)>;
  const V big = hn::Set(d, 1e300);
  V low0 = big, low1 = big, low2 = big;
  V high0 = hn::Neg(big), high1 = high0, high2 = high0;
  const V fx = hn::Set(d, from[0]), fy = hn::Set(d, from[1]), fz = hn::Set(d, from[2]);
  const auto along = [&](const double* a, V x, V y, V z) HWY_ATTR {
    return hn::MulAdd(hn::Set(d, a[0]), x, hn::MulAdd(hn::Set(d, a[1]), y, hn::Mul(hn::Set(d, a[2]), z)));
  };
  for (const LeafCorners* leaf = begin; leaf != end; ++leaf) {
    for (std::size_t k = 0; k < 12; k += hn::Lanes(d)) {
      const V x = hn::Sub(hn::LoadU(d, leaf->x + k), fx);
      const V y = hn::Sub(hn::LoadU(d, leaf->y + k), fy);
      const V z = hn::Sub(hn::LoadU(d, leaf->z + k), fz);
      const V u0 = along(axis[0], x, y, z), u1 = along(axis[1], x, y, z), u2 = along(axis[2], x, y, z);
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
