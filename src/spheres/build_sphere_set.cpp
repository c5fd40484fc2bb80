// A flat set of spheres for a mesh: of a given number, or for a given stand-off.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tbb/parallel_for.h>
#include <utility>

#include <whisker/error.hpp>
#include <whisker/sphere_tree.hpp>

#include "spheres/adaptive_axis.hpp"
#include "spheres/build_checks.hpp"
#include "spheres/pieces.hpp"
#include "spheres/progress.hpp"
#include "spheres/reduce.hpp"
#include "spheres/sampling.hpp"

namespace whisker {

namespace spheres {
namespace {

/// More spheres than this are not looked for at once: a set of this many is split where it stands off most.
constexpr std::size_t most_at_once = 64;
/// Into how many spheres one is split then, and of how many of them in one round.
constexpr std::size_t parts_of_one = 3;
constexpr double share_of_round = 0.25;
/// What the last settling of all spheres may cost, in distances of a corner from a centre.
constexpr double most_distances = 3e8;

/// One part of the surface, and the spheres for it are `Share`s of it.
class SetBuilder {
 public:
  SetBuilder(const Solid& solid, std::size_t most, const SphereSetOptions& options)
      : solid_(solid),
        most_(most),
        options_(options),
        error_(halving_error(solid.mesh())),
        // Cut finely enough for many spheres to differ.
        pieces_(cut_surface(solid.mesh(), std::max<std::size_t>(static_cast<std::size_t>(options.pieces), 32 * most))),
        region_(solid, pieces_),
        progress_(options.progress, most) {}

  std::vector<BoundingSphere> build() {
    const std::vector<std::uint32_t> corners = region_.all_corners();
    const Ball one = region_.least_error(region_.smallest(corners), corners, 200);
    std::vector<Share> shares = share_out(region_, std::span(&one, 1));
    if (most_ > 1 && !is_enough(shares)) {
      if (options_.method != SphereTreeMethod::spawn) {
        axis_ = std::make_unique<AdaptiveAxis>(
            solid_, sample_surface(solid_.mesh(), static_cast<std::size_t>(options_.samples), options_.seed));
      }
      shares = options_.stand_off > 0 ? few_enough() : at_once(std::min(most_, most_at_once));
      split_worst(shares);
    }
    progress_.add(most_ - reported_);
    std::vector<BoundingSphere> spheres;
    for (const Share& share : shares) {
      std::vector<Piece> own;
      for (const std::uint32_t p : share.pieces)
        own.push_back(pieces_[p]);
      spheres.push_back(ball_about(share.ball.center, own, error_));
    }
    return spheres;
  }

 private:
  bool is_enough(std::span<const Share> shares) const {
    return options_.stand_off > 0 && worst_error(shares) <= options_.stand_off;
  }

  std::vector<Share> reduced(const Region& region, const AdaptiveAxis* axis, std::size_t count) const {
    std::vector<MedialSphere> medial;
    if (axis != nullptr) medial = axis->spheres(region.pieces());
    return reduce(region, medial, {options_.method, options_.selection, count, error_});
  }

  std::vector<Share> at_once(std::size_t count) { return reduced(region_, axis_.get(), count); }

  /// The fewest of the sets up to `most_at_once` that is good enough; the largest if none is.
  std::vector<Share> few_enough() {
    const std::size_t most = std::min(most_, most_at_once);
    std::size_t too_few = 1;
    std::size_t enough = 2;
    std::vector<Share> best = at_once(std::min(enough, most));
    while (!is_enough(best) && enough < most) {
      too_few = enough;
      enough = std::min(2 * enough, most);
      best = at_once(enough);
    }
    while (is_enough(best) && enough - too_few > 1) {
      const std::size_t middle = too_few + (enough - too_few) / 2;
      std::vector<Share> fewer = at_once(middle);
      if (is_enough(fewer)) {
        enough = middle;
        best = std::move(fewer);
      } else {
        too_few = middle;
      }
    }
    return best;
  }

  /// Splits those that stand off most while more spheres are allowed, and needed.
  void split_worst(std::vector<Share>& shares) {
    while (shares.size() < most_ && !is_enough(shares)) {
      report(shares.size());
      std::stable_sort(shares.begin(), shares.end(),
                       [](const Share& a, const Share& b) { return a.ball.error > b.ball.error; });
      std::size_t split = static_cast<std::size_t>(std::ceil(share_of_round * static_cast<double>(shares.size())));
      split = std::min(split, (most_ - shares.size() + parts_of_one - 2) / (parts_of_one - 1));
      while (split > 1 && options_.stand_off > 0 && shares[split - 1].ball.error <= options_.stand_off)
        --split;
      std::vector<std::vector<Share>> found(split);
      const std::size_t left = most_ - shares.size();
      tbb::parallel_for(std::size_t{0}, split, [&](std::size_t i) {
        // The last may have to do with fewer.
        const std::size_t more = std::min(parts_of_one - 1, left - (parts_of_one - 1) * i);
        found[i] = parts_of(shares[i], 1 + more);
      });
      std::vector<Share> next;
      for (std::vector<Share>& parts : found)
        std::move(parts.begin(), parts.end(), std::back_inserter(next));
      std::move(shares.begin() + static_cast<std::ptrdiff_t>(split), shares.end(), std::back_inserter(next));
      const bool is_stuck = next.size() == shares.size();
      shares = std::move(next);
      if (is_stuck) break;
    }
    const double cost = 3.0 * static_cast<double>(shares.size()) * static_cast<double>(pieces_.size());
    if (shares.size() <= most_at_once || cost > most_distances) return;
    std::vector<Ball> centers;
    for (const Share& share : shares)
      centers.push_back(share.ball);
    shares = settle(region_, std::move(centers));
  }

  std::vector<Share> parts_of(const Share& share, std::size_t count) const {
    std::vector<Piece> own;
    for (const std::uint32_t p : share.pieces)
      own.push_back(pieces_[p]);
    const Region region(solid_, own);
    std::vector<Share> parts;
    if (axis_ != nullptr) {
      AdaptiveAxis axis = *axis_;
      axis.refine(own, {.least_spheres = 12 * count, .worst_stand_off = share.ball.error / 2, .most_insertions = 50});
      parts = reduced(region, &axis, count);
    } else {
      parts = reduced(region, nullptr, count);
    }
    if (parts.empty() || worst_error(parts) > share.ball.error) return {share};
    for (Share& part : parts) {
      for (std::uint32_t& p : part.pieces)
        p = share.pieces[p];
    }
    return parts;
  }

  void report(std::size_t spheres) {
    if (spheres <= reported_) return;
    progress_.add(spheres - reported_);
    reported_ = spheres;
  }

  const Solid& solid_;
  std::size_t most_;
  const SphereSetOptions& options_;
  double error_;
  std::vector<Piece> pieces_;
  Region region_;
  std::unique_ptr<AdaptiveAxis> axis_;
  Progress progress_;
  std::size_t reported_ = 0;
};

}  // namespace
}  // namespace spheres

SphereSet build_sphere_set(const Mesh& mesh, int most, const SphereSetOptions& options) {
  constexpr const char* what = "build_sphere_set";
  spheres::check_range(what, "most", most, 1, 10'000);
  spheres::check_range(what, "samples", options.samples, 16, 1'000'000);
  spheres::check_range(what, "pieces", options.pieces, 16, 10'000'000);
  spheres::check_from_zero(what, "stand_off", options.stand_off);
  switch (options.method) {
    case SphereTreeMethod::merge:
    case SphereTreeMethod::burst:
    case SphereTreeMethod::expand:
    case SphereTreeMethod::spawn:
    case SphereTreeMethod::combined:
      break;
    default:
      throw Error("build_sphere_set: the method must be merge, burst, expand, spawn or combined");
  }
  spheres::check_size(what, mesh);
  const spheres::Solid solid(mesh);
  std::vector<Vector3> centres;
  std::vector<double> radii;
  for (const BoundingSphere& sphere : spheres::SetBuilder(solid, static_cast<std::size_t>(most), options).build()) {
    centres.push_back(sphere.center);
    radii.push_back(sphere.radius);
  }
  return {centres, radii};
}

double stand_off(const SphereSet& set, const Mesh& solid) {
  const spheres::Solid checked(solid);
  double worst = 0;
  for (std::size_t i = 0; i < set.size(); ++i)
    worst = std::max(worst, spheres::stand_off(set.radius(i), checked.height(set.centre(i))));
  return worst;
}

}  // namespace whisker
