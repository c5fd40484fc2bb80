// The expanding polytope of few points. Compiled once per instruction set: included from files that Highway compiles
// for each of its targets. Bounds and tests are those of epa.hpp, except that a height is the least n·w of a face's
// corners, divided by |n|. It is off by 3 u |w| and 5 u of itself, like a product with a unit vector.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "convex/epa.hpp"
#include "convex/small_polytope.hpp"

#if defined(WHISKER_SMALL_POLYTOPE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHISKER_SMALL_POLYTOPE_INL
#undef WHISKER_SMALL_POLYTOPE_INL
#else
#define WHISKER_SMALL_POLYTOPE_INL
#endif

#include <hwy/highway.h>

#include "simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::convex::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace simd::HWY_NAMESPACE;

using FaceTag = hn::CappedTag<double, 8>;
using FaceLanes = hn::Vec<FaceTag>;
constexpr FaceTag face_tag;
constexpr auto face_lanes = static_cast<unsigned>(hn::MaxLanes(face_tag));

/// A set of faces, one bit each.
struct FaceSet {
  std::uint64_t bits[SmallPolytope::max_faces / 64] = {};

  HWY_INLINE bool has(unsigned face) const { return (bits[face / 64] >> (face % 64) & 1) != 0; }
  HWY_INLINE void remove(unsigned face) { bits[face / 64] &= ~(std::uint64_t{1} << (face % 64)); }
  HWY_INLINE void add(unsigned face) { bits[face / 64] |= std::uint64_t{1} << (face % 64); }
};

using ThreeLanes = Lanes3<FaceLanes>;

HWY_INLINE ThreeLanes in_all_faces(const Vec3& v) {
  return {hn::Set(face_tag, v.x), hn::Set(face_tag, v.y), hn::Set(face_tag, v.z)};
}

HWY_INLINE Vec3 point_of(const SmallPolytope& p, unsigned point) {
  return {p.w[0][point], p.w[1][point], p.w[2][point]};
}
HWY_INLINE Vec3 normal_of(const SmallPolytope& p, unsigned face) {
  return {p.normal[0][face], p.normal[1][face], p.normal[2][face]};
}
HWY_INLINE bool has_corner(const SmallPolytope& p, unsigned face, unsigned point) {
  return p.corner[0][face] == point || p.corner[1][face] == point || p.corner[2][face] == point;
}
HWY_INLINE void set_point(SmallPolytope& p, unsigned point, const Vec3& w, std::uint32_t vertex_a,
                          std::uint32_t vertex_b) {
  p.w[0][point] = w.x;
  p.w[1][point] = w.y;
  p.w[2][point] = w.z;
  p.vertex_a[point] = vertex_a;
  p.vertex_b[point] = vertex_b;
}
/// Connects an edge of a face with what is across it, as in SmallPolytope::across.
HWY_INLINE void connect(SmallPolytope& p, unsigned face, unsigned edge, unsigned beyond) {
  p.across[face][edge] = static_cast<std::uint16_t>(beyond);
  p.across[beyond / 4][beyond % 4] = static_cast<std::uint16_t>(4 * face + edge);
}

/// Collects the numbers at these indices, lane by lane. (Gather instructions are no faster than this.)
template <class Tag>
HWY_INLINE hn::Vec<Tag> collect(Tag d, const double* table, const std::uint32_t* at) {
  constexpr std::size_t lanes = hn::MaxLanes(d);
  if constexpr (lanes == 1) {
    return hn::Set(d, table[at[0]]);
  } else if constexpr (lanes == 2) {
    return hn::InterleaveLower(d, hn::Set(d, table[at[0]]), hn::Set(d, table[at[1]]));
  } else {
    const hn::Half<Tag> half;
    return hn::Combine(d, collect(half, table, at + lanes / 2), collect(half, table, at));
  }
}

/// The points with these indices, one byte each, lane by lane from the lowest byte on.
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
template <unsigned Count>
HWY_INLINE __m512d look_up(const double* table, __m512i numbers) {
  if constexpr (Count == 16) {
    return _mm512_permutex2var_pd(_mm512_load_pd(table), numbers, _mm512_load_pd(table + 8));
  } else {
    const __mmask8 upper = _mm512_test_epi64_mask(numbers, _mm512_set1_epi64(Count / 2));
    return _mm512_mask_blend_pd(upper, look_up<Count / 2>(table, numbers),
                                look_up<Count / 2>(table + Count / 2, numbers));
  }
}
HWY_INLINE ThreeLanes points_at(const SmallPolytope& p, std::uint64_t numbers) {
  const __m512i at = _mm512_srlv_epi64(_mm512_set1_epi64(static_cast<long long>(numbers)),
                                       _mm512_set_epi64(56, 48, 40, 32, 24, 16, 8, 0));
  if (p.points <= 16)
    return {FaceLanes{look_up<16>(p.w[0], at)}, FaceLanes{look_up<16>(p.w[1], at)}, FaceLanes{look_up<16>(p.w[2], at)}};
  if (p.points <= 32)
    return {FaceLanes{look_up<32>(p.w[0], at)}, FaceLanes{look_up<32>(p.w[1], at)}, FaceLanes{look_up<32>(p.w[2], at)}};
  return {FaceLanes{look_up<64>(p.w[0], at)}, FaceLanes{look_up<64>(p.w[1], at)}, FaceLanes{look_up<64>(p.w[2], at)}};
}
#else
HWY_INLINE ThreeLanes points_at(const SmallPolytope& p, std::uint64_t numbers) {
  std::uint32_t at[face_lanes];
  for (unsigned k = 0; k < face_lanes; ++k)
    at[k] = static_cast<std::uint32_t>(numbers >> (8 * k) & 0xFF);
  return {collect(face_tag, p.w[0], at), collect(face_tag, p.w[1], at), collect(face_tag, p.w[2], at)};
}
#endif

struct MeasuredFaces {
  ThreeLanes unit;
  FaceLanes height;
  hn::Mask<FaceTag> is_proven;  ///< proven to be positively oriented, and not a needle
};
HWY_INLINE MeasuredFaces measure(const ThreeLanes& u, const ThreeLanes& v, const ThreeLanes& w, double size) {
  constexpr double roundoff = Numbers<Vec3>::roundoff;
  const FaceLanes needle = hn::Set(face_tag, 0x1p-40 * roundoff), unsure = hn::Set(face_tag, 8 * roundoff);
  const ThreeLanes e1 = v - u, e2 = w - u;
  const ThreeLanes n = cross(e1, e2);
  const FaceLanes squared = dot(n, n);
  const FaceLanes first = dot(e1, e1), second = dot(e2, e2);
  // The corners' extent along n, before its length is known: square root and quotient have a high latency.
  const FaceLanes reach = hn::Min(hn::Min(dot(n, u), dot(n, v)), dot(n, w));
  const auto is_wide = hn::Gt(squared, hn::Mul(needle, hn::Mul(first, second)));
  const auto is_positive = hn::Gt(reach, hn::Mul(hn::Mul(unsure, hn::Add(first, second)), hn::Set(face_tag, size)));
  const FaceLanes inverse = hn::Div(hn::Set(face_tag, 1.0), hn::Sqrt(squared));
  const ThreeLanes unit = n * inverse;
  const FaceLanes height = hn::Mul(reach, inverse);
  return {unit, height, hn::And(is_wide, is_positive)};
}

/// The face of least height among some faces, the first if there are several.
struct NearestFace {
  unsigned face = 0;
  double height = HUGE_VAL;
};

/// Finds the nearest face lane by lane.
struct NearestSearch {
  FaceLanes height;
  FaceLanes face;  // the first face of the group that is evaluated together; exact in a double

  HWY_INLINE void look(FaceLanes heights, unsigned first) {
    face = hn::IfThenElse(hn::Lt(heights, height), hn::Set(face_tag, static_cast<double>(first)), face);
    height = hn::Min(height, heights);
  }
  HWY_INLINE NearestFace found() const {
    const FaceLanes least = hn::MinOfLanes(face_tag, height);
    unsigned equal = mask_bits(face_tag, hn::Eq(height, least));
    alignas(64) double first[8];
    hn::Store(face, face_tag, first);
    const auto at = [&]() HWY_ATTR {
      const auto lane = static_cast<unsigned>(std::countr_zero(equal | 1u << (face_lanes - 1)));
      return static_cast<unsigned>(first[lane]) + lane;
    };
    // The first of several, independent of the number of lanes.
    NearestFace result = {at(), hn::GetLane(least)};
    for (equal &= equal - 1; equal != 0; equal &= equal - 1)
      result.face = std::min(result.face, at());
    return result;
  }
};

HWY_INLINE NearestFace nearest_of(const SmallPolytope& p) {
  NearestSearch search = {hn::Set(face_tag, HUGE_VAL), hn::Zero(face_tag)};
  for (unsigned f = 0; f < p.faces; f += face_lanes)
    search.look(hn::Load(face_tag, p.height + f), f);
  return search.found();
}

/// Measures all faces again after their points have moved. Returns false if one is not proven to be positively
/// oriented.
HWY_INLINE bool measure_again(SmallPolytope& p, double size, NearestFace& nearest) {
  const FaceLanes none = hn::Set(face_tag, HUGE_VAL);
  auto is_unproven = hn::MaskFromVec(hn::Zero(face_tag));
  NearestSearch search = {hn::Set(face_tag, HUGE_VAL), hn::Zero(face_tag)};
  for (unsigned eight = 0; eight < p.faces; eight += 8) {
    std::uint64_t numbers[3];
    for (unsigned k = 0; k < 3; ++k)
      std::memcpy(&numbers[k], p.corner[k] + eight, 8);
    for (unsigned begin = 0; begin < 8; begin += face_lanes) {
      const unsigned f = eight + begin;
      const auto is_used = hn::Lt(hn::Load(face_tag, p.height + f), none);
      const MeasuredFaces faces =
          measure(points_at(p, numbers[0] >> (8 * begin)), points_at(p, numbers[1] >> (8 * begin)),
                  points_at(p, numbers[2] >> (8 * begin)), size);
      is_unproven = hn::Or(is_unproven, hn::AndNot(faces.is_proven, is_used));
      const FaceLanes height = hn::IfThenElse(is_used, faces.height, none);
      store3(faces.unit, face_tag, p.normal, f);
      hn::Store(height, face_tag, p.height + f);
      search.look(height, f);
    }
  }
  nearest = search.found();
  return hn::AllFalse(face_tag, is_unproven);
}

/// The faces whose plane is below a point by more than `by`. `nearest` is the face of least height among the others.
HWY_INLINE FaceSet faces_below(const SmallPolytope& p, const Vec3& w, double by, NearestFace& nearest) {
  const FaceLanes none = hn::Set(face_tag, HUGE_VAL);
  const ThreeLanes point = in_all_faces(w);
  const FaceLanes least = hn::Set(face_tag, by);
  FaceSet result;
  NearestSearch search = {hn::Set(face_tag, HUGE_VAL), hn::Zero(face_tag)};
  for (unsigned f = 0; f < p.faces; f += face_lanes) {
    const FaceLanes along = dot(load3(face_tag, p.normal, f), point);
    const FaceLanes height = hn::Load(face_tag, p.height + f);
    const auto is_below = hn::Gt(hn::Sub(along, height), least);
    const std::uint64_t bits = mask_bits(face_tag, is_below);
    result.bits[f / 64] |= bits << (f % 64);
    search.look(hn::IfThenElse(is_below, none, height), f);
  }
  nearest = search.found();
  return result;
}

/// Faces to be replaced, and the edges around them.
struct Region {
  std::uint8_t faces[SmallPolytope::max_faces + 4];
  unsigned face_count;
  unsigned edges;
  std::uint64_t begins;  ///< points where an edge begins, one bit each
  // By the point where an edge begins: the edge's other end, and what is across it, as in SmallPolytope::across. The
  // last entry takes what is not such an edge.
  std::uint8_t to[SmallPolytope::max_points + 1];
  std::uint16_t beyond[SmallPolytope::max_points + 1];
};

/// Finds the edges around the taken faces. Returns false if the faces are not a disc, according to the numbers of
/// faces, edges and points. (A disc together with a ring has the same numbers, but then the edges are not one closed
/// loop.) There are no branches on what is an edge, because it is unpredictable.
HWY_INLINE bool find_edges(const SmallPolytope& p, const FaceSet& taken, Region& region) {
  unsigned count = 0, edges = 0;
  std::uint64_t corners = 0, begins = 0;
  for (unsigned word = 0; word < SmallPolytope::max_faces / 64; ++word) {
    for (std::uint64_t left = taken.bits[word]; left != 0; left &= left - 1) {
      const unsigned f = 64 * word + static_cast<unsigned>(std::countr_zero(left));
      region.faces[count++] = static_cast<std::uint8_t>(f);
      const unsigned corner[4] = {p.corner[0][f], p.corner[1][f], p.corner[2][f], p.corner[0][f]};
      for (unsigned k = 0; k < 3; ++k) {
        const unsigned beyond = p.across[f][k];
        const unsigned is_edge = taken.has(beyond / 4) ? 0 : 1;
        const std::uint64_t from = std::uint64_t{is_edge} << corner[k];
        const unsigned place = is_edge != 0 ? corner[k] : SmallPolytope::max_points;
        region.to[place] = static_cast<std::uint8_t>(corner[k + 1]);
        region.beyond[place] = static_cast<std::uint16_t>(beyond);
        corners |= std::uint64_t{1} << corner[k];
        begins |= from;
        edges += is_edge;
      }
    }
  }
  region.face_count = count;
  region.edges = edges;
  region.begins = begins;
  const auto inner = static_cast<unsigned>(std::popcount(corners & ~begins));
  return edges >= 3 && static_cast<unsigned>(std::popcount(begins)) == edges && count + 2 == edges + 2 * inner;
}

/// The faces below a point that are connected with one of them. If the point is already a corner of the surface
/// (`apex`), also the faces that a new face would coincide with.
HWY_NOINLINE FaceSet connected(const SmallPolytope& p, unsigned nearest, const FaceSet& below, unsigned apex) {
  FaceSet taken;
  taken.add(nearest);
  std::uint8_t list[SmallPolytope::max_faces];
  list[0] = static_cast<std::uint8_t>(nearest);
  unsigned count = 1;
  for (unsigned at = 0; at < count; ++at) {
    const unsigned f = list[at];
    for (unsigned k = 0; k < 3; ++k) {
      const unsigned beyond = p.across[f][k] / 4;
      if (taken.has(beyond)) continue;
      const unsigned from = p.corner[k][f], to = p.corner[k == 2 ? 0 : k + 1][f];
      if (below.has(beyond) || (has_corner(p, beyond, apex) && from != apex && to != apex)) {
        taken.add(beyond);
        list[count++] = static_cast<std::uint8_t>(beyond);
      }
    }
  }
  return taken;
}

/// New faces from the edges of a region to a point, in the order of the edges.
struct Cone {
  unsigned count;
  std::uint64_t unproven;  ///< the faces that are not proven to be positively oriented
  std::uint64_t from[SmallPolytope::max_points / 8], to[SmallPolytope::max_points / 8];  ///< one byte each
  unsigned nearest;  ///< the index of the face of least height
  double nearest_height;
  alignas(64) double normal[3][SmallPolytope::max_points];
  alignas(64) double height[SmallPolytope::max_points];
};

/// Walks along `count` edges from point `start` and measures the faces from them to the apex. Returns the points where
/// these edges begin. `start` becomes the end of the last edge.
HWY_INLINE std::uint64_t measure_cone(const SmallPolytope& p, const Region& region, unsigned& start, unsigned count,
                                      const Vec3& apex, double size, Cone& cone) {
  const ThreeLanes w = in_all_faces(apex);
  cone.count = count;
  cone.unproven = 0;
  cone.nearest = 0;
  cone.nearest_height = HUGE_VAL;
  std::uint64_t walked = 0;
  unsigned at = start;
  for (unsigned eight = 0; eight < count; eight += 8) {
    const unsigned end = std::min(eight + 8, count);
    std::uint64_t from = 0, to = 0;
    for (unsigned i = eight; i < end; ++i) {
      from |= std::uint64_t{at} << (8 * i % 64);
      walked |= std::uint64_t{1} << at;
      at = region.to[at];
      to |= std::uint64_t{at} << (8 * i % 64);
    }
    cone.from[eight / 8] = from;
    cone.to[eight / 8] = to;
    for (unsigned begin = eight; begin < end; begin += face_lanes) {
      const unsigned shift = 8 * begin % 64;
      const MeasuredFaces found = measure(points_at(p, from >> shift), points_at(p, to >> shift), w, size);
      const unsigned here = std::min(face_lanes, end - begin);
      const unsigned wanted = (1u << here) - 1;
      cone.unproven |= std::uint64_t{~mask_bits(face_tag, found.is_proven) & wanted} << begin;
      store3(found.unit, face_tag, cone.normal, begin);
      hn::Store(found.height, face_tag, cone.height + begin);
      const FaceLanes height = hn::IfThenElse(hn::FirstN(face_tag, here), found.height, hn::Set(face_tag, HUGE_VAL));
      const FaceLanes least = hn::MinOfLanes(face_tag, height);
      const auto lane =
          static_cast<unsigned>(std::countr_zero(mask_bits(face_tag, hn::Eq(height, least)) | 0x100u)) & 7;
      const double lowest = hn::GetLane(least);
      if (lowest < cone.nearest_height) {
        cone.nearest = begin + lane;
        cone.nearest_height = lowest;
      }
    }
  }
  start = at;
  return walked;
}

/// The point with these vertices, or `max_points` if there is none.
HWY_INLINE unsigned find_point(const SmallPolytope& p, std::uint32_t vertex_a, std::uint32_t vertex_b) {
  const hn::CappedTag<std::uint32_t, 16> d;
  constexpr unsigned lanes = static_cast<unsigned>(hn::MaxLanes(d));
  const auto a = hn::Set(d, vertex_a), b = hn::Set(d, vertex_b);
  for (unsigned i = 0; i < p.points; i += lanes) {
    const auto is_same = hn::And(hn::Eq(hn::Load(d, p.vertex_a + i), a), hn::Eq(hn::Load(d, p.vertex_b + i), b));
    const auto at = hn::FindFirstTrue(d, is_same);
    if (at >= 0 && i + static_cast<unsigned>(at) < p.points) return i + static_cast<unsigned>(at);
  }
  return SmallPolytope::max_points;
}

/// Whether all vertex indices are below these numbers.
HWY_INLINE bool fits(const SmallPolytope& p, std::uint32_t vertices_a, std::uint32_t vertices_b) {
  const hn::CappedTag<std::uint32_t, 16> d;
  auto last_a = hn::Zero(d), last_b = hn::Zero(d);
  for (unsigned i = 0; i < p.points; i += static_cast<unsigned>(hn::MaxLanes(d))) {
    last_a = hn::Max(last_a, hn::Load(d, p.vertex_a + i));
    last_b = hn::Max(last_b, hn::Load(d, p.vertex_b + i));
  }
  // Entries after the points are 0, which always exists.
  return hn::AllTrue(d, hn::And(hn::Lt(last_a, hn::Set(d, vertices_a)), hn::Lt(last_b, hn::Set(d, vertices_b))));
}

/// A moved surface of many points takes longer to measure than mending saves. It is better to begin from scratch.
HWY_INLINE bool is_worth_mending(const SmallPolytope& p) {
  return p.points <= 32;
}

/// If a cone is not possible, on a surface with dents: removes from the region the faces behind the cone's unproven
/// faces, and keeps the part that is connected with one face. Returns false if that face itself was removed.
HWY_NOINLINE bool shrink(const SmallPolytope& p, const Region& region, const Cone& cone, unsigned nearest,
                         unsigned apex, FaceSet& taken) {
  for (std::uint64_t left = cone.unproven; left != 0; left &= left - 1) {
    const auto i = static_cast<unsigned>(std::countr_zero(left));
    const unsigned beyond = region.beyond[cone.from[i / 8] >> (8 * i % 64) & 0xFF];
    taken.remove(p.across[beyond / 4][beyond % 4] / 4u);
  }
  if (!taken.has(nearest)) return false;
  taken = connected(p, nearest, taken, apex);
  return true;
}

/// Replaces the faces below a point, starting from face `nearest`, by a cone to it. A surface that has moved since it
/// was found may have dents. There the point may already be a corner (`known`), and the cone is a fan. `nearest`
/// becomes the nearest face of the new surface. Returns false if this is not possible. Then nothing is changed.
HWY_INLINE bool expand(SmallPolytope& p, unsigned known, std::uint32_t vertex_a, std::uint32_t vertex_b, const Vec3& w,
                       double seen, double size, NearestFace& nearest) {
  constexpr unsigned max_points = SmallPolytope::max_points;
  constexpr int max_tries = 4;
  const bool is_known = known != max_points;
  if (!is_known && p.points == max_points) return false;
  const unsigned apex = is_known ? known : p.points;

  NearestFace other;  // nearest of the faces that stay
  FaceSet taken = faces_below(p, w, seen, other);
  if (is_known) taken = connected(p, nearest.face, taken, apex);
  bool is_fan = false, is_nearest_known = !is_known, is_connected = is_known;
  unsigned start = 0, end = 0;
  Region region;
  Cone cone;
  for (int tries = 0;; ++tries) {
    const bool is_disc = find_edges(p, taken, region);
    bool is_closed = false;
    if (is_disc) {
      is_fan = is_known && (region.begins >> apex & 1) != 0;
      if (is_known && !is_fan) {
        for (unsigned f = 0; f < p.faces; ++f)
          if (p.height[f] != HUGE_VAL && !taken.has(f) && has_corner(p, f, apex)) return false;
      }
      // In a fan, the first and the last edge meet at the apex.
      end = start = is_fan ? region.to[apex] : static_cast<unsigned>(std::countr_zero(region.begins));
      std::uint64_t walked = measure_cone(p, region, end, region.edges - (is_fan ? 2 : 0), w, size, cone);
      if (is_fan) walked |= std::uint64_t{1} << end | std::uint64_t{1} << apex;
      is_closed = walked == region.begins && (!is_fan || region.to[end] == apex);
      if (is_closed && cone.unproven == 0) break;
    }
    is_nearest_known = false;
    if (tries == max_tries) return false;
    if (is_closed) {
      if (!is_worth_mending(p) || !shrink(p, region, cone, nearest.face, apex, taken)) return false;
    } else {
      if (is_connected) return false;
      taken = connected(p, nearest.face, taken, apex);
    }
    is_connected = true;
  }
  const unsigned count = cone.count, replaced = region.face_count;
  if (p.faces - p.free_count - replaced + count > SmallPolytope::max_faces - 4) return false;

  // Room for the new faces: reuse the old ones first. There are up to two more new ones.
  for (unsigned i = replaced; i < count; ++i)
    region.faces[i] = p.free_count > 0 ? p.free[--p.free_count] : static_cast<std::uint8_t>(p.faces++);
  if (!is_known) {
    set_point(p, apex, w, vertex_a, vertex_b);
    ++p.points;
  }
  // Each new face lies between the one before it and the one after it.
  unsigned before = region.faces[count - 1];
  for (unsigned i = 0; i < count; ++i) {
    const unsigned f = region.faces[i];
    const unsigned from = cone.from[i / 8] >> (8 * i % 64) & 0xFF, to = cone.to[i / 8] >> (8 * i % 64) & 0xFF;
    p.corner[0][f] = static_cast<std::uint8_t>(from);
    p.corner[1][f] = static_cast<std::uint8_t>(to);
    p.corner[2][f] = static_cast<std::uint8_t>(apex);
    connect(p, f, 0, region.beyond[from]);
    p.across[f][2] = static_cast<std::uint16_t>(4 * before + 1);
    p.across[before][1] = static_cast<std::uint16_t>(4 * f + 2);
    for (unsigned k = 0; k < 3; ++k)
      p.normal[k][f] = cone.normal[k][i];
    p.height[f] = cone.height[i];
    before = f;
  }
  if (is_fan) {
    connect(p, region.faces[0], 2, region.beyond[apex]);
    connect(p, before, 1, region.beyond[end]);
  }
  for (unsigned i = count; i < replaced; ++i) {
    p.height[region.faces[i]] = HUGE_VAL;
    p.free[p.free_count++] = region.faces[i];
  }
  if (!is_nearest_known) {
    nearest = nearest_of(p);
  } else if (cone.nearest_height < other.height) {
    nearest = {region.faces[cone.nearest], cone.nearest_height};
  } else {
    nearest = other;
  }
  return true;
}

/// Mends a dent that begins at face `nearest`: of the corners across its edges, the highest one above it becomes the
/// apex of a fan. Returns false if there is none, or if this is not possible.
HWY_NOINLINE bool mend(SmallPolytope& p, double seen, double size, NearestFace& nearest) {
  const unsigned f = nearest.face;
  unsigned apex = SmallPolytope::max_points;
  double highest = nearest.height + seen;
  for (unsigned k = 0; k < 3; ++k) {
    const unsigned beyond = p.across[f][k];
    const unsigned corner = p.corner[(beyond % 4 + 2) % 3][beyond / 4];
    const double along = convex::dot(normal_of(p, f), point_of(p, corner));
    if (along > highest) {
      highest = along;
      apex = corner;
    }
  }
  if (apex == SmallPolytope::max_points || !is_worth_mending(p)) return false;
  return expand(p, apex, p.vertex_a[apex], p.vertex_b[apex], point_of(p, apex), seen, size, nearest);
}

/// Begins with a tetrahedron about the origin. Returns false if that is not proven.
HWY_INLINE bool begin(SmallPolytope& p, const std::array<SupportPoint<Vec3>, 4>& simplex, double size,
                      NearestFace& nearest) {
  std::fill(p.height, p.height + SmallPolytope::max_faces, HUGE_VAL);
  std::fill(p.vertex_a, p.vertex_a + SmallPolytope::max_points, 0u);
  std::fill(p.vertex_b, p.vertex_b + SmallPolytope::max_points, 0u);
  std::fill(&p.corner[0][0], &p.corner[0][0] + 3 * SmallPolytope::max_faces, std::uint8_t{0});
  Vec3 w[4];
  for (unsigned i = 0; i < 4; ++i) {
    w[i] = simplex[i].a - simplex[i].b;
    set_point(p, i, w[i], simplex[i].vertex_a, simplex[i].vertex_b);
  }
  p.points = 4;
  p.faces = 4;
  p.free_count = 0;
  const bool flip = convex::dot(convex::cross(w[1] - w[0], w[2] - w[0]), w[3] - w[0]) > 0;
  // The faces {0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}, with 1 and 2 exchanged if the orientation is opposite.
  static constexpr std::uint8_t corners[2][4][3] = {{{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}},
                                                    {{0, 2, 1}, {0, 3, 2}, {0, 1, 3}, {2, 3, 1}}};
  static constexpr std::uint16_t across[4][3] = {{4 * 1 + 2, 4 * 3 + 2, 4 * 2 + 0},
                                                 {4 * 2 + 2, 4 * 3 + 0, 4 * 0 + 0},
                                                 {4 * 0 + 2, 4 * 3 + 1, 4 * 1 + 0},
                                                 {4 * 1 + 1, 4 * 2 + 1, 4 * 0 + 1}};
  for (unsigned f = 0; f < 4; ++f) {
    for (unsigned k = 0; k < 3; ++k) {
      p.corner[k][f] = corners[flip ? 1 : 0][f][k];
      p.across[f][k] = across[f][k];
    }
    p.height[f] = 0;
  }
  return measure_again(p, size, nearest);
}

}  // namespace whisker::convex::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
