// The distances of distance_lanes.hpp, compiled once per instruction set. The same steps as in quick_pair-inl.hpp and
// quick_distance_kernels.cpp, with masks for branches; a row of three coordinates there is three vectors here. (That
// file keeps a row in one register, because for a single pair it is faster so.)

#include "convex/distance_lanes.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "convex/distance_lanes_kernels.cpp"
#include <hwy/foreach_target.h>
// Must follow foreach_target.h:
#include <hwy/highway.h>

#include "convex/sharp_lanes-inl.hpp"
#include "geometry/constants.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::convex::HWY_NAMESPACE {

#if HWY_NATIVE_FMA

namespace {

using namespace sharp_lanes;

constexpr double u = unit_roundoff;

/// What the pairs of a block are: whether the first and second shapes have ways, and whether segments are among them,
/// whose ways have tails and any length. All other ways are axes of capsules.
template <bool first, bool second, bool segments>
struct Form {
  static constexpr bool has_way_a = first, has_way_b = second, has_segments = segments;
};

/// A core, and one of its points.
struct Spot {
  Vec origin, way, tail;
  V begin, end, radius, size;
  V at;
  M is_segment;
  M is_free;  // the point can move along the way in both directions
  V inward;   // +1 or -1 if it can move only so
};
template <bool has_way, bool has_segments>
HWY_INLINE Spot load(const CoreBlock::Side& side, std::size_t i) {
  Spot spot;
  spot.origin = load3(d, side.origin, i);
  spot.radius = hn::Load(d, side.radius + i);
  if constexpr (has_way) {
    spot.way = load3(d, side.way, i);
    spot.begin = hn::Load(d, side.begin + i);
    spot.end = hn::Load(d, side.end + i);
    spot.size = hn::Load(d, side.size + i);
  }
  if constexpr (has_way && has_segments) {
    spot.tail = load3(d, side.tail, i);
    spot.is_segment = hn::Gt(hn::Load(d, side.is_segment + i), set(0));
  }
  return spot;
}
HWY_INLINE void put(Spot& spot, V at) {
  spot.at = at;
  const M is_begin = hn::Eq(at, spot.begin), is_end = hn::Eq(at, spot.end);
  spot.inward = hn::IfThenElse(is_begin, set(1), set(-1));
  spot.is_free = hn::Not(hn::Or(is_begin, is_end));
}

/// The scalar products of two ways.
struct Products {
  V aa, ab, bb, determinant;
};

template <class F>
HWY_INLINE V inverse_square(const Spot& spot, V square) {
  const V of_axis = sub(set(2), square);
  if constexpr (!F::has_segments) return of_axis;
  const V of_any = hn::IfThenElseZero(hn::Gt(square, set(0)), div(set(1), square));
  return hn::IfThenElse(spot.is_segment, of_any, of_axis);
}

template <class F>
HWY_INLINE Products find_closest_on_line(const Spot& a, Spot& b) {
  const V square = dot(b.way, b.way), at = mul(dot(a.origin - b.origin, b.way), inverse_square<F>(b, square));
  put(b, hn::IfThenElse(hn::Gt(square, set(0)), clamped(at, b.begin, b.end), b.begin));
  return {set(0), set(0), square, set(0)};
}
template <class F>
HWY_INLINE Products find_closest_of_lines(Spot& a, Spot& b) {
  const Vec between = b.origin - a.origin;
  const V aa = dot(a.way, a.way), ab = dot(a.way, b.way), bb = dot(b.way, b.way);
  const V to_b = dot(a.way, between), to_a = hn::Neg(dot(b.way, between));
  const V inverse_a = inverse_square<F>(a, aa), inverse_b = inverse_square<F>(b, bb);
  const V determinant = sub(mul(aa, bb), mul(ab, ab));
  const V crossing = div(add(mul(to_b, bb), mul(to_a, ab)), determinant);
  const M is_crossing = hn::Gt(determinant, mul(set(0x1p-40), mul(aa, bb)));
  const V first = clamped(hn::IfThenElse(is_crossing, crossing, mul(to_b, inverse_a)), a.begin, a.end);
  const V t = clamped(mul(add(to_a, mul(ab, first)), inverse_b), b.begin, b.end);
  put(a, clamped(mul(add(to_b, mul(ab, t)), inverse_a), a.begin, a.end));
  put(b, t);
  return {aa, ab, bb, determinant};
}

/// Adds a multiple of a way to one coordinate of the vector between two points.
HWY_INLINE void add_along(V& high, V& low, V at, V way) {
  const V product = mul(way, at);
  const Two next = exact_sum(high, product);
  high = next.high;
  low = add(low, add(next.low, hn::MulSub(way, at, product)));
}
template <class F>
HWY_INLINE void add_along(Vec& high, Vec& low, V at, const Spot& spot) {
  add_along(high.x, low.x, at, spot.way.x);
  add_along(high.y, low.y, at, spot.way.y);
  add_along(high.z, low.z, at, spot.way.z);
  if constexpr (F::has_segments) low = low + spot.tail * at;  // axes have tails of 0
}

/// As in quick_pair-inl.hpp.
struct Gap {
  Vec high, low;
  V reach, length, inverse, loss, behind_a, behind_b;
  M is_crossing;
  M is_known;
};

/// A way, as the vector between the spots changes with its coordinate.
struct Way {
  Vec along;
  V size, slope, error, range, inward;
  M is_free;

  V steepness() const { return add(hn::Abs(slope), error); }
  M is_rough() const { return hn::Gt(hn::Abs(slope), mul(set(2), error)); }
};
HWY_INLINE Way way_of(const Spot& spot, const Vec& along) {
  Way way;
  way.along = along;
  way.size = size_of(spot.way);
  way.range = sub(spot.end, spot.begin);
  way.inward = spot.inward;
  way.is_free = spot.is_free;
  return way;
}
HWY_INLINE void set_slope(const Vec& between, V length, Way& way) {
  way.slope = dot(between, way.along);
  way.error = mul(mul(set(8 * u), length), way.size);
}
/// What the others gain where a way is at its limit.
HWY_INLINE void look_behind(const Way& way, V tilt, V& loss, V& behind) {
  const M is_limit = hn::AndNot(way.is_free, hn::Ne(way.range, set(0)));
  const V rise = sub(sub(mul(way.inward, way.slope), way.error), mul(tilt, way.size)), gain = mul(rise, way.range);
  loss = hn::IfThenElse(both(is_limit, hn::Lt(rise, set(0))), sub(loss, gain), loss);
  behind = hn::IfThenElse(is_limit, hn::Min(behind, gain), behind);
}

template <class F>
HWY_INLINE Gap find_gap(const Spot& a, const Spot& b, const Products& products) {
  constexpr double wider = 1 + 0x1p-20;
  const V infinite = set(infinity);
  Gap gap;
  const Two x = exact_difference(b.origin.x, a.origin.x), y = exact_difference(b.origin.y, a.origin.y),
            z = exact_difference(b.origin.z, a.origin.z);
  gap.high = {x.high, y.high, z.high};
  gap.low = {x.low, y.low, z.low};
  gap.reach = size_of(gap.high);
  Way on_b, on_a;
  if constexpr (F::has_way_b) {
    on_b = way_of(b, b.way);
    add_along<F>(gap.high, gap.low, b.at, b);
    gap.reach = add(gap.reach, mul(hn::Abs(b.at), on_b.size));
  }
  if constexpr (F::has_way_a) {
    on_a = way_of(a, -a.way);
    add_along<F>(gap.high, gap.low, hn::Neg(a.at), a);
    gap.reach = add(gap.reach, mul(hn::Abs(a.at), on_a.size));
  }
  const Vec rounded = gap.high + gap.low;
  gap.low = gap.low - (rounded - gap.high);
  gap.high = rounded;
  gap.length = hn::Sqrt(dot(gap.high, gap.high));
  gap.inverse = div(set(1), gap.length);
  gap.is_known = both(both(hn::Gt(gap.length, mul(set(0x1p-40), gap.reach)), hn::Gt(gap.length, set(0x1p-300))),
                      hn::Lt(gap.reach, set(0x1p300)));
  gap.is_crossing = never();
  gap.behind_a = gap.behind_b = infinite;
  gap.loss = set(0);
  if constexpr (!F::has_way_b) return gap;
  set_slope(gap.high, gap.length, on_b);
  V tilt, loss;
  if constexpr (!F::has_way_a) {
    tilt = mul(on_b.steepness(), set(wider));
    if constexpr (F::has_segments) tilt = hn::IfThenElse(b.is_segment, div(tilt, hn::Sqrt(products.bb)), tilt);
    tilt = hn::IfThenElseZero(on_b.is_free, tilt);
    loss = mul(mul(tilt, tilt), set(0.5));
    const M is_bad = hn::Or(on_b.is_rough(), hn::Not(hn::Gt(products.bb, set(0x1p-600))));
    gap.is_known = hn::AndNot(both(on_b.is_free, is_bad), gap.is_known);
  } else {
    set_slope(gap.high, gap.length, on_a);
    const M two_free = both(on_a.is_free, on_b.is_free), one_free = hn::Xor(on_a.is_free, on_b.is_free);
    const M is_rough = hn::Or(both(on_a.is_free, on_a.is_rough()), both(on_b.is_free, on_b.is_rough()));
    const V det = products.determinant, square = hn::IfThenElse(on_b.is_free, products.bb, products.aa);
    gap.is_crossing = both(two_free, hn::Gt(det, mul(set(0x1p-20), mul(products.bb, products.aa))));
    const M is_parallel = hn::AndNot(gap.is_crossing, two_free);
    V one_tilt = mul(hn::IfThenElse(on_b.is_free, on_b.steepness(), on_a.steepness()), set(wider));
    if constexpr (F::has_segments) {
      const M is_segment =
          hn::Or(both(on_b.is_free, b.is_segment), hn::AndNot(on_b.is_free, both(on_a.is_free, a.is_segment)));
      one_tilt = hn::IfThenElse(is_segment, div(one_tilt, hn::Sqrt(square)), one_tilt);
    }
    const V two_tilt = mul(
        mul(add(on_b.steepness(), on_a.steepness()), hn::Sqrt(div(add(products.bb, products.aa), det))), set(wider));
    tilt = hn::IfThenElseZero(hn::Or(one_free, gap.is_crossing), hn::IfThenElse(one_free, one_tilt, two_tilt));
    loss = hn::IfThenElse(is_parallel, add(mul(on_b.steepness(), on_b.range), mul(on_a.steepness(), on_a.range)),
                          mul(mul(tilt, tilt), set(0.5)));
    const M is_small = hn::Or(both(one_free, hn::Not(hn::Gt(square, set(0x1p-600)))),
                              hn::AndNot(both(hn::Gt(det, set(0x1p-800)), both(hn::Lt(products.aa, set(0x1p400)),
                                                                               hn::Lt(products.bb, set(0x1p400)))),
                                         gap.is_crossing));
    gap.is_known = hn::AndNot(hn::Or(is_small, hn::AndNot(is_parallel, is_rough)), gap.is_known);
  }
  look_behind(on_b, tilt, loss, gap.behind_b);
  if constexpr (F::has_way_a) look_behind(on_a, tilt, loss, gap.behind_a);
  gap.loss = mul(mul(mul(set(2), loss), gap.inverse), set(wider));
  gap.behind_a = mul(gap.behind_a, gap.inverse);
  gap.behind_b = mul(gap.behind_b, gap.inverse);
  return gap;
}

HWY_INLINE Two sharp_beyond(const Gap& gap, V radius_a, V radius_b) {
  const Two x = exact_product(gap.high.x, gap.high.x), y = exact_product(gap.high.y, gap.high.y),
            z = exact_product(gap.high.z, gap.high.z);
  const Two xy = exact_sum(x.high, y.high), all = exact_sum(xy.high, z.high);
  const V rest = add(add(add(add(x.low, y.low), z.low), add(xy.low, all.low)), mul(set(2), dot(gap.high, gap.low)));
  const V root = gap.length;
  const Two square = exact_product(root, root), radii = exact_sum(radius_a, radius_b);
  const V root_low = mul(add(sub(sub(all.high, square.high), square.low), rest), mul(set(0.5), gap.inverse));
  const Two beyond = exact_sum(root, hn::Neg(radii.high));
  return exact_sum(beyond.high, add(beyond.low, sub(root_low, radii.low)));
}

HWY_INLINE M are_alone(const Spot& a, const Spot& b, const Gap& gap, V lower, V upper) {
  const V sizes = add(a.size, b.size), coordinates = add(add(size_of(a.origin), size_of(b.origin)), sizes);
  const V far = add(add(mul(set(0x1p-46), sizes), mul(set(0x1p-47), sizes)), mul(set(0x1p-50), coordinates));
  const V within = mul(set(2), add(mul(far, lower), mul(mul(set(0x1p-47), sizes), add(sizes, upper))));
  const M a_alone = hn::Gt(mul(gap.behind_a, lower), within), b_alone = hn::Gt(mul(gap.behind_b, lower), within);
  const M crossing = both(gap.is_crossing, both(a_alone, b_alone));
  return hn::Or(hn::Or(hn::AndNot(a.is_free, a_alone), hn::AndNot(b.is_free, b_alone)), crossing);
}

template <class F>
HWY_INLINE void settle(const Spot& a, const Spot& b, const Gap& gap, bool finds_depth, std::size_t i,
                       LaneAnswers& answers) {
  constexpr double most_width = 0x1p-48;
  constexpr bool are_points = !F::has_way_a && !F::has_way_b;
  const V zero = set(0), radii = add(a.radius, b.radius);
  const V farthest = mul(gap.length, set(1 + 4 * u)), nearest = sub(mul(gap.length, set(1 - 4 * u)), gap.loss);
  const V slack = add(mul(set(2.53 * u), farthest), hn::Min(mul(set(1.01 * u), farthest), gap.loss));
  V lower = sub(sub(nearest, radii), slack), upper = add(sub(farthest, radii), slack);
  const M is_ordinary = hn::Lt(radii, set(0x1p300));
  const Vec normal = gap.high * gap.inverse;
  const V error = mul(set(0x1p-95), add(gap.reach, radii));
  Vec on_a = a.origin, on_b = b.origin;
  if constexpr (F::has_way_a) on_a = a.origin + a.way * a.at;
  if constexpr (F::has_way_b) on_b = b.origin + b.way * b.at;

  const M is_deep = finds_depth ? both(hn::Lt(upper, zero), is_ordinary) : never();
  const M is_shared = hn::AndNot(is_deep, hn::Lt(mul(farthest, set(1 + 4 * u)), mul(radii, set(1 - 4 * u))));
  const auto is_narrow = [&](V least, V most) HWY_ATTR {
    return both(hn::Gt(least, zero), hn::Le(sub(most, least), mul(set(most_width), least)));
  };
  const M is_left = hn::Not(hn::Or(is_deep, is_shared));
  M is_apart = never(), is_proven = never(), is_close = both(is_left, is_ordinary);
  if constexpr (!are_points) {
    is_apart = both(is_left, is_narrow(lower, upper));
    is_close = hn::AndNot(is_apart, both(is_left, both(hn::Gt(radii, mul(set(0.5), gap.length)), is_ordinary)));
  }
  const M is_sharp = hn::Or(is_deep, is_close);
  if (!hn::AllFalse(d, is_sharp)) {
    const Two beyond = sharp_beyond(gap, a.radius, b.radius);
    const Two value = {hn::IfThenElse(is_deep, hn::Neg(beyond.high), beyond.high),
                       hn::IfThenElse(is_deep, hn::Neg(beyond.low), beyond.low)};
    const V more = add(error, gap.loss);
    const Bounds sharp = bounds_of(value, hn::IfThenElse(is_deep, error, more), hn::IfThenElse(is_deep, more, error));
    const M is_positive = hn::Gt(sharp.lower, zero);
    const M is_tight = hn::Le(gap.loss, mul(set(0.25 * u), add(gap.length, radii)));
    is_proven = both(both(is_deep, is_positive), both(hn::Gt(nearest, zero), is_tight));
    is_apart = hn::Or(is_apart, both(both(is_close, is_positive), is_narrow(sharp.lower, sharp.upper)));
    lower = hn::IfThenElse(is_sharp, sharp.lower, lower);
    upper = hn::IfThenElse(is_sharp, sharp.upper, upper);
  }
  M is_good = gap.is_known;
  if constexpr (F::has_way_a) {
    is_good = both(is_good, are_alone(a, b, gap, hn::IfThenElse(is_deep, gap.length, lower),
                                      hn::IfThenElse(is_deep, gap.length, upper)));
  }
  store_bits(both(is_good, is_apart), i, answers.apart);
  store_bits(both(is_good, is_proven), i, answers.deep);
  // With depths, what is shared but not deep is not known.
  if (!finds_depth) store_bits(both(gap.is_known, is_shared), i, answers.overlapping);
  hn::Store(lower, d, answers.lower + i);
  hn::Store(upper, d, answers.upper + i);
  store3(normal, d, answers.normal, i);
  Vec common;
  if constexpr (are_points) {
    common = (a.origin * b.radius + b.origin * a.radius) * div(set(1), radii);
  } else {
    common = on_a + gap.high * div(a.radius, radii);
  }
  store3(choose(is_shared, common, on_a + normal * a.radius), d, answers.point_a, i);
  store3(on_b - normal * b.radius, d, answers.point_b, i);
}

template <class F>
HWY_INLINE void run_all(bool finds_depth, std::size_t count, CoreBlock& block) {
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    Spot a = load<F::has_way_a, F::has_segments>(block.a, i), b = load<F::has_way_b, F::has_segments>(block.b, i);
    Products products;
    if constexpr (F::has_way_a) {
      products = find_closest_of_lines<F>(a, b);
    } else if constexpr (F::has_way_b) {
      products = find_closest_on_line<F>(a, b);
    }
    settle<F>(a, b, find_gap<F>(a, b, products), finds_depth, i, block.answers);
  }
}

}  // namespace

void find_distances(DistanceLanes lanes, bool finds_depth, std::size_t count, CoreBlock& block) {
  block.answers.apart = block.answers.overlapping = block.answers.deep = 0;
  switch (lanes) {
    case DistanceLanes::points:
      return run_all<Form<false, false, false>>(finds_depth, count, block);
    case DistanceLanes::point_axis:
      return run_all<Form<false, true, false>>(finds_depth, count, block);
    case DistanceLanes::axes:
      return run_all<Form<true, true, false>>(finds_depth, count, block);
    case DistanceLanes::point_line:
      return run_all<Form<false, true, true>>(finds_depth, count, block);
    default:
      return run_all<Form<true, true, true>>(finds_depth, count, block);
  }
}

#else

void find_distances(DistanceLanes, bool, std::size_t, CoreBlock& block) {
  block.answers.apart = block.answers.overlapping = block.answers.deep = 0;
}

#endif

}  // namespace whisker::convex::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whisker::convex {

HWY_EXPORT(find_distances);

void run_distance_lanes(DistanceLanes lanes, bool finds_depth, std::size_t count, CoreBlock& block) {
  HWY_DYNAMIC_DISPATCH(find_distances)(lanes, finds_depth, count, block);
}

}  // namespace whisker::convex
#endif
