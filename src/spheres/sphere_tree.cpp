#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include <whisker/error.hpp>
#include <whisker/sphere_tree.hpp>

#include "spheres/grid.hpp"
#include "spheres/medial_axis.hpp"
#include "spheres/merge.hpp"
#include "spheres/octree.hpp"
#include "spheres/pieces.hpp"
#include "spheres/sampling.hpp"
#include "spheres/stand_off.hpp"
#include "volumes/measure.hpp"

namespace whisker {

namespace spheres {
namespace {

/// Children are worth having if one has less than this part of its parent's stand-off or radius.
constexpr double enough_better = 0.99;

/// The part of the surface that a node stands for.
struct Region {
  std::vector<Piece> pieces;
  std::vector<std::uint32_t> medial;  // numbers of the medial spheres about there
};

void check_option(int value, int least, int most, const char* name) {
  if (value >= least && value <= most) return;
  throw Error("build_sphere_tree: " + std::string(name) + " is " + std::to_string(value) + " but must be from " +
              std::to_string(least) + " to " + std::to_string(most));
}

/// Balls around `count` parts of the region: the longest part is halved at the middle of its pieces, again and again.
/// For where a method has no spheres of its own to offer.
std::vector<BoundingSphere> halved(std::span<const Piece> pieces, std::size_t count, double error) {
  struct Part {
    std::vector<Piece> pieces;
    double length = 0;
    int axis = 0;
  };
  const auto make = [](std::vector<Piece> own) {
    AxisBox box;
    for (const Piece& piece : own)
      box.include(piece.middle());
    Part part{std::move(own)};
    part.length = (box.upper - box.lower).maxCoeff(&part.axis);
    return part;
  };
  std::vector<Part> parts = {make({pieces.begin(), pieces.end()})};
  while (parts.size() < count) {
    const auto longest =
        std::max_element(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.length < b.length; });
    if (!(longest->length > 0)) break;
    const int axis = longest->axis;
    std::vector<Piece> own = std::move(longest->pieces);
    std::stable_sort(own.begin(), own.end(),
                     [&](const Piece& a, const Piece& b) { return a.middle()[axis] < b.middle()[axis]; });
    const auto half = own.begin() + static_cast<std::ptrdiff_t>(own.size() / 2);
    *longest = make({own.begin(), half});
    parts.push_back(make({half, own.end()}));
  }
  std::vector<BoundingSphere> balls;
  for (const Part& part : parts)
    balls.push_back(ball_around(part.pieces, error));
  return balls;
}

/// Builds a tree from the root down: each node's pieces are dealt out to spheres that a method finds for them (Bradshaw
/// 2002, algorithm 8, with pieces of triangles for points).
class Builder {
 public:
  Builder(const Solid& solid, const SphereTreeOptions& options)
      : solid_(solid), options_(options), error_(halving_error(solid.mesh())) {}

  SphereTree build() {
    Region all;
    all.pieces = cut_surface(solid_.mesh(), static_cast<std::size_t>(options_.pieces));
    SphereTree tree;
    SphereTreeNode root;
    root.sphere = ball_around(all.pieces, error_);
    root.stand_off = stand_off(root.sphere.radius, solid_.height(root.sphere.center));
    tree.nodes.push_back(root);
    tree.level_begin = {0, 1};
    if (options_.method == SphereTreeMethod::merge && root.stand_off > options_.good_enough * root.sphere.radius) {
      medial_ = medial_spheres(
          solid_, sample_surface(solid_.mesh(), static_cast<std::size_t>(options_.samples), options_.seed));
      all.medial.resize(medial_.size());
      std::iota(all.medial.begin(), all.medial.end(), 0u);
    }
    std::vector<Region> regions;
    regions.push_back(std::move(all));
    for (std::size_t level = 0; level < static_cast<std::size_t>(options_.depth); ++level) {
      std::vector<Region> next;
      for (std::uint32_t n = tree.level_begin[level]; n < tree.level_begin[level + 1]; ++n) {
        if (tree.nodes[n].stand_off <= options_.good_enough * root.sphere.radius) continue;
        const Region region = std::move(regions[n - tree.level_begin[level]]);
        Children children = split(tree.nodes[n], region);
        tree.nodes[n].first_child = static_cast<std::uint32_t>(tree.nodes.size());
        tree.nodes[n].child_count = static_cast<std::uint32_t>(children.size());
        for (auto& [node, own] : children) {
          node.parent = n;
          tree.nodes.push_back(node);
          next.push_back(std::move(own));
        }
      }
      if (next.empty()) break;
      regions = std::move(next);
      tree.level_begin.push_back(static_cast<std::uint32_t>(tree.nodes.size()));
    }
    return tree;
  }

 private:
  std::vector<BoundingSphere> spheres_for(const Region& region) const {
    const auto count = static_cast<std::size_t>(options_.branching);
    return options_.method == SphereTreeMethod::grid
               ? grid_spheres(region.pieces, count)
               : merge_spheres(solid_, medial_, region.medial, region.pieces, error_, count);
  }

  using Children = std::vector<std::pair<SphereTreeNode, Region>>;

  static double worst_of(const Children& children) {
    double worst = 0;
    for (const auto& [child, own] : children)
      worst = std::max(worst, child.stand_off);
    return worst;
  }

  /// The children of a node; none if they would be no better than it.
  Children split(const SphereTreeNode& node, const Region& region) const {
    Children children = fit_all(node, region.pieces, spheres_for(region));
    if (children.size() < 2 || worst_of(children) > enough_better * node.stand_off) {
      // The method has no more to offer here.
      const auto count = static_cast<std::size_t>(options_.branching);
      Children other = fit_all(node, region.pieces, halved(region.pieces, count, error_));
      if (children.size() < 2 || worst_of(other) < worst_of(children)) children = std::move(other);
    }
    const bool better = std::any_of(children.begin(), children.end(), [&](const auto& child) {
      return child.first.stand_off < enough_better * node.stand_off ||
             child.first.sphere.radius < enough_better * node.sphere.radius;
    });
    if (children.size() < 2 || !better) return {};
    for (auto& [child, own] : children)
      own.medial = medial_near(region.medial, own.pieces);
    return children;
  }

  /// Deals the pieces out to the spheres, and fits a child to each share.
  Children fit_all(const SphereTreeNode& node, const std::vector<Piece>& pieces,
                   std::span<const BoundingSphere> spheres) const {
    Children children;
    if (spheres.empty()) return children;
    double mean = 0;
    for (const BoundingSphere& sphere : spheres)
      mean += sphere.radius / static_cast<double>(spheres.size());
    // Not far below the region's own size: spheres may have been found for a few points of it only.
    const double shortest = std::max(mean / 8, node.sphere.radius / 32);
    std::vector<std::vector<Piece>> dealt = deal(pieces, spheres, error_, shortest);
    for (std::size_t i = 0; i < spheres.size(); ++i) {
      if (dealt[i].empty()) continue;
      const SphereTreeNode child = fitted(node, spheres[i].center, dealt[i]);
      children.emplace_back(child, Region{std::move(dealt[i]), {}});
    }
    return children;
  }

  /// The best of three balls around the pieces: the smallest one, that about the centre which the method found, and
  /// that about the parent's. The last never stands off more than the parent.
  SphereTreeNode fitted(const SphereTreeNode& parent, const Vector3& center, std::span<const Piece> pieces) const {
    SphereTreeNode best;
    best.sphere = ball_about(parent.sphere.center, pieces, error_);
    // The parent's ball holds the pieces' triangles there; rounding must not make the child larger.
    best.sphere.radius = std::min(best.sphere.radius, parent.sphere.radius);
    best.stand_off = stand_off(best.sphere.radius, solid_.height(best.sphere.center));
    for (const BoundingSphere& ball : {ball_about(center, pieces, error_), ball_around(pieces, error_)}) {
      const double other = stand_off(ball.radius, solid_.height(ball.center));
      if (other > best.stand_off || (other == best.stand_off && ball.radius >= best.sphere.radius)) continue;
      best.sphere = ball;
      best.stand_off = other;
    }
    return best;
  }

  /// Those of the medial spheres that hold the middle of a piece.
  std::vector<std::uint32_t> medial_near(std::span<const std::uint32_t> medial, std::span<const Piece> pieces) const {
    std::vector<std::uint32_t> near;
    for (const std::uint32_t i : medial) {
      const BoundingSphere& sphere = medial_[i].sphere;
      const double squared = sphere.radius * sphere.radius;
      const bool holds_one = std::any_of(pieces.begin(), pieces.end(), [&](const Piece& piece) {
        return (piece.middle() - sphere.center).squaredNorm() <= squared;
      });
      if (holds_one) near.push_back(i);
    }
    return near;
  }

  const Solid& solid_;
  const SphereTreeOptions& options_;
  double error_;
  std::vector<MedialSphere> medial_;
};

}  // namespace
}  // namespace spheres

SphereTree build_sphere_tree(const Mesh& mesh, const SphereTreeOptions& options) {
  spheres::check_option(options.depth, 1, 10, "depth");
  spheres::check_option(options.branching, 2, 64, "branching");
  spheres::check_option(options.samples, 16, 1'000'000, "samples");
  spheres::check_option(options.pieces, 16, 10'000'000, "pieces");
  if (!(options.good_enough >= 0) || !std::isfinite(options.good_enough)) {
    throw Error("build_sphere_tree: good_enough must be a number from 0");
  }
  const AxisBox box = mesh.bounds();
  const double largest = std::max(volumes::largest_entry(box.lower), volumes::largest_entry(box.upper));
  // Squares of lengths do not vanish then, and the spheres are within largest_coordinate.
  if (!(largest >= 1e-88 && largest <= 1e88)) {
    throw Error(
        "build_sphere_tree: the mesh's largest coordinate is not from 1e-88 to 1e88; use another unit of length");
  }
  const spheres::Solid solid(mesh);
  switch (options.method) {
    case SphereTreeMethod::octree:
      return spheres::build_octree(solid, options.depth, options.good_enough, false);
    case SphereTreeMethod::solid_octree:
      return spheres::build_octree(solid, options.depth, options.good_enough, true);
    case SphereTreeMethod::grid:
    case SphereTreeMethod::merge:
      return spheres::Builder(solid, options).build();
  }
  throw Error("build_sphere_tree: the method is none of SphereTreeMethod");
}

std::vector<std::uint32_t> SphereTree::cut(int level) const {
  if (level < 0) throw Error("SphereTree: level " + std::to_string(level) + " is negative; the root is level 0");
  std::vector<std::uint32_t> result;
  if (nodes.empty()) return result;
  const int last = std::min(level, depth());
  for (std::uint32_t i = 0; i < level_begin[static_cast<std::size_t>(last) + 1]; ++i) {
    if (i >= level_begin[static_cast<std::size_t>(last)] || nodes[i].child_count == 0) result.push_back(i);
  }
  return result;
}

std::vector<BoundingSphere> SphereTree::spheres(int level) const {
  std::vector<BoundingSphere> result;
  for (const std::uint32_t i : cut(level))
    result.push_back(nodes[i].sphere);
  return result;
}

}  // namespace whisker
