#include "spheres/tree_growth.hpp"

#include <algorithm>
#include <tbb/parallel_for.h>
#include <utility>

#include "geometry/lists.hpp"
#include "shapes/sphere_data.hpp"
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

SphereTree TreeGrowth::build() {
  progress_.emplace(options_.progress, parts_of_preparation() + parts(0));
  Branch root;
  root.pieces = cut_surface(solid_.mesh(), static_cast<std::size_t>(options_.pieces));
  root.fit = root.min_error = solid_.fitted(ball_around(root.pieces, error_));
  good_enough_ = leaf_error(options_, root.fit.sphere.radius);
  prepare(root);
  grow(root, 0);
  return flattened(root);
}

std::size_t TreeGrowth::parts(int level) const {
  std::size_t sum = 0;
  for (int l = depth_; l > level; --l)
    sum = 1 + sum * count_;
  return sum;
}

bool TreeGrowth::is_leaf(const Branch& branch, int level) const {
  const FittedSphere& fit = has_least_error_ ? branch.min_error : branch.fit;
  return level >= depth_ || fit.protrusion <= good_enough_;
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
  return geometry::greatest_of(children, [](const Branch& child) { return child.fit.protrusion; });
}

std::vector<Branch> TreeGrowth::if_better(std::vector<Branch> children, const Branch& parent) {
  const bool any = std::any_of(children.begin(), children.end(), [&](const Branch& child) {
    return child.fit.protrusion < better_part * parent.fit.protrusion ||
           child.fit.sphere.radius < better_part * parent.fit.sphere.radius;
  });
  if (children.size() < 2 || !any) return {};
  return children;
}

FittedSphere TreeGrowth::best_about(const FittedSphere& parent, std::span<const Vector3> centers,
                                    std::span<const Piece> pieces) const {
  BoundingSphere around_parent = ball_about(parent.sphere.center, pieces, error_);
  // The parent's ball contains the pieces' triangles there. Rounding must not make the child larger than the parent.
  around_parent.radius = std::min(around_parent.radius, parent.sphere.radius);
  FittedSphere best = solid_.fitted(around_parent);
  const auto offer = [&](const BoundingSphere& ball) {
    const FittedSphere other = solid_.fitted(ball);
    if (std::pair(other.protrusion, ball.radius) < std::pair(best.protrusion, best.sphere.radius)) best = other;
  };
  for (const Vector3& center : centers)
    offer(ball_about(center, pieces, error_));
  offer(ball_around(pieces, error_));
  return best;
}

SphereTree TreeGrowth::flattened(const Branch& root) const {
  SphereTree tree;
  std::vector<std::pair<const Branch*, std::uint32_t>> waiting = {
      {&root, 0}};  // with parents, in the order of the nodes
  for (std::uint32_t number = 0; number < waiting.size(); ++number) {
    const auto [branch, parent] = waiting[number];
    shapes::append_node(tree, {.sphere = branch->fit.sphere, .protrusion = branch->fit.protrusion, .parent = parent});
    if (has_least_error_) tree.min_error.push_back(branch->min_error);
    for (const Branch& child : branch->children)
      waiting.emplace_back(&child, number);
  }
  return tree;
}

}  // namespace whisker::spheres
