#pragma once

// Common parts of the eight-wide blocks: floats relative to an origin, and the relative placement of two blocks.
//
// A block holds eight volumes of one kind as arrays of floats. A float x represents origin + x · 2^exponent in the
// mesh's unit, so numbers of any size fit, and small parts far from the origin keep their digits. Volumes are rounded
// outward when they are set. Two blocks are compared in a's frame, in units of 2^exponent of the larger one. Every gap
// is lowered by `slack`, which covers the rounding error of all float arithmetic in a kernel.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <whisker/geometry/aabb.hpp>
#include <whisker/vector.hpp>

#include "geometry/constants.hpp"
#include "volumes/measure.hpp"

namespace whisker::volumes {

inline constexpr std::size_t block_width = 8;

using Lanes = std::array<float, block_width>;
using Lanes3 = std::array<Lanes, 3>;

/// The pose of b's mesh relative to a's: a point y of b's frame is at rotation · y + translation in a's frame, up to
/// `error`.
struct Relative {
  Matrix3 rotation = Matrix3::Identity();
  Vector3 translation = Vector3::Zero();
  double error = 0;
};

struct BlockFrame {
  Vector3 origin = Vector3::Zero();
  int exponent = 0;

  BlockFrame() = default;
  /// For volumes within the box, or not much larger. The origin is the box's middle, and in the frame's unit the box is
  /// at most about 2 long.
  explicit BlockFrame(const Aabb& box) : origin(box.lower / 2 + box.upper / 2) {
    // A box that is a single point gets the size of its rounding error. A point at 0 has none, and any small unit
    // works.
    const double size = std::max(largest_entry(box.upper - box.lower), 0x1p-40 * largest_entry(origin));
    exponent = size > 0 ? exponent_of(size) : -300;
  }

  double length(double value) const { return std::ldexp(value, -exponent); }
  Vector3 point(const Vector3& value) const { return times_power(value - origin, -exponent); }
  /// An upper bound on the error of `point`, including what underflow may add.
  double point_error(const Vector3& local) const { return 4 * unit_roundoff * sum_of_sizes(local) + 0x1p-140; }
};

inline float float_up(double value) {
  const float near = static_cast<float>(value);
  return static_cast<double>(near) < value ? std::nextafter(near, std::numeric_limits<float>::infinity()) : near;
}
inline float float_down(double value) {
  return -float_up(-value);
}

/// The vector in one lane.
inline Vector3 lane(const Lanes3& v, std::size_t slot) {
  return {static_cast<double>(v[0][slot]), static_cast<double>(v[1][slot]), static_cast<double>(v[2][slot])};
}
/// Rounds a vector into its lane. Returns an upper bound on how far that moved it.
inline double set_lane(Lanes3& lanes, std::size_t slot, const Vector3& value) {
  for (std::size_t k = 0; k < 3; ++k)
    lanes[k][slot] = static_cast<float>(value[static_cast<int>(k)]);
  return norm_up(lane(lanes, slot) - value) + 0x1p-140;
}

/// Two blocks in a common frame: a's axes, in units of 2^exponent.
struct BlockPair {
  std::array<std::array<float, 3>, 3> rotation;  // by rows
  std::array<float, 3> translation;              // from a's origin to b's
  float scale_a = 1;                             // factor for a's floats, at most 1
  float scale_b = 1;
  float slack = 0;
  int exponent = 0;

  /// `reach` is a bound on the coordinates and lengths in a block, in its own unit.
  BlockPair(const BlockFrame& a, float reach_a, const BlockFrame& b, float reach_b, const Relative& relative) {
    Vector3 between;
    double size = 0;
    for (int i = 0; i < 3; ++i) {
      double sum = relative.translation[i];
      size += std::abs(sum) + std::abs(a.origin[i]);
      for (int j = 0; j < 3; ++j) {
        const double term = relative.rotation(i, j) * b.origin[j];
        sum += term;
        size += std::abs(term);
        rotation[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] =
            static_cast<float>(relative.rotation(i, j));
      }
      between[i] = sum - a.origin[i];
    }
    exponent = std::max(a.exponent, b.exponent);
    if (largest_entry(between) > 0) exponent = std::max(exponent, exponent_of(largest_entry(between)));
    scale_a = static_cast<float>(std::ldexp(1.0, a.exponent - exponent));
    scale_b = static_cast<float>(std::ldexp(1.0, b.exponent - exponent));
    const double exact = std::ldexp(8 * unit_roundoff * size + relative.error, -exponent) * 1.01;
    double translated = 0;
    for (int i = 0; i < 3; ++i) {
      const double local = std::ldexp(between[i], -exponent);
      translation[static_cast<std::size_t>(i)] = static_cast<float>(local);
      translated += std::abs(local);
    }
    // A kernel makes at most about sixty roundings on the way to a gap, each at most half an ulp of four times the sum
    // of sizes.
    const double rounded =
        0x1p-16 * (static_cast<double>(reach_a * scale_a) + static_cast<double>(reach_b * scale_b) + translated);
    slack = float_up(exact + rounded + 0x1p-100);
  }
};

/// The directions of b in all lanes, rotated into the common frame and multiplied by a factor.
inline Lanes3 turned(const BlockPair& pair, const Lanes3& directions, float factor) {
  Lanes3 result;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < block_width; ++j) {
      const float x = pair.rotation[i][0] * directions[0][j];
      const float y = pair.rotation[i][1] * directions[1][j];
      const float z = pair.rotation[i][2] * directions[2][j];
      result[i][j] = ((x + y) + z) * factor;
    }
  }
  return result;
}
/// The points of b in all lanes, in the common frame, relative to a's origin.
inline Lanes3 to_common(const BlockPair& pair, const Lanes3& points) {
  Lanes3 result = turned(pair, points, pair.scale_b);
  for (std::size_t i = 0; i < 3; ++i)
    for (float& at : result[i])
      at += pair.translation[i];
  return result;
}
inline Lanes scaled(const Lanes& lanes, float factor) {
  Lanes result;
  for (std::size_t j = 0; j < block_width; ++j)
    result[j] = lanes[j] * factor;
  return result;
}

/// Gaps of all pairs, in the common unit: bit or entry 8 i + j is child i of a and child j of b. A pair whose gap is
/// not positive may overlap.
using BlockGaps = std::array<float, block_width * block_width>;

/// The pairs that may overlap: bit 8 i + j is 0 only if child i of a and child j of b are proven apart.
template <class Block>
std::uint64_t overlaps(const Block& a, const Block& b, const Relative& relative) {
  const BlockPair pair(a.frame, a.reach, b.frame, b.reach, relative);
  BlockGaps gaps;
  block_gaps(a, b, pair, gaps);
  std::uint64_t mask = 0;
  for (std::size_t k = 0; k < gaps.size(); ++k)
    mask |= static_cast<std::uint64_t>(!(gaps[k] > 0)) << k;
  return mask;
}

/// Lower bounds on the distances of all pairs, in a's unit. Entry 8 i + j is child i of a and child j of b.
template <class Block>
void lower_bounds(const Block& a, const Block& b, const Relative& relative, double out[block_width * block_width]) {
  const BlockPair pair(a.frame, a.reach, b.frame, b.reach, relative);
  BlockGaps gaps;
  block_gaps(a, b, pair, gaps);
  for (std::size_t k = 0; k < gaps.size(); ++k)
    out[k] = gaps[k] > 0 ? std::ldexp(static_cast<double>(gaps[k]), pair.exponent) : 0;
}

/// The same as floats: a gap below the smallest float becomes 0, and one above the largest float becomes the largest.
template <class Block>
void lower_bounds(const Block& a, const Block& b, const Relative& relative, float out[block_width * block_width]) {
  std::array<double, block_width * block_width> bounds;
  lower_bounds(a, b, relative, bounds.data());
  constexpr double largest = std::numeric_limits<float>::max();
  for (std::size_t k = 0; k < bounds.size(); ++k)
    out[k] = bounds[k] > 0 ? std::max(0.0f, float_down(std::min(bounds[k], largest))) : 0;
}

}  // namespace whisker::volumes
