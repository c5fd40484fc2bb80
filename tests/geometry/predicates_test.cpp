// The exact predicates against integer arithmetic, on random, degenerate and nearly degenerate points of any size.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <string>

#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>

#include <whisker/geometry/predicates.hpp>

#include "geometry/exact_integer.hpp"
#include "geometry/expansion.hpp"
#include "geometry/predicates_inline.hpp"
#include "support/cases.hpp"
#include "support/random_vectors.hpp"

namespace whisker {
namespace {

using boost::multiprecision::cpp_int;
using test::any_finite;
using test::cases;
using test::seeded;
using test::uniform;
using test::whole;
using Random = std::mt19937_64;

// ---------------------------------------------------------------------------------------------------------------------
// The oracle: coordinates as Boost integers in a common power-of-two unit, determinants by plain cofactor expansion of
// the homogeneous matrices, which shares no formula with the implementation (that works on differences).

int integer_sign(const cpp_int& value) {
  return value > 0 ? 1 : (value < 0 ? -1 : 0);
}

/// value / 2^unit. The unit must divide it.
cpp_int to_integer(double value, int unit) {
  if (value == 0) return 0;
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  cpp_int result = static_cast<std::int64_t>(std::ldexp(fraction, 53));
  const int shift = exponent - 53 - unit;
  if (shift >= 0) return cpp_int(result << static_cast<unsigned>(shift));
  const cpp_int shifted = abs(result) >> static_cast<unsigned>(-shift);  // Drops only zero bits.
  return result < 0 ? cpp_int(-shifted) : shifted;
}

/// A power of two that divides every coordinate and is not needlessly small.
template <class Points>
int common_unit(const Points& points) {
  int unit = 1024;
  for (const auto& point : points)
    for (const double value : point) {
      if (value == 0) continue;
      int exponent = 0;
      std::frexp(value, &exponent);
      unit = std::min(unit, std::max(exponent - 53, -1074));
    }
  return unit;
}

template <std::size_t Size>
cpp_int determinant(const std::array<std::array<cpp_int, Size>, Size>& matrix) {
  if constexpr (Size == 1) {
    return matrix[0][0];
  } else {
    cpp_int sum = 0;
    for (std::size_t skipped = 0; skipped < Size; ++skipped) {
      if (matrix[skipped][0] == 0) continue;
      std::array<std::array<cpp_int, Size - 1>, Size - 1> minor;
      for (std::size_t i = 0, k = 0; i < Size; ++i) {
        if (i == skipped) continue;
        for (std::size_t j = 1; j < Size; ++j)
          minor[k][j - 1] = matrix[i][j];
        ++k;
      }
      const cpp_int term = matrix[skipped][0] * determinant(minor);
      if (skipped % 2 == 0)
        sum += term;
      else
        sum -= term;
    }
    return sum;
  }
}

/// Sign of the determinant with rows (1, point): positive for a left turn, and for d on the normal's side of abc.
template <std::size_t Dimension>
int oracle_orient(const std::array<std::array<double, Dimension>, Dimension + 1>& points) {
  const int unit = common_unit(points);
  std::array<std::array<cpp_int, Dimension + 1>, Dimension + 1> matrix;
  for (std::size_t i = 0; i <= Dimension; ++i) {
    matrix[i][0] = 1;
    for (std::size_t j = 0; j < Dimension; ++j)
      matrix[i][j + 1] = to_integer(points[i][j], unit);
  }
  return integer_sign(determinant(matrix));
}

/// Sign of the determinant with rows (1, point, |point|²), such that inside is positive for positive orientation.
template <std::size_t Dimension>
int oracle_in_ball(const std::array<std::array<double, Dimension>, Dimension + 2>& points) {
  const int unit = common_unit(points);
  std::array<std::array<cpp_int, Dimension + 2>, Dimension + 2> matrix;
  for (std::size_t i = 0; i < Dimension + 2; ++i) {
    matrix[i][0] = 1;
    matrix[i][Dimension + 1] = 0;
    for (std::size_t j = 0; j < Dimension; ++j) {
      matrix[i][j + 1] = to_integer(points[i][j], unit);
      matrix[i][Dimension + 1] += matrix[i][j + 1] * matrix[i][j + 1];
    }
  }
  // The last row minus the lifted plane through the others is its height above the paraboloid's chord, which is
  // positive outside.
  return -integer_sign(determinant(matrix));
}

// ---------------------------------------------------------------------------------------------------------------------
// The cases: random points, and points that are degenerate or nearly so by construction.

enum class PointKind {
  random,          // in the unit cube
  small_grid,      // small integers: shared points, collinear, cocircular
  flat_grid,       // integers exactly on a common line or plane, some a step off it
  nearly_flat,     // rounded points on a line or plane, some moved by a few units in the last place
  shared_points,   // some points are copies of others
  thinnest,        // integers of some 50 bits whose determinant is 0 or ±1: cancellation down to the last bit
  mixed_sizes,     // each coordinate of a different size, from 1e-90 to 1e90
  diagonal_plane,  // exactly on x == y with coordinates of mixed sizes (differences are inexact), some an ulp off
  any_bits,        // any finite doubles
  count
};

const char* name(PointKind kind) {
  constexpr const char* names[] = {"random",   "small_grid",  "flat_grid",      "nearly_flat", "shared_points",
                                   "thinnest", "mixed_sizes", "diagonal_plane", "any_bits"};
  return names[static_cast<int>(kind)];
}

double nudged(double value, int steps) {
  const double limit = steps > 0 ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
  for (int i = 0; i < std::abs(steps); ++i)
    value = std::nextafter(value, limit);
  return value;
}

template <std::size_t Dimension, std::size_t Count>
std::array<std::array<double, Dimension>, Count> make_points(Random& random, PointKind kind) {
  std::array<std::array<double, Dimension>, Count> points{};
  const auto fill = [&](auto value) {
    for (auto& point : points)
      for (double& coordinate : point)
        coordinate = value();
  };
  switch (kind) {
    case PointKind::random:
      fill([&] { return uniform(random, -1, 1); });
      break;
    case PointKind::small_grid: {
      const int reach = whole(random, 1, 5);
      fill([&] { return static_cast<double>(whole(random, -reach, reach)); });
      break;
    }
    case PointKind::flat_grid:
    case PointKind::nearly_flat: {
      const bool grid = kind == PointKind::flat_grid;
      const auto draw = [&] { return grid ? static_cast<double>(whole(random, -1000, 1000)) : uniform(random, -1, 1); };
      std::array<std::array<double, Dimension>, Dimension> frame;  // an origin and the directions of the line or plane
      for (auto& vector : frame)
        for (double& coordinate : vector)
          coordinate = draw();
      for (auto& point : points) {
        point = frame[0];
        for (std::size_t k = 1; k < Dimension; ++k) {
          const double factor = grid ? static_cast<double>(whole(random, -50, 50)) : uniform(random, -1, 1);
          for (std::size_t j = 0; j < Dimension; ++j)
            point[j] += factor * frame[k][j];
        }
      }
      if (whole(random, 0, 1) == 0) {
        double& moved = points[random() % Count][random() % Dimension];
        moved = grid ? moved + whole(random, -1, 1) : nudged(moved, whole(random, -2, 2));
      }
      break;
    }
    case PointKind::shared_points: {
      fill([&] { return uniform(random, -1, 1); });
      const std::size_t from = random() % Count;
      std::size_t to = random() % Count;
      points[to] = points[from];
      if (whole(random, 0, 2) == 0) points[to][random() % Dimension] = nudged(points[from][0], whole(random, -1, 1));
      break;
    }
    case PointKind::thinnest: {
      // Adding multiples of one row to another keeps the determinant at 1 while the entries grow.
      std::array<std::array<std::int64_t, Dimension>, Dimension> rows{};
      for (std::size_t k = 0; k < Dimension; ++k)
        rows[k][k] = 1;
      const auto size = [&](std::size_t k) {
        std::int64_t largest = 0;
        for (const std::int64_t entry : rows[k])
          largest = std::max(largest, std::abs(entry));
        return largest;
      };
      for (;;) {
        std::size_t smallest = 0;
        for (std::size_t k = 1; k < Dimension; ++k)
          if (size(k) < size(smallest)) smallest = k;
        const std::size_t other = (smallest + 1 + random() % (Dimension - 1)) % Dimension;
        if (size(other) > (std::int64_t{1} << 50)) break;
        const int factor = whole(random, 0, 1) == 0 ? whole(random, 1, 3) : -whole(random, 1, 3);
        for (std::size_t j = 0; j < Dimension; ++j)
          rows[smallest][j] += factor * rows[other][j];
      }
      if (whole(random, 0, 2) == 0) {  // Exactly flat: the last row is the sum of the others.
        rows[Dimension - 1] = {};
        for (std::size_t k = 0; k + 1 < Dimension; ++k)
          for (std::size_t j = 0; j < Dimension; ++j)
            rows[Dimension - 1][j] += rows[k][j];
      }
      // The first point is the origin. Any points beyond these are random.
      for (std::size_t k = 1; k < Count; ++k)
        for (std::size_t j = 0; j < Dimension; ++j)
          points[k][j] = k <= Dimension ? static_cast<double>(rows[k - 1][j]) : std::exp2(50) * uniform(random, -1, 1);
      std::shuffle(points.begin(), points.end(), random);
      break;
    }
    case PointKind::mixed_sizes:
      fill([&] { return uniform(random, -1, 1) * std::pow(10.0, uniform(random, -90, 90)); });
      break;
    case PointKind::diagonal_plane: {
      const double reach = uniform(random, 0, 90);
      fill([&] { return uniform(random, -1, 1) * std::pow(10.0, uniform(random, -reach, reach)); });
      for (auto& point : points)
        point[1] = point[0];
      if (whole(random, 0, 1) == 0) {
        double& moved = points[random() % Count][random() % Dimension];
        moved = nudged(moved, whole(random, -1, 1));
      }
      break;
    }
    default:
      fill([&] { return any_finite(random); });
      break;
  }
  return points;
}

/// The same points at another size: unchanged, times a power of two, or times a power of ten (which rounds).
template <std::size_t Dimension, std::size_t Count>
void rescale(Random& random, std::array<std::array<double, Dimension>, Count>& points, int reach10) {
  const int choice = whole(random, 0, 3);
  if (choice == 0) return;
  const double exponent = choice == 1 ? reach10 : (choice == 2 ? -reach10 : uniform(random, -reach10, reach10));
  const double factor = whole(random, 0, 1) == 0 ? std::pow(10.0, exponent) : std::exp2(std::round(exponent * 3.3219));
  for (auto& point : points)
    for (double& coordinate : point)
      coordinate *= factor;
}

template <std::size_t Dimension, std::size_t Count>
std::string print(const std::array<std::array<double, Dimension>, Count>& points) {
  std::string text;
  char number[40];
  for (const auto& point : points) {
    text += "\n ";
    for (const double coordinate : point) {
      std::snprintf(number, sizeof number, " %a", coordinate);
      text += number;
    }
  }
  return text;
}

Vector2 to_vector(const std::array<double, 2>& point) {
  return {point[0], point[1]};
}
Vector3 to_vector(const std::array<double, 3>& point) {
  return {point[0], point[1], point[2]};
}

int evaluate(const std::array<std::array<double, 2>, 3>& p) {
  return orient2d(to_vector(p[0]), to_vector(p[1]), to_vector(p[2]));
}
int evaluate(const std::array<std::array<double, 3>, 4>& p) {
  return orient3d(to_vector(p[0]), to_vector(p[1]), to_vector(p[2]), to_vector(p[3]));
}
int evaluate(const std::array<std::array<double, 2>, 4>& p) {
  return incircle(to_vector(p[0]), to_vector(p[1]), to_vector(p[2]), to_vector(p[3]));
}
int evaluate(const std::array<std::array<double, 3>, 5>& p) {
  return insphere(to_vector(p[0]), to_vector(p[1]), to_vector(p[2]), to_vector(p[3]), to_vector(p[4]));
}
int exact_stage(const std::array<std::array<double, 2>, 3>& p) {
  return geometry::orient2d_exact(p[0].data(), p[1].data(), p[2].data());
}
int exact_stage(const std::array<std::array<double, 3>, 4>& p) {
  return geometry::orient3d_exact(p[0].data(), p[1].data(), p[2].data(), p[3].data());
}
int exact_stage(const std::array<std::array<double, 2>, 4>& p) {
  return geometry::incircle_exact(p[0].data(), p[1].data(), p[2].data(), p[3].data());
}
int exact_stage(const std::array<std::array<double, 3>, 5>& p) {
  return geometry::insphere_exact(p[0].data(), p[1].data(), p[2].data(), p[3].data(), p[4].data());
}
int filter(const std::array<std::array<double, 2>, 3>& p) {
  return geometry::quick_orient2d(p[0].data(), p[1].data(), p[2].data());
}
int filter(const std::array<std::array<double, 3>, 4>& p) {
  return geometry::quick_orient3d(p[0].data(), p[1].data(), p[2].data(), p[3].data());
}
int filter(const std::array<std::array<double, 2>, 4>& p) {
  return geometry::quick_incircle(p[0].data(), p[1].data(), p[2].data(), p[3].data());
}
int filter(const std::array<std::array<double, 3>, 5>& p) {
  return geometry::quick_insphere(p[0].data(), p[1].data(), p[2].data(), p[3].data(), p[4].data());
}
int oracle(const std::array<std::array<double, 2>, 3>& p) {
  return oracle_orient<2>(p);
}
int oracle(const std::array<std::array<double, 3>, 4>& p) {
  return oracle_orient<3>(p);
}
int oracle(const std::array<std::array<double, 2>, 4>& p) {
  return oracle_in_ball<2>(p);
}
int oracle(const std::array<std::array<double, 3>, 5>& p) {
  return oracle_in_ball<3>(p);
}

/// Runs one predicate on every kind of case and counts the results, so that a generator that no longer produces
/// interesting cases is noticed.
template <std::size_t Dimension, std::size_t Count>
void compare_with_exact_integers(std::uint64_t stream, std::size_t per_kind, int reach10) {
  Random random = seeded(stream);
  for (int k = 0; k < static_cast<int>(PointKind::count); ++k) {
    const PointKind kind = static_cast<PointKind>(k);
    std::map<int, std::size_t> seen;
    const std::size_t count = kind == PointKind::any_bits ? cases(per_kind) / 10 + 1 : cases(per_kind);
    for (std::size_t i = 0; i < count; ++i) {
      auto points = make_points<Dimension, Count>(random, kind);
      if (kind != PointKind::mixed_sizes && kind != PointKind::diagonal_plane && kind != PointKind::any_bits)
        rescale(random, points, reach10);
      const int expected = oracle(points);
      ++seen[expected];
      ASSERT_EQ(evaluate(points), expected) << name(kind) << print(points);
      ASSERT_EQ(exact_stage(points), expected) << name(kind) << print(points);
      const int quick = filter(points);
      ASSERT_TRUE(quick == 0 || quick == expected) << name(kind) << print(points);
    }
    // Both signs must occur in all kinds, and exact zeros in all kinds that are built to have them.
    EXPECT_GT(seen[1], count / 100) << name(kind);
    EXPECT_GT(seen[-1], count / 100) << name(kind);
    if (kind == PointKind::small_grid || kind == PointKind::flat_grid || kind == PointKind::shared_points ||
        (kind == PointKind::thinnest && Count == Dimension + 1) ||
        (kind == PointKind::diagonal_plane && Count == Dimension + 1)) {
      EXPECT_GT(seen[0], count / 100) << name(kind);
    }
  }
}

TEST(Predicates, Orient2dHasTheSignOfExactIntegers) {
  compare_with_exact_integers<2, 3>(101, 20'000, 90);
}
TEST(Predicates, Orient3dHasTheSignOfExactIntegers) {
  compare_with_exact_integers<3, 4>(102, 20'000, 90);
}
TEST(Predicates, IncircleHasTheSignOfExactIntegers) {
  compare_with_exact_integers<2, 4>(103, 8'000, 70);
}
TEST(Predicates, InsphereHasTheSignOfExactIntegers) {
  compare_with_exact_integers<3, 5>(104, 4'000, 50);
}

// Points scaled to the very ends of the range of doubles: subnormal grids, the largest doubles, the limits of the
// ranges in which the expansions are used and of the underflow guard, and both ends in one call.
template <std::size_t Dimension, std::size_t Count>
void compare_at_the_ends_of_the_range(std::uint64_t stream, std::size_t count) {
  Random random = seeded(stream);
  const std::array<int, 16> exponents{-1074, -1060, -1022, -1000, -537, -485, -400, -358,
                                      -334,  -306,  -250,  -214,  330,  500,  997,  1012};
  std::map<int, std::size_t> seen;
  for (std::size_t i = 0; i < cases(count); ++i) {
    const PointKind kind = static_cast<PointKind>(whole(random, 0, 5));
    auto points = make_points<Dimension, Count>(random, kind);
    const int exponent = whole(random, 0, 1) == 0 ? exponents[random() % exponents.size()] + whole(random, -2, 1)
                                                  : whole(random, -600, -200);
    const bool two_sizes = whole(random, 0, 3) == 0;
    const int other = exponents[random() % exponents.size()];
    for (auto& point : points)
      for (double& coordinate : point) {
        // The flat grid reaches 1e5, so multiplying it by 2^1012 would overflow.
        coordinate = std::ldexp(coordinate, two_sizes && whole(random, 0, 1) == 0 ? other : exponent);
        if (!std::isfinite(coordinate)) coordinate = std::copysign(std::numeric_limits<double>::max(), coordinate);
      }
    const int expected = oracle(points);
    ++seen[expected];
    ASSERT_EQ(evaluate(points), expected) << name(kind) << print(points);
    ASSERT_EQ(exact_stage(points), expected) << name(kind) << print(points);
    const int quick = filter(points);
    ASSERT_TRUE(quick == 0 || quick == expected) << name(kind) << print(points);
  }
  for (const int sign : {-1, 0, 1})
    EXPECT_GT(seen[sign], cases(count) / 50) << sign;
}

TEST(Predicates, Orient2dIsExactAtTheEndsOfTheRange) {
  compare_at_the_ends_of_the_range<2, 3>(111, 20'000);
}
TEST(Predicates, Orient3dIsExactAtTheEndsOfTheRange) {
  compare_at_the_ends_of_the_range<3, 4>(112, 20'000);
}
TEST(Predicates, IncircleIsExactAtTheEndsOfTheRange) {
  compare_at_the_ends_of_the_range<2, 4>(113, 10'000);
}
TEST(Predicates, InsphereIsExactAtTheEndsOfTheRange) {
  compare_at_the_ends_of_the_range<3, 5>(114, 5'000);
}

TEST(Predicates, SignsFollowTheirDefinitions) {
  EXPECT_EQ(orient2d(0, 0, 1, 0, 0, 1), 1);
  EXPECT_EQ(orient2d(Vector2(0, 0), Vector2(0, 1), Vector2(1, 0)), -1);
  EXPECT_EQ(orient2d(0, 0, 1, 1, 2, 2), 0);
  const Vector3 o(0, 0, 0), x(1, 0, 0), y(0, 1, 0);
  EXPECT_EQ(orient3d(o, x, y, Vector3(0.2, 0.2, 1)), 1);
  EXPECT_EQ(orient3d(o, x, y, Vector3(0.2, 0.2, -1)), -1);
  EXPECT_EQ(orient3d(o, x, y, Vector3(5, -7, 0)), 0);
  const Vector2 a(1, 0), b(0, 1), c(-1, 0);
  EXPECT_EQ(incircle(a, b, c, Vector2(0, 0)), 1);
  EXPECT_EQ(incircle(a, b, c, Vector2(2, 0)), -1);
  EXPECT_EQ(incircle(a, b, c, Vector2(0, -1)), 0);
  EXPECT_EQ(incircle(c, b, a, Vector2(0, 0)), -1);
  const Vector3 z(0, 0, 1);
  ASSERT_EQ(orient3d(o, x, y, z), 1);
  EXPECT_EQ(insphere(o, x, y, z, Vector3(0.5, 0.5, 0.5)), 1);
  EXPECT_EQ(insphere(o, x, y, z, Vector3(1, 1, 1.0000000000000002)), -1);
  EXPECT_EQ(insphere(o, x, y, z, Vector3(1, 1, 1)), 0);
  EXPECT_EQ(insphere(x, o, y, z, Vector3(0.5, 0.5, 0.5)), -1);
}

// Swapping two points flips the sign. Doing this for random permutations of hard cases exercises different roundings.
TEST(Predicates, SwappingPointsTurnsTheSign) {
  Random random = seeded(121);
  for (std::size_t i = 0; i < cases(20'000); ++i) {
    const PointKind kind = static_cast<PointKind>(whole(random, 0, static_cast<int>(PointKind::count) - 1));
    auto points = make_points<3, 5>(random, kind);
    const std::size_t first = random() % 3;
    const std::size_t second = first + 1;
    const int before = insphere(to_vector(points[0]), to_vector(points[1]), to_vector(points[2]), to_vector(points[3]),
                                to_vector(points[4]));
    std::array<std::array<double, 3>, 4> four{points[0], points[1], points[2], points[3]};
    const int side = evaluate(four);
    std::swap(four[first], four[second]);
    ASSERT_EQ(evaluate(four), -side) << print(four);
    std::rotate(four.begin(), four.begin() + 1, four.end());  // A cycle of four is odd.
    ASSERT_EQ(evaluate(four), side) << print(four);
    std::swap(points[first], points[second]);
    ASSERT_EQ(evaluate(points), -before) << print(points);
  }
}

TEST(Predicates, TheFilterDecidesNearlyAllRandomCases) {
  Random random = seeded(131);
  const std::size_t count = cases(100'000);
  std::array<std::size_t, 4> decided{};
  for (std::size_t i = 0; i < count; ++i) {
    decided[0] += filter(make_points<2, 3>(random, PointKind::random)) != 0;
    decided[1] += filter(make_points<3, 4>(random, PointKind::random)) != 0;
    decided[2] += filter(make_points<2, 4>(random, PointKind::random)) != 0;
    decided[3] += filter(make_points<3, 5>(random, PointKind::random)) != 0;
  }
  for (std::size_t k = 0; k < 4; ++k) {
    const double fraction = static_cast<double>(decided[k]) / static_cast<double>(count);
    RecordProperty("filter_decides_" + std::to_string(k), std::to_string(fraction));
    EXPECT_GT(fraction, 0.999) << k;
  }
}

TEST(Predicates, TheFilterStillDecidesAtTheDocumentedSizes) {
  Random random = seeded(132);
  const auto check = [&](auto points, double low, double high) {
    for (const double size : {low, high}) {
      auto scaled = points;
      for (auto& point : scaled)
        for (double& coordinate : point)
          coordinate *= size;
      // The filter decides nearly all random points in the unit cube, and it decides them at the ends of the documented
      // sizes too.
      if (filter(points) == 0) continue;
      EXPECT_EQ(filter(scaled), filter(points)) << size << print(scaled);
    }
  };
  for (std::size_t i = 0; i < cases(1000); ++i) {
    const auto p23 = make_points<2, 3>(random, PointKind::random);
    const auto p34 = make_points<3, 4>(random, PointKind::random);
    const auto p24 = make_points<2, 4>(random, PointKind::random);
    const auto p35 = make_points<3, 5>(random, PointKind::random);
    check(p23, 1e-140, 1e150);
    check(p34, 1e-90, 1e100);
    check(p24, 1e-70, 1e75);
    check(p35, 1e-55, 1e60);
  }
}

TEST(Predicates, NotFiniteInputReturnsZeroAndDoesNotHang) {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Vector3 o(0, 0, 0), x(1, 0, 0), y(0, 1, 0);
  for (const double bad : {inf, -inf, nan}) {
    EXPECT_EQ(orient2d(0, 0, 1, 0, 0, bad), 0);
    EXPECT_EQ(orient3d(o, x, y, Vector3(0.5, 0.25, bad)), 0);
    EXPECT_EQ(incircle(Vector2(1, 0), Vector2(0, 1), Vector2(-1, 0), Vector2(bad, 0)), 0);
    EXPECT_EQ(insphere(o, x, y, Vector3(0, 0, 1), Vector3(bad, 0.5, 0.5)), 0);
    EXPECT_EQ(geometry::sign_det2(1, 0, 0, bad), 0);
    EXPECT_EQ(geometry::sign_of_dot(Vector3(bad, 1, 1), Vector3(1, 1, 1)), 0);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// The small determinants for other modules.

TEST(Predicates, Det2AndDotHaveTheSignOfExactIntegers) {
  Random random = seeded(141);
  std::map<int, std::size_t> seen_det2, seen_dot;
  const std::size_t count = cases(60'000);
  for (std::size_t i = 0; i < count; ++i) {
    const PointKind kind = static_cast<PointKind>(whole(random, 0, static_cast<int>(PointKind::count) - 1));
    auto p = make_points<3, 2>(random, kind);
    if (kind == PointKind::nearly_flat) {  // Nearly perpendicular, or exactly so.
      p[1] = {p[0][1], -p[0][0], 0};
      if (whole(random, 0, 1) == 0) p[1][0] = nudged(p[1][0], whole(random, -1, 1));
    } else if (kind == PointKind::shared_points) {  // Parallel in the plane up to rounding.
      const double factor = whole(random, 0, 1) == 0 ? 0.5 : 3.0;
      p[1] = {p[0][0] * factor, p[0][1] * factor, p[0][2] * factor};
    }
    const int unit = common_unit(p);
    const auto integer = [&](std::size_t k, std::size_t j) { return to_integer(p[k][j], unit); };
    const int det2 = integer_sign(integer(0, 0) * integer(1, 1) - integer(0, 1) * integer(1, 0));
    const int dot =
        integer_sign(integer(0, 0) * integer(1, 0) + integer(0, 1) * integer(1, 1) + integer(0, 2) * integer(1, 2));
    ++seen_det2[det2];
    ++seen_dot[dot];
    ASSERT_EQ(geometry::sign_det2(p[0][0], p[0][1], p[1][0], p[1][1]), det2) << name(kind) << print(p);
    ASSERT_EQ(geometry::sign_det2_exact(p[0][0], p[0][1], p[1][0], p[1][1]), det2) << name(kind) << print(p);
    ASSERT_EQ(geometry::sign_of_dot(to_vector(p[0]), to_vector(p[1])), dot) << name(kind) << print(p);
    ASSERT_EQ(geometry::sign_of_dot_exact(p[0].data(), p[1].data()), dot) << name(kind) << print(p);
    const bool parallel = det2 == 0 && integer(0, 1) * integer(1, 2) == integer(0, 2) * integer(1, 1) &&
                          integer(0, 2) * integer(1, 0) == integer(0, 0) * integer(1, 2);
    ASSERT_EQ(geometry::exactly_parallel(to_vector(p[0]), to_vector(p[1])), parallel) << name(kind) << print(p);
  }
  for (const int sign : {-1, 0, 1}) {
    EXPECT_GT(seen_det2[sign], count / 50) << sign;
    EXPECT_GT(seen_dot[sign], count / 50) << sign;
  }
}

TEST(Predicates, ParallelMeansExactlyParallel) {
  const Vector3 v(0.1, -0.7, 1e-3);
  EXPECT_TRUE(geometry::exactly_parallel(v, -4 * v));
  EXPECT_TRUE(geometry::exactly_parallel(v, Vector3::Zero()));
  EXPECT_TRUE(geometry::exactly_parallel(v * 0x1p-1000, v * 0x1p1000));
  Vector3 off = v;
  off[2] = std::nextafter(off[2], 1.0);
  EXPECT_FALSE(geometry::exactly_parallel(v, off));
  EXPECT_FALSE(geometry::exactly_parallel(Vector3(1e-300, 2e-300, 0), Vector3(1e-300, 2e-300, 5e-324)));
}

// ---------------------------------------------------------------------------------------------------------------------
// The arithmetic underneath.

template <int Capacity>
cpp_int exact_value(const geometry::Expansion<Capacity>& expansion, int unit) {
  cpp_int sum = 0;
  for (int i = 0; i < expansion.size; ++i)
    sum += to_integer(expansion.term[i], unit);
  return sum;
}

/// Each term's lowest bit lies above the next smaller term's highest bit.
template <int Capacity>
bool terms_do_not_overlap(const geometry::Expansion<Capacity>& expansion) {
  for (int i = 0; i < expansion.size; ++i) {
    if (expansion.term[i] == 0) return false;
    if (i > 0 && std::ilogb(expansion.term[i - 1]) >= geometry::OddMantissa(expansion.term[i]).exponent) return false;
  }
  return true;
}

TEST(Expansion, SumsAndProductsAreExactAndDoNotOverlap) {
  Random random = seeded(151);
  constexpr int unit = -1074;
  for (std::size_t i = 0; i < cases(20'000); ++i) {
    const auto draw = [&] {
      if (whole(random, 0, 3) == 0) return static_cast<double>(whole(random, -8, 8));
      return uniform(random, -1, 1) * std::exp2(whole(random, -120, 120));
    };
    const double a = draw(), b = draw(), c = draw(), d = draw(), e = draw(), f = draw();
    const auto ab = geometry::to_expansion(geometry::two_product(a, b));
    const auto cd = geometry::to_expansion(geometry::two_product(c, d));
    // The products are exact. They are compared in a unit fine enough for all of them.
    const auto integer = [&](double value) { return to_integer(value, -300); };
    const auto scaled = [&](const cpp_int& value, int from) {
      return cpp_int(value << static_cast<unsigned>(from - unit));
    };
    const cpp_int ab_exact = scaled(integer(a) * integer(b), -600);
    const cpp_int cd_exact = scaled(integer(c) * integer(d), -600);
    ASSERT_EQ(exact_value(ab, unit), ab_exact);
    const auto sum = ab + cd;
    ASSERT_EQ(exact_value(sum, unit), ab_exact + cd_exact);
    ASSERT_TRUE(terms_do_not_overlap(sum));
    const auto minor = ab - cd;
    ASSERT_EQ(exact_value(minor, unit), ab_exact - cd_exact);
    ASSERT_TRUE(terms_do_not_overlap(minor));
    const auto triple = minor * e;
    ASSERT_EQ(exact_value(triple, unit),
              scaled((integer(a) * integer(b) - integer(c) * integer(d)) * integer(e), -900));
    ASSERT_TRUE(terms_do_not_overlap(triple));
    const auto grown = grow(triple, f);
    ASSERT_EQ(exact_value(grown, unit), exact_value(triple, unit) + to_integer(f, unit));
    ASSERT_TRUE(terms_do_not_overlap(grown));
    const auto pair = geometry::two_diff(e, f);
    const auto wide = minor * pair;
    ASSERT_EQ(exact_value(wide, unit),
              scaled((integer(a) * integer(b) - integer(c) * integer(d)) * (integer(e) - integer(f)), -900));
    ASSERT_TRUE(terms_do_not_overlap(wide));
    ASSERT_EQ(wide.sign(), integer_sign(exact_value(wide, unit)));
    ASSERT_EQ((wide - wide).sign(), 0);
  }
}

cpp_int to_boost(const geometry::ExactInteger& value) {
  cpp_int sum = 0;
  for (int i = value.size - 1; i >= 0; --i)
    sum = (sum << 64) + value.limb[i];
  return value.sign < 0 ? cpp_int(-sum) : sum;
}

TEST(ExactInteger, ArithmeticAgreesWithBoost) {
  Random random = seeded(161);
  for (std::size_t i = 0; i < cases(20'000); ++i) {
    const int reach = whole(random, 0, 1) == 0 ? 70 : 1000;
    const auto draw = [&] {
      if (whole(random, 0, 9) == 0) return 0.0;
      const double mantissa =
          whole(random, 0, 1) == 0 ? uniform(random, -1, 1) : (whole(random, 0, 1) == 0 ? 1.0 : -1.0);
      return mantissa * std::exp2(whole(random, -reach, reach));
    };
    const double a = draw(), b = draw(), c = draw();
    const int unit = -1074;
    const auto x = geometry::to_exact_integer(a, unit), y = geometry::to_exact_integer(b, unit);
    const auto z = geometry::to_exact_integer(c, unit);
    const cpp_int bx = to_integer(a, unit), by = to_integer(b, unit), bz = to_integer(c, unit);
    ASSERT_EQ(to_boost(x), bx);
    ASSERT_EQ(to_boost(x + y), bx + by);
    ASSERT_EQ(to_boost(x - y), bx - by);
    ASSERT_EQ(to_boost(x * y), bx * by);
    ASSERT_EQ(to_boost((x - y) * z - x * y), (bx - by) * bz - bx * by);
    ASSERT_EQ(to_boost(x - x), 0);
  }
}

TEST(ExactInteger, TheLongestPossibleInsphereFits) {
  // Five points at the corners of the whole range of doubles, including subnormal bits.
  const double big = std::numeric_limits<double>::max();
  const double tiny = std::numeric_limits<double>::denorm_min();
  const Vector3 a(big, -big, big), b(-big, big, big), c(big, big, -big), d(-big, -big, -big), e(tiny, -tiny, tiny);
  std::array<std::array<double, 3>, 5> p{};
  const std::array<Vector3, 5> v{a, b, c, d, e};
  for (std::size_t i = 0; i < 5; ++i)
    p[i] = {v[i][0], v[i][1], v[i][2]};
  EXPECT_NE(oracle(p), 0);
  EXPECT_EQ(insphere(a, b, c, d, e), oracle(p));
  p[4] = {-big, big, -big};  // Another corner of the cube is on its sphere,
  EXPECT_EQ(evaluate(p), 0);
  p[4] = {tiny, big, -big};  // and the middle of an edge is inside or outside, depending on the orientation.
  EXPECT_EQ(evaluate(p), oracle(p));
  EXPECT_NE(evaluate(p), 0);
}

}  // namespace
}  // namespace whisker
