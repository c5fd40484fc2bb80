#pragma once

// Sorting of items whose numbers are nearly distinct, or few per value.

#include <algorithm>
#include <cstddef>
#include <vector>

namespace whisker::deform {

/// Sorts all items that for_each(visit) visits into `sorted`, which has their number: by `number` with a counting sort,
/// then, within each number, by `before`. `ends` is working memory.
template <class ForEach, class Number, class Before, class Item>
void sort_counting(const ForEach& for_each, const Number& number, const Before& before, std::vector<std::size_t>& ends,
                   std::vector<Item>& sorted) {
  ends.assign(1, 0);
  for_each([&](const Item& item) {
    const std::size_t n = number(item);
    if (n + 2 > ends.size()) ends.resize(n + 2);
    ++ends[n + 1];
  });
  for (std::size_t i = 0; i + 1 < ends.size(); ++i)
    ends[i + 1] += ends[i];
  // Before a bin is filled, `ends` holds where it begins. Filling the bin advances that to where it ends.
  for_each([&](const Item& item) { sorted[ends[number(item)]++] = item; });
  for (std::size_t i = 0, from = 0; i + 1 < ends.size(); from = ends[i++])
    if (ends[i] - from > 1) std::sort(sorted.data() + from, sorted.data() + ends[i], before);
}

}  // namespace whisker::deform
