#pragma once

// Sweep and prune: the ends of all boxes, sorted along each of the three axes, are kept from look to look and put in
// order again by insertion (Baraff 1992; Cohen, Lin, Manocha and Ponamgi 1995, I-COLLIDE). Two boxes begin to overlap
// along an axis when a lower end passes below an upper end, and cease to when it passes back, so what a look costs is
// the number of boxes that changed, and of ends that passed each other.
//
// Of equal ends the lower one stands first: boxes that only touch overlap. Ends may be infinite.
//
// How begun overlaps become pairs:
//  - dense, for few boxes: a triangle of bytes counts along how many axes each two boxes overlap. Three make a pair.
//    n² / 2 bytes, no box is looked at.
//  - sparse, for many: nothing is counted. When two boxes begin to overlap along an axis, their boxes are compared
//    along all three. To count would need an entry for every two boxes that overlap along any axis, which are about
//    n^(5/3) in a world that is full evenly, and n² in a flat one; the comparison costs as much as finding an entry.
// Either way the pairs themselves, those that overlap along all three axes, are one sorted list. A look must go through
// it to name them, and leaves out then what has ceased to overlap; what has begun is sorted and merged in. Hence the
// end of an overlap costs nothing in the sparse form, and no hash table is needed, whose content would have to be
// gathered and sorted at every look. Memory: O(boxes + pairs), and the triangle in the dense form.

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

  /// What the last look did.
  struct Cost {
    std::uint64_t swaps = 0;     ///< ends that passed each other
    std::uint64_t compared = 0;  ///< pairs of boxes that were compared or counted
    std::size_t inserted = 0;    ///< moved boxes that were put in order by insertion
    std::size_t merged = 0;      ///< boxes that were sorted and merged in: new ones, and those that moved far
    bool sorted_anew = false;    ///< whether insertion was given up and everything was sorted
  };
  const Cost& cost() const { return cost_; }
  bool is_dense() const { return dense_; }
  /// Bytes held.
  std::size_t memory() const;

 private:
  struct End {
    double value;
    std::uint32_t name;  ///< twice the number of the box, and one more if it is its upper end
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
  template <bool dense>
  void move_end(const BroadPhaseBoxes& boxes, std::size_t axis, std::uint32_t name, double value);
  template <bool dense>
  void sort_axis(const BroadPhaseBoxes& boxes, std::size_t axis, std::uint64_t max_swaps);
  template <bool dense>
  void begin_overlap(const BroadPhaseBoxes& boxes, std::uint32_t a, std::uint32_t b);
  template <bool dense>
  void end_overlap(std::uint32_t a, std::uint32_t b);
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
  std::array<std::vector<std::uint32_t>, 3> place_;  ///< by name: where among the ends
  std::vector<std::uint8_t> is_in_;                  ///< by number: 1 if its ends are
  std::vector<std::uint8_t> was_fixed_;
  std::size_t in_count_ = 0;
  /// Dense: along how many axes two boxes overlap. Below zero for a moment only, while ends pass each other.
  std::vector<std::int8_t> overlaps_;
  std::vector<PairKey> pairs_;  ///< that overlap and are not both fixed, sorted
  std::vector<PairKey> begun_;  ///< in this look, in any order, maybe more than once, maybe not for long
  double candidates_ = 0;       ///< of a box that was merged in last, along the narrowest axis

  // Used again.
  std::vector<std::uint32_t> gone_, added_, moved_, where_;
  std::vector<std::uint8_t> is_added_;
  std::vector<End> new_ends_;
  std::vector<Active> active_old_, active_new_;
  std::vector<PairKey> next_, spare_;
};

}  // namespace whisker::methods
