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

enum class Body { point, axis, box };

/// The lowest and highest points of a body over the boundary, as in quick_flat_kernels.cpp.
struct LaneHeights {
  Two low, high;
  V top[3];  // the highest point, in the body's frame; the lowest is opposite
  V behind;
  V size;
};

HWY_INLINE V load(const LaneNumbers& from, std::size_t i) {
  return hn::Load(d, from + i);
}
HWY_INLINE V with_sign(V size, const Two& of) {
  return hn::IfThenElse(hn::Lt(of.high, set(0)), hn::Neg(size), size);
}

template <Body body>
HWY_INLINE LaneHeights find_heights(const FlatBlock& block, std::size_t i) {
  const Vec center = load3(d, block.center, i), origin = load3(d, block.origin, i), n = load3(d, block.normal, i);
  const V offset = load(block.offset, i), infinite = set(infinity);
  const Two x = exact_sum(center.x, hn::Neg(origin.x)), y = exact_sum(center.y, hn::Neg(origin.y)),
            z = exact_sum(center.z, hn::Neg(origin.z));
  LaneHeights h;
  h.size = add(mul(size_of(n), size_of({x.high, y.high, z.high})), hn::Abs(offset));
  const Two height = sharp_dot(n, {x.high, y.high, z.high}, {x.low, y.low, z.low}) - Two{offset, set(0)};
  h.low = h.high = height;
  h.behind = infinite;
  if constexpr (body == Body::point) return h;
  const Two nz = sharp_dot(n, load3(d, block.axes[2], i));
  const V half_z = load(block.half[2], i);
  h.top[2] = with_sign(half_z, nz);
  Two extent = absolute(nz) * half_z;
  if constexpr (body == Body::axis) {
    h.behind = hn::IfThenElse(hn::Gt(half_z, set(0)), mul(set(2), extent.high), infinite);
  } else {
    const Two nx = sharp_dot(n, load3(d, block.axes[0], i)), ny = sharp_dot(n, load3(d, block.axes[1], i));
    const V half_x = load(block.half[0], i), half_y = load(block.half[1], i);
    extent = (absolute(nx) * half_x + absolute(ny) * half_y) + extent;
    const auto reach = [&](const Two& along, V half) HWY_ATTR {
      return hn::IfThenElse(hn::Gt(half, set(0)), mul(hn::Abs(along.high), half), infinite);
    };
    h.behind = mul(set(2), hn::Min(hn::Min(reach(nx, half_x), reach(ny, half_y)), reach(nz, half_z)));
    h.top[0] = with_sign(half_x, nx);
    h.top[1] = with_sign(half_y, ny);
  }
  h.low = height - extent;
  h.high = height + extent;
  h.size = add(h.size, extent.high);
  return h;
}

/// The point at `top`, or the opposite one.
template <Body body>
HWY_INLINE Vec place(const FlatBlock& block, const LaneHeights& h, M is_top, std::size_t i) {
  const Vec center = load3(d, block.center, i);
  if constexpr (body == Body::point) return center;
  const auto at = [&](std::size_t k) HWY_ATTR { return hn::IfThenElse(is_top, h.top[k], hn::Neg(h.top[k])); };
  Vec arm = load3(d, block.axes[2], i) * at(2);
  if constexpr (body == Body::box)
    arm = (load3(d, block.axes[0], i) * at(0) + load3(d, block.axes[1], i) * at(1)) + arm;
  return center + arm;
}

template <Body body, bool is_plane>
HWY_INLINE void answer(const FlatBlock& block, bool finds_depth, std::size_t i, LaneAnswers& answers) {
  const V zero = set(0);
  const Vec n = load3(d, block.normal, i);
  const Two squared = sharp_dot(n, n);
  const V excess = mul(add(sub(squared.high, set(1)), squared.low), set(0.5));
  const M is_unit = hn::Lt(hn::Abs(excess), set(0x1p-49)),
          has_length = both(hn::Gt(squared.high, set(0x1p-400)), hn::Lt(squared.high, set(0x1p400)));
  const bool are_unit = hn::AllTrue(d, is_unit);
  const Two steep = are_unit ? Two{set(1), zero} : choose(is_unit, Two{set(1), zero}, root_of(squared));
  const V inverse = are_unit ? set(1) : div(set(1), steep.high);
  const LaneHeights h = find_heights<body>(block, i);
  const V radius = body == Body::box ? zero : load(block.radius, i), size = add(mul(h.size, inverse), radius);
  const M is_ordinary = both(both(has_length, hn::Gt(h.size, set(0x1p-400))),
                             both(hn::Gt(size, set(0x1p-300)), hn::Lt(size, set(0x1p300))));
  const V error = mul(set(0x1p-94), size);
  const auto divided = [&](const Two& a) HWY_ATTR {
    const Two of_unit = joined(a.high, sub(a.low, mul(a.high, excess)));
    return are_unit ? of_unit : choose(is_unit, of_unit, a / steep);
  };
  const auto beyond = [&](const Two& height) HWY_ATTR {
    return body == Body::box ? height : height + Two{radius, zero};
  };
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
  const Vec nearest =
      body == Body::box ? place<body>(block, h, is_under, i) : place<body>(block, h, is_under, i) + normal * radius;
  const M is_apart = hn::Gt(gap.high, zero);
  const Two depth = choose(is_apart, gap, -gap);
  const Bounds bounds = bounds_of(depth, error, error);
  const M is_known = both(is_ordinary, hn::Gt(bounds.lower, zero));
  M is_alone = is_known;
  if constexpr (body != Body::point) {
    const V half_z = load(block.half[2], i);
    const V sizes = body == Body::axis
                        ? add(half_z, radius)
                        : add(add(hn::Abs(load(block.half[0], i)), hn::Abs(load(block.half[1], i))), hn::Abs(half_z));
    const V coordinates = size_of(load3(d, block.center, i)), of_origin = size_of(load3(d, block.origin, i));
    const V within = mul(set(2), add(add(mul(set(0x1p-46), sizes), mul(set(0x1p-47), sizes)),
                                     mul(set(0x1p-50), add(add(coordinates, of_origin), sizes))));
    is_alone = both(is_known, hn::Gt(mul(h.behind, inverse), within));
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

template <Body body, bool is_plane>
HWY_INLINE void answer_all(bool finds_depth, std::size_t count, FlatBlock& block) {
  for (std::size_t i = 0; i < count; i += hn::Lanes(d))
    answer<body, is_plane>(block, finds_depth, i, block.answers);
}

}  // namespace

void find_flat_distances(DistanceLanes lanes, bool finds_depth, std::size_t count, FlatBlock& block) {
  block.answers.apart = block.answers.overlapping = block.answers.deep = 0;
  switch (lanes) {
    case DistanceLanes::point_half_space:
      return answer_all<Body::point, false>(finds_depth, count, block);
    case DistanceLanes::axis_half_space:
      return answer_all<Body::axis, false>(finds_depth, count, block);
    case DistanceLanes::box_half_space:
      return answer_all<Body::box, false>(finds_depth, count, block);
    case DistanceLanes::point_plane:
      return answer_all<Body::point, true>(finds_depth, count, block);
    case DistanceLanes::axis_plane:
      return answer_all<Body::axis, true>(finds_depth, count, block);
    default:
      return answer_all<Body::box, true>(finds_depth, count, block);
  }
}

#else

void find_flat_distances(DistanceLanes, bool, std::size_t, FlatBlock& block) {
  block.answers.apart = block.answers.overlapping = block.answers.deep = 0;
}

#endif

}  // namespace whisker::convex::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whisker::convex {

HWY_EXPORT(find_flat_distances);

void run_flat_lanes(DistanceLanes lanes, bool finds_depth, std::size_t count, FlatBlock& block) {
  HWY_DYNAMIC_DISPATCH(find_flat_distances)(lanes, finds_depth, count, block);
}

}  // namespace whisker::convex
#endif
