// GJK on doubles, compiled once per instruction set around the support functions.

#include <array>
#include <cmath>

#include "convex/convex_frame.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "convex/gjk_kernels.cpp"
#include <hwy/foreach_target.h>
// Must follow foreach_target.h:
#include <hwy/highway.h>

#include "convex/frame_support-inl.hpp"
#include "convex/gjk_inside-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::convex::HWY_NAMESPACE {

void gjk(FramePair& pair, const GjkGoal& goal, const WarmStart& warm, GjkResult& result) {
  const bool is_warm = warm.count > 0;
  if (!is_warm) place(pair);
  GjkLoop<Vec3> loop(warm.has_direction ? warm.direction : is_warm ? Vec3{} : start_of(pair), pair.error, goal);
  bool more = true;
  if (is_warm) {
    for (int i = 0; i < warm.count; ++i) {
      const auto k = static_cast<std::size_t>(i);
      loop.insert(pair_of_vertices(pair, warm.a[k], warm.b[k]));
    }
    more = loop.begin();
  }
  while (more) {
    more = loop.add(support(pair, -loop.v()));
    // The first support often ends a warm search, so transform all vertices only after it.
    if (more && is_warm) place(pair);
  }

  result.end = loop.end();
  result.supports = loop.supports();
  result.lower = loop.lower();
  result.lower_direction = loop.lower_direction();
  result.count = loop.simplex().count;
  for (int i = 0; i < result.count; ++i)
    result.simplex[static_cast<std::size_t>(i)] = loop.point(i);
  loop.witnesses(result.a, result.b);
  result.margin = 0;
  if (result.end == GjkEnd::inside && result.count == 4) {
    const Simplex<Vec3>& s = loop.simplex();
    result.margin = margin_of(s.w, pair.size);
    std::array<CornerPoints, 4> points;
    for (int i = 0; i < 4; ++i)
      points[static_cast<std::size_t>(i)] = {loop.point(i).a, loop.point(i).b};
    balance_weights(s.w, s.weight, points, pair.mean_error, result.a, result.b);
  }
  result.upper = result.count > 0 ? norm(result.a - result.b) : HUGE_VAL;
}

SupportPoint<Vec3> one_support(FramePair& pair, const Vec3& direction) {
  place(pair);
  return support(pair, direction);
}

}  // namespace whisker::convex::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whisker::convex {

HWY_EXPORT(gjk);
HWY_EXPORT(one_support);

void run_gjk(FramePair& pair, const GjkGoal& goal, const WarmStart& warm, GjkResult& result) {
  HWY_DYNAMIC_DISPATCH(gjk)(pair, goal, warm, result);
  check_bounds(pair, result.lower, result.upper);
}
SupportPoint<Vec3> run_support(FramePair& pair, const Vec3& direction) {
  return HWY_DYNAMIC_DISPATCH(one_support)(pair, direction);
}

}  // namespace whisker::convex
#endif
