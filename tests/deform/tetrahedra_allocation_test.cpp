// After a few frames, contacts and depths of tetrahedral meshes allocate nothing.

#include <vector>

#include <gtest/gtest.h>

#include <whisker/make/tetrahedra.hpp>
#include <whisker/tetrahedra/tetrahedral_depths.hpp>

#include "support/count_allocations.hpp"

namespace whisker {
namespace {

TEST(TetrahedraAllocations, AreNoneInTheSteadyState) {
  std::vector<TetrahedralMesh> meshes;
  meshes.emplace_back(make::tetrahedral_box({.cells_x = 12, .cells_y = 12, .cells_z = 12}));
  meshes.emplace_back(make::tetrahedral_ball({.radius = 0.5, .subdivisions = 3}));
  const std::vector<Vector3> rest(meshes[1].vertices().begin(), meshes[1].vertices().end());
  std::vector<Vector3> at = rest;
  TetrahedralContactFinder finder;
  TetrahedralContacts contacts;
  TetrahedralDepthFinder depth_finder;
  std::vector<VertexDepth> depths;
  // Back and forth: the same frames twice.
  const auto run = [&] {
    std::size_t found = 0;
    for (int frame = 0; frame < 6; ++frame) {
      for (std::size_t i = 0; i < rest.size(); ++i)
        at[i] = rest[i] + Vector3(0.3 + 0.1 * frame, 0.01, 0.02);
      meshes[1].set_vertices(at);
      finder.find(meshes, contacts);
      depth_finder.find(meshes, contacts, depths);
      found += depths.size();
    }
    return found;
  };
  EXPECT_GT(run(), 1000u);
  const std::size_t before = allocations.load();
  run();
  EXPECT_EQ(allocations.load() - before, 0u);
}

}  // namespace
}  // namespace whisker
