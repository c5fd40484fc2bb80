#pragma once

// Common operations on vectors of any type.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <type_traits>
#include <vector>

namespace whisker::geometry {

/// Sorts the values and removes the repeats.
template <class T>
void sort_unique(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

/// 0, 1, 2, … up to count - 1.
inline std::vector<std::uint32_t> numbers_below(std::size_t count) {
  std::vector<std::uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0u);
  return numbers;
}

/// map(element) of each element of a range.
template <class Range, class Map>
auto mapped(const Range& range, const Map& map) {
  std::vector<std::decay_t<decltype(std::invoke(map, *range.begin()))>> result;
  result.reserve(range.size());
  for (const auto& element : range)
    result.push_back(std::invoke(map, element));
  return result;
}

/// The greatest of 0 and map(element) of each element of a range; NaN does not count.
template <class Range, class Map>
double greatest_of(const Range& range, const Map& map) {
  double greatest = 0;
  for (const auto& element : range)
    greatest = std::max(greatest, std::invoke(map, element));
  return greatest;
}

/// The sum of map(element), in order.
template <class Range, class Map>
double sum_over(const Range& range, const Map& map) {
  double sum = 0;
  for (const auto& element : range)
    sum += std::invoke(map, element);
  return sum;
}

/// values[number] of each number.
template <class Values, class Numbers>
auto picked(const Values& values, const Numbers& numbers) {
  return mapped(numbers, [&](std::uint32_t number) { return values[number]; });
}

}  // namespace whisker::geometry
