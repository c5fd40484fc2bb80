#include "methods/spheres/region_methods.hpp"

#include <algorithm>
#include <cstdint>

#include "geometry/lists.hpp"
#include "spheres/simplex_search.hpp"
#include "spheres/sphere_shares.hpp"

namespace whisker::methods {

using spheres::Ball;
using spheres::maximize;

namespace {

/// The steps of the search use at most this many pieces.
constexpr std::size_t max_spawn_pieces = 400;
constexpr int spawn_evaluations = 40;
constexpr int spawn_steps = 10;

class Spawner {
 public:
  Spawner(const Region& region, const Ball& all) : region_(region), all_(all) {
    const std::size_t step = (region.piece_count() + max_spawn_pieces - 1) / max_spawn_pieces;
    for (std::uint32_t p = 0; p < region.piece_count(); p += static_cast<std::uint32_t>(step))
      some_.push_back(p);
  }

  std::vector<BoundingSphere> run(std::size_t count) {
    double enough = all_.error;
    double too_little = 0;
    std::vector<BoundingSphere> best = {sphere_of(all_)};
    for (int step = 0; step < spawn_steps; ++step) {
      const double middle = too_little + (enough - too_little) / 2;
      std::vector<BoundingSphere> found = cover(middle, count);
      if (found.empty()) {
        too_little = middle;
        continue;
      }
      enough = middle;
      best = std::move(found);
    }
    return best;
  }

 private:
  /// Returns spheres with protrusion `e` that contain the sampled pieces, or none if that takes more than `count`
  /// spheres.
  std::vector<BoundingSphere> cover(double e, std::size_t count) const {
    std::vector<BoundingSphere> found;
    std::vector<std::uint32_t> open = some_;
    while (!open.empty()) {
      if (found.size() == count) return {};
      BoundingSphere best = search(region_.pieces()[open.front()].middle(), e, open);
      std::size_t most = held(best, open);
      for (const BoundingSphere& old : found) {
        const BoundingSphere other = search(old.center, e, open);
        const std::size_t more = held(other, open);
        if (more <= most) continue;
        best = other;
        most = more;
      }
      if (most == 0) return {};
      found.push_back(best);
      std::erase_if(open, [&](std::uint32_t p) { return region_.reach(best.center, p) <= best.radius; });
    }
    return found;
  }

  std::size_t held(const BoundingSphere& sphere, const std::vector<std::uint32_t>& open) const {
    return static_cast<std::size_t>(std::count_if(
        open.begin(), open.end(), [&](std::uint32_t p) { return region_.reach(sphere.center, p) <= sphere.radius; }));
  }

  BoundingSphere search(const Vector3& start, double e, const std::vector<std::uint32_t>& open) const {
    const auto sphere_at = [&](const Vector3& center) {
      return BoundingSphere{center, std::max(0.0, e - region_.solid().height(center))};
    };
    const auto value = [&](const Vector3& center) {
      const BoundingSphere sphere = sphere_at(center);
      double sum = 0;
      for (const std::uint32_t p : open) {
        // The number of pieces contained is constant around a center. Pieces that are nearly contained count a little,
        // to guide the search.
        const double gap = region_.reach(sphere.center, p) - sphere.radius;
        sum += gap <= 0 ? 1 : 0.5 / (1 + 16 * gap / e);
      }
      return sum;
    };
    const double step = std::max(e, all_.radius / 4);
    return sphere_at(maximize(value, start, Vector3(Vector3::Constant(step)), spawn_evaluations));
  }

  const Region& region_;
  Ball all_;
  std::vector<std::uint32_t> some_;
};

}  // namespace

std::vector<BoundingSphere> burst_spheres(const Region& region, std::span<const MedialSphere> medial,
                                          std::size_t count) {
  return geometry::mapped(burst(region, medial_shares(region, medial), count),
                          [](const spheres::Share& share) { return sphere_of(share.ball); });
}

std::vector<BoundingSphere> spawn_spheres(const Region& region, std::span<const MedialSphere> /*medial*/,
                                          std::size_t count) {
  if (region.piece_count() == 0) return {};
  std::vector<BoundingSphere> spheres = Spawner(region, region.smallest(region.all_corners())).run(count);
  // Enlarge spheres for pieces that the search did not use.
  for (std::uint32_t p = 0; p < region.piece_count(); ++p) {
    const auto growth = [&](const BoundingSphere& sphere) { return region.reach(sphere.center, p) - sphere.radius; };
    const auto taker = std::ranges::min_element(spheres, {}, growth);
    taker->radius += std::max(0.0, growth(*taker));
  }
  return spheres;
}

}  // namespace whisker::methods
