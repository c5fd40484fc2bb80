// GJK with a pair in each lane: GjkLoop, in the same order of operations. A lane that ends takes the next pair.
// Compiled once per instruction set: included from convex_batch_kernels.cpp.

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

#include "convex/convex_batch_simplex-inl.hpp"
#include "convex/convex_batch_supports-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::convex::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::uint64_t most_supports = GjkLoop<Vec3>::most_supports;

/// GjkLoop::add in all lanes: from `state` to `after`, which is of no use in lanes that have ended, but for `lower`.
/// Returns which have, a bit for each. `Most`: no simplex has more corners then. `has_limits`: a search may end by an
/// option or by contact.
template <std::size_t Most>
HWY_INLINE unsigned step(bool has_limits, const State& state, const Supports& supports, Lanes& s, State& after) {
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

  Mask over = hn::Lt(zero(), zero());
  Number end = set(number_of(End::converged));
  if (has_limits) {
    over = hn::And(ahead, hn::Gt(new_lower, hn::Load(tag, s.stop_above)));
    end = hn::IfThenElse(over, set(number_of(End::above)), end);
  }
  const Mask has_points = hn::Ge(corner[1].id, zero());
  constexpr double share_of_rounding = 4 * 0x1p-53;
  const Number gap = hn::Sub(squared, vw);
  const Mask converged = hn::Not(hn::Gt(gap, hn::Mul(set(share_of_rounding), squared)));
  over = hn::Or(over, hn::And(has_points, converged));
  if (has_limits) {
    const Number stop_below = hn::Load(tag, s.stop_below), tolerance = hn::Load(tag, s.stop_tolerance);
    const Mask looks =
        hn::AndNot(over, hn::And(has_points, hn::Or(is_positive(tolerance), hn::Ge(stop_below, zero()))));
    const Mask below = hn::And(looks, hn::Le(length, stop_below));
    const Mask close = hn::AndNot(below, hn::And(looks, hn::Le(hn::Sub(length, new_lower), tolerance)));
    end = hn::IfThenElse(below, set(number_of(End::below)), end);
    end = hn::IfThenElse(close, set(number_of(End::tolerance)), end);
    over = hn::Or(over, hn::Or(below, close));
  }
  Mask known = hn::Eq(corner[0].id, corner[1].id);
  known = hn::Or(known, hn::Or(hn::Eq(corner[0].id, corner[2].id), hn::Eq(corner[0].id, corner[3].id)));
  over = hn::Or(over, known);

  const Reduced r = reduce<Most>(corner);
  const Mask inside = hn::AndNot(over, r.inside);
  over = hn::Or(over, inside);
  Mask open = hn::AndNot(over, r.open);
  over = hn::Or(over, open);
  // No nearer: stalled, which ends it where it was, as convergence does.
  over = hn::Or(over, hn::AndNot(hn::Lt(r.squared, squared), has_points));
  // The origin; or the newest corner is not needed.
  const Mask lost =
      hn::AndNot(over, hn::Not(hn::And(hn::Gt(r.squared, hn::Load(tag, s.zero_squared)), is_positive(r.weight[0]))));
  open = hn::Or(open, lost);
  const unsigned ended = bits_of(hn::Or(over, lost));
  end = hn::IfThenElse(inside, set(number_of(End::inside)), end);
  hn::Store(hn::IfThenElse(open, set(number_of(End::open)), end), tag, s.end);
  if (any(inside)) {
    for (std::size_t i = 0; i < 4; ++i)
      hn::Store(r.weight[i], tag, s.last_weight[i]);
  }

  store(r.v, after.v);
  store(w, after.w[0]);
  hn::Store(corner[0].id, tag, after.id[0]);
  hn::Store(r.weight[0], tag, after.weight[0]);
  if constexpr (Most == 1) {
    for (std::size_t i = 1; i < 3; ++i)
      hn::Store(set(no_vertices), tag, after.id[i]);
    return ended;
  }
  // The corners that carry v, close together: keep_positive. The newest is one of them, so three are left at most.
  const Number none = set(no_vertices);
  const Mask keeps_b = is_positive(r.weight[1]), keeps_c = is_positive(r.weight[2]), keeps_d = is_positive(r.weight[3]);
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

/// Keeps what the search of a lane ended with.
HWY_INLINE void keep(const Lanes& s, const State& state, const State& after, std::size_t lane, double end,
                     std::uint64_t supports, BatchBlock& block) {
  const std::size_t i = s.pair[lane];
  block.end[i] = end;
  block.supports[i] = static_cast<double>(supports);
  block.lower[i] = after.lower[lane];
  for (int k = 0; k < 3; ++k)
    block.lower_direction[k][i] = after.direction[k][lane];
  block.points[i] = state.id[0][lane] >= 0 ? 1 : 0;
  for (std::size_t k = 0; k < 3; ++k) {
    block.id[k][i] = state.id[k][lane];
    block.weight[k][i] = state.weight[k][lane];
  }
  if (end == number_of(End::inside)) {
    block.id[3][i] = s.new_id[lane];
    block.weight[3][i] = s.last_weight[0][lane];
    for (std::size_t k = 0; k < 3; ++k)
      block.weight[k][i] = s.last_weight[k + 1][lane];
    for (int axis = 0; axis < 3; ++axis) {
      for (std::size_t k = 0; k < 3; ++k)
        block.corner[k][axis][i] = state.w[2 - k][axis][lane];
      block.corner[3][axis][i] = after.w[0][axis][lane];
    }
  }
}

/// Keeps the ends of the lanes that are `over`, after so many `steps`.
HWY_INLINE void keep_ended(const Lanes& s, const State& state, const State& after, unsigned over, std::uint64_t steps,
                           BatchBlock& block) {
  for (; over != 0; over &= over - 1) {
    const std::size_t lane = first_of(over);
    const std::uint64_t count = steps - s.began[lane];
    const double end = count >= most_supports ? number_of(End::open) : s.end[lane];
    if (end == number_of(End::open)) {
      block.end[s.pair[lane]] = end;
      for (BatchBlock::Row& row : block.id)
        row[s.pair[lane]] = no_vertices;
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

/// The first three steps of the pairs from `at` on, one in each lane. Those that have not ended are left as `running`.
/// All simplices have as many corners, and but few: most of a step's work falls away.
void begin_searches(BatchBlock& block, std::size_t at, Lanes& s) {
  State& state = s.states[0];
  const Mask fits = hn::Eq(hn::Load(tag, block.end + at), set(number_of(End::running)));
  unsigned active = bits_of(fits);
  if (block.count - at < lanes) active &= (1u << (block.count - at)) - 1;
  const auto copy = [&](const BatchBlock::Row& from, double* row)
                        HWY_ATTR { hn::Store(hn::Load(tag, from + at), tag, row); };
  for (int k = 0; k < 3; ++k) {
    hn::Store(hn::IfThenElseZero(fits, hn::Load(tag, block.v[k] + at)), tag, state.v[k]);
    hn::Store(set(no_vertices), tag, state.id[k]);
    copy(block.t[k], s.t[k]);
  }
  for (int k = 0; k < 9; ++k)
    copy(block.m[k], s.m[k]);
  hn::Store(zero(), tag, state.lower);
  copy(block.zero_squared, s.zero_squared);
  copy(block.doubt_a, s.doubt_a);
  copy(block.doubt_b, s.doubt_b);
  const bool limits = has_limits(block);
  if (limits) {
    copy(block.stop_above, s.stop_above);
    copy(block.stop_below, s.stop_below);
    copy(block.stop_tolerance, s.stop_tolerance);
  }
  for (unsigned into = active; into != 0; into &= into - 1) {
    const std::size_t lane = first_of(into);
    s.pair[lane] = at + lane;
    s.began[lane] = 0;
    begin_bodies(block, lane, s);
  }
  const auto advance = [&](auto most, const State& before, State& after) HWY_ATTR {
    Supports supports;
    find_supports(active, before, s, supports);
    const unsigned over = step<most>(limits, before, supports, s, after) & active;
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
  const auto put = [&](const double* row, BatchBlock::Row& to)
                       HWY_ATTR { hn::BlendedStore(hn::Load(tag, row), running, tag, to + at); };
  put(last.lower, block.lower);
  for (std::size_t k = 0; k < 3; ++k) {
    put(last.direction[k], block.lower_direction[k]);
    put(last.v[k], block.v[k]);
    for (std::size_t i = 0; i < 3; ++i)
      put(last.w[i][k], block.corner[i][k]);
    put(last.id[k], block.id[k]);
    put(last.weight[k], block.weight[k]);
  }
}

/// Searches all pairs. `set_frames(at)` is called once for those from `at` on, as many as there are lanes, before the
/// first of them is begun.
template <class SetFrames>
void search(BatchBlock& block, const SetFrames& set_frames) {
  Lanes s;
  prepare_shapes(block, s);
  s.set_idle();
  // Searches for contact are over too soon for steps in common.
  const bool in_common = block.question == BatchBlock::Question::distance;
  for (std::size_t at = 0; at < block.count; at += lanes) {
    set_frames(at);
    if (in_common) begin_searches(block, at, s);
  }

  // A lane that ends takes the next pair.
  const bool limits = has_limits(block);
  const std::uint64_t first_steps = in_common ? 3 : 0;
  std::size_t next = 0;
  unsigned active = 0;
  std::uint64_t steps = first_steps;
  const auto is_running = [&](std::size_t i) HWY_ATTR { return block.end[i] == number_of(End::running); };
  const auto refill = [&](unsigned free, State& state) HWY_ATTR {
    active &= ~free;
    while (free != 0) {
      while (next < block.count && !is_running(next))
        ++next;
      if (next == block.count) return;
      // As many as there are one after the other.
      unsigned into = 0;
      const std::size_t first = next;
      for (; free != 0 && next < block.count && is_running(next); ++next, free &= free - 1) {
        const std::size_t lane = first_of(free);
        into |= 1u << lane;
        s.pair[lane] = next;
        s.began[lane] = steps - first_steps;
      }
      begin_search(block, first, into, in_common, limits, s, state);
      active |= into;
      for (; into != 0; into &= into - 1)
        begin_bodies(block, first_of(into), s);
    }
  };
  refill((1u << lanes) - 1, s.states[0]);
  std::size_t now = 0;
  while (active != 0) {
    const State& state = s.states[now];
    now ^= 1;
    State& after = s.states[now];
    Supports supports;
    find_supports(active, state, s, supports);
    ++steps;
    unsigned over = step<4>(limits, state, supports, s, after) & active;
    // Now and then, so that all come to an end.
    if (steps % 32 == 0) {
      for (std::size_t lane = 0; lane < lanes; ++lane)
        if (steps - s.began[lane] >= most_supports) over |= active & (1u << lane);
    }
    keep_ended(s, state, after, over, steps, block);
    if (over != 0) refill(over, after);
  }
}

}  // namespace whisker::convex::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
