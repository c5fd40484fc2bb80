#pragma once

// Items grouped by a number, by counting: count, compute where each group begins, place.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace whisker::geometry {

/// Group n is items[first[n]] up to items[first[n + 1]].
template <class Item, class Place = std::uint32_t>
struct Grouped {
  std::vector<Place> first;
  std::vector<Item> items;

  std::span<const Item> operator[](std::size_t n) const {
    return {items.data() + first[n], items.data() + first[n + 1]};
  }
};

/// A counting sort: linear and stable. for_each(visit) calls visit(n, item) for each item; it is called twice.
/// Afterward the items of group n are items[first[n]] up to items[first[n + 1]].
template <class Place, class Item, class ForEach>
void group_items(std::size_t count, const ForEach& for_each, std::vector<Place>& first, std::vector<Item>& items) {
  // While items are placed, first[n + 1] is the next free place of group n.
  first.assign(count + 2, 0);
  for_each([&](std::size_t n, const Item&) { ++first[n + 2]; });
  for (std::size_t n = 2; n < first.size(); ++n)
    first[n] += first[n - 1];
  items.resize(first.back());
  for_each([&](std::size_t n, const Item& item) { items[first[n + 1]++] = item; });
  first.pop_back();
}

/// Makes `count` groups.
template <class Item, class Place = std::uint32_t, class ForEach>
Grouped<Item, Place> group(std::size_t count, const ForEach& for_each) {
  Grouped<Item, Place> result;
  group_items(count, for_each, result.first, result.items);
  return result;
}

}  // namespace whisker::geometry
