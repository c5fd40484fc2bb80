#include "methods/volume_trees/kdop_support.hpp"
#include "methods/volume_trees/volume_blocks.hpp"

namespace whisker::methods::volume_trees {

namespace {

// Upper bounds on how far each of the eight reaches along a direction, without slack: see kdop_support.hpp.
template <std::size_t K>
Lanes supports(const KdopBlock<K>& block, const Vector3& direction, float factor) {
  const DopSums sums = dop_sums<K>(direction);
  Lanes best;
  best.fill(std::numeric_limits<float>::infinity());
  for (std::size_t s = 0; s < sums.count; ++s) {
    Lanes sum{};
    for (const DopTerm& term : sums.sums[s]) {
      const float weight = static_cast<float>(term.weight) * factor;
      for (std::size_t j = 0; j < block_width; ++j)
        sum[j] += weight * (term.negative ? -block.lower[term.index][j] : block.upper[term.index][j]);
    }
    for (std::size_t j = 0; j < block_width; ++j)
      best[j] = std::min(best[j], sum[j]);
  }
  return best;
}

}  // namespace

// Tests the directions of both, in both orientations.
template <std::size_t K>
void block_gaps(const KdopBlock<K>& a, const KdopBlock<K>& b, const BlockPair& pair, BlockGaps& gaps) {
  gaps.fill(0);
  Matrix3 rotation;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j)
      rotation(i, j) = static_cast<double>(pair.rotation[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]);
  }
  const Vector3 between(static_cast<double>(pair.translation[0]), static_cast<double>(pair.translation[1]),
                        static_cast<double>(pair.translation[2]));
  for (const bool of_a : {true, false}) {
    for (const std::array<int, 3>& d : Kdop<K>::directions) {
      const Vector3 own(d[0], d[1], d[2]);
      for (const double sign : {1.0, -1.0}) {
        const Vector3 unit = own * (sign / own.norm());
        const Vector3 in_a = of_a ? unit : Vector3(rotation * unit);
        const Vector3 in_b = of_a ? Vector3(rotation.transpose() * unit) : unit;
        const Lanes reach_a = supports(a, in_a, pair.scale_a);
        const Lanes reach_b = supports(b, Vector3(-in_b), pair.scale_b);
        const float apart = static_cast<float>(in_a.dot(between)) - pair.slack;
        for (std::size_t i = 0; i < block_width; ++i) {
          const float rest = apart - reach_a[i];
          for (std::size_t j = 0; j < block_width; ++j) {
            float& gap = gaps[block_width * i + j];
            gap = std::max(gap, rest - reach_b[j]);
          }
        }
      }
    }
  }
}

template void block_gaps(const KdopBlock<14>&, const KdopBlock<14>&, const BlockPair&, BlockGaps&);
template void block_gaps(const KdopBlock<18>&, const KdopBlock<18>&, const BlockPair&, BlockGaps&);
template void block_gaps(const KdopBlock<26>&, const KdopBlock<26>&, const BlockPair&, BlockGaps&);

}  // namespace whisker::methods::volume_trees
