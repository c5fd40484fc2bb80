// Heights of a shape's corners over triangles, compiled once per instruction set.

#include "convex/triangle_heights.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "convex/triangle_heights_kernels.cpp"
#include <hwy/foreach_target.h>
// Must come after foreach_target.h:
#include <hwy/highway.h>

#include "geometry/constants.hpp"
#include "shapes/hull_support-inl.hpp"
#include "simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::convex::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace simd::HWY_NAMESPACE;

using HeightTag = hn::CappedTag<double, 8>;
using HeightVector = hn::Vec<HeightTag>;
using HeightLanes = Lanes3<HeightVector>;

/// Squares of edges in this range neither overflow nor underflow in what follows.
constexpr double least_square = 0x1p-200, largest_square = 0x1p200;
/// The square of the sine between two edges that have a clear normal.
constexpr double clear_square = 0x1p-80;

HWY_INLINE HeightLanes turned(const PlainRotation& r, const HeightLanes& v) {
  const HeightTag d;
  const auto row = [&](int i) HWY_ATTR { return dot(set3(d, r.rows[i]), v); };
  return {row(0), row(1), row(2)};
}

HWY_INLINE HeightLanes unit(const HeightLanes& v, HeightVector square) {
  const HeightTag d;
  return v * hn::Div(hn::Set(d, 1.0), hn::Sqrt(square));
}

void place(const double* x, const double* y, const double* z, std::uint32_t count, const PlainRotation& rotation,
           double factor, PlacedCorners& corners) {
  const HeightTag d;
  corners.count = count;
  corners.padded = (count + 7) / 8 * 8;
  for (std::size_t i = 0; i < corners.padded; i += hn::Lanes(d)) {
    const HeightLanes at = turned(rotation, load3(d, x + i, y + i, z + i)) * hn::Set(d, factor);
    hn::Store(at.x, d, corners.x + i);
    hn::Store(at.y, d, corners.y + i);
    hn::Store(at.z, d, corners.z + i);
  }
}

std::uint32_t lowest(const PlacedCorners& c, double dx, double dy, double dz) {
  return whisker::HWY_NAMESPACE::scan_support(c.x, c.y, c.z, c.padded, -dx, -dy, -dz);
}

void measure(const PlacedCorners& shape, const TrianglesFrame& frame, TriangleBlock& block) {
  const HeightTag d;
  using V = HeightVector;
  const V zero = hn::Zero(d), huge = hn::Set(d, infinity);
  block.plain = block.behind = block.near = 0;
  for (std::size_t i = block.count; i < TriangleBlock::most; ++i)  // ordinary numbers in the lanes that are not used
    for (auto& axes : block.corners)
      for (auto& coordinates : axes)
        coordinates[i] = coordinates[0];
  for (std::size_t h = 0; h < block.count; h += hn::Lanes(d)) {
    HeightLanes corner[3], edge[3], out[3];
    for (int k = 0; k < 3; ++k) {
      const HeightLanes own = load3(d, block.corners[k], h);
      corner[k] =
          (turned(frame.rotation, own) + set3(d, frame.translation) - set3(d, frame.origin)) * hn::Set(d, frame.factor);
      store3(corner[k], d, block.corners[k], h);
    }
    V square[3];
    for (int k = 0; k < 3; ++k) {
      edge[k] = corner[(k + 1) % 3] - corner[k];
      square[k] = dot(edge[k], edge[k]);
    }
    const V longest = hn::Max(square[0], hn::Max(square[1], square[2]));
    const V shortest = hn::Min(square[0], hn::Min(square[1], square[2]));
    const V size = hn::Sqrt(longest);
    HeightLanes normal = cross(unit(edge[0], square[0]), -unit(edge[2], square[2]));
    const V sine = dot(normal, normal);
    const auto plain = hn::And(hn::And(hn::Gt(shortest, hn::Set(d, least_square)),  // false for a NaN
                                       hn::Lt(longest, hn::Set(d, largest_square))),
                               hn::Gt(sine, hn::Set(d, clear_square)));
    normal = unit(normal, sine);
    for (int k = 0; k < 3; ++k) {
      out[k] = cross(edge[k], normal);
      out[k] = unit(out[k], dot(out[k], out[k]));
      store3(out[k], d, block.out[k], h);
    }
    V above = dot(normal, set3(d, frame.middle) - corner[0]);
    const auto behind = hn::Lt(above, zero);
    normal = choose(behind, -normal, normal);
    above = hn::Abs(above);

    V height = huge, second = huge, where = zero;
    V beside[3] = {huge, huge, huge};
    for (std::uint32_t i = 0; i < shape.count; ++i) {
      const HeightLanes at = {hn::Set(d, shape.x[i]), hn::Set(d, shape.y[i]), hn::Set(d, shape.z[i])};
      const V over = dot(normal, at);
      where = hn::IfThenElse(hn::Lt(over, height), hn::Set(d, static_cast<double>(i)), where);
      second = hn::Min(second, hn::Max(over, height));
      height = hn::Min(over, height);
      for (int k = 0; k < 3; ++k)
        beside[k] = hn::Min(beside[k], dot(out[k], at));
    }
    const V base = dot(normal, corner[0]);
    height = hn::Sub(height, base);
    V gap = height;
    for (int k = 0; k < 3; ++k)
      gap = hn::Max(gap, hn::Sub(beside[k], dot(out[k], corner[k])));
    const V most = hn::Add(hn::Set(d, frame.limit + frame.slack), hn::Mul(size, hn::Set(d, 0x1p-48)));

    store3(normal, d, block.normal, h);
    hn::Store(size, d, block.size + h);
    hn::Store(above, d, block.above + h);
    hn::Store(height, d, block.height + h);
    hn::Store(hn::Sub(second, base), d, block.second + h);
    hn::Store(where, d, block.lowest + h);
    block.plain |= mask_bits(d, plain) << h;
    if (frame.one_sided) block.behind |= mask_bits(d, behind) << h;
    block.near |= mask_bits(d, hn::Le(gap, most)) << h;
  }
  const unsigned all = (1u << block.count) - 1;
  block.plain &= all;
  block.behind &= block.plain;
  block.near &= block.plain & ~block.behind;
}

}  // namespace whisker::convex::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whisker::convex {

HWY_EXPORT(place);
HWY_EXPORT(lowest);
HWY_EXPORT(measure);

void place_corners(const double* x, const double* y, const double* z, std::uint32_t count,
                   const PlainRotation& rotation, double factor, PlacedCorners& corners) {
  HWY_DYNAMIC_DISPATCH(place)(x, y, z, count, rotation, factor, corners);
}

std::uint32_t lowest_corner(const PlacedCorners& corners, const Vector3& direction) {
  return HWY_DYNAMIC_DISPATCH(lowest)(corners, direction[0], direction[1], direction[2]);
}

void measure_triangles(const PlacedCorners& shape, const TrianglesFrame& frame, TriangleBlock& block) {
  HWY_DYNAMIC_DISPATCH(measure)(shape, frame, block);
}

}  // namespace whisker::convex
#endif
