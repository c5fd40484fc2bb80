// The rounding errors of the numbers that decide contacts of moving features, against their truth to 120 digits: they
// never exceed the bounds in docs/guarantees.md, and how much of the bounds they use up.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <random>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <gtest/gtest.h>

#include "motion/linear_contact.hpp"
#include "support/cases.hpp"

namespace whisker::motion {
namespace {

using test::cases;
using test::seeded;
using test::uniform;
using Generator = std::mt19937_64;
using Exact = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<120>, boost::multiprecision::et_off>;
using Exact3 = std::array<Exact, 3>;

struct FourCorners {
  double start[4][3], end[4][3];

  FeaturePair pair() const { return {{start[0], start[1], start[2], start[3]}, {end[0], end[1], end[2], end[3]}}; }
};

/// Features of any position, size, thinness and speed that move together, so that they are not separated at once.
FourCorners draw(Generator& random) {
  FourCorners c;
  const double far = std::exp(uniform(random, -5, 12)), size = std::exp(uniform(random, -8, 8));
  const double thin = std::exp(uniform(random, -18, 0)), speed = size * std::exp(uniform(random, -8, 3));
  double place[3], by[3];
  for (int k = 0; k < 3; ++k) {
    place[k] = far * uniform(random, -1, 1);
    by[k] = speed * uniform(random, -1, 1);
  }
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < 3; ++k) {
      c.start[i][k] = place[k] + size * (k == 2 ? thin : 1) * uniform(random, -1, 1);
      c.end[i][k] = c.start[i][k] + by[k] + speed * uniform(random, -1, 1);
    }
  }
  return c;
}

Exact3 minus(const Exact3& a, const Exact3& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
Exact3 plus(const Exact3& a, const Exact3& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
Exact3 cross(const Exact3& a, const Exact3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Exact dot(const Exact3& a, const Exact3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// The polygon's corners and sides at a time.
struct Truth {
  std::array<Exact3, 4> x, e;
};
Truth truth_at(FeaturePairKind kind, const FourCorners& corners, double t) {
  const PolygonLayout layout = layout_of(kind);
  const auto corner = [&](int i) {
    Exact3 p;
    for (int k = 0; k < 3; ++k) {
      const Exact start = corners.start[i][k], end = corners.end[i][k];
      p[static_cast<std::size_t>(k)] = start + Exact(t) * (end - start);
    }
    return p;
  };
  Truth truth;
  const auto count = static_cast<std::size_t>(layout.count);
  for (std::size_t i = 0; i < count; ++i)
    truth.x[i] = minus(corner(layout.b[i]), corner(layout.a[i]));
  for (std::size_t i = 0; i < count; ++i)
    truth.e[i] = minus(truth.x[(i + 1) % count], truth.x[i]);
  return truth;
}

/// The largest errors relative to their bounds.
struct Share {
  double cubic = 0, quadratic = 0, along = 0;
};

double share(const Exact& computed, const Exact& truth, double bound) {
  return static_cast<double>(Exact(abs(computed - truth) / Exact(bound)));
}

void compare(FeaturePairKind kind, const FourCorners& corners, const LinearPolygon& polygon, double from, double to,
             Generator& random, Share& most) {
  const LinearCoefficients found = coefficients_of(polygon, from, to);
  const Truth first = truth_at(kind, corners, from), last = truth_at(kind, corners, to);
  const Exact3 n0 = cross(first.e[0], first.e[1]), n2 = cross(last.e[0], last.e[1]);
  const Exact3 n1 = plus(cross(first.e[0], last.e[1]), cross(last.e[0], first.e[1]));
  const std::array<Exact, 4> cubic = {dot(first.x[0], n0), dot(first.x[0], n1) + dot(last.x[0], n0),
                                      dot(first.x[0], n2) + dot(last.x[0], n1), dot(last.x[0], n2)};
  for (std::size_t i = 0; i < 4; ++i) {
    const double times = i == 0 || i == 3 ? 1 : 3;
    most.cubic = std::max(most.cubic, share(found.cubic[i], cubic[i], times * polygon.cubic_error));
  }
  const std::size_t i = found.axis == 0 ? 1 : 0, j = found.axis == 2 ? 1 : 2;
  for (std::size_t k = 0; k < static_cast<std::size_t>(polygon.count); ++k) {
    const auto area = [&](const Exact3& x, const Exact3& e) { return x[i] * e[j] - x[j] * e[i]; };
    const std::array<Exact, 3> truth = {area(first.x[k], first.e[k]),
                                        area(first.x[k], last.e[k]) + area(last.x[k], first.e[k]),
                                        area(last.x[k], last.e[k])};
    const double sign = polygon.count == 4 && k >= 2 ? -1 : 1;
    for (std::size_t m = 0; m < 3; ++m) {
      const double bound = (m == 1 ? 2 : 1) * polygon.quadratic_error[found.axis];
      most.quadratic = std::max(most.quadratic, share(sign * found.quadratic[k][m], truth[m], bound));
    }
  }
  // A corner along a direction, as linear_contact.cpp computes it.
  const double n[3] = {uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1)};
  const double bound =
      12 * 0x1p-53 *
      ((std::abs(n[0]) * polygon.size_x[0] + std::abs(n[1]) * polygon.size_x[1]) + std::abs(n[2]) * polygon.size_x[2]);
  for (int k = 0; k < polygon.count; ++k) {
    double x[3];
    for (int axis = 0; axis < 3; ++axis)
      x[axis] = polygon.x[k][axis] + to * polygon.dx[k][axis];
    const double along = (n[0] * x[0] + n[1] * x[1]) + n[2] * x[2];
    most.along =
        std::max(most.along, share(along, dot({n[0], n[1], n[2]}, last.x[static_cast<std::size_t>(k)]), bound));
  }
}

TEST(LinearBounds, RoundingStaysWithinThem) {
  auto random = seeded(8812);
  for (const FeaturePairKind kind : {FeaturePairKind::point_triangle, FeaturePairKind::segment_segment}) {
    Share most;
    std::size_t compared = 0;
    for (std::size_t i = 0; i < cases(30000); ++i) {
      const FourCorners corners = draw(random);
      LinearPolygon polygon;
      polygon.count = 0;
      LinearAnswer answer;
      first_contact_of(kind, corners.pair(), {1e-6, 1e-6, 0, 0, 1, false}, polygon, answer);
      if (polygon.count == 0) continue;  // separated along an axis before anything is computed
      double from = 0, to = 1;
      if (i % 3 != 0) {
        from = uniform(random, 0, 1);
        to = std::min(1.0, from + (i % 3 == 1 ? 1e-6 : 0.1) * uniform(random, 0, 1));
      }
      compare(kind, corners, polygon, from, to, random, most);
      ++compared;
    }
    std::printf("%s: %zu compared; of the bounds rounding took %.3f (cubic), %.3f (quadratics), %.3f (directions)\n",
                kind == FeaturePairKind::point_triangle ? "point and triangle" : "segments", compared, most.cubic,
                most.quadratic, most.along);
    EXPECT_GT(compared, cases(5000));
    EXPECT_LT(most.cubic, 1);
    EXPECT_LT(most.quadratic, 1);
    EXPECT_LT(most.along, 1);
    // Bounds that rounding never comes close to would prove nothing.
    EXPECT_GT(most.cubic, 0.02);
    EXPECT_GT(most.quadratic, 0.05);
    EXPECT_GT(most.along, 0.05);
  }
}

}  // namespace
}  // namespace whisker::motion
