// The supports of two bodies in a common frame. Compiled once per instruction set: included from files that Highway
// compiles for each of its targets.

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "convex/convex_frame.hpp"

#if defined(WHISKER_FRAME_SUPPORT_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHISKER_FRAME_SUPPORT_INL
#undef WHISKER_FRAME_SUPPORT_INL
#else
#define WHISKER_FRAME_SUPPORT_INL
#endif

#include <hwy/highway.h>

#include "shapes/hull_support-inl.hpp"
#include "simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::convex::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace simd::HWY_NAMESPACE;

using whisker::HWY_NAMESPACE::cell_support;
using whisker::HWY_NAMESPACE::scan_support;
using Mode = FrameBody::Mode;
constexpr std::uint32_t no_vertex = SupportPoint<Vec3>::no_vertex;

// Transforms a body's vertices to the common frame once, if they are few.
HWY_INLINE void place(FrameBody& body) {
  if (body.mode != Mode::to_be_placed) return;
  const hn::CappedTag<double, 8> d;
  using V = hn::Vec<decltype(d)>;
  V m[3][3], t[3];
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c)
      m[r][c] = hn::Set(d, body.m[r][c]);
    t[r] = hn::Set(d, body.m[r][3]);
  }
  for (std::size_t i = 0; i < body.padded; i += hn::Lanes(d)) {
    const V x = hn::Load(d, body.x + i), y = hn::Load(d, body.y + i), z = hn::Load(d, body.z + i);
    for (int r = 0; r < 3; ++r)
      hn::Store(hn::Add(dot3(m[r][0], m[r][1], m[r][2], x, y, z), t[r]), d, body.placed[r] + i);
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

inline HWY_NOINLINE Vec3 curved_support(const FrameBody& body, const Vec3& d) {
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

}  // namespace whisker::convex::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
