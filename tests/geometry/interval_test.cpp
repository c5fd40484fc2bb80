// Interval arithmetic against numbers of 240 bits and 50 digits: results contain the exact ones and are tight.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <ostream>
#include <utility>
#include <vector>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>

#include <whisker/geometry/interval.hpp>

#include "support/cases.hpp"
#include "support/random_vectors.hpp"

namespace whisker {

/// For failure messages. GoogleTest finds it through the namespace of Interval.
static std::ostream& operator<<(std::ostream& out, const Interval& a) {
  char text[160];
  std::snprintf(text, sizeof text, "[%.17g (%a), %.17g (%a)]", a.lower, a.lower, a.upper, a.upper);
  return out << text;
}

namespace {

namespace mp = boost::multiprecision;
// Represents products of two doubles exactly, and sums of doubles whose exponents differ by up to 180, over a range of
// exponents far beyond that of double.
using Wide = mp::number<mp::cpp_bin_float<240, mp::digit_base_2>, mp::et_off>;
using Fifty = mp::cpp_bin_float_50;
using test::cases;
using test::seeded;
using test::uniform;
using test::whole;
using Random = std::mt19937_64;

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double largest = std::numeric_limits<double>::max();
constexpr double denormal = std::numeric_limits<double>::denorm_min();

double up(double x) {
  return std::nextafter(x, inf);
}
double down(double x) {
  return std::nextafter(x, -inf);
}
double draw(Random& random, int reach) {
  switch (whole(random, 0, 7)) {
    case 0:
      return whole(random, -3, 3);
    case 1:
      return std::exp2(whole(random, -reach, reach)) * (whole(random, 0, 1) == 0 ? 1 : -1);
    default:
      return uniform(random, -1, 1) * std::exp2(whole(random, -reach, reach));
  }
}

Interval draw_interval(Random& random, int reach) {
  const double a = draw(random, reach);
  if (whole(random, 0, 5) == 0) return a;
  // Not 0 and its neighbor, because their sum with another number needs more bits than Wide has.
  const double b = a != 0 && whole(random, 0, 3) == 0 ? up(a) : draw(random, reach);
  return {std::min(a, b), std::max(a, b)};
}

/// A number of the interval: an end, or any number in between.
double pick(Random& random, const Interval& a) {
  const int choice = whole(random, 0, 9);
  if (choice == 0) return a.lower;
  if (choice == 1) return a.upper;
  const double x = a.lower + (a.upper - a.lower) * uniform(random, 0, 1);
  return std::min(std::max(x, a.lower), a.upper);
}

/// The largest double not above the exact value, and the smallest not below it.
double rounded_down(const Wide& exact) {
  const double nearest = static_cast<double>(exact);
  return Wide(nearest) > exact ? down(nearest) : nearest;
}
double rounded_up(const Wide& exact) {
  return -rounded_down(-exact);
}

// ---------------------------------------------------------------------------------------------------------------------

TEST(Interval, ResultsContainTheExactResultOfEveryPairOfNumbers) {
  Random random = seeded(301);
  std::size_t points = 0;
  for (std::size_t i = 0; i < cases(60'000); ++i) {
    const int reach = whole(random, 0, 1) == 0 ? 2 : 60;
    const Interval a = draw_interval(random, reach), b = draw_interval(random, reach);
    const Interval total = a + b, difference = a - b, product = a * b, quotient = a / b, squares = square(a);
    for (int k = 0; k < 4; ++k) {
      const double x = pick(random, a), y = pick(random, b);
      const Wide wx(x), wy(y);
      ASSERT_TRUE(total.lower <= wx + wy && wx + wy <= total.upper) << a << " + " << b << ": " << x << ", " << y;
      ASSERT_TRUE(difference.lower <= wx - wy && wx - wy <= difference.upper) << a << " - " << b;
      ASSERT_TRUE(product.lower <= wx * wy && wx * wy <= product.upper) << a << " * " << b << ": " << x << ", " << y;
      ASSERT_TRUE(squares.lower <= wx * wx && wx * wx <= squares.upper) << a << "²: " << x;
      if (contains(b, 0)) {
        ASSERT_EQ(quotient, Interval::whole());
      } else {  // lower <= x / y <= upper, multiplied by y, which is exact.
        const Wide low = Wide(quotient.lower) * wy, high = Wide(quotient.upper) * wy;
        ASSERT_TRUE(y > 0 ? low <= wx && wx <= high : high <= wx && wx <= low)
            << a << " / " << b << ": " << x << ", " << y;
      }
      ++points;
    }
  }
  EXPECT_GE(points, cases(60'000) * 4);
}

TEST(Interval, EndsAreTheExactEndsRoundedOutwardOnce) {
  Random random = seeded(302);
  for (std::size_t i = 0; i < cases(40'000); ++i) {
    const int reach = whole(random, 0, 1) == 0 ? 2 : 60;
    const Interval a = draw_interval(random, reach), b = draw_interval(random, reach);
    const Wide al(a.lower), au(a.upper), bl(b.lower), bu(b.upper);
    ASSERT_EQ(a + b, Interval(rounded_down(al + bl), rounded_up(au + bu))) << a << " + " << b;
    ASSERT_EQ(a - b, Interval(rounded_down(al - bu), rounded_up(au - bl))) << a << " - " << b;
    const std::array<Wide, 4> products{al * bl, al * bu, au * bl, au * bu};
    ASSERT_EQ(a * b, Interval(rounded_down(*std::min_element(products.begin(), products.end())),
                              rounded_up(*std::max_element(products.begin(), products.end()))))
        << a << " * " << b;
    if (!contains(b, 0)) {
      // 240 bits of the quotient suffice to decide on which side of a double it lies, unless it is a double.
      const std::array<Wide, 4> quotients{al / bl, al / bu, au / bl, au / bu};
      ASSERT_EQ(a / b, Interval(rounded_down(*std::min_element(quotients.begin(), quotients.end())),
                                rounded_up(*std::max_element(quotients.begin(), quotients.end()))))
          << a << " / " << b;
    }
    const Interval magnitudes = abs(a);
    ASSERT_EQ(sqrt(magnitudes),
              Interval(rounded_down(mp::sqrt(Wide(magnitudes.lower))), rounded_up(mp::sqrt(Wide(magnitudes.upper)))))
        << a;
    ASSERT_EQ(square(a), magnitudes * magnitudes);
  }
}

TEST(Interval, ContainmentHoldsAtTheEndsOfTheRangeToWithinOneFurtherUnit) {
  Random random = seeded(303);
  const auto extreme = [&] {
    double value = 0;
    do {
      value = std::bit_cast<double>(static_cast<std::uint64_t>(random()));
      const int choice = whole(random, 0, 5);
      if (choice == 0) value *= 0x1p-900;
      if (choice == 1) value = whole(random, -4, 4) * denormal;
      if (choice == 2) value = std::copysign(largest, value) * uniform(random, 0.5, 1);
      if (choice == 3) value = uniform(random, -1, 1) * std::exp2(whole(random, -500, -480));
      if (choice == 4) value = uniform(random, -1, 1) * std::exp2(whole(random, 990, 1000));
    } while (!std::isfinite(value));
    return value;
  };
  const auto check = [](const Interval& result, const Wide& low, const Wide& high) {
    ASSERT_LE(result.lower, low) << result;
    ASSERT_GE(result.upper, high) << result;
    ASSERT_LT(result.lower, inf);
    ASSERT_GT(result.upper, -inf);
    // Tight: a bound that is two doubles further in would be wrong.
    if (low >= -largest) {
      ASSERT_GE(up(up(result.lower)), low) << result;
    }
    if (high <= largest) {
      ASSERT_LE(down(down(result.upper)), high) << result;
    }
  };
  for (std::size_t i = 0; i < cases(40'000); ++i) {
    double x = extreme(), x2 = extreme(), y = extreme(), y2 = extreme();
    const Interval a(std::min(x, x2), std::max(x, x2)), b(std::min(y, y2), std::max(y, y2));
    const Wide al(a.lower), au(a.upper), bl(b.lower), bu(b.upper);
    const std::array<Wide, 4> products{al * bl, al * bu, au * bl, au * bu};
    check(a * b, *std::min_element(products.begin(), products.end()),
          *std::max_element(products.begin(), products.end()));
    if (!contains(b, 0)) {
      const std::array<Wide, 4> quotients{al / bl, al / bu, au / bl, au / bu};
      check(a / b, *std::min_element(quotients.begin(), quotients.end()),
            *std::max_element(quotients.begin(), quotients.end()));
    }
    const Interval magnitudes = abs(a);
    check(sqrt(magnitudes), mp::sqrt(Wide(magnitudes.lower)), mp::sqrt(Wide(magnitudes.upper)));
    // Sums of doubles of very different magnitudes need more than 240 bits, so rationals are used.
    if (i % 10 == 0) {
      using mp::cpp_rational;
      const Interval total = a + b, gap = a - b;
      const cpp_rational low = cpp_rational(a.lower) + cpp_rational(b.lower),
                         high = cpp_rational(a.upper) + cpp_rational(b.upper);
      ASSERT_TRUE(total.lower == -inf || cpp_rational(total.lower) <= low) << a << b;
      ASSERT_TRUE(total.upper == inf || cpp_rational(total.upper) >= high) << a << b;
      ASSERT_TRUE(std::abs(total.lower) >= largest || cpp_rational(up(total.lower)) > low) << a << b;
      ASSERT_TRUE(std::abs(total.upper) >= largest || cpp_rational(down(total.upper)) < high) << a << b;
      ASSERT_TRUE(gap.lower == -inf || cpp_rational(gap.lower) <= cpp_rational(a.lower) - cpp_rational(b.upper))
          << a << b;
    }
  }
}

// The error of (1 + 2^-52)² is 2^-104 of it, which is the first thing that underflow removes from an error-free
// product.
TEST(Interval, ErrorsLostToUnderflowStillRoundOutward) {
  const double x = 1 + 0x1p-52;
  for (int exponent = -537; exponent <= -440; ++exponent) {
    const double a = std::ldexp(x, exponent);
    const Wide exact = Wide(a) * Wide(a);
    EXPECT_LT((Interval(a) * Interval(a)).lower, exact) << exponent;
    EXPECT_GT((Interval(a) * Interval(a)).upper, exact) << exponent;
    EXPECT_LT((Interval(a) * Interval(-a)).lower, -exact) << exponent;
    EXPECT_GT(square(Interval(-a)).upper, exact) << exponent;
    // The rounded square divided by its factor, and its root, have errors that are just as small.
    const Interval squared((Interval(a) * Interval(a)).lower);
    const Interval quotient = squared / Interval(a), root = sqrt(squared);
    EXPECT_LE(quotient.lower, Wide(squared.lower) / Wide(a)) << exponent;
    EXPECT_GE(quotient.upper, Wide(squared.lower) / Wide(a)) << exponent;
    EXPECT_LE(root.lower, mp::sqrt(Wide(squared.lower))) << exponent;
    EXPECT_GE(root.upper, mp::sqrt(Wide(squared.lower))) << exponent;
  }
}

TEST(Interval, ExactResultsStayPoints) {
  EXPECT_EQ(Interval(1) + Interval(1), Interval(2));
  EXPECT_EQ(Interval(3) * Interval(-0.25), Interval(-0.75));
  EXPECT_EQ(Interval(1) / Interval(4), Interval(0.25));
  EXPECT_EQ(sqrt(Interval(9)), Interval(3));
  EXPECT_EQ(Interval(0) * Interval::whole(), Interval(0));
  EXPECT_EQ(square(Interval(-3, 2)), Interval(0, 9));
  EXPECT_EQ(abs(Interval(-3, 2)), Interval(0, 3));
  const Interval third = Interval(1) / Interval(3);
  EXPECT_EQ(up(third.lower), third.upper);
}

TEST(Interval, UnboundedIntervalsNeverGiveNaN) {
  const std::array<double, 9> ends{-inf, -largest, -1, -denormal, 0, denormal, 1, largest, inf};
  std::vector<Interval> all;
  for (const double low : ends)
    for (const double high : ends)
      if (low <= high && low < inf && high > -inf) all.emplace_back(low, high);
  const auto sound = [](const Interval& a) { return a.lower <= a.upper && a.lower < inf && a.upper > -inf; };
  for (const Interval& a : all) {
    ASSERT_TRUE(sound(-a) && sound(square(a)) && sound(sqrt(a)) && sound(abs(a)) && sound(sin(a)) && sound(cos(a)))
        << a;
    ASSERT_TRUE(contains(a, middle(a)) && std::isfinite(middle(a))) << a;
    ASSERT_GE(width(a), 0) << a;
    for (const Interval& b : all) {
      ASSERT_TRUE(sound(a + b)) << a << b << a + b;
      ASSERT_TRUE(sound(a - b)) << a << b << a - b;
      ASSERT_TRUE(sound(a * b)) << a << b << a * b;
      ASSERT_TRUE(sound(a / b)) << a << b << a / b;
      ASSERT_TRUE(sound(min(a, b)) && sound(max(a, b)) && sound(hull(a, b)));
      // For finite numbers of a and b, the results are inside.
      for (const double x : {std::max(a.lower, -largest), middle(a), std::min(a.upper, largest)})
        for (const double y : {std::max(b.lower, -largest), middle(b), std::min(b.upper, largest)}) {
          ASSERT_TRUE((a + b).lower <= Wide(x) + Wide(y) && Wide(x) + Wide(y) <= (a + b).upper) << a << b;
          ASSERT_TRUE((a * b).lower <= Wide(x) * Wide(y) && Wide(x) * Wide(y) <= (a * b).upper) << a << b;
          if (y != 0) {
            ASSERT_TRUE((a / b).lower <= Wide(x) / Wide(y) && Wide(x) / Wide(y) <= (a / b).upper) << a << b;
          }
        }
    }
  }
  EXPECT_EQ(Interval(1, 2) / Interval(1, inf), Interval(0, 2));
  EXPECT_EQ(Interval(1, inf) * Interval(2, 3), Interval(2, inf));
  EXPECT_EQ(Interval(-inf, 1) + Interval(2, 3), Interval(-inf, 4));
}

// ---------------------------------------------------------------------------------------------------------------------
// Sine and cosine, against 50 decimal digits.

Fifty exact_sin(double x) {
  return mp::sin(Fifty(x));
}
Fifty exact_cos(double x) {
  return mp::cos(Fifty(x));
}

/// The exact range of sin or cos on [a.lower, a.upper], with the multiples of π/2 in 50 digits.
std::pair<Fifty, Fifty> exact_range(const Interval& a, bool sine) {
  const Fifty low = sine ? exact_sin(a.lower) : exact_cos(a.lower),
              high = sine ? exact_sin(a.upper) : exact_cos(a.upper);
  std::pair<Fifty, Fifty> range(std::min(low, high), std::max(low, high));
  const Fifty pi = boost::math::constants::pi<Fifty>();
  const Fifty offset = sine ? pi / 2 : Fifty(0);
  // Maxima are at offset + 2πk, and minima half a turn later.
  if (mp::floor((a.upper - offset) / (2 * pi)) >= mp::ceil((a.lower - offset) / (2 * pi))) range.second = 1;
  const Fifty valley = offset + pi;
  if (mp::floor((a.upper - valley) / (2 * pi)) >= mp::ceil((a.lower - valley) / (2 * pi))) range.first = -1;
  return range;
}

double ulp(double x) {
  return up(std::abs(x)) - std::abs(x);
}

void check_wave(const Interval& a, const Interval& result, bool sine) {
  const auto [low, high] = exact_range(a, sine);
  ASSERT_LE(result.lower, low) << (sine ? "sin " : "cos ") << a << result;
  ASSERT_GE(result.upper, high) << (sine ? "sin " : "cos ") << a << result;
  ASSERT_GE(result.lower, -1) << a;
  ASSERT_LE(result.upper, 1) << a;
  // Tight to four units in the last place.
  ASSERT_LE(low - result.lower, 4 * ulp(static_cast<double>(low))) << (sine ? "sin " : "cos ") << a << result;
  ASSERT_LE(result.upper - high, 4 * ulp(static_cast<double>(high))) << (sine ? "sin " : "cos ") << a << result;
}

TEST(Interval, SineAndCosineEncloseTheirRangeToFourUnits) {
  Random random = seeded(311);
  for (std::size_t i = 0; i < cases(6'000); ++i) {
    const double size = std::exp2(uniform(random, -30, i % 4 == 0 ? 40 : 4));
    const double start = uniform(random, -1, 1) * size;
    const double span = whole(random, 0, 4) == 0 ? 0 : uniform(random, 0, 1) * std::exp2(uniform(random, -30, 2.8));
    const Interval a(start, start + span);
    check_wave(a, sin(a), true);
    check_wave(a, cos(a), false);
    if (HasFatalFailure()) return;
  }
}

TEST(Interval, SineAndCosineAreRightAroundMultiplesOfHalfPi) {
  Random random = seeded(312);
  const Fifty half_pi = boost::math::constants::half_pi<Fifty>();
  for (int n = -40; n <= 40; ++n) {
    const long long scaled = n % 5 == 0 ? n * 123'456'789LL : n;
    const double at = static_cast<double>(half_pi * scaled);
    for (int left = -3; left <= 3; ++left)
      for (int right = left; right <= 3; ++right) {
        double low = at, high = at;
        for (int k = 0; k < std::abs(left); ++k)
          low = left < 0 ? down(low) : up(low);
        for (int k = 0; k < std::abs(right); ++k)
          high = right < 0 ? down(high) : up(high);
        const Interval a(low, high);
        // The neighbors of 0 are subnormal, where units in the last place are no measure, so only containment is
        // checked.
        if (scaled == 0) {
          ASSERT_TRUE(contains(sin(a), low) && contains(sin(a), high) && width(sin(a)) <= width(a) + 8 * denormal) << a;
          ASSERT_TRUE(contains(cos(a), 1) && width(cos(a)) < 1e-15) << a;
          continue;
        }
        check_wave(a, sin(a), true);
        check_wave(a, cos(a), false);
        const Interval wide_a(low, high + uniform(random, 0, 4));
        check_wave(wide_a, sin(wide_a), true);
        check_wave(wide_a, cos(wide_a), false);
        if (HasFatalFailure()) return;
      }
  }
}

// Far from 0, neighboring doubles are so far apart that an extremum on the wrong side of an end is visible in the
// bounds.
TEST(Interval, SineAndCosinePlaceFarExtremesOnTheRightSideOfAnEnd) {
  Random random = seeded(313);
  const Fifty half_pi = boost::math::constants::half_pi<Fifty>();
  for (std::size_t i = 0; i < cases(500); ++i) {
    const std::int64_t n = static_cast<std::int64_t>(random() >> 26) - (std::int64_t{1} << 37);
    const double at = static_cast<double>(half_pi * n);
    for (const Interval& a : {Interval(down(at), at), Interval(at, up(at))}) {
      check_wave(a, sin(a), true);
      check_wave(a, cos(a), false);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Interval, SineAndCosineOfAQuarterTurn) {
  const Interval quarter(0, 1.5707963267948966);  // Just below π/2.
  EXPECT_EQ(sin(quarter), Interval(0, 1));
  EXPECT_LE(cos(quarter).lower, 6.123233995736766e-17);
  EXPECT_GE(cos(quarter).lower, 6.123233995736764e-17);
  EXPECT_EQ(cos(quarter).upper, 1);
  EXPECT_EQ(cos(Interval(0)), Interval(1));
  EXPECT_EQ(sin(Interval(0)), Interval(0));
  // The plain evaluation of √3 cos t + sin t on a quarter turn: [0, 1 + √3] up to rounding.
  const Interval sum = sqrt(Interval(3)) * cos(quarter) + sin(quarter);
  EXPECT_NEAR(sum.lower, 0, 2e-16);
  EXPECT_NEAR(sum.upper, 1 + std::sqrt(3.0), 1e-15);
}

TEST(Interval, SineAndCosineOfHugeAndWideAngles) {
  EXPECT_EQ(sin(Interval(0, 7)), Interval(-1, 1));
  EXPECT_EQ(cos(Interval::whole()), Interval(-1, 1));
  EXPECT_EQ(sin(Interval(0x1p50, 0x1p50 + 1)), Interval(-1, 1));
  // The result for a single huge number is still tight: sin(1.5 · 2^1000), checked with enough digits to reduce the
  // argument.
  using Huge = mp::number<mp::cpp_bin_float<1400, mp::digit_base_2>, mp::et_off>;
  const double x = 0x1.8p1000;
  const Huge turn = 2 * boost::math::constants::pi<Huge>();
  const Huge reduced = Huge(x) - turn * mp::floor(Huge(x) / turn);
  const Interval result = sin(Interval(x));
  EXPECT_LE(Huge(result.lower), mp::sin(reduced));
  EXPECT_GE(Huge(result.upper), mp::sin(reduced));
  EXPECT_LT(width(result), 1e-15);
}

// ---------------------------------------------------------------------------------------------------------------------

TEST(Interval, SetOperationsAndComparisons) {
  const Interval a(1, 3), b(2, 5), c(3, 4), d(6, 7);
  EXPECT_EQ(hull(a, d), Interval(1, 7));
  EXPECT_EQ(intersect(a, b), Interval(2, 3));
  EXPECT_EQ(intersect(a, c), Interval(3));
  EXPECT_EQ(intersect(a, d), std::nullopt);
  EXPECT_TRUE(overlaps(a, c));
  EXPECT_FALSE(overlaps(a, d));
  EXPECT_TRUE(contains(a, 3));
  EXPECT_FALSE(contains(a, up(3)));
  EXPECT_TRUE(contains(Interval(0, 9), b));
  EXPECT_FALSE(contains(b, a));
  EXPECT_EQ(min(a, b), Interval(1, 3));
  EXPECT_EQ(max(a, b), Interval(2, 5));
  EXPECT_TRUE(certainly_less(b, d));
  EXPECT_FALSE(certainly_less(a, c));
  EXPECT_TRUE(certainly_less_equal(a, c));
  EXPECT_TRUE(possibly_less(b, a));
  EXPECT_FALSE(possibly_less(c, a));
  EXPECT_TRUE(possibly_less_equal(c, a));
  EXPECT_EQ(width(a), 2);
  EXPECT_GE(width(Interval(-1, 1e-30)), up(1));
  EXPECT_EQ(middle(b), 3.5);
  EXPECT_EQ(middle(Interval(largest, largest)), largest);
  EXPECT_EQ(middle(Interval(-largest, largest)), 0);
  EXPECT_EQ(middle(Interval(denormal, denormal)), denormal);
  EXPECT_EQ(magnitude(Interval(-4, 3)), 4);
  EXPECT_EQ(mignitude(Interval(-4, -3)), 3);
  EXPECT_EQ(mignitude(Interval(-4, 3)), 0);
  EXPECT_EQ(sqrt(Interval(-4, 4)), Interval(0, 2));
  EXPECT_EQ(sqrt(Interval(-4, -1)), Interval(0));
  Interval sum = a;
  sum += b;
  sum -= Interval(1);
  sum *= Interval(2);
  sum /= Interval(4);
  EXPECT_EQ(sum, Interval(1, 3.5));
}

TEST(IntervalVector, OperationsContainTheExactResults) {
  Random random = seeded(321);
  using Exact = std::array<Wide, 3>;
  const auto inside = [](const IntervalVector3& a, const Exact& exact) {
    for (std::size_t i = 0; i < 3; ++i)
      if (!(a[i].lower <= exact[i] && exact[i] <= a[i].upper)) return false;
    return true;
  };
  for (std::size_t i = 0; i < cases(5'000); ++i) {
    IntervalVector3 a, b;
    IntervalMatrix3 m, n;
    Exact u, v;
    std::array<Exact, 3> p, q;
    const auto take = [&](Interval& box, Wide& number) {
      box = draw_interval(random, 8);
      number = pick(random, box);
    };
    for (std::size_t k = 0; k < 3; ++k) {
      take(a[k], u[k]);
      take(b[k], v[k]);
      for (std::size_t j = 0; j < 3; ++j) {
        take(m(k, j), p[k][j]);
        take(n(k, j), q[k][j]);
      }
    }
    ASSERT_TRUE(inside(a + b, {u[0] + v[0], u[1] + v[1], u[2] + v[2]}));
    ASSERT_TRUE(inside(a - b, {u[0] - v[0], u[1] - v[1], u[2] - v[2]}));
    ASSERT_TRUE(inside(-a, {-u[0], -u[1], -u[2]}));
    ASSERT_TRUE(inside(a * b.x, {u[0] * v[0], u[1] * v[0], u[2] * v[0]}));
    ASSERT_TRUE(inside(cross(a, b), {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]}));
    const Wide dot_exact = u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
    ASSERT_TRUE(dot(a, b).lower <= dot_exact && dot_exact <= dot(a, b).upper);
    const Wide square_exact = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
    ASSERT_TRUE(norm_squared(a).lower <= square_exact && square_exact <= norm_squared(a).upper);
    ASSERT_TRUE(norm(a).lower <= mp::sqrt(square_exact) && mp::sqrt(square_exact) <= norm(a).upper);
    ASSERT_GE(norm_squared(a).lower, 0);
    Exact product;
    const IntervalMatrix3 total = m + n, gap = m - n, matrix_product = m * n;
    for (std::size_t r = 0; r < 3; ++r) {
      product[r] = p[r][0] * u[0] + p[r][1] * u[1] + p[r][2] * u[2];
      for (std::size_t c = 0; c < 3; ++c) {
        ASSERT_TRUE(total(r, c).lower <= p[r][c] + q[r][c] && p[r][c] + q[r][c] <= total(r, c).upper);
        ASSERT_TRUE(gap(r, c).lower <= p[r][c] - q[r][c] && p[r][c] - q[r][c] <= gap(r, c).upper);
        const Wide entry = p[r][0] * q[0][c] + p[r][1] * q[1][c] + p[r][2] * q[2][c];
        ASSERT_TRUE(matrix_product(r, c).lower <= entry && entry <= matrix_product(r, c).upper);
        ASSERT_EQ(transpose(m)(r, c), m(c, r));
      }
    }
    ASSERT_TRUE(inside(m * a, product));
  }
}

TEST(IntervalVector, ExactInputGivesExactOutput) {
  const Vector3 a(1, 2, 3), b(-4, 5, 0.5);
  EXPECT_EQ(IntervalVector3(a) + IntervalVector3(b), IntervalVector3(Vector3(-3, 7, 3.5)));
  EXPECT_EQ(dot(a, b), Interval(7.5));
  EXPECT_EQ(cross(a, b), IntervalVector3(Vector3(-14, -12.5, 13)));
  EXPECT_EQ(norm(Vector3(3, 4, 12)), Interval(13));
  Matrix3 m;
  m << 0, -1, 0, 1, 0, 0, 0, 0, 1;
  EXPECT_EQ(IntervalMatrix3(m) * IntervalVector3(a), IntervalVector3(Vector3(-2, 1, 3)));
  EXPECT_EQ(IntervalMatrix3(m) * transpose(IntervalMatrix3(m)), IntervalMatrix3::identity());
  EXPECT_TRUE(contains(IntervalMatrix3(m), m));
  EXPECT_FALSE(contains(-IntervalMatrix3(m), m));
  const IntervalVector3 box = hull(IntervalVector3(a), IntervalVector3(b));
  EXPECT_TRUE(contains(box, a) && contains(box, b) && contains(box, IntervalVector3(a)));
  EXPECT_FALSE(contains(box, Vector3(0, 0, 0)));
  EXPECT_TRUE(overlaps(box, IntervalVector3(b)));
  EXPECT_FALSE(overlaps(IntervalVector3(a), IntervalVector3(b)));
  EXPECT_EQ(middle(IntervalMatrix3(m)), m);
  EXPECT_EQ(middle(IntervalVector3(a)), a);
  EXPECT_EQ(middle(box), Vector3((a + b) / 2));
}

}  // namespace
}  // namespace whisker
