#include "methods/broad_phases/sweep_and_prune.hpp"

#include <algorithm>
#include <cmath>

#include "world/box_pairs.hpp"

namespace whisker::methods {

using world::overlap;
using world::sort_pairs;

namespace {

constexpr std::uint32_t lower_of(std::uint32_t number) {
  return 2 * number;
}
constexpr std::uint32_t upper_of(std::uint32_t number) {
  return 2 * number + 1;
}
constexpr bool is_upper(std::uint32_t name) {
  return (name & 1) != 0;
}
constexpr std::uint32_t number_of(std::uint32_t name) {
  return name >> 1;
}

std::size_t triangle(std::size_t count) {
  return count * (count - 1) / 2;
}

Eigen::Index index(std::size_t axis) {
  return static_cast<Eigen::Index>(axis);
}

}  // namespace

template <bool dense>
void SweepAndPrune::begin_overlap(const BroadPhaseBoxes& boxes, std::uint32_t a, std::uint32_t b) {
  if constexpr (dense) {
    if (++overlaps(a, b) == 3) begun_.push_back(pair_key(a, b));
  } else {
    // Both boxes already have their final bounds of this update, although not all of their ends may be in place.
    ++cost_.compared;
    if (overlap(boxes.box[a], boxes.box[b])) begun_.push_back(pair_key(a, b));
  }
}

void SweepAndPrune::sort_changes(const BroadPhaseBoxes& boxes) {
  gone_.clear();
  added_.clear();
  moved_.clear();
  const auto look_at = [&](std::uint32_t i) {
    const bool exists = !boxes.box[i].empty();
    if (is_in_[i] == 0) {
      if (exists) added_.push_back(i);
    } else if (!exists) {
      gone_.push_back(i);
    } else if (was_fixed_[i] != boxes.is_static[i]) {
      // Pairs of static boxes are not in the list, so the pairs of a box that is no longer static have to be found.
      gone_.push_back(i);
      added_.push_back(i);
    } else {
      moved_.push_back(i);
    }
    was_fixed_[i] = boxes.is_static[i];
  };
  if (first_) {
    for (std::uint32_t i = 0; i < boxes.box.size(); ++i)
      look_at(i);
  } else {
    for (const std::uint32_t i : boxes.changed)
      look_at(i);
  }
}

// Estimates, from a sample, how many other ends the ends of the moved boxes must pass, assuming that the others stay in
// place.
double SweepAndPrune::expected_swaps(const BroadPhaseBoxes& boxes) const {
  constexpr std::size_t most = 64;
  const std::size_t step = (moved_.size() + most - 1) / most;
  double sum = 0, looked_at = 0;
  for (std::size_t i = 0; i < moved_.size(); i += step) {
    const std::uint32_t number = moved_[i];
    ++looked_at;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (const std::uint32_t name : {lower_of(number), upper_of(number)}) {
        const Aabb& box = boxes.box[number];
        const End end{is_upper(name) ? box.upper[index(axis)] : box.lower[index(axis)], name};
        const auto& ends = ends_[axis];
        const auto to = std::lower_bound(ends.begin(), ends.end(), end, before) - ends.begin();
        sum += std::abs(static_cast<double>(to) - static_cast<double>(place_[axis][name]));
      }
    }
  }
  return sum / looked_at * static_cast<double>(moved_.size());
}

// The cost, in swaps, of removing this many boxes, sorting them and merging them in again.
double SweepAndPrune::cost_of_merging(std::size_t count) const {
  const auto ends = 6 * static_cast<double>(in_count_), moved = static_cast<double>(count);
  return 3 * ends + 6 * moved * std::log2(6 * moved + 1) + moved * candidates_;
}

void SweepAndPrune::remove(std::span<const std::uint32_t> numbers) {
  if (numbers.empty()) return;
  for (const std::uint32_t number : numbers)
    is_in_[number] = 0;
  in_count_ -= numbers.size();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    auto& ends = ends_[axis];
    std::uint32_t* const place = place_[axis].data();
    std::uint32_t to = 0;
    for (const End& end : ends) {
      if (is_in_[number_of(end.name)] == 0) continue;
      place[end.name] = to;
      ends[to++] = end;
    }
    ends.resize(to);
  }
  if (!dense_) return;
  if (in_count_ == 0) {
    std::fill(overlaps_.begin(), overlaps_.end(), std::int8_t{0});
    return;
  }
  const auto count = static_cast<std::uint32_t>(is_in_.size());
  for (const std::uint32_t number : numbers)
    for (std::uint32_t other = 0; other < count; ++other)
      if (other != number) overlaps(number, other) = 0;
}

void SweepAndPrune::add(const BroadPhaseBoxes& boxes, std::span<const std::uint32_t> numbers) {
  if (numbers.empty()) return;
  for (const std::uint32_t number : numbers) {
    is_in_[number] = 1;
    is_added_[number] = 1;
  }
  in_count_ += numbers.size();
  cost_.merged += numbers.size();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    new_ends_.clear();
    for (const std::uint32_t number : numbers) {
      new_ends_.push_back({boxes.box[number].lower[index(axis)], lower_of(number)});
      new_ends_.push_back({boxes.box[number].upper[index(axis)], upper_of(number)});
    }
    std::sort(new_ends_.begin(), new_ends_.end(), before);
    // Merge from the back, so that it works in place.
    auto& ends = ends_[axis];
    std::uint32_t* const place = place_[axis].data();
    std::size_t old = ends.size(), fresh = new_ends_.size();
    ends.resize(old + fresh);
    for (std::size_t to = ends.size(); to > 0;) {
      --to;
      const bool take_old = fresh == 0 || (old > 0 && before(new_ends_[fresh - 1], ends[old - 1]));
      const End end = take_old ? ends[--old] : new_ends_[--fresh];
      ends[to] = end;
      place[end.name] = static_cast<std::uint32_t>(to);
    }
  }
  find_overlaps_of_added(boxes);
  for (const std::uint32_t number : numbers)
    is_added_[number] = 0;
}

// Returns the axis along which the added boxes overlap the fewest others. Counts them in one pass.
std::size_t SweepAndPrune::narrowest_axis() {
  std::size_t best = 0;
  std::uint64_t fewest = ~std::uint64_t{0};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::uint64_t old = 0, fresh = 0, found = 0;
    for (const End& end : ends_[axis]) {
      const bool is_new = is_added_[number_of(end.name)] != 0;
      if (is_upper(end.name)) {
        --(is_new ? fresh : old);
      } else {
        found += is_new ? old + fresh : fresh;
        ++(is_new ? fresh : old);
      }
    }
    if (found < fewest) {
      fewest = found;
      best = axis;
    }
  }
  return best;
}

void SweepAndPrune::find_overlaps_of_added(const BroadPhaseBoxes& boxes) {
  // Sweeps an axis and maintains the lists of boxes that overlap the current position.
  const auto sweep = [&](std::size_t axis, auto&& meet) {
    const Eigen::Index y = index((axis + 1) % 3), z = index((axis + 2) % 3);
    active_old_.clear();
    active_new_.clear();
    for (const End& end : ends_[axis]) {
      const std::uint32_t number = number_of(end.name);
      const bool is_new = is_added_[number] != 0;
      auto& list = is_new ? active_new_ : active_old_;
      if (is_upper(end.name)) {
        const std::uint32_t at = where_[number];
        list[at] = list.back();
        where_[list[at].number] = at;
        list.pop_back();
        continue;
      }
      const Aabb& box = boxes.box[number];
      const Active entry{{box.lower[y], box.lower[z]}, {box.upper[y], box.upper[z]}, number};
      for (const Active& other : active_new_)
        meet(entry, other);
      if (is_new)
        for (const Active& other : active_old_)
          meet(entry, other);
      where_[number] = static_cast<std::uint32_t>(list.size());
      list.push_back(entry);
    }
  };
  const std::uint64_t compared_before = cost_.compared;
  const std::size_t narrowest = narrowest_axis();
  if (dense_) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::uint64_t before_axis = cost_.compared;
      sweep(axis, [&](const Active& a, const Active& b) {
        ++cost_.compared;
        begin_overlap<true>(boxes, a.number, b.number);
      });
      if (axis == narrowest) candidates_ = static_cast<double>(cost_.compared - before_axis);
    }
    candidates_ = 3 * candidates_;
  } else {
    sweep(narrowest, [&](const Active& a, const Active& b) {
      ++cost_.compared;
      const bool both = (a.lower[0] <= b.upper[0]) & (b.lower[0] <= a.upper[0]) & (a.lower[1] <= b.upper[1]) &
                        (b.lower[1] <= a.upper[1]);
      if (both) begun_.push_back(pair_key(a.number, b.number));
    });
    candidates_ = static_cast<double>(cost_.compared - compared_before);
  }
  candidates_ /= static_cast<double>(added_.size());
}

void SweepAndPrune::start_anew(const BroadPhaseBoxes& boxes) {
  // Collect the boxes that are in the lists and those that were to be added.
  for (const std::uint32_t number : added_)
    is_in_[number] = 1;
  added_.clear();
  for (std::uint32_t i = 0; i < is_in_.size(); ++i)
    if (is_in_[i] != 0) added_.push_back(i);
  for (auto& ends : ends_)
    ends.clear();
  std::fill(overlaps_.begin(), overlaps_.end(), std::int8_t{0});
  pairs_.clear();
  begun_.clear();
  in_count_ = 0;
  cost_.sorted_anew = true;
  add(boxes, added_);
}

// Moves the ends that this one has to pass on its way up or down from `at` by one place each. Returns the place that is
// then free for it.
template <bool dense, bool up>
std::uint32_t SweepAndPrune::make_way(const BroadPhaseBoxes& boxes, std::size_t axis, const End& end,
                                      std::uint32_t at) {
  End* const ends = ends_[axis].data();
  std::uint32_t* const place = place_[axis].data();
  const auto last = static_cast<std::uint32_t>(up ? ends_[axis].size() - 1 : 0);
  const bool begins = is_upper(end.name) == up;
  while (at != last) {
    const std::uint32_t next = up ? at + 1 : at - 1;
    const End other = ends[next];
    if (up ? !before(other, end) : !before(end, other)) break;
    ends[at] = other;
    place[other.name] = at;
    at = next;
    const std::uint32_t difference = other.name ^ end.name;
    // Two lower ends, two upper ends, or both ends of one box. A lower end never meets its own upper end on the way
    // down, and without counts the way down of an upper end changes nothing.
    if ((difference & 1) == 0 || ((up || dense) && difference == 1)) continue;
    if (begins) {
      begin_overlap<dense>(boxes, number_of(end.name), number_of(other.name));
    } else if constexpr (dense) {
      --overlaps(number_of(end.name), number_of(other.name));
    }
  }
  return at;
}

template <bool dense>
void SweepAndPrune::move_end(const BroadPhaseBoxes& boxes, std::size_t axis, std::uint32_t name, double value) {
  const End end{value, name};
  const std::uint32_t from = place_[axis][name];
  const std::uint32_t at = make_way<dense, true>(boxes, axis, end, make_way<dense, false>(boxes, axis, end, from));
  ends_[axis][at] = end;
  place_[axis][name] = at;
  cost_.swaps += at > from ? at - from : from - at;
}

template <bool dense>
void SweepAndPrune::sort_axis(const BroadPhaseBoxes& boxes, std::size_t axis, std::uint64_t max_swaps) {
  End* const ends = ends_[axis].data();
  const auto size = static_cast<std::uint32_t>(ends_[axis].size());
  for (std::uint32_t i = 1; i < size; ++i) {
    const End end = ends[i];
    const std::uint32_t at = make_way<dense, false>(boxes, axis, end, i);
    if (at == i) continue;
    ends[at] = end;
    place_[axis][end.name] = at;
    cost_.swaps += i - at;
    if (cost_.swaps > max_swaps) return;
  }
}

// Returns false if there were too many swaps; the ends are then out of order.
template <bool dense>
bool SweepAndPrune::insert_moved(const BroadPhaseBoxes& boxes, std::uint64_t max_swaps) {
  if (moved_.size() < in_count_ / 8) {
    // Only a few boxes moved: move each end on its own among the others, which are in order.
    for (const std::uint32_t number : moved_) {
      const Aabb& box = boxes.box[number];
      for (std::size_t axis = 0; axis < 3; ++axis) {
        move_end<dense>(boxes, axis, lower_of(number), box.lower[index(axis)]);
        move_end<dense>(boxes, axis, upper_of(number), box.upper[index(axis)]);
      }
      if (cost_.swaps > max_swaps) return false;
    }
    return true;
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    End* const ends = ends_[axis].data();
    const std::uint32_t* const place = place_[axis].data();
    for (const std::uint32_t number : moved_) {
      ends[place[lower_of(number)]].value = boxes.box[number].lower[index(axis)];
      ends[place[upper_of(number)]].value = boxes.box[number].upper[index(axis)];
    }
    sort_axis<dense>(boxes, axis, max_swaps);
    if (cost_.swaps > max_swaps) return false;
  }
  return true;
}

void SweepAndPrune::name_pairs(const BroadPhaseBoxes& boxes, std::vector<PairKey>& pairs) {
  sort_pairs(begun_, static_cast<std::uint32_t>(boxes.box.size()), spare_);
  begun_.erase(std::unique(begun_.begin(), begun_.end()), begun_.end());
  const auto holds = [&](std::uint32_t a, std::uint32_t b) {
    if ((boxes.is_static[a] & boxes.is_static[b] & 1) != 0 || (is_in_[a] & is_in_[b]) == 0) return false;
    return dense_ ? overlaps(a, b) == 3 : overlap(boxes.box[a], boxes.box[b]);
  };
  next_.clear();
  const auto take = [&](PairKey key, bool is_new) {
    const std::uint32_t a = first_of(key), b = second_of(key);
    const bool changed = first_ || ((boxes.is_changed[a] | boxes.is_changed[b]) & 1) != 0;
    if ((changed || is_new) && !holds(a, b)) return;
    next_.push_back(key);
    if (changed) pairs.push_back(key);
  };
  auto begun = begun_.begin();
  for (const PairKey key : pairs_) {
    for (; begun != begun_.end() && *begun < key; ++begun)
      take(*begun, true);
    if (begun != begun_.end() && *begun == key) ++begun;
    take(key, false);
  }
  for (; begun != begun_.end(); ++begun)
    take(*begun, true);
  pairs_.swap(next_);
}

void SweepAndPrune::find_pairs(const BroadPhaseBoxes& boxes, std::vector<PairKey>& pairs) {
  pairs.clear();
  begun_.clear();
  cost_ = {};
  const std::size_t count = boxes.box.size();
  if (is_in_.size() < count) {
    is_in_.resize(count, 0);
    is_added_.resize(count, 0);
    was_fixed_.resize(count, 0);
    where_.resize(count);
    for (auto& place : place_)
      place.resize(2 * count);
  }
  using Table = SweepAndPruneOptions::Table;
  const bool dense =
      options_.table == Table::dense || (options_.table == Table::by_count && count <= options_.max_dense);
  if (dense) {
    // Boxes are only ever added to the index range, so the mode never changes back to dense.
    if (count > 1 && overlaps_.size() < triangle(count)) overlaps_.resize(triangle(count), 0);
  } else if (dense_) {
    std::vector<std::int8_t>().swap(overlaps_);
  }
  dense_ = dense;

  sort_changes(boxes);
  bool anew = false;
  if (!moved_.empty() && !options_.always_insert && expected_swaps(boxes) > cost_of_merging(moved_.size())) {
    gone_.insert(gone_.end(), moved_.begin(), moved_.end());
    added_.insert(added_.end(), moved_.begin(), moved_.end());
    moved_.clear();
  }
  if (gone_.size() == in_count_ && in_count_ > 0) {
    for (const std::uint32_t number : gone_)
      is_in_[number] = 0;
    anew = true;
  } else {
    remove(gone_);
    cost_.inserted = moved_.size();
    const std::uint64_t max_swaps =
        options_.always_insert ? ~std::uint64_t{0} : static_cast<std::uint64_t>(2 * cost_of_merging(in_count_)) + 1024;
    if (!moved_.empty()) anew = dense_ ? !insert_moved<true>(boxes, max_swaps) : !insert_moved<false>(boxes, max_swaps);
  }
  if (anew) {
    start_anew(boxes);
  } else {
    add(boxes, added_);
  }
  name_pairs(boxes, pairs);
  first_ = false;
}

std::size_t SweepAndPrune::memory() const {
  const auto bytes_of = [](const auto&... lists) { return (... + (lists.capacity() * sizeof(*lists.data()))); };
  return bytes_of(ends_[0], ends_[1], ends_[2], place_[0], place_[1], place_[2], is_in_, was_fixed_, overlaps_, pairs_,
                  begun_, gone_, added_, moved_, where_, is_added_, new_ends_, active_old_, active_new_, next_, spare_);
}

BroadPhaseFactory sweep_and_prune(const SweepAndPruneOptions& options) {
  return [options] { return std::make_unique<SweepAndPrune>(options); };
}

}  // namespace whisker::methods
