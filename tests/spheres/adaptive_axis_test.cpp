// The adaptive medial axis: its spheres contain the middle of every piece, agree with the Voronoi diagram, and fit
// better with every refinement.

#include "spheres/adaptive_axis.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "spheres/closed_meshes.hpp"
#include "support/cases.hpp"

namespace whisker {
namespace {

using spheres::AdaptiveAxis;
using spheres::CoverageChoice;
using spheres::cut_surface;
using spheres::Delaunay;
using spheres::MedialSphere;
using spheres::Piece;
using spheres::protrusion;
using spheres::Refinement;
using spheres::sample_surface;
using spheres::Solid;
using test::cases;
using test::closed_meshes;
using test::ellipsoid;
using test::test_seed;

using MedialSpheres = std::vector<MedialSphere>;

constexpr CoverageChoice choices[] = {CoverageChoice::deepest, CoverageChoice::smallest, CoverageChoice::nearest_inside,
                                      CoverageChoice::max_points};

bool holds(const BoundingSphere& sphere, const Vector3& point) {
  // Up to the rounding of the two lengths that are compared.
  return (point - sphere.center).norm() <= sphere.radius * (1 + 1e-15);
}

double worst_of(const MedialSpheres& spheres) {
  double worst = 0;
  for (const MedialSphere& s : spheres)
    worst = std::max(worst, protrusion(s.sphere.radius, s.height));
  return worst;
}

/// All numbers of the spheres, to compare bit for bit.
std::vector<double> numbers(const MedialSpheres& spheres) {
  std::vector<double> all;
  for (const MedialSphere& s : spheres) {
    all.insert(all.end(), {s.sphere.center[0], s.sphere.center[1], s.sphere.center[2], s.sphere.radius, s.height});
    all.insert(all.end(), s.neighbors.begin(), s.neighbors.end());
  }
  return all;
}

/// The third of all pieces whose middles have the lowest x.
std::vector<Piece> third_of(std::vector<Piece> pieces) {
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const Piece& a, const Piece& b) { return a.middle()[0] < b.middle()[0]; });
  pieces.resize(std::max<std::size_t>(1, pieces.size() / 3));
  return pieces;
}

/// Checks that every middle is in a sphere, that heights are those of the centers, and that neighbor relations are
/// mutual.
void check(const Solid& solid, const MedialSpheres& spheres, const std::vector<Piece>& region) {
  for (const Piece& piece : region) {
    ASSERT_TRUE(std::any_of(spheres.begin(), spheres.end(), [&](const MedialSphere& s) {
      return holds(s.sphere, piece.middle());
    })) << piece.middle().transpose();
  }
  for (std::uint32_t i = 0; i < spheres.size(); ++i) {
    const MedialSphere& s = spheres[i];
    ASSERT_EQ(s.height, solid.height(s.sphere.center));
    ASSERT_TRUE(
        std::any_of(region.begin(), region.end(), [&](const Piece& piece) { return holds(s.sphere, piece.middle()); }));
    ASSERT_TRUE(std::is_sorted(s.neighbors.begin(), s.neighbors.end()));
    ASSERT_EQ(std::adjacent_find(s.neighbors.begin(), s.neighbors.end()), s.neighbors.end());
    for (const std::uint32_t n : s.neighbors) {
      ASSERT_LT(n, spheres.size());
      ASSERT_NE(n, i);
      ASSERT_EQ(std::count(spheres[n].neighbors.begin(), spheres[n].neighbors.end(), i), 1);
    }
  }
}

TEST(AdaptiveAxis, EveryMiddleIsInASphereAtTheStartAndAfterEveryRefinement) {
  std::uint64_t seed = test_seed();
  for (const test::NamedMesh& mesh : closed_meshes()) {
    const Solid solid{Mesh(mesh.data)};
    const std::vector<Piece> pieces = cut_surface(solid.mesh(), 300);
    for (std::size_t n = 0; n < cases(4); ++n) {
      const CoverageChoice choice = choices[n % 4];
      SCOPED_TRACE(mesh.name + ", choice " + std::to_string(n % 4) + ", seed " + std::to_string(seed));
      AdaptiveAxis axis(solid, sample_surface(solid.mesh(), 40, seed++), choice);
      check(solid, axis.spheres(pieces), pieces);
      for (const std::vector<Piece>& region : {pieces, third_of(pieces)}) {
        for (int i = 0; i < 4; ++i) {
          const Refinement done = axis.refine(region, {.min_spheres = 1'000'000, .max_insertions = 10});
          const MedialSpheres spheres = axis.spheres(region);
          check(solid, spheres, region);
          // The incrementally updated values equal newly computed ones.
          ASSERT_EQ(done.spheres, spheres.size());
          ASSERT_EQ(done.worst_protrusion, worst_of(spheres));
          if (done.end == Refinement::End::nothing_left) break;
          ASSERT_EQ(done.end, Refinement::End::insertions);
          ASSERT_EQ(done.insertions, 10u);
        }
      }
    }
  }
}

/// The center of the sphere through four points, by solving for it.
Vector3 center_of(const Vector3& a, const Vector3& b, const Vector3& c, const Vector3& d) {
  Matrix3 rows;
  rows << (b - a).transpose(), (c - a).transpose(), (d - a).transpose();
  const Vector3 right = Vector3((b - a).squaredNorm(), (c - a).squaredNorm(), (d - a).squaredNorm()) / 2;
  return a + rows.fullPivLu().solve(right);
}

TEST(AdaptiveAxis, MedialSpheresAreTheBallsOfTheDiagramWithTheirCenterInside) {
  const Solid solid{Mesh(make::s_shape({.along = 8, .across = 10}))};
  const std::vector<Piece> region = third_of(cut_surface(solid.mesh(), 600));
  AdaptiveAxis axis(solid, sample_surface(solid.mesh(), 80, test_seed()));
  const Aabb box = solid.mesh().bounds();
  const Vector3 middle = box.lower + (box.upper - box.lower) / 2;
  const double size = (box.upper - box.lower).maxCoeff();
  std::size_t medial = 0, coverage = 0;
  for (int round = 0; round < 3; ++round) {
    // The first round is the initial state, where the samples are sparse.
    if (round > 0) axis.refine(region, {.min_spheres = 1'000'000, .max_insertions = 40});
    const MedialSpheres spheres = axis.spheres(region);
    const Delaunay& diagram = axis.delaunay();
    std::vector<BoundingSphere> expected;  // those that certainly contain a middle and have their center inside
    for (std::uint32_t i = 0; i < diagram.tetrahedra().size(); ++i) {
      if (!diagram.is_used(i) || !diagram.is_finite(i)) continue;
      const auto& v = diagram.tetrahedra()[i].vertices;
      const Vector3 at = middle + size * center_of(diagram.position(v[0]), diagram.position(v[1]),
                                                   diagram.position(v[2]), diagram.position(v[3]));
      if (!(solid.signed_distance(at).upper < -1e-9)) continue;
      const double radius = (at - (middle + size * diagram.position(v[0]))).norm();
      const bool is_near = std::any_of(region.begin(), region.end(), [&](const Piece& piece) {
        return (piece.middle() - at).norm() < radius - 1e-9;
      });
      if (is_near) expected.push_back({at, radius});
    }
    const auto is_same = [](const BoundingSphere& a, const BoundingSphere& b) {
      return (a.center - b.center).norm() < 1e-7 && std::abs(a.radius - b.radius) < 1e-7;
    };
    for (const BoundingSphere& ball : expected) {
      ASSERT_TRUE(
          std::any_of(spheres.begin(), spheres.end(), [&](const MedialSphere& s) { return is_same(s.sphere, ball); }));
      ++medial;
    }
    // Any additional sphere covers a middle that none of these contains.
    for (const MedialSphere& s : spheres) {
      if (std::any_of(expected.begin(), expected.end(), [&](const BoundingSphere& b) { return is_same(s.sphere, b); }))
        continue;
      ++coverage;
      ASSERT_TRUE(std::any_of(region.begin(), region.end(), [&](const Piece& piece) {
        return holds(s.sphere, piece.middle()) &&
               std::none_of(expected.begin(), expected.end(), [&](const BoundingSphere& b) {
                 return (piece.middle() - b.center).norm() < b.radius - 1e-9;
               });
      }));
    }
  }
  EXPECT_GT(medial, 100u);
  EXPECT_GT(coverage, 0u);
}

/// The squared distance of the farthest corner.
double farthest(const Vector3& point, const Piece& piece) {
  double squared = 0;
  for (const Vector3& corner : piece.corners)
    squared = std::max(squared, (corner - point).squaredNorm());
  return squared;
}

TEST(AdaptiveAxis, NoSphereStandsOffMoreThanThePointsOfTheSurfaceAreFromTheNearestSample) {
  for (const test::NamedMesh& mesh : closed_meshes()) {
    SCOPED_TRACE(mesh.name);
    const Solid solid{Mesh(mesh.data)};
    const std::vector<Piece> region = cut_surface(solid.mesh(), 300);
    const std::vector<Piece> fine = cut_surface(solid.mesh(), 1000);
    const Aabb box = solid.mesh().bounds();
    const Vector3 middle = box.lower + (box.upper - box.lower) / 2;
    const double size = (box.upper - box.lower).maxCoeff();
    AdaptiveAxis axis(solid, sample_surface(solid.mesh(), 30, 1));
    for (int round = 0; round < 4; ++round) {
      // No point of a piece is farther from a sample than the piece's farthest corner.
      double bound = 0;  // squared
      for (const Piece& piece : fine) {
        double least = INFINITY;
        for (std::uint32_t v = Delaunay::first_point; v < axis.delaunay().vertex_count(); ++v)
          least = std::min(least, farthest(middle + size * axis.delaunay().position(v), piece));
        bound = std::max(bound, least);
      }
      EXPECT_LE(worst_of(axis.spheres(region)), std::sqrt(bound) * (1 + 1e-9) + 1e-9 * size);
      axis.refine(region, {.min_spheres = 1'000'000, .max_insertions = 15});
    }
  }
}

TEST(AdaptiveAxis, GoalsAreReached) {
  for (const MeshData& data : {make::s_shape({.along = 8, .across = 10}), ellipsoid(2), make::block()}) {
    const Solid solid{Mesh(data)};
    const std::vector<Piece> region = third_of(cut_surface(solid.mesh(), 1500));
    AdaptiveAxis axis(solid, sample_surface(solid.mesh(), 60, 1));
    const double before = worst_of(axis.spheres(region));
    const Refinement done = axis.refine(region, {.min_spheres = 150, .worst_protrusion = before / 4});
    EXPECT_EQ(done.end, Refinement::End::goal);
    EXPECT_GE(done.spheres, 150u);
    EXPECT_LE(done.worst_protrusion, before / 4);
    EXPECT_GT(done.insertions, 0u);
    // A goal that is already reached costs nothing.
    EXPECT_EQ(axis.refine(region, {.min_spheres = 150, .worst_protrusion = before / 4}).insertions, 0u);
  }
}

TEST(AdaptiveAxis, WhereTheGoalIsOutOfReachTheReasonIsGiven) {
  const Solid s{Mesh(make::s_shape({.along = 8, .across = 10}))};
  const std::vector<Piece> region = cut_surface(s.mesh(), 300);
  AdaptiveAxis axis(s, sample_surface(s.mesh(), 50, 1));
  const Refinement few = axis.refine(region, {.max_insertions = 3});
  EXPECT_EQ(few.end, Refinement::End::insertions);
  EXPECT_EQ(few.insertions, 3u);
  // A double sheet has no interior: each middle ends up as a sample of its own.
  const Solid flat{Mesh(MeshData{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}, {0, 2, 1}}})};
  const std::vector<Piece> sheets = cut_surface(flat.mesh(), 40);
  AdaptiveAxis sheet(flat, sample_surface(flat.mesh(), 10, 1));
  const Refinement all = sheet.refine(sheets, {.min_spheres = 1000});
  EXPECT_EQ(all.end, Refinement::End::nothing_left);
  EXPECT_LT(all.worst_protrusion, 1e-9);
  EXPECT_LE(all.spheres, sheets.size());
}

TEST(AdaptiveAxis, CopiesAreIndependentAndTheSameInputGivesTheSameSpheres) {
  const Solid solid{Mesh(make::s_shape({.along = 8, .across = 10}))};
  const std::vector<Piece> pieces = cut_surface(solid.mesh(), 400);
  const AdaptiveAxis original(solid, sample_surface(solid.mesh(), 60, 1));
  const std::vector<double> before = numbers(original.spheres(pieces));
  AdaptiveAxis copy = original;
  AdaptiveAxis other = original;
  copy.refine(third_of(pieces), {.max_insertions = 30});
  EXPECT_EQ(numbers(original.spheres(pieces)), before);
  EXPECT_NE(numbers(copy.spheres(pieces)), before);
  other.refine(third_of(pieces), {.max_insertions = 30});
  EXPECT_EQ(numbers(other.spheres(pieces)), numbers(copy.spheres(pieces)));
  const AdaptiveAxis again(solid, sample_surface(solid.mesh(), 60, 1));
  EXPECT_EQ(numbers(again.spheres(pieces)), before);
}

TEST(AdaptiveAxis, NoSamplesOneSampleTwiceAndNoPiecesAreFine) {
  const Solid solid{Mesh(make::block())};
  const std::vector<Piece> pieces = cut_surface(solid.mesh(), 200);
  AdaptiveAxis bare(solid, {});
  check(solid, bare.spheres(pieces), pieces);
  const Refinement grown = bare.refine(pieces, {.worst_protrusion = 0.3});
  EXPECT_EQ(grown.end, Refinement::End::goal);
  check(solid, bare.spheres(pieces), pieces);
  const spheres::SurfaceSample sample = sample_surface(solid.mesh(), 1, 1)[0];
  const std::vector<spheres::SurfaceSample> twice = {sample, sample};
  AdaptiveAxis two(solid, twice);
  check(solid, two.spheres(pieces), pieces);
  EXPECT_TRUE(two.spheres({}).empty());
  const Refinement nothing = two.refine({}, {});
  EXPECT_EQ(nothing.end, Refinement::End::nothing_left);
  EXPECT_EQ(nothing.insertions, 0u);
}

}  // namespace
}  // namespace whisker
