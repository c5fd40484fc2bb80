#include "spheres/tree_growth.hpp"

#include <algorithm>
#include <tbb/parallel_for.h>
#include <utility>

#include "spheres/build_checks.hpp"

namespace whisker::spheres {

namespace {

/// Children are kept if at least one has less than this fraction of its parent's protrusion or radius.
constexpr double better_part = 0.99;

}  // namespace

TreeGrowth::TreeGrowth(const Solid& solid, const SphereTreeOptions& options, bool has_least_error)
    : solid_(solid),
      options_(options),
      has_least_error_(has_least_error),
      count_(static_cast<std::size_t>(options.branching)),
      depth_(level_limit(options)),
      error_(halving_error(solid.mesh())) {}

void TreeGrowth::prepare(Branch& /*root*/) {}

SphereTree TreeGrowth::build() {
  progress_.emplace(options_.progress, parts_of_preparation() + parts(0));
  Branch root;
  root.pieces = cut_surface(solid_.mesh(), static_cast<std::size_t>(options_.pieces));
  root.node.sphere = ball_around(root.pieces, error_);
  root.node.protrusion = protrusion_of(root.node.sphere);
  root.min_error = {root.node.sphere, root.node.protrusion};
  good_enough_ = leaf_error(options_, root.node.sphere.radius);
  prepare(root);
  grow(root, 0);
  return flattened(std::move(root));
}

double TreeGrowth::protrusion_of(const BoundingSphere& sphere) const {
  return protrusion(sphere.radius, solid_.height(sphere.center));
}

std::size_t TreeGrowth::parts(int level) const {
  std::size_t sum = 0;
  for (int l = depth_; l > level; --l)
    sum = 1 + sum * count_;
  return sum;
}

bool TreeGrowth::is_leaf(const Branch& branch, int level) const {
  const double error = has_least_error_ ? branch.min_error.protrusion : branch.node.protrusion;
  return level >= depth_ || error <= good_enough_;
}

void TreeGrowth::grow(Branch& branch, int level) {
  if (is_leaf(branch, level)) {
    branch.axis = nullptr;
    progress_->add(parts(level));
    return;
  }
  branch.children = split(branch, level);
  branch.pieces = {};
  for (Branch& child : branch.children)
    child.axis = branch.axis;
  branch.axis = nullptr;
  progress_->add(1 + (count_ - branch.children.size()) * parts(level + 1));
  tbb::parallel_for(std::size_t{0}, branch.children.size(),
                    [&](std::size_t i) { grow(branch.children[i], level + 1); });
}

double TreeGrowth::worst_of(const std::vector<Branch>& children) {
  double worst = 0;
  for (const Branch& child : children)
    worst = std::max(worst, child.node.protrusion);
  return worst;
}

std::vector<Branch> TreeGrowth::if_better(std::vector<Branch> children, const Branch& parent) {
  const bool any = std::any_of(children.begin(), children.end(), [&](const Branch& child) {
    return child.node.protrusion < better_part * parent.node.protrusion ||
           child.node.sphere.radius < better_part * parent.node.sphere.radius;
  });
  if (children.size() < 2 || !any) return {};
  return children;
}

FittedSphere TreeGrowth::best_about(const FittedSphere& parent, std::span<const Vector3> centers,
                                    std::span<const Piece> pieces) const {
  FittedSphere best;
  best.sphere = ball_about(parent.sphere.center, pieces, error_);
  // The parent's ball contains the pieces' triangles there. Rounding must not make the child larger than the parent.
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

SphereTree TreeGrowth::flattened(Branch root) const {
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
      if (has_least_error_) tree.min_error.push_back(branch.min_error);
    }
    tree.level_begin.push_back(static_cast<std::uint32_t>(tree.nodes.size()));
    level = std::move(next);
  }
  return tree;
}

}  // namespace whisker::spheres
