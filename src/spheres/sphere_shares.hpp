#pragma once

// Distributes pieces among several spheres, and moves the spheres to where they fit their pieces best.

#include <cstdint>
#include <span>
#include <vector>

#include "spheres/region.hpp"

namespace whisker::spheres {

/// A ball and its share of a region.
struct Share {
  Ball ball;
  std::vector<std::uint32_t> pieces;  // ascending
};

/// The largest protrusion, and the root mean square.
double worst_error(std::span<const Share> shares);
double mean_square_error(std::span<const Share> shares);

/// The balls around the centers that contain the pieces that each center owns. Drops centers without a piece.
std::vector<Share> shares_of(const Region& region, std::span<const Ball> centers,
                             std::span<const std::uint32_t> owner_of_piece);

/// Gives each piece to the center whose ball must protrude least to contain it, and fits balls around the centers.
/// Drops centers without a piece.
std::vector<Share> share_out(const Region& region, std::span<const Ball> centers);

/// Gives each piece to the medial sphere that contains it most deeply, or that must grow least. The ball of a share is
/// the better of the ball around the medial center and the smallest ball. Returns one share for each medial sphere,
/// possibly without pieces.
std::vector<Share> medial_shares(const Region& region, std::span<const MedialSphere> medial);

/// These spheres with their heights and protrusions.
std::vector<Ball> balls_at(const Solid& solid, std::span<const BoundingSphere> spheres);
std::vector<Ball> centers_of(std::span<const Share> shares);

/// Returns the ball of each share, moved to the center at which it protrudes least, as found by a search.
std::vector<Ball> moved(const Region& region, std::span<const Share> shares);

/// The ratio of the largest demand of a share to the allowed demand, which is a little more than a `count`th of the
/// region's. At least 1.
double unevenness(const Region& region, std::span<const Share> shares, std::size_t count);
/// The worst protrusion times the squared unevenness.
double uneven_error(const Region& region, std::span<const Share> shares, std::size_t count);

/// Alternately distributes the pieces and moves each center to where its ball protrudes least, while the worst
/// protrusion improves. Neither step increases the worst protrusion.
std::vector<Share> settle(const Region& region, std::vector<Ball> centers);

/// Like settle, but keeps the demand of each share close to a `count`th of the total: balls with more demand charge a
/// price for each piece. Returns the shares with the smallest product of worst protrusion and squared unevenness.
std::vector<Share> settle_evenly(const Region& region, std::vector<Ball> centers, std::size_t count);

/// Makes shares more even. Of two overlapping balls, the one with fewer pieces takes pieces that lie in both, starting
/// with those farthest in its direction, until both have equally many, as if the plane between them were moved
/// (Bradshaw 2002, 6.1.2). Balls that lose pieces are refitted, so that no ball protrudes more than before.
std::vector<Share> shift_planes(const Region& region, std::vector<Share> shares);

/// Returns at most `count` of the shares (Bradshaw 2002, algorithm 5). Spheres are removed one by one: each piece of
/// the removed share goes to the ball that contains it most deeply, or that must grow least. Each ball that takes
/// pieces is replaced by the better of the smallest ball and the ball around its old center. Each step removes the
/// share for which the worst protrusion among the balls that take its pieces increases least, or decreases most,
/// compared to the worst among them and the removed share before.
std::vector<Share> burst(const Region& region, std::vector<Share> shares, std::size_t count);

// --- moving and removing single spheres: optimize.cpp (Bradshaw 2002, algorithms 9 to 11) ---------------------------

/// The objective to minimize: a weighted sum of the worst protrusion and the root mean square. (The thesis's equation
/// 6.1 and its algorithm 10 disagree about weights and squares. This function uses the algorithm's squares, and both
/// weights.)
double objective(std::span<const Share> shares, const SphereOptimization& weights);

/// Moves and resizes each sphere by a search, the sphere that protrudes most first. A sphere takes all pieces that it
/// contains. A piece that it no longer contains goes to the sphere that must grow least. The result is never worse than
/// the input.
std::vector<Share> optimize(const Region& region, std::vector<Share> shares, const SphereOptimization& how);

/// Removes spheres while the worst protrusion stays below what the balance allows. Keeps at least `least` spheres.
std::vector<Share> balance(const Region& region, std::vector<Share> shares, const SphereBalance& allowed,
                           const SphereOptimization& how, std::size_t least);

// --- keeping planned leaves together: leaf_plan.cpp ---------------------------------------------------------------

/// Assigns each item to one of `takers`, each with room for `room` items, at the smallest sum of costs. Returns the
/// taker of each item. `costs` lists the costs of the first item for each taker, then of the second item, and so on.
/// There must be room for all items.
std::vector<std::uint32_t> cheapest_takers(std::span<const double> costs, std::size_t takers, std::size_t room);

/// Like settle, but keeps the pieces of a planned leaf (Piece::leaf) together. No share has more than `most` leaves, or
/// more than necessary if there are too many leaves. Starts with the centers of `shares`.
std::vector<Share> settle_leaves(const Region& region, std::vector<Share> shares, std::size_t most);

}  // namespace whisker::spheres
