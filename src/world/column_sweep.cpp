#include "world/column_sweep.hpp"

#include <algorithm>
#include <cmath>
#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace whisker::world {
namespace {

constexpr std::size_t chunk = 8192;  // boxes that are processed together

}  // namespace

Spread measure_spread(std::span<const Aabb> boxes, std::span<const std::uint32_t> numbers) {
  constexpr std::size_t most = 1024;
  const std::size_t step = (numbers.size() + most - 1) / most;
  Spread spread;
  std::vector<double> lower, upper;
  for (int axis = 0; axis < 3; ++axis) {
    lower.clear();
    upper.clear();
    double widths = 0;
    for (std::size_t i = 0; i < numbers.size(); i += step) {
      const Aabb& box = boxes[numbers[i]];
      if (!std::isfinite(box.lower[axis]) || !std::isfinite(box.upper[axis])) continue;
      lower.push_back(box.lower[axis]);
      upper.push_back(box.upper[axis]);
    }
    double base = 0, range = 0;
    if (!lower.empty()) {
      // Ignores one percent at each end, so that a single far-away box does not make the others coarse.
      const auto trim = static_cast<std::ptrdiff_t>(lower.size() / 100);
      std::vector<double> widest(lower.size());
      for (std::size_t i = 0; i < lower.size(); ++i)
        widest[i] = upper[i] - lower[i];
      std::nth_element(lower.begin(), lower.begin() + trim, lower.end());
      base = lower[static_cast<std::size_t>(trim)];
      std::nth_element(upper.begin(), upper.end() - 1 - trim, upper.end());
      range = upper[upper.size() - 1 - static_cast<std::size_t>(trim)] - base;
      for (const double w : widest)
        widths += std::min(w, range);
      widths /= static_cast<double>(widest.size());
    }
    const double scale = range > 0 && range < HUGE_VAL ? std::min(rough_range / range, 1e300) : 1;
    const auto i = static_cast<std::size_t>(axis);
    spread.map.base[i] = base;
    spread.map.scale[i] = scale;
    spread.width[i] = std::clamp(widths * scale, 1.0, rough_range);
  }
  return spread;
}

namespace {

/// Where to split a crowd: at the mean of its boxes, along the axis of their greatest spread.
struct Cut {
  int axis = 0;
  double at = 0;
};

Cut cut_of(std::span<const Aabb> boxes, std::span<const RoughBox> crowd) {
  Cut cut;
  double widest = -1;
  for (int axis = 0; axis < 3; ++axis) {
    double count = 0, mean = 0, squares = 0;  // Welford 1962
    for (const RoughBox& box : crowd) {
      const double middle = boxes[box.number].lower[axis] / 2 + boxes[box.number].upper[axis] / 2;
      if (!std::isfinite(middle)) continue;
      count += 1;
      const double from = middle - mean;
      mean += from / count;
      squares += from * (middle - mean);
    }
    if (squares > widest) {
      widest = squares;
      cut = {axis, mean};
    }
  }
  return cut;
}

}  // namespace

std::uint32_t rough_value(double x, const RoughMap& map, int axis) {
  const auto k = static_cast<std::size_t>(axis);
  return static_cast<std::uint32_t>(std::min(std::max((x - map.base[k]) * map.scale[k], 0.0), rough_range));
}

Grid grid_of(double columns, const Spread& spread, int y, int z) {
  const double width_y = spread.width[static_cast<std::size_t>(y)], width_z = spread.width[static_cast<std::size_t>(z)];
  const double max_y = std::max(1.0, rough_range / (4 * width_y));
  const double max_z = std::max(1.0, rough_range / (4 * width_z));
  double along_y = std::sqrt(columns * width_z / width_y);
  along_y = std::clamp(along_y, 1.0, max_y);
  const double along_z = std::clamp(columns / along_y, 1.0, max_z);
  along_y = std::clamp(columns / along_z, 1.0, max_y);
  return {static_cast<std::uint32_t>(std::min(along_y, 4096.0)), static_cast<std::uint32_t>(std::min(along_z, 4096.0))};
}

struct ColumnSweeper::State {
  Spread spread;
  std::size_t spread_of = 0;  ///< number of boxes when the spread was measured
  int looks = 0;              ///< calls since then
  double columns = 0;         ///< wanted number; 0: not known yet
  double max_columns = HUGE_VAL;

  SortedColumns columned;
  struct Worker {
    ColumnMemory memory;
    std::vector<PairKey> pairs;
    std::uint64_t compared = 0;
  };
  tbb::enumerable_thread_specific<Worker> workers;

  Grid choose_grid(int x, int y, int z, std::size_t count);
};

ColumnSweeper::ColumnSweeper() : state_(std::make_unique<State>()) {}
ColumnSweeper::~ColumnSweeper() = default;
ColumnSweeper::ColumnSweeper(ColumnSweeper&&) noexcept = default;
ColumnSweeper& ColumnSweeper::operator=(ColumnSweeper&&) noexcept = default;

Grid ColumnSweeper::State::choose_grid(int x, int y, int z, std::size_t count) {
  const auto width = [&](int axis) { return spread.width[static_cast<std::size_t>(axis)]; };
  constexpr double candidates = 25;
  const auto n = static_cast<double>(count);
  if (!(columns > 0)) columns = n * (width(x) / rough_range) / candidates;
  // At least some boxes per column, and columns wider than most boxes.
  columns = std::clamp(columns, 1.0, std::min({max_columns, std::max(1.0, n / 16), 16384.0}));
  return grid_of(columns, spread, y, z);
}

void SortedColumns::round(std::span<const Aabb> boxes, std::span<const std::uint32_t> numbers, const RoughMap& map) {
  rough.resize(numbers.size());
  const std::size_t chunks = (numbers.size() + chunk - 1) / chunk;
  tbb::parallel_for(std::size_t{0}, chunks, [&](std::size_t c) {
    const std::size_t first = c * chunk, size = std::min(chunk, numbers.size() - first);
    make_rough(boxes, numbers.subspan(first, size), map, rough.data() + first);
  });
}

double SortedColumns::copies(const Grid& grid, int y, int z) const {
  constexpr std::size_t most = 1024;
  const std::size_t step = (rough.size() + most - 1) / most;
  const auto reach = [&](const RoughBox& box, int axis, std::uint32_t columns_there) {
    const auto k = static_cast<std::size_t>(axis);
    return Grid::of(box.upper[k], columns_there) - Grid::of(box.lower[k], columns_there) + 1.0;
  };
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < rough.size(); i += step) {
    sum += reach(rough[i], y, grid.along_y) * reach(rough[i], z, grid.along_z);
    count += 1;
  }
  return sum / count;
}

void SortedColumns::sort(const Grid& grid, int y, int z) {
  const auto axis_y = static_cast<std::size_t>(y), axis_z = static_cast<std::size_t>(z);
  const std::size_t columns_here = grid.count(), chunks = (rough.size() + chunk - 1) / chunk;
  counts_.assign(chunks * columns_here, 0);
  home_.resize(rough.size());
  straddlers_.resize(rough.size());
  straddler_count_.resize(chunks);
  // Visits the other columns of boxes that reach into several. Few boxes do, and a loop over columns for every box
  // would often be mispredicted.
  const auto for_straddlers = [&](std::size_t c, auto&& visit) {
    for (std::size_t s = c * chunk; s < c * chunk + straddler_count_[c]; ++s) {
      const RoughBox& box = rough[straddlers_[s]];
      const std::uint32_t first_y = Grid::of(box.lower[axis_y], grid.along_y),
                          last_y = Grid::of(box.upper[axis_y], grid.along_y),
                          first_z = Grid::of(box.lower[axis_z], grid.along_z),
                          last_z = Grid::of(box.upper[axis_z], grid.along_z);
      for (std::uint32_t at_y = first_y; at_y <= last_y; ++at_y)
        for (std::uint32_t at_z = first_z + (at_y == first_y ? 1 : 0); at_z <= last_z; ++at_z)
          visit(box, at_y * grid.along_z + at_z);
    }
  };
  tbb::parallel_for(std::size_t{0}, chunks, [&](std::size_t c) {
    std::uint32_t* const count = counts_.data() + c * columns_here;
    std::uint32_t* const straddler = straddlers_.data() + c * chunk;
    std::uint32_t* const home = home_.data();
    const std::uint32_t along_y = grid.along_y, along_z = grid.along_z;
    std::uint32_t straddling = 0;
    const std::size_t end = std::min(rough.size(), (c + 1) * chunk);
    for (std::size_t i = c * chunk; i < end; ++i) {
      const RoughBox& box = rough[i];
      const std::uint32_t at_y = Grid::of(box.lower[axis_y], along_y), at_z = Grid::of(box.lower[axis_z], along_z);
      const std::uint32_t more =
          (Grid::of(box.upper[axis_y], along_y) ^ at_y) | (Grid::of(box.upper[axis_z], along_z) ^ at_z);
      const std::uint32_t column = at_y * along_z + at_z;
      home[i] = column;
      ++count[column];
      straddler[straddling] = static_cast<std::uint32_t>(i);
      straddling += more != 0 ? 1u : 0u;
    }
    straddler_count_[c] = straddling;
    for_straddlers(c, [count](const RoughBox&, std::uint32_t column) { ++count[column]; });
  });
  begin.resize(columns_here + 1);
  std::uint32_t sum = 0;
  for (std::size_t column = 0; column < columns_here; ++column) {
    begin[column] = sum;
    for (std::size_t c = 0; c < chunks; ++c) {
      const std::uint32_t here = counts_[c * columns_here + column];
      counts_[c * columns_here + column] = sum;
      sum += here;
    }
  }
  begin[columns_here] = sum;
  if (by_column.size() < sum) by_column.resize(sum);
  tbb::parallel_for(std::size_t{0}, chunks, [&](std::size_t c) {
    std::uint32_t* const at = counts_.data() + c * columns_here;
    RoughBox* const to = by_column.data();
    const std::uint32_t* const home = home_.data();
    const std::size_t end = std::min(rough.size(), (c + 1) * chunk);
    for (std::size_t i = c * chunk; i < end; ++i)
      to[at[home[i]]++] = rough[i];
    for_straddlers(c, [at, to](const RoughBox& box, std::uint32_t column) { to[at[column]++] = box; });
  });
}

void ColumnSweeper::find_pairs(const Boxes& boxes, std::span<const std::uint32_t> numbers, bool all_changed,
                               std::vector<PairKey>& pairs) {
  find_pairs(boxes, numbers, all_changed, 0, pairs);
}

void ColumnSweeper::find_pairs(const Boxes& boxes, std::span<const std::uint32_t> numbers, bool all_changed, int depth,
                               std::vector<PairKey>& pairs) {
  if (numbers.size() < 2) return;
  State& s = *state_;
  constexpr int looks_between = 8;
  if (s.spread_of == 0 || s.looks >= looks_between || numbers.size() > 2 * s.spread_of ||
      2 * numbers.size() < s.spread_of) {
    s.spread = measure_spread(boxes.box, numbers);
    if (numbers.size() > 2 * s.spread_of || 2 * numbers.size() < s.spread_of) s.columns = 0;
    s.spread_of = numbers.size();
    s.looks = 0;
  }
  ++s.looks;

  s.columned.round(boxes.box, numbers, s.spread.map);

  // Sweeps along the axis on which boxes are narrowest.
  const double* const width = s.spread.width;
  const int x = width[0] <= width[1] && width[0] <= width[2] ? 0 : width[1] <= width[2] ? 1 : 2;
  const int y = (x + 1) % 3, z = (x + 2) % 3;
  Grid grid = s.choose_grid(x, y, z, numbers.size());
  // Limits the number of columns so that boxes are not copied often, for example when many boxes have just become huge.
  // A sample predicts this.
  constexpr double max_copies = 4;
  while (grid.count() > 1 && s.columned.copies(grid, y, z) > max_copies) {
    grid = {std::max(1u, grid.along_y / 2), std::max(1u, grid.along_z / 2)};
    s.max_columns = grid.count();
  }
  s.columned.sort(grid, y, z);
  const std::uint32_t entries = s.columned.begin[grid.count()];

  for (State::Worker& worker : s.workers) {
    worker.pairs.clear();
    worker.compared = 0;
  }
  // Splits a crowd in two and sweeps each half. Returns false if no split makes it smaller.
  const auto sweep_crowd = [&](std::span<const RoughBox> crowd, std::vector<PairKey>& found) {
    const Cut cut = cut_of(boxes.box, crowd);
    std::vector<std::uint32_t> halves[2];
    for (const RoughBox& box : crowd) {
      if (boxes.box[box.number].lower[cut.axis] < cut.at) halves[0].push_back(box.number);
      if (boxes.box[box.number].upper[cut.axis] >= cut.at) halves[1].push_back(box.number);
    }
    if (std::max(halves[0].size(), halves[1].size()) * 8 > crowd.size() * 7) return false;
    // Isolated, so that this thread does not start on another column in the meantime.
    tbb::this_task_arena::isolate([&] {
      for (const bool upper : {false, true}) {
        std::vector<PairKey> of_half;
        ColumnSweeper sweeper;
        sweeper.find_pairs(boxes, halves[upper ? 1 : 0], all_changed, depth + 1, of_half);
        // A pair counts in the half that contains the larger of its lower bounds.
        for (const PairKey key : of_half) {
          const double low =
              std::max(boxes.box[first_of(key)].lower[cut.axis], boxes.box[second_of(key)].lower[cut.axis]);
          if ((low >= cut.at) == upper) found.push_back(key);
        }
      }
    });
    return true;
  };
  const auto sweep_one = [&](std::uint32_t number, State::Worker& worker) {
    Column column(grid, number, x, y, z);
    const std::vector<std::uint32_t>& begin = s.columned.begin;
    column.boxes = {s.columned.by_column.data() + begin[number], begin[number + 1] - begin[number]};
    if (column.boxes.size() < 2) return;
    ColumnMemory& memory = worker.memory;
    constexpr std::size_t many = 1024, many_each = 256;
    const std::size_t size = column.boxes.size();
    constexpr int max_crowds = 60;
    const std::uint64_t most = depth < max_crowds && size > many ? size * many_each : ~std::uint64_t{0};
    std::uint64_t compared = sweep_column(column, most, memory);
    if (compared > most) {
      std::vector<PairKey> found;
      if (sweep_crowd(column.boxes, found)) {
        for (const PairKey key : found) {
          const Aabb &p = boxes.box[first_of(key)], &q = boxes.box[second_of(key)];
          const std::uint32_t low_y = rough_value(std::max(p.lower[y], q.lower[y]), s.spread.map, y),
                              low_z = rough_value(std::max(p.lower[z], q.lower[z]), s.spread.map, z);
          if (column.holds(low_y, low_z)) worker.pairs.push_back(key);
        }
        worker.compared += 32 * size;  // more columns would not help here
        return;
      }
      compared = sweep_column(column, ~std::uint64_t{0}, memory);
    }
    worker.compared += compared;
    const RoughBox* const box = memory.boxes.data();
    for (std::size_t i = 0; i < memory.hit_count; ++i) {
      const std::uint64_t hit = memory.hits[i];
      const RoughBox &p = box[hit >> 32], &q = box[hit & 0xFFFFFFFF];
      const RoughPair known = compare(p, q, column);
      if (known == RoughPair::none) continue;
      if (known == RoughPair::maybe && !overlap(boxes.box[p.number], boxes.box[q.number])) continue;
      const bool wanted = all_changed ? (boxes.is_static[p.number] & boxes.is_static[q.number]) == 0
                                      : is_wanted(boxes, p.number, q.number);
      if (!wanted) continue;
      worker.pairs.push_back(pair_key(p.number, q.number));
    }
  };
  constexpr std::uint32_t few = 4096;
  if (numbers.size() < few) {
    State::Worker& worker = s.workers.local();
    for (std::uint32_t c = 0; c < grid.count(); ++c)
      sweep_one(c, worker);
  } else {
    tbb::parallel_for(tbb::blocked_range<std::uint32_t>(0, grid.count(), 4),
                      [&](const tbb::blocked_range<std::uint32_t>& range) {
                        State::Worker& worker = s.workers.local();
                        for (std::uint32_t c = range.begin(); c < range.end(); ++c)
                          sweep_one(c, worker);
                      });
  }
  std::uint64_t compared = 0;
  for (State::Worker& worker : s.workers) {
    compared += worker.compared;
    pairs.insert(pairs.end(), worker.pairs.begin(), worker.pairs.end());
  }

  // Uses more columns next time if boxes had many candidates, and fewer if they had few or were copied too often.
  const double candidates = static_cast<double>(compared) / entries;
  const double copies = static_cast<double>(entries) / static_cast<double>(numbers.size());
  if (copies > 1.5) {
    s.max_columns = std::max(1.0, grid.count() * 0.7);
    return;
  }
  s.max_columns *= 1.01;  // the boxes that were copied often may be gone
  if (candidates > 40) {
    s.columns *= 1.5;
  } else if (candidates < 12) {
    s.columns /= 1.5;
  }
}

void ColumnSweep::find_pairs(const Boxes& boxes, std::vector<PairKey>& pairs) {
  pairs.clear();
  find_nonempty(boxes.box, numbers_);
  sweeper_.find_pairs(boxes, numbers_, is_first_, pairs);
  is_first_ = false;
  sort_pairs(pairs, static_cast<std::uint32_t>(boxes.box.size()), spare_);
}

}  // namespace whisker::world
