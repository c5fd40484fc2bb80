#include "methods/spheres/burst_spheres.hpp"

#include <cstdint>

#include "geometry/constants.hpp"
#include "spheres/burst.hpp"

namespace whisker::methods {

std::vector<Share> medial_shares(const Region& region, std::span<const MedialSphere> medial) {
  std::vector<Share> shares(medial.size());
  for (std::uint32_t p = 0; p < region.piece_count() && !medial.empty(); ++p) {
    // Deepest inside, or least growth: in both cases the smallest |p - c| - r.
    std::size_t best = 0;
    double least = infinity;
    const Vector3 middle = region.pieces()[p].middle();
    for (std::size_t k = 0; k < medial.size(); ++k) {
      const double growth = (middle - medial[k].sphere.center).norm() - medial[k].sphere.radius;
      if (growth >= least) continue;
      best = k;
      least = growth;
    }
    shares[best].pieces.push_back(p);
  }
  for (std::size_t k = 0; k < medial.size(); ++k) {
    if (shares[k].pieces.empty()) continue;
    const std::vector<std::uint32_t> corners = region.corners_of(shares[k].pieces);
    shares[k].ball = better(region.about(medial[k].sphere.center, medial[k].height, corners), region.smallest(corners));
  }
  return shares;
}

std::vector<BoundingSphere> burst_spheres(const Solid& solid, std::span<const MedialSphere> medial,
                                          std::span<const Piece> pieces, double, std::size_t count) {
  const Region region(solid, pieces);
  std::vector<BoundingSphere> result;
  for (const Share& share : burst(region, medial_shares(region, medial), count))
    result.push_back(sphere_of(share.ball));
  return result;
}

}  // namespace whisker::methods
