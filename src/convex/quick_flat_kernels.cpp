// Bounded shapes and half-spaces or planes, compiled once per instruction set. Everything that decides is a sum of two
// doubles, with about a hundred bits: a shape extends along the normal by so much that doubles alone would lose several
// units of its coordinates. All instruction sets give the same bits.

#include "convex/quick_cores.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "convex/quick_flat_kernels.cpp"
#include <hwy/foreach_target.h>
// Must follow foreach_target.h:
#include <hwy/highway.h>

#include "convex/quick_pair-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::convex::HWY_NAMESPACE {

using Kind = QuickCore::Kind;

/// Squares of lengths below this underflow, or nearly so.
constexpr double least_length = 0x1p-500;

WHISKER_INLINE double sum_of_sizes(const double* v) {
  return (std::abs(v[0]) + std::abs(v[1])) + std::abs(v[2]);
}

/// The lowest point of a shape over the boundary, and of a plane the highest one, too. All heights are still to be
/// divided by the length of the normal.
struct Heights {
  Long low, high;                  // without a sphere's or capsule's radius
  double low_at[3], high_at[3];    // these points: in the world, or in the shape's frame
  double low_behind, high_behind;  // how far the next points are behind them, as estimates
  double size;                     // of all terms
};

/// The height of a point.
WHISKER_INLINE Long height_of(const double* point, const QuickFlat& flat, double& size) {
  double high[3], low[3];
  for (int i = 0; i < 3; ++i) {
    const Exact2 between = exact_sum(point[i], -flat.origin[i]);
    high[i] = between.high;
    low[i] = between.low;
  }
  size += sum_of_sizes(flat.normal) * sum_of_sizes(high) + std::abs(flat.offset);
  return dot(flat.normal, high, low) - Long{flat.offset, 0};
}

template <bool has_high>
WHISKER_INLINE void find_corner_heights(const QuickCore& core, int count, const QuickFlat& flat, Heights& h) {
  int lowest = 0, highest = 0;
  h.low = h.high = height_of(core.corners[0], flat, h.size);
  double heights[3] = {h.low.high, 0, 0};
  for (int i = 1; i < count; ++i) {
    const Long height = height_of(core.corners[i], flat, h.size);
    heights[i] = height.high;
    if (is_less(height, h.low)) {
      h.low = height;
      lowest = i;
    }
    if (has_high && is_less(h.high, height)) {
      h.high = height;
      highest = i;
    }
  }
  h.low_behind = h.high_behind = infinity;
  for (int i = 0; i < count; ++i) {
    if (i != lowest) h.low_behind = std::min(h.low_behind, heights[i] - heights[lowest]);
    if (has_high && i != highest) h.high_behind = std::min(h.high_behind, heights[highest] - heights[i]);
  }
  for (int k = 0; k < 3; ++k) {
    h.low_at[k] = core.corners[lowest][k];
    h.high_at[k] = core.corners[highest][k];
  }
}

/// For shapes that are symmetric about their center: the extent along the normal, and the highest point.
template <bool has_high>
WHISKER_INLINE void set_symmetric(Long center, Long extent, const double (&top)[3], double behind, Heights& h) {
  h.low = center - extent;
  if (has_high) h.high = center + extent;
  h.low_behind = h.high_behind = behind;
  h.size += extent.high;
  for (int k = 0; k < 3; ++k) {
    h.high_at[k] = top[k];
    h.low_at[k] = -top[k];
  }
}

WHISKER_INLINE double with_sign(double size, Long of) {
  return of.high < 0 ? -size : size;
}

template <Kind kind, bool has_high>
WHISKER_INLINE void find_heights(const QuickCore& core, const QuickFlat& flat, Heights& h) {
  h.size = 0;
  if constexpr (kind == Kind::segment || kind == Kind::triangle) {
    find_corner_heights<has_high>(core, kind == Kind::segment ? 2 : 3, flat, h);
    return;
  }
  const Long center = height_of(core.translation, flat, h.size);
  if constexpr (kind == Kind::sphere) {
    h.low = h.high = center;
    h.low_behind = h.high_behind = infinity;
    return;
  }
  const Long nz = dot(flat.normal, core.rotation + 6);
  const double half = core.half[0], radius = core.radius;
  if constexpr (kind == Kind::capsule) {
    const Long rise = absolute(nz) * half;
    set_symmetric<has_high>(center, rise, {0, 0, with_sign(half, nz)}, half > 0 ? 2 * rise.high : infinity, h);
    return;
  }
  const Long nx = dot(flat.normal, core.rotation), ny = dot(flat.normal, core.rotation + 3);
  if constexpr (kind == Kind::box) {
    const Long extent = (absolute(nx) * core.half[0] + absolute(ny) * core.half[1]) + absolute(nz) * core.half[2];
    const double behind = 2 * std::min({core.half[0] > 0 ? std::abs(nx.high) * core.half[0] : infinity,
                                        core.half[1] > 0 ? std::abs(ny.high) * core.half[1] : infinity,
                                        core.half[2] > 0 ? std::abs(nz.high) * core.half[2] : infinity});
    const double top[3] = {with_sign(core.half[0], nx), with_sign(core.half[1], ny), with_sign(core.half[2], nz)};
    set_symmetric<has_high>(center, extent, top, behind, h);
    return;
  }
  if constexpr (kind == Kind::ellipsoid) {
    const double* r = core.half;
    const Long extent = length_of(nx * r[0], ny * r[1], nz * r[2]);
    const double inverse = extent.high > least_length ? 1 / extent.high : 0;
    const double top[3] = {r[0] * (r[0] * nx.high * inverse), r[1] * (r[1] * ny.high * inverse),
                           r[2] * (r[2] * nz.high * inverse)};
    set_symmetric<has_high>(center, extent, top, std::min({r[0], r[1], r[2]}) > 0 ? infinity : 0, h);
    return;
  }
  const Long across = length_of(nx, ny, {0, 0});
  const double inverse = across.high > least_length ? radius / across.high : 0;
  const double rim[2] = {nx.high * inverse, ny.high * inverse};
  const Long reach = across * radius, rise = nz * half;
  const double disc = 2 * reach.high;
  if constexpr (kind == Kind::cylinder) {
    set_symmetric<has_high>(center, reach + absolute(rise), {rim[0], rim[1], with_sign(half, nz)},
                            std::min(2 * std::abs(rise.high), disc), h);
    return;
  }
  // A cone: its apex or a point of the rim of its base.
  h.size += reach.high + std::abs(rise.high);
  const Long apex = center + rise, top = (center - rise) + reach, bottom = (center - rise) - reach;
  const bool is_apex_high = is_less(top, apex), is_apex_low = is_less(apex, bottom);
  h.high = is_apex_high ? apex : top;
  h.low = is_apex_low ? apex : bottom;
  h.high_behind = std::abs((apex - top).high);
  h.low_behind = std::abs((apex - bottom).high);
  if (!is_apex_high) h.high_behind = std::min(h.high_behind, disc);
  if (!is_apex_low) h.low_behind = std::min(h.low_behind, disc);
  for (int k = 0; k < 2; ++k) {
    h.high_at[k] = is_apex_high ? 0 : rim[k];
    h.low_at[k] = is_apex_low ? 0 : -rim[k];
  }
  h.high_at[2] = is_apex_high ? half : -half;
  h.low_at[2] = is_apex_low ? half : -half;
}

template <Kind kind>
WHISKER_INLINE void place(const QuickCore& core, const double (&at)[3], double (&placed)[3]) {
  for (int k = 0; k < 3; ++k) {
    if constexpr (kind == Kind::segment || kind == Kind::triangle) {
      placed[k] = at[k];
    } else if constexpr (kind == Kind::sphere) {
      placed[k] = core.translation[k];
    } else {
      placed[k] = core.translation[k] +
                  ((core.rotation[k] * at[0] + core.rotation[3 + k] * at[1]) + core.rotation[6 + k] * at[2]);
    }
  }
}

template <Kind kind>
WHISKER_INLINE double size_of(const QuickCore& core) {
  if constexpr (kind == Kind::ellipsoid) return std::max({core.half[0], core.half[1], core.half[2]});
  if constexpr (kind == Kind::box) return sum_of_sizes(core.half);
  return (kind == Kind::sphere ? 0 : core.half[0]) + core.radius;
}

template <Kind kind, bool is_plane>
void quick_flat_of(const QuickCore& core, const QuickFlat& flat, bool finds_depth, QuickAnswer& answer) {
  using State = QuickAnswer::State;
  answer.state = State::unknown;
  const Long squared = dot(flat.normal, flat.normal);
  if (!(squared.high > 0x1p-400 && squared.high < 0x1p400)) return;
  // Mostly the normal is a unit vector up to rounding. Then 1 - excess is the inverse of its length, up to 2^-97.
  const double excess = ((squared.high - 1) + squared.low) / 2;
  const bool is_unit = std::abs(excess) < 0x1p-49;
  Long steep{1, 0};
  double inverse = 1;
  if (!is_unit) {
    const double root = std::sqrt(squared.high);
    inverse = 1 / root;
    steep = joined(root, above_square(squared, root) * (0.5 * inverse));
  }
  const auto divided = [&](Long a) WHISKER_INLINE_LAMBDA {
    return is_unit ? joined(a.high, a.low - a.high * excess) : quotient(a, steep, inverse);
  };
  Heights h;
  find_heights<kind, is_plane>(core, flat, h);
  // The radius of spheres and capsules adds to their cores.
  constexpr bool is_round = kind == Kind::sphere || kind == Kind::capsule;
  const double radius = is_round ? core.radius : 0;
  const double size = h.size * inverse + radius;
  if (!(h.size > 0x1p-400 && size > 0x1p-300 && size < 0x1p300)) return;
  const double error = 0x1p-94 * size;
  const auto beyond = [&](Long height) WHISKER_INLINE_LAMBDA { return is_round ? height + Long{radius, 0} : height; };
  const Long low = -beyond(-divided(h.low));
  Long high = low;
  bool is_under = false;
  if constexpr (is_plane) {
    high = beyond(divided(h.high));
    is_under = is_less(low, -high);
  }
  const Long gap = is_under ? -high : low;
  // From the shape to the boundary, as if they were apart.
  const double side = is_under ? inverse : -inverse;
  double nearest[3];
  place<kind>(core, is_under ? h.high_at : h.low_at, nearest);
  for (int k = 0; k < 3; ++k) {
    answer.normal[k] = flat.normal[k] * side;
    if (is_round) nearest[k] += answer.normal[k] * radius;
  }
  const bool is_apart = gap.high > 0;
  const Long depth = is_apart ? gap : -gap;
  set_bounds(depth, error, error, answer);
  if (!(answer.lower > 0)) return;
  if (!is_apart && !finds_depth) {
    for (int k = 0; k < 3; ++k)
      answer.point_a[k] = nearest[k];
    if constexpr (is_plane) {
      // Where the plane cuts between the lowest and the highest point.
      double farthest[3];
      place<kind>(core, is_under ? h.low_at : h.high_at, farthest);
      const double part = depth.high / ((high - low).high);
      for (int k = 0; k < 3; ++k) {
        farthest[k] -= answer.normal[k] * radius;
        answer.point_a[k] += (farthest[k] - nearest[k]) * part;
      }
    }
    answer.state = State::overlapping;
    return;
  }
  for (int k = 0; k < 3; ++k) {
    answer.point_a[k] = nearest[k];
    answer.point_b[k] = nearest[k] + answer.normal[k] * gap.high;
  }
  bool is_alone = true;
  if constexpr (kind != Kind::sphere) {
    // A little more than the limits of queries::center_points.
    constexpr bool has_corners = kind == Kind::segment || kind == Kind::triangle;
    const double sizes = size_of<kind>(core), behind = (is_under ? h.high_behind : h.low_behind) * inverse;
    const double coordinates = sum_of_sizes(has_corners ? core.corners[0] : core.translation);
    const double within =
        2 * (0x1p-46 * sizes + 0x1p-47 * sizes + 0x1p-50 * (coordinates + sum_of_sizes(flat.origin) + sizes));
    is_alone = behind > within;
  }
  if (is_apart) {
    answer.state = is_alone ? State::alone : State::found;
  } else {
    answer.state = is_alone ? State::deep_alone : State::deep;
  }
}

template <bool is_plane>
WHISKER_INLINE void quick_flat_with(const QuickCore& core, const QuickFlat& flat, bool finds_depth,
                                    QuickAnswer& answer) {
  switch (core.kind) {
    case Kind::sphere:
      return quick_flat_of<Kind::sphere, is_plane>(core, flat, finds_depth, answer);
    case Kind::capsule:
      return quick_flat_of<Kind::capsule, is_plane>(core, flat, finds_depth, answer);
    case Kind::segment:
      return quick_flat_of<Kind::segment, is_plane>(core, flat, finds_depth, answer);
    case Kind::triangle:
      return quick_flat_of<Kind::triangle, is_plane>(core, flat, finds_depth, answer);
    case Kind::box:
      return quick_flat_of<Kind::box, is_plane>(core, flat, finds_depth, answer);
    case Kind::cylinder:
      return quick_flat_of<Kind::cylinder, is_plane>(core, flat, finds_depth, answer);
    case Kind::cone:
      return quick_flat_of<Kind::cone, is_plane>(core, flat, finds_depth, answer);
    case Kind::ellipsoid:
      return quick_flat_of<Kind::ellipsoid, is_plane>(core, flat, finds_depth, answer);
  }
}

void quick_flat(const QuickCore& core, const QuickFlat& flat, bool finds_depth, QuickAnswer& answer) {
  if (flat.is_plane) return quick_flat_with<true>(core, flat, finds_depth, answer);
  quick_flat_with<false>(core, flat, finds_depth, answer);
}

}  // namespace whisker::convex::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whisker::convex {

HWY_EXPORT(quick_flat);

void run_quick_flat(const QuickCore& a, const QuickFlat& b, bool finds_depth, QuickAnswer& answer) {
  HWY_DYNAMIC_DISPATCH(quick_flat)(a, b, finds_depth, answer);
}

}  // namespace whisker::convex
#endif
