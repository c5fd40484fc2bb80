// Tests whole fans of triangles around a vertex, one fan per lane. Compiled once per instruction set.

#include <vector>

#include "deform/fans.hpp"
#include "geometry/lease.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "deform/fan_kernels.cpp"
#include <hwy/foreach_target.h>
// Must come after foreach_target.h:
#include <hwy/highway.h>

#include "simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::deform::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace simd::HWY_NAMESPACE;

using Tag = hn::CappedTag<double, 8>;
using V = hn::Vec<Tag>;
using M = hn::Mask<Tag>;

using V3 = Lanes3<V>;

/// For each ring vertex, four rows of lanes: the vector from the center to it, and that vector's largest coordinate.
struct ArmRows {
  std::vector<double> values;
};

/// Each vector coordinate has a relative error of at most half an ulp. n_j · N and (N × d_0) · d_j are sums of six
/// products of three such coordinates, where N is taken as exact. Each product takes part in at most eight roundings,
/// so the results are off by less than 64 units of 2^-53 times the product of the three largest coordinates.
void find(const Fans& fans, const Fans::Group& group, std::span<const std::uint32_t> which, const double* vertices,
          double scale, std::vector<std::uint32_t>& doubtful) {
  const Tag d;
  const hn::RebindToSigned<Tag> di;
  const hn::Rebind<std::uint32_t, Tag> du;
  const hn::RebindToUnsigned<Tag> dl;
  constexpr std::size_t lanes = hn::MaxLanes(Tag());
  const std::size_t ring = group.ring;
  const geometry::Lease<ArmRows> memory;
  if (memory->values.size() < 4 * lanes * ring) memory->values.resize(4 * lanes * ring);
  double* const rows = memory->values.data();
  const V unit = hn::Set(d, scale), error = hn::Set(d, 0x1p-47), least = hn::Set(d, 1e-290), zero = hn::Zero(d);
  for (std::size_t i = 0; i < which.size(); i += lanes) {
    // The last group repeats the last fan instead of running with fewer lanes.
    const std::size_t count = std::min(lanes, which.size() - i);
    std::uint32_t fan[lanes];
    for (std::size_t k = 0; k < lanes; ++k)
      fan[k] = which[i + std::min(k, count - 1)];
    HWY_ALIGN std::uint32_t numbers[lanes];
    const auto at = [&](const std::uint32_t* row) HWY_ATTR {
      for (std::size_t k = 0; k < lanes; ++k)
        numbers[k] = row[fan[k]];
      const auto wide = hn::PromoteTo(dl, hn::Load(du, numbers));
      const auto index = hn::BitCast(di, hn::Add(hn::Add(wide, wide), wide));
      return V3{hn::GatherIndex(d, vertices, index), hn::GatherIndex(d, vertices + 1, index),
                hn::GatherIndex(d, vertices + 2, index)};
    };
    const V3 center = at(fans.centers.data() + group.first);
    for (std::size_t r = 0; r < ring; ++r) {
      const V3 p = at(fans.rings.data() + group.first_ring + r * group.size);
      const V3 v = (p - center) * unit;
      double* const row = rows + 4 * lanes * r;
      hn::StoreU(v.x, d, row);
      hn::StoreU(v.y, d, row + lanes);
      hn::StoreU(v.z, d, row + 2 * lanes);
      hn::StoreU(largest_size(v), d, row + 3 * lanes);
    }
    const auto arm = [&](std::size_t r) HWY_ATTR {
      const double* const row = rows + 4 * lanes * r;
      return load3(d, row, row + lanes, row + 2 * lanes);
    };
    const auto size = [&](std::size_t r) HWY_ATTR { return hn::LoadU(d, rows + 4 * lanes * r + 3 * lanes); };
    const std::size_t sectors = group.is_closed ? ring : ring - 1;
    V3 sum = {zero, zero, zero};
    V3 last = arm(0);
    for (std::size_t r = 0; r < sectors; ++r) {
      const V3 next = arm(r + 1 < ring ? r + 1 : 0);
      sum = sum + fused_cross(last, next);
      last = next;
    }
    const V sum_error = hn::Mul(error, largest_size(sum));
    M good = hn::Eq(zero, zero);
    last = arm(0);
    V last_size = size(0);
    for (std::size_t r = 0; r < sectors; ++r) {
      const std::size_t following = r + 1 < ring ? r + 1 : 0;
      const V3 next = arm(following);
      const V next_size = size(following);
      const V bound = hn::MulAdd(sum_error, hn::Mul(last_size, next_size), least);
      good = hn::And(good, hn::Gt(fused_dot(fused_cross(last, next), sum), bound));
      last = next;
      last_size = next_size;
    }
    // The d_j from d_1 on must be left of d_0 first, then right of it. Between these, one d_j may be on neither side
    // for certain, but not two: each is less than half a turn after the one before, so after one such d_j the total
    // turn is still less than a full circle, but after two it may not be.
    const V3 left_of_first = fused_cross(sum, arm(0));
    const V first_error = hn::Mul(sum_error, size(0));
    M was_left = hn::Eq(zero, zero);
    for (std::size_t r = 1; r < ring; ++r) {
      const V side = fused_dot(left_of_first, arm(r)), bound = hn::MulAdd(first_error, size(r), least);
      const M is_left = hn::Gt(side, bound), is_right = hn::Lt(side, hn::Neg(bound));
      good = hn::And(good, hn::Or(is_right, was_left));
      was_left = hn::And(was_left, is_left);
    }
    const unsigned bits = mask_bits(d, good);
    for (std::size_t k = 0; k < count; ++k)
      if ((bits >> k & 1) == 0) doubtful.push_back(fans.centers[group.first + fan[k]]);
  }
}

}  // namespace whisker::deform::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whisker::deform {

HWY_EXPORT(find);

void find_doubtful(const Fans& fans, const Fans::Group& group, std::span<const std::uint32_t> numbers,
                   std::span<const Vector3> vertices, double scale, std::vector<std::uint32_t>& doubtful) {
  HWY_DYNAMIC_DISPATCH(find)(fans, group, numbers, vertices.front().data(), scale, doubtful);
}

}  // namespace whisker::deform
#endif
