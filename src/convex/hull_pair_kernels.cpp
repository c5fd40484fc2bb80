// Two placed hulls, compiled once per instruction set: convex_frame, gjk, convex_contact and convex_queries in one, for
// hulls and for the usual cases. See those files for explanations. The operations and their order are the same.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "convex/convex_contact.hpp"
#include "convex/convex_frame.hpp"
#include "convex/hull_pair.hpp"
#include "convex/pair_memory.hpp"
#include "shapes/internals.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "convex/hull_pair_kernels.cpp"
#include <hwy/foreach_target.h>
// Must follow foreach_target.h:
#include <hwy/highway.h>

#ifndef WHISKER_HULL_PAIR_QUESTION
#define WHISKER_HULL_PAIR_QUESTION
namespace whisker::convex {

/// The query in plain types. Poses are twelve numbers: the rotation, column by column, and the translation.
struct HullQuestion {
  const HullSupport* a;
  const HullSupport* b;
  const double* pose_a;
  const double* pose_b;
  const double* middle_a;  ///< HullSupport::middle
  const double* middle_b;
  PairMemory* memory;
};

/// Where the result is written.
struct HullAnswer {
  double* lower;
  double* upper;
  double* point_a;
  double* point_b;
  double* normal;
  int supports;
  std::uint64_t corners;  ///< a's corner is in the upper half
};

static_assert(sizeof(Pose) == 12 * sizeof(double));

}  // namespace whisker::convex
#endif

#include "convex/hull_pair_search-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::convex::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// The order of comes_first. Returns false if the translations are equal.
HWY_INLINE bool set_order(const HullQuestion& asked, HullPair& pair) {
  const double *const ta = asked.pose_a + 9, *const tb = asked.pose_b + 9;
  std::size_t axis = 0;
  if (HWY_UNLIKELY(!(ta[0] != tb[0]))) {
    axis = ta[1] != tb[1] ? 1 : 2;
    if (!(ta[axis] != tb[axis])) return false;
  }
  const bool swap = tb[axis] < ta[axis];
  pair.is_swapped = swap;
  pair.a = swap ? asked.b : asked.a;
  pair.b.table = swap ? asked.a : asked.b;
  pair.pose_a = swap ? asked.pose_b : asked.pose_a;
  pair.pose_b = swap ? asked.pose_a : asked.pose_b;
  pair.middle_a = swap ? asked.middle_b : asked.middle_a;
  pair.middle_b = swap ? asked.middle_a : asked.middle_b;
  return true;
}

/// Whether the second pose is well within the tolerance of rotations, and the first rotation orthonormal up to
/// rounding, as the error bounds here require. One pose in each lane.
HWY_INLINE bool check_poses(HullPair& pair) {
  Two r[12];
  // Load the same pairs of numbers that a just-copied pose was written in. Other loads would stall until it is in the
  // cache.
  for (const std::size_t i : {0u, 2u, 4u, 6u, 9u}) {
    const Two of_a = hn::LoadU(two, pair.pose_a + i), of_b = hn::LoadU(two, pair.pose_b + i);
    r[i] = hn::InterleaveLower(two, of_a, of_b);
    r[i + 1] = hn::InterleaveUpper(two, of_a, of_b);
  }
  for (const std::size_t i : {8u, 11u})
    r[i] = hn::InterleaveLower(two, hn::Set(two, pair.pose_a[i]), hn::Set(two, pair.pose_b[i]));
  const auto column = [&](std::size_t i) HWY_ATTR { return Lanes3<Two>{r[i], r[i + 1], r[i + 2]}; };
  const Two off = off_orthonormal(column(0), column(3), column(6));
  const Two determinant = dot(column(6), cross(column(0), column(3)));
  const Two x = hn::Abs(r[9]), y = hn::Abs(r[10]), z = hn::Abs(r[11]);
  const Two most = hn::Max(hn::Max(x, y), z);
  const Two allowed = hn::InterleaveLower(two, hn::Set(two, 0x1p-48), hn::Set(two, Pose::rotation_tolerance / 5));
  const auto fits = hn::And(hn::And(hn::Le(off, allowed), hn::Gt(determinant, hn::Zero(two))),
                            hn::Le(hn::Add(hn::Add(x, y), z), hn::Set(two, max_coordinate)));
  pair.stretch = low(off);
  pair.far = low(most) > high(most) ? low(most) : high(most);
  return hn::AllTrue(two, fits);
}

/// Computes the distance of the frames. Returns false if squares would leave the range of doubles.
HWY_INLINE bool set_frame_distance(HullPair& pair) {
  for (std::size_t k = 0; k < 3; ++k)
    pair.between[k] = pair.pose_b[9 + k] - pair.pose_a[9 + k];
  const double* const t = pair.between;
  const double squared = t[0] * t[0] + t[1] * t[1] + t[2] * t[2];
  pair.between_squared = squared;
  pair.away = root(squared) * (1 + 0x1p-48);
  pair.sizes = pair.a->size + pair.b.table->size;
  const double size = pair.sizes + pair.away;
  pair.size = size * (1 + 0x1p-40);
  return squared > 0x1p-900 && squared < 0x1p900 && size > 0x1p-100 && size < 0x1p100;
}

/// What set_frame does for two hulls.
HWY_INLINE void set_hulls(HullPair& pair) {
  const HullSupport& table = *pair.b.table;
  pair.b.is_identity = false;
  pair.b.x = table.x;
  pair.b.y = table.y;
  pair.b.z = table.z;
  pair.b.padded = table.padded;
  pair.b.mode = table.has_cells()                       ? Mode::cells
                : table.padded <= FrameBody::max_placed ? Mode::to_be_placed
                                                        : Mode::scan;
  set_relative_pose(pair.pose_a, pair.pose_b, pair.between, pair.b.m);
  const double sa = pair.a->size, sb = pair.b.table->size;
  const FrameErrors<double> errors = frame_errors(sa, sb, pair.away, pair.stretch);
  pair.error = errors.error;
  pair.reach_error = errors.reach;
  pair.mean_error = errors.mean;
  double most = pair.far;
  if (most < sa / 2) most = sa / 2;
  if (most < sb / 2) most = sb / 2;
  pair.fine = fine_ulps * u * most;
}

/// start_of. Returns false if it is nearly zero.
HWY_INLINE bool set_start(const HullPair& pair, Vec3& start) {
  const double *const a = pair.middle_a, *const b = pair.middle_b;
  start = Vec3{a[0], a[1], a[2]} - to_common_frame(pair.b, {b[0], b[1], b[2]});
  return !(squared_norm(start) < 0x1p-199 * pair.size * pair.size);
}

/// GjkLoop::insert and begin, with the corners of a cache. Returns false if they are not usable.
HWY_INLINE bool begin_at_corners(const HullPair& pair, const PairMemory& memory, HullSearch& search) {
  const std::uint32_t* const of_a = (pair.is_swapped ? memory.corners_b : memory.corners_a).data();
  const std::uint32_t* const of_b = (pair.is_swapped ? memory.corners_a : memory.corners_b).data();
  Corners& simplex = *search.simplex;
  const std::uint32_t count_a = pair.a->count, count_b = pair.b.table->count;
  for (std::size_t i = 0; i < memory.corner_count; ++i) {
    if (!(of_a[i] < count_a && of_b[i] < count_b)) return false;
    simplex.slot[i] = name_of(of_a[i], of_b[i]);
    const CornerPoints points = points_of(pair, simplex.slot[i]);
    simplex.w[i] = points.a - points.b;
  }
  simplex.count = static_cast<int>(memory.corner_count);
  return true;
}

HWY_INLINE void put(const Vec3& v, double* out) {
  out[0] = v.x;
  out[1] = v.y;
  out[2] = v.z;
}

HWY_INLINE void remember(const HullPair& pair, const HullSearch& search, PairMemory* memory) {
  if (memory == nullptr) return;
  const Corners& simplex = *search.simplex;
  memory->corner_count = static_cast<std::uint32_t>(simplex.count);
  std::uint32_t* const of_a = (pair.is_swapped ? memory->corners_b : memory->corners_a).data();
  std::uint32_t* const of_b = (pair.is_swapped ? memory->corners_a : memory->corners_b).data();
  for (int i = 0; i < simplex.count; ++i) {
    const auto k = static_cast<std::size_t>(i);
    of_a[k] = static_cast<std::uint32_t>(simplex.slot[k] >> 32);
    of_b[k] = static_cast<std::uint32_t>(simplex.slot[k]);
  }
  if (search.lower > 0) put(search.lower_direction, memory->apart_along.data());
}

/// Transforms a direction of the frame to the world.
HWY_INLINE Vec3 turned(const HullPair& pair, const Vec3& d) {
  const double* const r = pair.pose_a;
  return {(r[0] * d.x + r[3] * d.y) + r[6] * d.z, (r[1] * d.x + r[4] * d.y) + r[7] * d.z,
          (r[2] * d.x + r[5] * d.y) + r[8] * d.z};
}
HWY_INLINE Vec3 to_world(const HullPair& pair, const Vec3& y) {
  return Vec3{pair.pose_a[9], pair.pose_a[10], pair.pose_a[11]} + turned(pair, y);
}

/// GjkLoop::witnesses, and the points that they are means of.
HWY_INLINE CornerPoints means_of(const HullPair& pair, const Corners& simplex, std::array<CornerPoints, 4>& points) {
  CornerPoints mean = {{0, 0, 0}, {0, 0, 0}};
  for (std::size_t i = 0; i < static_cast<std::size_t>(simplex.count); ++i) {
    points[i] = points_of(pair, simplex.slot[i]);
    mean.a = mean.a + points[i].a * simplex.weight[i];
    mean.b = mean.b + points[i].b * simplex.weight[i];
  }
  return mean;
}

/// Finds a common point of two hulls that overlap. Returns false if that is not possible here.
HWY_NOINLINE bool find_overlap(const HullPair& pair, const HullSearch& search, bool is_clear, Vec3& shared) {
  const Corners& simplex = *search.simplex;
  const double margin = margin_of(simplex.w, pair.size);
  if (!(margin > pair.mean_error)) return false;
  if (is_clear && !(margin > clear_of_contact * (pair.reach_error + pair.mean_error))) return false;
  std::array<CornerPoints, 4> points;
  CornerPoints mean = means_of(pair, simplex, points);
  balance_weights(simplex.w, simplex.weight, points, pair.mean_error, mean.a, mean.b);
  shared = mean.a;
  const double rough = 8 * pair.mean_error, allowed = pair.fine / 2;
  return norm(mean.a - mean.b) <= (allowed < rough ? allowed : rough);
}

bool hull_distance(const HullQuestion& asked, HullAnswer& answer) {
  HullPair pair;
  if (!set_order(asked, pair) || !check_poses(pair) || !set_frame_distance(pair)) return false;
  set_hulls(pair);
  HullSearch search;
  bool is_warm = false;
  if (asked.memory != nullptr && asked.memory->corner_count > 0 && asked.memory->corner_count <= 4) {
    is_warm = begin_at_corners(pair, *asked.memory, search);
    if (!is_warm) return false;
  } else if (asked.memory != nullptr) {
    const double* const along = asked.memory->apart_along.data();
    if (along[0] != 0 || along[1] != 0 || along[2] != 0) return false;
  }
  if (!is_warm) {
    if (!set_start(pair, search.v)) return false;
    place(pair.b);
  }
  const SearchEnd end = run_search(pair, HUGE_VAL, search);
  if (HWY_UNLIKELY(end == SearchEnd::unknown)) return false;
  double* const point_a = pair.is_swapped ? answer.point_b : answer.point_a;
  double* const point_b = pair.is_swapped ? answer.point_a : answer.point_b;
  answer.supports = search.supports;
  Vec3 normal = {0, 0, 0};
  if (end == SearchEnd::inside) {
    Vec3 shared;
    if (!find_overlap(pair, search, is_warm, shared)) return false;
    *answer.lower = *answer.upper = 0;
    put(to_world(pair, shared), point_a);
    put(to_world(pair, shared), point_b);
  } else {
    std::array<CornerPoints, 4> points;
    const auto [a, b] = means_of(pair, *search.simplex, points);
    const double lower = search.lower * shrink - pair.reach_error;
    const double upper = root(squared_norm(a - b)) * widen + pair.mean_error;
    const double errors = pair.reach_error + pair.mean_error;
    if (!(lower > (is_warm ? clear_of_contact * errors : 0))) return false;
    const double rounding = 1.25 * errors;
    if (!(upper - lower <= 0x1p-31 * upper + (pair.fine < rounding ? pair.fine : rounding))) return false;
    const double in_world = lower * (1 - pair.stretch) * shrink, upper_in_world = upper * (1 + pair.stretch) * widen;
    if (!(upper_in_world - in_world <= 0x1p-31 * upper_in_world)) return false;
    normal = turned(pair, -search.lower_direction);
    const double squared = squared_norm(normal);
    if (!(squared > 0x1p-900 && squared < 0x1p900)) return false;
    const double length = root(squared);
    normal = {normal.x / length, normal.y / length, normal.z / length};
    *answer.lower = in_world;
    *answer.upper = upper_in_world;
    put(to_world(pair, a), point_a);
    put(to_world(pair, b), point_b);
  }
  put(pair.is_swapped ? -normal : normal, answer.normal);
  const std::uint64_t corners = search.simplex->slot[0];
  answer.corners = pair.is_swapped ? corners << 32 | corners >> 32 : corners;
  remember(pair, search, asked.memory);
  return true;
}

HullContact hull_contact(const HullQuestion& asked, int& supports) {
  HullPair pair;
  if (!set_order(asked, pair) || !set_frame_distance(pair)) return HullContact::unknown;
  // The test of are_far_apart, which may hold for half of all pairs. Deciding it early does not delay the next query.
  const double reach = pair.sizes * (1 + 0x1p-20);
  if (pair.between_squared > reach * reach) return HullContact::apart;
  if (!check_poses(pair)) return HullContact::unknown;
  set_hulls(pair);
  HullSearch search;
  bool is_started = false;
  if (asked.memory != nullptr) {
    const double* const along = asked.memory->apart_along.data();
    const double length = root(along[0] * along[0] + along[1] * along[1] + along[2] * along[2]);
    is_started = length > 0x1p-100 && length < 0x1p100;
    search.v = Vec3{along[0], along[1], along[2]} * (pair.size / length);
  }
  if (!is_started && !set_start(pair, search.v)) return HullContact::unknown;
  // Closer to contact, the steps must be the same in all queries.
  const double clear = clear_of_contact * (pair.reach_error + pair.mean_error);
  const SearchEnd end = run_search(pair, clear + pair.reach_error, search);
  HullContact contact;
  if (end == SearchEnd::above) {
    contact = HullContact::apart;
  } else if (end == SearchEnd::inside && is_well_inside(search.simplex->w, pair.size, clear)) {
    contact = HullContact::touching;
  } else {
    return HullContact::unknown;
  }
  remember(pair, search, asked.memory);
  supports = search.supports;
  return contact;
}

}  // namespace whisker::convex::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whisker::convex {

HWY_EXPORT(hull_distance);
HWY_EXPORT(hull_contact);

namespace {

HullQuestion question_of(const ConvexHull& a, const Pose& pose_a, const ConvexHull& b, const Pose& pose_b,
                         PairCache* cache) {
  const HullSupport &table_a = support_table_of(a), &table_b = support_table_of(b);
  return {&table_a,
          &table_b,
          pose_a.rotation().data(),
          pose_b.rotation().data(),
          table_a.middle.data(),
          table_b.middle.data(),
          memory_of(cache)};
}

}  // namespace

bool find_hull_distance(const ConvexHull& a, const Pose& pose_a, const ConvexHull& b, const Pose& pose_b,
                        PairCache* cache, Distance& result, HullCorners& corners) {
  const HullQuestion asked = question_of(a, pose_a, b, pose_b, cache);
  HullAnswer answer{
      &result.lower, &result.upper, result.point_a.data(), result.point_b.data(), result.normal.data(), 0, 0};
  if (!HWY_DYNAMIC_DISPATCH(hull_distance)(asked, answer)) return false;
  result.cost.primitive_tests = static_cast<std::uint64_t>(answer.supports);
  corners = {static_cast<std::uint32_t>(answer.corners >> 32), static_cast<std::uint32_t>(answer.corners)};
  return true;
}

HullContact find_hull_contact(const ConvexHull& a, const Pose& pose_a, const ConvexHull& b, const Pose& pose_b,
                              PairCache* cache, Cost& cost) {
  const HullQuestion asked = question_of(a, pose_a, b, pose_b, cache);
  int supports = 0;
  const HullContact contact = HWY_DYNAMIC_DISPATCH(hull_contact)(asked, supports);
  cost.primitive_tests += static_cast<std::uint64_t>(supports);
  return contact;
}

}  // namespace whisker::convex
#endif
