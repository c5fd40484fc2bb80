#include "methods/spheres/grid_tree.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include <whisker/geometry/obb.hpp>

#include "geometry/lists.hpp"
#include "spheres/reduce.hpp"
#include "spheres/simplex_search.hpp"
#include "spheres/tree_growth.hpp"

namespace whisker::methods {

namespace {

using spheres::Ball;
using spheres::Branch;
using spheres::Piece;
using spheres::Region;
using spheres::Solid;

// --- covering a region with the cells of a grid ----------------------------------------------------------------

constexpr std::size_t max_points = 256;
constexpr std::size_t max_cells = 1'000'000;
constexpr int max_evaluations = 120;
constexpr double shrink = 0.9;
/// The search over rotation and shift finds only a local optimum, so a smaller grid may need fewer cells than a larger
/// one. The loop therefore ends only after this many sizes in a row need too many cells.
constexpr int max_failures = 6;
/// Squared radius of the sphere around a cell of size 1.
constexpr double cell_radius_squared = 0.75;

/// The rotation and shift of a grid: the rotation relative to the initial axes, as a vector along its axis whose length
/// is the tangent of half the angle (Cayley), and the shift in cells.
using Setting = Eigen::Matrix<double, 6, 1>;

Matrix3 turn(double x, double y, double z) {
  const double n = 1 / (1 + x * x + y * y + z * z);
  Matrix3 m;
  m << 1 + x * x - y * y - z * z, 2 * (x * y - z), 2 * (x * z + y),  //
      2 * (x * y + z), 1 - x * x + y * y - z * z, 2 * (y * z - x),   //
      2 * (x * z - y), 2 * (y * z + x), 1 - x * x - y * y + z * z;
  return n * m;
}

/// The cells of a grid that are needed to cover the points, chosen greedily.
class Grid {
 public:
  /// The points are relative to the corner of their region, in its axes.
  Grid(std::span<const Vector3> points, double size) : points_(points), size_(size) {}

  /// Chooses spheres. Returns the sum of the squared numbers of points that need each chosen sphere, or a negative
  /// number if there are too many cells.
  double choose(const Setting& setting) {
    const Matrix3 axes = turn(setting[0], setting[1], setting[2]);
    const Vector3 shift = setting.tail<3>();
    local_.clear();
    Vector3 least = Vector3::Constant(1e300);
    Vector3 most = -least;
    for (const Vector3& point : points_) {
      local_.push_back(axes * point / size_ + shift);
      least = least.cwiseMin(local_.back());
      most = most.cwiseMax(local_.back());
    }
    const Vector3 corner = least.array().floor();
    const Eigen::Array3d extent = most.array().floor() - corner.array() + 1;
    if (!(extent < 1e5).all() || extent.prod() > max_cells) return -1;
    const Cell cells = extent.cast<std::int64_t>();

    // Number the cells in use.
    number_.assign(static_cast<std::size_t>(cells.prod()), -1);
    centers_.clear();
    const auto slot = [&](const Cell& cell) {
      return static_cast<std::size_t>((cell[0] * cells[1] + cell[1]) * cells[2] + cell[2]);
    };
    const auto cell_of = [&](const Vector3& p) -> Cell {
      return (p.array().floor() - corner.array()).cast<std::int64_t>();
    };
    for (const Vector3& p : local_) {
      std::int32_t& number = number_[slot(cell_of(p))];
      if (number >= 0) continue;
      number = static_cast<std::int32_t>(centers_.size());
      centers_.push_back(p.array().floor() + 0.5);
    }
    // Find the spheres that contain each point.
    inside_.assign(centers_.size(), {});
    around_.assign(local_.size(), {});
    for (std::size_t k = 0; k < local_.size(); ++k) {
      const Vector3& p = local_[k];
      const Cell from = (cell_of(p) - 1).max(0), to = (cell_of(p) + 2).min(cells);
      for (std::int64_t x = from[0]; x < to[0]; ++x) {
        for (std::int64_t y = from[1]; y < to[1]; ++y) {
          for (std::int64_t z = from[2]; z < to[2]; ++z) {
            const std::int32_t number = number_[slot({x, y, z})];
            if (number < 0) continue;
            const auto cell = static_cast<std::size_t>(number);
            if ((centers_[cell] - p).squaredNorm() > cell_radius_squared) continue;
            inside_[cell].push_back(static_cast<std::uint32_t>(k));
            around_[k].push_back(static_cast<std::uint32_t>(cell));
          }
        }
      }
    }
    // Repeatedly choose the sphere with the most remaining points.
    counts_.clear();
    for (const auto& list : inside_)
      counts_.push_back(list.size());
    covered_.assign(local_.size(), 0);
    chosen_.clear();
    double metric = 0;
    while (true) {
      const auto best = std::max_element(counts_.begin(), counts_.end());
      if (*best == 0) break;
      const auto cell = static_cast<std::size_t>(best - counts_.begin());
      metric += static_cast<double>(*best) * static_cast<double>(*best);
      chosen_.push_back(axes.transpose() * (centers_[cell] - shift) * size_);
      for (const std::uint32_t k : inside_[cell]) {
        if (covered_[k] != 0) continue;
        covered_[k] = 1;
        for (const std::uint32_t other : around_[k])
          --counts_[other];
      }
    }
    return metric;
  }

  /// The centers of the spheres chosen by the last call.
  const std::vector<Vector3>& chosen() const { return chosen_; }

 private:
  using Cell = Eigen::Array<std::int64_t, 3, 1>;

  std::span<const Vector3> points_;
  double size_;
  std::vector<Vector3> local_;
  std::vector<std::int32_t> number_;
  std::vector<Vector3> centers_;
  std::vector<std::vector<std::uint32_t>> inside_, around_;
  std::vector<std::size_t> counts_;
  std::vector<std::uint8_t> covered_;
  std::vector<Vector3> chosen_;
};

/// Returns at most `count` spheres of one size, around the cells of a grid, that contain the middles of (up to 256 of)
/// the pieces. The cells shrink by a tenth at a time. For each size, a search over rotations and shifts of the grid
/// maximizes the sum of the squared numbers of points that need a sphere, so that few spheres have most of the points.
/// (The thesis prints "minimize" for that search.)
std::vector<BoundingSphere> grid_spheres(std::span<const Piece> pieces, std::size_t count) {
  std::vector<Vector3> points = geometry::mapped(thinned(pieces, max_points), &Piece::middle);
  const Obb box = fit_obb(points);
  const double longest = 2 * box.half.maxCoeff();
  if (!(longest > 0)) return {};
  for (Vector3& point : points)
    point = (box.axes.transpose() * (point - box.center) + box.half) / longest;

  const Setting steps{{0.2, 0.2, 0.2, 0.3, 0.3, 0.3}};
  std::vector<BoundingSphere> best;
  int failures = 0;
  for (double size = shrink; size > 1e-3 && failures < max_failures; size *= shrink) {
    Grid grid(points, size);
    const Setting found = spheres::maximize([&](const Setting& setting) { return grid.choose(setting); },
                                            Setting(Setting::Zero()), steps, max_evaluations);
    ++failures;
    if (grid.choose(found) < 0 || grid.chosen().size() > count) continue;
    failures = 0;
    best.clear();
    for (const Vector3& center : grid.chosen()) {
      best.push_back(
          {box.center + box.axes * (center * longest - box.half), std::sqrt(cell_radius_squared) * size * longest});
    }
  }
  return best;
}

// --- growing a tree ----------------------------------------------------------------------------------------------

/// A grid is better than halves if its children protrude by less than this fraction of their parent's protrusion.
constexpr double enough_better = 0.99;
/// A region is cut into at least this many pieces for each child that may share it.
constexpr std::size_t grid_pieces_per_child = 8;

class GridGrowth final : public spheres::TreeGrowth {
 public:
  GridGrowth(const Solid& solid, const SphereTreeOptions& options, bool is_hybrid)
      : TreeGrowth(solid, options, is_hybrid) {}

 private:
  std::vector<Branch> split(Branch& branch, int /*level*/) const override {
    branch.pieces = cut_further(std::move(branch.pieces), grid_pieces_per_child * count_);
    std::vector<Branch> children = dealt(branch, grid_spheres(branch.pieces, count_));
    if (children.size() < 2 || worst_of(children) > enough_better * branch.fit.protrusion) {
      std::vector<Branch> other = dealt(branch, halves_of(branch));
      if (children.size() < 2 || worst_of(other) < worst_of(children)) children = std::move(other);
    }
    return if_better(std::move(children), branch);
  }

  std::vector<BoundingSphere> halves_of(const Branch& branch) const {
    const Region region(solid_, branch.pieces);
    const std::vector<std::uint32_t> all = geometry::numbers_below(branch.pieces.size());
    return geometry::mapped(halved(region, all, count_), [](const Ball& ball) { return sphere_of(ball); });
  }

  /// Distributes the pieces among the spheres, and fits a child to each share.
  std::vector<Branch> dealt(const Branch& parent, std::span<const BoundingSphere> spheres) const {
    std::vector<Branch> children;
    if (spheres.empty()) return children;
    double mean = 0;
    for (const BoundingSphere& sphere : spheres)
      mean += sphere.radius / static_cast<double>(spheres.size());
    // Not far below the region's own size, because the spheres may have been found for only a few of its points.
    const double shortest = std::max(mean / 8, parent.fit.sphere.radius / 32);
    std::vector<std::vector<Piece>> shares = deal(parent.pieces, spheres, error_, shortest);
    for (std::size_t i = 0; i < spheres.size(); ++i) {
      if (shares[i].empty()) continue;
      Branch child;
      child.pieces = std::move(shares[i]);
      const Vector3 centers[] = {spheres[i].center};
      if (has_least_error_) {
        child.fit = solid_.fitted(ball_around(child.pieces, error_));
        child.min_error = min_error(parent.min_error, centers, child.pieces);
      } else {
        child.fit = best_about(parent.fit, centers, child.pieces);
      }
      children.push_back(std::move(child));
    }
    return children;
  }

  /// Like best_about, but also searches for a center.
  FittedSphere min_error(const FittedSphere& parent, std::span<const Vector3> centers,
                         std::span<const Piece> pieces) const {
    const FittedSphere fit = best_about(parent, centers, pieces);
    const Region region(solid_, pieces);
    const std::vector<std::uint32_t> corners = region.all_corners();
    const Ball start = region.about(fit.sphere.center, corners);
    constexpr int evaluations = 150;
    const Vector3 found[] = {region.min_error(start, corners, evaluations).center, fit.sphere.center};
    return best_about(parent, found, pieces);
  }
};

}  // namespace

SphereTree build_grid_tree(const Solid& solid, const SphereTreeOptions& options) {
  return GridGrowth(solid, options, false).build();
}

SphereTree build_hybrid_tree(const Solid& solid, const SphereTreeOptions& options) {
  return GridGrowth(solid, options, true).build();
}

}  // namespace whisker::methods
