#include "methods/spheres/hubbard.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include "geometry/constants.hpp"
#include "geometry/least_of.hpp"
#include "geometry/lists.hpp"
#include "shapes/sphere_data.hpp"
#include "spheres/merge_candidate.hpp"
#include "spheres/pieces.hpp"
#include "volumes/smallest_ball.hpp"

namespace whisker::methods {

using spheres::cut_surface;
using spheres::halving_error;
using spheres::max_halvings;
using spheres::MergeCandidate;
using spheres::Piece;

namespace {

/// The samples of the first attempt, the number of attempts, and the accepted relative deviation from the requested
/// number of balls.
constexpr std::size_t first_samples = 900;
constexpr int max_tries = 4;
constexpr double near_enough = 0.1;
/// Pieces that no medial ball contains are halved until they are shorter than this fraction of the longest piece.
constexpr double finest_piece = 0.25;

/// Enlarges the ball until it contains the samples and pieces.
BoundingSphere grown(BoundingSphere ball, const HubbardAxis& axis, std::span<const std::uint32_t> samples,
                     std::span<const Piece> pieces, double error) {
  for (const std::uint32_t i : samples)
    ball.radius = std::max(ball.radius, (axis.samples[i].point - ball.center).norm());
  ball.radius = std::max(ball.radius, ball_about(ball.center, pieces, error).radius);
  return ball;
}

/// Ritter's ball around samples and pieces.
BoundingSphere ritter(const HubbardAxis& axis, std::span<const std::uint32_t> samples, std::span<const Piece> pieces,
                      double error) {
  std::vector<Vector3> points = geometry::mapped(samples, [&](std::uint32_t i) { return axis.samples[i].point; });
  for (const Piece& piece : pieces)
    points.insert(points.end(), piece.corners.begin(), piece.corners.end());
  return grown({volumes::ritter_center(points), 0}, axis, samples, pieces, error);
}

/// Medial balls that were merged into one.
struct HubbardCluster {
  std::vector<std::uint32_t> balls;
  std::vector<std::uint32_t> samples;  // ascending
  BoundingSphere sphere;
  std::vector<std::uint32_t> neighbors;
  bool alive = true;
};

class HubbardMerger {
 public:
  explicit HubbardMerger(const HubbardAxis& axis) : axis_(axis) {}

  /// Merges the balls into at most `count` clusters.
  std::vector<HubbardCluster> run(std::span<const std::uint32_t> balls, std::size_t count) {
    std::vector<std::uint32_t> number(axis_.balls.size(), ~std::uint32_t{0});
    for (std::uint32_t k = 0; k < balls.size(); ++k) {
      number[balls[k]] = k;
      const HubbardAxis::MedialBall& ball = axis_.balls[balls[k]];
      HubbardCluster& cluster = clusters_.emplace_back();
      cluster.balls = {balls[k]};
      cluster.samples.assign(ball.samples.begin(), ball.samples.end());
      std::ranges::sort(cluster.samples);
      cluster.sphere = ball.sphere;
    }
    for (std::uint32_t k = 0; k < balls.size(); ++k) {
      for (const std::uint32_t next : axis_.balls[balls[k]].neighbors) {
        if (number[next] == ~std::uint32_t{0}) continue;
        clusters_[k].neighbors.push_back(number[next]);
        if (k < number[next]) add_candidate(k, number[next]);
      }
    }
    for (std::size_t left = clusters_.size(); left > count; --left)
      merge(next_pair());
    std::erase_if(clusters_, [](const HubbardCluster& cluster) { return !cluster.alive; });
    return std::move(clusters_);
  }

 private:
  void unite(std::uint32_t a, std::uint32_t b) {
    both_.clear();
    std::set_union(clusters_[a].samples.begin(), clusters_[a].samples.end(), clusters_[b].samples.begin(),
                   clusters_[b].samples.end(), std::back_inserter(both_));
  }

  void add_candidate(std::uint32_t a, std::uint32_t b) {
    unite(a, b);
    const BoundingSphere ball = ritter(axis_, both_, {}, 0);
    double error = 0;
    for (const std::uint32_t i : both_)
      error = std::max(error, reach_along_normal(ball, axis_.samples[i].point, axis_.normals[i]));
    candidates_.push({error, std::min(a, b), std::max(a, b)});
  }

  MergeCandidate next_pair() {
    for (;;) {
      while (!candidates_.empty()) {
        const MergeCandidate best = candidates_.top();
        candidates_.pop();
        if (clusters_[best.a].alive && clusters_[best.b].alive) return best;
      }
      join_nearest();
    }
  }

  /// Handles parts of the diagram that no edge connects, such as those of a mesh with several parts: makes each cluster
  /// and the one nearest to it neighbors.
  void join_nearest() {
    for (std::uint32_t i = 0; i < clusters_.size(); ++i) {
      if (!clusters_[i].alive) continue;
      const auto squared_distance = [&](std::uint32_t j) {
        if (j == i || !clusters_[j].alive) return infinity;
        return (clusters_[i].sphere.center - clusters_[j].sphere.center).squaredNorm();
      };
      const std::uint32_t nearest = geometry::least_of(clusters_.size(), squared_distance).number;
      clusters_[i].neighbors.push_back(nearest);
      clusters_[nearest].neighbors.push_back(i);
      add_candidate(i, nearest);
    }
  }

  void merge(const MergeCandidate& pair) {
    unite(pair.a, pair.b);
    HubbardCluster made;
    made.samples = both_;
    made.sphere = ritter(axis_, both_, {}, 0);
    for (const std::uint32_t old : {pair.a, pair.b}) {
      HubbardCluster& from = clusters_[old];
      made.balls.insert(made.balls.end(), from.balls.begin(), from.balls.end());
      made.neighbors.insert(made.neighbors.end(), from.neighbors.begin(), from.neighbors.end());
      from = {};
      from.alive = false;
    }
    std::erase_if(made.neighbors, [&](std::uint32_t i) { return !clusters_[i].alive; });
    geometry::sort_unique(made.neighbors);
    const auto number = static_cast<std::uint32_t>(clusters_.size());
    const std::vector<std::uint32_t> neighbors = made.neighbors;
    clusters_.push_back(std::move(made));
    for (const std::uint32_t i : neighbors) {
      clusters_[i].neighbors.push_back(number);
      add_candidate(i, number);
    }
  }

  const HubbardAxis& axis_;
  std::vector<HubbardCluster> clusters_;
  spheres::MergeQueue candidates_;
  std::vector<std::uint32_t> both_;
};

class Builder {
 public:
  Builder(const Solid& solid, const SphereTreeOptions& options, bool covers)
      : solid_(solid), options_(options), covers_(covers), error_(halving_error(solid.mesh())) {}

  SphereTree build() {
    const std::vector<Piece> pieces = cut_surface(solid_.mesh(), static_cast<std::size_t>(options_.pieces));
    SphereTree tree;
    shapes::append_node(tree, node_of(ritter(axis_, {}, pieces, error_)));
    const double good_enough = options_.good_enough * tree.nodes[0].sphere.radius;
    std::vector<Region> regions(1);  // by node: the medial balls that were merged into it
    if (tree.nodes[0].protrusion > good_enough) {
      axis_ = hubbard_axis_for(solid_, options_);
      owned_.resize(axis_.balls.size());
      if (covers_ && !axis_.balls.empty()) give(pieces);
      regions[0] = geometry::numbers_below(axis_.balls.size());
    }
    for (int level = 0; level < options_.depth && level <= tree.depth(); ++level) {
      const std::uint32_t end = tree.level_begin.back();
      for (std::uint32_t n = tree.level_begin[static_cast<std::size_t>(level)]; n < end; ++n) {
        if (tree.nodes[n].protrusion <= good_enough) continue;
        Children children = split(std::exchange(regions[n], {}));
        if (children.size() < 2) continue;
        for (auto& [node, own] : children) {
          node.parent = n;
          shapes::append_node(tree, node);
          regions.push_back(std::move(own));
        }
      }
    }
    return tree;
  }

 private:
  using Region = std::vector<std::uint32_t>;
  using Children = std::vector<std::pair<SphereTreeNode, Region>>;

  /// Gives each piece to a ball through its nearest sample: the ball that contains it most deeply, or that it sticks
  /// out of least. Whatever the ball is merged into, that sample is in the sphere, and the piece is near it.
  void give(std::vector<Piece> pieces) {
    const double shortest =
        geometry::greatest_of(pieces, [](const Piece& piece) { return finest_piece * longest_edge(piece); });
    std::vector<std::vector<std::uint32_t>> through(axis_.samples.size());
    for (std::uint32_t i = 0; i < axis_.balls.size(); ++i) {
      for (const std::uint32_t sample : axis_.balls[i].samples)
        through[sample].push_back(i);
    }
    while (!pieces.empty()) {
      const Piece piece = pieces.back();
      pieces.pop_back();
      const Vector3 middle = piece.middle();
      const auto squared_distance = [&](std::uint32_t k) {
        return through[k].empty() ? infinity : (axis_.samples[k].point - middle).squaredNorm();
      };
      const std::vector<std::uint32_t>& near = through[geometry::least_of(through.size(), squared_distance).number];
      const geometry::Least best = geometry::least_of(near.size(), [&](std::uint32_t k) {
        const BoundingSphere& ball = axis_.balls[near[k]].sphere;
        return reach(ball.center, piece, error_) - ball.radius;
      });
      if (best.value > 0 && longest_edge(piece) > shortest && piece.halvings < max_halvings) {
        const std::array<Piece, 2> parts = halves(piece);
        pieces.insert(pieces.end(), parts.begin(), parts.end());
      } else {
        owned_[near[best.number]].push_back(piece);
      }
    }
  }

  SphereTreeNode node_of(const BoundingSphere& sphere) const {
    return {.sphere = sphere, .protrusion = solid_.protrusion(sphere)};
  }

  Children split(const Region& region) const {
    Children children;
    for (HubbardCluster& cluster : HubbardMerger(axis_).run(region, static_cast<std::size_t>(options_.branching))) {
      std::vector<Piece> pieces;
      for (const std::uint32_t i : cluster.balls)
        pieces.insert(pieces.end(), owned_[i].begin(), owned_[i].end());
      if (covers_ && pieces.empty()) continue;
      SphereTreeNode best = node_of(grown(cluster.sphere, axis_, {}, pieces, error_));
      if (best.sphere.radius > cluster.sphere.radius) {
        const SphereTreeNode other = node_of(ritter(axis_, cluster.samples, pieces, error_));
        if (other.protrusion < best.protrusion) best = other;
      }
      children.emplace_back(best, std::move(cluster.balls));
    }
    return children;
  }

  const Solid& solid_;
  const SphereTreeOptions& options_;
  bool covers_;
  double error_;
  HubbardAxis axis_;
  std::vector<std::vector<Piece>> owned_;  // by medial ball
};

}  // namespace

double reach_along_normal(const BoundingSphere& ball, const Vector3& point, const Vector3& normal) {
  const Vector3 to_center = ball.center - point;
  const double above = normal.dot(to_center);
  const double aside = std::max(0.0, to_center.squaredNorm() - above * above);
  return std::sqrt(std::max(0.0, ball.radius * ball.radius - aside)) + above;
}

HubbardAxis hubbard_axis_for(const Solid& solid, const SphereTreeOptions& options) {
  const PlanarClusters clusters(solid.mesh());
  const auto with = [&](std::size_t samples) {
    return hubbard_axis(solid, clusters, sample_evenly(solid.mesh(), clusters, samples, options.seed), {samples});
  };
  if (options.samples != SphereTreeOptions{}.samples) return with(static_cast<std::size_t>(options.samples));
  HubbardAxis best;
  double least = infinity;
  auto samples = static_cast<double>(first_samples);
  for (int i = 0; i < max_tries; ++i) {
    HubbardAxis axis = with(static_cast<std::size_t>(samples));
    const double share = static_cast<double>(axis.balls.size()) / static_cast<double>(hubbard_balls);
    if (std::abs(share - 1) < least) {
      least = std::abs(share - 1);
      best = std::move(axis);
    }
    // A solid without an interior has no medial balls, regardless of the samples.
    if (share == 0 || std::abs(share - 1) <= near_enough) break;
    samples = std::max(16.0, samples / std::max(share, 0.5));
  }
  return best;
}

SphereTree build_hubbard(const Solid& solid, const SphereTreeOptions& options) {
  SphereTree tree = Builder(solid, options, true).build();
  if (options.progress) options.progress(1, 1);
  return tree;
}

SphereTree build_hubbard_of_samples(const Solid& solid, const SphereTreeOptions& options) {
  return Builder(solid, options, false).build();
}

}  // namespace whisker::methods
