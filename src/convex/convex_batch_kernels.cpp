// A batch of pairs of convex shapes with one pair per lane, compiled once per instruction set. Each lane does what
// convex_frame, gjk, simplex, convex_contact and convex_queries do for one pair, in the same order. See those files for
// explanations.

#include <cmath>

#include "convex/convex_batch_block.hpp"
#include "convex/convex_contact.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "convex/convex_batch_kernels.cpp"
#include <hwy/foreach_target.h>
// Must follow foreach_target.h:
#include <hwy/highway.h>

#include "convex/convex_batch_search-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::convex::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// --- Setting up the frames: set_frame ---

/// The columns of a rotation and the translation.
struct PoseLanes {
  Vector column[4];
};
HWY_INLINE PoseLanes load_poses(const double* const (&from)[lanes]) {
  const FourNumbers p = load_four(from, 0), q = load_four(from, 4), r = load_four(from, 8);
  return {{{p.of[0], p.of[1], p.of[2]},
           {p.of[3], q.of[0], q.of[1]},
           {q.of[2], q.of[3], r.of[0]},
           {r.of[1], r.of[2], r.of[3]}}};
}

/// BatchShape::numbers
struct ShapeLanes {
  Vector middle;
  Number size, radius;
};
/// `is_one`: the shape is the same in all lanes.
HWY_INLINE ShapeLanes load_shapes(const double* const (&from)[lanes], bool is_one) {
  const double* const one = from[0];
  if (is_one) return {set3(tag, one), set(one[3]), set(one[4])};
  const FourNumbers first = load_four(from, 0);
  return {{first.of[0], first.of[1], first.of[2]}, first.of[3], load_four(from, 4).of[0]};
}

void set_frames(BatchBlock& block, std::size_t at) {
  const double* pose_a[lanes];
  const double* pose_b[lanes];
  const double* shape_a[lanes];
  const double* shape_b[lanes];
  bool is_one_pair = true;  // all lanes have the same two shapes
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const BatchEntry& entry = block.entries[at + lane < block.count ? at + lane : at];
    pose_a[lane] = entry.pose_a;
    pose_b[lane] = entry.pose_b;
    shape_a[lane] = entry.a->numbers;
    shape_b[lane] = entry.b->numbers;
    is_one_pair &= shape_a[lane] == shape_a[0] && shape_b[lane] == shape_b[0];
  }
  const PoseLanes poses_a = load_poses(pose_a), poses_b = load_poses(pose_b);
  for (std::size_t k = 0; k < 4; ++k)
    store3(poses_a.column[k], tag, block.pose_a + 3 * k, at);
  const ShapeLanes shapes_a = load_shapes(shape_a, is_one_pair), shapes_b = load_shapes(shape_b, is_one_pair);
  hn::Store(shapes_a.radius, tag, block.radius_a + at);
  hn::Store(shapes_b.radius, tag, block.radius_b + at);
  const Vector(&ra)[4] = poses_a.column, (&rb)[4] = poses_b.column;
  const Vector &at_a = ra[3], &at_b = rb[3];
  const Number sa = shapes_a.size, sb = shapes_b.size;
  const Vector between = at_b - at_a;
  Mask fits = hn::Not(hn::And(hn::And(hn::Eq(at_a.x, at_b.x), hn::Eq(at_a.y, at_b.y)), hn::Eq(at_a.z, at_b.z)));
  const Number st = norm_if_safe(between, fits) * set(1 + 0x1p-48);
  const Number size = sa + sb + st;
  const Number radii = shapes_a.radius + shapes_b.radius;
  const Number off = off_orthonormal(ra[0], ra[1], ra[2]);
  fits = hn::And(fits, hn::And(hn::Le(off, set(0x1p-48)), hn::Lt(radii, set(0x1p100))));
  fits = hn::And(fits, hn::And(hn::Gt(size, set(0x1p-100)), hn::Lt(size, set(0x1p100))));

  Number m[3][3], t[3];
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      m[i][j] = dot(ra[i], rb[j]);
      hn::Store(m[i][j], tag, block.m[3 * i + j] + at);
    }
    t[i] = dot(ra[i], between);
    hn::Store(t[i], tag, block.t[i] + at);
  }
  const auto row = [&](int i) HWY_ATTR { return dot({m[i][0], m[i][1], m[i][2]}, shapes_b.middle) + t[i]; };
  const Vector null = {zero(), zero(), zero()};
  const Vector start = (shapes_a.middle + null) - Vector{row(0), row(1), row(2)};
  const Number small = set(0x1p-199) * size * size;
  fits = hn::And(fits, hn::Not(hn::Lt(dot(start, start), small)));

  const auto [error, reach, mean] = frame_errors(sa, sb, st, off);
  Number far = zero();
  for (const Number& coordinate : {at_a.x, at_a.y, at_a.z, at_b.x, at_b.y, at_b.z})
    far = larger(far, hn::Abs(coordinate));
  const Number half = set(0.5);
  const Number fine = set(fine_ulps * u) * larger(larger(far, sa * half), sb * half);

  store(start, block.v, at);
  hn::Store(off, tag, block.stretch + at);
  hn::Store(size * set(1 + 0x1p-40), tag, block.size + at);
  hn::Store(radii, tag, block.radii + at);
  hn::Store(error * error, tag, block.zero_squared + at);
  hn::Store(reach, tag, block.reach_error + at);
  hn::Store(mean, tag, block.mean_error + at);
  hn::Store(fine, tag, block.fine + at);

  // The error bound of a height in floats, see BatchBlock.
  const auto doubt_of = [&](Number own) HWY_ATTR {
    const auto is_common = [](Number length)
                               HWY_ATTR { return hn::And(hn::Gt(length, set(0x1p-40)), hn::Lt(length, set(0x1p40))); };
    const Mask is_in_range = hn::And(is_common(size), hn::Or(hn::Eq(own, zero()), is_common(own)));
    return hn::IfThenElse(is_in_range, set(0x1p-20) * own + set(0x1p-45) * size, set(HUGE_VAL));
  };
  hn::Store(doubt_of(sa), tag, block.doubt_a + at);
  hn::Store(doubt_of(sb), tag, block.doubt_b + at);

  // When the search may end: contact_goal, or the options of a distance.
  Number above = set(HUGE_VAL), below = set(-1), tolerance = zero();
  if (block.question == BatchBlock::Question::touches) {
    above = (radii + reach + set(8 * u) * radii) * set(1 + 16 * u);
    below = hn::IfThenElse(is_positive(radii), radii * set(1 - 16 * u) - mean * set(2), below);
  } else {
    if (block.upper_bound < HUGE_VAL)
      above = (set(block.upper_bound) * (set(1) + off) + radii + reach) * set(1 + 32 * u);
    if (block.close_enough >= 0)
      below = (set(block.close_enough) * (set(1) - off) + radii) * set(1 - 32 * u) - set(2) * mean;
    if (block.tolerance > 0) {
      const Number asked = set(block.tolerance) * set(1 - 0x1p-40);
      tolerance = larger(zero(), asked - set(2) * (reach + mean) - set(16 * u) * radii);
    }
  }
  hn::Store(above, tag, block.stop_above + at);
  hn::Store(below, tag, block.stop_below + at);
  hn::Store(tolerance, tag, block.stop_tolerance + at);

  for (BatchBlock::Row& ids : block.id)
    hn::Store(set(no_vertices), tag, ids + at);
  hn::Store(set(no_vertices), tag, block.last_id + at);
  hn::Store(hn::IfThenElse(fits, set(number_of(End::running)), set(number_of(End::open))), tag, block.end + at);
}

// --- The answers: bounds_of, judge, distance_of ---

HWY_INLINE void put(Mask mask, bool* to) {
  const unsigned bits = bits_of(mask);
  for (std::size_t lane = 0; lane < lanes; ++lane)
    to[lane] = (bits >> lane & 1) != 0;
}

/// GjkLoop::witnesses. `inside`: lanes where a fourth corner counts.
HWY_INLINE void set_witnesses(const BatchBlock& block, std::size_t at, Mask inside, Vector& a, Vector& b) {
  const SupportVertex* corners_a[lanes];
  const SupportVertex* corners_b[lanes];
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const BatchEntry& entry = block.entries[at + lane < block.count ? at + lane : at];
    corners_a[lane] = entry.a->corners;
    corners_b[lane] = entry.b->corners;
  }
  a = b = {zero(), zero(), zero()};
  // Oldest first. Empty slots contribute nothing: adding zero changes no bit of a sum that is not -0.
  for (const std::size_t k : {2u, 1u, 0u, 3u}) {
    if (k == 3 && !any(inside)) return;
    const BatchBlock::Row& ids = k < 3 ? block.id[k] : block.last_id;
    const BatchBlock::Row& weights = k < 3 ? block.weight[k] : block.last_weight;
    const Mask is_there = hn::Ge(hn::Load(tag, ids + at), zero());
    const Number weight = hn::IfThenElseZero(is_there, hn::Load(tag, weights + at));
    const double* at_a[lanes];
    const double* at_b[lanes];
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const auto both = static_cast<std::int64_t>(ids[at + lane]);
      const auto known = static_cast<std::size_t>(both < 0 ? 0 : both);
      at_a[lane] = &corners_a[lane][known >> id_bits].x;
      at_b[lane] = &corners_b[lane][known & id_mask].x;
    }
    a = a + load_vertices(at_a) * weight;
    const Vector own = load_vertices(at_b);
    const auto placed = [&](std::size_t r) HWY_ATTR {
      return dot(load3(tag, block.m + 3 * r, at), own) + hn::Load(tag, block.t[r] + at);
    };
    b = b + Vector{placed(0), placed(1), placed(2)} * weight;
  }
}

void finish(BatchBlock& block, std::size_t at) {
  const auto ended_by = [&](End end) HWY_ATTR { return hn::Eq(hn::Load(tag, block.end + at), set(number_of(end))); };
  const auto row = [&](const BatchBlock::Row& of) HWY_ATTR { return hn::Load(tag, of + at); };
  const Mask ended = hn::Not(ended_by(End::open));
  const Mask inside = ended_by(End::inside);
  // Contact of shapes without radius is decided without the points.
  const bool has_points =
      block.question == BatchBlock::Question::distance || any(is_positive(hn::Load(tag, block.radii + at)));
  Vector a, b;
  Number length = set(HUGE_VAL);
  if (has_points) {
    set_witnesses(block, at, inside, a, b);
    const Vector difference = a - b;
    length = hn::Sqrt(dot(difference, difference));
  }
  const Number upper = hn::IfThenElse(is_positive(row(block.points)), length, set(HUGE_VAL));
  const Number radii = row(block.radii), reach = row(block.reach_error), mean = row(block.mean_error);
  const Number lower = row(block.lower);
  const Mask proven = hn::And(inside, is_positive(row(block.proven)));

  const Number slack = (set(4 * u) + row(block.stretch)) * radii;
  const Number bound_lower = lower * set(shrink) - reach - radii - slack;
  const Number bound_upper = hn::IfThenElse(proven, hn::Neg(radii), upper * set(widen) + mean - radii + slack);
  const Mask apart = is_positive(bound_lower), overlap = hn::Le(bound_upper, zero());
  if (block.question == BatchBlock::Question::touches) {
    put(hn::And(ended, hn::Or(apart, overlap)), block.answered + at);
    put(hn::Not(apart), block.touching + at);
    return;
  }

  const Number stretch = row(block.stretch);
  const Number world_lower = hn::IfThenElseZero(apart, bound_lower * (set(1) - stretch) * set(shrink));
  const Number world_upper = bound_upper * (set(1) + stretch) * set(widen);
  const Mask above = ended_by(End::above), below = ended_by(End::below), close = ended_by(End::tolerance);
  const Mask stopped = hn::Or(above, hn::Or(below, close));
  Mask fails = hn::And(above, hn::Not(hn::Gt(world_lower, set(block.upper_bound))));
  fails = hn::Or(fails, hn::And(below, hn::Not(hn::Le(world_upper, set(block.close_enough)))));
  fails = hn::Or(fails, hn::And(close, hn::Not(hn::Le(world_upper - world_lower, set(block.tolerance)))));
  const Number rounding = set(1.25) * (reach + mean) + set(16 * u) * radii;
  const Number allowed = set(0x1p-31) * bound_upper + smaller(rounding, row(block.fine));
  const Mask tight = hn::Le(bound_upper - bound_lower, allowed);
  // Rough common points and rough bounds need more work and are left to the single call.
  const Number close_by = smaller(set(8) * mean, row(block.fine) * set(0.5)) + radii;
  const Mask met = hn::And(hn::And(overlap, hn::Le(length, close_by)), hn::Not(hn::And(inside, hn::Gt(length, mean))));
  const Mask fine = hn::Le(world_upper - world_lower, set(0x1p-31) * world_upper);
  const Mask measured = hn::AndNot(overlap, hn::Or(stopped, hn::And(apart, hn::And(tight, fine))));
  Mask fits = hn::And(hn::AndNot(fails, ended), hn::Or(met, measured));

  const Number radius_a = row(block.radius_a), radius_b = row(block.radius_b);
  const auto column = [&](std::size_t k) HWY_ATTR { return load3(tag, block.pose_a + 3 * k, at); };
  const Vector turn[3] = {column(0), column(1), column(2)};
  const Vector origin = column(3);
  const auto turned = [&](const Vector& d) HWY_ATTR { return turn[0] * d.x + turn[1] * d.y + turn[2] * d.z; };
  const Vector core_a = origin + turned(a), core_b = origin + turned(b);
  const Vector null = {zero(), zero(), zero()};

  const Vector out = turned(choose(is_positive(lower), -load(block.direction, at), b - a));
  const Number out_length = norm_if_safe(out, fits);
  Vector normal = choose(is_positive(out_length), out / out_length, null);
  Vector point_a = core_a, point_b = core_b, shared = core_a;
  if (any(is_positive(radii))) {
    const Vector along = core_b - core_a;
    const Number gap = norm_if_safe(along, fits);
    const Number from_origin = norm_if_safe(core_a - origin, fits);
    const Number least = set(0x1p-40) * (from_origin + radius_a + radius_b);
    const Vector way = choose(hn::Gt(gap, least), along / gap, normal);
    const Mask is_round = is_positive(radii);
    shared = choose(is_round, core_a + along * (radius_a / radii), core_a);
    point_a = choose(is_round, core_a + way * radius_a, core_a);
    point_b = choose(is_round, core_b - way * radius_b, core_b);
  }
  point_a = choose(overlap, shared, point_a);
  point_b = choose(overlap, shared, point_b);
  const Mask has_normal = hn::AndNot(overlap, is_positive(world_lower));
  normal = choose(has_normal, normal, null);
  const Number shown_lower = hn::IfThenElse(overlap, zero(), world_lower);
  const Number shown_upper = hn::IfThenElse(overlap, zero(), hn::IfThenElse(above, set(HUGE_VAL), world_upper));
  unsigned swapped_bits = 0;
  for (std::size_t lane = 0; lane < lanes; ++lane)
    swapped_bits |= (at + lane < block.count && block.entries[at + lane].swapped ? 1u : 0u) << lane;
  const Mask swapped = mask_of(swapped_bits);
  const Vector first = choose(swapped, point_b, point_a), second = choose(swapped, point_a, point_b);
  const Vector from_first = choose(swapped, -normal, normal);
  constexpr std::size_t stride = sizeof(BatchBlock::Answer) / sizeof(double);
  static_assert(stride == 12);
  auto* const to = reinterpret_cast<double*>(block.answers + at);
  store_four(shown_lower, shown_upper, first.x, first.y, to, stride);
  store_four(first.z, second.x, second.y, second.z, to + 4, stride);
  store_four(from_first.x, from_first.y, from_first.z, row(block.supports), to + 8, stride);
  put(fits, block.answered + at);
  put(hn::AndNot(overlap, stopped), block.stopped + at);
}

void block_of_pairs(BatchBlock& block) {
  search(block, [&](std::size_t at) HWY_ATTR { set_frames(block, at); });
  for (std::size_t at = 0; at < block.count; at += lanes)
    finish(block, at);
}

}  // namespace whisker::convex::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whisker::convex {

HWY_EXPORT(block_of_pairs);

void work_block(BatchBlock& block) {
  HWY_DYNAMIC_DISPATCH(block_of_pairs)(block);
}

}  // namespace whisker::convex
#endif
