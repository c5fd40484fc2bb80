#pragma once

// The search for a short translation that parts two shapes: along given directions, every step verified.

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

/// Looks along a unit direction for a length that `is_free(displacement)` verifies and that is shorter than the best.
/// `guess` is where the search begins if there is no best yet: a length that should do. No length below `lower` can.
/// Lengths are halved toward `lower`; what is free need not be one interval, so the result is a good length, not the
/// least one.
template <class IsFree>
void improve(Separation& best, const Vector3& direction, double guess, double lower, IsFree&& is_free) {
  constexpr int max_doublings = 6;
  constexpr int max_halvings = 60;
  constexpr double worthwhile = 1 - 0x1p-7;  // a direction must be better by so much to be looked into
  constexpr double fine_enough = 0x1p-44;
  double free = infinity;
  if (best.found()) {
    free = std::min(best.length * worthwhile, guess > lower ? guess : best.length * worthwhile);
    if (!(free > lower)) return;
    if (!is_free(direction * free)) {
      free = best.length * worthwhile;
      if (!(free > lower) || !is_free(direction * free)) return;
    }
  } else {
    free = guess;
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

/// Shortens a translation that parts two shapes, without turning it, until they touch but for some roundings, and says
/// where: `last` is what `gap` gave there. `gap(displacement, most)` is the distance of the two, b moved, of which more
/// than `most` is of no interest. A length counts while they are more than `rounding` apart, so that rounding the move
/// does not matter. No length below `lower` parts them.
template <class Gap>
void close_up(const Vector3& direction, double lower, double rounding, Gap&& gap, double& length, Distance& last) {
  constexpr int max_steps = 16;
  constexpr int max_halvings = 60;
  const double near = 4 * rounding;
  double too_short = lower;
  last = gap(direction * length, infinity);
  for (int step = 0; step < max_steps && last.lower > near; ++step) {
    const double spare = last.lower - 2 * rounding;
    // If they part straight on from here, so far back; in any case this far.
    const double bold = length - spare / std::max(last.normal.dot(direction), 0x1p-10);
    if (bold > too_short && bold < length) {
      const Distance there = gap(direction * bold, infinity);
      if (there.lower > rounding) {
        length = bold;
        last = there;
        continue;
      }
      too_short = bold;
    }
    if (!(length - spare > too_short)) break;
    const Distance there = gap(direction * (length - spare), infinity);
    if (!(there.lower > rounding)) break;
    length -= spare;
    last = there;
  }
  for (int i = 0; i < max_halvings && last.lower > near; ++i) {
    const double middle = too_short + (length - too_short) / 2;
    if (!(middle > too_short && middle < length)) break;
    const Distance there = gap(direction * middle, infinity);
    if (!(there.lower > rounding)) {
      too_short = middle;
      continue;
    }
    length = middle;
    last = there;
  }
}

}  // namespace whisker::mesh
