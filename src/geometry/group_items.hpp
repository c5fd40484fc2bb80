#pragma once

// Groups items by number.

#include <cstddef>
#include <vector>

namespace whisker::geometry {

/// A counting sort: linear and stable. `for_each(visit)` calls visit(group, item) for every item; it is called twice.
/// Afterward the items of group g are items[first[g]] up to items[first[g + 1]].
template <class Position, class Item, class ForEach>
void group_items(std::size_t group_count, const ForEach& for_each, std::vector<Position>& first,
                 std::vector<Item>& items) {
  // While items are placed, first[g + 1] is the next free position for group g.
  first.assign(group_count + 2, 0);
  for_each([&](std::size_t group, const Item&) { ++first[group + 2]; });
  for (std::size_t g = 2; g < first.size(); ++g)
    first[g] += first[g - 1];
  items.resize(first.back());
  for_each([&](std::size_t group, const Item& item) { items[first[group + 1]++] = item; });
  first.pop_back();
}

}  // namespace whisker::geometry
