#pragma once

// An array of bool that converts to std::span<bool>, which std::vector<bool> does not.

#include <cstddef>
#include <memory>
#include <span>

namespace whisker::test {

/// Owns `count` booleans.
struct Booleans {
  explicit Booleans(std::size_t count) : data(std::make_unique<bool[]>(count)), size(count) {}
  operator std::span<bool>() { return {data.get(), size}; }
  bool operator[](std::size_t i) const { return data[i]; }
  std::unique_ptr<bool[]> data;
  std::size_t size;
};

}  // namespace whisker::test
