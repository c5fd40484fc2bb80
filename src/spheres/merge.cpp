#include "spheres/merge.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <queue>

#include <whisker/mesh_report.hpp>

#include "volumes/smallest_ball.hpp"

namespace whisker::spheres {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
/// All pairs are looked at once no more than this many times the spheres asked for are left.
constexpr std::size_t all_pairs_from = 3;
/// A sphere keeps this many of its neighbours, the nearest: otherwise few spheres would soon have very many.
constexpr std::size_t most_neighbors = 12;

struct Cluster {
  std::vector<std::uint32_t> pieces;
  std::vector<std::uint32_t> points;  // numbers of the pieces' corners, each once, ascending
  BoundingSphere sphere;
  double height = 0;  // at least the signed distance of the centre
  double error = 0;   // the stand-off
  std::vector<std::uint32_t> neighbors;
  bool alive = true;
};

struct Candidate {
  double error;
  std::uint32_t a, b;
  /// The one with the least error first, then with the lowest numbers.
  bool operator<(const Candidate& other) const {
    if (error != other.error) return error > other.error;
    return a != other.a ? a > other.a : b > other.b;
  }
};

class Merger {
 public:
  Merger(const Solid& solid, std::span<const Piece> pieces, double halving_error)
      : solid_(solid), pieces_(pieces), error_(halving_error) {
    // Neighbouring pieces share their corners.
    std::vector<Vector3> corners;
    for (const Piece& piece : pieces)
      corners.insert(corners.end(), piece.corners.begin(), piece.corners.end());
    const std::vector<std::uint32_t> first = first_at_position(corners);
    std::vector<std::uint32_t> number(corners.size());
    for (std::uint32_t i = 0; i < corners.size(); ++i) {
      if (first[i] == i) {
        number[i] = static_cast<std::uint32_t>(positions_.size());
        positions_.push_back(corners[i]);
      }
      corner_numbers_.push_back(number[first[i]]);
    }
  }

  std::vector<BoundingSphere> run(std::span<const MedialSphere> medial, std::span<const std::uint32_t> chosen,
                                  std::size_t count) {
    begin(medial, chosen);
    if (clusters_.empty()) return {};
    add_initial_candidates();
    while (alive_ > count) {
      if (!all_pairs_ && alive_ <= all_pairs_from * count) join_all();
      merge(next_pair());
    }
    drop_redundant();
    std::vector<BoundingSphere> result;
    for (const Cluster& cluster : clusters_) {
      if (cluster.alive) result.push_back(cluster.sphere);
    }
    return result;
  }

 private:
  void begin(std::span<const MedialSphere> medial, std::span<const std::uint32_t> chosen) {
    std::vector<std::vector<std::uint32_t>> owned(chosen.size());
    for (std::uint32_t p = 0; p < pieces_.size() && !chosen.empty(); ++p) {
      // The sphere that the piece lies deepest in, or that must grow least: both have the least of |p - c| - r.
      std::size_t best = 0;
      double least = infinity;
      const Vector3 middle = pieces_[p].middle();
      for (std::size_t k = 0; k < chosen.size(); ++k) {
        const BoundingSphere& sphere = medial[chosen[k]].sphere;
        const double growth = (middle - sphere.center).norm() - sphere.radius;
        if (growth < least) {
          best = k;
          least = growth;
        }
      }
      owned[best].push_back(p);
    }
    std::vector<std::uint32_t> number(medial.size(), ~std::uint32_t{0});
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      if (owned[k].empty()) continue;
      const MedialSphere& from = medial[chosen[k]];
      number[chosen[k]] = static_cast<std::uint32_t>(clusters_.size());
      Cluster cluster;
      cluster.pieces = std::move(owned[k]);
      cluster.neighbors = from.neighbors;
      for (const std::uint32_t p : cluster.pieces) {
        for (std::size_t i = 0; i < 3; ++i)
          cluster.points.push_back(corner_numbers_[3 * p + i]);
      }
      std::sort(cluster.points.begin(), cluster.points.end());
      cluster.points.erase(std::unique(cluster.points.begin(), cluster.points.end()), cluster.points.end());
      const BoundingSphere kept{from.sphere.center, radius_about(from.sphere.center, cluster.points)};
      set_better(cluster, kept, from.height);
      set_better(cluster, smallest(cluster.points));
      clusters_.push_back(std::move(cluster));
    }
    for (Cluster& cluster : clusters_) {
      for (std::uint32_t& neighbor : cluster.neighbors)
        neighbor = number[neighbor];
      std::erase(cluster.neighbors, ~std::uint32_t{0});
    }
    alive_ = clusters_.size();
  }

  // The radii here are right up to rounding, which is enough to compare spheres by. What the spheres hold is decided
  // with care when the pieces are dealt out to them.
  double radius_about(const Vector3& center, std::span<const std::uint32_t> points) const {
    double squared = 0;
    for (const std::uint32_t p : points)
      squared = std::max(squared, (positions_[p] - center).squaredNorm());
    return std::sqrt(squared);
  }

  BoundingSphere smallest(std::span<const std::uint32_t> points) {
    points_.clear();
    for (const std::uint32_t p : points)
      points_.push_back(positions_[p]);
    const Vector3 center = volumes::smallest_ball_center(points_);
    return {center, radius_about(center, points)};
  }

  void set_better(Cluster& cluster, const BoundingSphere& sphere) const {
    set_better(cluster, sphere, solid_.height(sphere.center));
  }
  /// Takes the sphere if it stands off less than the cluster's; the first in any case.
  void set_better(Cluster& cluster, const BoundingSphere& sphere, double height) const {
    const double error = stand_off(sphere.radius, height);
    if (cluster.sphere.radius > 0 && !(error < cluster.error)) return;
    cluster.sphere = sphere;
    cluster.height = height;
    cluster.error = error;
  }

  /// The sphere and the points of both, without pieces and neighbours.
  Cluster together(std::uint32_t a, std::uint32_t b) {
    Cluster result;
    const Cluster& x = clusters_[a];
    const Cluster& y = clusters_[b];
    result.points.reserve(x.points.size() + y.points.size());
    std::set_union(x.points.begin(), x.points.end(), y.points.begin(), y.points.end(),
                   std::back_inserter(result.points));
    set_better(result, smallest(result.points));
    for (const Cluster* old : {&x, &y})
      set_better(result, {old->sphere.center, radius_about(old->sphere.center, result.points)}, old->height);
    return result;
  }

  void add_candidate(std::uint32_t a, std::uint32_t b) {
    const Candidate candidate{together(a, b).error, std::min(a, b), std::max(a, b)};
    candidates_.push(candidate);
    if (best_of_.size() < clusters_.size()) best_of_.resize(clusters_.size(), {infinity, 0, 0});
    // Of the partners that a cluster has had, the best is kept; when that one is gone, the queue still has the others.
    for (const std::uint32_t i : {a, b}) {
      if (!is_open(best_of_[i]) || candidate.error < best_of_[i].error) best_of_[i] = candidate;
    }
  }

  bool is_open(const Candidate& candidate) const {
    return candidate.error < infinity && clusters_[candidate.a].alive && clusters_[candidate.b].alive;
  }

  void add_initial_candidates() {
    best_of_.assign(clusters_.size(), {infinity, 0, 0});
    for (std::uint32_t i = 0; i < clusters_.size(); ++i) {
      if (clusters_[i].neighbors.empty()) adopt(i);
    }
    for (std::uint32_t i = 0; i < clusters_.size(); ++i) {
      for (const std::uint32_t j : clusters_[i].neighbors) {
        // Each pair once: from the lower number, or from the only one of the two that knows of it.
        const auto& back = clusters_[j].neighbors;
        if (i < j || std::find(back.begin(), back.end(), i) == back.end()) add_candidate(i, j);
      }
    }
  }

  /// Gives a cluster without neighbours those that it overlaps; if there are none, any.
  void adopt(std::uint32_t i) {
    std::vector<std::uint32_t>& neighbors = clusters_[i].neighbors;
    for (const bool any : {false, true}) {
      for (std::uint32_t j = 0; j < clusters_.size(); ++j) {
        if (j != i && clusters_[j].alive && (any || overlaps(clusters_[i].sphere, clusters_[j].sphere)))
          neighbors.push_back(j);
      }
      if (!neighbors.empty()) break;
    }
    keep_nearest(neighbors, clusters_[i].sphere.center);
  }

  void keep_nearest(std::vector<std::uint32_t>& neighbors, const Vector3& center) const {
    if (neighbors.size() <= most_neighbors || all_pairs_) return;
    const auto far = [&](std::uint32_t i) { return (clusters_[i].sphere.center - center).squaredNorm(); };
    std::stable_sort(neighbors.begin(), neighbors.end(),
                     [&](std::uint32_t i, std::uint32_t j) { return far(i) < far(j); });
    neighbors.resize(most_neighbors);
  }

  void join_all() {
    all_pairs_ = true;
    std::vector<std::uint32_t> left;
    for (std::uint32_t i = 0; i < clusters_.size(); ++i) {
      if (clusters_[i].alive) left.push_back(i);
    }
    candidates_ = {};
    best_of_.assign(clusters_.size(), {infinity, 0, 0});
    for (const std::uint32_t i : left) {
      clusters_[i].neighbors = left;
      std::erase(clusters_[i].neighbors, i);
      for (const std::uint32_t j : left) {
        if (i < j) add_candidate(i, j);
      }
    }
  }

  Candidate next_pair() {
    std::uint32_t worst = 0;
    double error = -1;
    for (std::uint32_t i = 0; i < clusters_.size(); ++i) {
      if (clusters_[i].alive && clusters_[i].error > error) {
        worst = i;
        error = clusters_[i].error;
      }
    }
    if (is_open(best_of_[worst]) && best_of_[worst].error < error) return best_of_[worst];
    while (!candidates_.empty()) {
      const Candidate best = candidates_.top();
      candidates_.pop();
      if (is_open(best)) return best;
    }
    // Parts of the diagram that no edge joins.
    std::uint32_t other = 0;
    while (!clusters_[other].alive || other == worst)
      ++other;
    return {0, std::min(worst, other), std::max(worst, other)};
  }

  void merge(const Candidate& pair) {
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
      clusters_[old].points.clear();
    }
    std::erase_if(neighbors, [&](std::uint32_t i) { return !clusters_[i].alive; });
    std::sort(neighbors.begin(), neighbors.end());
    neighbors.erase(std::unique(neighbors.begin(), neighbors.end()), neighbors.end());
    keep_nearest(neighbors, both.sphere.center);
    clusters_.push_back(std::move(both));
    best_of_.resize(clusters_.size(), {infinity, 0, 0});
    if (clusters_[made].neighbors.empty()) adopt(made);
    const std::vector<std::uint32_t> partners = clusters_[made].neighbors;
    for (const std::uint32_t i : partners) {
      clusters_[i].neighbors.push_back(made);
      if (alive_ > 1) add_candidate(i, made);
    }
  }

  /// Drops the clusters all of whose pieces lie in spheres of others, which get the pieces; the worst first.
  void drop_redundant() {
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < clusters_.size(); ++i) {
      if (clusters_[i].alive) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t i, std::uint32_t j) { return clusters_[i].error > clusters_[j].error; });
    std::vector<std::uint32_t> takers;
    for (const std::uint32_t i : order) {
      takers.clear();
      for (const std::uint32_t p : clusters_[i].pieces) {
        const auto taker = std::find_if(order.begin(), order.end(), [&](std::uint32_t j) {
          return j != i && clusters_[j].alive && holds(clusters_[j].sphere, pieces_[p], error_);
        });
        if (taker == order.end()) break;
        takers.push_back(*taker);
      }
      if (takers.size() < clusters_[i].pieces.size()) continue;
      clusters_[i].alive = false;
      for (std::size_t k = 0; k < takers.size(); ++k)
        clusters_[takers[k]].pieces.push_back(clusters_[i].pieces[k]);
    }
  }

  const Solid& solid_;
  std::span<const Piece> pieces_;
  double error_;
  std::vector<Cluster> clusters_;
  std::size_t alive_ = 0;
  bool all_pairs_ = false;
  std::priority_queue<Candidate> candidates_;
  std::vector<Candidate> best_of_;
  std::vector<Vector3> positions_;             // of the corners
  std::vector<std::uint32_t> corner_numbers_;  // of each piece's three corners
  std::vector<Vector3> points_;
};

}  // namespace

std::vector<BoundingSphere> merge_spheres(const Solid& solid, std::span<const MedialSphere> medial,
                                          std::span<const std::uint32_t> chosen, std::span<const Piece> pieces,
                                          double halving_error, std::size_t count) {
  return Merger(solid, pieces, halving_error).run(medial, chosen, count);
}

}  // namespace whisker::spheres
