#pragma once

// The third step of a World's update: the narrow phase. It tests the pairs that are due, in an order of its own if
// there are limits.

#include <cstdint>
#include <exception>
#include <span>
#include <vector>

#include <whisker/world.hpp>

#include "world/pair_table.hpp"

namespace whisker::world {

class PairTests {
 public:
  /// Returns the exception of the first test that failed, or null. The pairs whose tests failed stay open.
  std::exception_ptr run(const BodyTable& bodies, PairTable& pairs, const UpdateOptions& limits, UpdateReport& report);

 private:
  /// Determines the first `count` tests, in order.
  void set_order(const BodyTable& bodies, const PairTable& pairs, std::size_t count);

  /// Puts tests of equal kinds of shapes together, so that consecutive tests run the same code. Those for SIMD lanes
  /// come first; returns how many they are.
  std::size_t set_batches(const BodyTable& bodies, const PairTable& pairs, std::span<const std::uint32_t> tests);

  std::vector<std::uint32_t> order_;    ///< indices of records
  std::vector<std::uint32_t> batches_;  ///< all tests, by their numbers in the order
  std::vector<std::uint16_t> kinds_;    ///< of the shapes of each test
  std::vector<std::uint64_t> by_urgency_, by_wait_;
  std::vector<std::uint8_t> is_taken_;
  std::size_t tests_before_ = 0;  ///< tests done so far in updates with limits
};

}  // namespace whisker::world
