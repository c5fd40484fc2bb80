// Builds sphere trees with a region method, from the root down.

#include <algorithm>
#include <memory>
#include <utility>

#include "geometry/lists.hpp"
#include "spheres/adaptive_axis.hpp"
#include "spheres/builders.hpp"
#include "spheres/flat_shares.hpp"
#include "spheres/pieces.hpp"
#include "spheres/reduce.hpp"
#include "spheres/sampling.hpp"
#include "spheres/tree_growth.hpp"

namespace whisker::spheres {

namespace {

/// A region is cut into at least this many pieces for each child that may share it.
constexpr std::size_t pieces_per_child = 32;
/// A region has at least this many medial spheres for each child, but no fewer than `min_medial`. They protrude by at
/// most this fraction of the protrusion of the region's own sphere (Bradshaw 2002, 5.2.3).
constexpr std::size_t medial_per_child = 40;
constexpr std::size_t min_medial = 100;
constexpr double medial_error = 0.25;
/// At most this many leaves are planned, and only this fraction of those that there is room for, so that the branches
/// above them have a choice.
constexpr std::size_t max_planned = 600;
constexpr double planned_part = 0.75;
/// Planned leaves have at least this many pieces each.
constexpr std::size_t pieces_per_leaf = 16;
/// To estimate the demand of each place, at most this many pieces are merged to this many spheres.
constexpr std::size_t max_demand_pieces = 6000;
constexpr std::size_t demand_spheres = 256;

class TreeBuilder final : public TreeGrowth {
 public:
  TreeBuilder(const Solid& solid, const SphereTreeOptions& options, const RegionMethod& method)
      : TreeGrowth(solid, options, false), method_(method), planned_(planned_levels()) {}

 private:
  void prepare(Branch& root) override {
    if (method_.needs_axis && !is_leaf(root, 0)) {
      root.axis = std::make_shared<AdaptiveAxis>(
          solid_, sample_surface(solid_.mesh(), static_cast<std::size_t>(options_.samples), options_.seed));
    }
    if (root.axis == nullptr) {
      progress_->add(max_planned_leaves());
    } else if (planned_ > 0) {
      plan_leaves(root.pieces, *root.axis);
    } else if (depth_ > 1) {
      find_demands(root.pieces, *root.axis);
    }
  }
  std::size_t parts_of_preparation() const override { return max_planned_leaves(); }

  // --- splitting into spheres with small protrusion --------------------------------------------------------------

  std::vector<Branch> split(Branch& branch, int level) const override {
    const std::vector<Piece> pieces = cut_further(branch.pieces, pieces_per_child * count_);
    std::vector<MedialSphere> medial;
    if (branch.axis != nullptr) {
      auto refined = std::make_shared<AdaptiveAxis>(*branch.axis);
      refined->refine(pieces, {.min_spheres = std::max(min_medial, medial_per_child * count_),
                               .worst_protrusion = medial_error * branch.fit.protrusion});
      medial = refined->spheres(pieces);
      branch.axis = std::move(refined);
    }
    const Region region(solid_, pieces);
    ReduceOptions how{.method = method_,
                      .selection = options_.selection,
                      .count = count_,
                      .even = level + 1 < depth_,
                      .shift_planes = options_.shift_planes,
                      .optimize = options_.optimize,
                      .balance = options_.balance};
    std::vector<Ball> leaves;
    if (level + 1 < planned_) how.max_leaves = leaf_room(planned_ - level - 1);
    if (level + 1 == planned_) {
      leaves = planned_balls(pieces);
      how.seeds = leaves;
    }
    std::vector<Share> shares = reduce(region, medial, how);
    std::vector<Branch> children;
    for (const Share& share : shares) {
      Branch child;
      child.pieces = region.pieces_of(share.pieces);
      child.fit = best_about(branch.fit, std::span(&share.ball.center, 1), child.pieces);
      children.push_back(std::move(child));
    }
    return if_better(std::move(children), branch);
  }

  // --- planning the leaves first ---------------------------------------------------------------------------------

  /// The number of leaves that a node this many levels above them has room for.
  std::size_t leaf_room(int levels) const {
    std::size_t leaves = 1;
    for (int l = 0; l < levels; ++l)
      leaves *= count_;
    return leaves;
  }

  /// The level of the planned leaves, which is the last level or one above it; 0 if no leaves are planned. There is
  /// nothing to plan on the first level.
  int planned_levels() const {
    if (!method_.is_combined()) return 0;
    int levels = 0;
    while (levels < depth_ && leaf_room(levels + 1) <= max_planned)
      ++levels;
    return levels > 1 ? levels : 0;
  }

  std::size_t max_planned_leaves() const {
    return planned_ > 0 ? static_cast<std::size_t>(planned_part * static_cast<double>(leaf_room(planned_))) : 0;
  }

  void plan_leaves(std::vector<Piece>& pieces, const AdaptiveAxis& axis) {
    const std::size_t most = max_planned_leaves();
    pieces = cut_further(std::move(pieces), pieces_per_leaf * most);
    const std::vector<Share> leaves = flat_shares(Region(solid_, pieces), &axis,
                                                  {.method = method_,
                                                   .selection = options_.selection,
                                                   .most = most,
                                                   .protrusion = good_enough_,
                                                   .report = [&](std::size_t n) { progress_->reach(n); }});
    progress_->reach(most);
    for (std::uint32_t i = 0; i < leaves.size(); ++i) {
      leaves_.push_back(leaves[i].ball);
      for (const std::uint32_t p : leaves[i].pieces) {
        pieces[p].leaf = i;
        pieces[p].demand = 1 / static_cast<double>(leaves[i].pieces.size());
      }
    }
  }

  /// The planned leaves that the pieces belong to.
  std::vector<Ball> planned_balls(std::span<const Piece> pieces) const {
    std::vector<std::uint32_t> numbers = geometry::mapped(pieces, &Piece::leaf);
    geometry::sort_unique(numbers);
    return geometry::picked(leaves_, numbers);
  }

  /// Estimates how many spheres the pieces will need, so that the children of a node can be given equal demands. The
  /// pieces are merged to a few hundred spheres at once. Around a flat or evenly curved place, and along a straight
  /// edge, the protrusion decreases as the number of spheres grows. So the demand of a sphere's pieces is its
  /// protrusion.
  void find_demands(std::vector<Piece>& pieces, const AdaptiveAxis& axis) const {
    const std::vector<Piece> some = thinned(pieces, max_demand_pieces);
    const std::vector<BoundingSphere> merged = merge_spheres(Region(solid_, some), axis.spheres(some), demand_spheres);
    for (const Share& share : share_out(Region(solid_, pieces), balls_at(solid_, merged))) {
      for (const std::uint32_t p : share.pieces)
        pieces[p].demand = share.ball.error / static_cast<double>(share.pieces.size());
    }
  }

  RegionMethod method_;
  int planned_;
  std::vector<Ball> leaves_;  // planned
};

}  // namespace

SphereTree build_tree(const Solid& solid, const SphereTreeOptions& options, const RegionMethod& method) {
  return TreeBuilder(solid, options, method).build();
}

}  // namespace whisker::spheres
