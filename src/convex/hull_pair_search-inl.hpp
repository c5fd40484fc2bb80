// GJK on two hulls, from their supports to the corners that carry the nearest points: GjkLoop, with the same order of
// operations. Compiled once per instruction set: included from hull_pair_kernels.cpp.

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "convex/convex_contact.hpp"
#include "convex/convex_frame.hpp"

#if defined(WHISKER_HULL_PAIR_SEARCH_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHISKER_HULL_PAIR_SEARCH_INL
#undef WHISKER_HULL_PAIR_SEARCH_INL
#else
#define WHISKER_HULL_PAIR_SEARCH_INL
#endif

#include <hwy/highway.h>

#include "convex/frame_support-inl.hpp"
#include "convex/gjk_inside-inl.hpp"
#include "convex/pair_frame-inl.hpp"
#include "convex/simplex_lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::convex::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr double u = contact_roundoff;
/// A Simplex. Entries beyond `count` are not set. A corner's slot holds the index of a's vertex in the upper half and
/// that of b's vertex in the lower half.
struct Corners {
  using Point = Vec3;
  using Real = double;

  std::array<Vec3, 4> w;
  std::array<std::uint64_t, 4> slot;
  std::array<double, 4> weight;
  int count = 0;
};

using TwoTag = hn::FixedTag<double, 2>;
using Two = hn::Vec<TwoTag>;
constexpr TwoTag two;

HWY_INLINE double low(Two v) {
  return hn::GetLane(v);
}
HWY_INLINE double high(Two v) {
  return hn::GetLane(hn::InterleaveUpper(two, v, v));
}

/// std::sqrt without its check for negative numbers, which sets errno.
HWY_INLINE double root(double x) {
  return low(hn::Sqrt(hn::Set(two, x)));
}

/// The two hulls in the order in which they are processed, in the frame of the first: see FramePair.
struct HullPair {
  const HullSupport* a;
  FrameBody b;
  const double* pose_a;
  const double* pose_b;
  const double* middle_a;
  const double* middle_b;
  bool is_swapped;
  double between[3];
  double between_squared;
  double away;  ///< the length of `between`, rounded up
  double sizes;
  double stretch, size, error, reach_error, mean_error, fine;
  double far;  ///< the largest coordinate of a translation
};

/// The state of a search.
struct HullSearch {
  Corners corners[2];
  Corners* simplex = corners;   ///< the current one
  Corners* room = corners + 1;  ///< room for the next
  Vec3 v;
  double lower = 0;
  Vec3 lower_direction;
  int supports = 0;
};

HWY_INLINE Vec3 vertex_at(const HullSupport& table, std::uint32_t vertex) {
  const SupportVertex& v = table.vertices[vertex];
  return {v.x, v.y, v.z};
}
HWY_INLINE Vec3 vertex_of_second(const FrameBody& b, std::uint32_t vertex) {
  if (b.mode == Mode::placed) return {b.x[vertex], b.y[vertex], b.z[vertex]};
  return to_common_frame(b, vertex_at(*b.table, vertex));
}

HWY_INLINE Vec3 support(const HullSupport& table, const Vec3& d, std::uint32_t& vertex) {
  vertex = table.has_cells() ? cell_support(table, d.x, d.y, d.z)
                             : scan_support(table.x, table.y, table.z, table.padded, d.x, d.y, d.z);
  return vertex_at(table, vertex);
}

/// The support of b, whether its vertices are placed or not.
HWY_INLINE Vec3 support_of_second(const FrameBody& b, const Vec3& d, std::uint32_t& vertex) {
  const Vec3 own = b.mode == Mode::placed ? d : to_own_frame(b, d);
  vertex = b.mode == Mode::cells ? cell_support(*b.table, own.x, own.y, own.z)
                                 : scan_support(b.x, b.y, b.z, b.padded, own.x, own.y, own.z);
  return vertex_of_second(b, vertex);
}

HWY_INLINE std::uint64_t name_of(std::uint32_t a, std::uint32_t b) {
  return std::uint64_t{a} << 32 | b;
}
HWY_INLINE CornerPoints points_of(const HullPair& pair, std::uint64_t name) {
  return {vertex_at(*pair.a, static_cast<std::uint32_t>(name >> 32)),
          vertex_of_second(pair.b, static_cast<std::uint32_t>(name))};
}

enum class SearchEnd { converged, inside, above, unknown };

#if HWY_MAX_BYTES >= 32 && !HWY_HAVE_SCALABLE

/// Not inlined: a tetrahedron has several faces, which are seldom all evaluated.
struct OneFace {
  HWY_NOINLINE simplex_detail::OnTriangle<Vec3> operator()(const Vec3& a, const Vec3& b, const Vec3& c) const {
    return simplex_detail::nearest_on_triangle(a, b, c);
  }
};

/// A corner that a step finds.
struct Found {
  Vec3 w;
  std::uint64_t name;
  double vw;
  FourPoints all;  ///< w in all lanes
};

HWY_INLINE Found find_corner(const HullPair& pair, const Vec3& v) {
  std::uint32_t vertex_a, vertex_b;
  const Vec3 a = support(*pair.a, -v, vertex_a), b = support_of_second(pair.b, v, vertex_b);
  // In all lanes from the beginning: loading numbers from memory to all lanes is as fast as to one.
  const FourPoints all = in_all(a) - in_all(b);
  const Vec3 w = {hn::GetLane(all.x), hn::GetLane(all.y), hn::GetLane(all.z)};
  return {w, name_of(vertex_a, vertex_b), dot(v, w), all};
}

/// Keeps the better lower bound without a branch, because either is equally likely. (If vw is not positive, the bound
/// is not above the known one, which is 0 or more.)
struct BestLower {
  Two lower, x, y, z;

  HWY_INLINE void look(const Vec3& v, double vw, double squared) {
    const Two bound = hn::Div(hn::Set(two, vw), hn::Sqrt(hn::Set(two, squared)));
    const auto better = hn::Gt(bound, lower);
    lower = hn::IfThenElse(better, bound, lower);
    x = hn::IfThenElse(better, hn::Set(two, v.x), x);
    y = hn::IfThenElse(better, hn::Set(two, v.y), y);
    z = hn::IfThenElse(better, hn::Set(two, v.z), z);
  }
  HWY_INLINE void put(HullSearch& search) const {
    search.lower = low(lower);
    search.lower_direction = {low(x), low(y), low(z)};
  }
};

/// A search may end as soon as the hulls are farther apart than `stop_above`, unless that is infinite.
struct Goal {
  double stop_above;
  bool is_measured = stop_above == HUGE_VAL;                ///< the search is for the distance
  double enough = stop_above * stop_above * (1 + 0x1p-40);  ///< slightly more than the square

  /// Takes note of the bound that the corner found along v gives. Returns whether it ends the search.
  HWY_INLINE bool look(const Vec3& v, double vw, double squared, BestLower& best, HullSearch& search) const {
    if (is_measured) {
      best.look(v, vw, squared);
      return false;
    }
    if (!(vw > 0 && vw * vw > enough * squared)) return false;
    search.lower = stop_above;
    search.lower_direction = v;
    return true;
  }
};

HWY_INLINE CornerLanes to_lanes(const Corners& simplex) {
  CornerLanes s;
  s.count = static_cast<std::size_t>(simplex.count);
  const auto row = [&](const auto& number) HWY_ATTR {
    const auto of = [&](std::size_t i) HWY_ATTR { return i < s.count ? number(s.count - 1 - i) : number(0); };
    const Two front = hn::InterleaveLower(two, hn::Set(two, of(0)), hn::Set(two, of(1)));
    return hn::Combine(four_lanes, hn::Set(two, of(2)), front);
  };
  s.w = {row([&](std::size_t i) HWY_ATTR { return simplex.w[i].x; }),
         row([&](std::size_t i) HWY_ATTR { return simplex.w[i].y; }),
         row([&](std::size_t i) HWY_ATTR { return simplex.w[i].z; })};
  const FourNames is_empty = hn::Load(four_names, corner_tables.is_empty[(1u << (s.count - 1)) - 1]);
  const Four names = row([&](std::size_t i) HWY_ATTR { return std::bit_cast<double>(simplex.slot[i]); });
  s.name = hn::Or(hn::BitCast(four_names, names), is_empty);
  s.weight =
      hn::AndNot(hn::BitCast(four_lanes, is_empty), row([&](std::size_t i) HWY_ATTR { return simplex.weight[i]; }));
  return s;
}

HWY_INLINE CornerLanes one_corner(const Vec3& w, std::uint64_t name) {
  const FourNames is_empty = hn::Load(four_names, corner_tables.is_empty[0]);
  return {in_all(w), hn::Or(hn::Set(four_names, name), is_empty),
          hn::AndNot(hn::BitCast(four_lanes, is_empty), hn::Set(four_lanes, 1)), 1};
}

/// Stores the corners for the code that follows a search, which does not need their positions.
HWY_INLINE void put_names(const CornerLanes& s, Corners& simplex) {
  alignas(32) std::uint64_t name[4];
  alignas(32) double weight[4];
  hn::Store(s.name, four_names, name);
  hn::Store(s.weight, four_lanes, weight);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t from = i < s.count ? s.count - 1 - i : 3;
    simplex.slot[i] = name[from];
    simplex.weight[i] = weight[from];
  }
  simplex.count = static_cast<int>(s.count);
}

/// Handles the steps that add_corner() leaves open: reduce(), from and to the lanes. It has its own memory, so that
/// values that are kept in registers between the steps stay there.
struct OpenStep {
  CornerLanes lanes;
  CornerStep step;
  bool inside;
};
inline HWY_NOINLINE void add_corner_by_itself(OpenStep& open, const Found& found, HullSearch& search) {
  const CornerLanes& s = open.lanes;
  Corners& simplex = *search.simplex;
  alignas(32) double w[3][4];
  hn::Store(s.w.x, four_lanes, w[0]);
  hn::Store(s.w.y, four_lanes, w[1]);
  hn::Store(s.w.z, four_lanes, w[2]);
  put_names(s, simplex);
  for (std::size_t i = 0; i < s.count; ++i) {
    const std::size_t lane = s.count - 1 - i;
    simplex.w[i] = {w[0][lane], w[1][lane], w[2][lane]};
  }
  simplex.w[s.count] = found.w;
  simplex.slot[s.count] = found.name;
  ++simplex.count;
  if (open.step.is_in) {
    alignas(32) double height[4];
    hn::Store(open.step.height, four_lanes, height);
    const double of_d = -height[0], of_b = -height[1], of_c = -height[2];
    const double of_a = open.step.volume - (of_b + of_c + of_d);
    if (open.step.volume > 0 ? of_a > 0 : of_a < 0) {
      const double inverse = 1 / open.step.volume;
      simplex.weight = {of_d * inverse, of_c * inverse, of_b * inverse, of_a * inverse};
      open.inside = true;
      return;
    }
  }
  open.step.v = reduce(simplex, open.inside, *search.room, OneFace());
  open.step.squared = dot(open.step.v, open.step.v);
  std::swap(search.simplex, search.room);
  if (!open.inside) open.lanes = to_lanes(*search.simplex);
}

/// GjkLoop with its supports, from v or from the corners that the simplex has. b is placed after the first support,
/// unless it already is. Returns `unknown` if the search ends at the origin or takes too long. `stop_above`: the search
/// ends as soon as the hulls are proven to be farther apart, and keeps no other bound. If infinite, it runs to the end.
///
/// Not GjkLoop itself, for speed: the simplex stays in registers, in four lanes, from step to step. Hulls of 32
/// vertices
/// (`./bench convex --only distance/32`, EPYC with AVX-512) take 375, 401 and 190 ns with this loop, and 444, 457 and
/// 221 ns with GjkLoop.
HWY_INLINE SearchEnd run_search(HullPair& pair, double stop_above, HullSearch& search) {
  const Goal goal = {stop_above};
  const double zero_squared = pair.error * pair.error;
  constexpr double converged_share = 4 * Numbers<Vec3>::roundoff;
  BestLower best = {hn::Zero(two), hn::Zero(two), hn::Zero(two), hn::Zero(two)};
  // Separate numbers, not those in `search`: copied from there in pairs, they would stall until they are in the cache.
  Vec3 v = {search.v.x, search.v.y, search.v.z};
  const bool is_begun = search.simplex->count > 0;
  if (is_begun) {
    bool inside = false;
    v = reduce(*search.simplex, inside, *search.room, OneFace());
    std::swap(search.simplex, search.room);
    if (inside) return SearchEnd::inside;
  }
  double squared = dot(v, v);
  if (is_begun && !(squared > zero_squared)) return SearchEnd::unknown;

  // The first step is separate, because it has a different simplex or none.
  search.supports = 1;
  Found found = find_corner(pair, v);
  if (goal.look(v, found.vw, squared, best, search)) return SearchEnd::above;
  CornerLanes s;
  bool is_between = false;  // found by a SecondLook
  if (is_begun) {
    bool ended = !(squared - found.vw > converged_share * squared);
    for (int i = 0; i < search.simplex->count; ++i)
      ended |= search.simplex->slot[static_cast<std::size_t>(i)] == found.name;
    if (ended) {
      best.put(search);
      return SearchEnd::converged;
    }
    place(pair.b);
    s = to_lanes(*search.simplex);
  } else {
    const double nearer = dot(found.w, found.w);
    if (!(nearer > zero_squared)) return SearchEnd::unknown;
    const SecondLook next =
        second_direction(v, squared, found.w, found.vw, nearer, [](double value) HWY_ATTR { return root(value); });
    is_between = next.is_between;
    v = {next.along.x, next.along.y, next.along.z};
    squared = nearer;
    place(pair.b);
    s = one_corner(found.w, found.name);
    search.supports = 2;
    found = find_corner(pair, v);
    if (goal.look(v, found.vw, dot(v, v), best, search)) return SearchEnd::above;
  }

  // The maximum number of corners in the next step. In a search from scratch it grows by one with each step.
  unsigned most = is_begun ? 4 : 2;
  while (true) {
    const bool is_known = !hn::AllFalse(four_names, hn::Eq(s.name, hn::Set(four_names, found.name)));
    if ((is_known | !(squared - found.vw > converged_share * squared)) & !is_between) break;
    if (search.supports >= GjkLoop<Vec3>::max_supports) return SearchEnd::unknown;
    CornerLanes after;
    CornerStep step = most == 2   ? add_corner<2>(s, found.all, found.name, after)
                      : most == 3 ? add_corner<3>(s, found.all, found.name, after)
                                  : add_corner<4>(s, found.all, found.name, after);
    ++most;
    if (HWY_UNLIKELY(!step.is_decided)) {
      OpenStep open;
      copy(s, open.lanes);
      open.step.is_in = step.is_in;
      open.step.height = step.height;
      open.step.volume = step.volume;
      const Found newest = found;
      add_corner_by_itself(open, newest, search);
      if (open.inside) {
        best.put(search);
        return SearchEnd::inside;
      }
      copy(open.lanes, after);
      step.v = {open.step.v.x, open.step.v.y, open.step.v.z};
      step.squared = open.step.squared;
    }
    if (!(step.squared < squared) & !is_between) break;  // converged as far as rounding allows
    is_between = false;
    copy(after, s);
    v = {step.v.x, step.v.y, step.v.z};
    squared = step.squared;
    if (!(squared > zero_squared)) return SearchEnd::unknown;
    ++search.supports;
    found = find_corner(pair, v);
    if (goal.look(v, found.vw, squared, best, search)) return SearchEnd::above;
  }
  put_names(s, *search.simplex);
  best.put(search);
  return SearchEnd::converged;
}

#else

/// The same by GjkLoop itself: these vectors have no room for all edges and faces of a simplex.
HWY_INLINE SearchEnd run_search(HullPair& pair, double stop_above, HullSearch& search) {
  const GjkGoal goal = {.stop_above = stop_above};
  Corners& simplex = *search.simplex;
  const bool is_begun = simplex.count > 0;
  GjkLoop<Vec3> loop(is_begun ? Vec3{} : search.v, pair.error, goal);
  for (int i = 0; i < simplex.count; ++i) {
    const std::uint64_t name = simplex.slot[static_cast<std::size_t>(i)];
    const CornerPoints points = points_of(pair, name);
    loop.insert({points.a, points.b, static_cast<std::uint32_t>(name >> 32), static_cast<std::uint32_t>(name)});
  }
  bool more = !is_begun || loop.begin();
  while (more) {
    SupportPoint<Vec3> point;
    point.a = support(*pair.a, -loop.v(), point.vertex_a);
    point.b = support_of_second(pair.b, loop.v(), point.vertex_b);
    more = loop.add(point);
    if (more) place(pair.b);
  }
  search.supports = loop.supports();
  search.lower = loop.lower();
  search.lower_direction = loop.lower_direction();
  simplex.w = loop.simplex().w;
  simplex.weight = loop.simplex().weight;
  simplex.count = loop.simplex().count;
  for (int i = 0; i < simplex.count; ++i)
    simplex.slot[static_cast<std::size_t>(i)] = name_of(loop.point(i).vertex_a, loop.point(i).vertex_b);
  if (loop.end() == GjkEnd::inside) return SearchEnd::inside;
  if (loop.end() == GjkEnd::above) return SearchEnd::above;
  const bool is_too_long = loop.supports() >= GjkLoop<Vec3>::max_supports;
  return loop.end() == GjkEnd::zero || (loop.end() == GjkEnd::stalled && is_too_long) ? SearchEnd::unknown
                                                                                      : SearchEnd::converged;
}

#endif

}  // namespace whisker::convex::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
