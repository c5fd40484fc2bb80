// Builds and queries the support table of a convex hull. Compiled once per instruction set.

#include "shapes/hull_support.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "shapes/hull_support_kernels.cpp"
#include <hwy/foreach_target.h>
// Must come after foreach_target.h:
#include <hwy/highway.h>

#include "shapes/hull_support-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::HWY_NAMESPACE {

std::uint32_t scan(const HullSupport& table, double dx, double dy, double dz) {
  return scan_support(table.x, table.y, table.z, table.padded, dx, dy, dz);
}

std::uint32_t look_up(const HullSupport& table, double dx, double dy, double dz) {
  return cell_support(table, dx, dy, dz);
}

std::size_t find_cell(const HullSupport& table, double dx, double dy, double dz) {
  return support_cell(table, dx, dy, dz);
}

// Of `count` vertices, keeps those that can be the farthest for directions in a rectangle a0..a1 x b0..b1 of an
// octant's triangle. Returns their number.
//
// Heights above the point (a, b) are linear, p a + q b + r. So a vertex that is lower than another one at all four
// corners, by more than the `error` there, is lower in the whole rectangle. Every vertex that is not lower than another
// one is kept, so a farthest one is never lost.
//
// `all` and `kept` have four parts of length `stride`, a multiple of 8: p, q, r and the vertices' indices. They are
// padded to a multiple of eight with the last vertex. `heights` has room for eight parts. With `thorough`, all vertices
// are compared with each other if they are few. Otherwise they are compared only with those that are the highest at
// some test point.
std::size_t keep_highest(const double* all, std::size_t stride, std::size_t count, const double (&a)[2],
                         const double (&b)[2], const double (&error)[4], bool thorough, double* heights, double* kept) {
  const SupportTag d;
  using V = SupportVector;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  const V a0 = hn::Set(d, a[0]), a1 = hn::Set(d, a[1]), b0 = hn::Set(d, b[0]), b1 = hn::Set(d, b[1]);
  const V iota = hn::Iota(d, 0);

  // Computes the heights at the corners, and which vertex is the highest at each corner and in the middle.
  V best[5], where[5];
  for (int t = 0; t < 5; ++t) {
    best[t] = hn::Set(d, -HUGE_VAL);
    where[t] = hn::Zero(d);
  }
  for (std::size_t k = 0; k < count; k += lanes) {
    const V p = hn::Load(d, all + k), q = hn::Load(d, all + stride + k), r = hn::Load(d, all + 2 * stride + k);
    const V at_a0 = hn::Add(hn::Mul(a0, p), r), at_a1 = hn::Add(hn::Mul(a1, p), r);
    const V at_b0 = hn::Mul(b0, q), at_b1 = hn::Mul(b1, q);
    const V height[5] = {hn::Add(at_a0, at_b0), hn::Add(at_a1, at_b0), hn::Add(at_a0, at_b1), hn::Add(at_a1, at_b1),
                         hn::Add(hn::Add(at_a0, at_a1), hn::Add(at_b0, at_b1))};
    const V here = hn::Add(hn::Set(d, static_cast<double>(k)), iota);
    for (std::size_t t = 0; t < 5; ++t) {
      if (t < 4) hn::Store(height[t], d, heights + t * stride + k);
      where[t] = hn::IfThenElse(hn::Gt(height[t], best[t]), here, where[t]);
      best[t] = hn::Max(height[t], best[t]);
    }
  }
  // The heights that a vertex must be below to be dropped.
  V limit[5][4];
  for (std::size_t t = 0; t < 5; ++t) {
    const V top = hn::MaxOfLanes(d, best[t]);
    const V places = hn::IfThenElse(hn::Eq(best[t], top), where[t], hn::Set(d, HUGE_VAL));
    const auto place = static_cast<std::size_t>(hn::GetLane(hn::MinOfLanes(d, places)));
    for (std::size_t c = 0; c < 4; ++c)
      limit[t][c] = hn::Set(d, heights[c * stride + place] - error[c]);
  }
  const auto is_lower = [](const V(&h)[4], const V(&than)[4]) HWY_ATTR {
    return hn::And(hn::And(hn::Lt(h[0], than[0]), hn::Lt(h[1], than[1])),
                   hn::And(hn::Lt(h[2], than[2]), hn::Lt(h[3], than[3])));
  };

  double* const kept_heights = heights + 4 * stride;
  std::size_t kept_count = 0;
  for (std::size_t k = 0; k < count; k += lanes) {
    V h[4];
    for (std::size_t c = 0; c < 4; ++c)
      h[c] = hn::Load(d, heights + c * stride + k);
    const auto lower = hn::Or(hn::Or(hn::Or(is_lower(h, limit[0]), is_lower(h, limit[1])),
                                     hn::Or(is_lower(h, limit[2]), is_lower(h, limit[3]))),
                              is_lower(h, limit[4]));
    for (std::uint32_t keep = mask_bits(d, hn::Not(lower)); keep != 0; keep &= keep - 1) {
      const std::size_t from = k + static_cast<std::size_t>(std::countr_zero(keep));
      if (from >= count) break;
      for (std::size_t part = 0; part < 4; ++part) {
        kept[part * stride + kept_count] = all[part * stride + from];
        kept_heights[part * stride + kept_count] = heights[part * stride + from];
      }
      ++kept_count;
    }
  }

  constexpr std::size_t few = 32;
  if (thorough && kept_count <= few) {
    const std::size_t others = kept_count;
    kept_count = 0;
    for (std::size_t k = 0; k < others; k += lanes) {
      V h[4];
      for (std::size_t c = 0; c < 4; ++c)
        h[c] = hn::Load(d, kept_heights + c * stride + k);
      auto lower = hn::Lt(h[0], h[0]);  // none yet
      for (std::size_t other = 0; other < others; ++other) {
        V than[4];
        for (std::size_t c = 0; c < 4; ++c)
          than[c] = hn::Set(d, kept_heights[c * stride + other] - error[c]);
        lower = hn::Or(lower, is_lower(h, than));
      }
      for (std::uint32_t keep = mask_bits(d, hn::Not(lower)); keep != 0; keep &= keep - 1) {
        const std::size_t from = k + static_cast<std::size_t>(std::countr_zero(keep));
        if (from >= others) break;
        for (std::size_t part = 0; part < 4; ++part)
          kept[part * stride + kept_count] = kept[part * stride + from];
        ++kept_count;
      }
    }
  }
  for (std::size_t k = kept_count; k % 8 != 0; ++k) {
    for (std::size_t part = 0; part < 4; ++part)
      kept[part * stride + k] = kept[part * stride + kept_count - 1];
  }
  return kept_count;
}

}  // namespace whisker::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <vector>

#include <whisker/geometry/aabb.hpp>

namespace whisker {

HWY_EXPORT(scan);
HWY_EXPORT(look_up);
HWY_EXPORT(find_cell);
HWY_EXPORT(keep_highest);

namespace {

// Hulls with fewer vertices are scanned. Measured on an AMD EPYC (Zen 4) with AVX-512, for ellipsoids of n vertices and
// random directions, each waiting for the previous result, in nanoseconds without the loop's own 2:
//   n       8   16   32   48   56   64   72  128  256  512 1024 2048 4096
//   scan   10   13   16   21   22   24   31   39   61  103  190  420  863
//   cells   -    -    -    -    -    -   24   24   24   26   28   29   30
//   climb  56   78  104  122  127  148  167  250  357  532  784 1183 1750   (from the last vertex)
constexpr std::size_t min_for_cells = 65;

// Squares along the side of an octant, divided by the square root of the number of vertices. With 0.65, a cell of an
// ellipsoid lists 4 vertices on average, and fewer than one in a hundred is crowded. With 0.5, four in a hundred are,
// and lookups take longer. Larger values make lookups no faster.
constexpr double grid_per_root = 0.65;

// Limit on the total length of the lists of crowded cells, per vertex. Cylinders of 1000 sides need 40.
constexpr std::size_t crowd_per_vertex = 48;

// support_cell() is off by less than 2^-13 of a coordinate: 2^-14 from the approximate reciprocal, plus roundings.
constexpr double place_error = 0x1p-12;
// `scale` relative to `grid` times weight. 1 - 2^-13 is enough to keep all directions in the grid.
constexpr double grid_part = 1 - 0x1p-11;

// How much lower than another one a vertex must be, as computed here, to also have the smaller height in a lookup. A
// lookup's heights are off by 3 roundings of 2^-53 each: for two heights, 6 times the largest sum of |d_k v_k|.
constexpr double lookup_error = 0x1p-50;
// The heights here, of the stretched vertices, are off by less than 50 times the largest coordinate (itself rounded
// three times).
constexpr double builder_error = 0x1p-46;

// An axis along which the hull is thinner than this fraction of its longest extent is weighted as if it were that
// thick.
constexpr double thinnest = 0x1p-30;

class CellBuilder {
 public:
  CellBuilder(std::span<const Vector3> vertices, const Aabb& box, HullSupport& table) : table_(table) {
    const Vector3 extent = box.upper - box.lower;
    const Vector3 middle = box.lower + extent / 2;
    const double longest = extent.maxCoeff();
    Vector3 stretch;
    for (int axis = 0; axis < 3; ++axis) {
      table.weight[axis] = std::max(extent[axis] / longest, thinnest);
      stretch[axis] = 1 / longest / table.weight[axis];
      lookup_error_[axis] = lookup_error * (std::max(std::abs(box.lower[axis]), std::abs(box.upper[axis])) / longest /
                                            table.weight[axis]);
    }
    double reach = 0;
    for (const Vector3& vertex : vertices) {
      stretched_.push_back((vertex - middle).cwiseProduct(stretch));
      reach = std::max(reach, stretched_.back().cwiseAbs().maxCoeff());
    }
    builder_error_ = builder_error * reach;
    stride_ = table.padded;
    heights_.resize(stride_);  // eight parts
  }

  // Returns false if crowded cells would have more than `most` entries. Then the table has no cells.
  bool build(std::uint32_t grid, std::size_t most) {
    table_.grid = grid;
    side_ = 1 / (grid * grid_part);
    for (int axis = 0; axis < 2; ++axis)
      table_.scale[axis] = table_.weight[axis] * (grid * grid_part);
    HullSupport::Arrays& arrays = table_.arrays;
    if (stretched_.size() <= 0x10000) {
      arrays.cells.resize(table_.cell_count());
    } else {
      arrays.wide_cells.resize(table_.cell_count());
    }
    arrays.crowds.clear();
    arrays.crowd_coordinates.clear();
    most_ = most;
    for (octant_ = 0; octant_ < 8; ++octant_) {
      reserve(0);
      double* const list = lists_[0].data()->value;
      for (std::size_t v = 0; v < stride_; ++v) {
        const std::size_t index = std::min(v, stretched_.size() - 1);
        const Vector3& vertex = stretched_[index];
        const double r = (octant_ & 4) != 0 ? -vertex[2] : vertex[2];
        list[v] = ((octant_ & 1) != 0 ? -vertex[0] : vertex[0]) - r;
        list[stride_ + v] = ((octant_ & 2) != 0 ? -vertex[1] : vertex[1]) - r;
        list[2 * stride_ + v] = r;
        list[3 * stride_ + v] = static_cast<double>(index);
      }
      visit(0, grid, 0, grid, 0, stretched_.size());
    }
    if (arrays.crowds.size() > most_) {
      table_.grid = 0;
      return false;
    }
    if (!arrays.cells.empty()) table_.cells = arrays.cells.data();
    if (!arrays.wide_cells.empty()) table_.wide_cells = arrays.wide_cells.data();
    table_.crowds = arrays.crowds.data();
    if (!arrays.crowd_coordinates.empty()) table_.crowd_coordinates = arrays.crowd_coordinates.data()->value;
    return true;
  }

 private:
  void reserve(std::size_t depth) {
    if (lists_.size() <= depth) lists_.emplace_back(stride_ / 2);  // four parts
  }

  // Handles the squares [i_begin, i_end) x [j_begin, j_end), for which list `depth` holds all `count` vertices that can
  // be the farthest. Keeps those that can be the farthest here and passes them on to the subdivisions.
  void visit(std::uint32_t i_begin, std::uint32_t i_end, std::uint32_t j_begin, std::uint32_t j_end, std::size_t depth,
             std::size_t count) {
    if (i_begin == i_end || j_begin == j_end || i_begin + j_begin >= table_.grid) return;
    if (table_.arrays.crowds.size() > most_) return;
    const bool is_cell = i_end - i_begin == 1 && j_end - j_begin == 1;
    const double a[2] = {i_begin * side_ * (1 - place_error), i_end * side_ * (1 + place_error)};
    const double b[2] = {j_begin * side_ * (1 - place_error), j_end * side_ * (1 + place_error)};
    double error[4];
    for (std::size_t c = 0; c < 4; ++c) {
      const double a_c = a[c & 1], b_c = b[c >> 1];
      error[c] =
          a_c * lookup_error_[0] + b_c * lookup_error_[1] + std::abs(1 - a_c - b_c) * lookup_error_[2] + builder_error_;
    }
    reserve(depth + 1);
    double* const kept = lists_[depth + 1].data()->value;
    const std::size_t kept_count = HWY_DYNAMIC_DISPATCH(keep_highest)(lists_[depth].data()->value, stride_, count, a, b,
                                                                      error, is_cell, heights_.data()->value, kept);
    if (is_cell) {
      store(i_begin, j_begin, kept + 3 * stride_, kept_count);
      return;
    }
    const std::uint32_t i_middle = (i_begin + i_end) / 2, j_middle = (j_begin + j_end) / 2;
    visit(i_begin, i_middle, j_begin, j_middle, depth + 1, kept_count);
    visit(i_middle, i_end, j_begin, j_middle, depth + 1, kept_count);
    visit(i_begin, i_middle, j_middle, j_end, depth + 1, kept_count);
    visit(i_middle, i_end, j_middle, j_end, depth + 1, kept_count);
  }

  // Stores the vertices of a cell, whose indices are given as doubles.
  void store(std::uint32_t i, std::uint32_t j, const double* indices, std::size_t count) {
    const std::size_t squares = std::size_t{table_.grid} * (table_.grid + 1);
    const std::size_t square = std::size_t{i} * table_.grid + j;
    const std::size_t place = (octant_ & 3) * squares + ((octant_ & 4) != 0 ? squares - 1 - square : square);
    HullSupport::Arrays& arrays = table_.arrays;
    const auto set = [&](auto& cell) {
      if (count <= 8) {
        for (std::size_t k = 0; k < 8; ++k) {
          cell.vertex[k] = static_cast<std::remove_reference_t<decltype(cell.vertex[k])>>(indices[k < count ? k : 0]);
        }
        return;
      }
      const std::size_t first = arrays.crowds.size();
      const std::size_t eights = (count + 7) / 8;
      for (std::size_t k = 0; k < 8 * eights; ++k)
        arrays.crowds.push_back(static_cast<std::uint32_t>(indices[k]));
      cell.set_crowd({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(eights),
                      static_cast<std::uint32_t>(arrays.crowd_coordinates.size())});
      if (eights < SupportCrowd::large) return;
      for (const auto coordinate : {&SupportVertex::x, &SupportVertex::y, &SupportVertex::z}) {
        for (std::size_t k = 0; k < eights; ++k) {
          EightDoubles& eight = arrays.crowd_coordinates.emplace_back();
          for (std::size_t lane = 0; lane < 8; ++lane)
            eight.value[lane] = arrays.vertices[arrays.crowds[first + 8 * k + lane]].*coordinate;
        }
      }
    };
    if (arrays.wide_cells.empty()) {
      set(arrays.cells[place]);
    } else {
      set(arrays.wide_cells[place]);
    }
  }

  HullSupport& table_;
  // The vertices in the space of weighted directions: relative to the hull's center, in units of its extents.
  std::vector<Vector3> stretched_;
  double lookup_error_[3];  // in those units, for a direction along an axis
  double builder_error_ = 0;
  double side_ = 0;      // of a square
  unsigned octant_ = 0;  // 1: x < 0, 2: y < 0, 4: z < 0
  std::size_t most_ = 0;
  // Lists for keep_highest(), one for each level of the recursion.
  std::size_t stride_ = 0;
  std::vector<std::vector<EightDoubles>> lists_;
  std::vector<EightDoubles> heights_;
};

}  // namespace

HullSupport build_hull_support(std::span<const Vector3> vertices) {
  HullSupport table;
  table.count = static_cast<std::uint32_t>(vertices.size());
  table.padded = (table.count + 7) / 8 * 8;
  table.arrays.coordinates.resize(std::size_t{3} * table.padded / 8);
  double* const begin = table.arrays.coordinates.data()->value;
  for (std::size_t v = 0; v < table.padded; ++v) {
    const Vector3& vertex = vertices[v < vertices.size() ? v : 0];
    for (std::size_t axis = 0; axis < 3; ++axis)
      begin[axis * table.padded + v] = vertex[static_cast<Eigen::Index>(axis)];
  }
  Aabb box;
  table.arrays.vertices.reserve(vertices.size());
  for (const Vector3& vertex : vertices) {
    const auto number = static_cast<double>(table.arrays.vertices.size());
    table.arrays.vertices.push_back({vertex[0], vertex[1], vertex[2], number});
    box.include(vertex);
    table.middle += vertex / static_cast<double>(vertices.size());
    table.size = std::max(table.size, vertex.stableNorm() * (1 + 0x1p-48));
  }
  table.vertices = table.arrays.vertices.data();
  table.x = begin;
  table.y = begin + table.padded;
  table.z = begin + 2 * std::size_t{table.padded};
  if (table.padded <= 64 && table.size < 0x1p100) {
    const std::size_t blocks = (table.padded + 15) / 16;
    table.arrays.rounded.resize(3 * blocks);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (std::size_t v = 0; v < 16 * blocks; ++v) {
        const Vector3& vertex = vertices[v < vertices.size() ? v : 0];
        table.arrays.rounded[axis * blocks + v / 16].value[v % 16] =
            static_cast<float>(vertex[static_cast<Eigen::Index>(axis)]);
      }
    }
    table.rounded = table.arrays.rounded.data()->value;
  }
  // For smaller hulls, heights would underflow along a direction of 1e-150 and be off by more than lookup_error.
  constexpr double smallest = 1e-140;
  if (vertices.size() < min_for_cells || (box.upper - box.lower).maxCoeff() < smallest) return table;
  CellBuilder builder(vertices, box, table);
  const double count = static_cast<double>(vertices.size());
  for (auto grid = static_cast<std::uint32_t>(std::lround(grid_per_root * std::sqrt(count))); grid >= 2; grid /= 2) {
    if (builder.build(grid, crowd_per_vertex * vertices.size())) return table;
  }
  table.arrays.cells = {};
  table.arrays.wide_cells = {};
  table.arrays.crowds = {};
  table.arrays.crowd_coordinates = {};
  return table;
}

std::uint32_t hull_support(const HullSupport& table, const Vector3& direction) {
  if (table.has_cells()) return HWY_DYNAMIC_DISPATCH(look_up)(table, direction[0], direction[1], direction[2]);
  return HWY_DYNAMIC_DISPATCH(scan)(table, direction[0], direction[1], direction[2]);
}

std::size_t cell_of(const HullSupport& table, const Vector3& direction) {
  return HWY_DYNAMIC_DISPATCH(find_cell)(table, direction[0], direction[1], direction[2]);
}

}  // namespace whisker
#endif
