#include "spheres/flat_shares.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <tbb/parallel_for.h>
#include <utility>

#include <whisker/spheres/sphere_set.hpp>

#include "shapes/sphere_data.hpp"
#include "spheres/builders.hpp"
#include "spheres/progress.hpp"
#include "spheres/sampling.hpp"

namespace whisker::spheres {

namespace {

/// The methods find at most this many spheres at once. To get more, the spheres of such a set that protrude most are
/// split.
constexpr std::size_t max_at_once = 64;
/// The number of spheres that one sphere is split into, and the fraction of the spheres that is split in one round.
constexpr std::size_t parts_of_one = 3;
constexpr double share_of_round = 0.25;
/// Limit on the cost of the last settling of all spheres, in distance computations between a corner and a center.
constexpr double max_distances = 3e8;

class FlatBuilder {
 public:
  FlatBuilder(const Region& region, const AdaptiveAxis* axis, const FlatOptions& options)
      : region_(region), axis_(axis), options_(options) {}

  std::vector<Share> build() const {
    std::vector<Share> shares = options_.protrusion > 0 ? few_enough() : at_once(std::min(options_.most, max_at_once));
    split_worst(shares);
    return shares;
  }

 private:
  bool is_enough(std::span<const Share> shares) const {
    return options_.protrusion > 0 && worst_error(shares) <= options_.protrusion;
  }

  std::vector<Share> reduced(const Region& region, const AdaptiveAxis* axis, std::size_t count) const {
    std::vector<MedialSphere> medial;
    if (axis != nullptr) medial = axis->spheres(region.pieces());
    return reduce(region, medial, {.method = options_.method, .selection = options_.selection, .count = count});
  }

  std::vector<Share> at_once(std::size_t count) const { return reduced(region_, axis_, count); }

  /// Returns the smallest set, up to `max_at_once` spheres, that is good enough. If none is, returns the largest.
  std::vector<Share> few_enough() const {
    const std::size_t most = std::min(options_.most, max_at_once);
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

  /// Splits the spheres that protrude most while more spheres are allowed and needed.
  void split_worst(std::vector<Share>& shares) const {
    while (shares.size() < options_.most && !is_enough(shares)) {
      if (options_.report) options_.report(shares.size());
      std::ranges::stable_sort(shares, [](const Share& a, const Share& b) { return a.ball.error > b.ball.error; });
      std::size_t split = static_cast<std::size_t>(std::ceil(share_of_round * static_cast<double>(shares.size())));
      split = std::min(split, (options_.most - shares.size() + parts_of_one - 2) / (parts_of_one - 1));
      while (split > 1 && options_.protrusion > 0 && shares[split - 1].ball.error <= options_.protrusion)
        --split;
      std::vector<std::vector<Share>> found(split);
      const std::size_t left = options_.most - shares.size();
      tbb::parallel_for(std::size_t{0}, split, [&](std::size_t i) {
        // The last sphere may get fewer parts.
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
    const double cost = 3.0 * static_cast<double>(shares.size()) * static_cast<double>(region_.piece_count());
    if (shares.size() <= max_at_once || cost > max_distances) return;
    shares = settle(region_, centers_of(shares));
  }

  std::vector<Share> parts_of(const Share& share, std::size_t count) const {
    const std::vector<Piece> own = region_.pieces_of(share.pieces);
    const Region region(region_.solid(), own);
    std::optional<AdaptiveAxis> axis;
    if (axis_ != nullptr) {
      axis = *axis_;
      axis->refine(own, {.min_spheres = 12 * count, .worst_protrusion = share.ball.error / 2, .max_insertions = 50});
    }
    std::vector<Share> parts = reduced(region, axis ? &*axis : nullptr, count);
    if (parts.empty() || worst_error(parts) > share.ball.error) return {share};
    for (Share& part : parts) {
      for (std::uint32_t& p : part.pieces)
        p = share.pieces[p];
    }
    return parts;
  }

  const Region& region_;
  const AdaptiveAxis* axis_;
  const FlatOptions& options_;
};

}  // namespace

std::vector<Share> flat_shares(const Region& region, const AdaptiveAxis* axis, const FlatOptions& options) {
  return FlatBuilder(region, axis, options).build();
}

SphereSet build_set(const Solid& solid, int max_count, const SphereSetOptions& options, const RegionMethod& method) {
  const auto most = static_cast<std::size_t>(max_count);
  // Cut the surface finely enough that many spheres can differ.
  const std::vector<Piece> pieces =
      cut_surface(solid.mesh(), std::max(static_cast<std::size_t>(options.pieces), 32 * most));
  const Region region(solid, pieces);
  Progress progress(options.progress, most);
  const std::vector<std::uint32_t> corners = region.all_corners();
  const Ball one = region.min_error(region.smallest(corners), corners, 200);
  std::vector<Share> shares = share_out(region, std::span(&one, 1));
  const bool is_enough = options.protrusion > 0 && one.error <= options.protrusion;
  if (most > 1 && !is_enough) {
    std::optional<AdaptiveAxis> axis;
    if (method.needs_axis)
      axis.emplace(solid, sample_surface(solid.mesh(), static_cast<std::size_t>(options.samples), options.seed));
    shares = flat_shares(region, axis ? &*axis : nullptr,
                         {.method = method,
                          .selection = options.selection,
                          .most = most,
                          .protrusion = options.protrusion,
                          .report = [&](std::size_t spheres) { progress.reach(spheres); }});
  }
  progress.reach(most);
  return shapes::set_of(geometry::mapped(shares, [&](const Share& share) {
    return ball_about(share.ball.center, region.pieces_of(share.pieces), region.error());
  }));
}

}  // namespace whisker::spheres
