// The kernel that bounds distances of features: how much of its error bounds rounding uses up, and that it rarely needs
// the exact fallback.

#include "deform/near_distance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/simd.hpp>

#include "support/cases.hpp"
#include "support/random_shapes.hpp"

namespace whisker::deform {
namespace {

using motion::FeaturePairKind;
using test::cases;
using test::random_vector;
using test::seeded;
using test::uniform;
using test::Vec;
using test::scenes::unit_vector;

using Corners = std::array<Vector3, 4>;

constexpr std::array<std::string_view, 7> families = {"random", "far", "near", "thin", "parallel", "small", "flat"};

Corners corners_of(FeaturePairKind kind, std::string_view family, std::mt19937_64& random) {
  Corners x;
  for (Vector3& v : x)
    v = random_vector(random, 1);
  const bool is_edges = kind == FeaturePairKind::segment_segment;
  if (family == "far") {
    const Vector3 far = 1e6 * unit_vector(random);
    for (Vector3& v : x)
      v += far;
  } else if (family == "near") {
    // The second feature is moved so that a point of it is close to a point of the first.
    const double s = uniform(random, 0, 1), t = uniform(random, 0, 1), gap = std::pow(0.1, uniform(random, 1, 14));
    const Vector3 at_a = is_edges ? Vector3(x[0] + s * (x[1] - x[0])) : x[0];
    const Vector3 at_b =
        is_edges ? Vector3(x[2] + t * (x[3] - x[2])) : Vector3(x[1] + s * (x[2] - x[1] + t * (x[3] - x[2])));
    const Vector3 by = at_a - at_b + gap * unit_vector(random);
    for (std::size_t i = is_edges ? 2 : 1; i < 4; ++i)
      x[i] += by;
  } else if (family == "thin") {
    x[3] = x[2] + std::pow(0.1, uniform(random, 1, 12)) * unit_vector(random);
  } else if (family == "parallel") {
    x[3] = x[2] + uniform(random, -2, 2) * (x[1] - x[0]) + std::pow(0.1, uniform(random, 3, 20)) * unit_vector(random);
  } else if (family == "small") {
    for (std::size_t i = 2; i < 4; ++i)
      x[i] = x[1] + 1e-5 * x[i];
  } else if (family == "flat") {
    for (Vector3& v : x)
      v[2] = 0.5;
  }
  return x;
}

/// The distance in 64 bits instead of 53.
long double distance_of(FeaturePairKind kind, const Corners& x) {
  using Long = long double;
  std::array<Vec<Long>, 4> at;
  for (std::size_t i = 0; i < 4; ++i)
    at[i] = {Long(x[i][0]) - x[0][0], Long(x[i][1]) - x[0][1], Long(x[i][2]) - x[0][2]};
  const auto closest = kind == FeaturePairKind::segment_segment
                           ? test::closest_points(test::make_segment(at[0], at[1]), test::make_segment(at[2], at[3]))
                           : test::closest_points(test::make_point(at[0]), test::make_triangle(at[1], at[2], at[3]));
  return std::sqrt(closest.squared_distance);
}

double size_of(FeaturePairKind kind, const Corners& x) {
  const std::size_t corners_a = kind == FeaturePairKind::segment_segment ? 2 : 1;
  double size = 0;
  for (std::size_t i = 0; i < corners_a; ++i)
    for (std::size_t j = corners_a; j < 4; ++j)
      size = std::max(size, (x[j] - x[i]).cwiseAbs().maxCoeff());
  return size;
}

/// Measures some pairs at once.
void measure(FeaturePairKind kind, const std::vector<Corners>& all, std::size_t count, NearDistances& result) {
  std::vector<motion::MovingVertex> vertices(4 * count);
  std::vector<motion::NumberedPair> pairs(count);
  for (std::size_t n = 0; n < count; ++n) {
    for (std::size_t i = 0; i < 4; ++i) {
      const auto vertex = static_cast<std::uint32_t>(4 * n + i);
      std::copy_n(all[n][i].data(), 3, vertices[vertex].end);
      pairs[n].corners[i] = vertex;
    }
  }
  measure_near(kind, {.numbered = pairs.data(), .vertices_a = vertices.data(), .vertices_b = vertices.data()}, count,
               result);
}

TEST(NearDistance, RoundingTakesLessThanHalfOfTheBounds) {
  auto random = seeded(841);
  for (const FeaturePairKind kind : {FeaturePairKind::point_triangle, FeaturePairKind::segment_segment}) {
    for (const std::string_view family : families) {
      long double most = 0;
      std::size_t tight = 0;
      const std::size_t blocks = cases(60);
      for (std::size_t block = 0; block < blocks; ++block) {
        std::vector<Corners> all;
        for (std::size_t n = 0; n < NearDistances::most; ++n)
          all.push_back(corners_of(kind, family, random));
        NearDistances result;
        measure(kind, all, all.size(), result);
        for (std::size_t n = 0; n < all.size(); ++n) {
          const long double truth = distance_of(kind, all[n]), bound = 0x1p-47L * size_of(kind, all[n]);
          most = std::max(most, (truth - (result.upper[n] - bound)) / bound);
          if (result.lower[n] > 0) most = std::max(most, (result.lower[n] + bound - truth) / bound);
          tight += result.is_tight[n] ? 1 : 0;
          if (!result.is_tight[n]) continue;
          EXPECT_LE(result.upper[n] - result.lower[n], 0x1p-42 * size_of(kind, all[n]));
        }
      }
      const double share = static_cast<double>(tight) / static_cast<double>(blocks * NearDistances::most);
      EXPECT_LT(most, 0.5) << family;
      if (family == "random" || family == "far" || family == "small") {
        EXPECT_GT(share, 0.97) << family;
      }
    }
  }
}

TEST(NearDistance, EveryInstructionSetAndPlaceInABatchGivesTheSame) {
  auto random = seeded(842);
  for (const FeaturePairKind kind : {FeaturePairKind::point_triangle, FeaturePairKind::segment_segment}) {
    for (const std::string_view family : families) {
      std::vector<Corners> all;
      for (std::size_t n = 0; n < NearDistances::most; ++n)
        all.push_back(corners_of(kind, family, random));
      NearDistances one;
      measure(kind, all, all.size(), one);
      const auto compare = [&](std::size_t from, std::size_t count) {
        NearDistances other;
        measure(kind, {all.begin() + static_cast<std::ptrdiff_t>(from), all.end()}, count, other);
        for (std::size_t n = 0; n < count; ++n) {
          EXPECT_EQ(one.lower[from + n], other.lower[n]);
          EXPECT_EQ(one.upper[from + n], other.upper[n]);
          EXPECT_EQ(one.is_tight[from + n], other.is_tight[n]);
          for (std::size_t i = 0; i < 4; ++i)
            EXPECT_EQ(one.weights[i][from + n], other.weights[i][n]);
          for (std::size_t i = 0; i < 3; ++i)
            EXPECT_EQ(one.normal[i][from + n], other.normal[i][n]);
        }
      };
      for (const std::string& target : simd_targets()) {
        ASSERT_TRUE(use_simd_target(target));
        compare(0, all.size());
        compare(5, 1);
        compare(3, 13);
      }
      use_simd_target("");
    }
  }
}

}  // namespace
}  // namespace whisker::deform
