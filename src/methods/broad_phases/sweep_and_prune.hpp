#pragma once

// Broad phase by sweep and prune: the ends of all boxes are kept sorted along each of the three axes between updates,
// and are put back in order by insertion sort (Baraff 1992; Cohen, Lin, Manocha and Ponamgi 1995, I-COLLIDE). Two boxes
// begin to overlap along an axis when a lower end passes below an upper end, and stop overlapping when it passes back.
// So the cost of an update is the number of boxes that changed plus the number of ends that passed each other.
//
// Of two equal ends, the lower end is sorted first, so boxes that only touch overlap. Ends may be infinite.
//
// How new overlaps along an axis become pairs:
// - dense, for few boxes: a triangular array of bytes counts the axes along which each two boxes overlap. Three axes
//   make a pair. This takes n² / 2 bytes and accesses no box.
// - sparse, for many boxes: nothing is counted. When two boxes begin to overlap along an axis, they are compared along
//   all three. Counting would need an entry for every two boxes that overlap along any axis, which are about n^(5/3) in
//   an evenly filled world, and n² in a flat one. The comparison costs as much as finding such an entry.
//
// In both modes the pairs themselves, which overlap along all three axes, are one sorted list. An update must scan this
// list to report the pairs, and drops the pairs that no longer overlap as it goes. New pairs are sorted and merged in.
// Hence the end of an overlap costs nothing in sparse mode, and no hash table is needed, whose content would have to be
// collected and sorted at every update. Memory is O(boxes + pairs), plus the triangular array in dense mode.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/methods/broad_phases.hpp>

namespace whisker::methods {

class SweepAndPrune final : public BroadPhase {
 public:
  explicit SweepAndPrune(const SweepAndPruneOptions& options = {}) : options_(options) {}

  void find_pairs(const BroadPhaseBoxes& boxes, std::vector<PairKey>& pairs) override;

  /// Statistics of the last update.
  struct Cost {
    std::uint64_t swaps = 0;     ///< ends that passed each other
    std::uint64_t compared = 0;  ///< pairs of boxes that were compared or counted
    std::size_t inserted = 0;    ///< moved boxes that were put in order by insertion
    std::size_t merged = 0;      ///< boxes that were sorted and merged in: new ones, and those that moved far
    bool sorted_anew = false;    ///< whether insertion was abandoned and everything was sorted
  };
  const Cost& cost() const { return cost_; }
  bool is_dense() const { return dense_; }
  /// Allocated bytes.
  std::size_t memory() const;

 private:
  struct End {
    double value;
    std::uint32_t name;  ///< twice the box index, plus one for the upper end
  };
  struct Active {
    double lower[2], upper[2];
    std::uint32_t number;
  };
  static bool before(const End& a, const End& b) {
    return a.value < b.value || (a.value == b.value && (a.name & 1) < (b.name & 1));
  }

  void sort_changes(const BroadPhaseBoxes& boxes);
  double expected_swaps(const BroadPhaseBoxes& boxes) const;
  double cost_of_merging(std::size_t count) const;
  void remove(std::span<const std::uint32_t> numbers);
  void add(const BroadPhaseBoxes& boxes, std::span<const std::uint32_t> numbers);
  void start_anew(const BroadPhaseBoxes& boxes);
  template <bool dense>
  bool insert_moved(const BroadPhaseBoxes& boxes, std::uint64_t max_swaps);
  template <bool dense, bool up>
  std::uint32_t make_way(const BroadPhaseBoxes& boxes, std::size_t axis, const End& end, std::uint32_t at);
  template <bool dense>
  void move_end(const BroadPhaseBoxes& boxes, std::size_t axis, std::uint32_t name, double value);
  template <bool dense>
  void sort_axis(const BroadPhaseBoxes& boxes, std::size_t axis, std::uint64_t max_swaps);
  template <bool dense>
  void begin_overlap(const BroadPhaseBoxes& boxes, std::uint32_t a, std::uint32_t b);
  std::size_t narrowest_axis();
  void find_overlaps_of_added(const BroadPhaseBoxes& boxes);
  void name_pairs(const BroadPhaseBoxes& boxes, std::vector<PairKey>& pairs);
  std::int8_t& overlaps(std::uint32_t a, std::uint32_t b) {
    const std::size_t low = a < b ? a : b, high = a < b ? b : a;
    return overlaps_[high * (high - 1) / 2 + low];
  }

  SweepAndPruneOptions options_;
  bool first_ = true;
  bool dense_ = false;
  Cost cost_;

  std::array<std::vector<End>, 3> ends_;             ///< sorted
  std::array<std::vector<std::uint32_t>, 3> place_;  ///< by name: position in `ends_`
  std::vector<std::uint8_t> is_in_;                  ///< by box index: 1 if its ends are in `ends_`
  std::vector<std::uint8_t> was_fixed_;
  std::size_t in_count_ = 0;
  /// Dense mode: the number of axes along which two boxes overlap. Negative only temporarily, while ends pass each
  /// other.
  std::vector<std::int8_t> overlaps_;
  std::vector<PairKey> pairs_;  ///< overlapping pairs that are not both static, sorted
  std::vector<PairKey> begun_;  ///< pairs that began to overlap in this update, unsorted, possibly with duplicates,
                                ///< possibly apart again
  double candidates_ = 0;       ///< comparisons per box of the last merge, along the narrowest axis

  // Reused buffers.
  std::vector<std::uint32_t> gone_, added_, moved_, where_;
  std::vector<std::uint8_t> is_added_;
  std::vector<End> new_ends_;
  std::vector<Active> active_old_, active_new_;
  std::vector<PairKey> next_, spare_;
};

}  // namespace whisker::methods
