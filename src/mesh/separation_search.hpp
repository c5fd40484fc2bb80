#pragma once

// Searches for a short translation that separates two shapes: along given directions, with every step verified.

#include <algorithm>

#include <whisker/queries.hpp>
#include <whisker/vector.hpp>

#include "geometry/constants.hpp"

namespace whisker::mesh {

/// The shortest translation found so far.
struct Separation {
  double length = infinity;
  Vector3 direction = Vector3::Zero();

  bool found() const { return length < infinity; }
};

/// Searches along a unit direction for a length that is shorter than the best and that `is_free(displacement)`
/// verifies. `guess` is a length that should work, at which the search starts if there is no best yet. No length below
/// `lower` can work. The search bisects toward `lower`. The free lengths need not form one interval, so the result is a
/// good length, not the least one.
template <class IsFree>
void improve(Separation& best, const Vector3& direction, double guess, double lower, IsFree&& is_free) {
  constexpr int max_doublings = 6;
  constexpr int max_halvings = 60;
  constexpr double worthwhile = 1 - 0x1p-7;  // a direction must be better by this factor to be searched
  constexpr double fine_enough = 0x1p-44;
  double free = guess;
  if (best.found()) {
    free = best.length * worthwhile;
    if (!(free > lower) || !is_free(direction * free)) return;
  } else {
    int tries = 0;
    while (!is_free(direction * free)) {
      if (++tries > max_doublings) return;
      free *= 2;
    }
  }
  double not_free = lower;
  for (int i = 0; i < max_halvings && free - not_free > fine_enough * free; ++i) {
    const double middle = not_free + (free - not_free) / 2;
    if (!(middle > not_free && middle < free)) break;
    (is_free(direction * middle) ? free : not_free) = middle;
  }
  best.length = free;
  best.direction = direction;
}

/// Shortens a translation that separates two shapes, without changing its direction, until they touch up to a few
/// roundings. `last` is set to what `gap` returned there. `gap(displacement)` is the distance of the two shapes with b
/// moved. A length counts while the shapes are more than `rounding` apart, so that rounding the displacement does not
/// matter. No length below `lower` separates them.
template <class Gap>
void close_up(const Vector3& direction, double lower, double rounding, Gap&& gap, double& length, Distance& last) {
  constexpr int max_steps = 16;
  constexpr int max_halvings = 60;
  const double near = 4 * rounding;
  double too_short = lower;
  last = gap(direction * length);
  const auto shorten_to = [&](double shorter) {
    const Distance there = gap(direction * shorter);
    if (!(there.lower > rounding)) return false;
    length = shorter;
    last = there;
    return true;
  };
  for (int step = 0; step < max_steps && last.lower > near; ++step) {
    const double spare = last.lower - 2 * rounding;
    // If the shapes approach each other along the normal, the length can shrink to `bold`. In any case it can shrink by
    // `spare`.
    const double bold = length - spare / std::max(last.normal.dot(direction), 0x1p-10);
    if (bold > too_short && bold < length) {
      if (shorten_to(bold)) continue;
      too_short = bold;
    }
    if (!(length - spare > too_short) || !shorten_to(length - spare)) break;
  }
  for (int i = 0; i < max_halvings && last.lower > near; ++i) {
    const double middle = too_short + (length - too_short) / 2;
    if (!(middle > too_short && middle < length)) break;
    if (!shorten_to(middle)) too_short = middle;
  }
}

/// Sets the depth from the best translation, closed up. See close_up.
template <class Gap>
void set_depth(Separation best, double lower, double rounding, const Gap& gap, Depth& result) {
  result.lower = lower;
  result.upper = best.length;
  if (best.found()) {
    Distance touching;
    close_up(best.direction, lower, rounding, gap, best.length, touching);
    result.upper = best.length * (1 + 0x1p-48);
    result.normal = best.direction;
    result.point_a = touching.point_a;
    result.point_b = touching.point_b - best.direction * best.length;
  }
  // close_up() leaves a gap of up to four roundings. That is all there is to the depth of shapes that only touch.
  const double close = std::max(1e-9 * result.upper, 8 * rounding);
  result.stop = result.upper - result.lower <= close ? Stop::exact : Stop::limit;
}

}  // namespace whisker::mesh
