// Moves the spheres of a set one by one to reduce the protrusion of the whole set (Bradshaw 2002, algorithms 9 and 10),
// and removes spheres that contribute little (algorithm 11).

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include <whisker/error.hpp>

#include "geometry/least_of.hpp"
#include "spheres/build_checks.hpp"
#include "spheres/simplex_search.hpp"
#include "spheres/sphere_shares.hpp"

namespace whisker::spheres {

namespace {

constexpr int optimize_evaluations = 50;
/// A round with a smaller relative gain than this is the last.
constexpr double min_optimize_gain = 1e-3;

/// Returns the shares with the sphere of share `i` replaced.
std::vector<Share> with_sphere(const Region& region, const std::vector<Share>& shares, std::size_t i,
                               const BoundingSphere& sphere) {
  std::vector<std::vector<std::uint32_t>> owned(shares.size());
  std::vector<std::uint8_t> changed(shares.size(), 0);
  changed[i] = 1;
  for (std::size_t k = 0; k < shares.size(); ++k) {
    for (const std::uint32_t p : shares[k].pieces) {
      std::size_t owner = k;
      if (region.reach(sphere.center, p) <= sphere.radius) {
        owner = i;
      } else if (k == i) {
        owner = geometry::least_of(shares.size(), [&](std::uint32_t j) {
                  const Ball& other = shares[j].ball;
                  return j == i ? region.reach(sphere.center, p) - sphere.radius
                                : region.reach(other.center, p) - other.radius;
                }).number;
      }
      if (owner != k) changed[owner] = changed[k] = 1;
      owned[owner].push_back(p);
    }
  }
  std::vector<Share> result;
  for (std::size_t k = 0; k < shares.size(); ++k) {
    if (changed[k] == 0) {
      result.push_back(shares[k]);
      continue;
    }
    if (owned[k].empty()) continue;
    std::sort(owned[k].begin(), owned[k].end());
    const std::vector<std::uint32_t> corners = region.corners_of(owned[k]);
    const Ball ball = k == i ? region.about(sphere.center, corners)
                             : region.better_about(shares[k].ball.center, shares[k].ball.height, corners);
    result.push_back({ball, std::move(owned[k])});
  }
  return result;
}

}  // namespace

double objective(std::span<const Share> shares, const SphereOptimization& weights) {
  return weights.worst_weight * worst_error(shares) + weights.mean_square_weight * mean_square_error(shares);
}

std::vector<Share> optimize(const Region& region, std::vector<Share> shares, const SphereOptimization& how) {
  double value = objective(shares, how);
  for (int round = 0; round < how.rounds; ++round) {
    const double before = value;
    std::ranges::stable_sort(shares, [](const Share& a, const Share& b) { return a.ball.error > b.ball.error; });
    for (std::size_t i = 0; i < shares.size(); ++i) {
      std::vector<Share> best;
      using Sphere = Eigen::Matrix<double, 4, 1, Eigen::DontAlign>;  // center and radius
      const auto judge = [&](const Sphere& at) {
        std::vector<Share> other = with_sphere(region, shares, i, {at.head<3>(), std::max(0.0, at[3])});
        const double found = objective(other, how);
        if (found < value) {
          value = found;
          best = std::move(other);
        }
        return -found;
      };
      const Ball& ball = shares[i].ball;
      const double step = ball.error / 2;
      if (!(step > 0)) continue;
      maximize(judge, Sphere(ball.center[0], ball.center[1], ball.center[2], ball.radius),
               Sphere(step, step, step, -step), optimize_evaluations);
      if (!best.empty()) shares = std::move(best);
    }
    if (!(before - value > min_optimize_gain * before)) break;
  }
  return shares;
}

std::vector<Share> balance(const Region& region, std::vector<Share> shares, const SphereBalance& allowed,
                           const SphereOptimization& how, std::size_t least) {
  shares = optimize(region, std::move(shares), how);
  const double first = worst_error(shares);
  const std::size_t all = shares.size();
  while (shares.size() > least) {
    const auto removed = static_cast<int>(all - shares.size() + 1);
    const double most = first * allowed_error(allowed, static_cast<int>(all), removed);
    std::vector<Share> fewer = burst(region, shares, shares.size() - 1);
    if (worst_error(fewer) >= most) fewer = optimize(region, std::move(fewer), how);
    if (worst_error(fewer) >= most) break;
    shares = std::move(fewer);
  }
  return shares.size() < all ? optimize(region, std::move(shares), how) : shares;
}

}  // namespace whisker::spheres

namespace whisker {

double allowed_error(const SphereBalance& balance, int children, int removed) {
  if (children < 1 || removed < 0) {
    throw Error(
        "allowed_error: " + std::to_string(removed) + " of " + std::to_string(children) +
        " children removed; there must be at least one child, and the number of removed children must not be negative");
  }
  spheres::check_balance("allowed_error", balance);
  double sum = 0;
  double term = 1;
  for (int i = 1; i < removed; ++i) {
    sum += term;
    term *= balance.decay;
  }
  sum = balance.as_printed ? removed * term : sum + term;
  return 1 + sum / (balance.slowness * children) + balance.slack;
}

}  // namespace whisker
