// Volumes, masks and cones of regions against rational numbers: all vertices are in the volumes, and what masks and
// cones claim about the normals holds for the exact normals.

#include "methods/surfaces/surface_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <Eigen/Geometry>
#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>

#include "deform/surface_cases.hpp"

namespace whisker::methods::surfaces {
namespace {

using namespace test;
using Rational = boost::multiprecision::cpp_rational;

constexpr SurfaceVolume mask_volumes[] = {SurfaceVolume::aabb, SurfaceVolume::kdop14, SurfaceVolume::kdop18,
                                          SurfaceVolume::kdop26, SurfaceVolume::kdop62};

Rational dot(const Vector3& a, const Vector3& b) {
  return Rational(a[0]) * Rational(b[0]) + Rational(a[1]) * Rational(b[1]) + Rational(a[2]) * Rational(b[2]);
}

using RationalVector = std::array<Rational, 3>;

RationalVector normal(const Vertices& vertices, const Index3& t) {
  std::array<Rational, 3> u, v;
  for (std::size_t k = 0; k < 3; ++k) {
    const int i = static_cast<int>(k);
    u[k] = Rational(vertices[t[1]][i]) - Rational(vertices[t[0]][i]);
    v[k] = Rational(vertices[t[2]][i]) - Rational(vertices[t[0]][i]);
  }
  return {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
}

Rational dot(const RationalVector& a, const Vector3& b) {
  return a[0] * Rational(b[0]) + a[1] * Rational(b[1]) + a[2] * Rational(b[2]);
}

/// Triangles that are nearly segments, or nearly parallel to some direction, near the origin and far from it. Their
/// normals are mostly rounding error.
MeshData slivers(std::mt19937_64& random, std::span<const Vector3> directions) {
  MeshData data;
  for (int i = 0; i < 40; ++i) {
    const Vector3 at = random_vector(random, 1) * scenes::power_of_ten(whole(random, 0, 6));
    const Vector3 along = scenes::unit_vector(random);
    const double size = std::ldexp(1, -whole(random, 30, 54));
    const auto v = static_cast<std::uint32_t>(data.vertices.size());
    data.vertices.push_back(at);
    data.vertices.push_back(at + along);
    if (i % 2 == 0 || directions.empty()) {
      data.vertices.push_back(at + uniform(random, 0, 2) * along + size * scenes::unit_vector(random));
    } else {
      const auto last = static_cast<int>(directions.size()) - 1;
      data.vertices.push_back(at + directions[static_cast<std::size_t>(whole(random, 0, last))] +
                              size * scenes::unit_vector(random));
    }
    data.triangles.push_back({v, v + 1, v + 2});
  }
  return data;
}

TEST(SurfaceBounds, VolumesHoldTheirVertices) {
  auto random = seeded(931);
  for (const SurfaceCase& one : surface_cases(random)) {
    if (one.data.triangles.size() > 250) continue;
    MeshData data = one.data;
    const Vector3 by = random_vector(random, 1e5);
    for (Vector3& v : data.vertices)
      v += by;
    const SurfaceTree tree = build_surface_tree(data.vertices, data.triangles);
    for (const SurfaceVolume volume : mask_volumes) {
      const std::span<const Vector3> axes = volume_axes(volume);
      ASSERT_EQ(axes.size(), axis_count(volume));
      std::vector<double> heights, bounds;
      fit_volumes(volume, data.vertices, data.triangles, tree, heights, bounds);
      for (std::size_t i = 0; i < axes.size(); ++i) {
        for (std::uint32_t t = 0; t < data.triangles.size(); ++t) {
          for (const std::uint32_t v : data.triangles[t]) {
            const Rational height = dot(axes[i], data.vertices[v]);
            // From the leaf up, and not much larger than necessary.
            EXPECT_LE(Rational(bounds[2 * axes.size() * t + i]), height);
            EXPECT_GE(Rational(-bounds[2 * axes.size() * t + axes.size() + i]), height);
          }
        }
        for (std::uint32_t n = 0; n + 1 < tree.nodes.size(); ++n) {
          const std::size_t at = 2 * axes.size() * n + i, above = 2 * axes.size() * tree.nodes[n].parent + i;
          EXPECT_GE(bounds[at], bounds[above]);
          EXPECT_GE(bounds[at + axes.size()], bounds[above + axes.size()]);
        }
      }
      // Tight at the root, up to rounding.
      for (std::size_t i = 0; i < axes.size(); ++i) {
        double low = std::numeric_limits<double>::infinity();
        for (const Index3& t : data.triangles)
          for (const std::uint32_t v : t)
            low = std::min(low, axes[i].dot(data.vertices[v]));
        EXPECT_NEAR(bounds[2 * axes.size() * tree.root() + i], low, 1e-9);
      }
    }
  }
}

TEST(SurfaceBounds, ReachesAreNoShorterThanTheDistanceAlongTheAxis) {
  for (const SurfaceVolume volume : mask_volumes) {
    const std::span<const Vector3> axes = volume_axes(volume);
    for (const double distance : {1e-3, 1.0, 3e20}) {
      const auto reach = reaches(volume, distance);
      for (std::size_t i = 0; i < axes.size(); ++i) {
        EXPECT_GT(Rational(reach[i]) * Rational(reach[i]),
                  dot(axes[i], axes[i]) * Rational(distance) * Rational(distance));
        EXPECT_NEAR(reach[i] / distance, axes[i].norm(), 1e-14);
      }
    }
    for (const double reach : reaches(volume, 0))
      EXPECT_EQ(reach, 0);
  }
}

TEST(SurfaceBounds, DirectionsAreSpreadOverTheSphere) {
  auto random = seeded(932);
  const auto farthest = [&](const std::vector<Vector3>& directions) {
    double worst = 1;
    for (int i = 0; i < 2000; ++i) {
      const Vector3 any = scenes::unit_vector(random);
      double best = -1;
      for (const Vector3& d : directions) {
        EXPECT_LE(d.cwiseAbs().maxCoeff(), 1 + 1e-15);
        best = std::max(best, d.dot(any) / d.norm());
      }
      worst = std::min(worst, best);
    }
    return std::acos(worst) * 180 / std::numbers::pi;
  };
  const auto of_volume = [](SurfaceVolume volume) {
    return mask_directions(volume, SurfaceCurvature::volume_directions);
  };
  EXPECT_EQ(of_volume(SurfaceVolume::kdop26).size(), 26u);
  EXPECT_EQ(of_volume(SurfaceVolume::kdop62).size(), 62u);
  EXPECT_EQ(mask_directions(SurfaceVolume::aabb, SurfaceCurvature::sixty_four).size(), 64u);
  EXPECT_LT(farthest(of_volume(SurfaceVolume::aabb)), 55);
  EXPECT_LT(farthest(of_volume(SurfaceVolume::kdop26)), 28);
  EXPECT_LT(farthest(of_volume(SurfaceVolume::kdop62)), 21);
  EXPECT_LT(farthest(mask_directions(SurfaceVolume::aabb, SurfaceCurvature::sixty_four)), 21);
}

TEST(SurfaceBounds, MasksAreTrueOfTheTrueNormals) {
  auto random = seeded(933);
  std::size_t set = 0, unset_but_true = 0, looked_at = 0;
  for (const SurfaceCurvature curvature : {SurfaceCurvature::volume_directions, SurfaceCurvature::sixty_four}) {
    for (std::size_t i = 0; i < cases(30); ++i) {
      const std::vector<Vector3> directions = mask_directions(mask_volumes[i % 5], curvature);
      const MeshData data = slivers(random, directions);
      const SurfaceTree tree = build_surface_tree(data.vertices, data.triangles);
      std::vector<std::uint64_t> masks;
      fit_masks(directions, data.vertices, data.triangles, tree, {}, 0, masks);
      for (std::uint32_t t = 0; t < data.triangles.size(); ++t) {
        const RationalVector n = normal(data.vertices, data.triangles[t]);
        for (std::size_t k = 0; k < 64; ++k) {
          const bool is_set = (masks[t] >> k & 1) != 0;
          const bool is_true = k < directions.size() && dot(n, directions[k]) > 0;
          EXPECT_TRUE(is_true || !is_set);
          set += is_set ? 1 : 0;
          unset_but_true += is_true && !is_set ? 1 : 0;
          looked_at += is_true ? 1 : 0;
        }
      }
      for (std::uint32_t n = 0; n + 1 < tree.nodes.size(); ++n)
        EXPECT_EQ(masks[tree.nodes[n].parent] & ~masks[n], 0u);
    }
  }
  EXPECT_GT(set, looked_at / 4);
  EXPECT_GT(unset_but_true, 0u) << "nothing was near enough to tell";
}

TEST(SurfaceBounds, MasksOfOrdinaryTrianglesMissNothing) {
  auto random = seeded(934);
  for (const SurfaceCase& one : surface_cases(random)) {
    const Vertices vertices = deformed(one.data.vertices, random);
    const SurfaceTree tree = build_surface_tree(one.data.vertices, one.data.triangles);
    const std::vector<Vector3> directions = mask_directions({}, SurfaceCurvature::sixty_four);
    std::vector<std::uint64_t> masks, wide;
    fit_masks(directions, vertices, one.data.triangles, tree, {}, 0, masks);
    const std::vector<std::uint8_t> margins(one.data.triangles.size(), 2);
    fit_masks(directions, vertices, one.data.triangles, tree, margins, 10, wide);
    for (std::uint32_t t = 0; t < one.data.triangles.size(); ++t) {
      const Index3& v = one.data.triangles[t];
      const Vector3 n = (vertices[v[1]] - vertices[v[0]]).cross(vertices[v[2]] - vertices[v[0]]);
      for (std::size_t k = 0; k < 64; ++k) {
        const double cosine = n.dot(directions[k]) / n.norm();  // NaN for a triangle without area
        if (n.norm() > 1e-9 && cosine > 1e-6) {
          EXPECT_TRUE(masks[t] >> k & 1);
        }
        if (!(cosine > -1e-6)) {
          EXPECT_FALSE(masks[t] >> k & 1);
        }
        // With a margin of 20 degrees.
        const double limit = std::sin(20 * std::numbers::pi / 180);
        if (n.norm() > 1e-9 && std::abs(cosine - limit) > 1e-6) {
          EXPECT_EQ((wide[t] >> k & 1) != 0, cosine > limit);
        }
      }
    }
  }
}

TEST(SurfaceBounds, AllNormalsAreWithinNinetyDegreesOfAConesAxis) {
  auto random = seeded(935);
  std::size_t known = 0, together = 0;
  for (std::size_t i = 0; i < cases(3); ++i) {
    std::vector<MeshData> meshes = {slivers(random, {})};
    for (const SurfaceCase& one : surface_cases(random))
      if (one.data.triangles.size() < 250) meshes.push_back({deformed(one.data.vertices, random), one.data.triangles});
    for (const MeshData& data : meshes) {
      const SurfaceTree tree = build_surface_tree(data.vertices, data.triangles);
      std::vector<NormalCone> cones;
      fit_cones(data.vertices, data.triangles, tree, {}, 0, cones);
      std::vector<RationalVector> normals;
      for (const Index3& t : data.triangles)
        normals.push_back(normal(data.vertices, t));
      const auto expect_in = [&](const NormalCone& cone, std::uint32_t node) {
        for (std::uint32_t k = 0; k < tree.nodes[node].triangles; ++k) {
          const RationalVector& n = normals[tree.order[tree.nodes[node].first + k]];
          const Rational height = dot(n, cone.axis);
          EXPECT_GT(height, 0);
          // Also within the cone itself.
          const Rational squares = (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) * dot(cone.axis, cone.axis);
          EXPECT_GE(height * height, Rational(cone.cosine) * Rational(cone.cosine) * squares);
        }
      };
      for (std::uint32_t n = 0; n < tree.nodes.size(); ++n) {
        if (!(cones[n].cosine > 0)) continue;
        ++known;
        expect_in(cones[n], n);
        const auto other = static_cast<std::uint32_t>(whole(random, 0, static_cast<int>(tree.root())));
        const NormalCone both = merged(cones[n], cones[other]);
        if (!(both.cosine > 0)) continue;
        ++together;
        expect_in(both, n);
        expect_in(both, other);
      }
    }
  }
  EXPECT_GT(known, 100 * cases(3));
  EXPECT_GT(together, 20 * cases(3));
}

TEST(SurfaceBounds, BordersHaveMargins) {
  // A square with a notch, whose inner corner is not convex.
  const MeshData sheet = grid(
      6, 6, [](double s, double t) { return Vector3(s, t, 0); },
      [](std::uint32_t i, std::uint32_t j) { return !(i >= 4 && j >= 4); });
  const SurfaceTopology topology = build_surface_topology(sheet.vertices, sheet.triangles);
  const std::vector<std::uint8_t> margins = contour_margins(sheet.vertices, sheet.triangles, topology.twins);
  for (std::size_t t = 0; t < sheet.triangles.size(); ++t) {
    int wanted = 0;
    for (const std::uint32_t v : sheet.triangles[t]) {
      const Vector3 at = 6 * sheet.vertices[v];
      const bool is_notch = std::abs(at.x() - 4) < 0.1 && std::abs(at.y() - 4) < 0.1;
      const bool is_border =
          at.x() < 0.1 || at.y() < 0.1 || at.x() > 5.9 || at.y() > 5.9 || (at.x() > 3.9 && at.y() > 3.9);
      wanted = std::max(wanted, is_notch ? 2 : is_border ? 1 : 0);
    }
    EXPECT_EQ(margins[t], wanted) << t;
  }
}

}  // namespace
}  // namespace whisker::methods::surfaces
