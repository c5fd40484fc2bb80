// Double-double arithmetic against 600-bit numbers: its error bounds, and the range in which they hold.

#include "geometry/double_double.hpp"

#include <cmath>
#include <limits>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <gtest/gtest.h>

#include "support/cases.hpp"

namespace whisker::geometry {
namespace {

namespace mp = boost::multiprecision;
// Wide enough to hold every sum and product below exactly. Quotients and roots are good to 600 bits.
using Bits600 = mp::number<mp::cpp_bin_float<600, mp::digit_base_2>, mp::et_off>;
using test::cases;
using test::seeded;
using test::uniform;
using Random = std::mt19937_64;

Bits600 wide(DoubleDouble a) {
  return Bits600(a.hi) + Bits600(a.lo);
}

bool is_normal(DoubleDouble a) {
  return a.hi + a.lo == a.hi;
}

/// The error relative to the exact value, in units of u² = 2^-106; 0 if both are zero.
double error_in_u2(DoubleDouble computed, const Bits600& exact) {
  const Bits600 difference = wide(computed) - exact;
  if (difference == 0) return 0;
  if (exact == 0) return std::numeric_limits<double>::infinity();
  return static_cast<double>(mp::abs(difference / exact) * mp::ldexp(Bits600(1), 106));
}

/// A random DoubleDouble: with full precision, short, or with a low part far below the high one.
DoubleDouble draw_double_double(Random& random, int reach) {
  const double hi = uniform(random, 0.5, 1) * (random() % 2 == 0 ? 1 : -1) *
                    std::exp2(static_cast<int>(random() % (2 * static_cast<unsigned>(reach) + 1)) - reach);
  switch (random() % 4) {
    case 0:
      return hi;
    case 1:
      return sum(hi, hi * uniform(random, -1, 1) * 0x1p-80);
    default:
      return sum(hi, hi * uniform(random, -1, 1) * 0x1p-53);
  }
}

struct WorstError {
  double value = 0;
  void take(double error) { value = std::max(value, error); }
};

TEST(DoubleDouble, RelativeErrorsStayWithinTheStatedBounds) {
  Random random = seeded(201);
  WorstError add, add_double, multiply, multiply_double, divide, divide_double, root, squares;
  for (std::size_t i = 0; i < cases(25'000); ++i) {
    const int reach = i % 2 == 0 ? 3 : 90;
    const DoubleDouble a = draw_double_double(random, reach);
    DoubleDouble b = draw_double_double(random, reach);
    // Half of the sums cancel, which is the hard case for addition.
    if (i % 4 < 2) b = sum(-a.hi * (1 + uniform(random, -1, 1) * std::exp2(-static_cast<int>(random() % 60))), b.lo);
    const double c = draw_double_double(random, reach).hi;
    const DoubleDouble results[] = {a + b, a - b, a + c, c - a,        a * b,    a * c,
                                    a / b, a / c, c / a, sqrt(abs(a)), square(a)};
    for (const DoubleDouble& result : results)
      ASSERT_TRUE(is_normal(result));
    add.take(error_in_u2(results[0], wide(a) + wide(b)));
    add.take(error_in_u2(results[1], wide(a) - wide(b)));
    add_double.take(error_in_u2(results[2], wide(a) + c));
    add_double.take(error_in_u2(results[3], c - wide(a)));
    multiply.take(error_in_u2(results[4], wide(a) * wide(b)));
    multiply_double.take(error_in_u2(results[5], wide(a) * c));
    divide.take(error_in_u2(results[6], wide(a) / wide(b)));
    divide_double.take(error_in_u2(results[7], wide(a) / c));
    divide.take(error_in_u2(results[8], c / wide(a)));
    root.take(error_in_u2(results[9], mp::sqrt(mp::abs(wide(a)))));
    squares.take(error_in_u2(results[10], wide(a) * wide(a)));
  }
  EXPECT_LE(add.value, 3.01);
  EXPECT_LE(add_double.value, 2.0);
  EXPECT_LE(multiply.value, 8.0);
  EXPECT_LE(multiply_double.value, 3.0);
  EXPECT_LE(divide.value, 16.0);
  EXPECT_LE(divide_double.value, 4.0);
  EXPECT_LE(root.value, 4.0);
  EXPECT_LE(squares.value, 8.0);
  // The results really are more accurate than doubles: 106 bits, not 53.
  EXPECT_GT(multiply.value, 0.1);
  RecordProperty("worst_in_u2", "add " + std::to_string(add.value) + ", add double " +
                                    std::to_string(add_double.value) + ", multiply " + std::to_string(multiply.value) +
                                    ", multiply double " + std::to_string(multiply_double.value) + ", divide " +
                                    std::to_string(divide.value) + ", divide double " +
                                    std::to_string(divide_double.value) + ", sqrt " + std::to_string(root.value) +
                                    ", square " + std::to_string(squares.value));
}

TEST(DoubleDouble, SumsDifferencesAndProductsOfDoublesAreExact) {
  Random random = seeded(202);
  for (std::size_t i = 0; i < cases(50'000); ++i) {
    const int reach = i % 3 == 0 ? 2 : 200;
    const double a = draw_double_double(random, reach).hi, b = draw_double_double(random, reach).hi;
    ASSERT_EQ(wide(sum(a, b)), Bits600(a) + Bits600(b));
    ASSERT_EQ(wide(difference(a, b)), Bits600(a) - Bits600(b));
    ASSERT_EQ(wide(product(a, b)), Bits600(a) * Bits600(b));
    ASSERT_EQ(wide(square(a)), Bits600(a) * Bits600(a));
  }
}

TEST(DoubleDouble, ProductsAreExactUpToTheEndsOfTheirRange) {
  Random random = seeded(203);
  for (std::size_t i = 0; i < cases(20'000); ++i) {
    // Products down to 2^-967, and an operand up to just below 2^996.
    const double small_a = uniform(random, 1, 2) * 0x1p-500, small_b = uniform(random, 1, 2) * 0x1p-467;
    ASSERT_EQ(wide(product(small_a, small_b)), Bits600(small_a) * Bits600(small_b));
    const double large = uniform(random, 1, 2) * 0x1p995, other = uniform(random, 1, 2) * 0x1p25;
    ASSERT_EQ(wide(product(large, other)), Bits600(large) * Bits600(other));
    ASSERT_EQ(wide(product(large, small_a)), Bits600(large) * Bits600(small_a));
  }
}

TEST(DoubleDouble, ComparisonsFollowTheExactValues) {
  Random random = seeded(204);
  for (std::size_t i = 0; i < cases(20'000); ++i) {
    const DoubleDouble a = draw_double_double(random, 2);
    DoubleDouble b = draw_double_double(random, 2);
    if (i % 2 == 0) b = sum(a.hi, a.lo * uniform(random, 0.5, 1.5));
    if (i % 8 == 0) b = a;
    const Bits600 x = wide(a), y = wide(b);
    ASSERT_EQ(a < b, x < y);
    ASSERT_EQ(a > b, x > y);
    ASSERT_EQ(a <= b, x <= y);
    ASSERT_EQ(a >= b, x >= y);
    ASSERT_EQ(a == b, x == y);
    ASSERT_EQ(a != b, x != y);
    ASSERT_EQ(sign(a - b), x < y ? -1 : (x > y ? 1 : 0));
    ASSERT_EQ(wide(abs(a)), mp::abs(x));
  }
}

TEST(DoubleDouble, RoundingOutwardEnclosesTheValueAsTightlyAsDoublesCan) {
  Random random = seeded(205);
  for (std::size_t i = 0; i < cases(20'000); ++i) {
    const DoubleDouble a =
        i % 5 == 0 ? DoubleDouble(std::exp2(static_cast<double>(random() % 9))) + (i % 2 == 0 ? 0x1p-70 : -0x1p-70)
                   : draw_double_double(random, 100);
    const double down = round_down(a), up = round_up(a);
    ASSERT_LE(Bits600(down), wide(a));
    ASSERT_GE(Bits600(up), wide(a));
    if (a.lo == 0) {
      ASSERT_EQ(down, up);
    } else {
      ASSERT_EQ(std::nextafter(down, std::numeric_limits<double>::infinity()), up);
    }
  }
}

TEST(DoubleDouble, SquareRootOfWhatIsNotPositiveIsZero) {
  EXPECT_EQ(sqrt(DoubleDouble(0)), DoubleDouble(0));
  EXPECT_EQ(sqrt(DoubleDouble(-1e-30)), DoubleDouble(0));
  EXPECT_EQ(sqrt(DoubleDouble(4)), DoubleDouble(2));
}

TEST(DoubleDouble, VectorFunctionsStayWithinTheirBounds) {
  Random random = seeded(206);
  for (std::size_t i = 0; i < cases(6'000); ++i) {
    const auto vector = [&] { return Vector3(uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1)); };
    const Vector3 p = vector() * 1000, q = i % 2 == 0 ? vector() : Vector3(p + vector() * 1e-9);
    const Vector3dd u = difference(p, q);
    const Vector3dd v = difference(vector(), vector());
    ASSERT_EQ(wide(u.x), Bits600(p[0]) - Bits600(q[0]));
    ASSERT_EQ(wide(u.z), Bits600(p[2]) - Bits600(q[2]));
    const Bits600 bound = mp::ldexp(Bits600(1), -101);
    const Bits600 ux = wide(u.x), uy = wide(u.y), uz = wide(u.z), vx = wide(v.x), vy = wide(v.y), vz = wide(v.z);
    ASSERT_LE(mp::abs(wide(dot(u, v)) - (ux * vx + uy * vy + uz * vz)),
              bound * (mp::abs(ux * vx) + mp::abs(uy * vy) + mp::abs(uz * vz)));
    const Vector3dd w = cross(u, v);
    ASSERT_LE(mp::abs(wide(w.x) - (uy * vz - uz * vy)), bound * (mp::abs(uy * vz) + mp::abs(uz * vy)));
    ASSERT_LE(mp::abs(wide(w.y) - (uz * vx - ux * vz)), bound * (mp::abs(uz * vx) + mp::abs(ux * vz)));
    ASSERT_LE(mp::abs(wide(w.z) - (ux * vy - uy * vx)), bound * (mp::abs(ux * vy) + mp::abs(uy * vx)));
    const Bits600 exact = ux * ux + uy * uy + uz * uz;
    ASSERT_LE(mp::abs(wide(squared_norm(u)) - exact), bound * exact);
    ASSERT_LE(mp::abs(wide(norm(u)) - mp::sqrt(exact)), bound * mp::sqrt(exact));
    const Vector3dd s = u + v * DoubleDouble(2), t = -(u - v);
    ASSERT_LE(mp::abs(wide(s.y) - (uy + 2 * vy)), bound * mp::abs(uy + 2 * vy));
    ASSERT_LE(mp::abs(wide(t.x) - (vx - ux)), bound * mp::abs(vx - ux));
  }
}

}  // namespace
}  // namespace whisker::geometry
