// Eight-wide blocks are conservative: a pair is reported apart only if its volumes are, and bounds are valid.

#include <gtest/gtest.h>

#include "methods/volume_trees/volume_blocks.hpp"
#include "volumes/exact_volumes.hpp"

namespace whisker::methods::volume_trees {
namespace {

using namespace test;

template <class Block>
class VolumeBlock : public testing::Test {};

using Blocks = testing::Types<SphereBlock, AabbBlock, ObbBlock, KdopBlock<14>, KdopBlock<18>, KdopBlock<26>,
                              SegmentBlock, TriangleBlock, RectangleBlock>;
TYPED_TEST_SUITE(VolumeBlock, Blocks);

template <class Block>
struct Filled {
  Block block;
  std::array<typename Block::Volume, block_width> volumes;
};

// Eight volumes near each other, of different kinds and sizes.
template <class Block>
Filled<Block> random_block(std::mt19937_64& random, double scale, const Vector3& shift) {
  Filled<Block> result;
  Aabb box;
  for (auto& volume : result.volumes) {
    const auto any = [&] { return Vector3(uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1)); };
    const Vector3 at = any();
    const double size = std::ldexp(1.0, -static_cast<int>(random() % 8));
    std::vector<Vector3> points;
    const std::size_t count = 1 + random() % 6;
    for (std::size_t i = 0; i < count; ++i)
      points.push_back(scale * (at + size * any()) + shift);
    volume = fit_as<typename Block::Volume>(points);
    box.include(bounds(volume));
  }
  result.block.frame = BlockFrame(box);
  for (std::size_t i = 0; i < block_width; ++i)
    result.block.set(i, result.volumes[i]);
  return result;
}

template <class Block>
void check(const Filled<Block>& a, const Filled<Block>& b, const Pose& pose, double size, std::size_t& sharp,
           std::size_t& wide) {
  const Relative relative{pose.rotation(), pose.translation(), 0};
  const std::uint64_t mask = overlaps(a.block, b.block, relative);
  double lower[64];
  lower_bounds(a.block, b.block, relative, lower);
  float single[64];
  lower_bounds(a.block, b.block, relative, single);
  for (std::size_t i = 0; i < block_width; ++i) {
    for (std::size_t j = 0; j < block_width; ++j) {
      const std::size_t k = block_width * i + j;
      const bool apart = (mask >> k & 1u) == 0;
      const Interval bounds = distance_bounds(a.volumes[i], Pose(), b.volumes[j], pose);
      ASSERT_EQ(apart, lower[k] > 0);
      ASSERT_LE(lower[k], bounds.upper);
      ASSERT_LE(static_cast<double>(single[k]), lower[k]);
      if (apart) {
        ASSERT_GT(bounds.upper, 0);
      }
      // The blocks separate most of the pairs that the volumes separate.
      if (bounds.lower > 1e-3 * size) {
        ++wide;
        if (apart) ++sharp;
      }
    }
  }
}

TYPED_TEST(VolumeBlock, IsNeverBetterThanItsVolumes) {
  auto random = seeded(34001);
  std::size_t sharp = 0;
  std::size_t wide = 0;
  for (std::size_t i = 0; i < cases(24); ++i) {
    const auto a = random_block<TypeParam>(random, 1, Vector3::Zero());
    const auto b = random_block<TypeParam>(random, i % 3 == 0 ? 0.1 : 1, Vector3::Zero());
    const Pose pose = normal_pose(random, i % 2 == 0 ? 0.5 : 3);
    check(a, b, pose, 1, sharp, wide);
    if (testing::Test::HasFatalFailure()) return;
  }
  ASSERT_GT(wide, 0u);
  EXPECT_GE(static_cast<double>(sharp), 0.97 * static_cast<double>(wide)) << sharp << " of " << wide;
}

TYPED_TEST(VolumeBlock, HoldsForHugeTinyFarAndUnequalNumbers) {
  auto random = seeded(34002);
  std::size_t sharp = 0;
  std::size_t wide = 0;
  for (const double scale : {1e89, 1e-89, 1.0, 1e-3}) {
    for (std::size_t i = 0; i < cases(4); ++i) {
      const Vector3 shift = scale == 1e-3 ? Vector3(1e6, -2e6, 5e5) : Vector3(Vector3::Zero());
      const auto a = random_block<TypeParam>(random, scale, shift);
      const auto b = random_block<TypeParam>(random, i % 2 == 0 ? scale : 1e-7 * scale, shift);
      Pose pose = normal_pose(random, 3 * scale);
      pose.set_translation(pose.translation() + (shift - pose.rotation() * shift));
      check(a, b, pose, scale, sharp, wide);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
  EXPECT_GE(static_cast<double>(sharp), 0.97 * static_cast<double>(wide)) << sharp << " of " << wide;
}

// Both blocks contain volumes around the same points, so these overlap in any common pose.
TYPED_TEST(VolumeBlock, CommonPointsOverlap) {
  auto random = seeded(34003);
  for (std::size_t i = 0; i < cases(100); ++i) {
    Filled<TypeParam> a;
    Filled<TypeParam> b;
    Aabb box_a;
    Aabb box_b;
    const int kind = static_cast<int>(i % point_kinds);
    for (std::size_t k = 0; k < block_width; ++k) {
      std::vector<Vector3> points_a = random_points(random, kind);
      std::vector<Vector3> points_b = random_points(random, kind);
      points_b[0] = points_a[0];
      a.volumes[k] = fit_as<typename TypeParam::Volume>(points_a);
      b.volumes[k] = fit_as<typename TypeParam::Volume>(points_b);
      box_a.include(bounds(a.volumes[k]));
      box_b.include(bounds(b.volumes[k]));
    }
    a.block.frame = BlockFrame(box_a);
    b.block.frame = BlockFrame(box_b);
    for (std::size_t k = 0; k < block_width; ++k) {
      a.block.set(k, a.volumes[k]);
      b.block.set(k, b.volumes[k]);
    }
    const std::uint64_t mask = overlaps(a.block, b.block, Relative());
    float lower[64];
    lower_bounds(a.block, b.block, Relative(), lower);
    for (std::size_t k = 0; k < block_width; ++k) {
      ASSERT_TRUE(mask >> (9 * k) & 1u) << kind;
      ASSERT_EQ(lower[9 * k], 0) << kind;
    }
  }
}

// A position error that the caller declares is subtracted.
TYPED_TEST(VolumeBlock, TheDeclaredErrorCounts) {
  auto random = seeded(34004);
  const auto a = random_block<TypeParam>(random, 1, Vector3::Zero());
  const auto b = random_block<TypeParam>(random, 1, Vector3::Zero());
  const Relative far{Matrix3::Identity(), Vector3(20, 0, 0), 0};
  EXPECT_EQ(overlaps(a.block, b.block, far), 0u);
  const Relative vague{Matrix3::Identity(), Vector3(20, 0, 0), 30};
  EXPECT_EQ(overlaps(a.block, b.block, vague), ~std::uint64_t{0});
}

}  // namespace
}  // namespace whisker::methods::volume_trees
