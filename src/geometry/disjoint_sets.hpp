#pragma once

// Sets of numbers that are joined step by step (union-find).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace whisker::geometry {

class DisjointSets {
 public:
  /// Each number below `count` in a set of its own.
  explicit DisjointSets(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0u); }
  /// Each number in the set of the number given for it, which is not larger.
  explicit DisjointSets(std::vector<std::uint32_t> lower) : parent_(std::move(lower)) {}

  /// How many numbers there are in all sets.
  std::size_t size() const { return parent_.size(); }
  /// The lowest number of the set. Halves paths, so that all together stays close to linear.
  std::uint32_t root(std::uint32_t i) {
    while (parent_[i] != i)
      i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  /// Returns false if both were in the same set already.
  bool join(std::uint32_t a, std::uint32_t b) {
    a = root(a);
    b = root(b);
    parent_[std::max(a, b)] = std::min(a, b);
    return a != b;
  }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace whisker::geometry
