#include "world/static_columns.hpp"

#include "world/parallel_ranges.hpp"

namespace whisker::world {
namespace {

/// If a box has more candidates in a column than this, querying a tree is cheaper.
constexpr std::uint64_t max_candidates = 2048;
/// If boxes reach into more columns than this on average, querying a tree is cheaper.
constexpr double max_copies = 8;

constexpr std::size_t columns_at_once = 4;

/// Fills the table, boxes and rows of a column.
void fill(const Column& column, RestColumn& rest, RestData& data) {
  const std::size_t x = column.axes.x, y = column.axes.y, z = column.axes.z;
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
  const RowMap map_y(column.begin_y, column.end_y), map_z(column.begin_z, column.end_z);
  std::uint32_t next_long = 0;
  for (const RoughBox& box : column.boxes) {
    const std::uint32_t at = rest.first + (is_long(box) ? next_long : next[box.lower[x] >> rest.bucket_shift])++;
    data.boxes[at] = box;
    StaticRows& rows = data.rows[at / StaticRows::width];
    const std::size_t slot = at % StaticRows::width;
    rows.lower_y[slot] = static_cast<std::uint8_t>(map_y.of(box.lower[y]));
    rows.upper_y[slot] = static_cast<std::uint8_t>(255 - map_y.of(box.upper[y]));
    rows.lower_z[slot] = static_cast<std::uint8_t>(map_z.of(box.lower[z]));
    rows.upper_z[slot] = static_cast<std::uint8_t>(255 - map_z.of(box.upper[z]));
  }
}

}  // namespace

void StaticColumns::build(std::span<const Aabb> boxes, std::span<const std::uint32_t> numbers) {
  built_size_ = numbers.size();
  data_.columns.clear();
  if (numbers.empty()) return;
  spread_ = measure_spread(boxes, numbers);
  const std::size_t x = spread_.axes.x;
  SortedColumns resting;
  resting.round(boxes, numbers, spread_.map);
  // Boxes up to twice the typical length go into buckets.
  const double mean = spread_.width[x];
  data_.reach = 0;
  for (const RoughBox& box : resting.rough) {
    const std::uint32_t length = box.upper[x] - box.lower[x] + 0u;
    if (length <= 2 * mean) data_.reach = std::max(data_.reach, length);
  }
  constexpr double candidates = 20;
  const auto count = static_cast<double>(numbers.size());
  double columns = count * ((mean + data_.reach) / rough_range) / candidates;
  columns = std::clamp(columns, 1.0, std::min(std::max(1.0, count / 16), 16384.0));
  grid_ = grid_of(columns, spread_);
  resting.widen(grid_, 2);
  resting.sort(grid_);

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
  for_numbers(grid_.count(), columns_at_once, true, [&](std::size_t c) {
    fill(resting.column(grid_, static_cast<std::uint32_t>(c)), data_.columns[c], data_);
  });
}

bool StaticColumns::find_pairs(const Boxes& boxes, std::span<const std::uint32_t> changed,
                               std::span<const std::uint8_t> is_resting, std::vector<PairKey>& pairs,
                               std::vector<Crowded>& crowded) {
  if (built_size_ == 0 || changed.empty()) return true;
  changed_.round(boxes.box, changed, spread_.map);
  if (changed_.copies(grid_) > max_copies) return false;
  changed_.sort(grid_);
  for (Worker& worker : workers_) {
    worker.pairs.clear();
    worker.crowded.clear();
  }
  const auto meet_one = [&](std::uint32_t number, Worker& worker) {
    const RestColumn& rest = data_.columns[number];
    if (rest.size == 0 || changed_.begin[number] == changed_.begin[number + 1]) return;
    const Column column = changed_.column(grid_, number);
    const std::uint64_t most = max_candidates * column.boxes.size();
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
  for_ranges(grid_.count(), columns_at_once, changed.size() >= few, [&](std::size_t first, std::size_t last) {
    Worker& worker = workers_.local();
    for (std::size_t c = first; c < last; ++c)
      meet_one(static_cast<std::uint32_t>(c), worker);
  });
  for (const Worker& worker : workers_) {
    pairs.insert(pairs.end(), worker.pairs.begin(), worker.pairs.end());
    crowded.insert(crowded.end(), worker.crowded.begin(), worker.crowded.end());
  }
  return true;
}

}  // namespace whisker::world
