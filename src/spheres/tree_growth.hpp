#pragma once

// Sphere trees from the root down: each node's pieces are shared out to spheres that a method finds for them (Bradshaw
// 2002, algorithm 8, with pieces of triangles for points). How a node is split is the method's.

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <whisker/spheres/sphere_tree.hpp>

#include "spheres/adaptive_axis.hpp"
#include "spheres/pieces.hpp"
#include "spheres/progress.hpp"
#include "spheres/protrusion.hpp"

namespace whisker::spheres {

/// A node, the pieces that it stands for, and what is below it.
struct Branch {
  SphereTreeNode node;
  /// Of a tree that has such spheres (SphereTree::min_error).
  FittedSphere min_error;
  std::vector<Piece> pieces;
  /// Of methods that need one: the medial axis, refined about the parent, then about the node.
  std::shared_ptr<const AdaptiveAxis> axis;
  std::vector<Branch> children;
};

class TreeGrowth {
 public:
  virtual ~TreeGrowth() = default;
  TreeGrowth(const TreeGrowth&) = delete;
  TreeGrowth& operator=(const TreeGrowth&) = delete;

  SphereTree build();

 protected:
  /// The options are known to be in their ranges.
  TreeGrowth(const Solid& solid, const SphereTreeOptions& options, bool has_least_error);

  /// Before the root is split.
  virtual void prepare(Branch& root);
  /// How many parts of the work that is.
  virtual std::size_t parts_of_preparation() const { return 0; }
  /// The children of a node that is not a leaf; none if it is to be one. From several threads at once, for different
  /// nodes. It may change the node's pieces and axis.
  virtual std::vector<Branch> split(Branch& branch, int level) const = 0;

  double protrusion_of(const BoundingSphere& sphere) const;
  bool is_leaf(const Branch& branch, int level) const;
  static FittedSphere fit_of(const Branch& branch) { return {branch.node.sphere, branch.node.protrusion}; }
  static double worst_of(const std::vector<Branch>& children);
  /// The children if they are any better than their parent.
  static std::vector<Branch> if_better(std::vector<Branch> children, const Branch& parent);
  /// The best of several balls around the pieces: the smallest one, those about some centers, and that about the
  /// parent's. The last never stands off more than the parent.
  FittedSphere best_about(const FittedSphere& parent, std::span<const Vector3> centers,
                          std::span<const Piece> pieces) const;

  const Solid& solid() const { return solid_; }
  const SphereTreeOptions& options() const { return options_; }
  /// The most children of a node.
  std::size_t count() const { return count_; }
  int depth() const { return depth_; }
  /// Of pieces (see halving_error).
  double error() const { return error_; }
  bool has_least_error() const { return has_least_error_; }
  /// A node that stands off no more is a leaf. Known once the root is.
  double good_enough() const { return good_enough_; }
  Progress& progress() { return *progress_; }

 private:
  /// The nodes to be split in a full tree below one on this level, and itself.
  std::size_t parts(int level) const;
  /// Builds what is below a node. Regions do not depend on each other, so the order in which they are done, and by
  /// whom, does not matter.
  void grow(Branch& branch, int level);
  /// The nodes level by level.
  SphereTree flattened(Branch root) const;

  const Solid& solid_;
  const SphereTreeOptions& options_;
  bool has_least_error_;
  std::size_t count_;
  int depth_;
  double error_;
  double good_enough_ = 0;
  std::optional<Progress> progress_;
};

}  // namespace whisker::spheres
