#include "methods/soups/soup_kernels.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "methods/soups/soup_kernels.cpp"
#include <hwy/foreach_target.h>
// highway.h must come after foreach_target.h.
#include <hwy/highway.h>

#include "mesh/triangle_touch-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::methods::soups::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using TouchBatch = mesh::HWY_NAMESPACE::TouchBatch;

// --- passes over every vertex and every triangle ----------------------------------------------------------------

// They dominate the cost where soups barely meet.

using Tag = hn::CappedTag<double, 8>;
constexpr std::size_t lanes = hn::MaxLanes(Tag());

/// The minimum and maximum coordinates of consecutive points, x y z, and whether all absolute values are at most
/// `most`.
bool find_bounds(const double* points, std::size_t count, double most, double* lower, double* upper) {
  const Tag d;
  // Three rows of lanes hold whole points, so each lane of a row is always the same coordinate.
  alignas(64) double low[3 * lanes], high[3 * lanes];
  for (std::size_t k = 0; k < 3 * lanes; ++k)
    low[k] = high[k] = points[k % 3];
  auto low0 = hn::Load(d, low), low1 = hn::Load(d, low + lanes), low2 = hn::Load(d, low + 2 * lanes);
  auto high0 = low0, high1 = low1, high2 = low2;
  const auto limit = hn::Set(d, most);
  auto is_right = hn::Le(hn::Max(hn::Max(hn::Abs(low0), hn::Abs(low1)), hn::Abs(low2)), limit);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto row0 = hn::LoadU(d, points + 3 * i), row1 = hn::LoadU(d, points + 3 * i + lanes),
               row2 = hn::LoadU(d, points + 3 * i + 2 * lanes);
    low0 = hn::Min(low0, row0), low1 = hn::Min(low1, row1), low2 = hn::Min(low2, row2);
    high0 = hn::Max(high0, row0), high1 = hn::Max(high1, row1), high2 = hn::Max(high2, row2);
    // Test each row by itself: a maximum may lose a NaN.
    const auto is_row = hn::And(hn::Le(hn::Abs(row0), limit), hn::Le(hn::Abs(row1), limit));
    is_right = hn::And(is_right, hn::And(is_row, hn::Le(hn::Abs(row2), limit)));
  }
  hn::Store(low0, d, low), hn::Store(low1, d, low + lanes), hn::Store(low2, d, low + 2 * lanes);
  hn::Store(high0, d, high), hn::Store(high1, d, high + lanes), hn::Store(high2, d, high + 2 * lanes);
  bool is_all_right = hn::AllTrue(d, is_right);
  for (std::size_t k = 0; k < 3; ++k) {
    lower[k] = low[k], upper[k] = high[k];
    for (std::size_t n = k + 3; n < 3 * lanes; n += 3) {
      lower[k] = std::min(lower[k], low[n]);
      upper[k] = std::max(upper[k], high[n]);
    }
    for (std::size_t n = i; n < count; ++n) {
      const double x = points[3 * n + k];
      lower[k] = std::min(lower[k], x);
      upper[k] = std::max(upper[k], x);
      is_all_right &= (-most <= x) & (x <= most);
    }
  }
  return is_all_right;
}

std::uint32_t find_largest(const std::uint32_t* numbers, std::size_t count) {
  const hn::CappedTag<std::uint32_t, 16> d;
  constexpr std::size_t width = hn::MaxLanes(d);
  auto largest = hn::Zero(d);
  std::size_t i = 0;
  for (; i + width <= count; i += width)
    largest = hn::Max(largest, hn::LoadU(d, numbers + i));
  std::uint32_t result = hn::GetLane(hn::MaxOfLanes(d, largest));
  for (; i < count; ++i)
    result = std::max(result, numbers[i]);
  return result;
}

/// For each point, the sides of a region that it is beyond, one bit for each of the six.
void find_sides(const double* points, std::size_t count, const double* lower, const double* upper,
                std::uint8_t* beyond) {
  const Tag d;
  const hn::RebindToUnsigned<Tag> words;
  const hn::Rebind<std::uint8_t, Tag> bytes;
  const auto x0 = hn::Set(d, lower[0]), y0 = hn::Set(d, lower[1]), z0 = hn::Set(d, lower[2]);
  const auto x1 = hn::Set(d, upper[0]), y1 = hn::Set(d, upper[1]), z1 = hn::Set(d, upper[2]);
  const auto bit = [&](hn::Mask<Tag> mask, unsigned number) HWY_ATTR {
    return hn::IfThenElseZero(hn::RebindMask(words, mask), hn::Set(words, std::uint64_t{1} << number));
  };
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::Vec<Tag> x, y, z;
    hn::LoadInterleaved3(d, points + 3 * i, x, y, z);
    const auto in_x = hn::Or(bit(hn::Lt(x, x0), 0), bit(hn::Gt(x, x1), 1));
    const auto in_y = hn::Or(bit(hn::Lt(y, y0), 2), bit(hn::Gt(y, y1), 3));
    const auto in_z = hn::Or(bit(hn::Lt(z, z0), 4), bit(hn::Gt(z, z1), 5));
    hn::StoreU(hn::TruncateTo(bytes, hn::Or(hn::Or(in_x, in_y), in_z)), bytes, beyond + i);
  }
  for (; i < count; ++i) {
    unsigned sides = 0;
    for (std::size_t k = 0; k < 3; ++k)
      sides |= (points[3 * i + k] < lower[k] ? 1u : 0u) << 2 * k | (points[3 * i + k] > upper[k] ? 2u : 0u) << 2 * k;
    beyond[i] = static_cast<std::uint8_t>(sides);
  }
}

// --- pairs of triangles -----------------------------------------------------------------------------------------

// In floats, sixteen pairs at a time. Most pairs are decided here; the rest go to the exact predicate.

/// The corners of sixteen pairs, one row per coordinate.
struct Corners {
  static constexpr std::size_t width = TouchBatch::width;
  HWY_ALIGN double a[9][width];
  HWY_ALIGN double b[9][width];
};

HWY_INLINE void put(double (*to)[Corners::width], std::size_t lane, const SoupData& soup, std::uint32_t face) {
  const std::uint32_t* const t = soup.triangles + 3 * static_cast<std::size_t>(face);
  for (std::size_t corner = 0; corner < 3; ++corner) {
    const double* const p = soup.vertices + 3 * static_cast<std::size_t>(t[corner]);
    for (std::size_t k = 0; k < 3; ++k)
      to[3 * corner + k][lane] = p[k];
  }
}

/// Converts to floats relative to the first corner of a, in units of a power of two near the largest coordinate. The
/// error of the floats is at most slightly more than 2^-24 of that coordinate. This is a fourth of the slack, and less
/// than the batch assumes.
HWY_INLINE void fill(const Corners& corners, TouchBatch& batch) {
  const hn::CappedTag<double, Corners::width> d;
  const hn::Rebind<float, decltype(d)> narrow;
  const hn::RebindToUnsigned<decltype(d)> words;
  constexpr std::size_t step = hn::MaxLanes(d);
  for (std::size_t i = 0; i < Corners::width; i += step) {
    hn::Vec<decltype(d)> from_a[15];
    auto largest = hn::Zero(d);
    for (std::size_t n = 0; n < 15; ++n) {
      const auto origin = hn::Load(d, corners.a[n % 3] + i);
      from_a[n] = hn::Sub(hn::Load(d, (n < 6 ? corners.a[n + 3] : corners.b[n - 6]) + i), origin);
      largest = hn::Max(largest, hn::Abs(from_a[n]));
    }
    const auto exponent = hn::And(hn::BitCast(words, largest), hn::Set(words, 0x7FF0000000000000u));
    const auto scale = hn::BitCast(d, hn::Sub(hn::Set(words, 0x7FE0000000000000u), exponent));
    for (std::size_t n = 0; n < 15; ++n) {
      const auto value = hn::DemoteTo(narrow, hn::Mul(from_a[n], scale));
      hn::StoreU(value, narrow, (n < 6 ? batch.a[n] : batch.b[n - 6]) + i);
    }
  }
}

void judge(const SoupData& a, const SoupData& b, const FacePair* pairs, std::size_t count, PairVerdicts* verdicts) {
  TouchBatch batch;
  Corners corners = {};
  for (float& slack : batch.slack)
    slack = 0x1p-21f;  // for coordinates below 2
  for (std::size_t first = 0; first < count; first += Corners::width) {
    batch.size = count - first < Corners::width ? count - first : Corners::width;
    for (std::size_t lane = 0; lane < batch.size; ++lane) {
      put(corners.a, lane, a, pairs[first + lane].a);
      put(corners.b, lane, b, pairs[first + lane].b);
    }
    fill(corners, batch);
    batch.test();
    verdicts[first / Corners::width] = {static_cast<std::uint16_t>(batch.touch),
                                        static_cast<std::uint16_t>(batch.unsure)};
  }
}

}  // namespace whisker::methods::soups::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whisker::methods::soups {

HWY_EXPORT(find_bounds);
HWY_EXPORT(find_largest);
HWY_EXPORT(find_sides);
HWY_EXPORT(judge);

Aabb checked_box(std::span<const Vector3> vertices) {
  Aabb box;
  const bool is_right = HWY_DYNAMIC_DISPATCH(find_bounds)(vertices.front().data(), vertices.size(), max_coordinate,
                                                          box.lower.data(), box.upper.data());
  return is_right ? box : Aabb{};
}

std::uint32_t largest_index(std::span<const Index3> triangles) {
  if (triangles.empty()) return 0;
  return HWY_DYNAMIC_DISPATCH(find_largest)(triangles.front().data(), 3 * triangles.size());
}

void keep_faces(std::span<const Vector3> vertices, std::span<const Index3> triangles, const Aabb& region,
                FaceBoxes& kept) {
  // The vectors only grow, so that memory about to be overwritten is not cleared.
  const auto make_room = [](auto& vector, std::size_t count) {
    if (vector.size() < count) vector.resize(count);
  };
  make_room(kept.beyond, vertices.size());
  make_room(kept.faces, triangles.size() + 1);  // one extra element for values that are written but not kept
  HWY_DYNAMIC_DISPATCH(find_sides)
  (vertices.front().data(), vertices.size(), region.lower.data(), region.upper.data(), kept.beyond.data());
  const std::uint8_t* const beyond = kept.beyond.data();
  std::uint32_t* const faces = kept.faces.data();
  std::size_t count = 0;
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    const Index3& t = triangles[i];
    faces[count] = static_cast<std::uint32_t>(i);
    count += (beyond[t[0]] & beyond[t[1]] & beyond[t[2]]) == 0 ? 1u : 0u;
  }
  kept.count = count;
  make_room(kept.boxes, count);
  for (std::size_t i = 0; i < count; ++i) {
    const Index3& t = triangles[faces[i]];
    const Vector3 &a = vertices[t[0]], &b = vertices[t[1]], &c = vertices[t[2]];
    FaceBox& box = kept.boxes[i];
    for (int k = 0; k < 3; ++k) {
      box.lower[k] = std::min(std::min(a[k], b[k]), c[k]);
      box.upper[k] = std::max(std::max(a[k], b[k]), c[k]);
    }
  }
}

void judge_pairs(const Soup& a, const Soup& b, std::span<const FacePair> pairs, PairVerdicts* verdicts) {
  HWY_DYNAMIC_DISPATCH(judge)
  ({a.vertices.front().data(), a.triangles.front().data()}, {b.vertices.front().data(), b.triangles.front().data()},
   pairs.data(), pairs.size(), verdicts);
}

}  // namespace whisker::methods::soups
#endif
