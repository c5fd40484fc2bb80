// The search for the first contact of one polygon, in eight time slices at once where necessary. Compiled once per
// instruction set: included from linear_contact_kernels.cpp.

#include <algorithm>
#include <cstddef>

#include "motion/linear_contact.hpp"

#if defined(WHISKER_LINEAR_SEARCH_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHISKER_LINEAR_SEARCH_INL
#undef WHISKER_LINEAR_SEARCH_INL
#else
#define WHISKER_LINEAR_SEARCH_INL
#endif

#include <hwy/highway.h>

#include "motion/linear_look-inl.hpp"
#include "motion/linear_rows-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::motion::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t slices = 8;  // of an interval, on every instruction set, so that results are the same
/// Where the slices begin and end, as fractions of the interval. They avoid the halves and quarters where contacts are
/// frequent.
alignas(64) constexpr double borders[slices + 1] = {0, 0.1187, 0.2419, 0.3693, 0.4931, 0.6183, 0.7437, 0.8709, 1};

struct Part {
  double from, to;
};

inline void set_touch(const Part& part, bool certain, double width, LinearAnswer& answer) {
  answer.apart = false;
  answer.certain = certain;
  answer.lower = part.from;
  answer.upper = part.to;
  answer.limited = part.to - part.from > width;
}

/// Whether a gap is within the allowed one or within rounding. (The directions may stop farther away where the polygon
/// is thin.)
inline bool is_nearly_touching(const LinearPolygon& p, double gap) {
  const double size = std::max({p.size_x[0], p.size_x[1], p.size_x[2]});
  return gap <= p.near + 0x1p-46 * size;
}

/// Searches the part `all` of the time. There must be no contact outside it, and the answer must be "apart" on entry.
/// `cubic_is_blind`: the cubic is practically zero at both ends of the time.
template <int count>
HWY_NOINLINE void search(const LinearPolygon& p, const Part& all, double until, bool cubic_is_blind,
                         LinearAnswer& answer) {
  const hn::CappedTag<double, slices> d;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  const Polygons<hn::CappedTag<double, slices>, count> all_lanes = for_all<count>(d, p);
  constexpr int patience = 64;  // parts subdivided before coarser ones are accepted
  double fine = finest;
  const double width = std::max(p.width, fine);
  // At most seven parts of each width wait, and there are fifteen widths.
  Part stack[128];
  std::size_t waiting = 0;
  bool has_advanced = false;
  const auto hit = [&](const Part& part, bool certain) { set_touch(part, certain, p.width, answer); };
  // Near a contact that cannot be proven, slices get smaller and smaller, whereas directions get there in a few steps.
  // There is no contact from `from` until the returned time. A contact after it may have been found.
  const auto advance = [&](double from) {
    has_advanced = true;
    Advance advanced = advance_by_axes(p, from, all.to, finest / 2, 24);
    // Where the directions stop, the other conditions may get a little farther.
    for (double step = finest; advanced.is_stopped && step < 5000 * finest; step *= 8) {
      const Part next = {advanced.time, std::min(all.to, advanced.time + step)};
      if (!look_at<count>(p, next.from, next.to).is_off) break;
      if (next.to == all.to) return all.to;
      advanced = advance_by_axes(p, next.to, all.to, finest / 2, 24);
    }
    if (advanced.is_stopped && is_nearly_touching(p, advanced.gap)) {
      const Part window = {advanced.time, std::min(all.to, advanced.time + 0.9 * width)};
      hit(window, false);
      // There is no contact before the window, so a contact in the wider interval is in the window.
      for (const double before : {0.0, 0.25, 8.0}) {
        const OneLook seen = look_at<count>(p, std::max(0.0, window.from - before * width), window.to);
        answer.certain = seen.has_contact;
        if (answer.certain || seen.last == 0) break;
      }
    }
    return advanced.time;
  };
  stack[waiting++] = all;
  if (cubic_is_blind) {
    const double reached = advance(all.from);
    if (reached == all.to || !answer.apart) return;
    stack[0].from = reached;
  }
  for (int looked = 0; waiting > 0; ++looked) {
    const Part part = stack[--waiting];
    if (looked >= patience && looked % 16 == 0) fine = looked == patience ? width : 4 * fine;
    if (part.to - part.from <= fine) {
      const OneLook seen = look_at<count>(p, part.from, part.to);
      if (seen.is_off || (!seen.has_contact && is_kept_away(p, part.from, part.to, 0))) continue;
      return hit(part, seen.has_contact);
    }

    alignas(64) double from[slices], to[slices], c[4][slices];
    const double length = part.to - part.from;
    unsigned open = 0;
    for (std::size_t k = 0; k < slices; k += lanes) {
      const auto at_share = [&](const double* share) HWY_ATTR {
        return hn::Add(hn::Set(d, part.from), hn::Mul(hn::LoadU(d, share), hn::Set(d, length)));
      };
      const auto begin = at_share(borders + k);
      // The last border is exactly the end of the interval, despite rounding.
      const auto ends = hn::IfThenElse(hn::Ge(hn::LoadU(d, borders + k + 1), hn::Set(d, 1.0)), hn::Set(d, part.to),
                                       at_share(borders + k + 1));
      const auto seen = look<false>(d, all_lanes, begin, ends);
      hn::Store(begin, d, from + k);
      hn::Store(ends, d, to + k);
      for (std::size_t i = 0; i < 4; ++i)
        hn::Store(seen.c[i], d, c[i] + k);
      open |= mask_bits(d, hn::Not(seen.is_off)) << k;
    }
    for (; open != 0; open &= open - 1) {
      const auto at = static_cast<std::size_t>(hwy::Num0BitsBelowLS1Bit_Nonzero32(open));
      Part slice = {from[at], to[at]};
      const int s0 = sign_of(c[0][at], p.cubic_error), s1 = sign_of(c[1][at], 3 * p.cubic_error),
                s2 = sign_of(c[2][at], 3 * p.cubic_error), s3 = sign_of(c[3][at], p.cubic_error);
      if (slice.to - slice.from <= width) {
        if (s0 * s3 < 0 && look_at<count>(p, slice.from, slice.to).has_contact) return hit(slice, true);
        // A zero on the very border of the slice: a contact slightly farther out is in this slice or later, since there
        // is none before it.
        const double out = (width - (slice.to - slice.from)) / 2;
        const Part wide = {std::max(0.0, slice.from - out), std::min(until, slice.to + out)};
        if ((s0 == 0 || s3 == 0) && look_at<count>(p, wide.from, wide.to).has_contact)
          return hit({slice.from, wide.to}, true);
      } else if (s0 * s3 < 0 && (s1 == s0 || s2 == s3)) {
        // The coefficients change sign once, so there is one zero. If the signs at the borders of a narrow window
        // around it are certain, there is no zero outside the window.
        const hn::CappedTag<double, 1> one;
        const hn::Vec<decltype(one)> cubic[4] = {hn::Set(one, c[0][at]), hn::Set(one, c[1][at]), hn::Set(one, c[2][at]),
                                                 hn::Set(one, c[3][at])};
        const double zero = slice.from + hn::GetLane(zero_of(one, cubic)) * (slice.to - slice.from);
        const Part window = {std::max(slice.from, zero - 0.45 * width), std::min(slice.to, zero + 0.45 * width)};
        const OneLook seen = look_at<count>(p, window.from, window.to);
        if (seen.first == s0 && seen.last == s3) {
          if (seen.is_off) continue;
          if (seen.has_contact) return hit(window, true);
          slice = window;
        }
      }
      const bool is_blind = s0 == 0 || s3 == 0;
      if (has_advanced && (is_blind || looked > 8) && is_kept_away(p, slice.from, slice.to, 0)) continue;
      if (!has_advanced && (is_blind || looked > 1)) {
        const double reached = advance(slice.from);
        if (reached == all.to || !answer.apart) return;
        if (reached > slice.from) {
          waiting = 0;
          stack[waiting++] = {reached, all.to};
          break;
        }
      }
      // This slice is examined before the later ones.
      for (unsigned later = open & (open - 1); later != 0;) {
        const auto last = 31 - static_cast<std::size_t>(hwy::Num0BitsAboveMS1Bit_Nonzero32(later));
        stack[waiting++] = {from[last], to[last]};
        later &= ~(1u << last);
      }
      stack[waiting++] = slice;
      break;
    }
  }
}

/// Decides what is still open.
template <int count>
HWY_INLINE void finish(const LinearPolygon& p, bool touch, const Part& part, double until, bool cubic_is_blind,
                       LinearAnswer& answer) {
  if (touch) return set_touch(part, true, p.width, answer);
  if (p.separation > 0) return first_contact_by_axes(p, until, p.width, answer);
  search<count>(p, part, until, cubic_is_blind, answer);
}

template <FeaturePairKind kind>
LinearOutcome one_contact(const FeaturePair& pair, const LinearOptions& options, LinearPolygon& p,
                          LinearAnswer& answer) {
  const PairRows rows = rows_of<kind>(pair);
  if (!options.is_checked && !is_in_range<kind>(rows)) return LinearOutcome::refused;
  if (are_apart(rows, options)) return LinearOutcome::apart;
  set_polygon<kind>(rows, options, p);
  constexpr int count = layout_of(kind).count;
  if constexpr (count < 3) {
    first_contact_by_axes(p, options.until, p.width, answer);
  } else {
    const hn::CappedTag<double, 1> d;
    const auto polygon = for_all<count>(d, p);
    const auto whole = look_at_whole(d, polygon, options.until, p.separation > 0);
    if (hn::AllTrue(d, whole.apart)) return LinearOutcome::apart;
    if (hn::AllTrue(d, whole.once)) {
      const auto seen = look_at_window(d, polygon, whole.c, options.until);
      if (hn::AllTrue(d, seen.apart)) return LinearOutcome::apart;
      finish<count>(p, hn::AllTrue(d, seen.touch), {hn::GetLane(seen.from), hn::GetLane(seen.to)}, options.until, false,
                    answer);
    } else {
      finish<count>(p, false, {0, options.until}, options.until, hn::AllTrue(d, whole.is_blind), answer);
    }
  }
  return answer.apart ? LinearOutcome::apart : LinearOutcome::touch;
}

}  // namespace whisker::motion::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
