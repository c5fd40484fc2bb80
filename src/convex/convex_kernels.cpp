// GJK and the expanding polytope on doubles, compiled once per instruction set around the support mappings.

#include <algorithm>
#include <cmath>

#include <whisker/predicates.hpp>

#include "convex/convex_frame.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "convex/convex_kernels.cpp"
#include <hwy/foreach_target.h>
// After it:
#include <hwy/highway.h>

#include "convex/small_polytope-inl.hpp"
#include "shapes/hull_support-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::convex::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using whisker::HWY_NAMESPACE::cell_support;
using whisker::HWY_NAMESPACE::scan_support;
using Mode = FrameBody::Mode;
constexpr std::uint32_t no_vertex = SupportPoint<Vec3>::no_vertex;

// Brings few vertices into the common frame once.
HWY_INLINE void place(FrameBody& body) {
  if (body.mode != Mode::to_be_placed) return;
  const hn::CappedTag<double, 8> d;
  using V = hn::Vec<decltype(d)>;
  V m[3][3], t[3];
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c)
      m[r][c] = hn::Set(d, body.m[r][c]);
    t[r] = hn::Set(d, body.t[r]);
  }
  for (std::size_t i = 0; i < body.padded; i += hn::Lanes(d)) {
    const V x = hn::Load(d, body.x + i), y = hn::Load(d, body.y + i), z = hn::Load(d, body.z + i);
    for (int r = 0; r < 3; ++r) {
      const V turned = hn::Add(hn::Add(hn::Mul(m[r][0], x), hn::Mul(m[r][1], y)), hn::Mul(m[r][2], z));
      hn::Store(hn::Add(turned, t[r]), d, body.placed[r] + i);
    }
  }
  body.x = body.placed[0];
  body.y = body.placed[1];
  body.z = body.placed[2];
  body.mode = Mode::placed;
}

HWY_INLINE void place(FramePair& pair) {
  place(pair.a);
  place(pair.b);
}

HWY_INLINE Vec3 to_own_frame(const FrameBody& body, const Vec3& d) {
  const auto& m = body.m;
  return {(m[0][0] * d.x + m[1][0] * d.y) + m[2][0] * d.z, (m[0][1] * d.x + m[1][1] * d.y) + m[2][1] * d.z,
          (m[0][2] * d.x + m[1][2] * d.y) + m[2][2] * d.z};
}

HWY_NOINLINE Vec3 curved_support(const FrameBody& body, const Vec3& d) {
  switch (body.mode) {
    case Mode::cylinder:
    case Mode::cone: {
      const double across = std::sqrt(d.x * d.x + d.y * d.y);
      if (body.mode == Mode::cone && d.z * (2 * body.half_length) >= across * body.disc)
        return {0, 0, body.half_length};
      const double z = body.mode == Mode::cone ? -body.half_length : std::copysign(body.half_length, d.z);
      if (!(across > 0)) return {body.disc, 0, z};
      const double stretch = body.disc / across;
      return {d.x * stretch, d.y * stretch, z};
    }
    case Mode::ellipsoid: {
      const Vec3 scaled = {body.radii[0] * d.x, body.radii[1] * d.y, body.radii[2] * d.z};
      const double length = norm(scaled);
      if (!(length > 0)) return {};
      const double inverse = 1 / length;
      return {body.radii[0] * (scaled.x * inverse), body.radii[1] * (scaled.y * inverse),
              body.radii[2] * (scaled.z * inverse)};
    }
    default: {
      const double direction[3] = {d.x, d.y, d.z};
      double point[3];
      custom_support(*body.custom, direction, point);
      return {point[0], point[1], point[2]};
    }
  }
}

HWY_INLINE Vec3 support(const FrameBody& body, const Vec3& d, std::uint32_t& vertex) {
  if (body.mode == Mode::placed) {
    vertex = scan_support(body.x, body.y, body.z, body.padded, d.x, d.y, d.z);
    return {body.x[vertex], body.y[vertex], body.z[vertex]};
  }
  const Vec3 own = body.is_identity ? d : to_own_frame(body, d);
  Vec3 p;
  if (body.mode == Mode::cells) {
    vertex = cell_support(*body.table, own.x, own.y, own.z);
    p = {body.table->x[vertex], body.table->y[vertex], body.table->z[vertex]};
  } else if (body.mode == Mode::scan || body.mode == Mode::to_be_placed) {
    vertex = scan_support(body.x, body.y, body.z, body.padded, own.x, own.y, own.z);
    p = {body.x[vertex], body.y[vertex], body.z[vertex]};
  } else {
    vertex = no_vertex;
    p = curved_support(body, own);
  }
  return body.is_identity ? p : to_common_frame(body, p);
}

HWY_INLINE SupportPoint<Vec3> support(const FramePair& pair, const Vec3& d) {
  SupportPoint<Vec3> point;
  point.a = support(pair.a, d, point.vertex_a);
  point.b = support(pair.b, -d, point.vertex_b);
  return point;
}

HWY_INLINE Vec3 vertex_at(const FrameBody& body, std::uint32_t vertex) {
  const Vec3 p = {body.x[vertex], body.y[vertex], body.z[vertex]};
  return body.mode == Mode::placed || body.is_identity ? p : to_common_frame(body, p);
}

HWY_INLINE SupportPoint<Vec3> pair_of_vertices(const FramePair& pair, std::uint32_t a, std::uint32_t b) {
  return {vertex_at(pair.a, a), vertex_at(pair.b, b), a, b};
}

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

// Expands the polytope until the bounds meet, from its face of least height on. False if it cannot; nothing is known
// then.
HWY_INLINE bool expand_to_end(FramePair& pair, const EpaGoal& goal, SmallPolytope& p, NearestFace nearest,
                              EpaResult& result) {
  const double seen = 4 * Numbers<Vec3>::roundoff * pair.size;
  double upper = HUGE_VAL;
  int supports = 0;
  const auto is_close = [&](double gap)
                            HWY_ATTR { return gap <= goal.tolerance || gap <= goal.relative_tolerance * upper; };
  while (true) {
    const Vec3 direction = {p.nx[nearest.face], p.ny[nearest.face], p.nz[nearest.face]};
    const SupportPoint<Vec3> point = support(pair, direction);
    ++supports;
    const Vec3 w = point.a - point.b;
    const double reach = convex::dot(direction, w);
    if (reach < upper) {
      upper = reach;
      result.direction = direction;
      result.a = point.a;
      result.b = point.b;
      if (is_close(upper - nearest.height)) break;
    }
    result.supports = supports;
    if (!(reach - nearest.height > seen)) return false;
    // Mending dents adds no points: it could go on for ever.
    if (supports > 2 * static_cast<int>(SmallPolytope::most_points)) return false;
    // The first support often ends a warm search: not worth all vertices.
    if (supports == 1) place(pair);
    const unsigned known = find_point(p, point.vertex_a, point.vertex_b);
    if (!expand(p, known, point.vertex_a, point.vertex_b, w, seen, pair.size, nearest) &&
        !mend(p, seen, pair.size, nearest)) {
      return false;
    }
    if (is_close(upper - nearest.height)) break;
  }
  result.lower = nearest.height;
  result.upper = upper;
  result.supports = supports;
  result.end = EpaEnd::converged;
  return true;
}

bool small_epa(FramePair& pair, const EpaGoal& goal, const GjkResult& start, SmallPolytope& p, EpaResult& result) {
  place(pair);
  NearestFace nearest;
  return begin(p, start.simplex, pair.size, nearest) && expand_to_end(pair, goal, p, nearest, result);
}

// Vertices in the common frame, as vertex_at() gives them.
HWY_INLINE ThreeLanes vertices_at(const FrameBody& body, const std::uint32_t* vertices) {
  const FaceTag d;
  const ThreeLanes p = {collect(d, body.x, vertices), collect(d, body.y, vertices), collect(d, body.z, vertices)};
  if (body.mode == Mode::placed || body.is_identity) return p;
  const auto row = [&](int r) HWY_ATTR {
    const double* const m = body.m[r];
    const FaceLanes turned = hn::Add(hn::Add(hn::Mul(hn::Set(d, m[0]), p.x), hn::Mul(hn::Set(d, m[1]), p.y)),
                                     hn::Mul(hn::Set(d, m[2]), p.z));
    return hn::Add(turned, hn::Set(d, body.t[r]));
  };
  return {row(0), row(1), row(2)};
}

bool warm_epa(FramePair& pair, const EpaGoal& goal, SmallPolytope& p, EpaResult& result) {
  const FaceTag d;
  result.supports = 0;
  if (!fits(p, pair.a.count, pair.b.count)) return false;
  for (unsigned i = 0; i < p.points; i += static_cast<unsigned>(hn::MaxLanes(d))) {
    const ThreeLanes w = minus(vertices_at(pair.a, p.vertex_a + i), vertices_at(pair.b, p.vertex_b + i));
    hn::Store(w.x, d, p.wx + i);
    hn::Store(w.y, d, p.wy + i);
    hn::Store(w.z, d, p.wz + i);
  }
  NearestFace nearest;
  return measure_again(p, pair.size, nearest) && expand_to_end(pair, goal, p, nearest, result);
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
HWY_EXPORT(epa);
HWY_EXPORT(small_epa);
HWY_EXPORT(warm_epa);
HWY_EXPORT(one_support);

void run_gjk(FramePair& pair, const GjkGoal& goal, const WarmStart& warm, const Vec3* direction, GjkResult& result) {
  HWY_DYNAMIC_DISPATCH(gjk)(pair, goal, warm, direction, result);
}
void run_epa(FramePair& pair, const EpaGoal& goal, const GjkResult& start, EpaMemory<Vec3>& memory, EpaResult& result) {
  HWY_DYNAMIC_DISPATCH(epa)(pair, goal, start, memory, result);
}
bool run_small_epa(FramePair& pair, const EpaGoal& goal, const GjkResult& start, SmallPolytope& polytope,
                   EpaResult& result) {
  return HWY_DYNAMIC_DISPATCH(small_epa)(pair, goal, start, polytope, result);
}
bool run_warm_epa(FramePair& pair, const EpaGoal& goal, SmallPolytope& polytope, EpaResult& result) {
  return HWY_DYNAMIC_DISPATCH(warm_epa)(pair, goal, polytope, result);
}
SupportPoint<Vec3> run_support(FramePair& pair, const Vec3& direction) {
  return HWY_DYNAMIC_DISPATCH(one_support)(pair, direction);
}

}  // namespace whisker::convex
#endif
