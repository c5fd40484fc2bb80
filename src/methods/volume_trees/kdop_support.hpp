#pragma once

// Upper bounds on the support of a k-DOP in any direction.
//
// A direction d that is a sum of the polytope's own directions with weights λ >= 0 has support at most Σ λᵢ boundᵢ. A
// vector with entries of magnitude a >= b >= c >= 0, along signed axes A, B, C, is
//   a A + b B + c C                                        with the axes alone,
//   c (A+B+C) + (a-c) A + (b-c) B                          with the cube's diagonals,
//   b (A+B) + c (A+C) + (a-b-c) A                          with those of its faces, if a >= b + c,
//   (a+b-c)/2 (A+B) + (a+c-b)/2 (A+C) + (b+c-a)/2 (B+C)    otherwise,
//   c (A+B+C) + (b-c) (A+B) + (a-b) A                      with both.
// The smallest bound among those that K has directions for is used.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include <whisker/methods/kdop.hpp>

#include "geometry/constants.hpp"
#include "volumes/measure.hpp"

namespace whisker::methods::volume_trees {

using namespace volumes;

/// One of the directions, or its opposite, and its weight.
struct DopTerm {
  std::uint32_t index = 0;
  bool negative = false;
  double weight = 0;
};

using DopSum = std::array<DopTerm, 3>;

/// The ways to write a direction as a sum. Each is accurate to 4 roundings of the direction's largest entry, in every
/// entry.
struct DopSums {
  std::array<DopSum, 4> sums;
  std::size_t count = 0;
};

template <std::size_t K>
DopTerm dop_term(const std::array<int, 3>& direction, double weight) {
  for (std::uint32_t i = 0; i < K / 2; ++i) {
    const auto& d = Kdop<K>::directions[i];
    if (d == direction) return {i, false, weight};
    if (d[0] == -direction[0] && d[1] == -direction[1] && d[2] == -direction[2]) return {i, true, weight};
  }
  return {};
}

template <std::size_t K>
DopSums dop_sums(const Vector3& d) {
  std::array<int, 3> order = {0, 1, 2};
  std::sort(order.begin(), order.end(), [&](int i, int j) { return std::abs(d[i]) > std::abs(d[j]); });
  const double a = std::abs(d[order[0]]);
  const double b = std::abs(d[order[1]]);
  const double c = std::abs(d[order[2]]);
  // Signed axes in order of magnitude, and sums of them.
  const auto axes = [&](bool with_a, bool with_b, bool with_c) {
    std::array<int, 3> result = {0, 0, 0};
    const std::array<bool, 3> with = {with_a, with_b, with_c};
    for (std::size_t k = 0; k < 3; ++k) {
      const int axis = order[k];
      if (with[k]) result[static_cast<std::size_t>(axis)] = d[axis] < 0 ? -1 : 1;
    }
    return result;
  };
  const auto term = [&](bool with_a, bool with_b, bool with_c, double weight) {
    return dop_term<K>(axes(with_a, with_b, with_c), weight);
  };
  DopSums result;
  const auto add = [&](const DopTerm& x, const DopTerm& y, const DopTerm& z) {
    result.sums[result.count++] = {x, y, z};
  };
  add(term(true, false, false, a), term(false, true, false, b), term(false, false, true, c));
  if constexpr (K == 14 || K == 26) {
    add(term(true, true, true, c), term(true, false, false, a - c), term(false, true, false, b - c));
  }
  if constexpr (K == 18 || K == 26) {
    if (a >= b + c) {
      add(term(true, true, false, b), term(true, false, true, c), term(true, false, false, std::max(0.0, a - b - c)));
    } else {
      add(term(true, true, false, (a + b - c) / 2), term(true, false, true, std::max(0.0, (a + c - b) / 2)),
          term(false, true, true, std::max(0.0, (b + c - a) / 2)));
    }
  }
  if constexpr (K == 26) {
    add(term(true, true, true, c), term(true, true, false, b - c), term(true, false, false, a - b));
  }
  return result;
}

/// A k-DOP relative to the center of its box.
template <std::size_t K>
struct LocalDop {
  Vector3 middle = Vector3::Zero();
  std::array<double, K / 2> lower{};
  std::array<double, K / 2> upper{};
  double extent = 0;  // upper bound on the 1-norm of x - middle

  explicit LocalDop(const Kdop<K>& dop) {
    for (std::size_t k = 0; k < 3; ++k) {
      const int i = static_cast<int>(k);
      middle[i] = dop.lower[k] / 2 + dop.upper[k] / 2;
    }
    for (std::size_t i = 0; i < K / 2; ++i) {
      lower[i] = dop.lower[i];
      upper[i] = dop.upper[i];
      for (std::size_t k = 0; k < 3; ++k) {
        if (Kdop<K>::directions[i][k] == 0) continue;
        const double shift = -Kdop<K>::directions[i][k] * middle[static_cast<int>(k)];
        lower[i] = geometry::add_down(lower[i], shift);
        upper[i] = geometry::add_up(upper[i], shift);
      }
    }
    for (std::size_t k = 0; k < 3; ++k)
      extent = geometry::add_up(extent, std::max(-lower[k], upper[k]));
    // A bound looser than the box is useless, and would make the rounding error of sums larger than `extent` accounts
    // for.
    for (std::size_t i = 3; i < K / 2; ++i) {
      lower[i] = std::max(lower[i], -extent);
      upper[i] = std::min(upper[i], extent);
    }
  }

  /// Upper bound on d·(x - middle) for all x in the k-DOP. The entries of d may have an error of 4 roundings of its
  /// largest entry.
  double support(const Vector3& d) const {
    const DopSums sums = dop_sums<K>(d);
    double best = infinity;
    for (std::size_t s = 0; s < sums.count; ++s) {
      double sum = 0;
      for (const DopTerm& term : sums.sums[s])
        sum += term.weight * (term.negative ? -lower[term.index] : upper[term.index]);
      best = std::min(best, sum);
    }
    return best + (48 * unit_roundoff * largest_entry(d) * extent + underflow);
  }

  /// Upper bound on the coordinates of points in the k-DOP.
  Vector3 largest() const {
    Vector3 result;
    for (std::size_t k = 0; k < 3; ++k) {
      const int i = static_cast<int>(k);
      result[i] = std::abs(middle[i]) + std::max(-lower[k], upper[k]);
    }
    return result * (1 + 4 * unit_roundoff);
  }
};

}  // namespace whisker::methods::volume_trees
