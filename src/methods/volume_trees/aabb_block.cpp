#include "methods/volume_trees/volume_blocks.hpp"

namespace whisker::methods::volume_trees {

namespace {

// The cross product of two edges. Parallel edges give none.
struct EdgeAxis {
  std::array<float, 3> along{};   // in a's axes
  std::array<float, 3> size_a{};  // factor of each half size of a box of a
  std::array<float, 3> size_b{};
  float inverse_length = 0;
};

constexpr float shortest_product = 0.1f;

}  // namespace

// In each of the two frames, the boxes are at least as far apart as one box and the AABB of the other: the root of the
// sum of the squared gaps along the three axes. The nine cross products of edges add single directions.
void block_gaps(const AabbBlock& a, const AabbBlock& b, const BlockPair& pair, BlockGaps& gaps) {
  const auto& r = pair.rotation;
  std::array<EdgeAxis, 9> edges;
  std::size_t edge_count = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t m = 0; m < 3; ++m) {
      const std::size_t k1 = (k + 1) % 3;
      const std::size_t k2 = (k + 2) % 3;
      EdgeAxis axis;
      axis.along[k1] = -r[k2][m];
      axis.along[k2] = r[k1][m];
      const float length = std::sqrt(r[k2][m] * r[k2][m] + r[k1][m] * r[k1][m]);
      if (length < shortest_product) continue;
      axis.inverse_length = 1 / length;
      for (std::size_t c = 0; c < 3; ++c) {
        axis.size_a[c] = std::abs(axis.along[c]);
        axis.size_b[c] = std::abs(axis.along[k1] * r[k1][c] + axis.along[k2] * r[k2][c]);
      }
      edges[edge_count++] = axis;
    }
  }

  const Lanes3 center = to_common(pair, b.center);
  Lanes3 half;
  for (std::size_t k = 0; k < 3; ++k)
    half[k] = scaled(b.half[k], pair.scale_b);
  Lanes3 around;  // b's boxes in a's axes
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t j = 0; j < block_width; ++j)
      around[k][j] = (std::abs(r[k][0]) * half[0][j] + std::abs(r[k][1]) * half[1][j]) + std::abs(r[k][2]) * half[2][j];
  }
  constexpr float unit = 1 - 0x1p-18f;  // axes are orthonormal up to this factor
  for (std::size_t i = 0; i < block_width; ++i) {
    std::array<float, 3> c;
    std::array<float, 3> h;
    for (std::size_t k = 0; k < 3; ++k) {
      c[k] = a.center[k][i] * pair.scale_a;
      h[k] = a.half[k][i] * pair.scale_a;
    }
    std::array<float, 3> around_a;  // a's box in b's axes
    for (std::size_t k = 0; k < 3; ++k)
      around_a[k] = ((std::abs(r[0][k]) * h[0] + std::abs(r[1][k]) * h[1]) + std::abs(r[2][k]) * h[2]) + pair.slack;
    for (std::size_t j = 0; j < block_width; ++j) {
      const float x = center[0][j] - c[0];
      const float y = center[1][j] - c[1];
      const float z = center[2][j] - c[2];
      const float ax = std::max(0.0f, std::abs(x) - h[0] - around[0][j] - pair.slack);
      const float ay = std::max(0.0f, std::abs(y) - h[1] - around[1][j] - pair.slack);
      const float az = std::max(0.0f, std::abs(z) - h[2] - around[2][j] - pair.slack);
      const float bx = std::max(0.0f, std::abs(x * r[0][0] + y * r[1][0] + z * r[2][0]) - half[0][j] - around_a[0]);
      const float by = std::max(0.0f, std::abs(x * r[0][1] + y * r[1][1] + z * r[2][1]) - half[1][j] - around_a[1]);
      const float bz = std::max(0.0f, std::abs(x * r[0][2] + y * r[1][2] + z * r[2][2]) - half[2][j] - around_a[2]);
      const float squared = std::max((ax * ax + ay * ay) + az * az, (bx * bx + by * by) + bz * bz);
      // If the squares underflow, the largest entry is a sufficient bound.
      const float largest = std::max({ax, ay, az, bx, by, bz});
      gaps[block_width * i + j] = std::max(std::sqrt(squared), largest) * unit;
    }
    for (std::size_t e = 0; e < edge_count; ++e) {
      const EdgeAxis& axis = edges[e];
      const float of_a = ((axis.size_a[0] * h[0] + axis.size_a[1] * h[1]) + axis.size_a[2] * h[2]) + pair.slack;
      for (std::size_t j = 0; j < block_width; ++j) {
        const float x = (center[0][j] - c[0]) * axis.along[0];
        const float y = (center[1][j] - c[1]) * axis.along[1];
        const float z = (center[2][j] - c[2]) * axis.along[2];
        const float of_b = (axis.size_b[0] * half[0][j] + axis.size_b[1] * half[1][j]) + axis.size_b[2] * half[2][j];
        const float gap = (std::abs((x + y) + z) - of_b - of_a) * axis.inverse_length * unit;
        gaps[block_width * i + j] = std::max(gaps[block_width * i + j], gap);
      }
    }
  }
}

}  // namespace whisker::methods::volume_trees
