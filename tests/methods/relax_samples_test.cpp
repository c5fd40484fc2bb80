// Points on a surface: on it, in the requested number, and evenly spread; and the flat parts in which they are spread.

#include "methods/spheres/relax_samples.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/geometry/closest_points.hpp>

#include "spheres/closed_meshes.hpp"
#include "support/cases.hpp"

namespace whisker {
namespace {

using methods::PlanarClusters;
using methods::sample_evenly;
using spheres::sample_surface;
using spheres::SurfaceSample;
using test::closed_meshes;
using test::test_seed;

TEST(PlanarClusters, ABoxHasSixOfTwoTriangles) {
  const Mesh box(make::box());
  const PlanarClusters clusters(box);
  ASSERT_EQ(clusters.size(), 6u);
  for (std::uint32_t c = 0; c < 6; ++c) {
    EXPECT_EQ(clusters.triangles(c).size(), 2u);
    EXPECT_NEAR(clusters.normal(c).cwiseAbs().maxCoeff(), 1, 1e-15);
    // Opposite faces have no common corner.
    for (std::uint32_t d = 0; d < 6; ++d)
      EXPECT_EQ(clusters.are_near(c, d), clusters.normal(c).dot(clusters.normal(d)) > -0.5);
  }
  for (std::uint32_t t = 0; t < 12; ++t) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t next = clusters.beyond(t, i);
      ASSERT_LT(next, 12u);
      EXPECT_TRUE(clusters.beyond(next, 0) == t || clusters.beyond(next, 1) == t || clusters.beyond(next, 2) == t);
    }
  }
}

TEST(PlanarClusters, EachTriangleOfABallAndEachSideOfASheetIsOne) {
  const Mesh ball(make::icosphere({.subdivisions = 2}));
  EXPECT_EQ(PlanarClusters(ball).size(), ball.triangle_count());
  const Mesh sheet(MeshData{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}, {0, 2, 1}}});
  EXPECT_EQ(PlanarClusters(sheet).size(), 2u);
  const Mesh collapsed(MeshData{{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 1, 0}}, {{0, 1, 2}, {0, 2, 3}}});
  const PlanarClusters clusters(collapsed);
  EXPECT_EQ(clusters.size(), 2u);
  EXPECT_EQ(clusters.normal(clusters.of(0)), Vector3::Zero());
}

TEST(SampleEvenly, PointsAreOnTheirTrianglesAndAsManyAsAskedFor) {
  for (const test::NamedMesh& named : closed_meshes()) {
    SCOPED_TRACE(named.name);
    const Mesh mesh(named.data);
    const Aabb box = mesh.bounds();
    const double size = std::max(box.lower.cwiseAbs().maxCoeff(), box.upper.cwiseAbs().maxCoeff());
    for (const std::size_t count : {std::size_t{1}, std::size_t{300}}) {
      const std::vector<SurfaceSample> samples = sample_evenly(mesh, PlanarClusters(mesh), count, test_seed());
      EXPECT_EQ(samples.size(), count);
      for (const SurfaceSample& sample : samples) {
        ASSERT_LT(sample.triangle, mesh.triangle_count());
        EXPECT_LE(closest_points(sample.point, mesh.triangle(sample.triangle)).distance, 1e-13 * size);
      }
    }
    EXPECT_TRUE(sample_evenly(mesh, PlanarClusters(mesh), 0, 1).empty());
  }
}

/// The mean distance from a point to its nearest neighbor.
double mean_gap(const std::vector<SurfaceSample>& samples) {
  double sum = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    double least = INFINITY;
    for (std::size_t j = 0; j < samples.size(); ++j) {
      if (i != j) least = std::min(least, (samples[i].point - samples[j].point).norm());
    }
    sum += least;
  }
  return sum / static_cast<double>(samples.size());
}

TEST(SampleEvenly, PointsOfABoxAreFartherApartThanThoseDrawnAtRandom) {
  const Mesh box(make::box());
  const std::vector<SurfaceSample> even = sample_evenly(box, PlanarClusters(box), 400, test_seed());
  const double apart = std::sqrt(6.0 / 400);
  EXPECT_GT(mean_gap(even), 1.3 * mean_gap(sample_surface(box, 400, test_seed())));
  EXPECT_GT(mean_gap(even), 0.65 * apart);
  // The edges have points of their own.
  const auto on_edge = [](const SurfaceSample& sample) {
    return (sample.point.cwiseAbs().array() > 0.5 - 1e-12).count() > 1;
  };
  EXPECT_GT(std::count_if(even.begin(), even.end(), on_edge),
            static_cast<std::ptrdiff_t>(12 * std::floor(1 / apart)) - 1);
}

TEST(SampleEvenly, TheSameSeedGivesTheSamePointsAndAnotherOthers) {
  const Mesh mesh(make::block());
  const PlanarClusters clusters(mesh);
  const auto sum = [&](std::uint64_t seed) {
    Vector3 total = Vector3::Zero();
    for (const SurfaceSample& sample : sample_evenly(mesh, clusters, 100, seed))
      total += sample.point;
    return total;
  };
  EXPECT_EQ(sum(1), sum(1));
  EXPECT_NE(sum(1), sum(2));
}

}  // namespace
}  // namespace whisker
