#include "world/column_sweep.hpp"

#include <algorithm>
#include <memory>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "world/parallel_ranges.hpp"

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
  const double* const width = spread.width;
  const std::size_t x = width[0] <= width[1] && width[0] <= width[2] ? 0 : width[1] <= width[2] ? 1 : 2;
  spread.axes = {x, (x + 1) % 3, (x + 2) % 3};
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

bool Column::holds(const Aabb& a, const Aabb& b, const RoughMap& map) const {
  // Rounded as make_rough does.
  const auto low = [&](std::size_t k) {
    const double x = std::max(a.lower.data()[k], b.lower.data()[k]);
    return static_cast<std::uint32_t>(std::min(std::max((x - map.base[k]) * map.scale[k], 0.0), rough_range));
  };
  return holds(low(axes.y), low(axes.z));
}

Grid grid_of(double columns, const Spread& spread) {
  const double width_y = spread.width[spread.axes.y], width_z = spread.width[spread.axes.z];
  const double max_y = std::max(1.0, rough_range / (4 * width_y));
  const double max_z = std::max(1.0, rough_range / (4 * width_z));
  double along_y = std::sqrt(columns * width_z / width_y);
  along_y = std::clamp(along_y, 1.0, max_y);
  const double along_z = std::clamp(columns / along_y, 1.0, max_z);
  along_y = std::clamp(columns / along_z, 1.0, max_y);
  return {spread.axes, static_cast<std::uint32_t>(std::min(along_y, 4096.0)),
          static_cast<std::uint32_t>(std::min(along_z, 4096.0))};
}

void SortedColumns::round(std::span<const Aabb> boxes, std::span<const std::uint32_t> numbers, const RoughMap& map) {
  rough.resize(numbers.size());
  const std::size_t chunks = (numbers.size() + chunk - 1) / chunk;
  tbb::parallel_for(std::size_t{0}, chunks, [&](std::size_t c) {
    const std::size_t first = c * chunk, size = std::min(chunk, numbers.size() - first);
    make_rough(boxes, numbers.subspan(first, size), map, rough.data() + first);
  });
}

double SortedColumns::copies(const Grid& grid) const {
  constexpr std::size_t most = 1024;
  const std::size_t step = (rough.size() + most - 1) / most;
  const auto reach = [](const RoughBox& box, std::size_t axis, std::uint32_t columns_there) {
    return Grid::of(box.upper[axis], columns_there) - Grid::of(box.lower[axis], columns_there) + 1.0;
  };
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < rough.size(); i += step) {
    sum += reach(rough[i], grid.axes.y, grid.along_y) * reach(rough[i], grid.axes.z, grid.along_z);
    count += 1;
  }
  return sum / count;
}

void SortedColumns::widen(Grid& grid, double most) const {
  while (grid.count() > 1 && copies(grid) > most) {
    grid.along_y = std::max(1u, grid.along_y / 2);
    grid.along_z = std::max(1u, grid.along_z / 2);
  }
}

void SortedColumns::sort(const Grid& grid) {
  const std::size_t axis_y = grid.axes.y, axis_z = grid.axes.z;
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

void ColumnSweeper::set_spread(const Boxes& boxes, std::span<const std::uint32_t> numbers) {
  constexpr int looks_between = 8;
  const bool is_other = numbers.size() > 2 * spread_of_ || 2 * numbers.size() < spread_of_;
  if (spread_of_ == 0 || looks_ >= looks_between || is_other) {
    spread_ = measure_spread(boxes.box, numbers);
    if (is_other) columns_ = 0;
    spread_of_ = numbers.size();
    looks_ = 0;
  }
  ++looks_;
}

Grid ColumnSweeper::choose_grid(std::size_t count) {
  constexpr double candidates = 25;
  const auto n = static_cast<double>(count);
  if (!(columns_ > 0)) columns_ = n * (spread_.width[spread_.axes.x] / rough_range) / candidates;
  // At least some boxes per column, and columns wider than most boxes.
  columns_ = std::clamp(columns_, 1.0, std::min({max_columns_, std::max(1.0, n / 16), 16384.0}));
  Grid grid = grid_of(columns_, spread_);
  // Limits the number of columns so that boxes are not copied often, for example when many boxes have just become huge.
  // A sample predicts this.
  const std::uint32_t wanted = grid.count();
  constexpr double max_copies = 4;
  columned_.widen(grid, max_copies);
  if (grid.count() < wanted) max_columns_ = grid.count();
  return grid;
}

void ColumnSweeper::adapt(const Grid& grid, std::size_t count, std::uint64_t compared) {
  const std::uint32_t entries = columned_.begin[grid.count()];
  const double candidates = static_cast<double>(compared) / entries;
  const double copies = static_cast<double>(entries) / static_cast<double>(count);
  if (copies > 1.5) {
    max_columns_ = std::max(1.0, grid.count() * 0.7);
    return;
  }
  max_columns_ *= 1.01;  // the boxes that were copied often may be gone
  if (candidates > 40) {
    columns_ *= 1.5;
  } else if (candidates < 12) {
    columns_ /= 1.5;
  }
}

void ColumnSweeper::find_pairs(const Boxes& boxes, std::span<const std::uint32_t> numbers, bool all_changed,
                               std::vector<PairKey>& pairs, int depth) {
  if (numbers.size() < 2) return;
  set_spread(boxes, numbers);
  columned_.round(boxes.box, numbers, spread_.map);
  const Grid grid = choose_grid(numbers.size());
  columned_.sort(grid);
  for (Worker& worker : workers_) {
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
        sweeper.find_pairs(boxes, halves[upper ? 1 : 0], all_changed, of_half, depth + 1);
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
  const auto sweep_one = [&](std::uint32_t number, Worker& worker) {
    const Column column = columned_.column(grid, number);
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
        for (const PairKey key : found)
          if (column.holds(boxes.box[first_of(key)], boxes.box[second_of(key)], spread_.map))
            worker.pairs.push_back(key);
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
  constexpr std::size_t few = 4096;
  for_ranges(grid.count(), 4, numbers.size() >= few, [&](std::size_t first, std::size_t last) {
    Worker& worker = workers_.local();
    for (std::size_t c = first; c < last; ++c)
      sweep_one(static_cast<std::uint32_t>(c), worker);
  });
  std::uint64_t compared = 0;
  for (const Worker& worker : workers_) {
    compared += worker.compared;
    pairs.insert(pairs.end(), worker.pairs.begin(), worker.pairs.end());
  }
  adapt(grid, numbers.size(), compared);
}

void ColumnSweep::find_pairs(const Boxes& boxes, std::vector<PairKey>& pairs) {
  pairs.clear();
  find_nonempty(boxes.box, numbers_);
  sweeper_.find_pairs(boxes, numbers_, is_first_, pairs);
  is_first_ = false;
  sort_pairs(pairs, static_cast<std::uint32_t>(boxes.box.size()), spare_);
}

}  // namespace whisker::world

whisker::BroadPhaseFactory whisker::column_sweep() {
  return [] { return std::make_unique<world::ColumnSweep>(); };
}
