// The contour test against integer arithmetic: it is exact on coordinates for which doubles leave nothing uncertain,
// and on all others it says yes only if the contour is simple.

#include "deform/surface_contour.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>

#include "support/cases.hpp"
#include "support/random_shapes.hpp"

namespace whisker::deform {
namespace {

using test::cases;
using test::seeded;
using test::uniform;
using test::whole;
using test::scenes::chance;

using Integer = boost::multiprecision::cpp_int;

/// Loops of points in space.
using Loops = std::vector<std::vector<Vector3>>;

struct Numbered {
  std::vector<Vector3> positions;
  std::vector<ContourEdge> edges;
};

/// The edges in a random order, and the points with random numbers.
Numbered numbered(const Loops& loops, std::mt19937_64& random) {
  Numbered result;
  std::vector<std::uint32_t> numbers;
  for (const auto& loop : loops)
    for (std::size_t i = 0; i < loop.size(); ++i)
      numbers.push_back(static_cast<std::uint32_t>(numbers.size()));
  std::shuffle(numbers.begin(), numbers.end(), random);
  result.positions.resize(numbers.size());
  std::size_t first = 0;
  for (const auto& loop : loops) {
    for (std::size_t i = 0; i < loop.size(); ++i) {
      result.positions[numbers[first + i]] = loop[i];
      result.edges.push_back({numbers[first + i], numbers[first + (i + 1) % loop.size()]});
    }
    first += loop.size();
  }
  std::shuffle(result.edges.begin(), result.edges.end(), random);
  return result;
}

bool check(const Loops& loops, const Vector3& direction, std::mt19937_64& random) {
  static ContourMemory memory;  // shared by all calls, as intended
  const Numbered contour = numbered(loops, random);
  return contour_is_simple(contour.positions, contour.edges, direction, memory);
}

// --- the truth: coordinates as integers in units of 2^-60 -----------------------------------------------------------

struct Point {
  std::array<Integer, 3> x;
};

/// Exact for doubles that are multiples of 2^-60.
Integer whole(double x) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  Integer result = static_cast<std::int64_t>(std::ldexp(fraction, 53));
  const int shift = exponent - 53 + 60;
  if (shift >= 0) return result << static_cast<unsigned>(shift);
  EXPECT_EQ((result >> static_cast<unsigned>(-shift)) << static_cast<unsigned>(-shift), result) << "not exact";
  return result >> static_cast<unsigned>(-shift);
}

Point point(const Vector3& v) {
  return {{whole(v[0]), whole(v[1]), whole(v[2])}};
}

int sign(const Integer& x) {
  return x > 0 ? 1 : x < 0 ? -1 : 0;
}

/// The determinant of b - a, c - a and the direction.
Integer area(const Point& a, const Point& b, const Point& c, const Point& v) {
  const auto u = [&](std::size_t k) -> Integer { return b.x[k] - a.x[k]; };
  const auto w = [&](std::size_t k) -> Integer { return c.x[k] - a.x[k]; };
  return v.x[0] * (u(1) * w(2) - u(2) * w(1)) + v.x[1] * (u(2) * w(0) - u(0) * w(2)) +
         v.x[2] * (u(0) * w(1) - u(1) * w(0));
}

/// Whether r, which is on the line of p and q as seen along v, is between them. Uses linear forms that vanish along v.
bool is_between(const Point& p, const Point& q, const Point& r, const Point& v) {
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t i = 0; i < 3; ++i) {
      const auto form = [&](const Point& a) -> Integer { return v.x[k] * a.x[i] - v.x[i] * a.x[k]; };
      const Integer low = std::min(form(p), form(q)), high = std::max(form(p), form(q));
      if (form(r) < low || form(r) > high) return false;
    }
  }
  return true;
}

bool meet(const Point& p, const Point& q, const Point& r, const Point& s, const Point& v) {
  const int a = sign(area(p, q, r, v)), b = sign(area(p, q, s, v)), c = sign(area(r, s, p, v)),
            d = sign(area(r, s, q, v));
  if (a * b < 0 && c * d < 0) return true;
  return (a == 0 && is_between(p, q, r, v)) || (b == 0 && is_between(p, q, s, v)) ||
         (c == 0 && is_between(r, s, p, v)) || (d == 0 && is_between(r, s, q, v));
}

bool truth(const Loops& loops, const Vector3& direction) {
  const Point v = point(direction);
  struct Edge {
    Point from, to;
    std::size_t loop, place, size;
  };
  std::vector<Edge> edges;
  int positive = 0;
  for (std::size_t l = 0; l < loops.size(); ++l) {
    Integer twice = 0;
    for (std::size_t i = 0; i < loops[l].size(); ++i) {
      edges.push_back({point(loops[l][i]), point(loops[l][(i + 1) % loops[l].size()]), l, i, loops[l].size()});
      twice += area(point(loops[l][0]), edges.back().from, edges.back().to, v);
    }
    if (twice >= 0) ++positive;
  }
  if (loops.size() > 1 && positive > 1) return false;
  for (const Edge& e : edges) {
    for (const Edge& f : edges) {
      if (&e == &f) continue;
      if (e.loop == f.loop && (e.place + 1) % e.size == f.place) {
        // f begins where e ends: f must not come back onto e, and e must not lie on f.
        if (area(e.from, e.to, f.to, v) == 0 &&
            (is_between(e.from, e.to, f.to, v) || is_between(f.from, f.to, e.from, v)))
          return false;
      } else if (e.loop == f.loop && (f.place + 1) % f.size == e.place) {
        continue;  // checked in the other order
      } else if (meet(e.from, e.to, f.from, f.to, v)) {
        return false;
      }
    }
  }
  return true;
}

// --- contours ------------------------------------------------------------------------------------------------------

Vector3 integer_point(std::mt19937_64& random, int size) {
  return test::scenes::integer_vector(random, size);
}

Vector3 integer_direction(std::mt19937_64& random) {
  Vector3 direction = Vector3::Zero();
  while (direction.isZero())
    direction = integer_point(random, 1);
  return chance(random, 3) ? Vector3(direction / 2 + integer_point(random, 1) / 8) : direction;
}

/// A polygon around a place, as seen from a direction, with few corners or with many corners at few places.
std::vector<Vector3> polygon(std::mt19937_64& random, const Vector3& direction, int corners, int size, bool is_sorted) {
  std::vector<Vector3> points;
  const Vector3 middle = integer_point(random, size);
  for (int i = 0; i < corners; ++i)
    points.push_back(middle + integer_point(random, size));
  if (is_sorted) {
    const Vector3 x = direction.unitOrthogonal(), y = direction.cross(x);
    std::sort(points.begin(), points.end(), [&](const Vector3& p, const Vector3& q) {
      return std::atan2(y.dot(p - middle), x.dot(p - middle)) < std::atan2(y.dot(q - middle), x.dot(q - middle));
    });
    if (chance(random, 2)) std::reverse(points.begin(), points.end());
  }
  return points;
}

TEST(SurfaceContour, IsExactOnSmallWholeNumbers) {
  auto random = seeded(911);
  std::size_t simple = 0, with_holes = 0, all = cases(20000);
  for (std::size_t i = 0; i < all; ++i) {
    const Vector3 direction = integer_direction(random);
    Loops loops;
    const int count = chance(random, 2) ? 1 : whole(random, 2, 3);
    for (int k = 0; k < count; ++k)
      loops.push_back(
          polygon(random, direction, whole(random, 3, i % 10 == 0 ? 30 : 6), whole(random, 1, 12), !chance(random, 4)));
    const bool wanted = truth(loops, direction);
    EXPECT_EQ(check(loops, direction, random), wanted) << i;
    simple += wanted ? 1 : 0;
    with_holes += wanted && count > 1 ? 1 : 0;
  }
  EXPECT_GT(simple, all / 20);
  EXPECT_GT(all - simple, all / 20);
  EXPECT_GT(with_holes, all / 1000);
}

TEST(SurfaceContour, IsNeverTooSureWhereRoundingDecides) {
  auto random = seeded(912);
  std::size_t simple = 0, sure = 0;
  for (std::size_t i = 0; i < cases(4000); ++i) {
    // Contours that touch, or nearly so by units in the last place, seen along any direction.
    Vector3 direction = test::scenes::unit_vector(random);
    for (int k = 0; k < 3; ++k)
      direction[k] = std::ldexp(std::round(std::ldexp(direction[k], 40)), -40);
    const Vector3 x = direction.unitOrthogonal(), y = direction.cross(x);
    Loops loops;
    const auto add_loop = [&](double from, double to, double way) {
      loops.emplace_back();
      const int corners = whole(random, 4, 12);
      for (int k = 0; k < corners; ++k) {
        const double a = way * 2 * std::numbers::pi * k / corners, r = uniform(random, from, to);
        loops.back().push_back(r * std::cos(a) * x + r * std::sin(a) * y + uniform(random, -1, 1) * direction);
      }
    };
    add_loop(0.5, 1.5, 1);
    if (chance(random, 3)) add_loop(0.1, 0.3, chance(random, 4) ? 1 : -1);
    // A corner is moved to another edge, as seen along the direction: onto it, or slightly to one side.
    const auto any_of = [&](std::size_t size) {
      return static_cast<std::size_t>(whole(random, 0, static_cast<int>(size) - 1));
    };
    std::vector<Vector3>&from = loops[any_of(loops.size())], &onto = loops[any_of(loops.size())];
    const std::size_t c = any_of(from.size()), e = any_of(onto.size());
    const double t = chance(random, 4) ? 0.0 : uniform(random, 0, 1);
    const Vector3 target = (1 - t) * onto[e] + t * onto[(e + 1) % onto.size()];
    from[c] = target + uniform(random, -1, 1) * direction;
    if (chance(random, 2)) from[c] += std::ldexp(1, -whole(random, 30, 54)) * test::scenes::unit_vector(random);
    for (std::vector<Vector3>& loop : loops)
      for (Vector3& p : loop)
        for (int k = 0; k < 3; ++k)
          p[k] = std::ldexp(std::round(std::ldexp(p[k], 58)), -58);
    const bool wanted = truth(loops, direction), got = check(loops, direction, random);
    EXPECT_TRUE(wanted || !got) << i;
    simple += wanted ? 1 : 0;
    sure += got ? 1 : 0;
    // The truth does not depend on the size. What doubles can decide does, where products underflow or overflow.
    for (const int power : {-1000, -520, -350, 290}) {
      Loops scaled = loops;
      for (std::vector<Vector3>& loop : scaled)
        for (Vector3& p : loop)
          p *= std::ldexp(1, power);
      EXPECT_TRUE(wanted || !check(scaled, direction, random)) << i << ", " << power;
    }
  }
  EXPECT_GT(sure, simple / 2);
  EXPECT_LT(sure, simple);
}

TEST(SurfaceContour, OfManyEdgesIsDoneSoon) {
  auto random = seeded(913);
  const Vector3 up(0, 0, 1);
  // A spiral band: long, wound up, and simple.
  Loops spiral(1);
  const int n = 20000;
  for (int i = 0; i < 2 * n; ++i) {
    const int k = i < n ? i : 2 * n - 1 - i;
    const double a = 40.0 * k / n, r = 1 + a + (i < n ? 2.0 : 0.0);
    spiral[0].emplace_back(r * std::cos(a), r * std::sin(a), uniform(random, -1, 1));
  }
  EXPECT_TRUE(check(spiral, up, random));
  // A square with many vertices on its sides, along the axes.
  Loops square(1);
  for (int side = 0; side < 4; ++side) {
    for (int i = 0; i < n; ++i) {
      const double t = static_cast<double>(i) / n;
      const std::array<Vector3, 4> at = {Vector3(t, 0, t), Vector3(1, t, 0), Vector3(1 - t, 1, 3),
                                         Vector3(0, 1 - t, 0)};
      square[0].push_back(at[static_cast<std::size_t>(side)]);
    }
  }
  EXPECT_TRUE(check(square, up, random));
  // A comb with long teeth is simple too. The test may give up on it because of its budget, but it must terminate.
  Loops comb(1);
  for (int i = 0; i < n; ++i)
    comb[0].emplace_back(i + 0.5 * i / n, i % 2 == 0 ? 0.0 : 1e6, 0);
  comb[0].emplace_back(2 * n, 1e7, 0);
  comb[0].emplace_back(-1, 1e7, 0);
  check(comb, up, random);
}

TEST(SurfaceContour, WhatIsNoContourIsNotSimple) {
  auto random = seeded(914);
  ContourMemory memory;
  const Vector3 up(0, 0, 1);
  const std::vector<Vector3> at = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}, {3, 3, 3}};
  const auto ask = [&](std::vector<ContourEdge> edges) { return contour_is_simple(at, edges, up, memory); };
  EXPECT_TRUE(ask({{0, 1}, {1, 2}, {2, 0}}));
  EXPECT_TRUE(ask({{2, 0}, {0, 1}, {1, 2}}));
  EXPECT_FALSE(ask({}));
  EXPECT_FALSE(ask({{0, 1}}));
  EXPECT_FALSE(ask({{0, 1}, {1, 0}}));
  EXPECT_FALSE(ask({{0, 0}}));
  EXPECT_FALSE(ask({{0, 1}, {1, 2}}));
  EXPECT_FALSE(ask({{0, 1}, {1, 2}, {2, 1}}));
  // Two triangles with a common corner, and the same edges twice.
  EXPECT_FALSE(ask({{0, 1}, {1, 2}, {2, 0}, {0, 3}, {3, 4}, {4, 0}}));
  EXPECT_FALSE(ask({{0, 1}, {1, 2}, {2, 0}, {0, 1}, {1, 2}, {2, 0}}));
  // Far apart and both counter-clockwise: two surfaces.
  const Loops two = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{5, 0, 0}, {6, 0, 0}, {5, 1, 0}}};
  EXPECT_FALSE(check(two, up, random));
  // One inside the other: it is a hole if it has the opposite orientation.
  const Loops with_hole = {{{0, 0, 0}, {9, 0, 0}, {0, 9, 0}}, {{1, 1, 0}, {1, 2, 0}, {2, 1, 0}}};
  EXPECT_TRUE(check(with_hole, up, random));
  const Loops with_second = {{{0, 0, 0}, {9, 0, 0}, {0, 9, 0}}, {{1, 1, 0}, {2, 1, 0}, {1, 2, 0}}};
  EXPECT_FALSE(check(with_second, up, random));
}

}  // namespace
}  // namespace whisker::deform
