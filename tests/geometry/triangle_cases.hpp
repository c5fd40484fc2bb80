#pragma once

// Difficult pairs of triangles: on grids, coplanar up to the last bit, sharing corners and edges, collinear, collapsed
// to points, permuted, huge, tiny, and far from the origin; and pairs in general position.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <utility>

#include <Eigen/Geometry>

#include <whisker/primitives.hpp>

#include "support/cases.hpp"
#include "support/random_vectors.hpp"

namespace whisker::test {

using Corners = std::array<Vector3, 3>;

inline Triangle triangle_of(const Corners& c) {
  return {c[0], c[1], c[2]};
}
inline Corners corners_of(const Triangle& t) {
  return {t.a, t.b, t.c};
}

inline Vector3 grid_vector(std::mt19937_64& random, int size) {
  return Vector3(whole(random, -size, size), whole(random, -size, size), whole(random, -size, size));
}

/// A coordinate moved by up to `steps` units in its last place.
inline double nudged(std::mt19937_64& random, double value, int steps) {
  const int count = whole(random, -steps, steps);
  const double toward = count > 0 ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
  for (int i = 0; i < std::abs(count); ++i)
    value = std::nextafter(value, toward);
  return value;
}

inline std::string text_of(const Triangle& t) {
  std::string text = "{";
  char buffer[120];
  for (const Vector3& p : corners_of(t)) {
    std::snprintf(buffer, sizeof buffer, "(%a, %a, %a) ", p[0], p[1], p[2]);
    text += buffer;
  }
  return text + "}";
}

struct TrianglePair {
  Triangle first;
  Triangle second;
};

/// The families of difficult pairs. The last one is general position.
enum class PairFamily {
  grid,                // all corners on a small grid
  coplanar_grid,       // all corners in one plane through grid points
  nearly_coplanar,     // all corners in one slanted plane, except for rounding
  nudged_grid,         // on a small grid, some coordinates off by an ulp or two
  shared_corner,       // one corner in common
  shared_edge,         // two corners in common
  corner_on_triangle,  // a corner of the second exactly on the first, inside or on an edge
  edges_crossing,      // an edge of each through one grid point
  collinear,           // one or both have collinear corners
  points,              // one or both are a point, often on the other
  identical,           // the same corners, permuted
  general,             // random, of similar size
  count
};

inline TrianglePair random_pair(std::mt19937_64& random, PairFamily family) {
  Corners a, b;
  const int grid = whole(random, 1, 4);
  const auto on_grid = [&](Corners& corners) {
    for (Vector3& p : corners)
      p = grid_vector(random, grid);
  };
  on_grid(a);
  on_grid(b);
  switch (family) {
    case PairFamily::grid:
      break;
    case PairFamily::coplanar_grid: {
      const Vector3 u = grid_vector(random, 3), v = grid_vector(random, 3), o = grid_vector(random, 3);
      for (Corners* corners : {&a, &b})
        for (Vector3& p : *corners)
          p = o + whole(random, -grid, grid) * u + whole(random, -grid, grid) * v;
      break;
    }
    case PairFamily::nearly_coplanar: {
      const Vector3 u = random_vector(random, 1), v = random_vector(random, 1), o = random_vector(random, 1);
      for (Corners* corners : {&a, &b})
        for (Vector3& p : *corners)
          p = o + uniform(random, -1, 1) * u + uniform(random, -1, 1) * v;
      break;
    }
    case PairFamily::nudged_grid:
      for (Corners* corners : {&a, &b})
        for (Vector3& p : *corners)
          for (int k = 0; k < 3; ++k)
            if (whole(random, 0, 3) == 0 && p[k] != 0) p[k] = nudged(random, p[k], 2);
      break;
    case PairFamily::shared_corner:
      if (whole(random, 0, 1) == 0) {
        for (Corners* corners : {&a, &b})
          for (Vector3& p : *corners)
            p = random_vector(random, 1);
      }
      b[0] = a[0];
      break;
    case PairFamily::shared_edge:
      if (whole(random, 0, 1) == 0) {
        for (Corners* corners : {&a, &b})
          for (Vector3& p : *corners)
            p = random_vector(random, 1);
      }
      b[0] = a[1];
      b[1] = a[0];
      break;
    case PairFamily::corner_on_triangle: {
      const int i = whole(random, 0, 8), j = whole(random, 0, 8 - i);
      b[0] = (i * a[0] + j * a[1] + (8 - i - j) * a[2]) / 8;
      // In half of the cases all on one side of the plane, so that they touch only there.
      if (whole(random, 0, 1) == 0) {
        const Vector3 normal = (a[1] - a[0]).cross(a[2] - a[0]);
        for (std::size_t k = 1; k < 3; ++k)
          if (normal.dot(b[k] - a[0]) < 0) b[k] = 2 * b[0] - b[k];
      }
      if (whole(random, 0, 2) == 0)
        for (int k = 0; k < 3; ++k)
          b[0][k] = nudged(random, b[0][k], 1);
      break;
    }
    case PairFamily::edges_crossing: {
      const int i = whole(random, 0, 4);
      const Vector3 meeting = (i * a[0] + (4 - i) * a[1]) / 4;
      const Vector3 along = grid_vector(random, 3);
      b[0] = meeting + along * whole(random, 0, 2);
      b[1] = meeting - along * whole(random, 0, 2);
      if (whole(random, 0, 2) == 0)
        for (int k = 0; k < 3; ++k)
          b[0][k] = nudged(random, b[0][k], 1);
      break;
    }
    case PairFamily::collinear: {
      const Vector3 along = grid_vector(random, 2), o = a[0];
      for (Vector3& p : a)
        p = o + whole(random, -3, 3) * along;
      const int kind = whole(random, 0, 4);
      if (kind == 0) {  // on the same line
        for (Vector3& p : b)
          p = o + whole(random, -3, 3) * along;
      } else if (kind == 1) {  // crossing lines
        const Vector3 other = grid_vector(random, 2);
        for (Vector3& p : b)
          p = o + whole(random, -3, 3) * other;
      } else if (kind == 2) {  // the line is in the plane
        b[0] = a[1] + grid_vector(random, 1);
        b[1] = b[0] + along * whole(random, -2, 2);
      }
      break;
    }
    case PairFamily::points: {
      a[1] = a[2] = a[0];
      const int kind = whole(random, 0, 3);
      if (kind == 0) b[1] = b[2] = b[0];
      if (kind == 1) b[1] = 2 * a[0] - b[0];  // on an edge
      if (kind == 2) b[2] = 4 * a[0] - 2 * b[0] - b[1];
      break;
    }
    case PairFamily::identical:
      if (whole(random, 0, 1) == 0)
        for (Vector3& p : a)
          p = random_vector(random, 1);
      b = a;
      break;
    case PairFamily::general:
    case PairFamily::count:
      for (Corners* corners : {&a, &b})
        for (Vector3& p : *corners)
          p = random_vector(random, 1);
      if (whole(random, 0, 1) == 0) {
        const Vector3 shift = random_vector(random, 1);
        for (Vector3& p : b)
          p += shift;
      }
      break;
  }
  if (whole(random, 0, 7) == 0) {  // of very different sizes
    const double size = std::ldexp(1, -whole(random, 1, 40));
    for (Vector3& p : b)
      p *= size;
  }
  const int place = whole(random, 0, 15);
  const double scale = place == 0 ? 0x1p299 : place == 1 ? 0x1p-299 : place == 2 ? 0x1p-30 : place == 3 ? 0x1p40 : 1;
  const Vector3 shift = place == 4   ? Vector3(1e6, -1e6, 1e6)
                        : place == 5 ? Vector3(0x1p40, 0x1p45, 1)
                                     : Vector3::Zero();
  for (Corners* corners : {&a, &b})
    for (Vector3& p : *corners)
      p = p * scale + shift;
  std::shuffle(a.begin(), a.end(), random);
  std::shuffle(b.begin(), b.end(), random);
  if (whole(random, 0, 1) == 0) std::swap(a, b);
  return {triangle_of(a), triangle_of(b)};
}

}  // namespace whisker::test
