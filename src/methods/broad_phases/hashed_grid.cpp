#include "methods/broad_phases/hashed_grid.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "geometry/grouped.hpp"
#include "geometry/lists.hpp"
#include "world/box_pairs.hpp"

namespace whisker::methods {

using world::overlap;
using world::sort_pairs;

namespace {

// Levels whose cell sizes and their inverses are normal numbers.
constexpr int min_exponent = -1000, greatest_exponent = 1000;
constexpr int levels_in_all = greatest_exponent - min_exponent + 1;
// A bound is at most about 2^place_bits cells away from the origin at the level of its box.
constexpr int place_bits = 40;

double scale_of(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(1023 - exponent) << 52);
}

/// The exponent k of a number with 2^k <= |x| < 2^(k+1). For 0 and subnormal numbers it is smaller than for all others.
int exponent_of(double x) {
  return static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52 & 0x7FF) - 1023;
}

/// The range of cells that a box overlaps.
struct Cells {
  std::int64_t lower[3], upper[3];
};

std::int64_t cell_of(double value, double scale) {
  // Clamped to the range of integers, which keeps it monotone. Truncation rounds toward zero, so subtract one where
  // that rounded up.
  const double x = std::clamp(value * scale, -0x1p60, 0x1p60);
  const auto whole = static_cast<std::int64_t>(x);
  return whole - (static_cast<double>(whole) > x ? 1 : 0);
}

Cells cells_of(const Aabb& box, int exponent) {
  const double scale = scale_of(exponent);
  Cells cells;
  for (int axis = 0; axis < 3; ++axis) {
    cells.lower[axis] = cell_of(box.lower[axis], scale);
    cells.upper[axis] = cell_of(box.upper[axis], scale);
  }
  return cells;
}

std::uint64_t hash_of(std::int64_t x, std::int64_t y, std::int64_t z) {
  std::uint64_t h = static_cast<std::uint64_t>(x) * 0x9E3779B97F4A7C15u;
  h = (h ^ h >> 32) + static_cast<std::uint64_t>(y) * 0xC2B2AE3D27D4EB4Fu;
  h = (h ^ h >> 29) + static_cast<std::uint64_t>(z) * 0x165667B19E3779F9u;
  h = (h ^ h >> 32) * 0xD6E8FEB86659FD93u;
  return h ^ h >> 32;
}

/// Calls visit(hash) for each cell.
template <class Visit>
void each_cell(const Cells& cells, const Visit& visit) {
  for (std::int64_t x = cells.lower[0]; x <= cells.upper[0]; ++x) {
    for (std::int64_t y = cells.lower[1]; y <= cells.upper[1]; ++y) {
      for (std::int64_t z = cells.lower[2]; z <= cells.upper[2]; ++z)
        visit(hash_of(x, y, z));
    }
  }
}

std::uint64_t home_of(const Aabb& a, const Aabb& b, int exponent) {
  const double scale = scale_of(exponent);
  return hash_of(cell_of(std::max(a.lower[0], b.lower[0]), scale), cell_of(std::max(a.lower[1], b.lower[1]), scale),
                 cell_of(std::max(a.lower[2], b.lower[2]), scale));
}

// Returns the level of the box, or greatest_exponent + 1 if there is no such level.
int level_of(const Aabb& box) {
  const double size = (box.upper - box.lower).maxCoeff();
  const double far = box.lower.cwiseAbs().cwiseMax(box.upper.cwiseAbs()).maxCoeff();
  if (!(size < HUGE_VAL) || !(far < HUGE_VAL)) return greatest_exponent + 1;
  int exponent = std::max({exponent_of(size) + 1, exponent_of(far) - place_bits, min_exponent});
  for (; exponent <= greatest_exponent; ++exponent) {
    const Cells cells = cells_of(box, exponent);
    if (cells.upper[0] - cells.lower[0] <= 1 && cells.upper[1] - cells.lower[1] <= 1 &&
        cells.upper[2] - cells.lower[2] <= 1) {
      break;
    }
  }
  return exponent;
}

bool is_wanted_now(const BroadPhaseBoxes& boxes, std::uint32_t a, std::uint32_t b, bool first) {
  if (first) return (boxes.is_static[a] & boxes.is_static[b] & 1) == 0;
  return world::is_wanted(boxes, a, b);
}

}  // namespace

template <class Visit>
std::uint64_t HashedGrid::visit_overlapping(const BroadPhaseBoxes& boxes, const Grid& grid, const Level& level,
                                            const Aabb& box, const Visit& visit) {
  const Cells c = cells_of(box, level.exponent);
  const auto along = [&](int axis) { return static_cast<double>(c.upper[axis] - c.lower[axis] + 1); };
  const std::uint32_t count = level.end - level.begin;
  if (along(0) * along(1) * along(2) > std::max(8.0, static_cast<double>(count))) {
    for (std::uint32_t i = level.begin; i < level.end; ++i)
      if (overlap(box, boxes.box[grid.numbers[i]])) visit(grid.numbers[i]);
    return count;
  }
  std::uint64_t compared = 0;
  each_cell(c, [&](std::uint64_t hash) {
    for (const Entry& entry : grid.bucket(level, hash)) {
      if (entry.hash != hash) continue;
      ++compared;
      const Aabb& other = boxes.box[entry.number];
      if (overlap(box, other) && home_of(box, other, level.exponent) == hash) visit(entry.number);
    }
  });
  return compared;
}

void HashedGrid::build(const BroadPhaseBoxes& boxes, std::span<const std::uint32_t> numbers, Grid& grid) {
  grid.numbers.clear();
  grid.levels.clear();
  if (numbers.empty()) return;
  const auto by_level = [&](const auto& visit) {
    for (const std::uint32_t number : numbers)
      visit(static_cast<std::size_t>(level_[number] - min_exponent), number);
  };
  geometry::group_items(levels_in_all, by_level, level_begin_, grid.numbers);
  std::uint32_t buckets = 0;
  for (int k = 0; k < levels_in_all; ++k) {
    const std::uint32_t begin = level_begin_[static_cast<std::size_t>(k)];
    const std::uint32_t end = level_begin_[static_cast<std::size_t>(k) + 1];
    if (begin == end) continue;
    const std::uint32_t wide = std::bit_ceil(2 * (end - begin));  // about as many buckets as entries
    grid.levels.push_back({min_exponent + k, begin, end, buckets, wide - 1});
    buckets += wide;
  }

  // Put each box into its cells.
  unsorted_.clear();
  for (const Level& level : grid.levels) {
    for (std::uint32_t i = level.begin; i < level.end; ++i) {
      const std::uint32_t number = grid.numbers[i];
      each_cell(cells_of(boxes.box[number], level.exponent), [&](std::uint64_t hash) {
        unsorted_.push_back({hash, number, level.bucket(hash)});
      });
    }
  }
  const auto by_bucket = [&](const auto& visit) {
    for (const Entry& entry : unsorted_)
      visit(entry.bucket, entry);
  };
  geometry::group_items(buckets, by_bucket, grid.bucket_begin, grid.entries);
}

// Finds the pairs among the moving boxes.
void HashedGrid::join_moving(const BroadPhaseBoxes& boxes, std::vector<PairKey>& pairs) {
  const Grid& grid = moving_;
  for (std::size_t l = 0; l < grid.levels.size(); ++l) {
    const Level& level = grid.levels[l];
    // Pairs within this level, cell by cell.
    for (std::uint32_t b = level.first_bucket; b <= level.first_bucket + level.bucket_mask; ++b) {
      const std::uint32_t end = grid.bucket_begin[b + 1];
      for (std::uint32_t i = grid.bucket_begin[b]; i + 1 < end; ++i) {
        const Entry p = grid.entries[i];
        const Aabb& box = boxes.box[p.number];
        for (std::uint32_t j = i + 1; j < end; ++j) {
          const Entry q = grid.entries[j];
          if (p.hash != q.hash || p.number == q.number) continue;
          ++cost_.compared;
          const Aabb& other = boxes.box[q.number];
          if (overlap(box, other) && is_wanted_now(boxes, p.number, q.number, first_) &&
              home_of(box, other, level.exponent) == p.hash) {
            pairs.push_back(pair_key(p.number, q.number));
          }
        }
      }
    }
    // Pairs with coarser levels.
    for (std::size_t m = l + 1; m < grid.levels.size(); ++m) {
      for (std::uint32_t i = level.begin; i < level.end; ++i) {
        const std::uint32_t number = grid.numbers[i];
        cost_.compared += visit_overlapping(boxes, grid, grid.levels[m], boxes.box[number], [&](std::uint32_t other) {
          if (is_wanted_now(boxes, number, other, first_)) pairs.push_back(pair_key(number, other));
        });
      }
    }
  }
}

// Finds the pairs of a changed box and a resting one.
void HashedGrid::look_up_resting(const BroadPhaseBoxes& boxes, std::vector<PairKey>& pairs) {
  for (const std::uint32_t number : changed_) {
    if (state_[number] != moving) continue;
    for (const Level& level : resting_.levels) {
      cost_.compared += visit_overlapping(boxes, resting_, level, boxes.box[number], [&](std::uint32_t other) {
        if (state_[other] == resting && is_wanted_now(boxes, number, other, first_))
          pairs.push_back(pair_key(number, other));
      });
    }
  }
}

// Finds the pairs with a box that has no level.
void HashedGrid::compare_large(const BroadPhaseBoxes& boxes, std::vector<PairKey>& pairs) {
  for (const std::uint32_t number : large_numbers_) {
    const Aabb& box = boxes.box[number];
    const auto compare = [&](std::uint32_t other) {
      // Of two large boxes, the one with the lower index finds the other.
      if (state_[other] == absent || (state_[other] == large && other <= number)) return;
      ++cost_.compared;
      if (overlap(box, boxes.box[other]) && is_wanted_now(boxes, number, other, first_))
        pairs.push_back(pair_key(number, other));
    };
    if (first_ || boxes.is_changed[number] != 0) {
      for (std::uint32_t i = 0; i < state_.size(); ++i)
        compare(i);
    } else {
      for (const std::uint32_t i : changed_)
        compare(i);
    }
  }
}

void HashedGrid::note_changes(const BroadPhaseBoxes& boxes) {
  if (state_.size() < boxes.box.size()) {
    state_.resize(boxes.box.size(), absent);
    level_.resize(boxes.box.size(), 0);
  }
  changed_.assign(boxes.changed.begin(), boxes.changed.end());
  if (first_) {
    changed_.resize(boxes.box.size());
    std::iota(changed_.begin(), changed_.end(), 0u);
  }
  for (const std::uint32_t i : changed_) {
    const std::uint8_t before = state_[i];
    const int level = boxes.box[i].empty() ? 0 : level_of(boxes.box[i]);
    level_[i] = static_cast<std::int16_t>(level);
    state_[i] = boxes.box[i].empty() ? absent : level > greatest_exponent ? large : moving;
    if (state_[i] == before) continue;
    if (state_[i] == moving) moving_numbers_.push_back(i);
    if (state_[i] == large) large_numbers_.push_back(i);
  }
  std::erase_if(moving_numbers_, [&](std::uint32_t i) { return state_[i] != moving; });
  std::erase_if(large_numbers_, [&](std::uint32_t i) { return state_[i] != large; });
}

// Moves boxes that have not changed in this update to the grid of resting boxes.
void HashedGrid::settle(const BroadPhaseBoxes& boxes) {
  for (const std::uint32_t i : moving_numbers_)
    if (boxes.is_changed[i] == 0) state_[i] = resting;
  std::erase_if(moving_numbers_, [&](std::uint32_t i) { return state_[i] != moving; });
  all_.clear();
  for (std::uint32_t i = 0; i < state_.size(); ++i)
    if (state_[i] == resting) all_.push_back(i);
  build(boxes, all_, resting_);
  waste_ = 0;
  cost_.settled = true;
}

void HashedGrid::find_pairs(const BroadPhaseBoxes& boxes, std::vector<PairKey>& pairs) {
  pairs.clear();
  cost_ = {};
  note_changes(boxes);
  if (!changed_.empty()) {
    const auto changed = std::ranges::count_if(changed_, [&](std::uint32_t i) { return state_[i] == moving; });
    waste_ += static_cast<double>(moving_numbers_.size() - static_cast<std::size_t>(changed));
    // The factor is one half because a box among the moving ones costs about twice as much as adding it to the grid of
    // resting boxes.
    if (!first_ && waste_ > 0.5 * static_cast<double>(resting_.numbers.size() + moving_numbers_.size())) settle(boxes);
    build(boxes, moving_numbers_, moving_);
    join_moving(boxes, pairs);
    look_up_resting(boxes, pairs);
    compare_large(boxes, pairs);
    sort_pairs(pairs, static_cast<std::uint32_t>(boxes.box.size()), spare_);
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  }
  cost_.moving = moving_numbers_.size();
  cost_.levels = moving_.levels.size() + resting_.levels.size();
  first_ = false;
}

void HashedGrid::find_overlapping(const BroadPhaseBoxes& boxes, const Aabb& box,
                                  std::vector<std::uint32_t>& found) const {
  found.clear();
  if (box.empty()) return;
  for (const Level& level : moving_.levels)
    visit_overlapping(boxes, moving_, level, box, [&](std::uint32_t i) { found.push_back(i); });
  for (const Level& level : resting_.levels) {
    visit_overlapping(boxes, resting_, level, box, [&](std::uint32_t i) {
      if (state_[i] == resting) found.push_back(i);
    });
  }
  for (const std::uint32_t i : large_numbers_)
    if (overlap(box, boxes.box[i])) found.push_back(i);
  geometry::sort_unique(found);
}

BroadPhaseFactory hashed_grid() {
  return [] { return std::make_unique<HashedGrid>(); };
}

}  // namespace whisker::methods
