// First contacts of many polygons, one in each lane. Compiled once per instruction set: included from
// linear_contact_kernels.cpp.

#include <cstddef>

#include "motion/linear_contact.hpp"
#include "simd/set_bits.hpp"

#if defined(WHISKER_LINEAR_BATCH_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHISKER_LINEAR_BATCH_INL
#undef WHISKER_LINEAR_BATCH_INL
#else
#define WHISKER_LINEAR_BATCH_INL
#endif

#include <hwy/highway.h>

#include "geometry/constants.hpp"
#include "motion/linear_look-inl.hpp"
#include "motion/linear_rows-inl.hpp"
#include "motion/linear_search-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::motion::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class Number>
HWY_INLINE Number largest_of(const Lanes3<Number>& v) {
  return hn::Max(hn::Max(v.x, v.y), v.z);
}

/// The corners of one pair in each lane.
template <class D>
struct Corners {
  Lanes3<hn::Vec<D>> start[4], end[4];
};
/// Loads three numbers of a row for each lane, at the offset `at` from where the row begins.
template <class D>
HWY_INLINE Lanes3<hn::Vec<D>> transposed(D d, const double* const* rows, std::size_t at) {
  if constexpr (hn::MaxLanes(D()) == 1) {
    return {hn::Set(d, rows[0][at]), hn::Set(d, rows[0][at + 1]), hn::Set(d, rows[0][at + 2])};
  } else if constexpr (hn::MaxLanes(D()) == 2) {
    const hn::Half<D> half;
    const auto p = hn::LoadU(d, rows[0] + at), q = hn::LoadU(d, rows[1] + at);
    return {hn::InterleaveLower(d, p, q), hn::InterleaveUpper(d, p, q),
            hn::Combine(d, hn::LoadU(half, rows[1] + at + 2), hn::LoadU(half, rows[0] + at + 2))};
  } else if constexpr (hn::MaxLanes(D()) == 4) {
    const hn::Half<D> half;
    const hn::Half<decltype(half)> one;
    const auto two = [&](std::size_t i, std::size_t j) HWY_ATTR {
      return hn::Combine(d, hn::LoadU(half, rows[j] + at), hn::LoadU(half, rows[i] + at));
    };
    const auto third = [&](std::size_t i, std::size_t j) HWY_ATTR {
      return hn::Combine(half, hn::LoadU(one, rows[j] + at + 2), hn::LoadU(one, rows[i] + at + 2));
    };
    const auto even = two(0, 2), odd = two(1, 3);
    return {hn::InterleaveLower(d, even, odd), hn::InterleaveUpper(d, even, odd),
            hn::Combine(d, third(2, 3), third(0, 1))};
  } else {
    const hn::Half<D> half;
    const auto first = transposed(half, rows, at), second = transposed(half, rows + hn::MaxLanes(half), at);
    return {hn::Combine(d, second.x, first.x), hn::Combine(d, second.y, first.y), hn::Combine(d, second.z, first.z)};
  }
}

/// Pairs in rows of 24 numbers.
template <FeaturePairKind kind>
struct PairsInRows {
  static constexpr PolygonLayout layout = layout_of(kind);
  const double* rows;

  HWY_INLINE FeaturePair pair(std::size_t number) const {
    const double* const row = rows + 24 * number;
    FeaturePair pair;
    for (int k = 0; k < 4; ++k) {
      pair.start[k] = row + layout.start[k];
      pair.end[k] = row + layout.end[k];
    }
    return pair;
  }
  /// `numbers`: one for each lane.
  template <class D>
  HWY_INLINE Corners<D> corners(D d, const std::size_t* numbers) const {
    constexpr std::size_t lanes = hn::MaxLanes(D());
    const double* row[lanes];
    for (std::size_t lane = 0; lane < lanes; ++lane)
      row[lane] = rows + 24 * numbers[lane];
    Corners<D> corners;
    for (std::size_t k = 0; k < 4; ++k) {
      corners.start[k] = transposed(d, row, static_cast<std::size_t>(layout.start[k]));
      corners.end[k] = transposed(d, row, static_cast<std::size_t>(layout.end[k]));
    }
    return corners;
  }
};

/// Pairs given by vertex numbers.
template <FeaturePairKind kind>
struct PairsOfVertices {
  const FeaturePairs& pairs;

  HWY_INLINE FeaturePair pair(std::size_t number) const { return pairs.pair(kind, number); }
  template <class D>
  HWY_INLINE Corners<D> corners(D d, const std::size_t* numbers) const {
    constexpr std::size_t lanes = hn::MaxLanes(D());
    Corners<D> corners;
    for (std::size_t k = 0; k < 4; ++k) {
      const double* vertex[lanes];
      for (std::size_t lane = 0; lane < lanes; ++lane)
        vertex[lane] = pairs.corner(kind, numbers[lane], k).start;
      corners.start[k] = transposed(d, vertex, 0);
      corners.end[k] = transposed(d, vertex, 3);
    }
    return corners;
  }
};

/// The corners of the pairs' polygons at both ends of the time, and their least and largest coordinates.
template <class D, std::size_t count>
struct Reach {
  Lanes3<hn::Vec<D>> first[count], last[count], low, high;
};
template <FeaturePairKind kind, class D>
HWY_INLINE auto reach_of(D, const Corners<D>& c) {
  constexpr PolygonLayout layout = layout_of(kind);
  Reach<D, static_cast<std::size_t>(layout.count)> reach;
  set_reach<kind>(c.start, c.end, reach);
  return reach;
}

/// The polygons as `set_polygon` makes them. `apart`: the lanes that are separated along an axis. `in_range`: the lanes
/// that need no scale.
template <FeaturePairKind kind, class D>
HWY_INLINE auto polygons_of(D d, const Corners<D>& c, const LinearOptions& options, hn::Mask<D>& apart,
                            hn::Mask<D>& in_range) {
  using Number = hn::Vec<D>;
  constexpr PolygonLayout layout = layout_of(kind);
  const auto reach = reach_of<kind>(d, c);
  const Number far = hn::Set(d, far_of(options));
  apart = hn::Or(hn::Gt(largest_of(reach.low), far),
                 hn::Lt(hn::Min(hn::Min(reach.high.x, reach.high.y), reach.high.z), hn::Neg(far)));
  const Lanes3<Number> zero = {hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  Polygons<D, layout.count> p;
  const Lanes3<Number> x = max_size(max_size(zero, reach.low), reach.high);
  Lanes3<Number> change = zero, e = zero;
  for (std::size_t i = 0; i < p.corners; ++i) {
    p.x[i] = reach.first[i];
    p.dx[i] = reach.last[i] - reach.first[i];
    change = max_size(change, p.dx[i]);
  }
  for (std::size_t i = 0; i < p.sides; ++i) {
    const SideOf side = side_of(layout, static_cast<int>(i));
    const Lanes3<Number> last = c.end[side.to] - c.end[side.from];
    p.e[i] = c.start[side.to] - c.start[side.from];
    p.de[i] = last - p.e[i];
    e = max_size(max_size(e, p.e[i]), last);
  }
  const Number largest_change = largest_of(change), largest = largest_of(x), none = hn::Zero(d);
  p.width = hn::Max(hn::Set(d, options.time_tolerance),
                    hn::IfThenElse(hn::Gt(largest_change, none), hn::Div(hn::Set(d, options.tolerance), largest_change),
                                   hn::Set(d, 1.0)));
  in_range = hn::Or(hn::Eq(largest, none),
                    hn::And(hn::Gt(largest, hn::Set(d, 0x1p-100)), hn::Lt(largest, hn::Set(d, 0x1p100))));
  const Number floor = hn::Set(d, min_error);
  const auto product = [](Number f, Number g, Number h) HWY_ATTR { return hn::Mul(hn::Mul(f, g), h); };
  p.cubic_error =
      hn::Add(hn::Mul(hn::Set(d, 64 * unit_roundoff),
                      hn::Add(hn::Add(product(x.x, e.y, e.z), product(e.x, x.y, e.z)), product(e.x, e.y, x.z))),
              floor);
  const auto quadratic = [&](Number xi, Number ej, Number xj, Number ei) HWY_ATTR {
    return hn::Add(hn::Mul(hn::Set(d, 20 * unit_roundoff), hn::Add(hn::Mul(xi, ej), hn::Mul(xj, ei))), floor);
  };
  p.quadratic_error = {quadratic(x.y, e.z, x.z, e.y), quadratic(x.x, e.z, x.z, e.x), quadratic(x.x, e.y, x.y, e.x)};
  if (options.separation > 0) {
    const Number side = hn::Mul(hn::Sqrt(dot(e, e)), hn::Set(d, 1 + 16 * unit_roundoff));
    const Number more = product(hn::Set(d, options.separation), side, hn::Set(d, 1 + 8 * unit_roundoff));
    p.cubic_error = hn::Add(p.cubic_error, product(more, side, hn::Set(d, 1 + 8 * unit_roundoff)));
    p.quadratic_error = p.quadratic_error + Lanes3<Number>{more, more, more};
  }
  return p;
}

/// Tests pairs in lanes: first all pairs that are not apart along an axis, then those of them whose cubic has one zero.
/// Each kind waits until there is one pair for each lane.
template <FeaturePairKind kind, class Pairs>
class Batch {
 public:
  Batch(const Pairs& pairs, const LinearOptions& options, const LinearSink& sink)
      : pairs_(pairs), options_(options), sink_(sink) {}

  /// Returns false if a pair was refused.
  bool look(std::size_t total) {
    for (std::size_t i = 0; i < total; ++i) {
      waiting_[waiting_count_] = i;
      if (options_.is_checked) {
        ++waiting_count_;
      } else {
        const PairRows rows = rows_of<kind>(pairs_.pair(i));
        if (!is_in_range<kind>(rows)) return false;
        waiting_count_ += are_apart(rows, options_) ? 0u : 1u;
      }
      if (waiting_count_ == lanes) look_at_wholes();
    }
    if (waiting_count_ > 0) look_at_wholes();
    if (once_count_ > 0) look_at_windows(once_count_);
    return true;
  }

 private:
  using D = hn::CappedTag<double, 8>;
  static constexpr std::size_t lanes = hn::MaxLanes(D());
  static constexpr int count = layout_of(kind).count;

  static HWY_INLINE unsigned bits_of(hn::Mask<D> mask) { return mask_bits(D(), mask); }

  HWY_NOINLINE void look_at_wholes() {
    const D d;
    const std::size_t many = waiting_count_;
    waiting_count_ = 0;
    for (std::size_t lane = many; lane < lanes; ++lane)
      waiting_[lane] = waiting_[0];
    const Corners<D> corners = pairs_.corners(d, waiting_);
    hn::Mask<D> apart, in_range;
    const auto polygons = polygons_of<kind>(d, corners, options_, apart, in_range);
    const auto seen = look_at_whole(d, polygons, options_.until, options_.separation > 0);
    const unsigned open = ~bits_of(hn::Or(apart, hn::And(seen.apart, in_range))) & ((1u << many) - 1);
    if (open == 0) return;
    const unsigned plain = bits_of(in_range), once = bits_of(seen.once) & plain & open, blind = bits_of(seen.is_blind);
    if (once != 0) {
      alignas(64) double c[4][lanes];
      for (std::size_t i = 0; i < 4; ++i)
        hn::Store(seen.c[i], d, c[i]);
      for (const std::size_t lane : simd::SetBits(once)) {
        once_[once_count_] = waiting_[lane];
        for (std::size_t i = 0; i < 4; ++i)
          cubic_[i][once_count_] = c[i][lane];
        ++once_count_;
      }
    }
    for (const std::size_t lane : simd::SetBits(open & ~once)) {
      const FeaturePair pair = pairs_.pair(waiting_[lane]);
      LinearPolygon polygon;
      LinearAnswer answer;
      if ((plain >> lane & 1) != 0) {
        set_polygon<kind>(rows_of<kind>(pair), options_, polygon);
        finish<count>(polygon, false, {0, options_.until}, options_.until, (blind >> lane & 1) != 0, answer);
      } else {
        one_contact<kind>(pair, options_, polygon, answer);
      }
      if (!answer.apart) sink_(waiting_[lane], pair, polygon, answer);
    }
    if (once_count_ >= lanes) look_at_windows(lanes);
  }

  /// Tests the last `many` pairs of `once_`.
  HWY_NOINLINE void look_at_windows(std::size_t many) {
    const D d;
    once_count_ -= many;
    std::size_t* const numbers = once_ + once_count_;
    for (std::size_t lane = many; lane < lanes; ++lane)
      numbers[lane] = numbers[0];
    const Corners<D> corners = pairs_.corners(d, numbers);
    hn::Mask<D> apart, in_range;  // known from before
    const auto polygons = polygons_of<kind>(d, corners, options_, apart, in_range);
    const hn::Vec<D> c[4] = {hn::LoadU(d, cubic_[0] + once_count_), hn::LoadU(d, cubic_[1] + once_count_),
                             hn::LoadU(d, cubic_[2] + once_count_), hn::LoadU(d, cubic_[3] + once_count_)};
    const auto seen = look_at_window(d, polygons, c, options_.until);
    const unsigned touch = bits_of(seen.touch);
    alignas(64) double from[lanes], to[lanes];
    hn::Store(seen.from, d, from);
    hn::Store(seen.to, d, to);
    for (const std::size_t lane : simd::SetBits(~bits_of(seen.apart) & ((1u << many) - 1))) {
      const FeaturePair pair = pairs_.pair(numbers[lane]);
      LinearPolygon polygon;
      LinearAnswer answer;
      set_polygon<kind>(rows_of<kind>(pair), options_, polygon);
      finish<count>(polygon, (touch >> lane & 1) != 0, {from[lane], to[lane]}, options_.until, false, answer);
      if (!answer.apart) sink_(numbers[lane], pair, polygon, answer);
    }
  }

  const Pairs pairs_;
  const LinearOptions& options_;
  const LinearSink& sink_;
  std::size_t waiting_[lanes];
  std::size_t waiting_count_ = 0;
  // Pairs whose cubic has one zero, with its coefficients for the whole time. Lanes beyond the last keep old values.
  std::size_t once_[3 * lanes];
  double cubic_[4][3 * lanes] = {};
  std::size_t once_count_ = 0;
};

}  // namespace whisker::motion::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
