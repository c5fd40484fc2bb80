// Planned leaves: their assignment has the lowest cost that the available room allows, leaves stay whole, and the last
// level of a tree is nearly as tight as a flat set.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/make/make.hpp>
#include <whisker/mesh.hpp>
#include <whisker/spheres/sphere_set.hpp>
#include <whisker/spheres/sphere_tree.hpp>

#include "spheres/flat_shares.hpp"
#include "spheres/sampling.hpp"
#include "spheres/sphere_shares.hpp"

namespace whisker::spheres {
namespace {

/// The smallest sum, by trying all assignments.
double min_sum(const std::vector<double>& costs, std::size_t takers, std::size_t room) {
  const std::size_t items = costs.size() / takers;
  std::vector<std::size_t> owner(items, 0);
  double best = std::numeric_limits<double>::infinity();
  for (;;) {
    std::vector<std::size_t> held(takers, 0);
    double sum = 0;
    for (std::size_t i = 0; i < items; ++i) {
      ++held[owner[i]];
      sum += costs[i * takers + owner[i]];
    }
    if (*std::max_element(held.begin(), held.end()) <= room) best = std::min(best, sum);
    std::size_t i = 0;
    while (i < items && ++owner[i] == takers)
      owner[i++] = 0;
    if (i == items) return best;
  }
}

TEST(CheapestTakers, CostsNoMoreThanAnyOtherWay) {
  std::mt19937_64 random(1);
  int crowded = 0;
  for (int round = 0; round < 400; ++round) {
    const std::size_t takers = 1 + random() % 4;
    const std::size_t items = 1 + random() % 7;
    const std::size_t room = (items + takers - 1) / takers + random() % 2;
    // Integers in some rounds, so that many assignments have the same cost.
    const bool are_whole = random() % 3 == 0;
    std::vector<double> costs(items * takers);
    for (double& cost : costs)
      cost = are_whole ? static_cast<double>(random() % 3) : std::uniform_real_distribution<double>(0, 1)(random);
    const std::vector<std::uint32_t> owner = cheapest_takers(costs, takers, room);
    ASSERT_EQ(owner.size(), items);
    std::vector<std::size_t> held(takers, 0), wanted(takers, 0);
    double sum = 0;
    for (std::size_t i = 0; i < items; ++i) {
      ASSERT_LT(owner[i], takers);
      ++held[owner[i]];
      sum += costs[i * takers + owner[i]];
      const auto first = costs.begin() + static_cast<std::ptrdiff_t>(i * takers);
      ++wanted[static_cast<std::size_t>(std::min_element(first, first + static_cast<std::ptrdiff_t>(takers)) - first)];
    }
    EXPECT_LE(*std::max_element(held.begin(), held.end()), room);
    EXPECT_NEAR(sum, min_sum(costs, takers, room), 1e-12);
    crowded += *std::max_element(wanted.begin(), wanted.end()) > room ? 1 : 0;
  }
  EXPECT_GT(crowded, 50);  // rounds in which the room mattered
}

TEST(SettleLeaves, KeepsLeavesWholeAndToTheRoomThatThereIs) {
  const Solid solid(Mesh(make::s_shape({.along = 6, .across = 6})));
  std::vector<Piece> pieces = cut_surface(solid.mesh(), 600);
  const AdaptiveAxis axis(solid, sample_surface(solid.mesh(), 200, 1));
  const std::vector<Share> leaves = flat_shares(Region(solid, pieces), &axis, {.most = 30});
  ASSERT_EQ(leaves.size(), 30u);
  for (std::uint32_t i = 0; i < leaves.size(); ++i) {
    for (const std::uint32_t p : leaves[i].pieces)
      pieces[p].leaf = 100 + i;
  }
  const Region region(solid, pieces);
  const std::vector<Share> start = flat_shares(region, &axis, {.most = 5});
  ASSERT_EQ(start.size(), 5u);
  for (const std::size_t most : {6u, 8u, 30u, 2u}) {
    const std::vector<Share> shares = settle_leaves(region, start, most);
    // With room for two each, only ten leaves would fit, so each of the five gets six.
    const std::size_t room = std::max<std::size_t>(most, 6);
    std::set<std::uint32_t> seen;
    std::size_t count = 0;
    for (const Share& share : shares) {
      std::set<std::uint32_t> own;
      for (const std::uint32_t p : share.pieces)
        own.insert(pieces[p].leaf);
      EXPECT_LE(own.size(), room);
      for (const std::uint32_t leaf : own)
        EXPECT_TRUE(seen.insert(leaf).second) << "leaf " << leaf << " is in two shares";
      count += share.pieces.size();
      for (const std::uint32_t p : share.pieces)
        EXPECT_LE(region.reach(share.ball.center, p), share.ball.radius * (1 + 1e-12));
    }
    EXPECT_EQ(count, pieces.size());
    EXPECT_EQ(seen.size(), leaves.size());
  }
}

TEST(PlannedTree, EndsNearlyAsTightAsAFlatSet) {
  MeshData ellipsoid = make::icosphere({.subdivisions = 3});
  for (Vector3& v : ellipsoid.vertices)
    v = v.cwiseProduct(Vector3(2, 1, 0.5));
  for (const MeshData& data : {ellipsoid, make::s_shape({.along = 8, .across = 8})}) {
    const Mesh mesh(data);
    const SphereTree tree =
        build_sphere_tree(mesh, {.depth = 2, .branching = 8, .samples = 300, .pieces = 1500, .good_enough = 0});
    const SphereSet set = build_sphere_set(mesh, 48, {.samples = 300, .pieces = 1500});
    EXPECT_LE(tree.spheres(2).size(), 64u);
    EXPECT_LE(tree.protrusion(2), 1.05 * protrusion(set, mesh));
  }
}

}  // namespace
}  // namespace whisker::spheres
