#include "methods/spheres/grid_tree.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "methods/spheres/grid.hpp"
#include "spheres/reduce.hpp"
#include "spheres/region.hpp"
#include "spheres/tree_growth.hpp"

namespace whisker::methods {

namespace {

using spheres::Ball;
using spheres::Branch;
using spheres::Region;
using spheres::Solid;

/// A grid is better than halves if its children protrude by less than this fraction of their parent's protrusion.
constexpr double enough_better = 0.99;
/// A region is cut into at least this many pieces for each child that may share it.
constexpr std::size_t grid_pieces_per_child = 8;

class GridGrowth final : public spheres::TreeGrowth {
 public:
  GridGrowth(const Solid& solid, const SphereTreeOptions& options, bool is_hybrid)
      : TreeGrowth(solid, options, is_hybrid) {}

 private:
  std::vector<Branch> split(Branch& branch, int /*level*/) const override {
    branch.pieces = cut_further(std::move(branch.pieces), grid_pieces_per_child * count());
    std::vector<Branch> children = dealt(branch, grid_spheres(branch.pieces, count()));
    if (children.size() < 2 || worst_of(children) > enough_better * branch.fit.protrusion) {
      std::vector<Branch> other = dealt(branch, halves_of(branch));
      if (children.size() < 2 || worst_of(other) < worst_of(children)) children = std::move(other);
    }
    return if_better(std::move(children), branch);
  }

  std::vector<BoundingSphere> halves_of(const Branch& branch) const {
    const Region region(solid(), branch.pieces);
    std::vector<std::uint32_t> all(branch.pieces.size());
    std::iota(all.begin(), all.end(), 0u);
    std::vector<BoundingSphere> spheres;
    for (const Ball& ball : halved(region, all, count()))
      spheres.push_back(sphere_of(ball));
    return spheres;
  }

  /// Distributes the pieces among the spheres, and fits a child to each share.
  std::vector<Branch> dealt(const Branch& parent, std::span<const BoundingSphere> spheres) const {
    std::vector<Branch> children;
    if (spheres.empty()) return children;
    double mean = 0;
    for (const BoundingSphere& sphere : spheres)
      mean += sphere.radius / static_cast<double>(spheres.size());
    // Not far below the region's own size, because the spheres may have been found for only a few of its points.
    const double shortest = std::max(mean / 8, parent.fit.sphere.radius / 32);
    std::vector<std::vector<Piece>> shares = deal(parent.pieces, spheres, error(), shortest);
    for (std::size_t i = 0; i < spheres.size(); ++i) {
      if (shares[i].empty()) continue;
      Branch child;
      child.pieces = std::move(shares[i]);
      const Vector3 centers[] = {spheres[i].center};
      if (has_least_error()) {
        child.fit = solid().fitted(ball_around(child.pieces, error()));
        child.min_error = min_error(parent.min_error, centers, child.pieces);
      } else {
        child.fit = best_about(parent.fit, centers, child.pieces);
      }
      children.push_back(std::move(child));
    }
    return children;
  }

  /// Like best_about, but also searches for a center.
  FittedSphere min_error(const FittedSphere& parent, std::span<const Vector3> centers,
                         std::span<const Piece> pieces) const {
    const FittedSphere fit = best_about(parent, centers, pieces);
    const Region region(solid(), pieces);
    const std::vector<std::uint32_t> corners = region.all_corners();
    const Ball start = region.about(fit.sphere.center, corners);
    constexpr int evaluations = 150;
    const Vector3 found[] = {region.min_error(start, corners, evaluations).center, fit.sphere.center};
    return best_about(parent, found, pieces);
  }
};

}  // namespace

SphereTree build_grid_tree(const Solid& solid, const SphereTreeOptions& options, bool is_hybrid) {
  return GridGrowth(solid, options, is_hybrid).build();
}

}  // namespace whisker::methods
