#include "world/static_columns.hpp"

#include <algorithm>
#include <bit>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

namespace whisker::world {
namespace {

/// If a box has more candidates in a column than this, querying a tree is cheaper.
constexpr std::uint64_t max_candidates = 2048;
/// If boxes reach into more columns than this on average, querying a tree is cheaper.
constexpr double max_copies = 8;

void for_columns(std::size_t count, const auto& work) {
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, 4), work);
}

/// Fills the table, boxes and rows of a column.
void fill(const Column& column, RestColumn& rest, RestData& data) {
  const auto x = static_cast<std::size_t>(column.x), y = static_cast<std::size_t>(column.y),
             z = static_cast<std::size_t>(column.z);
  const auto is_long = [&](const RoughBox& box) { return box.upper[x] - box.lower[x] + 0u > data.reach; };
  const std::uint32_t buckets = 1u << (16 - rest.bucket_shift);
  std::vector<std::uint32_t> next(buckets, 0);
  rest.longs = 0;
  for (const RoughBox& box : column.boxes)
    ++(is_long(box) ? rest.longs : next[box.lower[x] >> rest.bucket_shift]);
  std::uint32_t* const table = data.table.data() + rest.table;
  std::uint32_t sum = rest.longs;
  for (std::uint32_t b = 0; b < buckets; ++b) {
    table[b] = sum;
    sum += next[b];
    next[b] = table[b];
  }
  table[buckets] = sum;
  const RowMap map(column);
  std::uint32_t next_long = 0;
  for (const RoughBox& box : column.boxes) {
    const std::uint32_t at = rest.first + (is_long(box) ? next_long : next[box.lower[x] >> rest.bucket_shift])++;
    data.boxes[at] = box;
    StaticRows& rows = data.rows[at / StaticRows::width];
    const std::size_t slot = at % StaticRows::width;
    rows.lower_y[slot] = static_cast<std::uint8_t>(map.of_y(box.lower[y]));
    rows.upper_y[slot] = static_cast<std::uint8_t>(255 - map.of_y(box.upper[y]));
    rows.lower_z[slot] = static_cast<std::uint8_t>(map.of_z(box.lower[z]));
    rows.upper_z[slot] = static_cast<std::uint8_t>(255 - map.of_z(box.upper[z]));
  }
}

}  // namespace

void StaticColumns::build(std::span<const Aabb> boxes, std::span<const std::uint32_t> numbers) {
  built_size_ = numbers.size();
  data_.columns.clear();
  if (numbers.empty()) return;
  spread_ = measure_spread(boxes, numbers);
  const double* const width = spread_.width;
  x_ = width[0] <= width[1] && width[0] <= width[2] ? 0 : width[1] <= width[2] ? 1 : 2;
  y_ = (x_ + 1) % 3;
  z_ = (x_ + 2) % 3;
  const auto axis_x = static_cast<std::size_t>(x_);
  SortedColumns resting;
  resting.round(boxes, numbers, spread_.map);
  // Boxes up to twice the typical length go into buckets.
  const double mean = width[axis_x];
  data_.reach = 0;
  for (const RoughBox& box : resting.rough) {
    const std::uint32_t length = box.upper[axis_x] - box.lower[axis_x] + 0u;
    if (length <= 2 * mean) data_.reach = std::max(data_.reach, length);
  }
  constexpr double candidates = 20;
  const auto count = static_cast<double>(numbers.size());
  double columns = count * ((mean + data_.reach) / rough_range) / candidates;
  columns = std::clamp(columns, 1.0, std::min(std::max(1.0, count / 16), 16384.0));
  grid_ = grid_of(columns, spread_, y_, z_);
  while (grid_.count() > 1 && resting.copies(grid_, y_, z_) > 2)
    grid_ = {std::max(1u, grid_.along_y / 2), std::max(1u, grid_.along_z / 2)};
  resting.sort(grid_, y_, z_);

  data_.columns.resize(grid_.count());
  std::uint32_t boxes_end = 0, table_end = 0;
  for (std::uint32_t c = 0; c < grid_.count(); ++c) {
    RestColumn& column = data_.columns[c];
    column.first = boxes_end;
    column.size = resting.begin[c + 1] - resting.begin[c];
    column.table = table_end;
    const int bits = std::clamp(static_cast<int>(std::bit_width(column.size)), 2, 14);
    column.bucket_shift = 16 - bits;
    boxes_end += (column.size + StaticRows::width - 1) / StaticRows::width * StaticRows::width;
    table_end += (1u << bits) + 1;
  }
  data_.table.assign(table_end, 0);
  data_.boxes.resize(boxes_end);
  data_.rows.resize(boxes_end / StaticRows::width);
  for_columns(grid_.count(), [&](const tbb::blocked_range<std::size_t>& range) {
    for (std::size_t c = range.begin(); c < range.end(); ++c) {
      Column column(grid_, static_cast<std::uint32_t>(c), x_, y_, z_);
      column.boxes = {resting.by_column.data() + resting.begin[c], data_.columns[c].size};
      fill(column, data_.columns[c], data_);
    }
  });
}

bool StaticColumns::find_pairs(const Boxes& boxes, std::span<const std::uint32_t> changed,
                               std::span<const std::uint8_t> is_resting, std::vector<PairKey>& pairs,
                               std::vector<Crowded>& crowded) {
  if (built_size_ == 0 || changed.empty()) return true;
  changed_.round(boxes.box, changed, spread_.map);
  if (changed_.copies(grid_, y_, z_) > max_copies) return false;
  changed_.sort(grid_, y_, z_);
  for (Worker& worker : workers_) {
    worker.pairs.clear();
    worker.crowded.clear();
  }
  const auto meet_one = [&](std::uint32_t number, Worker& worker) {
    const RestColumn& rest = data_.columns[number];
    const std::uint32_t begin = changed_.begin[number], size = changed_.begin[number + 1] - begin;
    if (rest.size == 0 || size == 0) return;
    Column column(grid_, number, x_, y_, z_);
    column.boxes = {changed_.by_column.data() + begin, size};
    const std::uint64_t most = max_candidates * size;
    if (meet_column(column, rest, data_, most, worker.memory) > most) {
      for (const RoughBox& box : column.boxes)
        worker.crowded.push_back({box.number, number});
      return;
    }
    for (std::size_t i = 0; i < worker.memory.hit_count; ++i) {
      const std::uint64_t hit = worker.memory.hits[i];
      const RoughBox &p = column.boxes[hit >> 32], &q = data_.boxes[hit & 0xFFFFFFFF];
      const RoughPair known = compare(p, q, column);
      if (known == RoughPair::none) continue;
      const std::uint8_t rests = is_resting[q.number];
      if (rests == 0) continue;
      if (known == RoughPair::maybe && !overlap(boxes.box[p.number], boxes.box[q.number])) continue;
      if (rests != 1 && boxes.is_static[p.number] != 0) continue;
      worker.pairs.push_back(pair_key(p.number, q.number));
    }
  };
  constexpr std::size_t few = 1024;
  if (changed.size() < few) {
    Worker& worker = workers_.local();
    for (std::uint32_t c = 0; c < grid_.count(); ++c)
      meet_one(c, worker);
  } else {
    for_columns(grid_.count(), [&](const tbb::blocked_range<std::size_t>& range) {
      Worker& worker = workers_.local();
      for (std::size_t c = range.begin(); c < range.end(); ++c)
        meet_one(static_cast<std::uint32_t>(c), worker);
    });
  }
  for (const Worker& worker : workers_) {
    pairs.insert(pairs.end(), worker.pairs.begin(), worker.pairs.end());
    crowded.insert(crowded.end(), worker.crowded.begin(), worker.crowded.end());
  }
  return true;
}

bool StaticColumns::counts_in(const Aabb& a, const Aabb& b, std::uint32_t column) const {
  return Column(grid_, column, x_, y_, z_)
      .holds(rough_value(std::max(a.lower[y_], b.lower[y_]), spread_.map, y_),
             rough_value(std::max(a.lower[z_], b.lower[z_]), spread_.map, z_));
}

}  // namespace whisker::world
