// GJK on doubles, compiled once per instruction set around the support mappings.

#include <algorithm>
#include <cmath>

#include "convex/convex_frame.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "convex/gjk_kernels.cpp"
#include <hwy/foreach_target.h>
// After it:
#include <hwy/highway.h>

#include "convex/frame_support-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::convex::HWY_NAMESPACE {

// How far the origin is from all faces of a tetrahedron that holds it; 0 if rounding leaves that open.
HWY_NOINLINE double margin_of(const Simplex<Vec3>& s, double size) {
  double margin = HUGE_VAL;
  for (std::size_t apex = 0; apex < 4; ++apex) {
    const Vec3 &p = s.w[(apex + 1) & 3], &q = s.w[(apex + 2) & 3], &r = s.w[(apex + 3) & 3];
    const Vec3 e1 = q - p, e2 = r - p;
    Vec3 n = cross(e1, e2);
    const double length = norm(n);
    if (!(length > 0)) return 0;
    n = n * (1 / length);
    double h = std::min({dot(n, p), dot(n, q), dot(n, r)});
    double beyond = dot(n, s.w[apex]);
    if (h < 0) {
      h = -std::max({dot(n, p), dot(n, q), dot(n, r)});
      beyond = -beyond;
    }
    // All of the face on one side of the origin, its opposite corner on the other, and the orientation certain.
    if (!(h * length > 16 * 0x1p-53 * norm(e1) * norm(e2) * size) || !(beyond < 0)) return 0;
    margin = std::min(margin, h);
  }
  return margin;
}

// The common point of two that overlap: the weights of a thin tetrahedron are rough, so that the means of its corners
// on a and on b differ. What they differ by has weights too, which are taken off.
HWY_NOINLINE void bring_together(const GjkLoop<Vec3>& loop, double wanted, GjkResult& result) {
  const Simplex<Vec3>& s = loop.simplex();
  const Vec3 ab = s.w[2] - s.w[3], ac = s.w[1] - s.w[3], ad = s.w[0] - s.w[3];
  const Vec3 n_abc = cross(ab, ac), n_acd = cross(ac, ad), n_adb = cross(ad, ab);
  const double inverse = 1 / dot(n_abc, ad);
  std::array<double, 4> weight = s.weight;
  double apart = norm(result.a - result.b);
  for (int round = 0; round < 2 && apart > wanted; ++round) {
    const Vec3 left = (result.b - result.a) * inverse;
    const double more[3] = {dot(n_abc, left), dot(n_adb, left), dot(n_acd, left)};
    for (std::size_t i = 0; i < 3; ++i)
      weight[i] += more[i];
    weight[3] -= more[0] + more[1] + more[2];
    Vec3 a{}, b{};
    for (int i = 0; i < 4; ++i) {
      const double share = weight[static_cast<std::size_t>(i)];
      if (!(share >= -0x1p-50)) return;
      a = a + loop.point(i).a * share;
      b = b + loop.point(i).b * share;
    }
    const double nearer = norm(a - b);
    if (!(nearer < apart)) return;
    apart = nearer;
    result.a = a;
    result.b = b;
  }
}

void gjk(FramePair& pair, const GjkGoal& goal, const WarmStart& warm, const Vec3* direction, GjkResult& result) {
  const bool is_warm = warm.count > 0;
  if (!is_warm) place(pair);
  GjkLoop<Vec3> loop(direction != nullptr ? *direction : is_warm ? Vec3{} : start_of(pair), pair.error, goal);
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
    // The first support often ends a warm search: not worth all vertices.
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
    result.margin = margin_of(loop.simplex(), pair.size);
    bring_together(loop, pair.mean_error, result);
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

void run_gjk(FramePair& pair, const GjkGoal& goal, const WarmStart& warm, const Vec3* direction, GjkResult& result) {
  HWY_DYNAMIC_DISPATCH(gjk)(pair, goal, warm, direction, result);
}
SupportPoint<Vec3> run_support(FramePair& pair, const Vec3& direction) {
  return HWY_DYNAMIC_DISPATCH(one_support)(pair, direction);
}

}  // namespace whisker::convex
#endif
