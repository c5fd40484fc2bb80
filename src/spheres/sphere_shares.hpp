#pragma once

// Who of several spheres gets which pieces, and where the spheres are best then.

#include <cstdint>
#include <span>
#include <vector>

#include "spheres/region.hpp"

namespace whisker::spheres {

/// A ball for a share of a region.
struct Share {
  Ball ball;
  std::vector<std::uint32_t> pieces;  // ascending
};

/// The largest protrusion, and the root of the mean square.
double worst_error(std::span<const Share> shares);
double mean_square_error(std::span<const Share> shares);

/// Gives each piece to the center whose ball must stand off least for it, and fits balls about the centers. Centers
/// without a piece are left out.
std::vector<Share> share_out(const Region& region, std::span<const Ball> centers);

std::vector<Ball> centers_of(std::span<const Share> shares);

/// The ball of each share, about the center at which it stands off least, as a search finds it.
std::vector<Ball> moved(const Region& region, std::span<const Share> shares);

/// The largest demand of a share, as a multiple of a `count`th of the region's, a little more than which is allowed: at
/// least 1.
double unevenness(const Region& region, std::span<const Share> shares, std::size_t count);

/// Shares the pieces out and moves each center to where its ball stands off least, in turns, while the worst becomes
/// better. Neither step makes the worst protrusion larger.
std::vector<Share> settle(const Region& region, std::vector<Ball> centers);

/// The same, but no share is to have much more of the pieces' demand than a `count`th: balls that have more ask a price
/// for each piece. The best found of the product of the worst protrusion and the square of the unevenness.
std::vector<Share> settle_evenly(const Region& region, std::vector<Ball> centers, std::size_t count);

/// Makes shares more even: of two balls that overlap, the one with fewer pieces takes such as lie in both, those
/// farthest toward it first, until both have as many; as if the plane between them were moved (Bradshaw 2002, 6.1.2).
/// Balls that lose pieces are fitted anew, so that none stands off more than before.
std::vector<Share> shift_planes(const Region& region, std::vector<Share> shares);

}  // namespace whisker::spheres
