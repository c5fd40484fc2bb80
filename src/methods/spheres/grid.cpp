#include "methods/spheres/grid.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include <whisker/geometry/obb.hpp>

#include "spheres/simplex_search.hpp"

namespace whisker::methods {

using spheres::maximize;

namespace {

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
    Vector3 corner;
    std::array<std::int64_t, 3> cells;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto axis = static_cast<Eigen::Index>(i);
      corner[axis] = std::floor(least[axis]);
      const double extent = std::floor(most[axis]) - corner[axis] + 1;
      if (!(extent < 1e5)) return -1;
      cells[i] = static_cast<std::int64_t>(extent);
    }
    if (static_cast<double>(cells[0]) * static_cast<double>(cells[1]) * static_cast<double>(cells[2]) > max_cells)
      return -1;

    // Number the cells in use.
    number_.assign(static_cast<std::size_t>(cells[0] * cells[1] * cells[2]), -1);
    centers_.clear();
    const auto slot = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
      return static_cast<std::size_t>((x * cells[1] + y) * cells[2] + z);
    };
    const auto cell_of = [&](const Vector3& p, int i) {
      return static_cast<std::int64_t>(std::floor(p[i]) - corner[i]);
    };
    for (const Vector3& p : local_) {
      std::int32_t& number = number_[slot(cell_of(p, 0), cell_of(p, 1), cell_of(p, 2))];
      if (number >= 0) continue;
      number = static_cast<std::int32_t>(centers_.size());
      centers_.push_back(Vector3(std::floor(p[0]), std::floor(p[1]), std::floor(p[2])) + Vector3::Constant(0.5));
    }
    // Find the spheres that contain each point.
    inside_.assign(centers_.size(), {});
    around_.assign(local_.size(), {});
    for (std::size_t k = 0; k < local_.size(); ++k) {
      const Vector3& p = local_[k];
      for (std::int64_t x = std::max<std::int64_t>(0, cell_of(p, 0) - 1); x < std::min(cells[0], cell_of(p, 0) + 2);
           ++x) {
        for (std::int64_t y = std::max<std::int64_t>(0, cell_of(p, 1) - 1); y < std::min(cells[1], cell_of(p, 1) + 2);
             ++y) {
          for (std::int64_t z = std::max<std::int64_t>(0, cell_of(p, 2) - 1); z < std::min(cells[2], cell_of(p, 2) + 2);
               ++z) {
            const std::int32_t number = number_[slot(x, y, z)];
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

}  // namespace

std::vector<BoundingSphere> grid_spheres(std::span<const Piece> pieces, std::size_t count) {
  std::vector<Vector3> points;
  for (const Piece& piece : thinned(pieces, max_points))
    points.push_back(piece.middle());
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
    const Setting found = maximize([&](const Setting& setting) { return grid.choose(setting); },
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

}  // namespace whisker::methods
