#pragma once

// Grows sphere trees from the root down: each node's pieces are distributed among spheres that a method finds for them
// (Bradshaw 2002, algorithm 8, with pieces of triangles instead of points). The method decides how a node is split.

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

/// A node, its pieces, and its subtree.
struct Branch {
  FittedSphere fit;
  /// Only for a tree with such spheres (SphereTree::min_error).
  FittedSphere min_error;
  std::vector<Piece> pieces;
  /// Only for methods that need it: the medial axis, refined around the parent, then around the node.
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
  /// The options must be in their valid ranges.
  TreeGrowth(const Solid& solid, const SphereTreeOptions& options, bool has_least_error);

  /// Called before the root is split.
  virtual void prepare(Branch& /*root*/) {}
  /// The number of progress parts that the preparation takes.
  virtual std::size_t parts_of_preparation() const { return 0; }
  /// Returns the children of a node that is not a leaf; none to make it a leaf. Called from several threads at once,
  /// for different nodes. May change the node's pieces and axis.
  virtual std::vector<Branch> split(Branch& branch, int level) const = 0;

  bool is_leaf(const Branch& branch, int level) const;
  static double worst_of(const std::vector<Branch>& children);
  /// Returns the children if they are better than their parent, otherwise none.
  static std::vector<Branch> if_better(std::vector<Branch> children, const Branch& parent);
  /// Returns the best of several balls around the pieces: the smallest ball, the balls around the given centers, and
  /// the ball around the parent's center. The last one never protrudes more than the parent.
  FittedSphere best_about(const FittedSphere& parent, std::span<const Vector3> centers,
                          std::span<const Piece> pieces) const;

  const Solid& solid_;
  const SphereTreeOptions& options_;
  const bool has_least_error_;
  const std::size_t count_;  // the maximum number of children of a node
  const int depth_;
  const double error_;      // the rounding error of pieces (see halving_error)
  double good_enough_ = 0;  // a node that protrudes by at most this much is a leaf; known once the root is built
  std::optional<Progress> progress_;

 private:
  /// The number of nodes to be split in a full tree below a node on this level, including that node.
  std::size_t parts(int level) const;
  /// Builds the subtree of a node. Regions are independent of each other, so the order and the threads in which they
  /// are processed do not matter.
  void grow(Branch& branch, int level);
  /// Lists the nodes level by level.
  SphereTree flattened(const Branch& root) const;
};

}  // namespace whisker::spheres
