// Cells of a virtual octree: which boxes overlap them, how cells are divided, and the pairs in the undivided ones.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "methods/soups/face_octree.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "methods/soups/face_octree_kernels.cpp"
#include <hwy/foreach_target.h>
// highway.h must come after foreach_target.h.
#include <hwy/highway.h>

#include "simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::methods::soups::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace simd::HWY_NAMESPACE;

// --- transforming boxes to the region ----------------------------------------------------------------------------

std::size_t boxes_within_region(const RegionFrame& region, const FaceBox* boxes, const std::uint32_t* faces,
                                std::size_t count, CellFace* within) {
  const hn::CappedTag<double, 4> d;
  const hn::Rebind<float, decltype(d)> narrow;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  const auto zero = hn::Zero(d), one = hn::Set(d, 1.0);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; ++i) {
    unsigned outside = 0;
    for (std::size_t k = 0; k < 4; k += lanes) {
      const auto lower = hn::Load(d, boxes[i].lower + k), upper = hn::Load(d, boxes[i].upper + k);
      const auto first = hn::LoadU(d, region.lower + k), last = hn::LoadU(d, region.upper + k);
      const auto scale = hn::LoadU(d, region.scale + k);
      outside |= mask_bits(d, hn::Or(hn::Gt(lower, last), hn::Lt(upper, first))) << k;
      const auto place = [&](hn::Vec<decltype(d)> x) HWY_ATTR {
        return hn::DemoteTo(narrow, hn::Min(hn::Max(hn::Mul(hn::Sub(x, first), scale), zero), one));
      };
      hn::StoreU(place(lower), narrow, within[kept].lower + k);
      hn::StoreU(place(upper), narrow, within[kept].upper + k);
    }
    within[kept].face = faces[i];
    kept += (outside & 7) == 0 ? 1u : 0u;
  }
  return kept;
}

// --- dividing a cell ---------------------------------------------------------------------------------------------

using RowTag = hn::FixedTag<float, 4>;  // x, y, z, and bits that are not a float
using Row = hn::Vec<RowTag>;

struct Bounds {
  Row lower, upper;
};
HWY_INLINE Bounds bounds_of(const CellList& list) {
  const RowTag d;
  const auto box = [&](std::size_t i) HWY_ATTR {
    return Bounds{hn::Load(d, list.faces[i].lower), hn::Load(d, list.faces[i].upper)};
  };
  const auto include = [](Bounds& all, const Bounds& one) HWY_ATTR {
    all.lower = hn::Min(all.lower, one.lower);
    all.upper = hn::Max(all.upper, one.upper);
  };
  // Four at a time, so that no minimum depends on the one before.
  Bounds part0 = box(0), part1 = part0, part2 = part0, part3 = part0;
  std::size_t i = 1;
  for (; i + 4 <= list.count; i += 4) {
    include(part0, box(i));
    include(part1, box(i + 1));
    include(part2, box(i + 2));
    include(part3, box(i + 3));
  }
  for (; i < list.count; ++i)
    include(part0, box(i));
  include(part0, part1);
  include(part2, part3);
  include(part0, part2);
  return part0;
}

/// The shares of a list's boxes that begin below a position, and that end at or above it, for the three axes. Samples a
/// long list.
struct Sides {
  alignas(16) std::int32_t below[4];
  alignas(16) std::int32_t above[4];
  double count;

  double share_below(std::size_t axis) const { return below[axis] / count; }
  double share_above(std::size_t axis) const { return above[axis] / count; }
};
HWY_INLINE Sides sides_of(const CellList& list, const float* places) {
  constexpr std::size_t some = 256;
  const std::size_t step = std::max<std::size_t>(1, list.count / some);
  const RowTag d;
  const hn::RebindToSigned<RowTag> whole;
  const Row at = hn::Load(d, places);
  auto below = hn::Zero(whole), above = hn::Zero(whole);
  for (std::size_t i = 0; i < list.count; i += step) {
    // True lanes of a mask are -1.
    below = hn::Sub(below, hn::VecFromMask(whole, hn::RebindMask(whole, hn::Lt(hn::Load(d, list.faces[i].lower), at))));
    above = hn::Sub(above, hn::VecFromMask(whole, hn::RebindMask(whole, hn::Ge(hn::Load(d, list.faces[i].upper), at))));
  }
  Sides sides;
  hn::Store(below, whole, sides.below);
  hn::Store(above, whole, sides.above);
  sides.count = static_cast<double>((list.count + step - 1) / step);
  return sides;
}

/// Where to divide a cell.
struct Plan {
  std::size_t axis;
  float place;
  double share;  ///< estimated share of its pairs that remain in the two halves
};
HWY_INLINE Plan best_of(const Cell& cell, const float* places) {
  const Sides a = sides_of(cell.a, places), b = sides_of(cell.b, places);
  Plan best = {0, 0, HUGE_VAL};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double share = a.share_below(axis) * b.share_below(axis) + a.share_above(axis) * b.share_above(axis);
    if (share < best.share) best = {axis, places[axis], share};
  }
  return best;
}

/// The median center, along an axis, of a sample of boxes from both lists.
float sampled_median(const Cell& cell, std::size_t axis) {
  constexpr std::size_t most = 32;  // samples per list
  std::array<float, 2 * most> middles;
  std::size_t count = 0;
  for (const CellList* const list : {&cell.a, &cell.b}) {
    const std::size_t samples = std::min(most, list->count);
    for (std::size_t i = 0; i < samples; ++i) {
      const CellFace& face = list->faces[i * list->count / samples];
      middles[count++] = 0.5f * (face.lower[axis] + face.upper[axis]);
    }
  }
  std::nth_element(middles.begin(), middles.begin() + count / 2, middles.begin() + count);
  return middles[count / 2];
}

/// The cost of dividing, per box, in comparisons of two boxes in an undivided cell. Measured.
constexpr double divide_cost = 8;
/// A cell is not divided if more than about this share of its pairs would remain.
constexpr double largest_share = 0.9;
/// A cell also stays whole if dividing it turns out to leave more than this share. So no path is long, and all cells of
/// a depth together have no more pairs than the region, regardless of their content. (With a level given, the limit is
/// the number of pairs before the division.)
constexpr double max_share_left = 0.95;
/// With a level given, cells with at most this many pairs are not divided.
constexpr double few_pairs = 16;
/// With more pairs than this, it is worth searching further for a position to divide at.
constexpr double many_pairs = 4096;

HWY_INLINE double pairs_of(const Cell& cell) {
  return static_cast<double>(cell.a.count) * static_cast<double>(cell.b.count);
}

/// Copies the boxes of a list that overlap the lower and the upper part of a region into the respective lists.
HWY_INLINE void sort_into(const CellList& list, const Bounds& low_part, const Bounds& high_part, CellList& lower,
                          CellList& upper) {
  const RowTag d;
  CellFace *low = lower.faces, *high = upper.faces;
  const auto is_in = [&](Row from, Row to, const Bounds& part) HWY_ATTR {
    return (mask_bits(d, hn::Or(hn::Gt(from, part.upper), hn::Lt(to, part.lower))) & 7) == 0 ? 1 : 0;
  };
  for (std::size_t i = 0; i < list.count; ++i) {
    const Row from = hn::Load(d, list.faces[i].lower), to = hn::Load(d, list.faces[i].upper);
    hn::Store(from, d, low->lower);
    hn::Store(to, d, low->upper);
    low += is_in(from, to, low_part);
    hn::Store(from, d, high->lower);
    hn::Store(to, d, high->upper);
    high += is_in(from, to, high_part);
  }
  lower.count = static_cast<std::size_t>(low - lower.faces);
  upper.count = static_cast<std::size_t>(high - upper.faces);
}

/// Divides a cell into halves with the boxes that overlap the region, unless more than `most` pairs would be left.
HWY_INLINE CellFate make_halves(const Cell& cell, const Bounds& region, const Plan& plan, double most, CellStack& stack,
                                Cell& lower, Cell& upper) {
  const CellStack::Mark mark = stack.mark();
  lower = upper = cell;
  lower.end[plan.axis] = upper.begin[plan.axis] = plan.place;
  // One extra box for values that are written but not kept.
  lower.a.faces = stack.push(cell.a.count + 1);
  upper.a.faces = stack.push(cell.a.count + 1);
  lower.b.faces = stack.push(cell.b.count + 1);
  upper.b.faces = stack.push(cell.b.count + 1);
  const RowTag d;
  Bounds low_part = region, high_part = region;
  const auto is_axis = hn::Eq(hn::Iota(d, 0.0f), hn::Set(d, static_cast<float>(plan.axis)));
  // A box that begins at the position is only in the upper part.
  const Row before = hn::Set(d, std::nextafter(plan.place, -1.0f));
  low_part.upper = hn::IfThenElse(is_axis, hn::Min(region.upper, before), region.upper);
  high_part.lower = hn::IfThenElse(is_axis, hn::Max(region.lower, hn::Set(d, plan.place)), region.lower);
  sort_into(cell.a, low_part, high_part, lower.a, upper.a);
  sort_into(cell.b, low_part, high_part, lower.b, upper.b);
  if (pairs_of(lower) + pairs_of(upper) <= most) return CellFate::divided;
  stack.release(mark);
  return CellFate::last;
}

/// The beginning of a cell along the three axes, and 0.
HWY_INLINE Row begin_of(const Cell& cell) {
  alignas(16) const float begin[4] = {cell.begin[0], cell.begin[1], cell.begin[2], 0};
  return hn::Load(RowTag(), begin);
}

/// Divides down to a given level.
HWY_NOINLINE CellFate divide_to_level(const Cell& cell, const OctreeOptions& options, CellStack& stack, Cell& lower,
                                      Cell& upper) {
  const double pairs = pairs_of(cell);
  if (pairs <= few_pairs) return CellFate::last;
  // The side that is longest in the world, if the level requires dividing it.
  double longest = std::ldexp(std::max({options.extent[0], options.extent[1], options.extent[2]}), -options.level);
  std::size_t k = 3;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double side = options.extent[axis] * static_cast<double>(cell.end[axis] - cell.begin[axis]);
    if (side > longest) longest = side, k = axis;
  }
  if (k == 3) return CellFate::last;
  const Bounds all = {begin_of(cell), hn::Set(RowTag(), 1.0f)};
  const Plan middle = {k, 0.5f * (cell.begin[k] + cell.end[k]), 0};
  return make_halves(cell, all, middle, pairs, stack, lower, upper);
}

/// Divides if it pays off.
HWY_NOINLINE CellFate divide_if_it_pays(const Cell& cell, CellStack& stack, Cell& lower, Cell& upper) {
  const double pairs = pairs_of(cell), boxes = static_cast<double>(cell.a.count + cell.b.count);
  // Assumes that about half of the pairs would remain.
  if (pairs <= 2 * divide_cost * boxes) return CellFate::last;
  // The intersection of the bounds of both lists is again a region of overlap.
  const RowTag d;
  const Bounds a = bounds_of(cell.a), b = bounds_of(cell.b);
  const Bounds region = {hn::Max(begin_of(cell), hn::Max(a.lower, b.lower)), hn::Min(a.upper, b.upper)};
  if ((mask_bits(d, hn::Gt(region.lower, region.upper)) & 7) != 0) return CellFate::empty;
  alignas(16) float places[4];
  hn::Store(hn::Mul(hn::Set(d, 0.5f), hn::Add(region.lower, region.upper)), d, places);

  const double enough = std::min(largest_share, 1 - divide_cost * boxes / pairs);
  Plan plan = best_of(cell, places);
  if (plan.share > enough && pairs > many_pairs) {
    // A few boxes far from all others make the center a poor position.
    for (std::size_t axis = 0; axis < 3; ++axis)
      places[axis] = sampled_median(cell, axis);
    plan = best_of(cell, places);
  }
  if (plan.share > enough) return CellFate::last;
  return make_halves(cell, region, plan, max_share_left * pairs, stack, lower, upper);
}

CellFate divide_cell(const Cell& cell, const OctreeOptions& options, CellStack& stack, OctreeCounts& counts,
                     Cell& lower, Cell& upper) {
  if (cell.a.count == 0 || cell.b.count == 0) return CellFate::empty;
  ++counts.cells;
  return options.level < 0 ? divide_if_it_pays(cell, stack, lower, upper)
                           : divide_to_level(cell, options, stack, lower, upper);
}

// --- pairs of an undivided cell ----------------------------------------------------------------------------------

/// Compares boxes of one list with a block of the other, which is stored in structure-of-arrays form.
class LastCells {
 public:
  explicit LastCells(const FacePairSink& sink) : sink_(sink) {}

  void look_at(const Cell& cell) {
    // The longer list fills the lanes.
    const bool is_swapped = cell.a.count > cell.b.count;
    const CellList &rows = is_swapped ? cell.b : cell.a, &lanes = is_swapped ? cell.a : cell.b;
    for (std::size_t first = 0; first < lanes.count; first += block) {
      fill({lanes.faces + first, std::min(block, lanes.count - first)});
      is_swapped ? compare<true>(rows, cell.begin) : compare<false>(rows, cell.begin);
    }
  }

  void hand_over() {
    if (count_ > 0) sink_(pairs_, count_);
    count_ = 0;
  }

 private:
  using Tag = hn::CappedTag<float, 16>;
  static constexpr std::size_t block = 64;
  static constexpr std::size_t most = 512;

  void fill(const CellList& list) {
    size_ = list.count;
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t k = 0; k < 3; ++k) {
        lower_[k][i] = list.faces[i].lower[k];
        upper_[k][i] = list.faces[i].upper[k];
      }
      face_[i] = list.faces[i].face;
    }
  }

  template <bool is_swapped>
  HWY_NOINLINE void compare(const CellList& rows, const float* begin) {
    const Tag d;
    constexpr std::size_t lanes = hn::MaxLanes(d);
    for (std::size_t i = 0; i < rows.count; ++i) {
      const CellFace& row = rows.faces[i];
      if (count_ + block > most) hand_over();
      // If this box begins before the cell, the other must not.
      float least[3];
      for (std::size_t k = 0; k < 3; ++k)
        least[k] = row.lower[k] >= begin[k] ? -1.0f : begin[k];
      const auto x0 = hn::Set(d, row.lower[0]), y0 = hn::Set(d, row.lower[1]), z0 = hn::Set(d, row.lower[2]);
      const auto x1 = hn::Set(d, row.upper[0]), y1 = hn::Set(d, row.upper[1]), z1 = hn::Set(d, row.upper[2]);
      const auto x2 = hn::Set(d, least[0]), y2 = hn::Set(d, least[1]), z2 = hn::Set(d, least[2]);
      for (std::size_t j = 0; j < size_; j += lanes) {
        const auto x = hn::Load(d, lower_[0] + j), y = hn::Load(d, lower_[1] + j), z = hn::Load(d, lower_[2] + j);
        const auto is_x = hn::And(hn::And(hn::Le(x, x1), hn::Ge(x, x2)), hn::Ge(hn::Load(d, upper_[0] + j), x0));
        const auto is_y = hn::And(hn::And(hn::Le(y, y1), hn::Ge(y, y2)), hn::Ge(hn::Load(d, upper_[1] + j), y0));
        const auto is_z = hn::And(hn::And(hn::Le(z, z1), hn::Ge(z, z2)), hn::Ge(hn::Load(d, upper_[2] + j), z0));
        const unsigned some = (1u << std::min(lanes, size_ - j)) - 1;
        for (unsigned hit = mask_bits(d, hn::And(hn::And(is_x, is_y), is_z)) & some; hit != 0; hit &= hit - 1) {
          const std::uint32_t other = face_[j + hwy::Num0BitsBelowLS1Bit_Nonzero32(hit)];
          pairs_[count_++] = is_swapped ? FacePair{other, row.face} : FacePair{row.face, other};
        }
      }
    }
  }

  const FacePairSink& sink_;
  std::size_t size_ = 0;
  HWY_ALIGN float lower_[3][block] = {};
  HWY_ALIGN float upper_[3][block] = {};
  std::uint32_t face_[block];
  std::size_t count_ = 0;
  FacePair pairs_[most];
};

void look_into(const Cell& cell, const OctreeOptions& options, CellStack& stack, OctreeCounts& counts,
               LastCells& last_cells) {
  Cell lower, upper;
  const CellStack::Mark mark = stack.mark();
  switch (divide_cell(cell, options, stack, counts, lower, upper)) {
    case CellFate::empty:
      break;
    case CellFate::last:
      counts.box_tests += cell.a.count * cell.b.count;
      last_cells.look_at(cell);
      break;
    case CellFate::divided:
      look_into(lower, options, stack, counts, last_cells);
      look_into(upper, options, stack, counts, last_cells);
      break;
  }
  stack.release(mark);
}

void find_pairs_of(const Cell& cell, const OctreeOptions& options, CellStack& stack, OctreeCounts& counts,
                   const FacePairSink& sink) {
  LastCells last_cells(sink);
  look_into(cell, options, stack, counts, last_cells);
  last_cells.hand_over();
}

}  // namespace whisker::methods::soups::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whisker::methods::soups {

HWY_EXPORT(boxes_within_region);
HWY_EXPORT(divide_cell);
HWY_EXPORT(find_pairs_of);

RegionFrame region_frame(const double* lower, const double* upper) {
  RegionFrame frame = {};
  for (std::size_t k = 0; k < 3; ++k) {
    frame.lower[k] = lower[k];
    frame.upper[k] = upper[k];
    const double scale = 1 / (upper[k] - lower[k]);
    frame.scale[k] = std::isfinite(scale) ? scale : 0;
  }
  return frame;
}

std::size_t boxes_within(const RegionFrame& region, const FaceBox* boxes, const std::uint32_t* faces, std::size_t count,
                         CellFace* within) {
  return HWY_DYNAMIC_DISPATCH(boxes_within_region)(region, boxes, faces, count, within);
}

void CellStack::add_block(std::size_t least) {
  constexpr std::size_t smallest = 4096;
  const std::size_t before = blocks_.empty() ? 0 : blocks_.back().size();
  blocks_.emplace_back(std::max({least, smallest, 2 * before}));
}

CellFate divide(const Cell& cell, const OctreeOptions& options, CellStack& stack, OctreeCounts& counts, Cell& lower,
                Cell& upper) {
  return HWY_DYNAMIC_DISPATCH(divide_cell)(cell, options, stack, counts, lower, upper);
}

void find_pairs(const Cell& cell, const OctreeOptions& options, CellStack& stack, OctreeCounts& counts,
                const FacePairSink& sink) {
  HWY_DYNAMIC_DISPATCH(find_pairs_of)(cell, options, stack, counts, sink);
}

}  // namespace whisker::methods::soups
#endif
