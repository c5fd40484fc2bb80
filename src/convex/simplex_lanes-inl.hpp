// nearest_on_segment and nearest_on_triangle of simplex.hpp in lanes, with the same order of operations and without
// branches. One simplex uses a lane for each of its edges and faces (CornerLanes); many simplices use a lane each
// (convex_batch_search-inl.hpp). Compiled once per instruction set: included from files that Highway compiles for each
// of its targets.

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "convex/simplex.hpp"

#if defined(WHISKER_SIMPLEX_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHISKER_SIMPLEX_LANES_INL
#undef WHISKER_SIMPLEX_LANES_INL
#else
#define WHISKER_SIMPLEX_LANES_INL
#endif

#include <hwy/highway.h>

#include "simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::convex::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace simd::HWY_NAMESPACE;

template <class V>
struct OnSegment {
  V share;  ///< the weight of q
  Lanes3<V> v;
  V squared;
};

/// nearest_on_segment, with e = q - p.
template <class D, class V = hn::Vec<D>>
HWY_INLINE OnSegment<V> nearest_on_segment(D d, const Lanes3<V>& p, const Lanes3<V>& q, const Lanes3<V>& e) {
  const V zero = hn::Zero(d), one = hn::Set(d, 1);
  const V along = hn::Neg(dot(p, e));
  const V ee = dot(e, e);
  const auto past_p = hn::Gt(along, zero), before_q = hn::Lt(along, ee);
  const V inverse = hn::Div(one, ee);
  const V share = hn::Mul(along, inverse);
  Lanes3<V> v = p + e * share;
  v = v - e * hn::Mul(dot(v, e), inverse);
  OnSegment<V> result;
  result.share = hn::IfThenElseZero(past_p, hn::IfThenElse(before_q, share, one));
  result.v = choose(past_p, choose(before_q, v, q), p);
  result.squared = dot(result.v, result.v);
  return result;
}

/// The data of a face: its normal n = (x - a) × (y - a), n · a, and the unnormalized weights of x and y at its nearest
/// point.
template <class V>
struct Face {
  Lanes3<V> n;
  V height;
  V of_x, of_y;
};

/// `a_by_x` is a × (x - a), and `a_by_y` likewise. (x - a) × a is the same with the opposite sign, and so is its
/// product with n.
template <class V>
HWY_INLINE Face<V> face_of(const Lanes3<V>& a, const Lanes3<V>& to_x, const Lanes3<V>& to_y, const Lanes3<V>& a_by_x,
                           const Lanes3<V>& a_by_y) {
  Face<V> face;
  face.n = cross(to_x, to_y);
  face.height = dot(face.n, a);
  face.of_x = hn::Neg(dot(face.n, a_by_y));
  face.of_y = dot(face.n, a_by_x);
  return face;
}

/// Weights of the newest corner a and of x and y. `opposite`: the edge from x to y, which is not tested, may be
/// nearest.
template <class D>
struct OnFace {
  hn::Vec<D> a, x, y;
  Lanes3<hn::Vec<D>> v;
  hn::Vec<D> squared;
  hn::Mask<D> opposite;
};

/// nearest_on_triangle of a, x and y in the lanes of `is_face`. In other lanes the nearest point of the edge to x. The
/// nearest points of both edges at a are already known.
template <class D, class V = hn::Vec<D>>
HWY_INLINE OnFace<D> nearest_on_face(D d, hn::Mask<D> is_face, const Face<V>& face, const OnSegment<V>& on_x,
                                     const OnSegment<V>& on_y) {
  const V zero = hn::Zero(d), one = hn::Set(d, 1);
  const V nn = dot(face.n, face.n);
  const auto within_x = hn::Gt(face.of_x, zero), within_y = hn::Gt(face.of_y, zero);
  const auto within = hn::And(is_face, hn::And(within_x, within_y));
  const auto interior = hn::And(within, hn::Lt(hn::Add(face.of_x, face.of_y), nn));
  const V inverse = hn::Div(one, nn);
  const Lanes3<V> v = face.n * hn::Mul(face.height, inverse);
  const V weight_x = hn::Mul(face.of_x, inverse), weight_y = hn::Mul(face.of_y, inverse);
  const V weight_a = hn::Sub(one, hn::Add(weight_x, weight_y));

  // The edge to x, or the edge to y if it is nearer or the only candidate.
  const auto is_nearer = hn::Or(within_y, hn::Lt(on_y.squared, on_x.squared));
  const auto takes_y = hn::And(is_face, hn::AndNot(within_x, is_nearer));
  const V share = hn::IfThenElse(takes_y, on_y.share, on_x.share);
  OnFace<D> result;
  result.a = hn::IfThenElse(interior, hn::IfThenElseZero(hn::Gt(weight_a, zero), weight_a), hn::Sub(one, share));
  result.x = hn::IfThenElse(interior, weight_x, hn::IfThenElse(takes_y, zero, share));
  result.y = hn::IfThenElse(interior, weight_y, hn::IfThenElseZero(takes_y, share));
  result.v = choose(interior, v, choose(takes_y, on_y.v, on_x.v));
  result.squared = hn::IfThenElse(interior, dot(v, v), hn::IfThenElse(takes_y, on_y.squared, on_x.squared));
  result.opposite = hn::AndNot(interior, within);
  return result;
}

#if HWY_MAX_BYTES >= 32 && !HWY_HAVE_SCALABLE

// ---- the simplex of a search in four lanes: reduce() of simplex.hpp for all edges and faces at the newest corner at
// once. It has no branches, because the Voronoi region is unpredictable.

using FourTag = hn::FixedTag<double, 4>;
using Four = hn::Vec<FourTag>;
using FourMask = hn::Mask<FourTag>;
using FourNames = hn::Vec<hn::FixedTag<std::uint64_t, 4>>;
constexpr FourTag four_lanes;
constexpr hn::FixedTag<std::uint64_t, 4> four_names;

using FourPoints = Lanes3<Four>;

HWY_INLINE Four four_of(double a, double b, double c, double d) {
  const hn::FixedTag<double, 2> two;
  return hn::Combine(four_lanes, hn::InterleaveLower(two, hn::Set(two, c), hn::Set(two, d)),
                     hn::InterleaveLower(two, hn::Set(two, a), hn::Set(two, b)));
}
HWY_INLINE FourPoints in_all(const Vec3& v) {
  return {hn::Set(four_lanes, v.x), hn::Set(four_lanes, v.y), hn::Set(four_lanes, v.z)};
}

/// The corners in lanes 0, 1 and 2, newest first. During a step, lane 3 holds the new corner.
struct CornerLanes {
  FourPoints w;
  FourNames name;  ///< all bits set in empty lanes
  Four weight;     ///< 0 in empty lanes
  std::size_t count;
};

/// An assignment, vector by vector. As a whole it might be copied in larger pieces than it was written in, and such
/// loads stall until the pieces are in the cache.
HWY_INLINE void copy(const CornerLanes& from, CornerLanes& to) {
  to.w.x = from.w.x;
  to.w.y = from.w.y;
  to.w.z = from.w.z;
  to.name = from.name;
  to.weight = from.weight;
  to.count = from.count;
}

/// Tables indexed by numbers of corners and by lanes.
struct CornerTables {
  // By the number of corners with the new one: the lanes of faces, those that may be nearest, and all three if four.
  alignas(32) std::uint64_t is_face[5][4];
  alignas(32) std::uint64_t may_count[5][4];
  alignas(32) std::uint64_t are_four[5][4];
  // By the nearest lane: the lanes that receive the weights of its first and of its second corner.
  alignas(32) std::uint64_t first[3][4];
  alignas(32) std::uint64_t second[3][4];
  // By the set of lanes 0 to 2 that are kept after the new one: where each comes from, and which lanes stay empty.
  alignas(32) std::int64_t from[8][4];
  alignas(32) std::uint64_t is_empty[8][4];
  // The next of three lanes, the one after that, and the lane of the new corner.
  alignas(32) std::int64_t next[4];
  alignas(32) std::int64_t last[4];
  alignas(32) std::uint64_t is_new[4];
  std::uint8_t kept[8];
};
constexpr CornerTables make_corner_tables() {
  CornerTables t{};
  constexpr std::uint64_t all = ~std::uint64_t{0};
  for (std::size_t count = 2; count <= 4; ++count) {
    for (std::size_t lane = 0; lane < 3; ++lane) {
      t.is_face[count][lane] = lane + 3 <= count || count == 4 ? all : 0;
      t.may_count[count][lane] = lane == 0 || count == 4 ? all : 0;
      t.are_four[count][lane] = count == 4 ? all : 0;
    }
  }
  for (std::size_t lane = 0; lane < 3; ++lane) {
    t.first[lane][lane] = all;
    t.second[lane][(lane + 1) % 3] = all;
    t.next[lane] = static_cast<std::int64_t>((lane + 1) % 3);
    t.last[lane] = static_cast<std::int64_t>((lane + 2) % 3);
  }
  t.next[3] = t.last[3] = 3;
  t.is_new[3] = all;
  for (std::size_t bits = 0; bits < 8; ++bits) {
    std::size_t at = 0;
    t.from[bits][at++] = 3;
    for (std::size_t lane = 0; lane < 3; ++lane)
      if ((bits >> lane & 1) != 0 && at < 3) t.from[bits][at++] = static_cast<std::int64_t>(lane);
    t.kept[bits] = static_cast<std::uint8_t>(at);
    for (; at < 4; ++at) {
      t.from[bits][at] = 3;
      t.is_empty[bits][at] = all;
    }
  }
  return t;
}
constexpr CornerTables corner_tables = make_corner_tables();

HWY_INLINE FourMask lanes_of(const std::uint64_t (&row)[4]) {
  return hn::MaskFromVec(hn::BitCast(four_lanes, hn::Load(four_names, row)));
}

struct CornerStep {
  Vec3 v;
  double squared;
  bool is_decided;  ///< otherwise reduce() must decide
  bool is_in;       ///< four corners, and the origin is not beyond a face at the newest; then these are valid:
  Four height;      ///< heights of the faces at the newest corner over the origin, times their areas
  double volume;
};

/// reduce() with the new corner, from `s`, which has at least one corner, to `out`. `Most` is the maximum number of
/// corners including the new one. The step is not plain if the origin may be inside, if the new corner is not needed,
/// or if the edge that the new corner is not on is nearest.
template <std::size_t Most>
HWY_INLINE CornerStep add_corner(const CornerLanes& s, const FourPoints& a, std::uint64_t name, CornerLanes& out) {
  const CornerTables& t = corner_tables;
  const auto next = hn::SetTableIndices(four_lanes, t.next), last = hn::SetTableIndices(four_lanes, t.last);
  const auto turn = [](const FourPoints& p, const auto& order) HWY_ATTR {
    return FourPoints{hn::TableLookupLanes(p.x, order), hn::TableLookupLanes(p.y, order),
                      hn::TableLookupLanes(p.z, order)};
  };
  const Four zero = hn::Zero(four_lanes), one = hn::Set(four_lanes, 1);
  const std::size_t count = s.count + 1;

  // nearest_on_segment of the edges from a. Each lane has the edge to its x.
  const FourPoints &x = s.w, to_x = x - a;
  const OnSegment<Four> on_x = nearest_on_segment(four_lanes, a, x, to_x);

  CornerStep step;
  step.is_in = false;
  step.height = zero;
  step.volume = 0;
  double of_newest;
  Four others;  // the weights of the other corners
  if constexpr (Most == 2) {
    step.v = {hn::GetLane(on_x.v.x), hn::GetLane(on_x.v.y), hn::GetLane(on_x.v.z)};
    step.squared = hn::GetLane(on_x.squared);
    of_newest = hn::GetLane(hn::Sub(one, on_x.share));
    step.is_decided = of_newest > 0;
    others = hn::IfThenElseZero(lanes_of(t.first[0]), on_x.share);
  } else {
    // nearest_on_triangle of the faces at a. Each lane has the face of a, its x and the next lane's x.
    const FourPoints a_by_x = cross(a, to_x);
    const Face<Four> face = face_of(a, to_x, turn(to_x, next), a_by_x, turn(a_by_x, next));
    const OnSegment<Four> on_y = {hn::TableLookupLanes(on_x.share, next), turn(on_x.v, next),
                                  hn::TableLookupLanes(on_x.squared, next)};
    const OnFace<FourTag> on = nearest_on_face(four_lanes, lanes_of(t.is_face[count]), face, on_x, on_y);
    if constexpr (Most == 3) {
      step.v = {hn::GetLane(on.v.x), hn::GetLane(on.v.y), hn::GetLane(on.v.z)};
      step.squared = hn::GetLane(on.squared);
      of_newest = hn::GetLane(on.a);
      step.is_decided = ((mask_bits(four_lanes, on.opposite) & 1u) == 0) & (of_newest > 0);
      others = hn::IfThenElse(lanes_of(t.first[0]), on.x,
                              hn::IfThenElseZero(lanes_of(t.second[0]), hn::TableLookupLanes(on.y, last)));
    } else {
      // For a tetrahedron, the faces that the origin is beyond. Lane 0 computes what reduce() computes, for all lanes.
      const Four xx = dot(to_x, to_x);
      const Four sizes = hn::Mul(hn::Mul(xx, hn::TableLookupLanes(xx, next)), hn::TableLookupLanes(xx, last));
      constexpr double flat = 16 * Numbers<Vec3>::roundoff;
      const double volume = hn::GetLane(dot(face.n, turn(to_x, last)));
      const FourMask is_thick =
          hn::Gt(hn::Set(four_lanes, volume * volume), hn::Set(four_lanes, flat * flat * hn::GetLane(sizes)));
      const Four sign = hn::And(hn::Set(four_lanes, volume), hn::Set(four_lanes, -0.0));
      const FourMask is_in =
          hn::And(lanes_of(t.are_four[count]), hn::And(is_thick, hn::Lt(hn::Xor(face.height, sign), zero)));
      const FourMask counts = hn::AndNot(is_in, lanes_of(t.may_count[count]));

      // Take the first of the nearest lanes. Its numbers go through memory: reading from a vector that was just stored
      // is as fast as permutations.
      const Four those = hn::IfThenElse(counts, on.squared, hn::Set(four_lanes, HUGE_VAL));
      const Four least = hn::Min(hn::Min(those, hn::TableLookupLanes(those, next)), hn::TableLookupLanes(those, last));
      alignas(32) double nearest[5][4];
      hn::Store(on.v.x, four_lanes, nearest[0]);
      hn::Store(on.v.y, four_lanes, nearest[1]);
      hn::Store(on.v.z, four_lanes, nearest[2]);
      hn::Store(on.squared, four_lanes, nearest[3]);
      hn::Store(on.a, four_lanes, nearest[4]);
      const auto k = static_cast<std::size_t>(
          hwy::Num0BitsBelowLS1Bit_Nonzero32(mask_bits(four_lanes, hn::Eq(those, least)) | 4u));
      step.v = {nearest[0][k], nearest[1][k], nearest[2][k]};
      step.squared = nearest[3][k];
      of_newest = nearest[4][k];
      step.is_in = mask_bits(four_lanes, counts) == 0;
      step.height = face.height;
      step.volume = volume;
      step.is_decided = (!step.is_in) & (mask_bits(four_lanes, hn::And(counts, on.opposite)) == 0) & (of_newest > 0);
      others = hn::IfThenElse(lanes_of(t.first[k]), on.x,
                              hn::IfThenElseZero(lanes_of(t.second[k]), hn::TableLookupLanes(on.y, last)));
    }
  }

  // keep_positive: the newest corner comes first.
  const FourMask is_new = lanes_of(t.is_new);
  const unsigned kept = mask_bits(four_lanes, hn::Gt(others, zero)) & 7u;
  const auto from = hn::SetTableIndices(four_lanes, t.from[kept]);
  const FourNames is_empty = hn::Load(four_names, t.is_empty[kept]);
  const auto moved = [&](Four old, Four fresh)
                         HWY_ATTR { return hn::TableLookupLanes(hn::IfThenElse(is_new, fresh, old), from); };
  out.w = {moved(x.x, a.x), moved(x.y, a.y), moved(x.z, a.z)};
  const Four names = moved(hn::BitCast(four_lanes, s.name), hn::BitCast(four_lanes, hn::Set(four_names, name)));
  out.name = hn::Or(hn::BitCast(four_names, names), is_empty);
  out.weight = hn::AndNot(hn::BitCast(four_lanes, is_empty), moved(others, hn::Set(four_lanes, of_newest)));
  out.count = t.kept[kept];
  return step;
}

#endif

}  // namespace whisker::convex::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
