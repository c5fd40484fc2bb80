// Reducing many spheres to few: every method contains every piece with no more spheres than requested, and the
// functions that distribute, move and drop spheres keep their guarantees.

#include "spheres/reduce.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/make/make.hpp>
#include <whisker/mesh.hpp>
#include <whisker/spheres/sphere_tree.hpp>

#include "methods/spheres/region_methods.hpp"
#include "spheres/adaptive_axis.hpp"
#include "spheres/sampling.hpp"

namespace whisker::spheres {
namespace {

MeshData ellipsoid() {
  MeshData data = make::icosphere({.subdivisions = 2});
  for (Vector3& v : data.vertices)
    v = Vector3(2 * v.x(), v.y(), v.z() / 2);
  return data;
}

/// A solid, its pieces, and its medial spheres.
struct Case {
  explicit Case(const MeshData& data, std::size_t count = 150)
      : solid(Mesh(data)), pieces(cut_surface(solid.mesh(), count)) {
    AdaptiveAxis axis(solid, sample_surface(solid.mesh(), 50, 1));
    axis.refine(pieces, {.min_spheres = 60, .max_insertions = 50});
    medial = axis.spheres(pieces);
  }

  Solid solid;
  std::vector<Piece> pieces;
  std::vector<MedialSphere> medial;
};

std::vector<Case> all_cases() {
  std::vector<Case> result;
  result.emplace_back(make::box({.size_x = 2}));
  result.emplace_back(make::s_shape({.along = 6, .across = 6}));
  result.emplace_back(ellipsoid());
  result.emplace_back(MeshData{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0.5}}, {{0, 1, 2}, {0, 2, 1}}});
  result.emplace_back(make::box({.size_x = 100, .size_y = 1e-3, .size_z = 1e-4}));
  return result;
}

std::vector<std::uint32_t> all_of(const Region& region) {
  std::vector<std::uint32_t> all(region.piece_count());
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

/// Expects that every piece is in exactly one share, whose ball contains it up to rounding and protrudes as reported.
void expect_shared_out(const Region& region, const std::vector<Share>& shares) {
  std::vector<int> times(region.piece_count(), 0);
  for (const Share& share : shares) {
    EXPECT_FALSE(share.pieces.empty());
    EXPECT_TRUE(std::is_sorted(share.pieces.begin(), share.pieces.end()));
    for (const std::uint32_t p : share.pieces) {
      ++times[p];
      EXPECT_LE(region.reach(share.ball.center, p), share.ball.radius * (1 + 1e-12));
    }
    EXPECT_NEAR(share.ball.error, protrusion(share.ball.radius, region.solid().height(share.ball.center)),
                1e-12 * share.ball.radius);
  }
  EXPECT_TRUE(std::all_of(times.begin(), times.end(), [](int count) { return count == 1; }));
}

TEST(Reduce, EveryMethodHoldsEveryPieceWithNoMoreSpheresThanAskedFor) {
  for (const Case& c : all_cases()) {
    const Region region(c.solid, c.pieces);
    for (const std::size_t count : {1u, 2u, 7u}) {
      const std::vector<std::vector<BoundingSphere>> answers = {
          merge_spheres(region, c.medial, count), methods::burst_spheres(region, c.medial, count),
          expand_spheres(region, c.medial, count, SphereSelection::max_elimination),
          expand_spheres(region, c.medial, count, SphereSelection::max_cover),
          methods::spawn_spheres(region, c.medial, count)};
      for (std::size_t method = 0; method < answers.size(); ++method) {
        const std::vector<BoundingSphere>& spheres = answers[method];
        EXPECT_GE(spheres.size(), 1u);
        EXPECT_LE(spheres.size(), count);
        for (std::uint32_t p = 0; p < region.piece_count(); ++p) {
          ASSERT_TRUE(std::any_of(spheres.begin(), spheres.end(),
                                  [&](const BoundingSphere& sphere) {
                                    return region.reach(sphere.center, p) <= sphere.radius * (1 + 1e-9);
                                  }))
              << "method " << method << ", piece " << p << ", count " << count;
        }
      }
    }
  }
}

TEST(Reduce, WithoutMedialSpheresOrPiecesThereIsNothing) {
  const Case c(make::box(), 20);
  const Region region(c.solid, c.pieces), without_pieces(c.solid, {});
  EXPECT_TRUE(merge_spheres(region, {}, 3).empty());
  EXPECT_TRUE(methods::burst_spheres(region, {}, 3).empty());
  EXPECT_TRUE(expand_spheres(region, {}, 3).empty());
  EXPECT_TRUE(expand_spheres(without_pieces, c.medial, 3).empty());
  EXPECT_TRUE(methods::spawn_spheres(without_pieces, {}, 3).empty());
}

TEST(Reduce, ExpandedSpheresOfAConvexSolidProtrusionEquallyFar) {
  const Case c(ellipsoid());
  for (const std::size_t count : {3u, 10u}) {
    const std::vector<BoundingSphere> spheres = expand_spheres(Region(c.solid, c.pieces), c.medial, count);
    ASSERT_GE(spheres.size(), 2u);
    double least = std::numeric_limits<double>::infinity();
    double most = 0;
    for (const BoundingSphere& sphere : spheres) {
      const double off = protrusion(sphere.radius, c.solid.height(sphere.center));
      least = std::min(least, off);
      most = std::max(most, off);
    }
    EXPECT_LE(most - least, 1e-9);
  }
}

TEST(Reduce, MoreExpandedSpheresProtrusionLess) {
  const Case c(ellipsoid());
  double before = std::numeric_limits<double>::infinity();
  for (const std::size_t count : {1u, 2u, 4u, 8u}) {
    const BoundingSphere first = expand_spheres(Region(c.solid, c.pieces), c.medial, count).front();
    const double off = protrusion(first.radius, c.solid.height(first.center));
    EXPECT_LT(off, before);
    before = off;
  }
}

TEST(Reduce, SharingOutAndSettlingNeverMakeTheWorstWorse) {
  for (const Case& c : all_cases()) {
    const Region region(c.solid, c.pieces);
    const std::vector<Ball> balls = halved(region, all_of(region), 6);
    const std::vector<Share> shared = share_out(region, balls);
    expect_shared_out(region, shared);
    const std::vector<Share> settled = settle(region, balls);
    expect_shared_out(region, settled);
    EXPECT_LE(worst_error(settled), worst_error(shared) * (1 + 1e-12));
    const std::vector<Share> even = shift_planes(region, settled);
    expect_shared_out(region, even);
    EXPECT_LE(worst_error(even), worst_error(settled) * (1 + 1e-12));
    const auto largest = [](const std::vector<Share>& shares) {
      std::size_t most = 0;
      for (const Share& share : shares)
        most = std::max(most, share.pieces.size());
      return most;
    };
    EXPECT_LE(largest(even), largest(settled));
  }
}

TEST(Reduce, PricesMakeSharesOfTheDemandMoreEven) {
  Case c(ellipsoid());
  // The whole demand is at one end.
  for (Piece& piece : c.pieces)
    piece.demand = piece.middle().x() > 1 ? 1 : 0.1;
  const Region region(c.solid, c.pieces);
  const std::vector<Ball> balls = halved(region, all_of(region), 4);
  const std::vector<Share> plain = settle(region, balls);
  const std::vector<Share> even = settle_evenly(region, balls, 4);
  expect_shared_out(region, even);
  EXPECT_LT(unevenness(region, even, 4), unevenness(region, plain, 4));
  // The halves of a piece together have its demand.
  const std::array<Piece, 2> parts = halves(c.pieces[0]);
  EXPECT_EQ(parts[0].demand + parts[1].demand, c.pieces[0].demand);
}

TEST(Reduce, ALeastErrorBallIsNoWorseThanItsStartAndBestOnACube) {
  const Case c(make::box());
  const Region region(c.solid, c.pieces);
  const std::vector<std::uint32_t> corners = region.all_corners();
  const Ball start = region.about(Vector3(0.2, -0.1, 0.15), corners);
  const Ball found = region.min_error(start, corners, 200);
  EXPECT_LT(found.error, start.error);
  // No ball around a cube protrudes less than the one around its center.
  EXPECT_GE(found.error, std::sqrt(0.75) - 0.5 - 1e-12);
  EXPECT_NEAR(found.error, std::sqrt(0.75) - 0.5, 0.02);
}

TEST(Reduce, OptimizingNeverRaisesItsObjective) {
  for (const Case& c : all_cases()) {
    const Region region(c.solid, c.pieces);
    const std::vector<Share> shares = share_out(region, halved(region, all_of(region), 5));
    for (const SphereOptimization& how :
         {SphereOptimization{.rounds = 2}, SphereOptimization{.worst_weight = 0, .rounds = 1},
          SphereOptimization{.mean_square_weight = 0, .rounds = 1}}) {
      const std::vector<Share> better_ones = optimize(region, shares, how);
      expect_shared_out(region, better_ones);
      EXPECT_LE(better_ones.size(), shares.size());
      EXPECT_LE(objective(better_ones, how), objective(shares, how) * (1 + 1e-12));
    }
  }
}

TEST(Reduce, BurstingGivesAwayAllPieces) {
  const Case c(make::s_shape({.along = 6, .across = 6}));
  const Region region(c.solid, c.pieces);
  for (const std::size_t count : {1u, 4u, 1000u}) {
    const std::vector<Share> shares = burst(region, medial_shares(region, c.medial), count);
    expect_shared_out(region, shares);
    EXPECT_LE(shares.size(), count);
  }
}

TEST(Balance, AllowsWhatTheFormulasSay) {
  // Bradshaw's footnote: 2.5 %, then 4.375 %, converging to 10 %.
  const SphereBalance sum{};
  EXPECT_DOUBLE_EQ(allowed_error(sum, 8, 1), 1.025);
  EXPECT_DOUBLE_EQ(allowed_error(sum, 8, 2), 1.04375);
  EXPECT_NEAR(allowed_error(sum, 8, 1000), 1.1, 1e-12);
  // His formula, which is not monotone: 2.5, 3.75, 4.22, 4.22, 3.96 %.
  const SphereBalance printed{.as_printed = true};
  const double expected[] = {1.025, 1.0375, 1.0421875, 1.0421875, 1.03955078125};
  for (int m = 1; m <= 5; ++m)
    EXPECT_DOUBLE_EQ(allowed_error(printed, 8, m), expected[m - 1]);
  // A constant 5 %.
  const SphereBalance flat{.slowness = std::numeric_limits<double>::infinity(), .decay = 1, .slack = 0.05};
  EXPECT_DOUBLE_EQ(allowed_error(flat, 8, 1), 1.05);
  EXPECT_DOUBLE_EQ(allowed_error(flat, 8, 7), 1.05);
}

TEST(Balance, SpheresAreLeftOutWhileTheWorstIsAllowed) {
  const Case c(make::s_shape({.along = 6, .across = 6}));
  const Region region(c.solid, c.pieces);
  const std::vector<Share> shares = settle(region, halved(region, all_of(region), 8));
  const SphereOptimization how{.rounds = 1};
  const std::vector<Share> all = optimize(region, shares, how);
  for (const double slack : {0.05, 1.0}) {
    const SphereBalance allowed{.slowness = std::numeric_limits<double>::infinity(), .decay = 1, .slack = slack};
    const std::vector<Share> fewer = balance(region, shares, allowed, how, 2);
    expect_shared_out(region, fewer);
    EXPECT_LE(fewer.size(), all.size());
    EXPECT_GE(fewer.size(), 2u);
    EXPECT_LT(objective(fewer, how), 2 * (1 + slack) * worst_error(all));
    if (slack == 1.0) {
      EXPECT_LT(fewer.size(), all.size());
    }
  }
}

}  // namespace
}  // namespace whisker::spheres
