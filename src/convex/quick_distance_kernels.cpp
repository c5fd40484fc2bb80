// Quick distances, compiled once per instruction set.

#include "convex/quick_cores.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "convex/quick_distance_kernels.cpp"
#include <hwy/foreach_target.h>
// Must follow foreach_target.h:
#include <hwy/highway.h>

#include "convex/quick_pair-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::convex::HWY_NAMESPACE {

using Kind = QuickCore::Kind;

WHISKER_INLINE void prepare(const QuickCore& core, PointSpot& spot) {
  spot.origin = load_row(core.translation);
  spot.radius = spot.size = core.radius;
}
WHISKER_INLINE void prepare(const QuickCore& core, AxisSpot& spot) {
  spot.origin = load_row(core.translation);
  spot.way[0] = load_row(core.rotation + 6);
  spot.radius = core.radius;
  spot.size = core.half[0] + core.radius;
}
WHISKER_INLINE void set_way(const double* from, const double* to, Row& way, Row& tail) {
  const LongRow between = exact_difference(load_row(to), load_row(from));
  way = between.high;
  tail = between.low;
}
WHISKER_INLINE void prepare(const QuickCore& core, SegmentSpot& spot) {
  spot.origin = load_row(core.corners[0]);
  set_way(core.corners[0], core.corners[1], spot.way[0], spot.tail[0]);
  spot.radius = core.radius;
  spot.size = core.half[0];
}
WHISKER_INLINE void prepare(const QuickCore& core, TriangleSpot& spot) {
  spot.radius = core.radius;
  spot.size = core.half[0];
}
WHISKER_INLINE void prepare(const QuickCore& core, BoxSpot& spot) {
  spot.origin = load_row(core.translation);
  for (std::size_t i = 0; i < 3; ++i)
    spot.way[i] = load_row(core.rotation + 3 * i);
  spot.radius = 0;
  spot.size = core.half[0] + core.half[1] + core.half[2];
}

/// The limits of the coordinate of a capsule or segment.
WHISKER_INLINE double begin_of(const QuickCore& core, const AxisSpot&) {
  return -core.half[0];
}
WHISKER_INLINE double end_of(const QuickCore& core, const AxisSpot&) {
  return core.half[0];
}
WHISKER_INLINE double begin_of(const QuickCore&, const SegmentSpot&) {
  return 0;
}
WHISKER_INLINE double end_of(const QuickCore&, const SegmentSpot&) {
  return 1;
}

/// The inverse of a way's squared length. The axis of a capsule is a unit vector within 1e-9.
WHISKER_INLINE double inverse_square(const AxisSpot&, double square) {
  return 2 - square;
}
WHISKER_INLINE double inverse_square(const SegmentSpot&, double square) {
  return square > 0 ? 1 / square : 0;
}

/// As std::clamp for numbers, without branches.
WHISKER_INLINE double clamped(double x, double least, double most) {
  return std::max(least, std::min(x, most));
}

template <class Line>
WHISKER_INLINE void put(const QuickCore& core, Line& line, double at) {
  line.at[0] = at;
  set_limits(line, 0, begin_of(core, line), end_of(core, line));
}
/// What search_closest has found.
WHISKER_INLINE void put_found(const QuickCore&, PointSpot&, const double*) {}
template <bool tails>
WHISKER_INLINE void put_found(const QuickCore& core, Spot<1, tails>& line, const double* found) {
  const double begin = begin_of(core, line), end = end_of(core, line), s = found[0];
  put(core, line, s == 0 ? begin : s == 1 ? end : std::clamp(begin + s * (end - begin), begin, end));
}
/// The corner with the largest weight becomes the origin, so that the point is clearly on its side of the opposite
/// edge.
WHISKER_INLINE void put_found(const QuickCore& core, TriangleSpot& spot, const double* found) {
  const std::size_t first = found[0] >= found[1] ? (found[0] >= found[2] ? 0 : 2) : (found[1] >= found[2] ? 1 : 2);
  spot.origin = load_row(core.corners[first]);
  for (std::size_t i = 0; i < 2; ++i) {
    const std::size_t corner = (first + 1 + i) % 3;
    set_way(core.corners[first], core.corners[corner], spot.way[i], spot.tail[i]);
    spot.at[i] = found[corner];
    spot.inward[i] = found[corner] > 0 ? 0 : 1;
    spot.begin[i] = 0;
    spot.end[i] = 1;
  }
  if (!(spot.at[0] + spot.at[1] <= 0.75)) spot.at[0] = std::numeric_limits<double>::quiet_NaN();
}
WHISKER_INLINE void put_found(const QuickCore& core, BoxSpot& spot, const double* found) {
  for (std::size_t i = 0; i < 3; ++i) {
    spot.at[i] = std::clamp(found[i], -core.half[i], core.half[i]);
    set_limits(spot, i, -core.half[i], core.half[i]);
  }
}

WHISKER_INLINE void find_closest(const QuickCore&, PointSpot&, const QuickCore&, PointSpot&) {}
template <bool tails>
WHISKER_INLINE void find_closest(const QuickCore&, PointSpot& a, const QuickCore& core, Spot<1, tails>& b) {
  const double begin = begin_of(core, b), end = end_of(core, b), square = dot(b.way[0], b.way[0]);
  const double at = dot(a.origin - b.origin, b.way[0]) * inverse_square(b, square);
  put(core, b, square > 0 ? clamped(at, begin, end) : begin);
}
template <bool tails_a, bool tails_b>
WHISKER_INLINE void find_closest(const QuickCore& core_a, Spot<1, tails_a>& a, const QuickCore& core_b,
                                 Spot<1, tails_b>& b) {
  const double begin_a = begin_of(core_a, a), end_a = end_of(core_a, a), begin_b = begin_of(core_b, b),
               end_b = end_of(core_b, b);
  const Row between = b.origin - a.origin;
  const double aa = dot(a.way[0], a.way[0]), ab = dot(a.way[0], b.way[0]), bb = dot(b.way[0], b.way[0]);
  const double to_b = dot(a.way[0], between), to_a = -dot(b.way[0], between);
  const double inverse_a = inverse_square(a, aa), inverse_b = inverse_square(b, bb), determinant = aa * bb - ab * ab;
  const double both = determinant > 0x1p-40 * (aa * bb) ? (to_b * bb + to_a * ab) / determinant : to_b * inverse_a;
  const double first = clamped(both, begin_a, end_a);
  const double t = clamped((to_a + ab * first) * inverse_b, begin_b, end_b);
  put(core_a, a, clamped((to_b + ab * t) * inverse_a, begin_a, end_a));
  put(core_b, b, t);
}
WHISKER_INLINE void find_closest(const QuickCore&, PointSpot& a, const QuickCore& core, BoxSpot& b) {
  const Row between = a.origin - b.origin;
  for (std::size_t i = 0; i < 3; ++i) {
    b.at[i] = clamped(dot(between, b.way[i]), -core.half[i], core.half[i]);
    set_limits(b, i, -core.half[i], core.half[i]);
  }
}
template <class A, class B>
WHISKER_INLINE void find_closest(const QuickCore& core_a, A& a, const QuickCore& core_b, B& b) {
  double at_a[3], at_b[3];
  search_closest(core_a, core_b, at_a, at_b);
  put_found(core_a, a, at_a);
  put_found(core_b, b, at_b);
}

// The point of a core that is closest to a point, or nearly so.
template <bool tails>
WHISKER_INLINE void project(const QuickCore& core, Spot<1, tails>& line, const Row& p) {
  const double at = dot(p - line.origin, line.way[0]) * inverse_square(line, dot(line.way[0], line.way[0]));
  line.at[0] = clamped(at, begin_of(core, line), end_of(core, line));
}
WHISKER_INLINE void project(const QuickCore& core, BoxSpot& box, const Row& p) {
  for (std::size_t i = 0; i < 3; ++i)
    box.at[i] = clamped(dot(p - box.origin, box.way[i]), -core.half[i], core.half[i]);
}

template <bool tails>
WHISKER_INLINE void limit(const QuickCore& core, Spot<1, tails>& line) {
  set_limits(line, 0, begin_of(core, line), end_of(core, line));
}
WHISKER_INLINE void limit(const QuickCore& core, BoxSpot& box) {
  for (std::size_t i = 0; i < 3; ++i)
    set_limits(box, i, -core.half[i], core.half[i]);
}

/// Points of a line or box and of a box, projected onto each other in turn (J. von Neumann 1933, for convex sets
/// W. Cheney and A. Goldstein 1959). Mostly these soon lie on the features that are closest; where on them, find_gap
/// computes.
template <class A>
WHISKER_INLINE void project_in_turn(const QuickCore& core_a, A& a, const QuickCore& core_b, BoxSpot& b) {
  constexpr int rounds = 9;
  Row target = b.origin, last_step = zero_row();
  for (int i = 0; i < rounds; ++i) {
    project(core_a, a, target);
    project(core_b, b, point_of(a));
    const Row found = point_of(b), step = found - target;
    target = found;
    // On two edges the steps become shorter by the same factor each time, so their sum is known (A. Aitken 1926).
    if (i % 3 == 2) {
      if (dot(step, step) <= 0x1p-80 * (b.size * b.size)) break;
      const double factor = dot(step, last_step) / dot(last_step, last_step);
      if (factor > 0 && factor < 0.999) target = target + step * (factor / (1 - factor));
    }
    last_step = step;
  }
  project(core_a, a, target);
  project(core_b, b, point_of(a));
  limit(core_a, a);
  limit(core_b, b);
}

template <class A, class B>
void quick_pair(const QuickCore& core_a, const QuickCore& core_b, bool finds_depth, QuickAnswer& answer) {
  A a;
  B b;
  prepare(core_a, a);
  prepare(core_b, b);
  const auto is_settled = [&]() WHISKER_INLINE_LAMBDA {
    Gap gap;
    answer.state = QuickAnswer::State::unknown;
    if (find_gap(a, b, gap)) settle(a, b, gap, finds_depth, answer);
    return answer.state != QuickAnswer::State::unknown;
  };
  bool needs_search = true;
  if constexpr ((A::ways == 1 || A::ways == 3) && B::ways == 3) {
    project_in_turn(core_a, a, core_b, b);
    const Row at_a = point_of(a);
    needs_search = size_of(point_of(b) - at_a) > 0x1p-48 * size_of(at_a);
    if (needs_search && is_settled()) return;
  }
  if (needs_search) {
    find_closest(core_a, a, core_b, b);
    if (is_settled()) return;
  }
  answer.state = QuickAnswer::State::unknown;
  store(point_of(a), answer.point_a);
  store(point_of(b), answer.point_b);
}

void quick_spheres(const double* center_a, double radius_a, const double* center_b, double radius_b, bool finds_depth,
                   QuickAnswer& answer) {
  PointSpot a, b;
  a.origin = load_row(center_a);
  a.radius = a.size = radius_a;
  b.origin = load_row(center_b);
  b.radius = b.size = radius_b;
  Gap gap;
  answer.state = QuickAnswer::State::unknown;
  if (find_gap(a, b, gap)) settle(a, b, gap, finds_depth, answer);
  if (answer.state == QuickAnswer::State::overlapping) {
    const Row common = a.origin * radius_b + b.origin * radius_a;
    store(common * (1 / (radius_a + radius_b)), answer.point_a);
  }
}

template <class A>
void quick_after(const QuickCore& a, const QuickCore& b, bool finds_depth, QuickAnswer& answer) {
  switch (b.kind) {
    case Kind::sphere:
      if constexpr (A::ways == 0) quick_pair<A, PointSpot>(a, b, finds_depth, answer);
      return;
    case Kind::capsule:
      if constexpr (A::ways <= 1 && !A::has_tails) quick_pair<A, AxisSpot>(a, b, finds_depth, answer);
      return;
    case Kind::segment:
      if constexpr (A::ways <= 1) quick_pair<A, SegmentSpot>(a, b, finds_depth, answer);
      return;
    case Kind::triangle:
      if constexpr (A::ways <= 2) quick_pair<A, TriangleSpot>(a, b, finds_depth, answer);
      return;
    case Kind::box:
      return quick_pair<A, BoxSpot>(a, b, finds_depth, answer);
    default:
      return;
  }
}

void quick(const QuickCore& a, const QuickCore& b, bool finds_depth, QuickAnswer& answer) {
  switch (a.kind) {
    case Kind::sphere:
      return quick_after<PointSpot>(a, b, finds_depth, answer);
    case Kind::capsule:
      return quick_after<AxisSpot>(a, b, finds_depth, answer);
    case Kind::segment:
      return quick_after<SegmentSpot>(a, b, finds_depth, answer);
    case Kind::triangle:
      return quick_after<TriangleSpot>(a, b, finds_depth, answer);
    case Kind::box:
      return quick_after<BoxSpot>(a, b, finds_depth, answer);
    default:
      return;
  }
}

}  // namespace whisker::convex::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whisker::convex {

HWY_EXPORT(quick);
HWY_EXPORT(quick_spheres);

void run_quick(const QuickCore& a, const QuickCore& b, bool finds_depth, QuickAnswer& answer) {
  HWY_DYNAMIC_DISPATCH(quick)(a, b, finds_depth, answer);
}

void run_quick_spheres(const double* center_a, double radius_a, const double* center_b, double radius_b,
                       bool finds_depth, QuickAnswer& answer) {
  HWY_DYNAMIC_DISPATCH(quick_spheres)(center_a, radius_a, center_b, radius_b, finds_depth, answer);
}

}  // namespace whisker::convex
#endif
