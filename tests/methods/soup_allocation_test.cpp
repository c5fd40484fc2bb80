// Contacts of soups allocate nothing after a frame that needed as much memory.

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/make/make.hpp>
#include <whisker/methods/soup_contacts.hpp>

#include "support/count_allocations.hpp"

namespace whisker {
namespace {

using namespace methods;
TEST(SoupAllocation, TheSecondFrameAllocatesNothing) {
  std::vector<MeshData> meshes;
  for (int i = 0; i < 8; ++i) {
    meshes.push_back(make::icosphere({.subdivisions = 3}));
    for (Vector3& v : meshes.back().vertices)
      v += Vector3(0.9 * i, 0.1 * (i % 3), 0);
  }
  std::vector<Soup> soups;
  for (const MeshData& mesh : meshes)
    soups.push_back({mesh.vertices, mesh.triangles});
  SoupContactFinder finder;
  for (const int level : {SoupOptions::automatic_level, 0, 5}) {
    const SoupOptions options = {.level = level, .threads = 1};
    const std::size_t contacts = finder.find(soups, options).pairs.size();
    EXPECT_GT(contacts, 100u);
    const std::size_t before = allocations;
    EXPECT_EQ(finder.find(soups, options).pairs.size(), contacts);
    // A frame with less to do, and fewer soups.
    EXPECT_FALSE(finder.find(std::span(soups).first(5), options).pairs.empty());
    EXPECT_EQ(allocations, before) << "level " << level;
  }
}

}  // namespace
}  // namespace whisker
