// The expanding polytope of few points. Compiled once per instruction set: included from files that Highway compiles
// for each of its targets. Bounds and tests are those of epa.hpp, operation by operation.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "convex/epa.hpp"
#include "convex/small_polytope.hpp"

#if defined(WHISKER_SMALL_POLYTOPE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHISKER_SMALL_POLYTOPE_INL
#undef WHISKER_SMALL_POLYTOPE_INL
#else
#define WHISKER_SMALL_POLYTOPE_INL
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace whisker::convex::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using FaceTag = hn::CappedTag<double, 8>;
using FaceLanes = hn::Vec<FaceTag>;

/// Which faces: a bit for each.
struct FaceSet {
  std::uint64_t bits[SmallPolytope::most_faces / 64] = {};

  HWY_INLINE bool has(unsigned face) const { return (bits[face / 64] >> (face % 64) & 1) != 0; }
  HWY_INLINE void add(unsigned face) { bits[face / 64] |= std::uint64_t{1} << (face % 64); }
};

struct ThreeLanes {
  FaceLanes x, y, z;
};
HWY_INLINE ThreeLanes minus(const ThreeLanes& a, const ThreeLanes& b) {
  return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y), hn::Sub(a.z, b.z)};
}
HWY_INLINE FaceLanes dot(const ThreeLanes& a, const ThreeLanes& b) {
  return hn::Add(hn::Add(hn::Mul(a.x, b.x), hn::Mul(a.y, b.y)), hn::Mul(a.z, b.z));
}
HWY_INLINE ThreeLanes cross(const ThreeLanes& a, const ThreeLanes& b) {
  return {hn::Sub(hn::Mul(a.y, b.z), hn::Mul(a.z, b.y)), hn::Sub(hn::Mul(a.z, b.x), hn::Mul(a.x, b.z)),
          hn::Sub(hn::Mul(a.x, b.y), hn::Mul(a.y, b.x))};
}
HWY_INLINE unsigned mask_bits(hn::Mask<FaceTag> mask) {
  std::uint8_t bits[8] = {};
  hn::StoreMaskBits(FaceTag(), mask, bits);
  return bits[0];
}

/// Measures the faces with these numbers. False if one of them is not proven to be positively oriented, or a needle.
HWY_INLINE bool measure_faces(SmallPolytope& p, const std::uint8_t* faces, unsigned count, double size) {
  const FaceTag d;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  constexpr double roundoff = Numbers<Vec3>::roundoff;
  constexpr unsigned most = SmallPolytope::most_faces;
  // All corners are collected before the first are used, so that most have reached the memory by then.
  alignas(64) double at[9][most];
  for (unsigned k = 0; k < count; ++k) {
    const std::uint8_t* const corner = p.corner[faces[k]];
    for (unsigned c = 0; c < 3; ++c) {
      at[3 * c][k] = p.wx[corner[c]];
      at[3 * c + 1][k] = p.wy[corner[c]];
      at[3 * c + 2][k] = p.wz[corner[c]];
    }
  }
  const FaceLanes needle = hn::Set(d, 0x1p-40 * roundoff), unsure = hn::Set(d, 8 * roundoff);
  bool all = true;
  for (unsigned begin = 0; begin < count; begin += lanes) {
    const auto load = [&](std::size_t c) HWY_ATTR {
      return ThreeLanes{hn::Load(d, at[3 * c] + begin), hn::Load(d, at[3 * c + 1] + begin),
                        hn::Load(d, at[3 * c + 2] + begin)};
    };
    const ThreeLanes u = load(0), v = load(1), w = load(2);
    const ThreeLanes e1 = minus(v, u), e2 = minus(w, u);
    const ThreeLanes n = cross(e1, e2);
    const FaceLanes squared = dot(n, n);
    const FaceLanes first = dot(e1, e1), second = dot(e2, e2);
    const FaceLanes length = hn::Sqrt(squared);
    const FaceLanes inverse = hn::Div(hn::Set(d, 1.0), length);
    const ThreeLanes unit = {hn::Mul(n.x, inverse), hn::Mul(n.y, inverse), hn::Mul(n.z, inverse)};
    const FaceLanes height = hn::Min(hn::Min(dot(unit, u), dot(unit, v)), dot(unit, w));
    const auto wide = hn::Gt(squared, hn::Mul(needle, hn::Mul(first, second)));
    const auto positive =
        hn::Gt(hn::Mul(height, length), hn::Mul(hn::Mul(unsure, hn::Add(first, second)), hn::Set(d, size)));
    const unsigned here = std::min(static_cast<unsigned>(lanes), count - begin);
    const unsigned wanted = (1u << here) - 1;
    all = all && (mask_bits(hn::And(wide, positive)) & wanted) == wanted;
    alignas(64) double out[4][lanes];
    hn::Store(unit.x, d, out[0]);
    hn::Store(unit.y, d, out[1]);
    hn::Store(unit.z, d, out[2]);
    hn::Store(height, d, out[3]);
    for (unsigned k = 0; k < here; ++k) {
      const unsigned f = faces[begin + k];
      p.nx[f] = out[0][k];
      p.ny[f] = out[1][k];
      p.nz[f] = out[2][k];
      p.height[f] = out[3][k];
    }
  }
  return all;
}

/// The face of least height, the first of several.
HWY_INLINE unsigned nearest_of(const SmallPolytope& p) {
  const FaceTag d;
  constexpr unsigned lanes = static_cast<unsigned>(hn::MaxLanes(d));
  FaceLanes best = hn::Load(d, p.height);
  for (unsigned f = lanes; f < p.faces; f += lanes)
    best = hn::Min(best, hn::Load(d, p.height + f));
  best = hn::MinOfLanes(d, best);
  for (unsigned f = 0;; f += lanes) {
    const unsigned equal = mask_bits(hn::Eq(hn::Load(d, p.height + f), best));
    if (equal != 0) return f + static_cast<unsigned>(std::countr_zero(equal));
    if (f + lanes >= p.faces) return 0;
  }
}

/// The faces whose plane a point is above.
HWY_INLINE FaceSet faces_below(const SmallPolytope& p, const Vec3& w, double by) {
  const FaceTag d;
  constexpr unsigned lanes = static_cast<unsigned>(hn::MaxLanes(d));
  const FaceLanes x = hn::Set(d, w.x), y = hn::Set(d, w.y), z = hn::Set(d, w.z), least = hn::Set(d, by);
  FaceSet result;
  for (unsigned f = 0; f < p.faces; f += lanes) {
    const FaceLanes along = hn::Add(hn::Add(hn::Mul(hn::Load(d, p.nx + f), x), hn::Mul(hn::Load(d, p.ny + f), y)),
                                    hn::Mul(hn::Load(d, p.nz + f), z));
    const std::uint64_t bits = mask_bits(hn::Gt(hn::Sub(along, hn::Load(d, p.height + f)), least));
    result.bits[f / 64] |= bits << (f % 64);
  }
  return result;
}

/// In face `beyond`, the face across the edge from `from` to `to` is now `face`.
HWY_INLINE void join(SmallPolytope& p, unsigned beyond, unsigned from, unsigned to, unsigned face) {
  const std::uint8_t* const corner = p.corner[beyond];
  const unsigned k = corner[0] == from && corner[1] == to ? 0 : corner[1] == from && corner[2] == to ? 1 : 2;
  p.across[beyond][k] = static_cast<std::uint8_t>(face);
}

/// Replaces the faces below a point, from face `nearest` on, by a cone to it. A surface that has moved since it was
/// found may have dents: there the point is a corner already, and the cone is a fan. False if that cannot be done; then
/// it is of no more use.
HWY_INLINE bool expand(SmallPolytope& p, unsigned nearest, const SupportPoint<Vec3>& point, const Vec3& w,
                       double size) {
  constexpr unsigned none = 0xFF;
  unsigned apex = none;
  for (unsigned i = 0; i < p.points; ++i)
    apex = p.vertex_a[i] == point.vertex_a && p.vertex_b[i] == point.vertex_b ? i : apex;
  const bool is_known = apex != none;
  if (!is_known) {
    if (p.points == SmallPolytope::most_points) return false;
    apex = p.points;
  }

  // The faces to be replaced, and the edges about them.
  const FaceSet below = faces_below(p, w, 8 * Numbers<Vec3>::roundoff * size);
  FaceSet taken;
  taken.add(nearest);
  std::uint8_t region[SmallPolytope::most_faces];
  region[0] = static_cast<std::uint8_t>(nearest);
  unsigned region_count = 1, edges = 0;
  std::uint8_t edge_to[SmallPolytope::most_points], edge_beyond[SmallPolytope::most_points];
  std::uint64_t begins = 0;  // points that an edge begins at
  unsigned start = 0;
  for (unsigned at = 0; at < region_count; ++at) {
    const unsigned f = region[at];
    for (unsigned k = 0; k < 3; ++k) {
      const unsigned beyond = p.across[f][k];
      if (taken.has(beyond)) continue;
      const unsigned from = p.corner[f][k], to = p.corner[f][k == 2 ? 0 : k + 1];
      const std::uint8_t* const c = p.corner[beyond];
      const bool opposite = is_known && from != apex && to != apex && (c[0] == apex || c[1] == apex || c[2] == apex);
      if (below.has(beyond) || opposite) {
        taken.add(beyond);
        region[region_count++] = static_cast<std::uint8_t>(beyond);
      }
    }
  }
  for (unsigned at = 0; at < region_count; ++at) {
    const unsigned f = region[at];
    for (unsigned k = 0; k < 3; ++k) {
      const unsigned beyond = p.across[f][k];
      if (taken.has(beyond)) continue;
      const unsigned from = p.corner[f][k];
      if ((begins >> from & 1) != 0) return false;
      begins |= std::uint64_t{1} << from;
      edge_to[from] = p.corner[f][k == 2 ? 0 : k + 1];
      edge_beyond[from] = static_cast<std::uint8_t>(beyond);
      start = from;
      ++edges;
    }
  }
  const bool is_fan = is_known && (begins >> apex & 1) != 0;
  if (is_known && !is_fan) {
    for (unsigned f = 0; f < p.faces; ++f) {
      const std::uint8_t* const c = p.corner[f];
      if (p.height[f] != HUGE_VAL && !taken.has(f) && (c[0] == apex || c[1] == apex || c[2] == apex)) return false;
    }
  }
  // Of a fan the first and the last edge meet in the apex.
  const unsigned count = edges - (is_fan ? 2 : 0);
  if (edges < 3) return false;
  if (p.faces - p.free_count - region_count + count > SmallPolytope::most_faces - 4) return false;
  if (is_fan) start = edge_to[apex];

  // Room for the new faces: first that of the old ones.
  std::uint8_t fresh[SmallPolytope::most_faces];
  for (unsigned i = 0; i < count; ++i) {
    if (i < region_count) {
      fresh[i] = region[i];
    } else if (p.free_count > 0) {
      fresh[i] = p.free[--p.free_count];
    } else {
      fresh[i] = static_cast<std::uint8_t>(p.faces++);
    }
  }
  if (!is_known) {
    p.wx[apex] = w.x;
    p.wy[apex] = w.y;
    p.wz[apex] = w.z;
    p.vertex_a[apex] = point.vertex_a;
    p.vertex_b[apex] = point.vertex_b;
  }
  // Round the edges, which are one line if that comes out even; each new face lies between the one before it and the
  // one after it.
  unsigned from = start, walked = 0;
  for (; walked < count; ++walked) {
    const unsigned to = edge_to[from], f = fresh[walked];
    p.corner[f][0] = static_cast<std::uint8_t>(from);
    p.corner[f][1] = static_cast<std::uint8_t>(to);
    p.corner[f][2] = static_cast<std::uint8_t>(apex);
    p.across[f][0] = edge_beyond[from];
    p.across[f][1] = fresh[walked + 1 == count ? 0 : walked + 1];
    p.across[f][2] = fresh[walked == 0 ? count - 1 : walked - 1];
    from = to;
    if (is_fan ? edge_to[from] == apex : from == start) {
      ++walked;
      break;
    }
  }
  if (walked != count || !measure_faces(p, fresh, count, size)) return false;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned f = fresh[i];
    join(p, p.across[f][0], p.corner[f][1], p.corner[f][0], f);
  }
  if (is_fan) {
    const unsigned first = fresh[0], last = fresh[count - 1];
    const unsigned before_last = p.corner[last][1];
    p.across[first][2] = edge_beyond[apex];
    join(p, edge_beyond[apex], start, apex, first);
    p.across[last][1] = edge_beyond[before_last];
    join(p, edge_beyond[before_last], apex, before_last, last);
  }
  for (unsigned i = count; i < region_count; ++i) {
    p.height[region[i]] = HUGE_VAL;
    p.free[p.free_count++] = region[i];
  }
  if (!is_known) ++p.points;
  return true;
}

/// Measures all faces anew, when their points have moved.
HWY_INLINE bool measure_again(SmallPolytope& p, double size) {
  std::uint8_t faces[SmallPolytope::most_faces];
  unsigned count = 0;
  for (unsigned f = 0; f < p.faces; ++f)
    if (p.height[f] != HUGE_VAL) faces[count++] = static_cast<std::uint8_t>(f);
  return measure_faces(p, faces, count, size);
}

/// Begins with a tetrahedron about the origin. False if that is not proven.
HWY_INLINE bool begin(SmallPolytope& p, const std::array<SupportPoint<Vec3>, 4>& simplex, double size) {
  for (unsigned i = 0; i < 4; ++i) {
    const Vec3 w = simplex[i].a - simplex[i].b;
    p.wx[i] = w.x;
    p.wy[i] = w.y;
    p.wz[i] = w.z;
    p.vertex_a[i] = simplex[i].vertex_a;
    p.vertex_b[i] = simplex[i].vertex_b;
  }
  std::fill(p.height, p.height + SmallPolytope::most_faces, HUGE_VAL);
  p.points = 4;
  p.faces = 4;
  p.free_count = 0;
  const auto point = [&](unsigned i) HWY_ATTR { return Vec3{p.wx[i], p.wy[i], p.wz[i]}; };
  const Vec3 a = point(0);
  const bool flip = convex::dot(convex::cross(point(1) - a, point(2) - a), point(3) - a) > 0;
  static constexpr std::uint8_t corners[4][3] = {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}};
  static constexpr std::uint8_t across[4][3] = {{1, 3, 2}, {2, 3, 0}, {0, 3, 1}, {1, 2, 0}};
  static constexpr std::uint8_t faces[4] = {0, 1, 2, 3};
  const std::uint8_t swapped[4] = {0, 2, 1, 3};
  for (unsigned f = 0; f < 4; ++f) {
    for (unsigned k = 0; k < 3; ++k) {
      p.corner[f][k] = flip ? swapped[corners[f][k]] : corners[f][k];
      p.across[f][k] = across[f][k];
    }
  }
  return measure_faces(p, faces, 4, size);
}

}  // namespace whisker::convex::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
