// Half-spaces and planes of distance_lanes.hpp, compiled once per instruction set. The same steps as in
// quick_flat_kernels.cpp, with masks for branches.

#include "convex/distance_lanes.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "convex/flat_lanes_kernels.cpp"
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

/// The lowest and highest points of a body over the boundary, as in quick_flat_kernels.cpp.
struct LaneHeights {
  Two low, high;
  Vec low_at, high_at;
  V low_behind, high_behind;
  V size;
};

HWY_INLINE V load(const LaneNumbers& from, std::size_t i) {
  return hn::Load(d, from + i);
}
HWY_INLINE V with_sign(V size, const Two& of) {
  return hn::IfThenElse(hn::Lt(of.high, set(0)), hn::Neg(size), size);
}
/// Of a number that is 0 or more.
HWY_INLINE V inverse_or_zero(V numerator, V of) {
  return hn::IfThenElseZero(hn::Gt(of, set(0x1p-500)), div(numerator, of));
}

HWY_INLINE Two height_of(const Vec& point, const FlatBlock& block, std::size_t i, V& size) {
  const Vec origin = load3(d, block.origin, i), n = load3(d, block.normal, i);
  const V offset = load(block.offset, i);
  const Two x = exact_sum(point.x, hn::Neg(origin.x)), y = exact_sum(point.y, hn::Neg(origin.y)),
            z = exact_sum(point.z, hn::Neg(origin.z));
  size = add(size, add(mul(size_of(n), size_of({x.high, y.high, z.high})), hn::Abs(offset)));
  return sharp_dot(n, {x.high, y.high, z.high}, {x.low, y.low, z.low}) - Two{offset, set(0)};
}

HWY_INLINE void find_corner_heights(const FlatBlock& block, std::size_t count, std::size_t i, LaneHeights& h) {
  V heights[3];
  h.low_at = h.high_at = load3(d, block.axes[0], i);
  h.low = h.high = height_of(h.low_at, block, i, h.size);
  heights[0] = h.low.high;
  V lowest = set(0), highest = set(0);
  for (std::size_t k = 1; k < count; ++k) {
    const Vec corner = load3(d, block.axes[k], i);
    const Two height = height_of(corner, block, i, h.size);
    heights[k] = height.high;
    const V number = set(static_cast<double>(k));
    const M is_low = is_less(height, h.low), is_high = is_less(h.high, height);
    h.low = choose(is_low, height, h.low);
    h.low_at = choose(is_low, corner, h.low_at);
    lowest = hn::IfThenElse(is_low, number, lowest);
    h.high = choose(is_high, height, h.high);
    h.high_at = choose(is_high, corner, h.high_at);
    highest = hn::IfThenElse(is_high, number, highest);
  }
  h.low_behind = h.high_behind = set(infinity);
  for (std::size_t k = 0; k < count; ++k) {
    const V number = set(static_cast<double>(k));
    const V over = hn::Min(h.low_behind, sub(heights[k], h.low.high)),
            under = hn::Min(h.high_behind, sub(h.high.high, heights[k]));
    h.low_behind = hn::IfThenElse(hn::Eq(lowest, number), h.low_behind, over);
    h.high_behind = hn::IfThenElse(hn::Eq(highest, number), h.high_behind, under);
  }
}

HWY_INLINE void set_symmetric(const Two& center, const Two& extent, const Vec& top, V behind, LaneHeights& h) {
  h.low = center - extent;
  h.high = center + extent;
  h.low_behind = h.high_behind = behind;
  h.size = add(h.size, extent.high);
  h.high_at = top;
  h.low_at = -top;
}

template <FlatBody body>
HWY_INLINE LaneHeights find_heights(const FlatBlock& block, std::size_t i) {
  const V zero = set(0), two = set(2), infinite = set(infinity);
  LaneHeights h;
  h.size = zero;
  if constexpr (body == FlatBody::segment || body == FlatBody::triangle) {
    find_corner_heights(block, body == FlatBody::segment ? 2 : 3, i, h);
    return h;
  }
  const Two center = height_of(load3(d, block.center, i), block, i, h.size);
  if constexpr (body == FlatBody::point) {
    h.low = h.high = center;
    h.low_behind = h.high_behind = infinite;
    return h;
  }
  const Vec n = load3(d, block.normal, i);
  const Two nz = sharp_dot(n, load3(d, block.axes[2], i));
  const V half_z = load(block.half[2], i);
  if constexpr (body == FlatBody::axis) {
    const Two rise = absolute(nz) * half_z;
    const V behind = hn::IfThenElse(hn::Gt(half_z, zero), mul(two, rise.high), infinite);
    set_symmetric(center, rise, {zero, zero, with_sign(half_z, nz)}, behind, h);
    return h;
  }
  const Two nx = sharp_dot(n, load3(d, block.axes[0], i)), ny = sharp_dot(n, load3(d, block.axes[1], i));
  if constexpr (body == FlatBody::box) {
    const V half_x = load(block.half[0], i), half_y = load(block.half[1], i);
    const Two extent = (absolute(nx) * half_x + absolute(ny) * half_y) + absolute(nz) * half_z;
    const auto reach = [&](const Two& along, V half) HWY_ATTR {
      return hn::IfThenElse(hn::Gt(half, zero), mul(hn::Abs(along.high), half), infinite);
    };
    const V behind = mul(two, hn::Min(hn::Min(reach(nx, half_x), reach(ny, half_y)), reach(nz, half_z)));
    set_symmetric(center, extent, {with_sign(half_x, nx), with_sign(half_y, ny), with_sign(half_z, nz)}, behind, h);
    return h;
  }
  if constexpr (body == FlatBody::ellipsoid) {
    const V r[3] = {load(block.half[0], i), load(block.half[1], i), half_z};
    const Two extent = length_of(nx * r[0], ny * r[1], nz * r[2]);
    const V inverse = inverse_or_zero(set(1), extent.high);
    const auto coordinate = [&](V radius, const Two& along)
                                HWY_ATTR { return mul(radius, mul(mul(radius, along.high), inverse)); };
    const M is_full = hn::Gt(hn::Min(hn::Min(r[0], r[1]), r[2]), zero);
    set_symmetric(center, extent, {coordinate(r[0], nx), coordinate(r[1], ny), coordinate(r[2], nz)},
                  hn::IfThenElseZero(is_full, infinite), h);
    return h;
  }
  const V radius = load(block.radius, i);
  const Two across = length_of(nx, ny, {zero, zero});
  const V inverse = inverse_or_zero(radius, across.high);
  const V rim_x = mul(nx.high, inverse), rim_y = mul(ny.high, inverse);
  const Two reach = across * radius, rise = nz * half_z;
  const V disc = mul(two, reach.high);
  if constexpr (body == FlatBody::cylinder) {
    set_symmetric(center, reach + absolute(rise), {rim_x, rim_y, with_sign(half_z, nz)},
                  hn::Min(mul(two, hn::Abs(rise.high)), disc), h);
    return h;
  }
  // A cone: its apex or a point of the rim of its base.
  h.size = add(h.size, add(reach.high, hn::Abs(rise.high)));
  const Two apex = center + rise, top = (center - rise) + reach, bottom = (center - rise) - reach;
  const M is_apex_high = is_less(top, apex), is_apex_low = is_less(apex, bottom);
  h.high = choose(is_apex_high, apex, top);
  h.low = choose(is_apex_low, apex, bottom);
  const V over = hn::Abs((apex - top).high), under = hn::Abs((apex - bottom).high);
  h.high_behind = hn::IfThenElse(is_apex_high, over, hn::Min(over, disc));
  h.low_behind = hn::IfThenElse(is_apex_low, under, hn::Min(under, disc));
  const Vec tip = {zero, zero, half_z}, base_high = {rim_x, rim_y, hn::Neg(half_z)},
            base_low = {hn::Neg(rim_x), hn::Neg(rim_y), hn::Neg(half_z)};
  h.high_at = choose(is_apex_high, tip, base_high);
  h.low_at = choose(is_apex_low, tip, base_low);
  return h;
}

/// The highest or the lowest point in the world.
template <FlatBody body>
HWY_INLINE Vec place(const FlatBlock& block, const LaneHeights& h, M is_high, std::size_t i) {
  if constexpr (body == FlatBody::segment || body == FlatBody::triangle) return choose(is_high, h.high_at, h.low_at);
  const Vec center = load3(d, block.center, i);
  if constexpr (body == FlatBody::point) return center;
  const Vec at = choose(is_high, h.high_at, h.low_at), along = load3(d, block.axes[2], i) * at.z;
  if constexpr (body == FlatBody::axis) return center + along;
  return center + ((load3(d, block.axes[0], i) * at.x + load3(d, block.axes[1], i) * at.y) + along);
}

template <FlatBody body>
HWY_INLINE V size_of_body(const FlatBlock& block, std::size_t i) {
  if constexpr (body == FlatBody::segment || body == FlatBody::triangle) return load(block.half[0], i);
  const V half_z = load(block.half[2], i);
  if constexpr (body == FlatBody::box || body == FlatBody::ellipsoid) {
    const V half_x = load(block.half[0], i), half_y = load(block.half[1], i);
    return body == FlatBody::box ? size_of({half_x, half_y, half_z}) : hn::Max(hn::Max(half_x, half_y), half_z);
  }
  return add(half_z, load(block.radius, i));
}

template <FlatBody body, bool is_plane>
HWY_INLINE void answer(const FlatBlock& block, bool finds_depth, std::size_t i, LaneAnswers& answers) {
  const V zero = set(0);
  const Vec n = load3(d, block.normal, i);
  const Two squared = sharp_dot(n, n);
  const V excess = mul(add(sub(squared.high, set(1)), squared.low), set(0.5));
  const M is_unit = hn::Lt(hn::Abs(excess), set(0x1p-49)),
          has_length = both(hn::Gt(squared.high, set(0x1p-400)), hn::Lt(squared.high, set(0x1p400)));
  const bool are_unit = hn::AllTrue(d, is_unit);
  Two steep = {set(1), zero};
  V inverse = set(1);
  if (!are_unit) {
    const V root = hn::Sqrt(squared.high), of_root = div(set(1), root);
    inverse = hn::IfThenElse(is_unit, inverse, of_root);
    steep = choose(is_unit, steep, joined(root, mul(above_square(squared, root), mul(set(0.5), of_root))));
  }
  const LaneHeights h = find_heights<body>(block, i);
  // The radius of spheres and capsules adds to their cores.
  constexpr bool is_round = body == FlatBody::point || body == FlatBody::axis;
  const V radius = is_round ? load(block.radius, i) : zero, size = add(mul(h.size, inverse), radius);
  const M is_ordinary = both(both(has_length, hn::Gt(h.size, set(0x1p-400))),
                             both(hn::Gt(size, set(0x1p-300)), hn::Lt(size, set(0x1p300))));
  const V error = mul(set(0x1p-94), size);
  const auto divided = [&](const Two& a) HWY_ATTR {
    const Two of_unit = joined(a.high, sub(a.low, mul(a.high, excess)));
    return are_unit ? of_unit : choose(is_unit, of_unit, quotient(a, steep, inverse));
  };
  const auto beyond = [&](const Two& height) HWY_ATTR { return is_round ? height + Two{radius, zero} : height; };
  const Two low = -beyond(-divided(h.low));
  Two high = low;
  M is_under = never();
  if constexpr (is_plane) {
    high = beyond(divided(h.high));
    is_under = is_less(low, -high);
  }
  const Two gap = choose(is_under, -high, low);
  const V side = hn::IfThenElse(is_under, inverse, hn::Neg(inverse));
  const Vec normal = n * side;
  Vec nearest = place<body>(block, h, is_under, i);
  if constexpr (is_round) nearest = nearest + normal * radius;
  const M is_apart = hn::Gt(gap.high, zero);
  const Two depth = choose(is_apart, gap, -gap);
  const Bounds bounds = bounds_of(depth, error, error);
  const M is_known = both(is_ordinary, hn::Gt(bounds.lower, zero));
  M is_alone = is_known;
  if constexpr (body != FlatBody::point) {
    constexpr bool has_corners = body == FlatBody::segment || body == FlatBody::triangle;
    const V sizes = size_of_body<body>(block, i), behind = hn::IfThenElse(is_under, h.high_behind, h.low_behind);
    const V coordinates = size_of(load3(d, has_corners ? block.axes[0] : block.center, i)),
            of_origin = size_of(load3(d, block.origin, i));
    const V within = mul(set(2), add(add(mul(set(0x1p-46), sizes), mul(set(0x1p-47), sizes)),
                                     mul(set(0x1p-50), add(add(coordinates, of_origin), sizes))));
    is_alone = both(is_known, hn::Gt(mul(behind, inverse), within));
  }
  const M is_deep = finds_depth ? hn::Not(is_apart) : never();
  const M is_shared = hn::Not(hn::Or(is_apart, is_deep));
  store_bits(both(is_alone, is_apart), i, answers.apart);
  store_bits(both(is_alone, is_deep), i, answers.deep);
  store_bits(both(is_known, is_shared), i, answers.overlapping);
  hn::Store(bounds.lower, d, answers.lower + i);
  hn::Store(bounds.upper, d, answers.upper + i);
  store3(normal, d, answers.normal, i);
  store3(nearest + normal * gap.high, d, answers.point_b, i);
  Vec point = nearest;
  if constexpr (is_plane) {
    // Where the plane cuts between the lowest and the highest point.
    const V part = div(depth.high, (high - low).high);
    const Vec farthest = place<body>(block, h, hn::Not(is_under), i) - normal * radius;
    point = choose(is_shared, nearest + (farthest - nearest) * part, nearest);
  }
  store3(point, d, answers.point_a, i);
}

template <FlatBody body>
HWY_INLINE void answer_all(bool is_plane, bool finds_depth, std::size_t count, FlatBlock& block) {
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    if (is_plane) {
      answer<body, true>(block, finds_depth, i, block.answers);
    } else {
      answer<body, false>(block, finds_depth, i, block.answers);
    }
  }
}

}  // namespace

void find_flat_distances(FlatBody body, bool is_plane, bool finds_depth, std::size_t count, FlatBlock& block) {
  block.answers.apart = block.answers.overlapping = block.answers.deep = 0;
  switch (body) {
    case FlatBody::point:
      return answer_all<FlatBody::point>(is_plane, finds_depth, count, block);
    case FlatBody::axis:
      return answer_all<FlatBody::axis>(is_plane, finds_depth, count, block);
    case FlatBody::box:
      return answer_all<FlatBody::box>(is_plane, finds_depth, count, block);
    case FlatBody::segment:
      return answer_all<FlatBody::segment>(is_plane, finds_depth, count, block);
    case FlatBody::triangle:
      return answer_all<FlatBody::triangle>(is_plane, finds_depth, count, block);
    case FlatBody::cylinder:
      return answer_all<FlatBody::cylinder>(is_plane, finds_depth, count, block);
    case FlatBody::cone:
      return answer_all<FlatBody::cone>(is_plane, finds_depth, count, block);
    case FlatBody::ellipsoid:
      return answer_all<FlatBody::ellipsoid>(is_plane, finds_depth, count, block);
  }
}

#else

void find_flat_distances(FlatBody, bool, bool, std::size_t, FlatBlock& block) {
  block.answers.apart = block.answers.overlapping = block.answers.deep = 0;
}

#endif

}  // namespace whisker::convex::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whisker::convex {

HWY_EXPORT(find_flat_distances);

void run_flat_lanes(FlatBody body, bool is_plane, bool finds_depth, std::size_t count, FlatBlock& block) {
  HWY_DYNAMIC_DISPATCH(find_flat_distances)(body, is_plane, finds_depth, count, block);
}

}  // namespace whisker::convex
#endif
