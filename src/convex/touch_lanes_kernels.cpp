// The tests of touch_lanes.hpp, compiled once per instruction set. Their verdicts are proofs, so instruction sets may
// round differently.

#include "convex/touch_lanes.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "convex/touch_lanes_kernels.cpp"
#include <hwy/foreach_target.h>
// Must follow foreach_target.h:
#include <hwy/highway.h>

#include "simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::convex::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using namespace simd::HWY_NAMESPACE;
using D = hn::CappedTag<double, 8>;
using V = hn::Vec<D>;
using M = hn::Mask<D>;
using Vec = Lanes3<V>;

constexpr D d;

/// Much more than the rounding of a sum of a few products, as a fraction of the sum of their sizes.
constexpr double rounding = 0x1p-46;

HWY_INLINE V size_of(const Vec& v) {
  return hn::Add(hn::Add(hn::Abs(v.x), hn::Abs(v.y)), hn::Abs(v.z));
}
HWY_INLINE V load(const double* from, std::size_t at) {
  return hn::Load(d, from + at);
}

/// One side in a vector's lanes.
struct Side {
  const TouchBlock::Side& of;
  std::size_t at;

  Vec center() const { return load3(d, of.center, at); }
  Vec axis(std::size_t k) const { return load3(d, of.axes + 3 * k, at); }
  V half(std::size_t k) const { return load(of.half[k], at); }
  V radius() const { return load(of.radius, at); }
};

struct Verdict {
  M apart, touching;
};

/// `between`: the vector between two points of the cores. `hidden`: how far the cores may extend beyond them along it,
/// times its length. `reach`: the size of all terms. Where squares could overflow or underflow, nothing is known.
HWY_INLINE Verdict judge(const Vec& between, V hidden, V reach, V radii) {
  const V square = dot(between, between), all = hn::Add(reach, radii), error = hn::Mul(hn::Set(d, rounding), all);
  const V least = hn::Sub(radii, error), most = hn::Add(radii, error);
  const M is_short = hn::And(hn::Gt(least, hn::Set(d, 0x1p-300)), hn::Lt(square, hn::Mul(least, least)));
  // The rounding of `between` tilts the plane.
  const V tilted = hn::Mul(hn::Set(d, rounding), hn::Mul(reach, reach));
  const M is_beyond = hn::Gt(hn::Sub(square, hn::Add(hidden, tilted)), hn::Mul(hn::Sqrt(square), most));
  const M apart = hn::And(hn::Gt(square, hn::Set(d, 0x1p-600)), is_beyond), ordinary = hn::Lt(all, hn::Set(d, 0x1p300));
  return {hn::And(ordinary, apart), hn::And(ordinary, is_short)};
}

HWY_INLINE Verdict points(const Side& a, const Side& b) {
  const Vec between = b.center() - a.center();
  return judge(between, hn::Zero(d), size_of(between), hn::Add(a.radius(), b.radius()));
}

HWY_INLINE V clamped(V x, V limit) {
  return hn::Max(hn::Neg(limit), hn::Min(x, limit));
}
/// How far a core extends beyond the coordinate `at` along a way of this slope.
HWY_INLINE V beyond(V slope, V at, V limit) {
  return hn::Sub(hn::Mul(hn::Abs(slope), limit), hn::Mul(slope, at));
}

/// Capsules, or spheres as capsules without length. Their axes are unit vectors, up to 1e-9 at most, which matters only
/// for how good the points are.
HWY_INLINE Verdict lines(const Side& a, const Side& b) {
  const Vec u = a.axis(2), v = b.axis(2), centers = b.center() - a.center();
  const V half_a = a.half(2), half_b = b.half(2), one = hn::Set(d, 1.0);
  const V uv = dot(u, v), to_b = dot(u, centers), to_a = hn::Neg(dot(v, centers));
  const V determinant = hn::Max(hn::NegMulAdd(uv, uv, one), hn::Set(d, 0x1p-40));
  const V first = clamped(hn::Div(hn::MulAdd(to_a, uv, to_b), determinant), half_a);
  const V t = clamped(hn::MulAdd(uv, first, to_a), half_b);
  const V s = clamped(hn::MulAdd(uv, t, to_b), half_a);
  const Vec between = (centers + v * t) - u * s;
  const V hidden = hn::Add(beyond(dot(between, u), s, half_a), beyond(hn::Neg(dot(between, v)), t, half_b));
  const V halves = hn::Add(half_a, half_b), reach = hn::MulAdd(hn::Set(d, 4.0), halves, size_of(centers));
  return judge(between, hidden, reach, hn::Add(a.radius(), b.radius()));
}

/// The point of a box that is closest to a point, both relative to the center of the box.
struct BoxPoint {
  V at[3];  // along the axes of the box
  Vec point;
};
HWY_INLINE BoxPoint closest_in_box(const Side& box, const Vec& p) {
  BoxPoint found;
  for (std::size_t k = 0; k < 3; ++k) {
    found.at[k] = clamped(dot(p, box.axis(k)), box.half(k));
    const Vec arm = box.axis(k) * found.at[k];
    found.point = k == 0 ? arm : found.point + arm;
  }
  return found;
}

/// `p`: a point of core a, relative to the center of the box. `hidden`, `size`: how far core a may extend beyond it
/// towards the box, and the size of its coordinates.
template <class Hidden>
HWY_INLINE Verdict judge_with_box(const Side& a, const Side& box, const Vec& p, const Hidden& hidden_in_a, V size) {
  const BoxPoint found = closest_in_box(box, p);
  const Vec between = found.point - p;
  V hidden = hidden_in_a(between), reach = size;
  for (std::size_t k = 0; k < 3; ++k) {
    hidden = hn::Add(hidden, beyond(hn::Neg(dot(between, box.axis(k))), found.at[k], box.half(k)));
    reach = hn::MulAdd(hn::Set(d, 4.0), box.half(k), reach);
  }
  return judge(between, hidden, reach, a.radius());
}

HWY_INLINE Verdict point_block(const Side& a, const Side& b) {
  const Vec center = a.center() - b.center();
  return judge_with_box(
      a, b, center, [](const Vec&) HWY_ATTR { return hn::Zero(d); }, size_of(center));
}

/// The points of the axis and of the box are projected onto each other in turn. That comes close enough to the closest
/// points unless the axis is nearly parallel to an edge or a face.
HWY_INLINE Verdict line_block(const Side& a, const Side& b) {
  constexpr int rounds = 4;
  const Vec u = a.axis(2), center = a.center() - b.center();
  const V half = a.half(2), own = dot(u, center);
  V s = clamped(hn::Neg(own), half);
  for (int i = 0; i < rounds; ++i)
    s = clamped(hn::Sub(dot(u, closest_in_box(b, center + u * s).point), own), half);
  const auto hidden = [&](const Vec& between) HWY_ATTR { return beyond(dot(between, u), s, half); };
  return judge_with_box(a, b, center + u * s, hidden, hn::MulAdd(hn::Set(d, 4.0), half, size_of(center)));
}

/// The fifteen axes: the normals of the faces, and the cross products of the edges, whose coordinates follow from the
/// cosines c.
///
/// Boxes that overlap along all of them by more than `slack` touch. Slack is far more than rounding and than what axes
/// that are off unit length and right angles by 1e-9 can hide. An edge product whose length, the sine of the edges'
/// angle, is tiny may be left out if the boxes overlap deeply along all normals of faces: turning b by that angle makes
/// the edges parallel and moves no point by more than 1.1 sine * size. Then all fifteen axes are normals of faces,
/// along which the overlaps have changed by at most 2.2 sine * size, so the turned boxes overlap by more than their
/// points have moved, and b as it was meets a as well. 8 sine * size is enough for that; the test has twice as much as
/// it needs.
HWY_INLINE Verdict blocks(const Side& a, const Side& b) {
  constexpr double margin = 0x1p-26;
  const V least = hn::Set(d, -0x1p1000);
  const Vec centers = b.center() - a.center();
  const V ha[3] = {a.half(0), a.half(1), a.half(2)}, hb[3] = {b.half(0), b.half(1), b.half(2)};
  V t[3], c[3][3], size_c[3][3];
  for (std::size_t i = 0; i < 3; ++i) {
    t[i] = dot(a.axis(i), centers);
    for (std::size_t j = 0; j < 3; ++j) {
      c[i][j] = dot(a.axis(i), b.axis(j));
      size_c[i][j] = hn::Abs(c[i][j]);
    }
  }
  const V halves = hn::Add(hn::Add(hn::Add(ha[0], ha[1]), ha[2]), hn::Add(hn::Add(hb[0], hb[1]), hb[2]));
  const V size = hn::Add(size_of({t[0], t[1], t[2]}), halves), slack = hn::Mul(hn::Set(d, margin), size);
  // How far the boxes are apart along each normal.
  V face_gap = least;
  for (std::size_t i = 0; i < 3; ++i) {
    const V of_b = hn::MulAdd(hb[2], size_c[i][2], hn::MulAdd(hb[1], size_c[i][1], hn::Mul(hb[0], size_c[i][0])));
    const V of_a = hn::MulAdd(ha[2], size_c[2][i], hn::MulAdd(ha[1], size_c[1][i], hn::Mul(ha[0], size_c[0][i])));
    const V along_b = hn::Abs(hn::MulAdd(t[2], c[2][i], hn::MulAdd(t[1], c[1][i], hn::Mul(t[0], c[0][i]))));
    face_gap = hn::Max(face_gap, hn::Sub(hn::Abs(t[i]), hn::Add(ha[i], of_b)));
    face_gap = hn::Max(face_gap, hn::Sub(along_b, hn::Add(hb[i], of_a)));
  }
  // The same along the cross products, times their lengths.
  const V overlap = hn::Max(hn::Neg(face_gap), hn::Zero(d)), sixteenth = hn::Mul(overlap, hn::Set(d, 0x1p-4));
  const V excused_square = hn::Mul(sixteenth, sixteenth), size_square = hn::Mul(size, size);
  V edge_gap = least, needed_gap = least;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (std::size_t j = 0; j < 3; ++j) {
      const std::size_t j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      const V of_a = hn::MulAdd(ha[i1], size_c[i2][j], hn::Mul(ha[i2], size_c[i1][j]));
      const V of_b = hn::MulAdd(hb[j1], size_c[i][j2], hn::Mul(hb[j2], size_c[i][j1]));
      const V along = hn::Abs(hn::NegMulAdd(t[i1], c[i2][j], hn::Mul(t[i2], c[i1][j])));
      const V gap = hn::Sub(along, hn::Add(of_a, of_b));
      edge_gap = hn::Max(edge_gap, gap);
      const V sine_square = hn::MulAdd(c[i1][j], c[i1][j], hn::Mul(c[i2][j], c[i2][j]));
      const M is_excused = hn::Gt(excused_square, hn::Mul(size_square, sine_square));
      needed_gap = hn::Max(needed_gap, hn::IfThenElse(is_excused, least, gap));
    }
  }
  const M ordinary = hn::And(hn::Gt(size, hn::Set(d, 0x1p-220)), hn::Lt(size, hn::Set(d, 0x1p220)));
  const M overlaps = hn::Lt(hn::Max(face_gap, needed_gap), hn::Neg(slack));
  return {hn::And(ordinary, hn::Gt(hn::Max(face_gap, edge_gap), slack)), hn::And(ordinary, overlaps)};
}

HWY_INLINE Verdict flat(const Side& a, const Side& b, V offset, V plane) {
  const Vec n = {b.half(0), b.half(1), b.half(2)}, between = a.center() - b.center();
  V extent = hn::Zero(d);
  for (std::size_t k = 0; k < 3; ++k)
    extent = hn::MulAdd(hn::Abs(dot(n, a.axis(k))), a.half(k), extent);
  const V steep = hn::Sqrt(dot(n, n)), radius = a.radius(), height = hn::Sub(dot(n, between), offset);
  const V size = hn::Add(hn::MulAdd(steep, hn::Add(size_of(between), radius), hn::Abs(offset)), extent);
  const V error = hn::Mul(hn::Set(d, rounding), size), all = hn::MulAdd(radius, steep, extent);
  const V lowest = hn::Sub(height, all), highest = hn::Add(height, all);
  const M ordinary = hn::And(hn::And(hn::Gt(size, hn::Set(d, 0x1p-300)), hn::Lt(size, hn::Set(d, 0x1p300))),
                             hn::Gt(steep, hn::Set(d, 0x1p-200)));
  const M is_plane = hn::Gt(plane, hn::Zero(d));
  const M under = hn::And(is_plane, hn::Lt(highest, hn::Neg(error)));
  const M reaches_up = hn::Or(hn::Not(is_plane), hn::Gt(highest, error));
  return {hn::And(ordinary, hn::Or(hn::Gt(lowest, error), under)),
          hn::And(ordinary, hn::And(hn::Lt(lowest, hn::Neg(error)), reaches_up))};
}

template <class Test>
HWY_INLINE void judge_all(std::size_t count, TouchBlock& block, const Test& test) {
  std::uint32_t apart = 0, touching = 0;
  for (std::size_t at = 0; at < count; at += hn::Lanes(d)) {
    const Verdict verdict = test(Side{block.a, at}, Side{block.b, at}, at);
    apart |= mask_bits(d, verdict.apart) << at;
    touching |= mask_bits(d, verdict.touching) << at;
  }
  block.verdicts = {apart, touching};
}

void run(TouchLanes test, std::size_t count, TouchBlock& block) {
  using At = std::size_t;
  switch (test) {
    case TouchLanes::points:
      return judge_all(count, block, [](const Side& a, const Side& b, At) HWY_ATTR { return points(a, b); });
    case TouchLanes::lines:
      return judge_all(count, block, [](const Side& a, const Side& b, At) HWY_ATTR { return lines(a, b); });
    case TouchLanes::point_block:
      return judge_all(count, block, [](const Side& a, const Side& b, At) HWY_ATTR { return point_block(a, b); });
    case TouchLanes::line_block:
      return judge_all(count, block, [](const Side& a, const Side& b, At) HWY_ATTR { return line_block(a, b); });
    case TouchLanes::blocks:
      return judge_all(count, block, [](const Side& a, const Side& b, At) HWY_ATTR { return blocks(a, b); });
    default:
      return judge_all(count, block, [&](const Side& a, const Side& b, At at) HWY_ATTR {
        return flat(a, b, load(block.offset, at), load(block.plane, at));
      });
  }
}

}  // namespace whisker::convex::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whisker::convex {

HWY_EXPORT(run);

void run_touch_lanes(TouchLanes test, std::size_t count, TouchBlock& block) {
  HWY_DYNAMIC_DISPATCH(run)(test, count, block);
}

}  // namespace whisker::convex
#endif
