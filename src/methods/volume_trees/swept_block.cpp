// Lower bounds on the distance of two cores. Every direction n gives a bound: |n| d >= n·(center b - center a) minus
// the extents of the cores along n. The directions come from E. G. Gilbert's iteration (1966) toward the nearest point
// of the Minkowski difference, which needs only those extents, and from the cores' normals. The best bound is used.

#include <Eigen/Geometry>

#include "methods/volume_trees/volume_blocks.hpp"

namespace whisker::methods::volume_trees {

namespace {

using Three = Eigen::Vector3f;

// In a fixed order, which Eigen's product does not have.
inline float dot(const Three& a, const Three& b) {
  return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

template <std::size_t Arms>
struct LaneCore {
  Three center;
  std::array<Three, Arms> arm;
};

// The point of the core, relative to its center, that is farthest along n.
template <bool is_triangle, std::size_t Arms>
Three farthest(const LaneCore<Arms>& core, const Three& n) {
  if constexpr (is_triangle) {
    const float e = dot(core.arm[0], n);
    const float f = dot(core.arm[1], n);
    const float s = e > 0 && e >= f ? 1.0f : 0.0f;
    const float t = f > 0 && f > e ? 1.0f : 0.0f;
    return s * core.arm[0] + t * core.arm[1];
  } else {
    Three sum = Three::Zero();
    for (const Three& arm : core.arm)
      sum += (dot(arm, n) < 0 ? -1.0f : 1.0f) * arm;
    return sum;
  }
}

// The extent of a core along n, from its center.
template <bool is_triangle, std::size_t Arms>
float reach_along(const LaneCore<Arms>& core, const Three& n) {
  if constexpr (is_triangle) {
    return std::max(0.0f, std::max(dot(core.arm[0], n), dot(core.arm[1], n)));
  } else {
    float sum = 0;
    for (const Three& arm : core.arm)
      sum += std::abs(dot(arm, n));
    return sum;
  }
}

constexpr int gilbert_steps = 8;
constexpr float shortest = 0x1p-40f;  // shortest direction whose squared length is still accurate

// Lower bound on the distance of the cores, minus the slack. May be negative.
template <bool is_triangle, std::size_t Arms>
float core_gap(const LaneCore<Arms>& a, const LaneCore<Arms>& b, float slack) {
  const Three between = b.center - a.center;
  float best = 0;
  const auto look_along = [&](const Three& n) {
    const float length = std::sqrt(dot(n, n));
    const float gap = dot(n, between) - reach_along<is_triangle>(a, n) - reach_along<is_triangle>(b, -n);
    const float bound = gap / std::max(length, shortest) - slack;
    best = std::max(best, length > shortest ? bound : 0.0f);
  };
  const auto look_both_ways = [&](const Three& n) {
    look_along(n);
    look_along(-n);
  };
  if constexpr (Arms == 2) {
    look_both_ways(a.arm[0].cross(a.arm[1]));
    look_both_ways(b.arm[0].cross(b.arm[1]));
  }
  Three v = between;
  if constexpr (is_triangle) {
    // Start from the centroids, not from the corners.
    v += 0.33333333f * ((b.arm[0] + b.arm[1]) - (a.arm[0] + a.arm[1]));
  }
  for (int step = 0; step < gilbert_steps; ++step) {
    look_along(v);
    // Find the point of b - a that is nearest along v, then the point on the way there that is nearest to 0.
    const Three w = (between - farthest<is_triangle>(a, v)) + farthest<is_triangle>(b, -v);
    const Three way = w - v;
    const float squared = dot(way, way);
    const float t = squared > 0 ? std::min(1.0f, std::max(0.0f, -dot(v, way) / squared)) : 0.0f;
    v += t * way;
  }
  look_along(v);
  return best;
}

}  // namespace

template <class Swept>
void block_gaps(const SweptBlock<Swept>& a, const SweptBlock<Swept>& b, const BlockPair& pair, BlockGaps& gaps) {
  constexpr std::size_t arms = SweptBlock<Swept>::arm_count;
  constexpr bool is_triangle = SweptBlock<Swept>::is_triangle;
  const Lanes3 center = to_common(pair, b.center);
  std::array<Lanes3, arms> arm;
  for (std::size_t k = 0; k < arms; ++k)
    arm[k] = turned(pair, b.arm[k], pair.scale_b);
  const Lanes radius = scaled(b.radius, pair.scale_b);
  for (std::size_t i = 0; i < block_width; ++i) {
    const auto vector_of_a = [&](const Lanes3& lanes) {
      return Three{lanes[0][i] * pair.scale_a, lanes[1][i] * pair.scale_a, lanes[2][i] * pair.scale_a};
    };
    LaneCore<arms> core_a;
    core_a.center = vector_of_a(a.center);
    for (std::size_t k = 0; k < arms; ++k)
      core_a.arm[k] = vector_of_a(a.arm[k]);
    const float radius_a = a.radius[i] * pair.scale_a;
    for (std::size_t j = 0; j < block_width; ++j) {
      const auto vector_of_b = [&](const Lanes3& lanes) { return Three{lanes[0][j], lanes[1][j], lanes[2][j]}; };
      LaneCore<arms> core_b;
      core_b.center = vector_of_b(center);
      for (std::size_t k = 0; k < arms; ++k)
        core_b.arm[k] = vector_of_b(arm[k]);
      gaps[block_width * i + j] = (core_gap<is_triangle>(core_a, core_b, pair.slack) - radius_a) - radius[j];
    }
  }
}

template void block_gaps(const SegmentBlock&, const SegmentBlock&, const BlockPair&, BlockGaps&);
template void block_gaps(const TriangleBlock&, const TriangleBlock&, const BlockPair&, BlockGaps&);
template void block_gaps(const RectangleBlock&, const RectangleBlock&, const BlockPair&, BlockGaps&);

}  // namespace whisker::methods::volume_trees
