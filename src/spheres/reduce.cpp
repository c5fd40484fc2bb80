#include "spheres/reduce.hpp"

#include <algorithm>
#include <cstdint>
#include <tbb/parallel_invoke.h>
#include <utility>

#include "geometry/lists.hpp"

namespace whisker::spheres {

namespace {

/// The methods get at most this many pieces. All pieces are then distributed among the spheres that the methods find.
constexpr std::size_t max_reduce_pieces = 6000;

/// The value by which sets of spheres are compared; smaller is better.
double score(const Region& region, const std::vector<Share>& shares, const ReduceOptions& options) {
  const bool is_even = options.even && options.max_leaves == 0;
  return is_even ? uneven_error(region, shares, options.count) : worst_error(shares);
}

bool is_better(const Region& region, const std::vector<Share>& a, const std::vector<Share>& b,
               const ReduceOptions& options) {
  if (a.empty() || b.empty()) return b.empty() && !a.empty();
  const double x = score(region, a, options);
  const double y = score(region, b, options);
  return x != y ? x < y : mean_square_error(a) < mean_square_error(b);
}

/// Settles the balls, then halves the worst shares while there are fewer than `count`.
std::vector<Share> settle_all(const Region& region, std::vector<Ball> balls, const ReduceOptions& options) {
  std::vector<Share> shares = settle(region, std::move(balls));
  while (!shares.empty() && shares.size() < options.count) {
    std::ranges::stable_sort(shares, [](const Share& a, const Share& b) { return a.ball.error > b.ball.error; });
    std::size_t missing = options.count - shares.size();
    std::vector<Ball> more;
    for (const Share& share : shares) {
      const std::vector<Ball> parts = missing > 0 ? halved(region, share.pieces, 2) : std::vector<Ball>{};
      if (parts.size() < 2) {
        more.push_back(share.ball);
        continue;
      }
      --missing;
      more.insert(more.end(), parts.begin(), parts.end());
    }
    std::vector<Share> next = settle(region, std::move(more));
    if (next.size() <= shares.size()) break;
    shares = std::move(next);
  }
  if (!options.even || shares.empty()) return shares;
  std::vector<Share> even = settle_evenly(region, centers_of(shares), options.count);
  if (options.max_leaves == 0) return even;
  even = settle_leaves(region, std::move(even), options.max_leaves);
  shares = settle_leaves(region, std::move(shares), options.max_leaves);
  return worst_error(shares) < worst_error(even) ? shares : even;
}

}  // namespace

std::vector<Ball> halved(const Region& region, std::span<const std::uint32_t> pieces, std::size_t count) {
  struct Part {
    std::vector<std::uint32_t> pieces;
    double length = 0;
    int axis = 0;
  };
  const auto make = [&](std::vector<std::uint32_t> own) {
    Aabb box;
    for (const std::uint32_t p : own)
      box.include(region.pieces()[p].middle());
    Part part{std::move(own)};
    part.length = (box.upper - box.lower).maxCoeff(&part.axis);
    return part;
  };
  std::vector<Part> parts = {make({pieces.begin(), pieces.end()})};
  while (parts.size() < count) {
    const auto longest = std::ranges::max_element(parts, {}, &Part::length);
    if (!(longest->length > 0)) break;
    const int axis = longest->axis;
    std::vector<std::uint32_t> own = std::move(longest->pieces);
    std::ranges::stable_sort(own, {}, [&](std::uint32_t p) { return region.pieces()[p].middle()[axis]; });
    const auto half = own.begin() + static_cast<std::ptrdiff_t>(own.size() / 2);
    *longest = make({own.begin(), half});
    parts.push_back(make({half, own.end()}));
  }
  return geometry::mapped(parts, [&](const Part& part) { return region.smallest(region.corners_of(part.pieces)); });
}

std::vector<Share> reduce(const Region& region, std::span<const MedialSphere> medial, const ReduceOptions& options) {
  const std::vector<Piece> pieces = thinned(region.pieces(), max_reduce_pieces);
  const Region some(region.solid(), pieces);
  const auto settled = [&](const std::vector<BoundingSphere>& spheres) {
    return settle_all(region, balls_at(region.solid(), spheres), options);
  };
  const auto merged = [&] { return settled(merge_spheres(some, medial, options.count)); };
  const auto expanded = [&] { return settled(expand_spheres(some, medial, options.count, options.selection)); };
  std::vector<Share> best;
  if (options.method.find != nullptr) {
    best = settled(options.method.find(some, medial, options.count));
  } else if (options.method.method == SphereTreeMethod::merge) {
    best = merged();
  } else if (options.method.method == SphereTreeMethod::expand) {
    best = expanded();
  } else {
    std::vector<Share> other;
    tbb::parallel_invoke([&] { best = merged(); }, [&] { other = expanded(); });
    if (is_better(region, other, best, options)) best = std::move(other);
    if (!options.seeds.empty() && options.seeds.size() <= options.count) {
      other = settle_all(region, {options.seeds.begin(), options.seeds.end()}, options);
      if (is_better(region, other, best, options)) best = std::move(other);
    }
  }
  const bool keeps_leaves = !options.shift_planes && !options.balance && !options.optimize;
  if (options.shift_planes) best = shift_planes(region, std::move(best));
  if (options.balance) {
    best = balance(region, std::move(best), *options.balance, options.optimize.value_or(SphereOptimization{}), 2);
  } else if (options.optimize) {
    best = optimize(region, std::move(best), *options.optimize);
  }
  if (options.max_leaves > 0 && !keeps_leaves) best = settle_leaves(region, std::move(best), options.max_leaves);
  return best;
}

}  // namespace whisker::spheres
