#include "spheres/sphere_shares.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "geometry/constants.hpp"
#include "geometry/least_of.hpp"
#include "geometry/lists.hpp"

namespace whisker::spheres {

namespace {

/// A round that gains less than this fraction of the worst protrusion is the last.
constexpr double min_share_gain = 0.002;
constexpr int max_share_rounds = 30;
/// The evaluations of one search for a better center.
constexpr int share_evaluations = 60;
/// A share may exceed its part of the demand by this factor.
constexpr double allowed_surplus = 1.1;
/// The price increase per round, as a fraction of the worst protrusion, of a share with twice the allowed demand.
constexpr double price_step = 0.3;
/// Prices need several rounds to take effect.
constexpr int max_share_rounds_without_gain = 6;

double demand_of(const Region& region, const Share& share) {
  return geometry::sum_over(share.pieces, [&](std::uint32_t p) { return region.pieces()[p].demand; });
}

double allowed_demand(const Region& region, std::size_t count) {
  return allowed_surplus * geometry::sum_over(region.pieces(), &Piece::demand) / static_cast<double>(count);
}

}  // namespace

double worst_error(std::span<const Share> shares) {
  return geometry::greatest_of(shares, [](const Share& share) { return share.ball.error; });
}

double mean_square_error(std::span<const Share> shares) {
  // In units of the worst, because squares of tiny protrusions would underflow.
  const double worst = worst_error(shares);
  if (!(worst > 0)) return 0;
  const double sum = geometry::sum_over(
      shares, [&](const Share& share) { return (share.ball.error / worst) * (share.ball.error / worst); });
  return worst * std::sqrt(sum / static_cast<double>(shares.size()));
}

std::vector<Share> shares_of(const Region& region, std::span<const Ball> centers,
                             std::span<const std::uint32_t> owner_of_piece) {
  std::vector<std::vector<std::uint32_t>> owned(centers.size());
  for (std::uint32_t p = 0; p < region.piece_count(); ++p)
    owned[owner_of_piece[p]].push_back(p);
  std::vector<Share> result;
  for (std::size_t i = 0; i < centers.size(); ++i) {
    if (owned[i].empty()) continue;
    Ball ball = region.about(centers[i].center, centers[i].height, region.corners_of(owned[i]));
    ball.price = centers[i].price;
    result.push_back({ball, std::move(owned[i])});
  }
  return result;
}

std::vector<Share> share_out(const Region& region, std::span<const Ball> centers) {
  std::vector<double> least(region.piece_count(), infinity);
  std::vector<std::uint32_t> owner(region.piece_count(), 0);
  std::vector<double> reaches;
  for (std::uint32_t i = 0; i < centers.size(); ++i) {
    region.reaches(centers[i].center, reaches);
    for (std::size_t p = 0; p < reaches.size(); ++p) {
      const double needed = reaches[p] + centers[i].height + centers[i].price;
      if (needed >= least[p]) continue;
      least[p] = needed;
      owner[p] = i;
    }
  }
  return shares_of(region, centers, owner);
}

std::vector<Share> medial_shares(const Region& region, std::span<const MedialSphere> medial) {
  std::vector<Share> shares(medial.size());
  for (std::uint32_t p = 0; p < region.piece_count() && !medial.empty(); ++p) {
    // Deepest inside, or least growth: in both cases the smallest |p - c| - r.
    const Vector3 middle = region.pieces()[p].middle();
    const geometry::Least best = geometry::least_of(medial.size(), [&](std::uint32_t k) {
      return (middle - medial[k].sphere.center).norm() - medial[k].sphere.radius;
    });
    shares[best.number].pieces.push_back(p);
  }
  for (std::size_t k = 0; k < medial.size(); ++k) {
    if (shares[k].pieces.empty()) continue;
    const std::vector<std::uint32_t> corners = region.corners_of(shares[k].pieces);
    shares[k].ball = region.better_about(medial[k].sphere.center, medial[k].height, corners);
  }
  return shares;
}

std::vector<Ball> balls_at(const Solid& solid, std::span<const BoundingSphere> spheres) {
  return geometry::mapped(spheres, [&](const BoundingSphere& sphere) {
    return ball_with(sphere.center, sphere.radius, solid.height(sphere.center));
  });
}

std::vector<Ball> centers_of(std::span<const Share> shares) {
  return geometry::mapped(shares, &Share::ball);
}

std::vector<Ball> moved(const Region& region, std::span<const Share> shares) {
  return geometry::mapped(shares, [&](const Share& share) {
    Ball ball = region.min_error(share.ball, region.corners_of(share.pieces), share_evaluations);
    ball.price = share.ball.price;
    return ball;
  });
}

double unevenness(const Region& region, std::span<const Share> shares, std::size_t count) {
  const double allowed = allowed_demand(region, count);
  const double most = geometry::greatest_of(shares, [&](const Share& share) { return demand_of(region, share); });
  return most > allowed ? most / allowed : 1;
}

double uneven_error(const Region& region, std::span<const Share> shares, std::size_t count) {
  const double factor = unevenness(region, shares, count);
  return worst_error(shares) * factor * factor;
}

std::vector<Share> settle(const Region& region, std::vector<Ball> centers) {
  std::vector<Share> shares = share_out(region, centers);
  for (int round = 0; round < max_share_rounds; ++round) {
    std::vector<Share> next = share_out(region, moved(region, shares));
    const double gain = worst_error(shares) - worst_error(next);
    shares = std::move(next);
    if (!(gain > min_share_gain * worst_error(shares))) break;
  }
  return shares;
}

std::vector<Share> settle_evenly(const Region& region, std::vector<Ball> centers, std::size_t count) {
  const double allowed = allowed_demand(region, count);
  if (!(allowed > 0)) return settle(region, std::move(centers));
  std::vector<Share> shares = share_out(region, centers);
  std::vector<Share> best = shares;
  int without_gain = 0;
  for (int round = 0; round < max_share_rounds && without_gain < max_share_rounds_without_gain; ++round) {
    centers = moved(region, shares);
    const double worst = worst_error(shares);
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const double surplus = demand_of(region, shares[i]) / allowed - 1;
      double& price = centers[i].price;
      price = std::max(0.0, price + price_step * worst * std::min(surplus, 1.0));
    }
    shares = share_out(region, centers);
    ++without_gain;
    if (uneven_error(region, shares, count) < uneven_error(region, best, count) * (1 - min_share_gain)) {
      best = shares;
      without_gain = 0;
    }
  }
  for (Share& share : best)
    share.ball.price = 0;
  return best;
}

std::vector<Share> shift_planes(const Region& region, std::vector<Share> shares) {
  std::vector<std::uint8_t> has_lost(shares.size(), 0);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    for (std::size_t j = 0; j < shares.size(); ++j) {
      Share& from = shares[i];
      Share& to = shares[j];
      if (i == j || from.pieces.size() < to.pieces.size() + 2) continue;
      const Vector3 direction = to.ball.center - from.ball.center;
      std::vector<std::pair<double, std::uint32_t>> shared;
      for (const std::uint32_t p : from.pieces) {
        if (region.reach(to.ball.center, p) > to.ball.radius) continue;
        shared.emplace_back(-direction.dot(region.pieces()[p].middle() - from.ball.center), p);
      }
      const std::size_t even = (from.pieces.size() - to.pieces.size()) / 2;
      const std::size_t count = std::min({even, shared.size(), from.pieces.size() - 1});
      if (count == 0) continue;
      std::sort(shared.begin(), shared.end());
      std::vector<std::uint32_t> moved;
      for (std::size_t k = 0; k < count; ++k)
        moved.push_back(shared[k].second);
      std::sort(moved.begin(), moved.end());
      std::erase_if(from.pieces, [&](std::uint32_t p) { return std::binary_search(moved.begin(), moved.end(), p); });
      const auto middle = static_cast<std::ptrdiff_t>(to.pieces.size());
      to.pieces.insert(to.pieces.end(), moved.begin(), moved.end());
      std::inplace_merge(to.pieces.begin(), to.pieces.begin() + middle, to.pieces.end());
      has_lost[i] = 1;
    }
  }
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (has_lost[i] == 0) continue;
    shares[i].ball = region.min_error(shares[i].ball, region.corners_of(shares[i].pieces), share_evaluations);
  }
  return shares;
}

}  // namespace whisker::spheres
