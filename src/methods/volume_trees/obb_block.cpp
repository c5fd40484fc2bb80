#include "methods/volume_trees/volume_blocks.hpp"

namespace whisker::methods::volume_trees {

// Tests the 15 axes of Gottschalk, Lin and Manocha (1996). For face normals, the three gaps of a frame are combined, as
// in aabb_block.cpp.
void block_gaps(const ObbBlock& a, const ObbBlock& b, const BlockPair& pair, BlockGaps& gaps) {
  const Lanes3 center = to_common(pair, b.center);
  std::array<Lanes3, 3> axes;
  Lanes3 half;
  for (std::size_t k = 0; k < 3; ++k) {
    axes[k] = turned(pair, b.axes[k], 1);
    half[k] = scaled(b.half[k], pair.scale_b);
  }
  constexpr float unit = 1 - 0x1p-18f;       // axes are orthonormal up to this factor
  constexpr float shortest_product = 0.01f;  // squared
  for (std::size_t i = 0; i < block_width; ++i) {
    std::array<float, 3> c;
    std::array<float, 3> h;
    std::array<std::array<float, 3>, 3> u;  // a's axes
    for (std::size_t k = 0; k < 3; ++k) {
      c[k] = a.center[k][i] * pair.scale_a;
      h[k] = a.half[k][i] * pair.scale_a;
      for (std::size_t m = 0; m < 3; ++m)
        u[k][m] = a.axes[k][m][i];
    }
    for (std::size_t j = 0; j < block_width; ++j) {
      const float x = center[0][j] - c[0];
      const float y = center[1][j] - c[1];
      const float z = center[2][j] - c[2];
      float t[3];     // between the centers, in a's axes
      float s[3];     // the same in b's axes
      float m[3][3];  // a's axes dotted with b's
      for (std::size_t k = 0; k < 3; ++k) {
        t[k] = (u[k][0] * x + u[k][1] * y) + u[k][2] * z;
        s[k] = (axes[k][0][j] * x + axes[k][1][j] * y) + axes[k][2][j] * z;
        for (std::size_t l = 0; l < 3; ++l)
          m[k][l] = (u[k][0] * axes[l][0][j] + u[k][1] * axes[l][1][j]) + u[k][2] * axes[l][2][j];
      }
      float of_a = 0;
      float of_b = 0;
      float best = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        const float around_b =
            (std::abs(m[k][0]) * half[0][j] + std::abs(m[k][1]) * half[1][j]) + std::abs(m[k][2]) * half[2][j];
        const float around_a = (std::abs(m[0][k]) * h[0] + std::abs(m[1][k]) * h[1]) + std::abs(m[2][k]) * h[2];
        const float gap_a = std::max(0.0f, std::abs(t[k]) - h[k] - around_b - pair.slack);
        const float gap_b = std::max(0.0f, std::abs(s[k]) - half[k][j] - around_a - pair.slack);
        of_a += gap_a * gap_a;
        of_b += gap_b * gap_b;
        best = std::max(best, std::max(gap_a, gap_b));
      }
      best = std::max(best, std::sqrt(std::max(of_a, of_b)));
      for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t k1 = (k + 1) % 3;
        const std::size_t k2 = (k + 2) % 3;
        for (std::size_t l = 0; l < 3; ++l) {
          const std::size_t l1 = (l + 1) % 3;
          const std::size_t l2 = (l + 2) % 3;
          const float squared = 1 - m[k][l] * m[k][l];
          const float apart = std::abs(t[k2] * m[k1][l] - t[k1] * m[k2][l]);
          const float reach_a = h[k1] * std::abs(m[k2][l]) + h[k2] * std::abs(m[k1][l]);
          const float reach_b = half[l1][j] * std::abs(m[k][l2]) + half[l2][j] * std::abs(m[k][l1]);
          const float gap = (apart - reach_a - reach_b - pair.slack) / std::sqrt(std::max(squared, shortest_product));
          best = std::max(best, squared > shortest_product ? gap : 0.0f);
        }
      }
      gaps[block_width * i + j] = best * unit;
    }
  }
}

}  // namespace whisker::methods::volume_trees
