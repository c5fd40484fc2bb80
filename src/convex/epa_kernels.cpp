// The expanding polytopes on doubles, compiled once per instruction set around the support functions.

#include <cmath>

#include <whisker/geometry/predicates.hpp>

#include "convex/convex_frame.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "convex/epa_kernels.cpp"
#include <hwy/foreach_target.h>
// Must follow foreach_target.h:
#include <hwy/highway.h>

#include "convex/frame_support-inl.hpp"
#include "convex/small_polytope-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::convex::HWY_NAMESPACE {

void epa(FramePair& pair, const EpaGoal& goal, const GjkResult& start, EpaMemory<Vec3>& memory, EpaResult& result) {
  place(pair);
  EpaLoop<Vec3> loop(memory, pair.size, goal);
  for (int i = 0; i < start.count; ++i)
    loop.insert(start.simplex[static_cast<std::size_t>(i)]);
  loop.begin();
  Vec3 d;
  while (loop.next(d))
    loop.add(support(pair, d));
  result = loop.found();
  result.lower = loop.certified_lower([](const Vec3& p, const Vec3& q, const Vec3& r) {
    return orient3d(to_vector3(p), to_vector3(q), to_vector3(r), Vector3::Zero()) < 0;
  });
}

// ---- depths of polyhedra on a small polytope

// At the point of the face of least height that is nearest to the origin, the weighted points of its corners form a
// pair: they differ by the separating translation. Not if the translation belongs to another face that is equally good.
HWY_INLINE void pair_up(const FramePair& pair, const SmallPolytope& p, unsigned face, double upper, EpaResult& result) {
  Vec3 w[3];
  for (unsigned k = 0; k < 3; ++k)
    w[k] = point_of(p, p.corner[k][face]);
  const simplex_detail::OnTriangle<Vec3> on = simplex_detail::nearest_on_triangle(w[0], w[1], w[2]);
  const Vec3 off = on.v - result.direction * upper;
  if (!(squared_norm(off) <= 0x1p-100 * pair.size * pair.size)) return;
  result.a = result.b = {0, 0, 0};
  for (unsigned k = 0; k < 3; ++k) {
    const unsigned corner = p.corner[k][face];
    result.a = result.a + vertex_at(pair.a, p.vertex_a[corner]) * on.weight[k];
    result.b = result.b + vertex_at(pair.b, p.vertex_b[corner]) * on.weight[k];
  }
}

// Expands the polytope until the bounds meet, starting from its face of least height. Returns false if it cannot. Then
// nothing is known.
HWY_INLINE bool expand_to_end(FramePair& pair, const EpaGoal& goal, SmallPolytope& p, NearestFace nearest,
                              EpaResult& result) {
  const double seen = 4 * Numbers<Vec3>::roundoff * pair.size;
  double upper = HUGE_VAL;
  int supports = 0;
  const auto is_close = [&](double gap)
                            HWY_ATTR { return gap <= goal.tolerance || gap <= goal.relative_tolerance * upper; };
  while (true) {
    const Vec3 direction = normal_of(p, nearest.face);
    const SupportPoint<Vec3> point = support(pair, direction);
    ++supports;
    const Vec3 w = point.a - point.b;
    const double reach = convex::dot(direction, w);
    if (reach < upper) {
      upper = reach;
      result.take(reach, direction, point);
      if (is_close(upper - nearest.height)) break;
    }
    result.supports = supports;
    if (!(reach - nearest.height > seen)) return false;
    // Mending dents adds no points, so it could go on forever.
    if (supports > 2 * static_cast<int>(SmallPolytope::max_points)) return false;
    // The first support often ends a warm search, so transform all vertices only after it.
    if (supports == 1) place(pair);
    const unsigned known = find_point(p, point.vertex_a, point.vertex_b);
    if (!expand(p, known, point.vertex_a, point.vertex_b, w, seen, pair.size, nearest) &&
        !mend(p, seen, pair.size, nearest)) {
      return false;
    }
    if (is_close(upper - nearest.height)) break;
  }
  pair_up(pair, p, nearest.face, upper, result);
  result.lower = nearest.height;
  result.supports = supports;
  result.end = EpaEnd::converged;
  return true;
}

bool small_epa(FramePair& pair, const EpaGoal& goal, const GjkResult& start, SmallPolytope& p, EpaResult& result) {
  place(pair);
  NearestFace nearest;
  return begin(p, start.simplex, pair.size, nearest) && expand_to_end(pair, goal, p, nearest, result);
}

// Vertices in the common frame, the same as from vertex_at().
HWY_INLINE ThreeLanes vertices_at(const FrameBody& body, const std::uint32_t* vertices) {
  const ThreeLanes p = {collect(face_tag, body.x, vertices), collect(face_tag, body.y, vertices),
                        collect(face_tag, body.z, vertices)};
  if (body.mode == Mode::placed || body.is_identity) return p;
  const auto row = [&](int r) HWY_ATTR {
    const double* const m = body.m[r];
    return hn::Add(dot(set3(face_tag, m), p), hn::Set(face_tag, m[3]));
  };
  return {row(0), row(1), row(2)};
}

bool warm_epa(FramePair& pair, const EpaGoal& goal, SmallPolytope& p, EpaResult& result) {
  result.supports = 0;
  if (!fits(p, pair.a.count, pair.b.count)) return false;
  for (unsigned i = 0; i < p.points; i += face_lanes) {
    store3(vertices_at(pair.a, p.vertex_a + i) - vertices_at(pair.b, p.vertex_b + i), face_tag, p.w, i);
  }
  NearestFace nearest;
  return measure_again(p, pair.size, nearest) && expand_to_end(pair, goal, p, nearest, result);
}

}  // namespace whisker::convex::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whisker::convex {

HWY_EXPORT(epa);
HWY_EXPORT(small_epa);
HWY_EXPORT(warm_epa);

void run_epa(FramePair& pair, const EpaGoal& goal, const GjkResult& start, EpaMemory<Vec3>& memory, EpaResult& result) {
  HWY_DYNAMIC_DISPATCH(epa)(pair, goal, start, memory, result);
  if (result.lower > 0) check_bounds(pair, result.lower, result.upper);  // if the cores are apart, nothing is proven
}
bool run_small_epa(FramePair& pair, const EpaGoal& goal, const GjkResult& start, SmallPolytope& polytope,
                   EpaResult& result) {
  return HWY_DYNAMIC_DISPATCH(small_epa)(pair, goal, start, polytope, result);
}
bool run_warm_epa(FramePair& pair, const EpaGoal& goal, SmallPolytope& polytope, EpaResult& result) {
  return HWY_DYNAMIC_DISPATCH(warm_epa)(pair, goal, polytope, result);
}

}  // namespace whisker::convex
#endif
