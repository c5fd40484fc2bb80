// Builds coarser levels by collapsing the edges whose surrounding planes move least: M. Garland, P. Heckbert, "Surface
// simplification using quadric error metrics" (1997). The hull of the remaining vertices is moved and scaled until it
// contains the original.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include <Eigen/Geometry>

#include "geometry/lists.hpp"
#include "methods/marching/hull_levels.hpp"
#include "shapes/internals.hpp"

namespace whisker::methods::marching {
namespace {

// The weighted sum of the squared distances of a point x from planes: xᵀ A x + 2 b·x + c.
struct Quadric {
  Matrix3 a = Matrix3::Zero();
  Vector3 b = Vector3::Zero();
  double c = 0;

  void add_plane(const Vector3& normal, double height, double weight) {
    a += weight * normal * normal.transpose();
    b -= weight * height * normal;
    c += weight * height * height;
  }
  void add(const Quadric& other) {
    a += other.a;
    b += other.b;
    c += other.c;
  }
  double error(const Vector3& x) const { return x.dot(a * x) + 2 * b.dot(x) + c; }
};

// A candidate collapse, ordered by its error, then by its vertices. It is outdated if one of its ends has changed
// since.
struct Collapse {
  double error;
  std::uint32_t keep, drop;
  std::uint32_t stamp;  // sum of the stamps of both ends, to detect changes

  friend auto operator<=>(const Collapse&, const Collapse&) = default;
};

class Simplifier {
 public:
  explicit Simplifier(const ConvexHull& hull) {
    center_ = hull.centroid();
    const Aabb box = hull.bounds();
    size_ = (box.upper - box.lower).maxCoeff();
    for (const Vector3& v : hull.vertices())
      position_.push_back((v - center_) / size_);
    quadric_.resize(position_.size());
    stamp_.assign(position_.size(), 0);
    around_.resize(position_.size());
    for (std::size_t f = 0; f < hull.face_count(); ++f) {
      const auto face = hull.face(f);
      const Vector3& normal = hull.planes()[f].normal;
      for (std::size_t i = 1; i + 1 < face.size(); ++i) {
        const std::array<std::uint32_t, 3> t = {face[0], face[i], face[i + 1]};
        const auto index = static_cast<std::uint32_t>(triangles_.size());
        const Vector3& p = position_[t[0]];
        const double area = (position_[t[1]] - p).cross(position_[t[2]] - p).norm() / 2;
        for (const std::uint32_t v : t) {
          quadric_[v].add_plane(normal, normal.dot(p), area);
          around_[v].push_back(index);
        }
        triangles_.push_back(t);
      }
    }
    alive_.assign(triangles_.size(), true);
    count_ = triangles_.size();
    for (std::uint32_t v = 0; v < position_.size(); ++v) {
      for (const std::uint32_t w : neighbors(v)) {
        if (v < w) propose(v, w);
      }
    }
  }

  // The corners of a simplification to about `target` triangles.
  std::vector<Vector3> reduce(std::size_t target) {
    while (count_ > target && !queue_.empty()) {
      const Collapse next = queue_.top();
      queue_.pop();
      if (around_[next.keep].empty() || around_[next.drop].empty()) continue;
      if (next.stamp != stamp_[next.keep] + stamp_[next.drop]) continue;
      collapse(next.keep, next.drop);
    }
    std::vector<Vector3> corners;
    for (std::size_t v = 0; v < position_.size(); ++v) {
      if (!around_[v].empty()) corners.push_back(center_ + size_ * position_[v]);
    }
    return corners;
  }

 private:
  // The neighbors of a vertex, ascending.
  std::vector<std::uint32_t> neighbors(std::uint32_t v) const {
    std::vector<std::uint32_t> result;
    for (const std::uint32_t t : around_[v]) {
      for (const std::uint32_t w : triangles_[t]) {
        if (w != v) result.push_back(w);
      }
    }
    geometry::sort_unique(result);
    return result;
  }

  // The best position for the merged vertex: the point of least error, or one of three candidate points if the quadric
  // does not determine it.
  Vector3 best_position(const Quadric& sum, std::uint32_t v, std::uint32_t w) const {
    const Vector3 middle = (position_[v] + position_[w]) / 2;
    const double span = (position_[v] - position_[w]).norm();
    const double trace = sum.a.trace();
    const Vector3 c0 = sum.a.col(0), c1 = sum.a.col(1), c2 = sum.a.col(2);
    const double determinant = c0.dot(c1.cross(c2));
    if (std::abs(determinant) > 1e-9 * trace * trace * trace) {
      const Vector3 r = -sum.b;
      const Vector3 solved = Vector3(r.dot(c1.cross(c2)), c0.dot(r.cross(c2)), c0.dot(c1.cross(r))) / determinant;
      if ((solved - middle).norm() <= 2 * span) return solved;
    }
    Vector3 best = middle;
    for (const Vector3& p : {position_[v], position_[w]}) {
      if (sum.error(p) < sum.error(best)) best = p;
    }
    return best;
  }

  void propose(std::uint32_t v, std::uint32_t w) {
    Quadric sum = quadric_[v];
    sum.add(quadric_[w]);
    const Vector3 at = best_position(sum, v, w);
    queue_.push({std::max(0.0, sum.error(at)), v, w, stamp_[v] + stamp_[w]});
  }

  void collapse(std::uint32_t keep, std::uint32_t drop) {
    // An edge of a closed surface may be collapsed if its ends have exactly two common neighbors (the link condition).
    const auto of_keep = neighbors(keep), of_drop = neighbors(drop);
    std::vector<std::uint32_t> common;
    std::set_intersection(of_keep.begin(), of_keep.end(), of_drop.begin(), of_drop.end(), std::back_inserter(common));
    if (common.size() != 2) return;
    quadric_[keep].add(quadric_[drop]);
    position_[keep] = best_position(quadric_[keep], keep, drop);
    for (const std::uint32_t t : around_[drop]) {
      auto& triangle = triangles_[t];
      if (std::find(triangle.begin(), triangle.end(), keep) != triangle.end()) {
        alive_[t] = false;
        --count_;
      } else {
        std::replace(triangle.begin(), triangle.end(), drop, keep);
        around_[keep].push_back(t);
      }
    }
    around_[drop].clear();
    const auto is_dead = [&](std::uint32_t t) { return !alive_[t]; };
    std::erase_if(around_[keep], is_dead);
    for (const std::uint32_t v : common)
      std::erase_if(around_[v], is_dead);
    ++stamp_[keep];
    for (const std::uint32_t v : neighbors(keep))
      propose(std::min(v, keep), std::max(v, keep));
  }

  Vector3 center_;
  double size_ = 1;
  std::vector<Vector3> position_;  // relative to the center, in units of the size
  std::vector<Quadric> quadric_;
  std::vector<std::uint32_t> stamp_;                // how often the vertex has changed
  std::vector<std::vector<std::uint32_t>> around_;  // triangles at a vertex; empty if the vertex is removed
  std::vector<std::array<std::uint32_t, 3>> triangles_;
  std::vector<bool> alive_;
  std::size_t count_ = 0;
  std::priority_queue<Collapse, std::vector<Collapse>, std::greater<>> queue_;  // the least on top
};

}  // namespace

void add_quadric_levels(std::vector<Level>& levels, const HullLevelOptions& options) {
  const MarchingHull finest = levels[0].hull;
  while (levels.size() < options.max_levels) {
    const MarchingHull below = levels.back().hull;
    const std::size_t count = triangle_count(below.hull());
    const auto target = static_cast<std::size_t>(options.decimation * static_cast<double>(count));
    if (target < std::max<std::size_t>(options.min_triangles, 4)) return;
    std::vector<Vector3> corners = Simplifier(below.hull()).reduce(target);
    const ConvexHull simple(corners);
    if (simple.dimension() != 3) return;
    // Move the centroid onto that of the level below, and scale about it.
    const Vector3 center = below.hull().centroid();
    const Vector3 move = center - simple.centroid();
    corners.assign(simple.vertices().begin(), simple.vertices().end());
    for (Vector3& v : corners)
      v += move;
    const std::optional<double> factor = bounding_factor(ConvexHull(corners), center, storage_of(finest));
    if (!factor) return;
    const std::optional<ConvexHull> outer = enclosing_hull(corners, center, *factor, storage_of(finest));
    if (!outer || triangle_count(*outer) >= count) return;
    // A level that deviates by more than the hull's own size is useless.
    const double deviation = deviation_from(*outer, finest);
    if (!(deviation <= storage_of(finest).extent)) return;
    const MarchingHull coarse(*outer);
    levels.back().parent = extremal_parents(below, coarse);
    levels.push_back({coarse, deviation, nearest_children(coarse, below), {}});
  }
}

}  // namespace whisker::methods::marching
