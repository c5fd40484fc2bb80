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

HWY_INLINE Vec3 to_common_frame(const FrameBody& body, const Vec3& p) {
  const auto& m = body.m;
  return {((m[0][0] * p.x + m[0][1] * p.y) + m[0][2] * p.z) + body.t[0],
          ((m[1][0] * p.x + m[1][1] * p.y) + m[1][2] * p.z) + body.t[1],
          ((m[2][0] * p.x + m[2][1] * p.y) + m[2][2] * p.z) + body.t[2]};
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
  } else if (body.mode == Mode::scan) {
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

void gjk(FramePair& pair, const GjkGoal& goal, const WarmStart& warm, const Vec3* direction, GjkResult& result) {
  place(pair);
  GjkLoop<Vec3> loop(direction != nullptr ? *direction : pair.start, pair.error, goal);
  bool more = true;
  if (warm.count > 0) {
    for (int i = 0; i < warm.count; ++i) {
      const auto k = static_cast<std::size_t>(i);
      loop.insert(pair_of_vertices(pair, warm.a[k], warm.b[k]));
    }
    more = loop.begin();
  }
  while (more)
    more = loop.add(support(pair, -loop.v()));

  result.end = loop.end();
  result.supports = loop.supports();
  result.lower = loop.lower();
  result.lower_direction = loop.lower_direction();
  result.count = loop.simplex().count;
  for (int i = 0; i < result.count; ++i)
    result.simplex[static_cast<std::size_t>(i)] = loop.point(i);
  loop.witnesses(result.a, result.b);
  result.margin = 0;
  if (result.end == GjkEnd::inside && result.count == 4) result.margin = margin_of(loop.simplex(), pair.size);
  result.upper = result.count > 0 ? norm(result.a - result.b) : HUGE_VAL;
}

// Faces of a polytope, one in each lane. The same numbers as those of measure_face.
struct InLanes {
  using Tag = hn::CappedTag<double, 8>;
  using Lane = hn::Vec<Tag>;
  struct Three {
    Lane x, y, z;
  };
  static HWY_INLINE Three minus(const Three& a, const Three& b) {
    return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y), hn::Sub(a.z, b.z)};
  }
  static HWY_INLINE Lane dot(const Three& a, const Three& b) {
    return hn::Add(hn::Add(hn::Mul(a.x, b.x), hn::Mul(a.y, b.y)), hn::Mul(a.z, b.z));
  }
  static HWY_INLINE Three cross(const Three& a, const Three& b) {
    return {hn::Sub(hn::Mul(a.y, b.z), hn::Mul(a.z, b.y)), hn::Sub(hn::Mul(a.z, b.x), hn::Mul(a.x, b.z)),
            hn::Sub(hn::Mul(a.x, b.y), hn::Mul(a.y, b.x))};
  }

  static HWY_NOINLINE void measure(const Vec3* w, double size, EpaFace<Vec3>* faces, std::size_t count) {
    const Tag d;
    constexpr std::size_t lanes = hn::MaxLanes(d);
    constexpr double roundoff = Numbers<Vec3>::roundoff;
    // Many corners are collected before the first are used, so that they have reached the memory by then.
    constexpr std::size_t most = 64;
    alignas(64) double at[9][most];
    alignas(64) double out[4][lanes];
    for (std::size_t begin = 0; begin < count; begin += most) {
      const std::size_t here = std::min(most, count - begin);
      for (std::size_t k = 0; k < here; ++k) {
        for (std::size_t c = 0; c < 3; ++c) {
          const Vec3& point = w[faces[begin + k].corner[c]];
          at[3 * c][k] = point.x;
          at[3 * c + 1][k] = point.y;
          at[3 * c + 2][k] = point.z;
        }
      }
      for (std::size_t from = 0; from < here; from += lanes) {
        const auto load = [&](std::size_t c) HWY_ATTR {
          return Three{hn::Load(d, at[3 * c] + from), hn::Load(d, at[3 * c + 1] + from),
                       hn::Load(d, at[3 * c + 2] + from)};
        };
        const Three p = load(0), q = load(1), r = load(2);
        const Three e1 = minus(q, p), e2 = minus(r, p);
        const Three n = cross(e1, e2);
        const Lane squared = dot(n, n);
        const Lane first = dot(e1, e1), second = dot(e2, e2);
        const Lane edges = hn::Mul(first, second);
        std::uint8_t bits[8] = {};
        hn::StoreMaskBits(d, hn::Gt(squared, hn::Mul(hn::Set(d, 0x1p-40 * roundoff), edges)), bits);
        const unsigned wide = bits[0];
        const Lane length = hn::Sqrt(squared);
        const Lane inverse = hn::Div(hn::Set(d, 1.0), length);
        const Three unit = {hn::Mul(n.x, inverse), hn::Mul(n.y, inverse), hn::Mul(n.z, inverse)};
        const Lane height = hn::Min(hn::Min(dot(unit, p), dot(unit, q)), dot(unit, r));
        const Lane least = hn::Mul(hn::Mul(hn::Set(d, 8 * roundoff), hn::Add(first, second)), hn::Set(d, size));
        hn::StoreMaskBits(d, hn::Gt(hn::Mul(height, length), least), bits);
        const unsigned positive = bits[0];
        hn::Store(unit.x, d, out[0]);
        hn::Store(unit.y, d, out[1]);
        hn::Store(unit.z, d, out[2]);
        hn::Store(height, d, out[3]);
        for (std::size_t k = 0; k < std::min(lanes, here - from); ++k) {
          EpaFace<Vec3>& face = faces[begin + from + k];
          if (HWY_UNLIKELY((wide >> k & 1) == 0)) {
            measure_face(w, size, face);
            continue;
          }
          face.normal = {out[0][k], out[1][k], out[2][k]};
          face.height = out[3][k];
          face.is_positive = (positive >> k & 1) != 0;
          face.is_needle = false;
        }
      }
    }
  }

  static HWY_NOINLINE std::size_t least(const double* values, std::size_t count) {
    const Tag d;
    constexpr std::size_t lanes = hn::MaxLanes(d);
    if (count < lanes) return OneByOne<Vec3>::least(values, count);
    Lane best = hn::LoadU(d, values);
    for (std::size_t i = lanes; i + lanes <= count; i += lanes)
      best = hn::Min(best, hn::LoadU(d, values + i));
    best = hn::MinOfLanes(d, hn::Min(best, hn::LoadU(d, values + count - lanes)));
    for (std::size_t i = 0; i + lanes <= count; i += lanes) {
      const std::intptr_t lane = hn::FindFirstTrue(d, hn::Eq(hn::LoadU(d, values + i), best));
      if (lane >= 0) return i + static_cast<std::size_t>(lane);
    }
    return OneByOne<Vec3>::least(values + count - lanes, lanes) + count - lanes;
  }
};
using LaneLoop = EpaLoop<Vec3, InLanes>;

HWY_INLINE void run_to_end(const FramePair& pair, LaneLoop& loop, EpaResult& result) {
  Vec3 d;
  while (loop.next(d))
    loop.add(support(pair, d));
  result.end = loop.end();
  result.supports = loop.supports();
  result.grew = loop.grew();
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
  LaneLoop loop(memory, pair.size, goal);
  loop.clear();
  for (int i = 0; i < start.count; ++i)
    loop.insert(start.simplex[static_cast<std::size_t>(i)]);
  loop.begin();
  run_to_end(pair, loop, result);
}

void warm_epa(FramePair& pair, const EpaGoal& goal, EpaMemory<Vec3>& memory, EpaResult& result) {
  place(pair);
  LaneLoop loop(memory, pair.size, goal);
  result.end = EpaEnd::running;
  result.supports = 0;
  const auto place_again = [&pair](SupportPoint<Vec3>& point) HWY_ATTR {
    point.a = vertex_at(pair.a, point.vertex_a);
    point.b = vertex_at(pair.b, point.vertex_b);
  };
  if (loop.resume(place_again)) run_to_end(pair, loop, result);
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
HWY_EXPORT(warm_epa);
HWY_EXPORT(one_support);

void run_gjk(FramePair& pair, const GjkGoal& goal, const WarmStart& warm, const Vec3* direction, GjkResult& result) {
  HWY_DYNAMIC_DISPATCH(gjk)(pair, goal, warm, direction, result);
}
void run_epa(FramePair& pair, const EpaGoal& goal, const GjkResult& start, EpaMemory<Vec3>& memory, EpaResult& result) {
  HWY_DYNAMIC_DISPATCH(epa)(pair, goal, start, memory, result);
}
void run_warm_epa(FramePair& pair, const EpaGoal& goal, EpaMemory<Vec3>& memory, EpaResult& result) {
  HWY_DYNAMIC_DISPATCH(warm_epa)(pair, goal, memory, result);
}
SupportPoint<Vec3> run_support(FramePair& pair, const Vec3& direction) {
  return HWY_DYNAMIC_DISPATCH(one_support)(pair, direction);
}

}  // namespace whisker::convex
#endif
