// Finds the leaves of a sphere tree before its inner nodes.
//
// A tree that is split from the root down ends up uneven: some regions turn out to need more spheres than others, and
// the worst leaf protrudes far more than the worst sphere of a flat set of equal size. So the leaves are found first,
// all on one level. The nodes above are then made for whole leaves, and no node gets more leaves than its subtree has
// room for.

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "geometry/constants.hpp"
#include "geometry/least_of.hpp"
#include "geometry/lists.hpp"
#include "spheres/sphere_shares.hpp"

namespace whisker::spheres {

namespace {

constexpr int max_plan_rounds = 20;
/// A round may be worse than the one before it, because room is a hard limit.
constexpr int max_plan_rounds_without_gain = 4;
constexpr double min_plan_gain = 0.002;

/// Moves items, along chains of takers, from a taker with too many items to one with room, where that costs least: the
/// shortest augmenting path of a min-cost flow.
class Dealer {
 public:
  Dealer(std::span<const double> costs, std::size_t takers, std::size_t room)
      : costs_(costs), takers_(takers), room_(room), owner_(costs.size() / takers, 0), held_(takers, 0) {}

  std::vector<std::uint32_t> run() {
    for (std::size_t item = 0; item < owner_.size(); ++item) {
      owner_[item] = geometry::least_of(takers_, [&](std::uint32_t taker) { return cost(item, taker); }).number;
      ++held_[owner_[item]];
    }
    for (std::uint32_t taker = 0; taker < takers_; ++taker) {
      while (held_[taker] > room_)
        move_one_from(taker);
    }
    return owner_;
  }

 private:
  double cost(std::size_t item, std::size_t taker) const { return costs_[item * takers_ + taker]; }

  void move_one_from(std::uint32_t start) {
    struct Move {
      double cost = infinity;
      std::size_t item = 0;
    };
    std::vector<Move> moves(takers_ * takers_);  // the cheapest move from each taker to each other
    for (std::size_t item = 0; item < owner_.size(); ++item) {
      for (std::size_t to = 0; to < takers_; ++to) {
        Move& move = moves[owner_[item] * takers_ + to];
        const double more = cost(item, to) - cost(item, owner_[item]);
        if (to != owner_[item] && more < move.cost) move = {more, item};
      }
    }
    std::vector<double> least(takers_, infinity);
    std::vector<std::uint32_t> before(takers_, start);
    least[start] = 0;
    for (std::size_t length = 1; length < takers_; ++length) {
      for (std::uint32_t from = 0; from < takers_; ++from) {
        for (std::uint32_t to = 0; to < takers_; ++to) {
          const double sum = least[from] + moves[from * takers_ + to].cost;
          // Rounding may make a cycle look profitable.
          if (!(sum < least[to]) || is_on_way(from, to, before, start)) continue;
          least[to] = sum;
          before[to] = from;
        }
      }
    }
    std::uint32_t end = start;
    for (std::uint32_t to = 0; to < takers_; ++to) {
      if (held_[to] < room_ && (end == start || least[to] < least[end])) end = to;
    }
    ++held_[end];
    --held_[start];
    for (std::uint32_t to = end; to != start; to = before[to])
      owner_[moves[before[to] * takers_ + to].item] = to;
  }

  /// Whether the chain that leads to `from` passes through `to`.
  static bool is_on_way(std::uint32_t from, std::uint32_t to, const std::vector<std::uint32_t>& before,
                        std::uint32_t start) {
    while (from != start && from != to)
      from = before[from];
    return from == to;
  }

  std::span<const double> costs_;
  std::size_t takers_;
  std::size_t room_;
  std::vector<std::uint32_t> owner_;  // of each item
  std::vector<std::size_t> held_;     // how many items each taker has
};

using Leaves = std::vector<std::vector<std::uint32_t>>;  // the pieces of each leaf

/// Assigns each leaf to one of the centers such that the balls protrude little, above all the worst one.
std::vector<Share> deal(const Region& region, const Leaves& leaves, std::span<const Ball> centers, std::size_t most) {
  const std::size_t balls = centers.size();
  std::vector<double> costs(leaves.size() * balls);
  std::vector<double> reaches;
  double worst = std::numeric_limits<double>::min();
  for (std::size_t ball = 0; ball < balls; ++ball) {
    region.reaches(centers[ball].center, reaches);
    for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      const double farthest = geometry::greatest_of(leaves[leaf], [&](std::uint32_t p) { return reaches[p]; });
      double& needed = costs[leaf * balls + ball];
      needed = protrusion(farthest, centers[ball].height);
      worst = std::max(worst, needed);
    }
  }
  // Sum sixth powers, so that the largest protrusions dominate.
  for (double& cost : costs) {
    const double cube = (cost / worst) * (cost / worst) * (cost / worst);
    cost = cube * cube;
  }
  const std::vector<std::uint32_t> takers =
      cheapest_takers(costs, balls, std::max(most, (leaves.size() + balls - 1) / balls));
  std::vector<std::uint32_t> owner(region.piece_count());
  for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf)
    for (const std::uint32_t p : leaves[leaf])
      owner[p] = takers[leaf];
  return shares_of(region, centers, owner);
}

}  // namespace

std::vector<std::uint32_t> cheapest_takers(std::span<const double> costs, std::size_t takers, std::size_t room) {
  return Dealer(costs, takers, room).run();
}

std::vector<Share> settle_leaves(const Region& region, std::vector<Share> shares, std::size_t most) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_number;
  for (std::uint32_t p = 0; p < region.piece_count(); ++p)
    by_number[region.pieces()[p].leaf].push_back(p);
  Leaves leaves;
  for (auto& [number, pieces] : by_number)
    leaves.push_back(std::move(pieces));

  std::vector<Share> best;
  std::vector<Ball> centers = centers_of(shares);
  int without_gain = 0;
  for (int round = 0; round < max_plan_rounds && without_gain < max_plan_rounds_without_gain && !centers.empty();
       ++round) {
    shares = deal(region, leaves, centers, most);
    centers = moved(region, shares);
    for (std::size_t i = 0; i < shares.size(); ++i)
      shares[i].ball = centers[i];
    ++without_gain;
    if (best.empty() || worst_error(shares) < worst_error(best) * (1 - min_plan_gain)) {
      best = shares;
      without_gain = 0;
    }
  }
  return best;
}

}  // namespace whisker::spheres
