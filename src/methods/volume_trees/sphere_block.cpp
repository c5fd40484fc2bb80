#include "methods/volume_trees/volume_blocks.hpp"

namespace whisker::methods::volume_trees {

void block_gaps(const SphereBlock& a, const SphereBlock& b, const BlockPair& pair, BlockGaps& gaps) {
  const Lanes3 center = to_common(pair, b.center);
  const Lanes radius = scaled(b.radius, pair.scale_b);
  for (std::size_t i = 0; i < block_width; ++i) {
    const float cx = a.center[0][i] * pair.scale_a;
    const float cy = a.center[1][i] * pair.scale_a;
    const float cz = a.center[2][i] * pair.scale_a;
    const float less = a.radius[i] * pair.scale_a + pair.slack;
    for (std::size_t j = 0; j < block_width; ++j) {
      const float x = center[0][j] - cx;
      const float y = center[1][j] - cy;
      const float z = center[2][j] - cz;
      gaps[block_width * i + j] = (std::sqrt((x * x + y * y) + z * z) - radius[j]) - less;
    }
  }
}

}  // namespace whisker::methods::volume_trees
