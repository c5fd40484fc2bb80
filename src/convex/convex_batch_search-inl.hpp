// GJK with one pair per lane: GjkLoop, and reduce() of simplex.hpp, with the same order of operations. A lane that ends
// takes the next pair. Compiled once per instruction set: included from convex_batch_kernels.cpp.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "convex/convex_batch_block.hpp"
#include "convex/gjk.hpp"

#if defined(WHISKER_CONVEX_BATCH_SEARCH_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHISKER_CONVEX_BATCH_SEARCH_INL
#undef WHISKER_CONVEX_BATCH_SEARCH_INL
#else
#define WHISKER_CONVEX_BATCH_SEARCH_INL
#endif

#include <hwy/highway.h>

#include "convex/convex_batch_supports-inl.hpp"
#include "convex/gjk_inside-inl.hpp"
#include "convex/simplex_lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::convex::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// --- The nearest points of simplices: reduce ---

/// A corner of the simplex. Here the newest comes first.
struct Corner {
  Vector w;
  Number id;  ///< id of its two vertices, or `no_vertices`
};

struct Reduced {
  Number weight[4];
  Vector v;
  Number squared;
  Mask inside;
  Mask open;  ///< a case that is left to the single query
};

/// `Most` and `Least` are the largest and the smallest number of corners of a simplex. Beyond two, ids tell the number.
template <std::size_t Most, std::size_t Least>
HWY_INLINE Reduced reduce(const Corner (&corner)[4]) {
  const Mask has_c = hn::Ge(corner[2].id, zero()), has_d = hn::Ge(corner[3].id, zero());
  const Vector &a = corner[0].w, &c = corner[2].w, &d = corner[3].w;
  // A single corner is treated as a segment of length 0.
  const Vector b = Least > 1 ? corner[1].w : choose(hn::Ge(corner[1].id, zero()), corner[1].w, corner[0].w);
  const Number one = set(1);
  const Mask never = hn::Lt(zero(), zero());
  if constexpr (Most == 1) return {{one, zero(), zero(), zero()}, a, dot(a, a), never, never};

  const Vector ab = b - a;
  const OnSegment<Number> on_b = nearest_on_segment(tag, a, b, ab);
  if (Most == 2 || !any(has_c))
    return {{hn::Sub(one, on_b.share), on_b.share, zero(), zero()}, on_b.v, on_b.squared, never, never};

  const Vector ac = c - a;
  const OnSegment<Number> on_c = nearest_on_segment(tag, a, c, ac);
  const Vector a_by_b = cross(a, ab), a_by_c = cross(a, ac);
  const Face<Number> abc = face_of(a, ab, ac, a_by_b, a_by_c);
  if (Most == 3 || !any(has_d)) {
    const OnFace<Tag> on = nearest_on_face(tag, has_c, abc, on_b, on_c);
    return {{on.a, on.x, on.y, zero()}, on.v, on.squared, never, on.opposite};
  }

  const Vector ad = d - a;
  const Number volume = dot(abc.n, ad);
  const Number sizes = hn::Mul(hn::Mul(dot(ab, ab), dot(ac, ac)), dot(ad, ad));
  constexpr double flat = 16 * 0x1p-53;
  const Mask thick = hn::Gt(hn::Mul(volume, volume), hn::Mul(set(flat * flat), sizes));
  const Number sign = hn::And(volume, set(-0.0));
  const auto within = [&](Number share) HWY_ATTR { return hn::And(thick, is_positive(hn::Xor(share, sign))); };
  const Number of_d = hn::Neg(abc.height);
  const Mask in_abc = hn::And(has_d, within(of_d));
  const OnFace<Tag> on_abc = nearest_on_face(tag, has_c, abc, on_b, on_c);

  const OnSegment<Number> on_d = nearest_on_segment(tag, a, d, ad);
  const Vector a_by_d = cross(a, ad);
  const Face<Number> acd = face_of(a, ac, ad, a_by_c, a_by_d);
  const Number of_b = hn::Neg(acd.height);
  const Mask in_acd = within(of_b), out_acd = hn::AndNot(in_acd, has_d);
  const OnFace<Tag> on_acd = nearest_on_face(tag, has_d, acd, on_c, on_d);
  const Face<Number> adb = face_of(a, ad, ab, a_by_d, a_by_b);
  const Number of_c = hn::Neg(adb.height);
  const Mask in_adb = within(of_c), out_adb = hn::AndNot(in_adb, has_d);
  const OnFace<Tag> on_adb = nearest_on_face(tag, has_d, adb, on_d, on_b);

  const Number best = hn::IfThenElse(in_abc, set(HUGE_VAL), on_abc.squared);
  const Mask take_acd = hn::And(out_acd, hn::Lt(on_acd.squared, best));
  const Number better = hn::IfThenElse(take_acd, on_acd.squared, best);
  const Mask take_adb = hn::And(out_adb, hn::Lt(on_adb.squared, better));
  const auto pick = [&](Number of_abc, Number of_acd, Number of_adb)
                        HWY_ATTR { return hn::IfThenElse(take_adb, of_adb, hn::IfThenElse(take_acd, of_acd, of_abc)); };
  Reduced r;
  r.weight[0] = pick(on_abc.a, on_acd.a, on_adb.a);
  r.weight[1] = pick(on_abc.x, zero(), on_adb.y);
  r.weight[2] = pick(on_abc.y, on_acd.x, zero());
  r.weight[3] = pick(zero(), on_acd.y, on_adb.x);
  r.v = choose(take_adb, on_adb.v, choose(take_acd, on_acd.v, on_abc.v));
  r.squared = hn::IfThenElse(take_adb, on_adb.squared, better);
  r.inside = never;
  r.open = hn::Or(hn::AndNot(in_abc, on_abc.opposite),
                  hn::Or(hn::And(out_acd, on_acd.opposite), hn::And(out_adb, on_adb.opposite)));

  const Mask in_three = hn::And(in_abc, hn::And(in_acd, in_adb));
  if (any(in_three)) {
    const Number of_a = hn::Sub(volume, hn::Add(hn::Add(of_b, of_c), of_d));
    const Mask in_bcd = within(of_a);
    r.inside = hn::And(in_three, in_bcd);
    r.open = hn::Or(r.open, hn::AndNot(in_bcd, in_three));
    const Number inverse = hn::Div(one, volume);
    r.weight[0] = hn::IfThenElse(r.inside, hn::Mul(of_a, inverse), r.weight[0]);
    r.weight[1] = hn::IfThenElse(r.inside, hn::Mul(of_b, inverse), r.weight[1]);
    r.weight[2] = hn::IfThenElse(r.inside, hn::Mul(of_c, inverse), r.weight[2]);
    r.weight[3] = hn::IfThenElse(r.inside, hn::Mul(of_d, inverse), r.weight[3]);
  }
  return r;
}

// --- The search: GjkLoop ---

constexpr std::uint64_t max_supports = GjkLoop<Vec3>::max_supports;

/// GjkLoop::add in all lanes, from `state` to `after`. In lanes that ended, `after` holds only the bound, its direction
/// and the newest corner. Returns the lanes that ended, one bit each. `Most`: the largest number of corners of a
/// simplex after the step. The first steps, which all lanes make together, have up to 1, 2 and 3. `Early`: `Most` is 4,
/// but lanes may be at their first or second step. `has_limits`: a search may end by an option or by contact.
///
/// Not GjkLoop itself, because in lanes all branches are masks. Pairs of hulls of 32 vertices take 207 ns each in a
/// batch and 375 ns one by one (`./bench convex --only distance/32`, EPYC with AVX-512).
template <std::size_t Most, bool Early>
HWY_NOINLINE unsigned step(bool has_limits, const State& state, const Supports& supports, Lanes& s, State& after) {
  const Vector v = load(state.v);
  Corner corner[4];
  const Vector w = supports.a - supports.b;
  corner[0] = {w, hn::Load(tag, s.new_id)};
  for (std::size_t i = 0; i < 3; ++i)
    corner[i + 1] = {load(state.w[i]), hn::Load(tag, state.id[i])};

  const Number squared = dot(v, v);
  const Number vw = dot(v, w);
  const Number length = hn::Sqrt(squared);
  const Number lower = hn::Div(vw, length);
  const Mask ahead = is_positive(vw);
  const Number known_lower = hn::Load(tag, state.lower);
  const Mask better = hn::And(ahead, hn::Gt(lower, known_lower));
  const Number new_lower = hn::IfThenElse(better, lower, known_lower);
  hn::Store(new_lower, tag, after.lower);
  store(choose(better, v, load(state.direction)), after.direction);

  const Mask never = hn::Lt(zero(), zero());
  Mask over = never;
  Number end = set(number_of(End::converged));
  if (has_limits) {
    over = hn::And(ahead, hn::Gt(new_lower, hn::Load(tag, s.stop_above)));
    end = hn::IfThenElse(over, set(number_of(End::above)), end);
  }
  const Mask has_points = Early ? hn::Ge(corner[1].id, zero()) : Most == 1 ? never : hn::Not(never);
  // Lanes where v is a SecondLook, not the single corner.
  Mask between = never;
  if constexpr (Early || Most == 2) {
    between = hn::AndNot(is_same(v, corner[1].w), hn::AndNot(hn::Ge(corner[2].id, zero()), has_points));
  }
  constexpr double share_of_rounding = 4 * 0x1p-53;
  const Number gap = hn::Sub(squared, vw);
  const Mask converged = hn::Not(hn::Gt(gap, hn::Mul(set(share_of_rounding), squared)));
  over = hn::Or(over, hn::AndNot(between, hn::And(has_points, converged)));
  if (has_limits) {
    const Number stop_below = hn::Load(tag, s.stop_below), tolerance = hn::Load(tag, s.stop_tolerance);
    const Mask looks = hn::AndNot(hn::Or(over, between),
                                  hn::And(has_points, hn::Or(is_positive(tolerance), hn::Ge(stop_below, zero()))));
    const Mask below = hn::And(looks, hn::Le(length, stop_below));
    const Mask close = hn::AndNot(below, hn::And(looks, hn::Le(hn::Sub(length, new_lower), tolerance)));
    end = hn::IfThenElse(below, set(number_of(End::below)), end);
    end = hn::IfThenElse(close, set(number_of(End::tolerance)), end);
    over = hn::Or(over, hn::Or(below, close));
  }
  Mask known = hn::Eq(corner[0].id, corner[1].id);
  known = hn::Or(known, hn::Or(hn::Eq(corner[0].id, corner[2].id), hn::Eq(corner[0].id, corner[3].id)));
  over = hn::Or(over, hn::AndNot(between, known));

  constexpr std::size_t least = Early || Most == 1 ? 1 : 2;
  const Reduced r = reduce<Most, least>(corner);
  const Mask inside = hn::AndNot(over, r.inside);
  over = hn::Or(over, inside);
  Mask open = hn::AndNot(over, r.open);
  over = hn::Or(over, open);
  // No closer: the search has stalled and ends with the state before this step, as on convergence.
  over = hn::Or(over, hn::AndNot(hn::Or(between, hn::Lt(r.squared, squared)), has_points));
  // Left open: v is the origin, or the newest corner is not needed. The exception is a SecondLook whose newest corner
  // is not needed: then v is the other corner, bit for bit.
  Mask has_newest = is_positive(r.weight[0]);
  if constexpr (Early || Most == 2) has_newest = hn::Or(has_newest, hn::And(between, is_same(r.v, corner[1].w)));
  const Mask lost = hn::AndNot(over, hn::Not(hn::And(hn::Gt(r.squared, hn::Load(tag, s.zero_squared)), has_newest)));
  open = hn::Or(open, lost);
  const unsigned ended = bits_of(hn::Or(over, lost));
  end = hn::IfThenElse(inside, set(number_of(End::inside)), end);
  hn::Store(hn::IfThenElse(open, set(number_of(End::open)), end), tag, s.end);
  if (any(inside)) {
    for (std::size_t i = 0; i < 4; ++i)
      hn::Store(r.weight[i], tag, s.last_weight[i]);
  }

  Vector next_v = r.v;
  if constexpr (Early || Most == 1) {
    const Number away = hn::Sqrt(r.squared);
    const Mask far =
        hn::AndNot(hn::Ge(vw, hn::Mul(set(SecondLook::enough), hn::Mul(length, away))), is_positive(length));
    const Vector along = w + v * hn::Mul(set(SecondLook::share), hn::Div(away, length));
    next_v = choose(hn::AndNot(has_points, far), along, r.v);
  }
  store(next_v, after.v);
  // The newest corner is one of those that carry v, except after a SecondLook, which may find a corner that is not
  // needed.
  Mask is_newest = hn::Not(never);
  if constexpr (Early || Most == 2) is_newest = hn::Or(hn::Not(between), is_positive(r.weight[0]));
  store(choose(is_newest, w, corner[1].w), after.w[0]);
  hn::Store(hn::IfThenElse(is_newest, corner[0].id, corner[1].id), tag, after.id[0]);
  hn::Store(hn::IfThenElse(is_newest, r.weight[0], r.weight[1]), tag, after.weight[0]);
  if constexpr (Most == 1) {
    for (std::size_t i = 1; i < 3; ++i)
      hn::Store(set(no_vertices), tag, after.id[i]);
    return ended;
  }
  // Move the corners that carry v together, as keep_positive does. At most three are left.
  const Number none = set(no_vertices);
  const Mask keeps_b = hn::And(is_newest, is_positive(r.weight[1])), keeps_c = is_positive(r.weight[2]),
             keeps_d = is_positive(r.weight[3]);
  const Number id_d = hn::IfThenElse(keeps_d, corner[3].id, none);
  const Number weight_d = hn::IfThenElseZero(keeps_d, r.weight[3]);
  const Vector w_c = choose(keeps_c, corner[2].w, corner[3].w);
  const Number id_c = hn::IfThenElse(keeps_c, corner[2].id, id_d);
  const Number weight_c = hn::IfThenElse(keeps_c, r.weight[2], weight_d);
  const Number left_id = hn::IfThenElse(keeps_c, id_d, none);
  const Number left_weight = hn::IfThenElseZero(keeps_c, weight_d);
  const Vector second_w = choose(keeps_b, corner[1].w, w_c);
  const Number second_id = hn::IfThenElse(keeps_b, corner[1].id, id_c);
  const Number second_weight = hn::IfThenElse(keeps_b, r.weight[1], weight_c);
  const Vector third_w = choose(keeps_b, w_c, corner[3].w);
  const Number third_id = hn::IfThenElse(keeps_b, id_c, left_id);
  const Number third_weight = hn::IfThenElse(keeps_b, weight_c, left_weight);

  store(second_w, after.w[1]);
  store(third_w, after.w[2]);
  hn::Store(second_id, tag, after.id[1]);
  hn::Store(third_id, tag, after.id[2]);
  hn::Store(second_weight, tag, after.weight[1]);
  hn::Store(third_weight, tag, after.weight[2]);
  return ended;
}

/// Stores the final state of a lane's search.
HWY_INLINE void keep(const Lanes& s, const State& state, const State& after, std::size_t lane, double end,
                     std::uint64_t supports, BatchBlock& block) {
  const auto i = static_cast<std::size_t>(s.pair[lane]);
  block.end[i] = end;
  block.supports[i] = static_cast<double>(supports);
  block.lower[i] = after.lower[lane];
  block.points[i] = state.id[0][lane] >= 0 ? 1 : 0;
  for (std::size_t k = 0; k < 3; ++k) {
    block.direction[k][i] = after.direction[k][lane];
    block.id[k][i] = state.id[k][lane];
    block.weight[k][i] = state.weight[k][lane];
  }
  if (end == number_of(End::inside)) {
    block.last_id[i] = s.new_id[lane];
    block.last_weight[i] = s.last_weight[0][lane];
    for (std::size_t k = 0; k < 3; ++k)
      block.weight[k][i] = s.last_weight[k + 1][lane];
    const auto corner = [&](const double(&w)[3][lanes]) HWY_ATTR { return Vec3{w[0][lane], w[1][lane], w[2][lane]}; };
    const std::array<Vec3, 4> tetrahedron = {corner(state.w[2]), corner(state.w[1]), corner(state.w[0]),
                                             corner(after.w[0])};
    block.proven[i] = is_well_inside(tetrahedron, block.size[i], block.mean_error[i]) ? 1 : 0;
  }
}

/// Stores the final states of the lanes in `over`. `steps` is the number of steps so far.
HWY_INLINE void keep_ended(const Lanes& s, const State& state, const State& after, unsigned over, std::uint64_t steps,
                           BatchBlock& block) {
  for (; over != 0; over &= over - 1) {
    const std::size_t lane = first_of(over);
    const std::uint64_t count = steps - static_cast<std::uint64_t>(s.began[lane]);
    const double end = count >= max_supports ? number_of(End::open) : s.end[lane];
    if (end == number_of(End::open)) {
      block.end[s.pair[lane]] = end;
      for (BatchBlock::Row& row : block.id)
        row[s.pair[lane]] = no_vertices;
      block.last_id[s.pair[lane]] = no_vertices;
    } else {
      keep(s, state, after, lane, end, count, block);
    }
  }
}

/// Whether any search may end by options or by contact.
bool has_limits(const BatchBlock& block) {
  return block.question == BatchBlock::Question::touches || block.upper_bound < HUGE_VAL || block.close_enough >= 0 ||
         block.tolerance > 0;
}

/// Prefetches a part of the memory that is needed soon, once per step. All steps of a block together prefetch most of
/// it. Prefetching it all at once would stall.
HWY_INLINE void fetch_some(BatchBlock& block) {
  whisker::convex::fetch_some<false>(block.upcoming.questions, 6);
  whisker::convex::fetch_some<true>(block.upcoming.answers, 4);
}

/// The first three steps of the pairs from `at` on, one pair per lane. Pairs that have not ended stay `running`. Their
/// simplices still have few corners, which saves most of a step's work.
void begin_searches(BatchBlock& block, std::size_t at, Lanes& s) {
  State& state = s.states[0];
  const Mask fits = hn::Eq(hn::Load(tag, block.end + at), set(number_of(End::running)));
  unsigned active = bits_of(fits);
  if (block.count - at < lanes) active &= (1u << (block.count - at)) - 1;
  for (int k = 0; k < 3; ++k) {
    hn::Store(hn::IfThenElseZero(fits, hn::Load(tag, block.v[k] + at)), tag, state.v[k]);
    hn::Store(set(no_vertices), tag, state.id[k]);
  }
  hn::Store(zero(), tag, state.lower);
  const bool limits = has_limits(block);
  each_frame_row(limits,
                 [&](std::size_t k) HWY_ATTR { hn::Store(hn::Load(tag, block.frame()[k] + at), tag, s.frame()[k]); });
  each_lane(active, [&](std::size_t lane) HWY_ATTR {
    s.pair[lane] = static_cast<std::int64_t>(at + lane);
    s.began[lane] = 0;
    begin_bodies(block, lane, s);
  });
  const auto advance = [&](auto most, const State& before, State& after) HWY_ATTR {
    Supports supports;
    find_supports(active, before, s, supports);
    fetch_some(block);
    const unsigned over = step<most, false>(limits, before, supports, s, after) & active;
    keep_ended(s, before, after, over, most, block);
    active &= ~over;
  };
  advance(std::integral_constant<std::size_t, 1>(), s.states[0], s.states[1]);
  if (active == 0) return;
  advance(std::integral_constant<std::size_t, 2>(), s.states[1], s.states[0]);
  if (active == 0) return;
  advance(std::integral_constant<std::size_t, 3>(), s.states[0], s.states[1]);
  if (active == 0) return;

  const State& last = s.states[1];
  const Mask running = mask_of(active);
  unrolled<0, State::state_count - 1>([&](std::size_t k) HWY_ATTR {
    hn::BlendedStore(hn::Load(tag, last.state()[k]), running, tag, block.state()[k] + at);
  });
}

/// Searches all pairs. Calls `set_frames(at)` once for each group of pairs from `at` on, one pair per lane, before the
/// search of any of them begins.
template <class SetFrames>
void search(BatchBlock& block, const SetFrames& set_frames) {
  Lanes s;
  prepare_shapes(block, s);
  s.set_idle();
  // Searches for contact end too soon for common first steps.
  const bool in_common = block.question == BatchBlock::Question::distance;
  for (std::size_t at = 0; at < block.count; at += lanes) {
    set_frames(at);
    if (in_common) begin_searches(block, at, s);
  }

  // Collect the pairs that still run, without branches because they are unpredictable. Indices out of range follow
  // them.
  alignas(64) std::int64_t waiting[BatchBlock::most + lanes];
  std::size_t count = 0;
  for (std::size_t i = 0; i < block.count; ++i) {
    waiting[count] = static_cast<std::int64_t>(i);
    count += block.end[i] == number_of(End::running) ? 1u : 0u;
  }
  for (std::size_t i = 0; i < lanes; ++i)
    waiting[count + i] = std::int64_t{1} << 40;

  // A lane that ends takes the next pair.
  const bool limits = has_limits(block);
  const std::uint64_t first_steps = in_common ? 3 : 0;
  std::size_t next = 0;
  unsigned active = 0;
  std::uint64_t steps = first_steps;
  const auto refill = [&](unsigned free, State& state) HWY_ATTR {
    active &= ~free;
    if (next == count) return;
    // Fill as many lanes at once as there are waiting pairs within a vector's length.
    while (free != 0 && next < count) {
      const unsigned into = begin_search(block, waiting + next, free, steps - first_steps, in_common, limits, s, state);
      next += hwy::PopCount(into);
      active |= into;
      free &= ~into;
    }
    // For all lanes, without branches: most already have their bodies.
    for (std::size_t lane = 0; lane < lanes; ++lane)
      begin_bodies(block, lane, s);
  };
  refill((1u << lanes) - 1, s.states[0]);
  std::size_t now = 0;
  while (active != 0) {
    const State& state = s.states[now];
    now ^= 1;
    State& after = s.states[now];
    Supports supports;
    find_supports(active, state, s, supports);
    fetch_some(block);
    ++steps;
    unsigned over = (in_common ? step<4, false>(limits, state, supports, s, after)
                               : step<4, true>(limits, state, supports, s, after)) &
                    active;
    // Check the limit of steps now and then, so that every search ends.
    if (steps % 32 == 0) {
      for (std::size_t lane = 0; lane < lanes; ++lane)
        if (steps - static_cast<std::uint64_t>(s.began[lane]) >= max_supports) over |= active & (1u << lane);
    }
    keep_ended(s, state, after, over, steps, block);
    if (over != 0) refill(over, after);
  }
}

}  // namespace whisker::convex::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
