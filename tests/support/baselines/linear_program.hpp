#pragma once

// Linear programming in a few dimensions by Seidel's randomized incremental method, applied to the question whether two
// point sets have a separating plane.
//
// A baseline and an oracle, not part of the library. With exact numbers (Boost's rationals) the answer is exact.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <utility>
#include <vector>

namespace whisker::baselines {

namespace linear_program {

template <class N>
N magnitude(const N& x) {
  return x < 0 ? N(-x) : x;
}

/// Rounding error bound of a sum of a few products whose magnitudes sum up to `size`. Zero for exact numbers.
template <class N>
N rounding_of(const N&) {
  return N(0);
}
inline double rounding_of(double size) {
  return 0x1p-49 * size;
}

}  // namespace linear_program

/// Maximizes objective · x under a · x <= b for every constraint, and |x_k| <= bound for every coordinate.
///
/// Seidel (1991): the constraints are added in random order. If a constraint cuts off the optimum found so far, the new
/// optimum lies on its boundary, which is the same problem with one coordinate less. Expected O(D! n) if the order is
/// random.
///
/// The problem must be feasible. A constraint that is parallel, up to rounding, to one that has become an equation is
/// dropped, so that duplicates do no harm.
template <class N, int D>
class LinearProgram {
 public:
  using Vector = std::array<N, std::size_t(D)>;
  struct Constraint {
    Vector a;
    N b;
    N size;  ///< The largest |a_k| before coordinates were eliminated: the scale for rounding errors.
  };

  /// In the order in which they are added. It must be random for the method to be fast.
  std::vector<Constraint> constraints;

  void add(const Vector& a, const N& b) {
    N size(0);
    for (const N& entry : a)
      size = std::max(size, linear_program::magnitude(entry));
    constraints.push_back({a, b, size});
  }

  Vector solve(const Vector& objective, const N& bound) {
    Vector x{};
    if constexpr (D == 1) {
      N low = -bound, high = bound;
      for (const Constraint& c : constraints)
        narrow(c, low, high);
      if (objective[0] > 0) {
        x[0] = high;
      } else if (objective[0] < 0) {
        x[0] = low;
      } else {
        x[0] = low > 0 ? low : high < 0 ? high : N(0);
      }
    } else {
      for (std::size_t k = 0; k < D; ++k)
        x[k] = objective[k] > 0 ? bound : objective[k] < 0 ? N(-bound) : N(0);
      for (std::size_t i = 0; i < constraints.size(); ++i)
        if (is_violated(constraints[i], x)) move_onto(i, objective, bound, x);
    }
    return x;
  }

 private:
  static bool is_violated(const Constraint& c, const Vector& x) {
    using linear_program::magnitude;
    N sum(-c.b), size = magnitude(c.b);
    for (std::size_t k = 0; k < D; ++k) {
      const N product = c.a[k] * x[k];
      sum += product;
      size += magnitude(product);
    }
    return sum > linear_program::rounding_of(size);
  }

  static void narrow(const Constraint& c, N& low, N& high) {
    using linear_program::magnitude;
    if (magnitude(c.a[0]) <= linear_program::rounding_of(c.size)) return;
    const N at = c.b / c.a[0];
    if (c.a[0] > 0) {
      high = std::min(high, at);
    } else {
      low = std::max(low, at);
    }
  }

  /// Moves x to the optimum of the first constraints on the boundary of constraint `last`.
  void move_onto(std::size_t last, const Vector& objective, const N& bound, Vector& x) {
    using linear_program::magnitude;
    const Constraint& border = constraints[last];
    std::size_t pivot = 0;
    for (std::size_t k = 1; k < D; ++k)
      if (magnitude(border.a[k]) > magnitude(border.a[pivot])) pivot = k;
    if (magnitude(border.a[pivot]) <= linear_program::rounding_of(border.size)) return;

    // x_pivot = height - sum of slope_k x_k.
    const N height = border.b / border.a[pivot];
    std::array<N, std::size_t(D - 1)> slope{};
    for (std::size_t k = 0, to = 0; k < D; ++k)
      if (k != pivot) slope[to++] = border.a[k] / border.a[pivot];
    const auto without_pivot = [&](const Constraint& c) {
      typename LinearProgram<N, D - 1>::Constraint result;
      for (std::size_t k = 0, to = 0; k < D; ++k) {
        if (k == pivot) continue;
        result.a[to] = c.a[k] - c.a[pivot] * slope[to];
        ++to;
      }
      result.b = c.b - c.a[pivot] * height;
      result.size = c.size;
      return result;
    };
    smaller_.constraints.clear();
    Constraint limit;  // |x_pivot| <= bound becomes an ordinary constraint
    limit.a.fill(N(0));
    limit.b = bound;
    limit.size = N(1);
    limit.a[pivot] = N(1);
    smaller_.constraints.push_back(without_pivot(limit));
    limit.a[pivot] = N(-1);
    smaller_.constraints.push_back(without_pivot(limit));
    for (std::size_t i = 0; i < last; ++i)
      smaller_.constraints.push_back(without_pivot(constraints[i]));

    std::array<N, std::size_t(D - 1)> smaller_objective{};
    for (std::size_t k = 0, to = 0; k < D; ++k) {
      if (k == pivot) continue;
      smaller_objective[to] = objective[k] - objective[pivot] * slope[to];
      // If the objective is perpendicular to the boundary, only rounding error is left of it, which would send x to the
      // bound.
      const N terms = magnitude(objective[k]) + magnitude(N(objective[pivot] * slope[to]));
      if (magnitude(smaller_objective[to]) <= linear_program::rounding_of(terms)) smaller_objective[to] = N(0);
      ++to;
    }
    const std::array<N, std::size_t(D - 1)> smaller_x = smaller_.solve(smaller_objective, bound);
    N sum = height;
    for (std::size_t k = 0, to = 0; k < D; ++k) {
      if (k == pivot) continue;
      x[k] = smaller_x[to];
      sum -= slope[to] * smaller_x[to];
      ++to;
    }
    x[pivot] = sum;
  }

  LinearProgram<N, D - 1> smaller_;
};

template <class N>
class LinearProgram<N, 0> {};

template <class N>
using Point = std::array<N, 3>;

/// The plane that best separates two point sets, among the planes that intersect the line through their means.
template <class N>
struct PlaneBetween {
  /// The gap of b over a along `normal`, which is scaled so that the means are 1 apart along it. Positive if the hulls
  /// are apart, zero if they touch, negative if they overlap. At most 1, the gap of the means.
  N gap = N(0);
  Point<N> normal = {N(0), N(0), N(0)};
};

/// Separation by linear programming in dimension 3 + 1. The unknowns are the normal n, scaled so that the means of the
/// sets are 1 apart along it (any separating plane allows that, which leaves two unknowns for n), the offset w and the
/// margin m, with n · a <= w - m and n · b >= w + m, for the largest m. This program is feasible and bounded whatever
/// the points.
template <class N>
class PlaneFinder {
 public:
  explicit PlaneFinder(std::uint64_t seed = 1) : random_(seed) {}

  PlaneBetween<N> find(std::span<const Point<N>> a, std::span<const Point<N>> b) {
    using linear_program::magnitude;
    Point<N> mean_a = mean(a), mean_b = mean(b), between, middle;
    std::size_t k = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      between[axis] = mean_b[axis] - mean_a[axis];
      middle[axis] = mean_a[axis] + between[axis] / 2;
      if (magnitude(between[axis]) > magnitude(between[k])) k = axis;
    }
    if (between[k] == 0) return {};  // the common mean is in both hulls
    const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
    const N ratio_i = between[i] / between[k], ratio_j = between[j] / between[k];

    // In units of between[k]: n_k = 1 - ratio_i n_i - ratio_j n_j.
    order_.resize(a.size() + b.size());
    for (std::size_t at = 0; at < order_.size(); ++at)
      order_[at] = static_cast<std::uint32_t>(at);
    std::shuffle(order_.begin(), order_.end(), random_);
    program_.constraints.clear();
    N size(1);
    for (const std::uint32_t at : order_) {
      const bool of_b = at >= a.size();
      const Point<N>& p = of_b ? b[at - a.size()] : a[at];
      const N x = (p[i] - middle[i]) / between[k], y = (p[j] - middle[j]) / between[k],
              z = (p[k] - middle[k]) / between[k];
      const N first = x - ratio_i * z, second = y - ratio_j * z;
      size = std::max({size, magnitude(first), magnitude(second), magnitude(z)});
      if (of_b) {
        program_.add({N(-first), N(-second), N(1), N(1)}, z);
      } else {
        program_.add({first, second, N(-1), N(1)}, N(-z));
      }
    }
    const std::array<N, 4> best = program_.solve({N(0), N(0), N(0), N(1)}, N(size * N(bound_factor)));
    PlaneBetween<N> result;
    result.gap = 2 * best[3];
    result.normal[i] = best[0] / between[k];
    result.normal[j] = best[1] / between[k];
    result.normal[k] = (1 - ratio_i * best[0] - ratio_j * best[1]) / between[k];
    return result;
  }

 private:
  /// How steep a plane may be relative to the line of the means and still be found.
  static constexpr double bound_factor = 0x1p40;

  static Point<N> mean(std::span<const Point<N>> points) {
    Point<N> sum = {N(0), N(0), N(0)};
    for (const Point<N>& p : points)
      for (std::size_t axis = 0; axis < 3; ++axis)
        sum[axis] += p[axis];
    for (N& entry : sum)
      entry /= static_cast<std::uint32_t>(points.size());
    return sum;
  }

  LinearProgram<N, 4> program_;
  std::vector<std::uint32_t> order_;
  std::mt19937_64 random_;
};

}  // namespace whisker::baselines
