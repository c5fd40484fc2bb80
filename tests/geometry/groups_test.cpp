// Numbers in groups: items grouped by counting, and disjoint sets.

#include <map>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "geometry/disjoint_sets.hpp"
#include "geometry/grouped.hpp"
#include "support/cases.hpp"

namespace whisker::geometry {
namespace {

TEST(Grouped, ItemsKeepTheirOrderWithinAGroup) {
  std::mt19937_64 random = test::seeded(911);
  for (std::size_t round = 0; round < test::cases(100); ++round) {
    const std::size_t count = random() % 9;
    std::vector<std::pair<std::size_t, int>> all;
    for (std::size_t i = count == 0 ? 0 : random() % 40; i > 0; --i)
      all.emplace_back(random() % count, static_cast<int>(random() % 1000));
    std::map<std::size_t, std::vector<int>> expected;
    for (const auto& [n, item] : all)
      expected[n].push_back(item);
    const Grouped<int> groups = group<int>(count, [&](const auto& visit) {
      for (const auto& [n, item] : all)
        visit(n, item);
    });
    ASSERT_EQ(groups.first.size(), count + 1);
    EXPECT_EQ(groups.items.size(), all.size());
    for (std::size_t n = 0; n < count; ++n)
      EXPECT_EQ(std::vector<int>(groups[n].begin(), groups[n].end()), expected[n]);
  }
}

TEST(DisjointSets, AreThoseThatPairsConnect) {
  std::mt19937_64 random = test::seeded(912);
  for (std::size_t round = 0; round < test::cases(100); ++round) {
    const std::size_t count = 1 + random() % 30;
    DisjointSets sets(count);
    std::vector<std::set<std::uint32_t>> expected(count);
    for (std::uint32_t i = 0; i < count; ++i)
      expected[i] = {i};
    for (std::size_t k = 0; k < count; ++k) {
      const auto a = static_cast<std::uint32_t>(random() % count), b = static_cast<std::uint32_t>(random() % count);
      EXPECT_EQ(sets.join(a, b), !expected[a].contains(b));
      std::set<std::uint32_t> both = expected[a];
      both.insert(expected[b].begin(), expected[b].end());
      for (const std::uint32_t i : both)
        expected[i] = both;
      for (std::uint32_t i = 0; i < count; ++i)
        EXPECT_EQ(sets.root(i), *expected[i].begin());
    }
  }
}

}  // namespace
}  // namespace whisker::geometry
