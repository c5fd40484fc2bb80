#include "spheres/tree_builder.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <tbb/parallel_for.h>
#include <utility>

#include "spheres/adaptive_axis.hpp"
#include "spheres/build_checks.hpp"
#include "spheres/flat_shares.hpp"
#include "spheres/grid.hpp"
#include "spheres/merge.hpp"
#include "spheres/pieces.hpp"
#include "spheres/progress.hpp"
#include "spheres/reduce.hpp"
#include "spheres/region.hpp"
#include "spheres/sampling.hpp"

namespace whisker::spheres {

namespace {

/// Children are worth having if one has less than this part of its parent's protrusion or radius.
constexpr double enough_better = 0.99;
/// A region has at least this many pieces for each child that it is shared out to.
constexpr std::size_t pieces_per_child = 32;
constexpr std::size_t grid_pieces_per_child = 8;
/// About a region there are at least this many medial spheres for each child, but no fewer than `least_medial`. They
/// stand off at most this part of what its own sphere does (Bradshaw 2002, 5.2.3).
constexpr std::size_t medial_per_child = 40;
constexpr std::size_t least_medial = 100;
constexpr double medial_error = 0.25;
/// No more leaves than this are planned; and this part of those that there is room for, so that the branches above them
/// have a choice.
constexpr std::size_t most_planned = 600;
constexpr double planned_part = 0.75;
/// Planned leaves have at least so many pieces each.
constexpr std::size_t pieces_per_leaf = 16;
/// For an estimate of what each place will need, so many pieces are looked at, and merged to so many spheres.
constexpr std::size_t most_demand_pieces = 6000;
constexpr std::size_t demand_spheres = 256;

/// A node, the pieces that it stands for, and what is below it.
struct Branch {
  SphereTreeNode node;
  FittedSphere least_error;
  std::vector<Piece> pieces;
  std::vector<Branch> children;
};

class TreeBuilder {
 public:
  TreeBuilder(const Solid& solid, const SphereTreeOptions& options)
      : solid_(solid),
        options_(options),
        count_(static_cast<std::size_t>(options.branching)),
        depth_(level_limit(options)),
        planned_(planned_levels()),
        error_(halving_error(solid.mesh())),
        progress_(options.progress, most_planned_leaves() + parts(0)) {}

  SphereTree build() {
    Branch root;
    root.pieces = cut_surface(solid_.mesh(), static_cast<std::size_t>(options_.pieces));
    root.node.sphere = ball_around(root.pieces, error_);
    root.node.protrusion = protrusion_of(root.node.sphere);
    root.least_error = {root.node.sphere, root.node.protrusion};
    good_enough_ = leaf_error(options_, root.node.sphere.radius);
    std::shared_ptr<const AdaptiveAxis> axis;
    if (needs_axis() && !is_leaf(root, 0)) {
      axis = std::make_shared<AdaptiveAxis>(
          solid_, sample_surface(solid_.mesh(), static_cast<std::size_t>(options_.samples), options_.seed));
    }
    if (axis == nullptr) {
      progress_.add(most_planned_leaves());
    } else if (planned_ > 0) {
      plan_leaves(root.pieces, *axis);
    } else if (depth_ > 1) {
      find_demands(root.pieces, *axis);
    }
    grow(root, 0, axis);
    return flattened(std::move(root));
  }

 private:
  bool needs_axis() const {
    return options_.method != SphereTreeMethod::grid && options_.method != SphereTreeMethod::hybrid &&
           options_.method != SphereTreeMethod::spawn;
  }

  double protrusion_of(const BoundingSphere& sphere) const {
    return protrusion(sphere.radius, solid_.height(sphere.center));
  }

  /// The nodes to be split in a full tree below one on this level, and itself.
  std::size_t parts(int level) const {
    std::size_t sum = 0;
    for (int l = depth_; l > level; --l)
      sum = 1 + sum * count_;
    return sum;
  }

  bool is_leaf(const Branch& branch, int level) const {
    const double error = is_hybrid() ? branch.least_error.protrusion : branch.node.protrusion;
    return level >= depth_ || error <= good_enough_;
  }

  bool is_hybrid() const { return options_.method == SphereTreeMethod::hybrid; }

  /// Builds what is below a node. Regions do not depend on each other, so the order in which they are done, and by
  /// whom, does not matter.
  void grow(Branch& branch, int level, const std::shared_ptr<const AdaptiveAxis>& parent_axis) {
    if (is_leaf(branch, level)) {
      progress_.add(parts(level));
      return;
    }
    std::shared_ptr<const AdaptiveAxis> axis = parent_axis;
    branch.children = options_.method == SphereTreeMethod::grid || is_hybrid() ? split_by_grid(branch)
                                                                               : split_by_spheres(branch, level, axis);
    branch.pieces = {};
    progress_.add(1 + (count_ - branch.children.size()) * parts(level + 1));
    tbb::parallel_for(std::size_t{0}, branch.children.size(),
                      [&](std::size_t i) { grow(branch.children[i], level + 1, axis); });
  }

  static double worst_of(const std::vector<Branch>& children) {
    double worst = 0;
    for (const Branch& child : children)
      worst = std::max(worst, child.node.protrusion);
    return worst;
  }

  /// The children if they are any better than their parent.
  static std::vector<Branch> if_better(std::vector<Branch> children, const Branch& parent) {
    const bool any = std::any_of(children.begin(), children.end(), [&](const Branch& child) {
      return child.node.protrusion < enough_better * parent.node.protrusion ||
             child.node.sphere.radius < enough_better * parent.node.sphere.radius;
    });
    if (children.size() < 2 || !any) return {};
    return children;
  }

  // --- by a grid -------------------------------------------------------------------------------------------------

  std::vector<Branch> split_by_grid(Branch& branch) const {
    branch.pieces = cut_further(std::move(branch.pieces), grid_pieces_per_child * count_);
    std::vector<Branch> children = dealt(branch, grid_spheres(branch.pieces, count_));
    if (children.size() < 2 || worst_of(children) > enough_better * branch.node.protrusion) {
      std::vector<Branch> other = dealt(branch, halves_of(branch));
      if (children.size() < 2 || worst_of(other) < worst_of(children)) children = std::move(other);
    }
    return if_better(std::move(children), branch);
  }

  std::vector<BoundingSphere> halves_of(const Branch& branch) const {
    const Region region(solid_, branch.pieces);
    std::vector<std::uint32_t> all(branch.pieces.size());
    std::iota(all.begin(), all.end(), 0u);
    std::vector<BoundingSphere> spheres;
    for (const Ball& ball : halved(region, all, count_))
      spheres.push_back(sphere_of(ball));
    return spheres;
  }

  /// Deals the pieces out to the spheres, and fits a child to each share.
  std::vector<Branch> dealt(const Branch& parent, std::span<const BoundingSphere> spheres) const {
    std::vector<Branch> children;
    if (spheres.empty()) return children;
    double mean = 0;
    for (const BoundingSphere& sphere : spheres)
      mean += sphere.radius / static_cast<double>(spheres.size());
    // Not far below the region's own size: spheres may have been found for a few points of it only.
    const double shortest = std::max(mean / 8, parent.node.sphere.radius / 32);
    std::vector<std::vector<Piece>> shares = deal(parent.pieces, spheres, error_, shortest);
    for (std::size_t i = 0; i < spheres.size(); ++i) {
      if (shares[i].empty()) continue;
      Branch child;
      child.pieces = std::move(shares[i]);
      const Vector3 centers[] = {spheres[i].center};
      if (is_hybrid()) {
        child.node.sphere = ball_around(child.pieces, error_);
        child.node.protrusion = protrusion_of(child.node.sphere);
        child.least_error = least_error(parent.least_error, centers, child.pieces);
      } else {
        const FittedSphere fit = best_about(parent_fit(parent), centers, child.pieces);
        child.node.sphere = fit.sphere;
        child.node.protrusion = fit.protrusion;
      }
      children.push_back(std::move(child));
    }
    return children;
  }

  static FittedSphere parent_fit(const Branch& parent) { return {parent.node.sphere, parent.node.protrusion}; }

  /// The best of several balls around the pieces: the smallest one, those about some centers, and that about the
  /// parent's. The last never stands off more than the parent.
  FittedSphere best_about(const FittedSphere& parent, std::span<const Vector3> centers,
                          std::span<const Piece> pieces) const {
    FittedSphere best;
    best.sphere = ball_about(parent.sphere.center, pieces, error_);
    // The parent's ball holds the pieces' triangles there; rounding must not make the child larger.
    best.sphere.radius = std::min(best.sphere.radius, parent.sphere.radius);
    best.protrusion = protrusion_of(best.sphere);
    const auto offer = [&](const BoundingSphere& ball) {
      const double other = protrusion_of(ball);
      if (other > best.protrusion || (other == best.protrusion && ball.radius >= best.sphere.radius)) return;
      best = {ball, other};
    };
    for (const Vector3& center : centers)
      offer(ball_about(center, pieces, error_));
    offer(ball_around(pieces, error_));
    return best;
  }

  /// As best_about, with a search.
  FittedSphere least_error(const FittedSphere& parent, std::span<const Vector3> centers,
                           std::span<const Piece> pieces) const {
    const FittedSphere fit = best_about(parent, centers, pieces);
    const Region region(solid_, pieces);
    const std::vector<std::uint32_t> corners = region.all_corners();
    const Ball start = region.about(fit.sphere.center, corners);
    constexpr int evaluations = 150;
    const Vector3 found[] = {region.least_error(start, corners, evaluations).center, fit.sphere.center};
    return best_about(parent, found, pieces);
  }

  // --- by spheres that stand off little --------------------------------------------------------------------------

  /// `axis` is that of the parent, and becomes the region's own.
  std::vector<Branch> split_by_spheres(const Branch& branch, int level,
                                       std::shared_ptr<const AdaptiveAxis>& axis) const {
    const std::vector<Piece> pieces = cut_further(branch.pieces, pieces_per_child * count_);
    std::vector<MedialSphere> medial;
    if (axis != nullptr) {
      auto refined = std::make_shared<AdaptiveAxis>(*axis);
      refined->refine(pieces, {.least_spheres = std::max(least_medial, medial_per_child * count_),
                               .worst_protrusion = medial_error * branch.node.protrusion});
      medial = refined->spheres(pieces);
      axis = std::move(refined);
    }
    const Region region(solid_, pieces);
    ReduceOptions how{.method = options_.method,
                      .selection = options_.selection,
                      .count = count_,
                      .halving_error = error_,
                      .even = level + 1 < depth_,
                      .shift_planes = options_.shift_planes,
                      .optimize = options_.optimize,
                      .balance = options_.balance};
    std::vector<Ball> leaves;
    if (level + 1 < planned_) how.most_leaves = leaf_room(planned_ - level - 1);
    if (level + 1 == planned_) {
      leaves = planned_balls(pieces);
      how.seeds = leaves;
    }
    std::vector<Share> shares = reduce(region, medial, how);
    std::vector<Branch> children;
    for (const Share& share : shares) {
      Branch child;
      for (const std::uint32_t p : share.pieces)
        child.pieces.push_back(pieces[p]);
      const FittedSphere fit = best_about(parent_fit(branch), std::span(&share.ball.center, 1), child.pieces);
      child.node.sphere = fit.sphere;
      child.node.protrusion = fit.protrusion;
      children.push_back(std::move(child));
    }
    return if_better(std::move(children), branch);
  }

  // --- with leaves that are planned first ------------------------------------------------------------------------

  /// How many leaves a node has room for that many levels above them.
  std::size_t leaf_room(int levels) const {
    std::size_t leaves = 1;
    for (int l = 0; l < levels; ++l)
      leaves *= count_;
    return leaves;
  }

  /// The level of the planned leaves, the last or one above it; 0 if there are none. On the first level there is
  /// nothing to plan.
  int planned_levels() const {
    if (options_.method != SphereTreeMethod::combined) return 0;
    int levels = 0;
    while (levels < depth_ && leaf_room(levels + 1) <= most_planned)
      ++levels;
    return levels > 1 ? levels : 0;
  }

  std::size_t most_planned_leaves() const {
    return planned_ > 0 ? static_cast<std::size_t>(planned_part * static_cast<double>(leaf_room(planned_))) : 0;
  }

  void plan_leaves(std::vector<Piece>& pieces, const AdaptiveAxis& axis) {
    const std::size_t most = most_planned_leaves();
    pieces = cut_further(std::move(pieces), pieces_per_leaf * most);
    const std::vector<Share> leaves = flat_shares(Region(solid_, pieces), &axis,
                                                  {.method = options_.method,
                                                   .selection = options_.selection,
                                                   .most = most,
                                                   .protrusion = good_enough_,
                                                   .halving_error = error_,
                                                   .report = [&](std::size_t n) { progress_.reach(n); }});
    progress_.reach(most);
    for (std::uint32_t i = 0; i < leaves.size(); ++i) {
      leaves_.push_back(leaves[i].ball);
      for (const std::uint32_t p : leaves[i].pieces) {
        pieces[p].leaf = i;
        pieces[p].demand = 1 / static_cast<double>(leaves[i].pieces.size());
      }
    }
  }

  /// Those that the pieces belong to.
  std::vector<Ball> planned_balls(std::span<const Piece> pieces) const {
    std::vector<std::uint32_t> numbers;
    for (const Piece& piece : pieces)
      numbers.push_back(piece.leaf);
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    std::vector<Ball> balls;
    for (const std::uint32_t number : numbers)
      balls.push_back(leaves_[number]);
    return balls;
  }

  /// How many spheres the pieces will take, so that the children of a node can be made to need as many each: the pieces
  /// are merged to a few hundred spheres at once. About a flat or evenly curved place, and along a straight edge, the
  /// protrusion falls as the number of spheres grows; so the demand of a sphere's pieces is what it stands off.
  void find_demands(std::vector<Piece>& pieces, const AdaptiveAxis& axis) const {
    const std::size_t step = (pieces.size() + most_demand_pieces - 1) / most_demand_pieces;
    std::vector<Piece> some;
    for (std::size_t i = 0; i < pieces.size(); i += step)
      some.push_back(pieces[i]);
    const Region region(solid_, pieces);
    std::vector<Ball> centers;
    for (const BoundingSphere& sphere : merge_spheres(solid_, axis.spheres(some), some, error_, demand_spheres))
      centers.push_back({sphere.center, sphere.radius, solid_.height(sphere.center), 0});
    for (const Share& share : share_out(region, centers)) {
      for (const std::uint32_t p : share.pieces)
        pieces[p].demand = share.ball.error / static_cast<double>(share.pieces.size());
    }
  }

  /// The nodes level by level.
  SphereTree flattened(Branch root) const {
    SphereTree tree;
    tree.level_begin = {0};
    std::vector<Branch> level;
    level.push_back(std::move(root));
    while (!level.empty()) {
      std::vector<Branch> next;
      const auto begin = tree.level_begin.back();
      const auto below = static_cast<std::uint32_t>(begin + level.size());
      for (Branch& branch : level) {
        const auto number = static_cast<std::uint32_t>(tree.nodes.size());
        if (!branch.children.empty()) {
          branch.node.first_child = static_cast<std::uint32_t>(below + next.size());
          branch.node.child_count = static_cast<std::uint32_t>(branch.children.size());
        }
        for (Branch& child : branch.children) {
          child.node.parent = number;
          next.push_back(std::move(child));
        }
        tree.nodes.push_back(branch.node);
        if (is_hybrid()) tree.least_error.push_back(branch.least_error);
      }
      tree.level_begin.push_back(static_cast<std::uint32_t>(tree.nodes.size()));
      level = std::move(next);
    }
    return tree;
  }

  const Solid& solid_;
  const SphereTreeOptions& options_;
  std::size_t count_;
  int depth_;
  int planned_;
  double error_;
  double good_enough_ = 0;
  std::vector<Ball> leaves_;  // planned
  Progress progress_;
};

}  // namespace

SphereTree build_tree(const Solid& solid, const SphereTreeOptions& options) {
  return TreeBuilder(solid, options).build();
}

}  // namespace whisker::spheres
