#include "volumes/smallest_ball.hpp"

#include <array>
#include <bit>
#include <cstdint>

#include <Eigen/Geometry>

#include "geometry/constants.hpp"
#include "simd/set_bits.hpp"
#include "volumes/measure.hpp"

namespace whisker::volumes {

namespace {

struct Farthest {
  std::size_t index = 0;
  double squared = -1;
};

Farthest farthest_from(const Vector3& center, std::span<const Vector3> points, const PointFrame& frame) {
  Farthest result;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double squared = (frame.to_local(points[i]) - center).squaredNorm();
    if (squared > result.squared) result = {i, squared};
  }
  return result;
}

// The center of the smallest sphere through all of 1 to 4 points. With fewer than four points the center lies in their
// plane or on their line. If the points are not in general position, the result is meaningless and may not be finite.
Vector3 circumcenter(const std::array<Vector3, 4>& p, std::size_t count) {
  if (count == 1) return p[0];
  const Vector3 e = p[1] - p[0];
  if (count == 2) return p[0] + e / 2;
  const Vector3 f = p[2] - p[0];
  const Vector3 normal = e.cross(f);
  if (count == 3) {
    const Vector3 offset = f.squaredNorm() * normal.cross(e) - e.squaredNorm() * normal.cross(f);
    return p[0] + offset / (2 * normal.squaredNorm());
  }
  const Vector3 g = p[3] - p[0];
  const Vector3 offset = e.squaredNorm() * f.cross(g) + f.squaredNorm() * g.cross(e) + g.squaredNorm() * normal;
  return p[0] + offset / (2 * normal.dot(g));
}

struct Basis {
  std::array<Vector3, 5> points = {Vector3::Zero(), Vector3::Zero(), Vector3::Zero(), Vector3::Zero(), Vector3::Zero()};
  std::size_t count = 0;
};

struct Ball {
  Vector3 center = Vector3::Zero();
  double squared = infinity;  // squared distance of the farthest basis point
};

// Returns the smallest ball around the basis and reduces the basis to the points that span it.
Ball smallest_ball(Basis& basis) {
  Ball best;
  std::uint32_t best_subset = 0;
  for (std::uint32_t subset = 1; subset < (1u << basis.count); ++subset) {
    if (std::popcount(subset) > 4) continue;
    std::array<Vector3, 4> spanning;
    spanning.fill(Vector3::Zero());
    std::size_t count = 0;
    for (const unsigned i : simd::SetBits(subset))
      spanning[count++] = basis.points[i];
    const Vector3 center = circumcenter(spanning, count);
    double squared = 0;
    for (std::size_t i = 0; i < basis.count; ++i) {
      const double d = (basis.points[i] - center).squaredNorm();
      if (!(d <= squared)) squared = d;  // NaN stays and is rejected below
    }
    if (squared < best.squared) {
      best = {center, squared};
      best_subset = subset;
    }
  }
  Basis reduced;
  for (const unsigned i : simd::SetBits(best_subset))
    reduced.points[reduced.count++] = basis.points[i];
  basis = reduced;
  return best;
}

}  // namespace

Vector3 ritter_center(std::span<const Vector3> points) {
  const PointFrame frame(points);
  // Start from the two points farthest apart, among the pairs of points that are extreme along a coordinate axis.
  std::array<Vector3, 3> low;
  std::array<Vector3, 3> high;
  low.fill(frame.to_local(points[0]));
  high = low;
  for (const Vector3& point : points) {
    const Vector3 p = frame.to_local(point);
    for (int k = 0; k < 3; ++k) {
      const std::size_t i = static_cast<std::size_t>(k);
      if (p[k] < low[i][k]) low[i] = p;
      if (p[k] > high[i][k]) high[i] = p;
    }
  }
  std::size_t widest = 0;
  for (std::size_t i = 1; i < 3; ++i) {
    if ((high[i] - low[i]).squaredNorm() > (high[widest] - low[widest]).squaredNorm()) widest = i;
  }
  Vector3 center = (low[widest] + high[widest]) / 2;
  double radius = (high[widest] - center).norm();
  for (const Vector3& point : points) {
    const Vector3 p = frame.to_local(point);
    const double apart = (p - center).norm();
    if (!(apart > radius)) continue;
    const double grown = (radius + apart) / 2;
    center += (p - center) * ((grown - radius) / apart);
    radius = grown;
  }
  return frame.to_world(center);
}

Vector3 smallest_ball_center(std::span<const Vector3> points) {
  const PointFrame frame(points);
  Basis basis;
  basis.points[0] = frame.to_local(points[farthest_from(Vector3::Zero(), points, frame).index]);
  basis.count = 1;
  Ball ball{basis.points[0], 0};
  // The ball grows with every step, so no basis can repeat. A few steps suffice. The limit guards only against
  // rounding.
  constexpr int max_steps = 1000;
  for (int step = 0; step < max_steps; ++step) {
    const Farthest farthest = farthest_from(ball.center, points, frame);
    if (!(farthest.squared > ball.squared)) break;
    Basis next = basis;
    next.points[next.count++] = frame.to_local(points[farthest.index]);
    const Ball grown = smallest_ball(next);
    if (!(grown.squared > ball.squared)) break;
    ball = grown;
    basis = next;
  }
  return frame.to_world(ball.center);
}

}  // namespace whisker::volumes
