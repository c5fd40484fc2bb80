// Covers a region with a few medial spheres of equal protrusion.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <numeric>
#include <utility>

#include "geometry/constants.hpp"
#include "geometry/least_of.hpp"
#include "geometry/lists.hpp"
#include "spheres/reduce.hpp"

namespace whisker::spheres {

namespace {

/// Each step of the binary search halves the interval between a protrusion that is too small and one that suffices.
constexpr int expand_steps = 16;
/// At most this many spheres are candidates: finding the one that makes most of the others redundant is quadratic in
/// their number.
constexpr std::size_t max_candidates = 512;
/// How often a choice is repeated without its first sphere.
constexpr int max_bans = 2;

/// The pieces that a sphere contains, one bit each.
using Bits = std::vector<std::uint64_t>;

class Expander {
 public:
  Expander(const Region& region, std::span<const MedialSphere> medial, SphereSelection selection)
      : medial_(medial.begin(), medial.end()), selection_(selection), words_((region.piece_count() + 63) / 64) {
    for (const MedialSphere& one : medial) {
      std::vector<double>& needed = needed_.emplace_back();
      region.reaches(one.sphere.center, needed);
      for (double& e : needed)
        e += one.height;
    }
    keep_best();
    std::vector<double> least(region.piece_count(), infinity);
    for (const std::vector<double>& needed_by_one : needed_) {
      for (std::size_t p = 0; p < least.size(); ++p)
        least[p] = std::min(least[p], needed_by_one[p]);
      one_for_all_ = std::min(one_for_all_, *std::max_element(needed_by_one.begin(), needed_by_one.end()));
    }
    smallest_ = geometry::greatest_of(least, std::identity());
    held_.assign(medial_.size(), Bits(words_));
    banned_.assign(medial_.size(), 0);
  }

  std::vector<BoundingSphere> run(std::size_t count) {
    // With the largest protrusion, one sphere suffices. Below the smallest, some piece is in no sphere.
    double enough = one_for_all_;
    double too_little = smallest_;
    std::vector<std::uint32_t> best = choose(enough, count);
    for (int step = 0; step < expand_steps; ++step) {
      const double middle = step == 0 ? too_little : too_little + (enough - too_little) / 2;
      std::vector<std::uint32_t> chosen = choose(middle, count);
      // The first half of the search is coarse, and there a second attempt is not worth its cost.
      if (chosen.empty() && step >= expand_steps / 2) chosen = choose_without_first(middle, count);
      if (chosen.empty()) {
        too_little = middle;
        continue;
      }
      enough = middle;
      best = std::move(chosen);
    }
    if (best.size() < count) {
      std::vector<std::uint32_t> more = choose_without_first(enough, count);
      if (more.size() > best.size()) best = std::move(more);
    }
    return geometry::mapped(best, [&](std::uint32_t c) {
      return BoundingSphere{medial_[c].sphere.center, std::max(0.0, enough - medial_[c].height) * (1 + 1e-12)};
    });
  }

 private:
  /// Drops spheres if there are too many. Keeps those that are the best for some piece, then others, evenly
  /// distributed.
  void keep_best() {
    if (medial_.size() <= max_candidates) return;
    std::vector<std::uint32_t> best_for(medial_.size(), 0);
    for (std::size_t p = 0; p < needed_[0].size(); ++p)
      ++best_for[geometry::least_of(medial_.size(), [&](std::uint32_t c) { return needed_[c][p]; }).number];
    std::vector<std::size_t> order(medial_.size());
    // The step is coprime to the number of spheres, so that every sphere is visited, and consecutive ones are far
    // apart.
    std::size_t step = medial_.size() * 5 / 8;
    while (std::gcd(step, medial_.size()) != 1)
      ++step;
    for (std::size_t i = 0; i < order.size(); ++i)
      order[i] = i * step % order.size();
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return best_for[a] > best_for[b]; });
    order.resize(max_candidates);
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < order.size(); ++i) {
      medial_[i] = medial_[order[i]];
      needed_[i].swap(needed_[order[i]]);
    }
    medial_.resize(order.size());
    needed_.resize(order.size());
  }

  /// Calls choose() without the sphere that it starts with, then also without the next one. Returns the largest set.
  std::vector<std::uint32_t> choose_without_first(double e, std::size_t count) {
    std::vector<std::uint32_t> best;
    for (int ban = 0; ban < max_bans; ++ban) {
      banned_[first_] = 1;
      std::vector<std::uint32_t> chosen = choose(e, count);
      if (chosen.size() > best.size()) best = std::move(chosen);
    }
    std::fill(banned_.begin(), banned_.end(), 0);
    return best;
  }

  /// Chooses spheres with protrusion `e` that contain all pieces. Returns none if that takes more than `count` spheres.
  std::vector<std::uint32_t> choose(double e, std::size_t count) {
    Bits open(words_, 0);
    std::vector<std::uint32_t> left;
    for (std::uint32_t c = 0; c < medial_.size(); ++c) {
      if (banned_[c] != 0) continue;
      Bits& bits = held_[c];
      std::fill(bits.begin(), bits.end(), 0);
      for (std::size_t p = 0; p < needed_[c].size(); ++p)
        bits[p / 64] |= std::uint64_t{needed_[c][p] <= e} << p % 64;
      left.push_back(c);
    }
    for (std::size_t p = 0; left.size() > 0 && p < needed_[0].size(); ++p)
      open[p / 64] |= std::uint64_t{1} << p % 64;
    std::vector<std::uint32_t> chosen;
    while (std::any_of(open.begin(), open.end(), [](std::uint64_t word) { return word != 0; })) {
      if (chosen.size() == count) return {};
      // Drop spheres that contain no open piece.
      std::erase_if(left, [&](std::uint32_t c) {
        std::uint64_t any = 0;
        for (std::size_t w = 0; w < words_; ++w)
          any |= held_[c][w] &= open[w];
        return any == 0;
      });
      if (left.empty()) return {};
      const std::uint32_t next = best_of(left);
      if (chosen.empty()) first_ = next;
      chosen.push_back(next);
      for (std::size_t w = 0; w < words_; ++w)
        open[w] &= ~held_[next][w];
    }
    return chosen;
  }

  std::uint32_t best_of(const std::vector<std::uint32_t>& left) const {
    const std::vector<std::size_t> sizes = geometry::mapped(left, [&](std::uint32_t c) { return size(held_[c]); });
    std::uint32_t best = left.front();
    std::pair<std::size_t, std::size_t> most = {0, 0};  // of spheres made redundant, then of pieces
    for (std::size_t i = 0; i < left.size(); ++i) {
      std::size_t removed = 0;
      if (selection_ == SphereSelection::max_elimination) {
        for (std::size_t j = 0; j < left.size(); ++j)
          removed += sizes[j] <= sizes[i] && is_part(held_[left[j]], held_[left[i]]) ? 1u : 0u;
      }
      if (std::pair(removed, sizes[i]) <= most) continue;
      best = left[i];
      most = {removed, sizes[i]};
    }
    return best;
  }

  static std::size_t size(const Bits& bits) {
    return std::transform_reduce(bits.begin(), bits.end(), std::size_t{0}, std::plus<>(),
                                 [](std::uint64_t word) { return static_cast<std::size_t>(std::popcount(word)); });
  }

  static bool is_part(const Bits& part, const Bits& whole) {
    return std::equal(part.begin(), part.end(), whole.begin(),
                      [](std::uint64_t own, std::uint64_t all) { return (own & ~all) == 0; });
  }

  std::vector<MedialSphere> medial_;
  SphereSelection selection_;
  std::size_t words_;
  std::vector<std::vector<double>> needed_;  // by center and piece: the protrusion its sphere needs to contain the
                                             // piece
  std::vector<Bits> held_;
  std::vector<std::uint8_t> banned_;
  std::uint32_t first_ = 0;  // the first sphere of the last choice
  double one_for_all_ = infinity;
  double smallest_ = 0;
};

}  // namespace

std::vector<BoundingSphere> expand_spheres(const Region& region, std::span<const MedialSphere> medial,
                                           std::size_t count, SphereSelection selection) {
  if (medial.empty() || region.piece_count() == 0) return {};
  return Expander(region, medial, selection).run(count);
}

}  // namespace whisker::spheres
