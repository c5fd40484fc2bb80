#include "deform/contour.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

namespace whisker::deform {
namespace {

double cross(const Vector2& p, const Vector2& q) {
  return p[0] * q[1] - p[1] * q[0];
}

/// Points of the plane, each coordinate off by at most `error`.
struct Rough {
  double error;

  /// +1 or -1 if c is certainly left or right of the line from a to b, else 0. The differences are off by 2 errors and
  /// their rounding, so each product by less than 8 errors times the larger of them.
  int side(const Vector2& a, const Vector2& b, const Vector2& c) const {
    const Vector2 u = b - a, v = c - a;
    const double size = std::max(u.cwiseAbs().maxCoeff(), v.cwiseAbs().maxCoeff()) + 2 * error;
    const double bound = 32 * error * size + 0x1p-49 * size * size;
    const double value = cross(u, v);
    return value > bound ? 1 : value < -bound ? -1 : 0;
  }
  /// Whether the segments ab and cd certainly share no point.
  bool are_apart(const Vector2& a, const Vector2& b, const Vector2& c, const Vector2& d) const {
    return side(a, b, c) * side(a, b, d) > 0 || side(c, d, a) * side(c, d, b) > 0;
  }
  /// Whether the segments ab and bc certainly share b alone.
  bool go_on(const Vector2& a, const Vector2& b, const Vector2& c) const {
    if (side(a, b, c) != 0) return true;
    const Vector2 u = a - b, v = c - b;
    const double size = std::max(u.cwiseAbs().maxCoeff(), v.cwiseAbs().maxCoeff()) + 2 * error;
    return u.dot(v) < -(32 * error * size + 0x1p-49 * size * size);
  }
};

}  // namespace

void ContourTest::clear(const Vector3& origin, double scale) {
  origin_ = origin;
  scale_ = scale;
  area_ = Vector3::Zero();
  points_.clear();
  ends_.clear();
}

void ContourTest::add_loop(std::span<const Vector3> vertices, std::span<const std::uint32_t> loop) {
  const std::size_t first = points_.size();
  for (const std::uint32_t v : loop)
    points_.push_back((vertices[v] - origin_) * scale_);
  for (std::size_t i = first; i < points_.size(); ++i)
    area_ += points_[i].cross(points_[i + 1 < points_.size() ? i + 1 : first]) / 2;
  ends_.push_back(points_.size());
}

bool ContourTest::is_simple(const std::array<int, 3>& direction) {
  // Two vectors square to the direction and to each other, so that from first to second is counter-clockwise.
  const Vector3 v(direction[0], direction[1], direction[2]);
  int least = 0;
  v.cwiseAbs().minCoeff(&least);
  const Vector3 along = v.cross(Vector3::Unit(least)), up = v.cross(along);
  flat_.resize(points_.size());
  double reach = 0;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    flat_[i] = {along.dot(points_[i]), up.dot(points_[i])};
    reach = std::max(reach, points_[i].cwiseAbs().maxCoeff());
  }
  // A difference from the origin is off by half a unit of itself; sums of three, of numbers up to 6, by no more than 64
  // halves of units of the largest.
  const Rough rough{64 * 0x1p-53 * 6 * reach + 0x1p-500};
  edges_.clear();
  std::size_t positive = 0;
  for (std::size_t k = 0, first = 0; k < ends_.size(); first = ends_[k++]) {
    const std::size_t end = ends_[k];
    if (end - first < 3) return false;
    double area = 0;
    for (std::size_t i = first; i < end; ++i) {
      const std::size_t next = i + 1 < end ? i + 1 : first;
      const Vector2 &p = flat_[i], &q = flat_[next];
      area += cross(p, q);
      edges_.push_back({std::min(p[0], q[0]), std::max(p[0], q[0]), std::min(p[1], q[1]), std::max(p[1], q[1]),
                        static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(next)});
      const std::size_t after = next + 1 < end ? next + 1 : first;
      if (!rough.go_on(p, q, flat_[after])) return false;
    }
    // Coordinates are no larger than 18 times the reach; each product is off by no more than four errors times that and
    // its rounding, and the sum by its own.
    const double size = 18 * reach, count = static_cast<double>(end - first);
    const double bound = count * (8 * rough.error * size + (4 + count) * 0x1p-52 * size * size);
    if (!(std::abs(area) > bound)) return false;
    if (area > 0) ++positive;
  }
  if (positive != 1) return false;
  // A sweep along x.
  std::sort(edges_.begin(), edges_.end(), [](const Edge& p, const Edge& q) { return p.low < q.low; });
  const double error = 2 * rough.error;
  for (std::size_t i = 0; i < edges_.size(); ++i) {
    const Edge& p = edges_[i];
    for (std::size_t j = i + 1; j < edges_.size() && edges_[j].low <= p.high + error; ++j) {
      const Edge& q = edges_[j];
      if (q.bottom > p.top + error || q.top < p.bottom - error || p.to == q.from || q.to == p.from) continue;
      if (!rough.are_apart(flat_[p.from], flat_[p.to], flat_[q.from], flat_[q.to])) return false;
    }
  }
  return true;
}

}  // namespace whisker::deform
