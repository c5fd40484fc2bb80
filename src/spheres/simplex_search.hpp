#pragma once

// Derivative-free maximization of a function (J. Nelder and R. Mead 1965).

#include <algorithm>
#include <array>
#include <cstddef>

#include <Eigen/Core>

namespace whisker::spheres {

/// Returns the best point found with at most about `evaluations` evaluations. The initial simplex consists of `start`,
/// and of `start` moved by each of the steps along its axis. This is a local search. A point is a vector of Eigen.
template <class Function, class Point>
Point maximize(Function&& function, const Point& start, const Point& steps, int evaluations) {
  constexpr auto dimensions = static_cast<std::size_t>(Point::RowsAtCompileTime);
  struct Corner {
    double value;
    Point at;
  };
  int spent = 0;
  const auto evaluate = [&](const Point& at) {
    ++spent;
    return Corner{function(at), at};
  };
  // The point on the line from the centroid of all corners but the worst, through the worst.
  const auto along = [](const Point& center, const Corner& worst, double factor) {
    return Point(center + factor * (worst.at - center));
  };
  std::array<Corner, dimensions + 1> corners;
  corners[0] = evaluate(start);
  for (std::size_t i = 0; i < dimensions; ++i) {
    Point at = start;
    const auto axis = static_cast<Eigen::Index>(i);
    at[axis] += steps[axis];
    corners[i + 1] = evaluate(at);
  }
  const auto better = [](const Corner& a, const Corner& b) { return a.value > b.value; };
  while (true) {
    std::stable_sort(corners.begin(), corners.end(), better);
    if (spent >= evaluations) return corners[0].at;
    Point center = Point::Zero();
    for (std::size_t k = 0; k < dimensions; ++k)
      center += corners[k].at / static_cast<double>(dimensions);
    Corner& worst = corners[dimensions];
    const Corner reflected = evaluate(along(center, worst, -1));
    if (better(reflected, corners[0])) {
      const Corner expanded = evaluate(along(center, worst, -2));
      worst = better(expanded, reflected) ? expanded : reflected;
    } else if (better(reflected, corners[dimensions - 1])) {
      worst = reflected;
    } else {
      const Corner contracted = evaluate(along(center, worst, better(reflected, worst) ? -0.5 : 0.5));
      if (better(contracted, worst)) {
        worst = contracted;
        continue;
      }
      for (std::size_t k = 1; k <= dimensions; ++k)
        corners[k] = evaluate(along(corners[0].at, corners[k], 0.5));
    }
  }
}

}  // namespace whisker::spheres
