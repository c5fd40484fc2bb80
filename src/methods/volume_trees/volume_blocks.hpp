#pragma once

// Eight volumes of one kind, as floats (volumes/block.hpp), and the gaps between those of two blocks.

#include <whisker/geometry/bounding_sphere.hpp>
#include <whisker/geometry/obb.hpp>
#include <whisker/methods/kdop.hpp>
#include <whisker/methods/swept_sphere.hpp>

#include "geometry/constants.hpp"
#include "methods/volume_trees/swept_core.hpp"
#include "volumes/block.hpp"
#include "volumes/box_frame.hpp"

namespace whisker::methods::volume_trees {

using namespace volumes;

/// Eight bounding spheres.
struct SphereBlock {
  using Volume = BoundingSphere;

  BlockFrame frame;
  float reach = 0;
  Lanes3 center{};
  Lanes radius{};

  void set(std::size_t slot, const BoundingSphere& volume) {
    const Vector3 local = frame.point(volume.center);
    const double moved = set_lane(center, slot, local) + frame.point_error(local);
    radius[slot] = float_up((frame.length(volume.radius) + moved) * (1 + 4 * unit_roundoff));
    reach = std::max(reach, float_up(largest_entry(local) * (1 + 0x1p-20)) + radius[slot]);
  }
};

void block_gaps(const SphereBlock& a, const SphereBlock& b, const BlockPair& pair, BlockGaps& gaps);

/// Eight boxes along the axes of the mesh.
struct AabbBlock {
  using Volume = Aabb;

  BlockFrame frame;
  float reach = 0;
  Lanes3 center{};
  Lanes3 half{};

  /// Stores a non-empty box.
  void set(std::size_t slot, const Aabb& volume) {
    const Vector3 lower = frame.point(volume.lower);
    const Vector3 upper = frame.point(volume.upper);
    for (std::size_t k = 0; k < 3; ++k) {
      const int i = static_cast<int>(k);
      center[k][slot] = static_cast<float>(lower[i] / 2 + upper[i] / 2);
      const double middle = static_cast<double>(center[k][slot]);
      const double error = 4 * unit_roundoff * (std::abs(lower[i]) + std::abs(upper[i])) + 0x1p-140;
      half[k][slot] = float_up(std::max(upper[i] - middle, middle - lower[i]) + error);
      reach = std::max(reach, std::abs(center[k][slot]) + half[k][slot]);
    }
  }
};

void block_gaps(const AabbBlock& a, const AabbBlock& b, const BlockPair& pair, BlockGaps& gaps);

/// Eight oriented boxes, each with its own axes.
struct ObbBlock {
  using Volume = Obb;

  BlockFrame frame;
  float reach = 0;
  Lanes3 center{};
  std::array<Lanes3, 3> axes{};
  Lanes3 half{};

  /// Stores a box of finite size.
  void set(std::size_t slot, const Obb& volume) {
    const Vector3 local = frame.point(volume.center);
    const double moved = set_lane(center, slot, local) + frame.point_error(local);
    Matrix3 rounded;
    for (std::size_t k = 0; k < 3; ++k) {
      set_lane(axes[k], slot, volume.axes.col(static_cast<int>(k)));
      rounded.col(static_cast<int>(k)) = lane(axes[k], slot);
    }
    // The same box in the rounded axes: each half size grows by the contribution of the other axes.
    const BoxFrame box(rounded);
    for (std::size_t k = 0; k < 3; ++k) {
      const int i = static_cast<int>(k);
      double sum = moved * box.stretch();
      for (int j = 0; j < 3; ++j)
        sum += frame.length(volume.half[j]) * box.coordinate_up(volume.axes.col(j), i);
      half[k][slot] = float_up(sum * (1 + 16 * unit_roundoff) + 0x1p-140);
      reach = std::max(reach, std::abs(center[k][slot]));
    }
    reach = std::max(reach,
                     static_cast<float>(largest_entry(local)) * 1.001f + half[0][slot] + half[1][slot] + half[2][slot]);
  }
};

void block_gaps(const ObbBlock& a, const ObbBlock& b, const BlockPair& pair, BlockGaps& gaps);

/// Eight k-DOPs in the directions of the mesh's frame.
template <std::size_t K>
struct KdopBlock {
  using Volume = Kdop<K>;

  BlockFrame frame;
  float reach = 0;
  std::array<Lanes, K / 2> lower{};
  std::array<Lanes, K / 2> upper{};

  /// Stores a non-empty k-DOP.
  void set(std::size_t slot, const Kdop<K>& volume) {
    for (std::size_t i = 0; i < K / 2; ++i) {
      double low = volume.lower[i];
      double high = volume.upper[i];
      for (std::size_t k = 0; k < 3; ++k) {
        const double shift = -Kdop<K>::directions[i][k] * frame.origin[static_cast<int>(k)];
        low = geometry::add_down(low, shift);
        high = geometry::add_up(high, shift);
      }
      lower[i][slot] = float_down(frame.length(low) - 0x1p-140);
      upper[i][slot] = float_up(frame.length(high) + 0x1p-140);
      reach = std::max(reach, std::max(std::abs(lower[i][slot]), std::abs(upper[i][slot])));
    }
  }
};

/// Instantiated for 14, 18 and 26.
template <std::size_t K>
void block_gaps(const KdopBlock<K>& a, const KdopBlock<K>& b, const BlockPair& pair, BlockGaps& gaps);

/// Eight swept spheres. A core with its arms, as in volumes/flat_core.hpp: a segment has one arm, a rectangle and a
/// triangle have two.
template <class Swept>
struct SweptBlock {
  using Volume = Swept;
  static constexpr bool is_triangle = std::is_same_v<Swept, TriangleSweptSphere>;
  static constexpr std::size_t arm_count = std::is_same_v<Swept, SegmentSweptSphere> ? 1 : 2;

  BlockFrame frame;
  float reach = 0;
  Lanes3 center{};
  std::array<Lanes3, arm_count> arm{};
  Lanes radius{};

  void set(std::size_t slot, const Swept& volume) {
    const Core core = to_core(volume);
    const Vector3 local = frame.point(core.center);
    double moved = set_lane(center, slot, local) + frame.point_error(local) + frame.length(core.error);
    double size = largest_entry(local);
    for (std::size_t k = 0; k < arm_count; ++k) {
      const Vector3& value = core.arm[k];
      const Vector3 scaled_arm(frame.length(value[0]), frame.length(value[1]), frame.length(value[2]));
      moved += set_lane(arm[k], slot, scaled_arm);
      size += largest_entry(scaled_arm);
    }
    radius[slot] = float_up((frame.length(core.radius) + moved) * (1 + 16 * unit_roundoff));
    reach = std::max(reach, float_up(size * (1 + 0x1p-20)) + radius[slot]);
  }
};

using SegmentBlock = SweptBlock<SegmentSweptSphere>;
using TriangleBlock = SweptBlock<TriangleSweptSphere>;
using RectangleBlock = SweptBlock<RectangleSweptSphere>;

/// Instantiated for the three types above.
template <class Swept>
void block_gaps(const SweptBlock<Swept>& a, const SweptBlock<Swept>& b, const BlockPair& pair, BlockGaps& gaps);

}  // namespace whisker::methods::volume_trees
