// Reduces the spheres of a region by removing them one by one.

#include <algorithm>
#include <cstdint>
#include <utility>

#include "geometry/constants.hpp"
#include "geometry/least_of.hpp"
#include "spheres/sphere_shares.hpp"

namespace whisker::spheres {

namespace {

class Burster {
 public:
  Burster(const Region& region, std::vector<Share> shares) : region_(region), shares_(std::move(shares)) {}

  std::vector<Share> run(std::size_t count) {
    alive_.assign(shares_.size(), 1);
    costs_.resize(shares_.size());
    for (std::uint32_t i = 0; i < shares_.size(); ++i)
      costs_[i] = removal(i).cost;
    for (std::size_t left = shares_.size(); left > std::max<std::size_t>(count, 1); --left) {
      const auto cost = [&](std::uint32_t i) { return alive_[i] != 0 ? costs_[i] : infinity; };
      const std::uint32_t best = geometry::least_of(shares_.size(), cost).number;
      remove(best, removal(best));
    }
    std::vector<Share> result;
    for (std::size_t i = 0; i < shares_.size(); ++i) {
      if (alive_[i] == 0) continue;
      std::sort(shares_[i].pieces.begin(), shares_[i].pieces.end());
      result.push_back(std::move(shares_[i]));
    }
    return result;
  }

 private:
  struct Taker {
    std::uint32_t share;
    std::vector<std::uint32_t> pieces;
    Ball ball;
  };
  struct Removal {
    double cost = 0;
    std::vector<Taker> takers;
  };

  Removal removal(std::uint32_t i) const {
    Removal result;
    for (const std::uint32_t p : shares_[i].pieces) {
      const std::uint32_t best = geometry::least_of(shares_.size(), [&](std::uint32_t j) {
                                   if (alive_[j] == 0 || j == i) return infinity;
                                   return region_.reach(shares_[j].ball.center, p) - shares_[j].ball.radius;
                                 }).number;
      const auto taker = std::ranges::find_if(result.takers, [&](const Taker& other) { return other.share == best; });
      if (taker != result.takers.end()) {
        taker->pieces.push_back(p);
      } else {
        result.takers.push_back({best, {p}, {}});
      }
    }
    double before = shares_[i].ball.error;
    double after = 0;
    for (Taker& taker : result.takers) {
      const Share& old = shares_[taker.share];
      std::vector<std::uint32_t> all = old.pieces;
      all.insert(all.end(), taker.pieces.begin(), taker.pieces.end());
      const std::vector<std::uint32_t> corners = region_.corners_of(all);
      taker.ball = region_.better_about(old.ball.center, old.ball.height, corners);
      before = std::max(before, old.ball.error);
      after = std::max(after, taker.ball.error);
    }
    result.cost = after - before;
    return result;
  }

  void remove(std::uint32_t i, const Removal& removal) {
    alive_[i] = 0;
    shares_[i].pieces.clear();
    for (const Taker& taker : removal.takers) {
      Share& share = shares_[taker.share];
      share.pieces.insert(share.pieces.end(), taker.pieces.begin(), taker.pieces.end());
      share.ball = taker.ball;
    }
    // The removal costs of other shares depend on the balls near them.
    const BoundingSphere gone = sphere_of(shares_[i].ball);
    for (std::uint32_t j = 0; j < shares_.size(); ++j) {
      if (alive_[j] == 0) continue;
      const BoundingSphere own = sphere_of(shares_[j].ball);
      const bool near = overlaps(own, gone) || std::ranges::any_of(removal.takers, [&](const Taker& taker) {
                          return taker.share == j || overlaps(own, sphere_of(taker.ball));
                        });
      if (near) costs_[j] = this->removal(j).cost;
    }
  }

  const Region& region_;
  std::vector<Share> shares_;
  std::vector<std::uint8_t> alive_;
  std::vector<double> costs_;
};

}  // namespace

std::vector<Share> burst(const Region& region, std::vector<Share> shares, std::size_t count) {
  std::erase_if(shares, [](const Share& share) { return share.pieces.empty(); });
  return Burster(region, std::move(shares)).run(count);
}

}  // namespace whisker::spheres
