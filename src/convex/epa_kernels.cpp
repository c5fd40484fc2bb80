// The expanding polytope on doubles, compiled once per instruction set around the support functions.

#include <whisker/geometry/predicates.hpp>

#include "convex/convex_frame.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "convex/epa_kernels.cpp"
#include <hwy/foreach_target.h>
// Must follow foreach_target.h:
#include <hwy/highway.h>

#include "convex/frame_support-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::convex::HWY_NAMESPACE {

HWY_INLINE void run_to_end(const FramePair& pair, EpaLoop<Vec3>& loop, EpaResult& result) {
  Vec3 d;
  while (loop.next(d))
    loop.add(support(pair, d));
  result.end = loop.end();
  result.supports = loop.supports();
  result.upper = loop.upper();
  result.direction = loop.upper_direction();
  result.a = loop.upper_point().a;
  result.b = loop.upper_point().b;
  result.lower = loop.certified_lower([](const Vec3& p, const Vec3& q, const Vec3& r) {
    return orient3d(to_vector3(p), to_vector3(q), to_vector3(r), Vector3::Zero()) < 0;
  });
}

void epa(FramePair& pair, const EpaGoal& goal, const GjkResult& start, EpaMemory<Vec3>& memory, EpaResult& result) {
  place(pair);
  EpaLoop<Vec3> loop(memory, pair.size, goal);
  for (int i = 0; i < start.count; ++i)
    loop.insert(start.simplex[static_cast<std::size_t>(i)]);
  loop.begin();
  run_to_end(pair, loop, result);
}

}  // namespace whisker::convex::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whisker::convex {

HWY_EXPORT(epa);

void run_epa(FramePair& pair, const EpaGoal& goal, const GjkResult& start, EpaMemory<Vec3>& memory, EpaResult& result) {
  HWY_DYNAMIC_DISPATCH(epa)(pair, goal, start, memory, result);
  if (result.lower > 0) check_bounds(pair, result.lower, result.upper);  // if the cores are apart, nothing is proven
}

}  // namespace whisker::convex
#endif
