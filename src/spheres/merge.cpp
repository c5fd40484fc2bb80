// Covers a region with a few spheres that are merged from many.

#include <algorithm>
#include <iterator>

#include "geometry/constants.hpp"
#include "geometry/least_of.hpp"
#include "geometry/lists.hpp"
#include "spheres/merge_candidate.hpp"
#include "spheres/reduce.hpp"

namespace whisker::spheres {

namespace {

/// All pairs become candidates once at most this many times the requested number of spheres are left.
constexpr std::size_t all_pairs_from = 3;
/// A sphere keeps at most this many neighbors, the nearest ones. Otherwise a few spheres would soon have very many.
constexpr std::size_t max_neighbors = 12;

struct Cluster {
  std::vector<std::uint32_t> pieces;
  std::vector<std::uint32_t> corners;  // of the pieces, without duplicates, ascending
  Ball ball;
  std::vector<std::uint32_t> neighbors;
  MergeCandidate best = {};  // the best candidate that it is part of; it may have been closed since
  bool alive = true;
};

class Merger {
 public:
  explicit Merger(const Region& region) : region_(region) {}

  std::vector<BoundingSphere> run(std::span<const MedialSphere> medial, std::size_t count) {
    begin(medial);
    if (clusters_.empty()) return {};
    add_initial_candidates();
    while (alive_ > count) {
      if (!all_pairs_ && alive_ <= all_pairs_from * count) join_all();
      // Counting redundant spheres is expensive, and unnecessary while many are left.
      if (all_pairs_ && redundant().size() >= alive_ - count) break;
      merge(next_pair());
    }
    for (const std::uint32_t i : redundant())
      clusters_[i].alive = false;
    std::vector<BoundingSphere> result;
    for (const Cluster& cluster : clusters_) {
      if (cluster.alive) result.push_back(sphere_of(cluster.ball));
    }
    return result;
  }

 private:
  void begin(std::span<const MedialSphere> medial) {
    std::vector<Share> shares = medial_shares(region_, medial);
    std::vector<std::uint32_t> number(medial.size(), ~std::uint32_t{0});
    for (std::size_t k = 0; k < medial.size(); ++k) {
      if (shares[k].pieces.empty()) continue;
      number[k] = static_cast<std::uint32_t>(clusters_.size());
      Cluster& cluster = clusters_.emplace_back();
      cluster.corners = region_.corners_of(shares[k].pieces);
      cluster.pieces = std::move(shares[k].pieces);
      cluster.ball = shares[k].ball;
      cluster.neighbors = medial[k].neighbors;
    }
    for (Cluster& cluster : clusters_) {
      for (std::uint32_t& neighbor : cluster.neighbors)
        neighbor = number[neighbor];
      std::erase(cluster.neighbors, ~std::uint32_t{0});
    }
    alive_ = clusters_.size();
  }

  /// Returns the union of both clusters: ball and corners, without pieces and neighbors.
  Cluster together(std::uint32_t a, std::uint32_t b) const {
    Cluster result;
    const Cluster& x = clusters_[a];
    const Cluster& y = clusters_[b];
    result.corners.reserve(x.corners.size() + y.corners.size());
    std::set_union(x.corners.begin(), x.corners.end(), y.corners.begin(), y.corners.end(),
                   std::back_inserter(result.corners));
    result.ball = region_.smallest(result.corners);
    for (const Cluster* old : {&x, &y})
      result.ball = better(result.ball, region_.about(old->ball.center, old->ball.height, result.corners));
    return result;
  }

  void add_candidate(std::uint32_t a, std::uint32_t b) {
    const MergeCandidate candidate{together(a, b).ball.error, std::min(a, b), std::max(a, b)};
    candidates_.push(candidate);
    // Keep the best of all partners that a cluster has had. If that partner is gone, the queue still has the others.
    for (const std::uint32_t i : {a, b}) {
      MergeCandidate& best = clusters_[i].best;
      if (!is_open(best) || candidate.error < best.error) best = candidate;
    }
  }

  bool is_open(const MergeCandidate& candidate) const {
    return candidate.error < infinity && clusters_[candidate.a].alive && clusters_[candidate.b].alive;
  }

  void add_initial_candidates() {
    for (std::uint32_t i = 0; i < clusters_.size(); ++i) {
      if (clusters_[i].neighbors.empty()) adopt(i);
    }
    for (std::uint32_t i = 0; i < clusters_.size(); ++i) {
      for (const std::uint32_t j : clusters_[i].neighbors) {
        // Add each pair once: from the lower index, or from the only cluster of the two that lists the other.
        const auto& back = clusters_[j].neighbors;
        if (i < j || std::find(back.begin(), back.end(), i) == back.end()) add_candidate(i, j);
      }
    }
  }

  /// Gives a cluster without neighbors those that it overlaps. If it overlaps none, all clusters become its neighbors.
  void adopt(std::uint32_t i) {
    std::vector<std::uint32_t>& neighbors = clusters_[i].neighbors;
    for (const bool any : {false, true}) {
      for (std::uint32_t j = 0; j < clusters_.size(); ++j) {
        if (j != i && clusters_[j].alive &&
            (any || overlaps(sphere_of(clusters_[i].ball), sphere_of(clusters_[j].ball))))
          neighbors.push_back(j);
      }
      if (!neighbors.empty()) break;
    }
    keep_nearest(neighbors, clusters_[i].ball.center);
  }

  void keep_nearest(std::vector<std::uint32_t>& neighbors, const Vector3& center) const {
    if (neighbors.size() <= max_neighbors || all_pairs_) return;
    const auto far = [&](std::uint32_t i) { return (clusters_[i].ball.center - center).squaredNorm(); };
    std::ranges::stable_sort(neighbors, {}, far);
    neighbors.resize(max_neighbors);
  }

  std::vector<std::uint32_t> alive_clusters() const {
    std::vector<std::uint32_t> result;
    for (std::uint32_t i = 0; i < clusters_.size(); ++i) {
      if (clusters_[i].alive) result.push_back(i);
    }
    return result;
  }

  void join_all() {
    all_pairs_ = true;
    const std::vector<std::uint32_t> left = alive_clusters();
    candidates_ = {};
    for (const std::uint32_t i : left)
      clusters_[i].best = {};
    for (const std::uint32_t i : left) {
      clusters_[i].neighbors = left;
      std::erase(clusters_[i].neighbors, i);
      for (const std::uint32_t j : left) {
        if (i < j) add_candidate(i, j);
      }
    }
  }

  MergeCandidate next_pair() {
    const auto goodness = [&](std::uint32_t i) { return clusters_[i].alive ? -clusters_[i].ball.error : infinity; };
    const std::uint32_t worst = geometry::least_of(clusters_.size(), goodness).number;
    const MergeCandidate& improved = clusters_[worst].best;
    if (is_open(improved) && improved.error < clusters_[worst].ball.error) return improved;
    while (!candidates_.empty()) {
      const MergeCandidate best = candidates_.top();
      candidates_.pop();
      if (is_open(best)) return best;
    }
    // The remaining clusters belong to parts of the diagram that no edge connects.
    std::uint32_t other = 0;
    while (!clusters_[other].alive || other == worst)
      ++other;
    return {0, std::min(worst, other), std::max(worst, other)};
  }

  void merge(const MergeCandidate& pair) {
    Cluster both = together(pair.a, pair.b);
    clusters_[pair.a].alive = clusters_[pair.b].alive = false;
    --alive_;
    const auto made = static_cast<std::uint32_t>(clusters_.size());
    std::vector<std::uint32_t>& neighbors = both.neighbors;
    for (const std::uint32_t old : {pair.a, pair.b}) {
      both.pieces.insert(both.pieces.end(), clusters_[old].pieces.begin(), clusters_[old].pieces.end());
      neighbors.insert(neighbors.end(), clusters_[old].neighbors.begin(), clusters_[old].neighbors.end());
      clusters_[old].neighbors.clear();
      clusters_[old].pieces.clear();
      clusters_[old].corners.clear();
    }
    std::erase_if(neighbors, [&](std::uint32_t i) { return !clusters_[i].alive; });
    geometry::sort_unique(neighbors);
    keep_nearest(neighbors, both.ball.center);
    clusters_.push_back(std::move(both));
    if (clusters_[made].neighbors.empty()) adopt(made);
    const std::vector<std::uint32_t> partners = clusters_[made].neighbors;
    for (const std::uint32_t i : partners) {
      clusters_[i].neighbors.push_back(made);
      if (alive_ > 1) add_candidate(i, made);
    }
  }

  /// The clusters whose pieces all lie in the spheres of clusters that stay, the worst first.
  std::vector<std::uint32_t> redundant() const {
    std::vector<std::uint32_t> order = alive_clusters();
    std::ranges::stable_sort(
        order, [&](std::uint32_t i, std::uint32_t j) { return clusters_[i].ball.error > clusters_[j].ball.error; });
    // The number of spheres that contain each piece.
    std::vector<std::uint32_t> times(region_.piece_count(), 0);
    std::vector<std::vector<std::uint32_t>> held(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
      const BoundingSphere sphere = sphere_of(clusters_[order[k]].ball);
      for (std::uint32_t p = 0; p < region_.piece_count(); ++p) {
        if (!holds(sphere, region_.pieces()[p], region_.error())) continue;
        held[k].push_back(p);
        ++times[p];
      }
    }
    std::vector<std::uint32_t> result;
    for (std::size_t k = 0; k < order.size(); ++k) {
      const auto& own = clusters_[order[k]].pieces;
      // A cluster's own pieces are in its sphere up to rounding. Rounding must not let both spheres of a piece be
      // dropped.
      const auto others_hold = [&](std::uint32_t p) {
        return times[p] >= 2 || (times[p] == 1 && !std::binary_search(held[k].begin(), held[k].end(), p));
      };
      if (!std::ranges::all_of(held[k], others_hold) || !std::ranges::all_of(own, others_hold)) continue;
      for (const std::uint32_t p : held[k])
        --times[p];
      result.push_back(order[k]);
    }
    return result;
  }

  const Region& region_;
  std::vector<Cluster> clusters_;
  std::size_t alive_ = 0;
  bool all_pairs_ = false;
  MergeQueue candidates_;
};

}  // namespace

std::vector<BoundingSphere> merge_spheres(const Region& region, std::span<const MedialSphere> medial,
                                          std::size_t count) {
  return Merger(region).run(medial, count);
}

}  // namespace whisker::spheres
