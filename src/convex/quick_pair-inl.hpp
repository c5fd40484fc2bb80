// The distance of two simple cores near one pair of their points, with an error bound.
//
// A core is an origin and up to three ways along which its points lie: a segment has one, a triangle two, a box three.
// The squared distance of two cores is a convex quadratic function of the coordinates along all ways. Its value at one
// pair of points is an upper bound. A lower bound follows from its slopes there: a coordinate at a limit from which the
// function rises loses nothing, and up to two coordinates that are free lose only what the slope that rounding has left
// in them can gain against the curvature. So the bounds of the pair that is closest up to rounding differ by a few
// roundings of the distance, and not of the coordinates.
//
// The vector between the two points is computed as a sum of doubles and of their rounding errors; with fused
// multiplication and addition, the error of a product costs one instruction. All else is done in double. All
// instruction sets give the same bits.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "convex/quick_cores.hpp"
#include "geometry/constants.hpp"

#if defined(WHISKER_QUICK_PAIR_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHISKER_QUICK_PAIR_INL
#undef WHISKER_QUICK_PAIR_INL
#else
#define WHISKER_QUICK_PAIR_INL
#endif

#include <hwy/highway.h>

#include "convex/sharp-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::convex::HWY_NAMESPACE {

/// A core and one of its points.
template <std::size_t count, bool tails>
struct Spot {
  static constexpr std::size_t ways = count;
  static constexpr bool has_tails = tails;
  static constexpr std::size_t room = count == 0 ? 1 : count;

  Row origin;
  Row way[room];
  Row tail[tails ? room : 1];     // the rounding error of the way, if it has one
  double at[room];                // the point is origin + Σ at (way + tail) exactly
  double begin[room], end[room];  // the limits of `at`
  double inward[room];            // +1 or -1 if the point can move along the way only so, 0 if in both directions
  double radius;
  double size;  // the core and its radius are within this distance of the frame's origin, or about so
};
using PointSpot = Spot<0, false>;
using AxisSpot = Spot<1, false>;  // of a capsule
using SegmentSpot = Spot<1, true>;
using TriangleSpot = Spot<2, true>;
using BoxSpot = Spot<3, false>;

template <std::size_t count, bool tails>
WHISKER_INLINE void set_limits(Spot<count, tails>& spot, std::size_t i, double begin, double end) {
  spot.begin[i] = begin;
  spot.end[i] = end;
  spot.inward[i] = spot.at[i] == begin ? 1.0 : spot.at[i] == end ? -1.0 : 0.0;
}

/// Adds a multiple of a way.
template <bool has_tail>
WHISKER_INLINE void add(LongRow& sum, double at, const Row& way, const Row& tail) {
  const Row product = way * at;
  const LongRow next = exact_sum(sum.high, product);
  sum.high = next.high;
  sum.low = sum.low + (next.low + rounding_error(way, at, product));
  if constexpr (has_tail) sum.low = sum.low + tail * at;
}

/// The gap between two spots.
struct Gap {
  LongRow between;
  double reach;    // the sum of the sizes of all terms of `between`
  double length;   // of `between`, up to four half-ulps
  double inverse;  // 1 / length
  double loss;     // the distance of the cores is at least length (1 - 2^-51) - loss
  /// How far at least the other vertices of each core are behind the spot, seen along `between`; with free ways, those
  /// that are not reached along these.
  double behind_a, behind_b;
  unsigned free_a, free_b;  // the number of free ways
  bool is_crossing;         // there are two free ways, at an angle of more than about 2^-10
};

/// Returns false if the distance is not known this way: the spots are too close together for their coordinates, or the
/// numbers are too large or too small. Moves the spots along free ways if they are seen not to be the closest points.
template <class A, class B>
WHISKER_INLINE bool find_gap(A& a, B& b, Gap& gap) {
  constexpr std::size_t na = A::ways, nb = B::ways, count = na + nb;
  constexpr std::size_t room = count == 0 ? 1 : count;
  LongRow& r = gap.between;
  r = exact_difference(b.origin, a.origin);
  double reach = size_of(r.high);
  // The ways of both, as the vector between the spots changes with the coordinates.
  Row way[room];
  double size[room], slope[room], error[room];
  for (std::size_t i = 0; i < nb; ++i) {
    add<B::has_tails>(r, b.at[i], b.way[i], b.tail[B::has_tails ? i : 0]);
    way[i] = b.way[i];
    size[i] = size_of(b.way[i]);
    reach += std::abs(b.at[i]) * size[i];
  }
  for (std::size_t i = 0; i < na; ++i) {
    add<A::has_tails>(r, -a.at[i], a.way[i], a.tail[A::has_tails ? i : 0]);
    way[nb + i] = -a.way[i];
    size[nb + i] = size_of(a.way[i]);
    reach += std::abs(a.at[i]) * size[nb + i];
  }
  gap.reach = reach;
  const auto inward = [&](std::size_t i) WHISKER_INLINE_LAMBDA { return i < nb ? b.inward[i] : a.inward[i - nb]; };
  const auto range = [&](std::size_t i) WHISKER_INLINE_LAMBDA {
    return i < nb ? b.end[i] - b.begin[i] : a.end[i - nb] - a.begin[i - nb];
  };
  const auto has_tails = [](std::size_t i) WHISKER_INLINE_LAMBDA { return i < nb ? B::has_tails : A::has_tails; };
  // Returns false if that would leave the core.
  const auto move = [&](std::size_t i, double by) WHISKER_INLINE_LAMBDA {
    double& at = i < nb ? b.at[i] : a.at[i - nb];
    const double begin = i < nb ? b.begin[i] : a.begin[i - nb], end = i < nb ? b.end[i] : a.end[i - nb];
    at += by;
    add<false>(r, by, way[i], way[i]);
    if constexpr (B::has_tails) {
      if (i < nb) r.low = r.low + b.tail[i] * by;
    }
    if constexpr (A::has_tails) {
      if (i >= nb) r.low = r.low - a.tail[i - nb] * by;
    }
    return at > begin && at < end && std::abs(by) < 0x1p-4 * (end - begin);
  };
  gap.free_a = gap.free_b = 0;
  std::size_t free[2] = {0, 0};
  unsigned free_count = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (inward(i) != 0) continue;
    if (free_count < 2) free[free_count] = i;
    ++free_count;
    ++(i < nb ? gap.free_b : gap.free_a);
  }
  for (bool is_moved = false;; is_moved = true) {
    const Row rounded = r.high + r.low;
    r.low = r.low - (rounded - r.high);
    r.high = rounded;
    // The sum of at most nine terms is off by less than 2^-97 of their sizes: here much less than an ulp.
    const double length = std::sqrt(dot(r.high, r.high));
    gap.length = length;
    gap.inverse = 1 / length;
    if (!(length > 0x1p-40 * reach && length > 0x1p-300 && reach < 0x1p300)) return false;
    for (std::size_t i = 0; i < count; ++i) {
      slope[i] = dot(r.high, way[i]);
      error[i] = 8 * unit_roundoff * length * size[i];
    }
    const auto steepness = [&](std::size_t i) WHISKER_INLINE_LAMBDA { return std::abs(slope[i]) + error[i]; };
    const auto is_rough = [&](std::size_t i) WHISKER_INLINE_LAMBDA { return std::abs(slope[i]) > 2 * error[i]; };
    double loss = 0;  // of half the squared distance
    double tilt = 0;  // a bound on how the free coordinates change with the others, per length
    bool has_curvature = free_count <= 2;
    gap.is_crossing = false;
    if (count >= 1 && free_count == 1) {
      const double square = dot(way[free[0]], way[free[0]]);
      if (!(square > 0x1p-600)) return false;
      if (!is_moved && is_rough(free[0])) {
        if (!move(free[0], -slope[free[0]] / square)) return false;
        continue;
      }
      // A way that is an axis of a pose is a unit vector within 1e-9.
      tilt = steepness(free[0]) * (1 + 0x1p-20);
      if (has_tails(free[0])) tilt /= std::sqrt(square);
      loss = tilt * tilt / 2;
    } else if (count >= 2 && free_count == 2) {
      const std::size_t i = free[0], j = free[1];
      const double pp = dot(way[i], way[i]), pq = dot(way[i], way[j]), qq = dot(way[j], way[j]);
      const double determinant = pp * qq - pq * pq;
      gap.is_crossing = determinant > 0x1p-20 * (pp * qq);
      has_curvature = gap.is_crossing;
      if (has_curvature) {
        if (!(determinant > 0x1p-800 && pp < 0x1p400 && qq < 0x1p400)) return false;
        if (!is_moved && (is_rough(i) || is_rough(j))) {
          const double by_i = (pq * slope[j] - qq * slope[i]) / determinant,
                       by_j = (pq * slope[i] - pp * slope[j]) / determinant;
          if (!move(i, by_i) || !move(j, by_j)) return false;
          continue;
        }
        // The least eigenvalue of the curvature is at least determinant / trace.
        tilt = (steepness(i) + steepness(j)) * std::sqrt((pp + qq) / determinant) * (1 + 0x1p-20);
        loss = tilt * tilt / 2;
      }
    }
    if (!has_curvature) {
      for (std::size_t i = 0; i < count; ++i)
        if (inward(i) == 0) loss += steepness(i) * range(i);
    }
    gap.behind_a = gap.behind_b = infinity;
    for (std::size_t i = 0; i < count; ++i) {
      if (inward(i) == 0 || range(i) == 0) continue;
      const double rise = inward(i) * slope[i] - error[i] - tilt * size[i];
      if (rise < 0) loss -= rise * range(i);
      double& behind = i < nb ? gap.behind_b : gap.behind_a;
      behind = std::min(behind, rise * range(i));
    }
    // From half the square to the distance: √(l² - 2 loss) >= l - 2 loss / l.
    gap.loss = 2 * loss * gap.inverse * (1 + 0x1p-20);
    gap.behind_a *= gap.inverse;
    gap.behind_b *= gap.inverse;
    return true;
  }
}

/// How much longer the gap is than two radii together.
WHISKER_INLINE Exact2 sharp_beyond(const Gap& gap, double radius_a, double radius_b) {
  const Exact2 sharp = sharp_length(gap.between, gap.length, gap.inverse), radii = exact_sum(radius_a, radius_b);
  const Exact2 beyond = exact_sum(sharp.high, -radii.high);
  return exact_sum(beyond.high, beyond.low + (sharp.low - radii.low));
}

/// Bounds of a positive sum of two doubles that is off by at most these errors, rounded outward. Not positive if it may
/// be zero.
WHISKER_INLINE void set_bounds(const Exact2& value, double error_below, double error_above, QuickAnswer& answer) {
  const Exact2 least = exact_sum(value.high, value.low - error_below),
               most = exact_sum(value.high, value.low + error_above);
  answer.lower = least.high;
  answer.upper = most.high;
  if (!(least.high > 0)) return;
  if (least.low < 0) answer.lower = std::bit_cast<double>(std::bit_cast<std::uint64_t>(least.high) - 1);
  if (most.low > 0) answer.upper = std::bit_cast<double>(std::bit_cast<std::uint64_t>(most.high) + 1);
}

/// Whether the two spots are the only closest points. The limits are a little more than those of
/// queries::center_points.
template <class A, class B>
WHISKER_INLINE bool are_alone(const A& a, const B& b, const Gap& gap, double lower, double upper) {
  if (A::ways == 0 || B::ways == 0) return true;
  const double sizes = a.size + b.size, coordinates = size_of(a.origin) + size_of(b.origin) + sizes;
  // All times `lower`.
  const double within =
      2 * ((0x1p-46 * sizes + 0x1p-47 * sizes + 0x1p-50 * coordinates) * lower + 0x1p-47 * sizes * (sizes + upper));
  const bool a_alone = gap.behind_a * lower > within, b_alone = gap.behind_b * lower > within;
  return (gap.free_a == 0 && a_alone) || (gap.free_b == 0 && b_alone) ||
         (gap.free_a == 1 && gap.free_b == 1 && gap.is_crossing && a_alone && b_alone);
}

template <std::size_t count, bool tails>
WHISKER_INLINE Row point_of(const Spot<count, tails>& spot) {
  Row p = spot.origin;
  if constexpr (count > 0) {
    Row arm = spot.way[0] * spot.at[0];
    for (std::size_t i = 1; i < count; ++i)
      arm = arm + spot.way[i] * spot.at[i];
    p = p + arm;
  }
  return p;
}

/// What the gap of the cores and their radii tell.
template <class A, class B>
WHISKER_INLINE void settle(const A& a, const B& b, const Gap& gap, bool finds_depth, QuickAnswer& answer) {
  using State = QuickAnswer::State;
  constexpr double u = unit_roundoff;
  constexpr double most_width = 0x1p-48;  // of the bounds, as a fraction of the distance
  const double radii = a.radius + b.radius, length = gap.length;
  const double farthest = length * (1 + 4 * u), nearest = length * (1 - 4 * u) - gap.loss;
  // For the products, sums and differences here, where the cores are farther apart than the radii: that of the loss,
  // and two and a half units of the length less one of the radii for the others.
  const double slack = 2.53 * u * farthest + std::min(1.01 * u * farthest, gap.loss);
  double lower = nearest - radii - slack, upper = farthest - radii + slack;
  answer.state = State::unknown;
  const Row normal = gap.between.high * gap.inverse;
  const auto set_points = [&]() WHISKER_INLINE_LAMBDA {
    store(normal, answer.normal);
    store(point_of(a) + normal * a.radius, answer.point_a);
    store(point_of(b) - normal * b.radius, answer.point_b);
  };
  if (finds_depth && upper < 0 && radii < 0x1p300) {
    // While the cores are apart, the depth is what the radii leave of their gap.
    const Exact2 gap_beyond = sharp_beyond(gap, a.radius, b.radius);
    const double error = 0x1p-95 * (gap.reach + radii);
    set_bounds({-gap_beyond.high, -gap_beyond.low}, error, error + gap.loss, answer);
    // The rounding to doubles is then all of the width, or nearly so.
    const bool is_tight = gap.loss <= 0.25 * u * (length + radii);
    if (!(nearest > 0 && answer.lower > 0 && is_tight)) return;
    set_points();
    answer.state = are_alone(a, b, gap, length, length) ? State::deep_alone : State::deep;
    return;
  }
  if (farthest * (1 + 4 * u) < radii * (1 - 4 * u)) {
    // A common point lies between the cores, in proportion to the radii.
    store(point_of(a) + gap.between.high * (a.radius / radii), answer.point_a);
    answer.state = State::overlapping;
    return;
  }
  // Two spheres are always measured sharply: that costs less than a wrong guess of whether it is needed.
  constexpr bool are_points = A::ways == 0 && B::ways == 0;
  if (are_points || !(lower > 0 && upper - lower <= most_width * lower)) {
    if (!((are_points || radii > 0.5 * length) && radii < 0x1p300)) return;
    const double error = 0x1p-95 * (gap.reach + radii);
    set_bounds(sharp_beyond(gap, a.radius, b.radius), error + gap.loss, error, answer);
    lower = answer.lower;
    upper = answer.upper;
    if (!(lower > 0 && upper - lower <= most_width * lower)) return;
  }
  answer.lower = lower;
  answer.upper = upper;
  set_points();
  answer.state = are_alone(a, b, gap, lower, upper) ? State::alone : State::found;
}

}  // namespace whisker::convex::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
