#pragma once

// Derivative-free maximization of a function (J. Nelder and R. Mead 1965).

#include <algorithm>
#include <array>
#include <cstddef>

namespace whisker::spheres {

/// Returns the best point found with at most about `evaluations` evaluations. The initial simplex consists of `start`,
/// and of `start` moved by each of the steps. This is a local search.
template <std::size_t N, class Function>
std::array<double, N> maximize(Function&& function, const std::array<double, N>& start,
                               const std::array<double, N>& steps, int evaluations) {
  struct Corner {
    double value;
    std::array<double, N> at;
  };
  int spent = 0;
  const auto evaluate = [&](const std::array<double, N>& at) {
    ++spent;
    return Corner{function(at), at};
  };
  // The point on the line from the centroid of all corners but the worst, through the worst.
  const auto along = [](const std::array<double, N>& center, const Corner& worst, double factor) {
    std::array<double, N> at;
    for (std::size_t i = 0; i < N; ++i)
      at[i] = center[i] + factor * (worst.at[i] - center[i]);
    return at;
  };
  std::array<Corner, N + 1> corners;
  corners[0] = evaluate(start);
  for (std::size_t i = 0; i < N; ++i) {
    std::array<double, N> at = start;
    at[i] += steps[i];
    corners[i + 1] = evaluate(at);
  }
  const auto better = [](const Corner& a, const Corner& b) { return a.value > b.value; };
  while (true) {
    std::stable_sort(corners.begin(), corners.end(), better);
    if (spent >= evaluations) return corners[0].at;
    std::array<double, N> center{};
    for (std::size_t k = 0; k < N; ++k) {
      for (std::size_t i = 0; i < N; ++i)
        center[i] += corners[k].at[i] / static_cast<double>(N);
    }
    Corner& worst = corners[N];
    const Corner reflected = evaluate(along(center, worst, -1));
    if (better(reflected, corners[0])) {
      const Corner expanded = evaluate(along(center, worst, -2));
      worst = better(expanded, reflected) ? expanded : reflected;
    } else if (better(reflected, corners[N - 1])) {
      worst = reflected;
    } else {
      const Corner contracted = evaluate(along(center, worst, better(reflected, worst) ? -0.5 : 0.5));
      if (better(contracted, worst)) {
        worst = contracted;
        continue;
      }
      for (std::size_t k = 1; k <= N; ++k)
        corners[k] = evaluate(along(corners[0].at, corners[k], 0.5));
    }
  }
}

}  // namespace whisker::spheres
