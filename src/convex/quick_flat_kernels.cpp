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

/// A shape over the boundary, with all heights still to be divided by the length of the normal.
struct Heights {
  Long low, high;                  // of its lowest and highest points, without a sphere's or capsule's radius
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

WHISKER_INLINE void find_corner_heights(const QuickCore& core, int count, const QuickFlat& flat, Heights& h) {
  int lowest = 0, highest = 0;
  double heights[3];
  for (int i = 0; i < count; ++i) {
    const Long height = height_of(core.corners[i], flat, h.size);
    heights[i] = height.high;
    if (i == 0 || is_less(height, h.low)) {
      h.low = height;
      lowest = i;
    }
    if (i == 0 || is_less(h.high, height)) {
      h.high = height;
      highest = i;
    }
  }
  h.low_behind = h.high_behind = infinity;
  for (int i = 0; i < count; ++i) {
    if (i != lowest) h.low_behind = std::min(h.low_behind, heights[i] - heights[lowest]);
    if (i != highest) h.high_behind = std::min(h.high_behind, heights[highest] - heights[i]);
  }
  for (int k = 0; k < 3; ++k) {
    h.low_at[k] = core.corners[lowest][k];
    h.high_at[k] = core.corners[highest][k];
  }
}

/// For shapes that are symmetric about their center: the extent along the normal, and the highest point.
WHISKER_INLINE void set_symmetric(Long center, Long extent, const double (&top)[3], double behind, Heights& h) {
  h.low = center - extent;
  h.high = center + extent;
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

WHISKER_INLINE void find_heights(const QuickCore& core, const QuickFlat& flat, Heights& h) {
  h.size = 0;
  if (core.kind == Kind::segment || core.kind == Kind::triangle)
    return find_corner_heights(core, core.kind == Kind::segment ? 2 : 3, flat, h);
  const Long center = height_of(core.translation, flat, h.size);
  if (core.kind == Kind::sphere) return set_symmetric(center, {0, 0}, {0, 0, 0}, infinity, h);
  const Long nz = dot(flat.normal, core.rotation + 6);
  const double half = core.half[0], radius = core.radius;
  if (core.kind == Kind::capsule) {
    const Long rise = absolute(nz) * half;
    return set_symmetric(center, rise, {0, 0, with_sign(half, nz)}, half > 0 ? 2 * rise.high : infinity, h);
  }
  const Long nx = dot(flat.normal, core.rotation), ny = dot(flat.normal, core.rotation + 3);
  if (core.kind == Kind::box) {
    const Long extent = (absolute(nx) * core.half[0] + absolute(ny) * core.half[1]) + absolute(nz) * core.half[2];
    const double behind = 2 * std::min({core.half[0] > 0 ? std::abs(nx.high) * core.half[0] : infinity,
                                        core.half[1] > 0 ? std::abs(ny.high) * core.half[1] : infinity,
                                        core.half[2] > 0 ? std::abs(nz.high) * core.half[2] : infinity});
    const double top[3] = {with_sign(core.half[0], nx), with_sign(core.half[1], ny), with_sign(core.half[2], nz)};
    return set_symmetric(center, extent, top, behind, h);
  }
  if (core.kind == Kind::ellipsoid) {
    const double* r = core.half;
    const Long extent = length_of(nx * r[0], ny * r[1], nz * r[2]);
    const double inverse = extent.high > least_length ? 1 / extent.high : 0;
    const double top[3] = {r[0] * (r[0] * nx.high * inverse), r[1] * (r[1] * ny.high * inverse),
                           r[2] * (r[2] * nz.high * inverse)};
    return set_symmetric(center, extent, top, std::min({r[0], r[1], r[2]}) > 0 ? infinity : 0, h);
  }
  const Long across = length_of(nx, ny, {0, 0});
  const double inverse = across.high > least_length ? radius / across.high : 0;
  const double rim[2] = {nx.high * inverse, ny.high * inverse};
  const Long reach = across * radius, rise = nz * half;
  const double disc = 2 * reach.high;
  if (core.kind == Kind::cylinder) {
    return set_symmetric(center, reach + absolute(rise), {rim[0], rim[1], with_sign(half, nz)},
                         std::min(2 * std::abs(rise.high), disc), h);
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

WHISKER_INLINE void place(const QuickCore& core, const double (&at)[3], double (&placed)[3]) {
  const bool is_placed = core.kind == Kind::segment || core.kind == Kind::triangle;
  for (int k = 0; k < 3; ++k) {
    placed[k] = at[k];
    if (is_placed) continue;
    placed[k] = core.translation[k];
    if (core.kind != Kind::sphere)
      placed[k] += (core.rotation[k] * at[0] + core.rotation[3 + k] * at[1]) + core.rotation[6 + k] * at[2];
  }
}

/// The radius of spheres and capsules, which adds to their cores.
WHISKER_INLINE double radius_around(const QuickCore& core) {
  return core.kind == Kind::cylinder || core.kind == Kind::cone ? 0 : core.radius;
}

WHISKER_INLINE double size_of(const QuickCore& core) {
  if (core.kind == Kind::ellipsoid) return std::max({core.half[0], core.half[1], core.half[2]});
  if (core.kind == Kind::box) return sum_of_sizes(core.half);
  return (core.kind == Kind::sphere ? 0 : core.half[0]) + core.radius;
}

void quick_flat(const QuickCore& core, const QuickFlat& flat, bool finds_depth, QuickAnswer& answer) {
  using State = QuickAnswer::State;
  answer.state = State::unknown;
  const Long squared = dot(flat.normal, flat.normal);
  if (!(squared.high > 0x1p-400 && squared.high < 0x1p400)) return;
  // Mostly the normal is a unit vector up to rounding. Then 1 - excess is the inverse of its length, up to 2^-97.
  const double excess = ((squared.high - 1) + squared.low) / 2;
  const bool is_unit = std::abs(excess) < 0x1p-49;
  const Long steep = is_unit ? Long{1, 0} : root_of(squared);
  const auto divided = [&](Long a) WHISKER_INLINE_LAMBDA {
    return is_unit ? joined(a.high, a.low - a.high * excess) : a / steep;
  };
  Heights h;
  find_heights(core, flat, h);
  const double inverse = is_unit ? 1 : 1 / steep.high, radius = radius_around(core), size = h.size * inverse + radius;
  if (!(h.size > 0x1p-400 && size > 0x1p-300 && size < 0x1p300)) return;
  const double error = 0x1p-94 * size;
  const Long low = divided(h.low) - Long{radius, 0}, high = divided(h.high) + Long{radius, 0};
  const bool is_under = flat.is_plane && is_less(low, -high);
  const Long gap = is_under ? -high : low;
  // From the shape to the boundary, as if they were apart.
  const double side = is_under ? inverse : -inverse;
  double nearest[3];
  place(core, is_under ? h.high_at : h.low_at, nearest);
  for (int k = 0; k < 3; ++k) {
    answer.normal[k] = flat.normal[k] * side;
    nearest[k] += answer.normal[k] * radius;
  }
  const bool is_apart = gap.high > 0;
  const Long depth = is_apart ? gap : -gap;
  set_bounds(depth, error, error, answer);
  if (!(answer.lower > 0)) return;
  if (!is_apart && !finds_depth) {
    for (int k = 0; k < 3; ++k)
      answer.point_a[k] = nearest[k];
    if (flat.is_plane) {
      // Where the plane cuts between the lowest and the highest point.
      double farthest[3];
      place(core, is_under ? h.low_at : h.high_at, farthest);
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
  // A little more than the limits of queries::center_points.
  if (core.kind == Kind::sphere) {
    answer.state = is_apart ? State::alone : State::deep_alone;
    return;
  }
  const double sizes = size_of(core), behind = (is_under ? h.high_behind : h.low_behind) * inverse;
  const double coordinates = core.kind == Kind::segment || core.kind == Kind::triangle ? sum_of_sizes(core.corners[0])
                                                                                       : sum_of_sizes(core.translation);
  const double within =
      2 * (0x1p-46 * sizes + 0x1p-47 * sizes + 0x1p-50 * (coordinates + sum_of_sizes(flat.origin) + sizes));
  const bool is_alone = behind > within;
  if (is_apart) {
    answer.state = is_alone ? State::alone : State::found;
  } else {
    answer.state = is_alone ? State::deep_alone : State::deep;
  }
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
